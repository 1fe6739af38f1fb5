// RUN: trainc-opt %s --differentiate --split-input-file --verify-diagnostics

// expected-error @below {{expects the attributes train.micro_batch and train.global_batch}}
module {
  train.optimizer "train.sgd" {weight_decay = 0.1 : f64} groups {}
  func.func @learning_rate(%step: tensor<f32>) -> tensor<f32> {
    return %step : tensor<f32>
  }
  func.func @loss() -> (tensor<f32>, tensor<f32>) {
    %l = arith.constant dense<0.0> : tensor<f32>
    return %l, %l : tensor<f32>, tensor<f32>
  }
}

// -----

module attributes {train.micro_batch = 2 : i64, train.global_batch = 2 : i64} {
  train.parameter @w : tensor<f32> init "normal"(0.0, 0.02) group "default"
  train.optimizer "train.sgd" {weight_decay = 0.1 : f64} groups {}
  func.func @learning_rate(%step: tensor<f32>) -> tensor<f32> {
    return %step : tensor<f32>
  }
  func.func @loss(%w: tensor<f32> {train.state = ["w", "compute"]}) -> (tensor<f32>, tensor<f32>) {
    // expected-error @below {{cannot differentiate 'math.floor': it has no gradient, but the loss depends on a parameter through it}}
    %l = math.floor %w : tensor<f32>
    return %l, %l : tensor<f32>, tensor<f32>
  }
}

// -----

// No error: the parameter that does not take part keeps a gradient of zero.
module attributes {train.micro_batch = 2 : i64, train.global_batch = 2 : i64} {
  // expected-warning @below {{parameter 'w' does not take part in the loss: its gradient is zero}}
  train.parameter @w : tensor<f32> init "normal"(0.0, 0.02) group "default"
  train.optimizer "train.sgd" {weight_decay = 0.1 : f64} groups {}
  func.func @learning_rate(%step: tensor<f32>) -> tensor<f32> {
    return %step : tensor<f32>
  }
  func.func @loss(%x: tensor<i32> {train.input = {name = "x"}}) -> (tensor<f32>, tensor<f32>) {
    %l = arith.sitofp %x : tensor<i32> to tensor<f32>
    return %l, %l : tensor<f32>, tensor<f32>
  }
}
