// RUN: trainc-check %s --gradients --sharding | FileCheck %s
// CHECK: 2 functions, 0 failures

// Twelve ids of five rows: some row is read more than once.
func.func @embedding(%table: tensor<5x4xf64>, %ids: tensor<4x3xi32> {check.bound = 5 : i64}) -> tensor<4x3x4xf64> {
  %y = train.embedding %table, %ids : tensor<5x4xf64>, tensor<4x3xi32>
  return %y : tensor<4x3x4xf64>
}

func.func @embedding_backward(%dy: tensor<4x3x4xf64>, %ids: tensor<4x3xi32> {check.bound = 5 : i64}) -> (tensor<5x4xf64> {check.auxiliary}) {
  %d = train.embedding_backward %dy, %ids rows 5 : tensor<4x3x4xf64>, tensor<4x3xi32>
  return %d : tensor<5x4xf64>
}
