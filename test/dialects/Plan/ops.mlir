// Every op survives printing and parsing.
// RUN: trainc-opt %s --verify-roundtrip | FileCheck %s

kernel.func @double(%x: memref<6xf32>) outer [] inner 6 {
  %e = kernel.load %x [affine_map<(d0) -> (d0)>] : memref<6xf32>
  %s = arith.addf %e, %e : f32
  kernel.store %s, %x [affine_map<(d0) -> (d0)>] : memref<6xf32>
}

// CHECK-LABEL: func @ops
func.func @ops(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> (tensor<2x4xf32>, tensor<6xf32>) {
  // CHECK: %[[DOUBLED:.*]] = plan.launch @double(%{{.*}}) in_place [0, 0] {plan.at = [64]}
  %y = plan.launch @double(%x) in_place [0, 0] {plan.at = [64]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: plan.call "gemm"(%[[DOUBLED]], %{{.*}}) {k = 3 : i64} workspace 128 in_place []
  %z = plan.call "gemm"(%y, %w) {k = 3 : i64} workspace 128 in_place [] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // CHECK: plan.view %[[DOUBLED]] : tensor<2x3xf32> -> tensor<6xf32>
  %v = plan.view %y : tensor<2x3xf32> -> tensor<6xf32>
  return %z, %v : tensor<2x4xf32>, tensor<6xf32>
}
