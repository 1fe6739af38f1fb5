// RUN: trainc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{(C1) expects sizes of at least 1, got 0}}
kernel.func @func_c1(%x: memref<4xf32>) outer [4] inner 0 {
}

// -----

// expected-error @+1 {{(C2) expects static memrefs of f32, f64, i1, i32 or i64 with identity layout, argument 1 is 'memref<?xf32>'}}
kernel.func @func_c2_dynamic(%x: memref<4xf32>, %y: memref<?xf32>) outer [] inner 4 {
}

// -----

// expected-error @+1 {{(C2) expects static memrefs}}
kernel.func @func_c2_type(%x: memref<4xbf16>) outer [] inner 4 {
}

// -----

kernel.func @func_c3_effect(%x: memref<4xf32>) outer [] inner 4 {
  // expected-error @+1 {{(C3) a kernel holds `kernel` ops and pure scalar ops only, got 'memref.alloc'}}
  %y = memref.alloc() : memref<4xf32>
}

// -----

kernel.func @func_c3_vector(%x: memref<4xf32>) outer [] inner 4 {
  // expected-error @+1 {{(C3) values in a kernel are scalars, 'arith.constant' gives 'vector<4xf32>'}}
  %y = arith.constant dense<1.0> : vector<4xf32>
}

// -----

kernel.func @func_c4(%x: memref<4x4xf32>) outer [4] inner 4 {
  // expected-error @+1 {{(C4 of kernel.func) argument 0 is in place, so it must be loaded with the map of its store}}
  %e = kernel.load %x [affine_map<(d0, d1) -> (d1, d0)>] : memref<4x4xf32>
  kernel.store %e, %x [affine_map<(d0, d1) -> (d0, d1)>] : memref<4x4xf32>
}

// -----

// expected-error @+1 {{(C5) stores argument 0 twice}}
kernel.func @func_c5(%x: memref<4xf32>) outer [] inner 4 {
  %c = arith.constant 0.0 : f32
  kernel.store %c, %x [affine_map<(d0) -> (d0)>] : memref<4xf32>
  kernel.store %c, %x [affine_map<(d0) -> (d0)>] : memref<4xf32>
}

// -----

kernel.func @load_c1(%x: memref<4xf32>) outer [] inner 4 {
  %y = kernel.load %x [affine_map<(d0) -> (d0)>] : memref<4xf32>
  // expected-error @+1 {{operand #0 must be memref of}}
  %e = "kernel.load"(%y) {map = affine_map<(d0) -> (d0)>} : (f32) -> f32
}

// -----

kernel.func @load_c2_dims(%x: memref<4xf32>) outer [2] inner 4 {
  // expected-error @+1 {{(C2) expects a map from 2 dimensions to 1 results, got affine_map<(d0) -> (d0)>}}
  %e = kernel.load %x [affine_map<(d0) -> (d0)>] : memref<4xf32>
}

// -----

kernel.func @load_c2_rank(%x: memref<4xf32>) outer [] inner 4 {
  // expected-error @+1 {{(C2) expects a map from 1 dimensions to 1 results}}
  %e = kernel.load %x [affine_map<(d0) -> (d0, d0)>] : memref<4xf32>
}

// -----

kernel.func @load_c3(%x: memref<2x4xf32>) outer [2] inner 4 {
  // expected-error @+1 {{(C3) expects result 1 of affine_map<(d0, d1) -> (d0, d1 + 1)> to stay within [0, 4), it may take [1, 4]}}
  %e = kernel.load %x [affine_map<(d0, d1) -> (d0, d1 + 1)>] : memref<2x4xf32>
}

// -----

kernel.func @load_c3_negative(%x: memref<4xf32>) outer [] inner 5 {
  // expected-error @+1 {{(C3) expects result 0 of affine_map<(d0) -> (d0 - 1)> to stay within [0, 4), it may take [-1, 3]}}
  %e = kernel.load %x [affine_map<(d0) -> (d0 - 1)>] : memref<4xf32>
}

// -----

kernel.func @store_c4(%x: memref<2x4xf32>, %y: memref<2xf32>) outer [2] inner 4 {
  %e = kernel.load %x [affine_map<(d0, d1) -> (d0, d1)>] : memref<2x4xf32>
  // expected-error @+1 {{(C4) stores a value that depends on the inner dimension through a map that does not}}
  kernel.store %e, %y [affine_map<(d0, d1) -> (d0)>] : memref<2xf32>
}

// -----

kernel.func @store_c5(%y: memref<4xf32>) outer [2] inner 4 {
  %c = arith.constant 0.0 : f32
  // expected-error @+1 {{(C5) expects a map that uses outer dimension 0 of size 2, got affine_map<(d0, d1) -> (d1)>}}
  kernel.store %c, %y [affine_map<(d0, d1) -> (d1)>] : memref<4xf32>
}

// -----

kernel.func @store_c6(%y: memref<2xf32>) outer [] inner 4 {
  %c = arith.constant 0.0 : f32
  // expected-error @+1 {{(C6) writes 4 points to a buffer of 2 elements through affine_map<(d0) -> (d0 floordiv 2)>}}
  kernel.store %c, %y [affine_map<(d0) -> (d0 floordiv 2)>] : memref<2xf32>
}

// -----

kernel.func @index_c1(%y: memref<4xf32>) outer [2] inner 4 {
  // expected-error @+1 {{(C1) expects a dimension between 0 and 1, got 2}}
  %i = kernel.index 2
}

// -----

kernel.func @load_type(%x: memref<4xf32>, %y: memref<4xf64>) outer [] inner 4 {
  // expected-note @+1 {{prior use here}}
  %e = kernel.load %x [affine_map<(d0) -> (d0)>] : memref<4xf32>
  // expected-error @+1 {{use of value '%e' expects different type than prior uses: 'f64' vs 'f32'}}
  kernel.store %e, %y [affine_map<(d0) -> (d0)>] : memref<4xf64>
}

// -----

func.func @outside(%x: memref<4xf32>) {
  // expected-error @+1 {{'kernel.index' op expects parent op 'kernel.func'}}
  %i = kernel.index 0
  return
}
