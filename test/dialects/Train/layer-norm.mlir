// RUN: trainc-check %s --gradients --sharding | FileCheck %s
// CHECK: 2 functions, 0 failures

func.func @rows(%x: tensor<4x3x6xf64>, %w: tensor<6xf64>, %b: tensor<6xf64>) -> tensor<4x3x6xf64> {
  %y = train.layer_norm %x, %w, %b epsilon 1.0e-5 : tensor<4x3x6xf64>, tensor<6xf64>, tensor<6xf64>
  return %y : tensor<4x3x6xf64>
}

// A width that is no multiple of a vector.
func.func @odd(%x: tensor<2x65xf64>, %w: tensor<65xf64>, %b: tensor<65xf64>) -> tensor<2x65xf64> {
  %y = train.layer_norm %x, %w, %b epsilon 1.0e-3 : tensor<2x65xf64>, tensor<65xf64>, tensor<65xf64>
  return %y : tensor<2x65xf64>
}
