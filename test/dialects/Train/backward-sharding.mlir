// Sharding rules of ops that only the backward pass and the optimizer build.
// RUN: trainc-check %s --sharding | FileCheck %s
// CHECK-COUNT-10: ok
// CHECK: 5 functions, 0 failures

func.func @attention_backward(%q: tensor<2x3x2x4xf64>, %k: tensor<2x3x2x4xf64>, %v: tensor<2x3x2x4xf64>, %o: tensor<2x3x2x4xf64>, %lse: tensor<2x2x3xf64>, %do: tensor<2x3x2x4xf64>)
    -> (tensor<2x3x2x4xf64>, tensor<2x3x2x4xf64>, tensor<2x3x2x4xf64>) {
  %dq, %dk, %dv = train.attention_backward %q, %k, %v, %o, %lse, %do causal true scale 0.5 : tensor<2x3x2x4xf64>, tensor<2x3x2x4xf64>, tensor<2x3x2x4xf64>, tensor<2x3x2x4xf64>, tensor<2x2x3xf64>, tensor<2x3x2x4xf64>
  return %dq, %dk, %dv : tensor<2x3x2x4xf64>, tensor<2x3x2x4xf64>, tensor<2x3x2x4xf64>
}

func.func @cross_entropy_backward(%x: tensor<4x3x7xf64>, %t: tensor<4x3xi32> {check.bound = 7 : i64}, %lse: tensor<4x3xf64> {check.min = 2.0 : f64, check.max = 3.0 : f64}, %d: tensor<4x3xf64>) -> tensor<4x3x7xf64> {
  %g = train.cross_entropy_backward %x, %t, %lse, %d : tensor<4x3x7xf64>, tensor<4x3xi32>, tensor<4x3xf64>, tensor<4x3xf64>
  return %g : tensor<4x3x7xf64>
}

func.func @adamw(%p: tensor<4x6xf64>, %g: tensor<4x6xf64>, %lr: tensor<f64>, %step: tensor<i64> {check.bound = 9 : i64}, %m: tensor<4x6xf64>, %v: tensor<4x6xf64> {check.min = 0.0 : f64})
    -> (tensor<4x6xf64>, tensor<4x6xf64>, tensor<4x6xf64>) {
  %np, %nm, %nv = train.adamw %p, %g, %lr, %step, %m, %v beta1 0.9 beta2 0.95 epsilon 1.0e-8 weight_decay 0.1 : tensor<4x6xf64>, tensor<4x6xf64>, tensor<f64>, tensor<i64>, tensor<4x6xf64>, tensor<4x6xf64>
  return %np, %nm, %nv : tensor<4x6xf64>, tensor<4x6xf64>, tensor<4x6xf64>
}

func.func @sgd(%p: tensor<4x6xf64>, %g: tensor<4x6xf64>, %lr: tensor<f64>, %step: tensor<i64>) -> tensor<4x6xf64> {
  %np = train.sgd %p, %g, %lr, %step weight_decay 0.1 : tensor<4x6xf64>, tensor<4x6xf64>, tensor<f64>, tensor<i64>
  return %np : tensor<4x6xf64>
}

func.func @zeros_like(%x: tensor<4x6xf64>) -> tensor<4x6xf64> {
  %z = train.zeros_like %x : tensor<4x6xf64>
  return %z : tensor<4x6xf64>
}
