// RUN: trainc-check %s --gradients --sharding | FileCheck %s
// CHECK: 1 functions, 0 failures

func.func @gelu(%x: tensor<6x5xf64> {check.min = -6.0 : f64, check.max = 6.0 : f64}) -> tensor<6x5xf64> {
  %y = train.gelu %x : tensor<6x5xf64>
  return %y : tensor<6x5xf64>
}
