// One function for each way to violate a numbered constraint.
// RUN: trainc-opt %s --split-input-file --verify-diagnostics

func.func @broadcast_c1_too_few_dims(%x: tensor<6xf32>) {
  // expected-error @+1 {{(C1) expects dims to give an increasing dimension of shape [4, 6] for each dimension of 'tensor<6xf32>', got []}}
  %0 = train.broadcast %x to [4, 6] dims [] : tensor<6xf32>
  return
}

// -----

func.func @broadcast_c2_size(%x: tensor<5xf32>) {
  // expected-error @+1 {{(C2) cannot broadcast 'tensor<5xf32>' to shape [4, 6]: size 5 of dimension 0 is neither 1 nor 6}}
  %0 = train.broadcast %x to [4, 6] dims [1] : tensor<5xf32>
  return
}

// -----

func.func @reduce_c1_no_dims(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{(C1) expects one or more increasing dimensions of 'tensor<4x6xf32>', got []}}
  %0 = train.reduce add %x dims [] : tensor<4x6xf32>
  return
}

// -----

func.func @reduce_c1_out_of_range(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{(C1) expects one or more increasing dimensions of 'tensor<4x6xf32>', got [2]}}
  %0 = train.reduce add %x dims [2] : tensor<4x6xf32>
  return
}

// -----

func.func @reshape_c1_elements(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{(C1) cannot reshape 'tensor<4x6xf32>' of 24 elements to [5, 5] of 25}}
  %0 = train.reshape %x to [5, 5] : tensor<4x6xf32>
  return
}

// -----

func.func @contract_c1_syntax(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{(C1) expects a specification like "mk,kn->mn", got "mk;kn"}}
  %0 = train.contract "mk;kn" %x, %x : tensor<4x6xf32>, tensor<4x6xf32>
  return
}

// -----

func.func @contract_c1_repeated(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{(C1) expects a specification like "mk,kn->mn", got "mm,mn->mn"}}
  %0 = train.contract "mm,mn->mn" %x, %x : tensor<4x6xf32>, tensor<4x6xf32>
  return
}

// -----

func.func @contract_c2_rank(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{(C2) expects 3 dimensions for "bmk" of "bmk,kn->bmn", got 'tensor<4x6xf32>'}}
  %0 = train.contract "bmk,kn->bmn" %x, %x : tensor<4x6xf32>, tensor<4x6xf32>
  return
}

// -----

func.func @contract_c2_size(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{(C2) cannot contract 'tensor<4x6xf32>' with 'tensor<4x6xf32>' as "mk,kn->mn": 'k' is 6 and 4}}
  %0 = train.contract "mk,kn->mn" %x, %x : tensor<4x6xf32>, tensor<4x6xf32>
  return
}

// -----

func.func @contract_c2_element_type(%x: tensor<4x6xf32>, %y: tensor<6x4xf64>) {
  // expected-error @+1 {{(C2) cannot contract 'tensor<4x6xf32>' with 'tensor<6x4xf64>' of another element type}}
  %0 = train.contract "mk,kn->mn" %x, %y : tensor<4x6xf32>, tensor<6x4xf64>
  return
}

// -----

func.func @contract_c3_batch(%x: tensor<2x4x6xf32>) {
  // expected-error @+1 {{(C3) expects each letter in exactly two of the three tensors of "bmk,bnk->bmn"}}
  %0 = train.contract "bmk,bnk->bmn" %x, %x : tensor<2x4x6xf32>, tensor<2x4x6xf32>
  return
}

// -----

func.func @contract_c4_interleaved(%x: tensor<2x4x6xf32>, %y: tensor<4x5xf32>) {
  // expected-error @+1 {{(C4) "akb,kn->abn" is not one matrix product}}
  %0 = train.contract "akb,kn->abn" %x, %y : tensor<2x4x6xf32>, tensor<4x5xf32>
  return
}

// -----

func.func @contract_c5_accumulator(%x: tensor<4x6xf32>, %y: tensor<6x5xf32>, %a: tensor<4x6xf32>) {
  // expected-error @+1 {{(C5) expects an accumulator of 'tensor<4x5xf32>', got 'tensor<4x6xf32>'}}
  %0 = train.contract "mk,kn->mn" %x, %y plus %a : tensor<4x6xf32>, tensor<6x5xf32>, tensor<4x6xf32>
  return
}

// -----

func.func @embedding_c1(%x: tensor<4xf32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{(C1) expects a table of two dimensions, got 'tensor<4xf32>'}}
  %0 = train.embedding %x, %i : tensor<4xf32>, tensor<2xi32>
  return
}

