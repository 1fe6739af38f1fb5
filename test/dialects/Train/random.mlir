// Random numbers over so many elements that the ends of the uniform distribution occur: the largest of 2^26 numbers of 23 bits
// is the largest there is, and must not round to 1, where the normal distribution ends at infinity.
// RUN: trainc-check %s --values | FileCheck %s

// CHECK: @uniform result 0: min 9.999999e-01, max 9.999999e-01
// CHECK: @uniform result 1: min -5.960464e-08, max -5.960464e-08
// CHECK: @uniform result 2: min 3.355{{[0-9]+}}e+07
func.func @uniform(%seed: tensor<i64> {check.bound = 1000 : i64}, %step: tensor<i64>, %sample: tensor<i64>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %u = train.random uniform [65536, 1024] stream 5 samples 0 %seed, %step, %sample : f32
  %n = arith.negf %u : tensor<65536x1024xf32>
  %max = train.reduce max %u dims [0, 1] : tensor<65536x1024xf32>
  %min = train.reduce max %n dims [0, 1] : tensor<65536x1024xf32>
  %sum = train.reduce add %u dims [0, 1] : tensor<65536x1024xf32>
  return %max, %min, %sum : tensor<f32>, tensor<f32>, tensor<f32>
}

// The standard normal distribution at 1 - 2^-24 is 5.29.
// CHECK: @normal result 0: min 5.2{{[0-9]+}}e+00
// CHECK: @normal result 1: min 5.2{{[0-9]+}}e+00
// CHECK: @normal result 2: min 6.7{{[0-9]+}}e+07
func.func @normal(%seed: tensor<i64> {check.bound = 1000 : i64}, %step: tensor<i64>, %sample: tensor<i64>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %x = train.random normal [65536, 1024] stream 5 samples 0 %seed, %step, %sample : f32
  %n = arith.negf %x : tensor<65536x1024xf32>
  %max = train.reduce max %x dims [0, 1] : tensor<65536x1024xf32>
  %min = train.reduce max %n dims [0, 1] : tensor<65536x1024xf32>
  %square = arith.mulf %x, %x : tensor<65536x1024xf32>
  %sum = train.reduce add %square dims [0, 1] : tensor<65536x1024xf32>
  return %max, %min, %sum : tensor<f32>, tensor<f32>, tensor<f32>
}
