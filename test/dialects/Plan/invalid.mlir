// One function for each constraint (Cn) of the op descriptions.
// RUN: trainc-opt %s --split-input-file --verify-diagnostics

func.func @launch_c1_unknown_kernel(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{(C1) expects the name of a kernel.func, got @none}}
  %y = plan.launch @none(%x) in_place [] : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @callee(%x: tensor<4xf32>) { return }
func.func @launch_c1_not_a_kernel(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{(C1) expects the name of a kernel.func, got @callee}}
  %y = plan.launch @callee(%x) in_place [] : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

kernel.func @clear(%x: memref<4xf32>) outer [] inner 4 {
  %zero = arith.constant 0.0 : f32
  kernel.store %zero, %x [affine_map<(d0) -> (d0)>] : memref<4xf32>
}
func.func @launch_c2_too_many_arguments(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{(C2) expects 1 operands and results for @clear, got 2}}
  %y = plan.launch @clear(%x) in_place [] : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

kernel.func @clear(%x: memref<4xf32>) outer [] inner 4 {
  %zero = arith.constant 0.0 : f32
  kernel.store %zero, %x [affine_map<(d0) -> (d0)>] : memref<4xf32>
}
func.func @launch_c2_wrong_size() -> tensor<5xf32> {
  // expected-error @below {{(C2) expects argument 0 of @clear to hold 'memref<4xf32>', got 'tensor<5xf32>'}}
  %y = plan.launch @clear() in_place [] : () -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// -----

kernel.func @clear(%x: memref<4xf32>) outer [] inner 4 {
  %zero = arith.constant 0.0 : f32
  kernel.store %zero, %x [affine_map<(d0) -> (d0)>] : memref<4xf32>
}
func.func @launch_c2_wrong_element_type() -> tensor<4xf64> {
  // expected-error @below {{(C2) expects argument 0 of @clear to hold 'memref<4xf32>', got 'tensor<4xf64>'}}
  %y = plan.launch @clear() in_place [] : () -> tensor<4xf64>
  return %y : tensor<4xf64>
}

// -----

func.func @launch_c3_not_pairs(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{(C3) expects pairs (result, operand), got 1 numbers}}
  %y = plan.launch @none(%x) in_place [0] : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @launch_c3_no_such_operand(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{(C3) expects a result and an operand of the op, got pair (0, 1)}}
  %y = plan.launch @none(%x) in_place [0, 1] : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @launch_c3_other_type(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  // expected-error @below {{(C3) expects equal types, got 'tensor<2x2xf32>' in place with 'tensor<4xf32>'}}
  %y = plan.launch @none(%x) in_place [0, 0] : (tensor<4xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// -----

func.func @launch_c3_operand_twice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error @below {{(C3) expects each result and operand once, got pair (1, 0) again}}
  %y:2 = plan.launch @none(%x) in_place [0, 0, 1, 0] : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %y#0, %y#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @call_c1_no_such_result(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{(C1) expects a result and an operand of the op, got pair (1, 0)}}
  %y = plan.call "gemm"(%x) {} workspace 0 in_place [1, 0] : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @call_c2_negative_workspace(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{(C2) expects workspace >= 0, got -64}}
  %y = plan.call "gemm"(%x) {} workspace -64 in_place [] : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @view_c1_other_element_type(%x: tensor<4xf32>) -> tensor<4xi32> {
  // expected-error @below {{(C1) expects as many elements of the same type, got 'tensor<4xf32>' and 'tensor<4xi32>'}}
  %y = plan.view %x : tensor<4xf32> -> tensor<4xi32>
  return %y : tensor<4xi32>
}

// -----

func.func @view_c1_other_size(%x: tensor<4xf32>) -> tensor<5xf32> {
  // expected-error @below {{(C1) expects as many elements of the same type, got 'tensor<4xf32>' and 'tensor<5xf32>'}}
  %y = plan.view %x : tensor<4xf32> -> tensor<5xf32>
  return %y : tensor<5xf32>
}
