// The functions of a step. Numbers are checked against finite differences and PyTorch elsewhere; here: what is built, from what.
// RUN: trainc-opt %s --differentiate --split-input-file | FileCheck %s

module attributes {train.micro_batch = 2 : i64, train.global_batch = 6 : i64, train.clip_norm = 1.0 : f64} {
  train.parameter @w : tensor<3xf32> init "normal"(0.0, 0.02) group "default"
  train.parameter @b : tensor<3xf32> init "constant"(1.0, 0.0) group "no_decay"
  train.optimizer "train.sgd" {weight_decay = 0.1 : f64} groups {no_decay = 0.0 : f64}
  func.func @learning_rate(%step: tensor<f32>) -> tensor<f32> {
    %rate = arith.constant dense<0.5> : tensor<f32>
    return %rate : tensor<f32>
  }
  func.func @loss(%x: tensor<2x3xi32> {train.input = {name = "x"}}, %sample: tensor<i64> {train.sample}, %w: tensor<3xf32> {train.state = ["w", "compute"]},
                  %b: tensor<3xf32> {train.state = ["b", "compute"]}, %seed: tensor<i64> {train.state = ["", "seed"]}) -> (tensor<f32>, tensor<f32>) {
    %f = arith.sitofp %x : tensor<2x3xi32> to tensor<2x3xf32>
    %ws = train.broadcast %w to [2, 3] dims [1] : tensor<3xf32>
    %bs = train.broadcast %b to [2, 3] dims [1] : tensor<3xf32>
    %y = arith.mulf %f, %ws : tensor<2x3xf32>
    %z = arith.addf %y, %bs : tensor<2x3xf32>
    %d = train.dropout %z rate 0.5 stream 7 samples 2 %seed, %seed, %sample : tensor<2x3xf32>
    %loss = train.reduce add %d dims [0, 1] : tensor<2x3xf32>
    %count = train.reduce add %f dims [0, 1] : tensor<2x3xf32>
    return %loss, %count : tensor<f32>, tensor<f32>
  }
}

// The initial state: counters, accumulators and moments are zero, parameters follow their initializers.
// CHECK-LABEL: func @init
// CHECK: train.random normal [3] stream {{[0-9]+}} samples 0
// CHECK: arith.constant dense<1.000000e+00> : tensor<3xf32>

// The count needs the input only: no parameter, no dropout.
// CHECK-LABEL: func @count
// CHECK-SAME: (%{{[^,]*}}: tensor<2x3xi32> {train.input = {name = "x"}}, %[[TOTAL:.*]]: tensor<f64> {train.state = ["", "count"]}) -> (tensor<f64> {train.state = ["", "count"]})
// CHECK: %[[COUNT:.*]] = train.reduce add
// CHECK: %[[WIDE:.*]] = arith.extf %[[COUNT]]
// CHECK: %[[NEW:.*]] = arith.addf %[[TOTAL]], %[[WIDE]]
// CHECK-NEXT: return %[[NEW]]

// The first sample is cursor + micro-batch * 2. The gradient of b is the sum of the masked seed over the batch, added to the accumulator.
// CHECK-LABEL: func @micro_batch
// CHECK-SAME: %[[CURSOR:[^:]*]]: tensor<i64> {train.state = ["", "cursor"]}, %[[MICRO:[^:]*]]: tensor<i64> {train.micro}
// CHECK-SAME: %[[DB:[^:]*]]: tensor<3xf32> {train.state = ["b", "gradient"]}
// CHECK: %[[SIZE:.*]] = arith.constant dense<2> : tensor<i64>
// CHECK: %[[OFFSET:.*]] = arith.muli %[[MICRO]], %[[SIZE]]
// CHECK: arith.addi %[[CURSOR]], %[[OFFSET]]
// CHECK: train.dropout
// CHECK: %[[EMPTY:.*]] = arith.cmpf oeq
// CHECK: arith.divf
// CHECK: %[[SEED:.*]] = arith.select %[[EMPTY]]
// CHECK: arith.truncf %[[SEED]]
// CHECK: %[[SUM:.*]] = train.reduce add %{{.*}} dims [0]
// CHECK: arith.addf %[[DB]],

// The norm is of all gradients; each group has its own weight decay; the step and the cursor advance.
// CHECK-LABEL: func @update
// CHECK: arith.constant dense<6> : tensor<i64>
// CHECK: math.sqrt
// CHECK: arith.minimumf
// CHECK: train.sgd {{.*}} weight_decay 1.000000e-01
// CHECK: train.sgd {{.*}} weight_decay 0.000000e+00
// CHECK-NOT: func @loss
// CHECK-NOT: func @learning_rate

// -----

// A module without a loss stays as it is.
// CHECK-LABEL: func @eval
// CHECK-NEXT: return
func.func @eval(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
