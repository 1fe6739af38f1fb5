// What cannot be placed is named, not crashed on.
// RUN: trainc-opt %s -place --split-input-file --verify-diagnostics

// expected-error @+1 {{argument 0 of 'no_bytes' has no bytes: expects train.state, train.input or train.micro}}
func.func @no_bytes(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

func.func @not_fused(%x: tensor<4xf32> {train.state = ["x", "compute"]}) -> tensor<4xf32> {
  // expected-error @+1 {{cannot place 'arith.addf': expects launches and library ops, as fuse-kernels leaves them}}
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error @+1 {{cannot place function 'declared': expects a body of one block}}
func.func private @declared(%x: tensor<4xf32>)
