// A kernel that reads a tensor and a view of it may not write to either: another of its pointers would read what it writes.
// RUN: trainc-opt %s -fuse-kernels | FileCheck %s
// RUN: trainc-check %s --gradients | FileCheck %s --check-prefix=VALUES
// VALUES: 1 functions, 0 failures

// CHECK-LABEL: func.func @view_and_tensor
// CHECK: %[[X:.*]] = train.contract
// CHECK: %[[V:.*]] = train.reshape %[[X]]
// CHECK: plan.launch @{{.*}}(%[[V]], %[[X]]) in_place [] :
func.func @view_and_tensor(%a: tensor<4x4xf64>, %w: tensor<4x4xf64>) -> tensor<4x4xf64> {
  %x = train.contract "mk,kn->mn" %a, %w : tensor<4x4xf64>, tensor<4x4xf64>
  %r = train.reshape %x to [4, 1, 4] : tensor<4x4xf64>
  %b = train.broadcast %r to [4, 4, 4] dims [0, 1, 2] : tensor<4x1x4xf64>
  %s = train.reduce add %b dims [2] : tensor<4x4x4xf64>
  %o = arith.addf %s, %x : tensor<4x4xf64>
  return %o : tensor<4x4xf64>
}
