// The models attached to arith and math.
// RUN: trainc-check %s --gradients --sharding | FileCheck %s
// CHECK: 9 functions, 0 failures

func.func @arithmetic(%x: tensor<4x6xf64>, %y: tensor<4x6xf64> {check.min = 0.5 : f64, check.max = 2.0 : f64}) -> (tensor<4x6xf64>, tensor<4x6xf64>, tensor<4x6xf64>, tensor<4x6xf64>, tensor<4x6xf64>) {
  %a = arith.addf %x, %y : tensor<4x6xf64>
  %s = arith.subf %x, %y : tensor<4x6xf64>
  %m = arith.mulf %x, %y : tensor<4x6xf64>
  %d = arith.divf %x, %y : tensor<4x6xf64>
  %n = arith.negf %x : tensor<4x6xf64>
  return %a, %s, %m, %d, %n : tensor<4x6xf64>, tensor<4x6xf64>, tensor<4x6xf64>, tensor<4x6xf64>, tensor<4x6xf64>
}
func.func @extrema(%x: tensor<4x6xf64>, %y: tensor<4x6xf64>) -> (tensor<4x6xf64>, tensor<4x6xf64>) {
  %a = arith.maximumf %x, %y : tensor<4x6xf64>
  %b = arith.minimumf %x, %y : tensor<4x6xf64>
  return %a, %b : tensor<4x6xf64>, tensor<4x6xf64>
}
func.func @select(%c: tensor<4x6xi1> {check.bound = 2 : i64}, %x: tensor<4x6xf64>, %y: tensor<4x6xf64>) -> tensor<4x6xf64> {
  %a = arith.select %c, %x, %y : tensor<4x6xi1>, tensor<4x6xf64>
  return %a : tensor<4x6xf64>
}
func.func @exp(%x: tensor<4x6xf64>) -> tensor<4x6xf64> {
  %a = math.exp %x : tensor<4x6xf64>
  return %a : tensor<4x6xf64>
}
func.func @log_and_roots(%x: tensor<4x6xf64> {check.min = 0.2 : f64, check.max = 3.0 : f64}) -> (tensor<4x6xf64>, tensor<4x6xf64>, tensor<4x6xf64>) {
  %a = math.log %x : tensor<4x6xf64>
  %b = math.sqrt %x : tensor<4x6xf64>
  %c = math.rsqrt %x : tensor<4x6xf64>
  return %a, %b, %c : tensor<4x6xf64>, tensor<4x6xf64>, tensor<4x6xf64>
}
func.func @tanh(%x: tensor<4x6xf64> {check.min = -3.0 : f64, check.max = 3.0 : f64}) -> tensor<4x6xf64> {
  %a = math.tanh %x : tensor<4x6xf64>
  return %a : tensor<4x6xf64>
}
func.func @sine(%x: tensor<4x6xf64> {check.min = -9.0 : f64, check.max = 9.0 : f64}) -> (tensor<4x6xf64>, tensor<4x6xf64>) {
  %a = math.sin %x : tensor<4x6xf64>
  %b = math.cos %x : tensor<4x6xf64>
  return %a, %b : tensor<4x6xf64>, tensor<4x6xf64>
}
func.func @abs(%x: tensor<4x6xf64>) -> tensor<4x6xf64> {
  %a = math.absf %x : tensor<4x6xf64>
  return %a : tensor<4x6xf64>
}
// A chain whose value is used twice: cotangents add up.
func.func @reused(%x: tensor<4x6xf64>) -> tensor<4x6xf64> {
  %a = math.exp %x : tensor<4x6xf64>
  %b = arith.mulf %a, %x : tensor<4x6xf64>
  %c = arith.addf %b, %a : tensor<4x6xf64>
  return %c : tensor<4x6xf64>
}
