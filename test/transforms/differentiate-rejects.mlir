// A module that is no recorded model is named, not crashed on.
// RUN: trainc-opt %s -differentiate --split-input-file --verify-diagnostics

// expected-error @+1 {{expects a function @loss of one block with scalar float results loss_sum and count}}
module {
  func.func @loss(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) {
    %c = arith.constant dense<1.0> : tensor<f32>
    return %x, %c : tensor<4xf32>, tensor<f32>
  }
}

// -----

// expected-error @+1 {{expects a function @learning_rate of one block from a scalar float to a scalar float}}
module {
  func.func @learning_rate() -> tensor<f32> {
    %c = arith.constant dense<1.0> : tensor<f32>
    return %c : tensor<f32>
  }
  func.func @loss() -> (tensor<f32>, tensor<f32>) {
    %c = arith.constant dense<1.0> : tensor<f32>
    return %c, %c : tensor<f32>, tensor<f32>
  }
}

// -----

// expected-error @+1 {{expects a train.optimizer}}
module attributes {train.micro_batch = 2 : i64, train.global_batch = 3 : i64} {
  func.func @learning_rate(%s: tensor<f32>) -> tensor<f32> {
    return %s : tensor<f32>
  }
  func.func @loss() -> (tensor<f32>, tensor<f32>) {
    %c = arith.constant dense<1.0> : tensor<f32>
    return %c, %c : tensor<f32>, tensor<f32>
  }
}

// -----

// expected-error @+1 {{expects train.micro_batch to divide train.global_batch, got 2 and 3}}
module attributes {train.micro_batch = 2 : i64, train.global_batch = 3 : i64} {
  train.optimizer "train.sgd" {weight_decay = 0.0 : f64} groups {}
  func.func @learning_rate(%s: tensor<f32>) -> tensor<f32> {
    return %s : tensor<f32>
  }
  func.func @loss() -> (tensor<f32>, tensor<f32>) {
    %c = arith.constant dense<1.0> : tensor<f32>
    return %c, %c : tensor<f32>, tensor<f32>
  }
}
