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

// -----

// expected-error @+1 {{cannot lower function 'declared': expects a body of one block}}
func.func private @declared(%x: tensor<4xf32>) -> tensor<4xf32>

// -----

// expected-error @+1 {{cannot lower function 'two_blocks': expects a body of one block}}
func.func @two_blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^next
^next:
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{cannot lower a value of type 'tensor<?xf32>': expects tensors of static shape, not empty, of f32, f64, i32, i64 or i1}}
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = arith.addf %x, %x : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// expected-error @+1 {{cannot lower a value of type 'f32': expects tensors of static shape, not empty, of f32, f64, i32, i64 or i1}}
func.func @scalar(%x: f32) -> f32 {
  %y = arith.addf %x, %x : f32
  return %y : f32
}

// -----

func.func @dense_constant(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{cannot lower 'arith.constant': it is neither elementwise, a reduction nor a library call}}
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = arith.addf %x, %c : tensor<2xf32>
  return %y : tensor<2xf32>
}