// -----

func.func @embedding_backward_c1(%x: tensor<4x6xf32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{(C1) expects a cotangent of the shape of 'tensor<2xi32>' followed by the width, got 'tensor<4x6xf32>'}}
  %0 = train.embedding_backward %x, %i rows 3 : tensor<4x6xf32>, tensor<2xi32>
  return
}

// -----

func.func @embedding_backward_c2(%x: tensor<2x6xf32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{(C2) expects an accumulator of 'tensor<3x6xf32>', got 'tensor<2x6xf32>'}}
  %0 = train.embedding_backward %x, %i plus %x rows 3 : tensor<2x6xf32>, tensor<2xi32>, tensor<2x6xf32>
  return
}

// -----

func.func @attention_c1_types(%q: tensor<2x3x2x4xf32>, %k: tensor<2x3x1x4xf32>) {
  // expected-error @+1 {{(C1) expects query, key and value of one type}}
  %0, %1 = train.attention %q, %k, %k causal true scale 1.0 : tensor<2x3x2x4xf32>, tensor<2x3x1x4xf32>, tensor<2x3x1x4xf32>
  return
}

// -----

func.func @attention_c1_rank(%q: tensor<3x4xf32>) {
  // expected-error @+1 {{(C1) expects [batch, sequence, heads, width], got 'tensor<3x4xf32>'}}
  %0, %1 = train.attention %q, %q, %q causal true scale 1.0 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
  return
}

// -----

func.func @attention_backward_c1(%q: tensor<2x3x2x4xf32>, %k: tensor<2x3x1x4xf32>, %l: tensor<2x2x3xf32>) {
  // expected-error @+1 {{(C1) expects operands of one type}}
  %0, %1, %2 = train.attention_backward %q, %q, %q, %q, %l, %k causal true scale 1.0 : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x2x3xf32>, tensor<2x3x1x4xf32>
  return
}

// -----

func.func @attention_backward_c2(%q: tensor<2x3x2x4xf32>, %l: tensor<2x3x2xf32>) {
  // expected-error @+1 {{(C2) expects lse of 'tensor<2x2x3xf32>', got 'tensor<2x3x2xf32>'}}
  %0, %1, %2 = train.attention_backward %q, %q, %q, %q, %l, %q causal true scale 1.0 : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2x4xf32>
  return
}

// -----

func.func @cross_entropy_c1(%x: tensor<4x6xf32>, %t: tensor<6xi32>) {
  // expected-error @+1 {{(C1) expects targets of the shape of 'tensor<4x6xf32>' without its last dimension, got 'tensor<6xi32>'}}
  %0, %1 = train.cross_entropy %x, %t : tensor<4x6xf32>, tensor<6xi32>
  return
}

// -----

func.func @cross_entropy_backward_c1(%x: tensor<4x6xf32>, %t: tensor<4xi32>, %l: tensor<6xf32>) {
  // expected-error @+1 {{(C1) expects lse of the shape of 'tensor<4x6xf32>' without its last dimension, got 'tensor<6xf32>'}}
  %0 = train.cross_entropy_backward %x, %t, %l, %l : tensor<4x6xf32>, tensor<4xi32>, tensor<6xf32>, tensor<6xf32>
  return
}

// -----

func.func @layer_norm_c1(%x: tensor<4x6xf32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{(C1) expects weight and bias of the size of the last dimension of 'tensor<4x6xf32>', got 'tensor<4xf32>'}}
  %0 = train.layer_norm %x, %w, %w epsilon 1.0e-5 : tensor<4x6xf32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @layer_norm_c2(%x: tensor<4x6xf32>, %w: tensor<6xf32>) {
  // expected-error @+1 {{(C2) expects epsilon > 0, got 0}}
  %0 = train.layer_norm %x, %w, %w epsilon 0.0 : tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>
  return
}

// -----

func.func @random_c1(%c: tensor<i64>) {
  // expected-error @+1 {{(C1) expects samples to divide the first dimension of [4, 6], got 3}}
  %0 = train.random uniform [4, 6] stream 1 samples 3 %c, %c, %c : f32
  return
}

// -----

func.func @random_c2(%c: tensor<i64>) {
  // expected-error @+1 {{(C2) expects a stream of 32 bits, got -1}}
  %0 = train.random uniform [4, 6] stream -1 samples 4 %c, %c, %c : f32
  return
}

// -----

