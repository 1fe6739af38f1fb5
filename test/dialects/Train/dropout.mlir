// RUN: trainc-check %s --gradients | FileCheck %s
// CHECK: 2 functions, 0 failures

func.func @dropout(%x: tensor<4x6xf64>, %seed: tensor<i64> {check.bound = 1000 : i64}, %step: tensor<i64>, %sample: tensor<i64>) -> tensor<4x6xf64> {
  %y = train.dropout %x rate 0.4 stream 3 samples 4 %seed, %step, %sample : tensor<4x6xf64>
  return %y : tensor<4x6xf64>
}

func.func @none(%x: tensor<4x6xf64>, %seed: tensor<i64>, %step: tensor<i64>, %sample: tensor<i64>) -> tensor<4x6xf64> {
  %y = train.dropout %x rate 0.0 stream 3 samples 0 %seed, %step, %sample : tensor<4x6xf64>
  return %y : tensor<4x6xf64>
}
