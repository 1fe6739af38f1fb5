// RUN: trainc-check %s --gradients | FileCheck %s
// CHECK: 1 functions, 0 failures

// A mask computed from the values: nothing flows through the comparison.
func.func @mask(%x: tensor<4x6xf64>) -> tensor<4x6xf64> {
  %zero = arith.constant dense<0.0> : tensor<4x6xf64>
  %c = arith.cmpf ogt, %x, %zero : tensor<4x6xf64>
  %m = arith.uitofp %c : tensor<4x6xi1> to tensor<4x6xf64>
  %y = arith.mulf %x, %m : tensor<4x6xf64>
  return %y : tensor<4x6xf64>
}
