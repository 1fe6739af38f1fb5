// RUN: trainc-opt %s --fuse-kernels --split-input-file --verify-diagnostics

// Composite ops are to be decomposed first.
func.func @composite_op(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{cannot lower 'train.gelu': it is neither elementwise, a reduction nor a library call}}
  %y = train.gelu %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @constant_of_several_values() -> tensor<2xf32> {
  // expected-error @below {{cannot lower 'arith.constant': it is neither elementwise, a reduction nor a library call}}
  %y = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %y : tensor<2xf32>
}
