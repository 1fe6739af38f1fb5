// Calls that were given an accumulator that is read elsewhere too add in a kernel instead.
// RUN: trainc-opt %s -fuse-kernels | FileCheck %s
// RUN: trainc-check %s --gradients | FileCheck %s --check-prefix=VALUES
// VALUES: 2 functions, 0 failures

// CHECK-LABEL: func.func @contract
// CHECK: %[[P:.*]] = train.contract "mk,kn->mn" %{{.*}}, %{{.*}} : tensor<4x6xf64>, tensor<6x4xf64>
// CHECK: plan.launch @{{.*}}(%{{.*}}, %[[P]])
func.func @contract(%x: tensor<4x6xf64>, %w: tensor<6x4xf64>, %a: tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<4x4xf64>) {
  %r = train.contract "mk,kn->mn" %x, %w plus %a : tensor<4x6xf64>, tensor<6x4xf64>, tensor<4x4xf64>
  %o = arith.mulf %a, %a : tensor<4x4xf64>
  return %r, %o : tensor<4x4xf64>, tensor<4x4xf64>
}

// CHECK-LABEL: func.func @embedding_backward
// CHECK: %[[D:.*]] = train.embedding_backward %{{.*}}, %{{.*}} rows 3
// CHECK: plan.launch @{{.*}}(%{{.*}}, %[[D]])
func.func @embedding_backward(%dy: tensor<2x4xf64>, %ids: tensor<2xi32> {check.bound = 3 : i64}, %a: tensor<3x4xf64>)
    -> (tensor<3x4xf64> {check.auxiliary}, tensor<3x4xf64>) {
  %r = train.embedding_backward %dy, %ids plus %a rows 3 : tensor<2x4xf64>, tensor<2xi32>, tensor<3x4xf64>
  %o = arith.mulf %a, %a : tensor<3x4xf64>
  return %r, %o : tensor<3x4xf64>, tensor<3x4xf64>
}