func.func @dropout_c1(%x: tensor<4x6xf32>, %c: tensor<i64>) {
  // expected-error @+1 {{(C1) expects 0 <= rate < 1, got 1}}
  %0 = train.dropout %x rate 1.0 stream 1 samples 4 %c, %c, %c : tensor<4x6xf32>
  return
}

// -----

func.func @dropout_c2(%x: tensor<4x6xf32>, %c: tensor<i64>) {
  // expected-error @+1 {{(C2) expects samples to divide the first dimension of 'tensor<4x6xf32>', got 3}}
  %0 = train.dropout %x rate 0.5 stream 1 samples 3 %c, %c, %c : tensor<4x6xf32>
  return
}

// -----

func.func @adamw_c1_gradient(%x: tensor<4xf32>, %g: tensor<5xf32>, %lr: tensor<f32>, %c: tensor<i64>) {
  // expected-error @+1 {{(C1) expects gradient and moments of the parameter's type 'tensor<4xf32>', got 'tensor<5xf32>'}}
  %0, %1, %2 = train.adamw %x, %g, %lr, %c, %x, %x beta1 0.9 beta2 0.95 epsilon 1.0e-8 weight_decay 0.1 : tensor<4xf32>, tensor<5xf32>, tensor<f32>, tensor<i64>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @adamw_c1_rate(%x: tensor<4xf32>, %g: tensor<4xf32>, %lr: tensor<f64>, %c: tensor<i64>) {
  // expected-error @+1 {{(C1) expects a learning rate of one 'f32', got 'tensor<f64>'}}
  %0, %1, %2 = train.adamw %x, %g, %lr, %c, %x, %x beta1 0.9 beta2 0.95 epsilon 1.0e-8 weight_decay 0.1 : tensor<4xf32>, tensor<4xf32>, tensor<f64>, tensor<i64>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @adamw_c2_beta(%x: tensor<4xf32>, %g: tensor<4xf32>, %lr: tensor<f32>, %c: tensor<i64>) {
  // expected-error @+1 {{(C2) expects 0 <= beta < 1, got 1}}
  %0, %1, %2 = train.adamw %x, %g, %lr, %c, %x, %x beta1 1.0 beta2 0.95 epsilon 1.0e-8 weight_decay 0.1 : tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i64>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @adamw_c2_epsilon(%x: tensor<4xf32>, %g: tensor<4xf32>, %lr: tensor<f32>, %c: tensor<i64>) {
  // expected-error @+1 {{(C2) expects epsilon > 0, got 0}}
  %0, %1, %2 = train.adamw %x, %g, %lr, %c, %x, %x beta1 0.9 beta2 0.95 epsilon 0.0 weight_decay 0.1 : tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i64>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @adamw_c2_decay(%x: tensor<4xf32>, %g: tensor<4xf32>, %lr: tensor<f32>, %c: tensor<i64>) {
  // expected-error @+1 {{(C2) expects weight_decay >= 0}}
  %0, %1, %2 = train.adamw %x, %g, %lr, %c, %x, %x beta1 0.9 beta2 0.95 epsilon 1.0e-8 weight_decay -0.1 : tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i64>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @sgd_c1(%x: tensor<4xf32>, %g: tensor<5xf32>, %lr: tensor<f32>, %c: tensor<i64>) {
  // expected-error @+1 {{(C1) expects a gradient of the parameter's type 'tensor<4xf32>', got 'tensor<5xf32>'}}
  %0 = train.sgd %x, %g, %lr, %c weight_decay 0.0 : tensor<4xf32>, tensor<5xf32>, tensor<f32>, tensor<i64>
  return
}

// -----

func.func @sgd_c2(%x: tensor<4xf32>, %lr: tensor<f32>, %c: tensor<i64>) {
  // expected-error @+1 {{(C2) expects weight_decay >= 0}}
  %0 = train.sgd %x, %x, %lr, %c weight_decay -1.0 : tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i64>
  return
}

// -----

// expected-error @+1 {{(C1) expects the initializer constant, normal or uniform, got cauchy}}
train.parameter @w : tensor<4xf32> init "cauchy"(0.0, 1.0) group "default"

// -----

// expected-error @+1 {{(C1) expects the name of an optimizer op, got "train.gelu"}}
train.optimizer "train.gelu" {} groups {}

// -----

// expected-error @+1 {{(C2) expects a weight decay for group "a", got 1 : i64}}
train.optimizer "train.sgd" {weight_decay = 0.1 : f64} groups {a = 1 : i64}
