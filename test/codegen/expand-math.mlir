// RUN: trainc-opt %s -split-input-file -expand-math -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @exp
// CHECK-NOT: math.exp
// CHECK: math.fma
func.func @exp(%x: f32) -> f32 {
  %y = math.exp %x : f32
  return %y : f32
}

// CHECK-LABEL: func.func @instructions
// CHECK-NEXT: math.sqrt
// CHECK-NEXT: math.absf
func.func @instructions(%x: f64) -> f64 {
  %y = math.sqrt %x : f64
  %z = math.absf %y : f64
  return %z : f64
}

// CHECK-LABEL: func.func @wide_inside
// CHECK: arith.extf
// CHECK-NOT: math.log
// CHECK: arith.truncf
func.func @wide_inside(%x: f32) -> f32 {
  %y = math.log %x : f32
  return %y : f32
}

// -----

func.func @unknown(%x: f32) -> f32 {
  // expected-error @+1 {{no CPU code for 'math.atan' on 'f32'; exp, log, tanh, sin, cos, sqrt and rsqrt of f32 and f64 have some}}
  %y = math.atan %x : f32
  return %y : f32
}

// -----

func.func @half(%x: f16) -> f16 {
  // expected-error @+1 {{no CPU code for 'math.exp' on 'f16'}}
  %y = math.exp %x : f16
  return %y : f16
}
