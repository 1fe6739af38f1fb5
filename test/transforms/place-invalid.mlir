// fuse-kernels makes neither; IR written by hand may.
// RUN: trainc-opt %s --place --split-input-file --verify-diagnostics

// expected-error @below {{state ["w", "compute"] is read after its new value is written}}
func.func @old_value_is_read_later(%w: tensor<4x4xf32> {train.state = ["w", "compute"]})
    -> (tensor<4x4xf32> {train.state = ["w", "compute"]}, tensor<4x4xf32>) {
  %a = train.contract "ab,bc->ac" %w, %w : tensor<4x4xf32>, tensor<4x4xf32>
  %b = train.contract "ab,bc->ac" %a, %w : tensor<4x4xf32>, tensor<4x4xf32>
  return %a, %b : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// The call itself reads what it would write over.
// expected-error @below {{state ["w", "compute"] is read after its new value is written}}
func.func @old_value_is_read_by_the_writer(%w: tensor<4x4xf32> {train.state = ["w", "compute"]}) -> (tensor<4x4xf32> {train.state = ["w", "compute"]}) {
  %a = train.contract "ab,bc->ac" %w, %w : tensor<4x4xf32>, tensor<4x4xf32>
  return %a : tensor<4x4xf32>
}

// -----

// expected-error @below {{the new value of state ["v", "compute"] lies in other bytes}}
func.func @new_value_in_other_bytes(%w: tensor<4xf32> {train.state = ["w", "compute"]}) -> (tensor<4xf32> {train.state = ["v", "compute"]}) {
  return %w : tensor<4xf32>
}

// -----

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
