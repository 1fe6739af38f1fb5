// Every op survives printing and parsing.
// RUN: trainc-opt %s --verify-roundtrip | FileCheck %s

// CHECK: train.parameter @w : tensor<4x6xf32> init "normal"(0.000000e+00, 2.000000e-02) group "default"
train.parameter @w : tensor<4x6xf32> init "normal"(0.0, 0.02) group "default"
// CHECK: train.optimizer "train.sgd" {weight_decay = 1.000000e-01 : f64} groups {no_decay = 0.000000e+00 : f64}
train.optimizer "train.sgd" {weight_decay = 0.1 : f64} groups {no_decay = 0.0 : f64}

// CHECK-LABEL: func @ops
func.func @ops(%x: tensor<4x6xf32>, %b: tensor<6xf32>, %ids: tensor<4xi32>, %c: tensor<i64>, %lr: tensor<f32>, %q: tensor<2x3x2x4xf32>) {
  // CHECK: train.broadcast
  %0 = train.broadcast %b to [4, 6] dims [1] : tensor<6xf32>
  // CHECK: train.reduce max
  %1 = train.reduce max %x dims [0] : tensor<4x6xf32>
  // CHECK: train.reshape
  %2 = train.reshape %x to [2, 12] : tensor<4x6xf32>
  // CHECK: train.contract "mk,nk->mn"
  %3 = train.contract "mk,nk->mn" %x, %x : tensor<4x6xf32>, tensor<4x6xf32>
  // CHECK: train.contract "mk,nk->mn" %{{.*}}, %{{.*}} plus
  %4 = train.contract "mk,nk->mn" %x, %x plus %3 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x4xf32>
  // CHECK: train.embedding
  %5 = train.embedding %x, %ids : tensor<4x6xf32>, tensor<4xi32>
  // CHECK: train.embedding_backward
  %6 = train.embedding_backward %5, %ids rows 4 : tensor<4x6xf32>, tensor<4xi32>
  // CHECK: train.attention
  %o, %l = train.attention %q, %q, %q causal true scale 0.5 : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>
  // CHECK: train.cross_entropy
  %7, %8 = train.cross_entropy %x, %ids : tensor<4x6xf32>, tensor<4xi32>
  // CHECK: train.cross_entropy_backward
  %9 = train.cross_entropy_backward %x, %ids, %8, %7 : tensor<4x6xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>
  // CHECK: train.layer_norm
  %10 = train.layer_norm %x, %b, %b epsilon 1.0e-5 : tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>
  // CHECK: train.gelu
  %11 = train.gelu %x : tensor<4x6xf32>
  // CHECK: train.random uniform
  %12 = train.random uniform [4, 6] stream 1 samples 4 %c, %c, %c : f32
  // CHECK: train.dropout
  %13 = train.dropout %x rate 0.5 stream 1 samples 4 %c, %c, %c : tensor<4x6xf32>
  // CHECK: train.adamw
  %14, %15, %16 = train.adamw %x, %x, %lr, %c, %x, %x beta1 0.9 beta2 0.95 epsilon 1.0e-8 weight_decay 0.1 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>, tensor<i64>, tensor<4x6xf32>, tensor<4x6xf32>
  // CHECK: train.sgd
  %17 = train.sgd %x, %x, %lr, %c weight_decay 0.0 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>, tensor<i64>
  // CHECK: train.zeros_like
  %18 = train.zeros_like %x : tensor<4x6xf32>
  // CHECK: train.identity
  %19 = train.identity %x : tensor<4x6xf32>
  return
}
