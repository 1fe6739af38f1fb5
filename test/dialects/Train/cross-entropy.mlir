// RUN: trainc-check %s --gradients --sharding | FileCheck %s
// CHECK: 1 functions, 0 failures

func.func @cross_entropy(%x: tensor<4x3x7xf64> {check.min = -4.0 : f64, check.max = 4.0 : f64}, %t: tensor<4x3xi32> {check.bound = 7 : i64})
    -> (tensor<4x3xf64>, tensor<4x3xf64> {check.auxiliary}) {
  %loss, %lse = train.cross_entropy %x, %t : tensor<4x3x7xf64>, tensor<4x3xi32>
  return %loss, %lse : tensor<4x3xf64>, tensor<4x3xf64>
}
