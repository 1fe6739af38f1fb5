// What composite ops become is checked by numbers in test/dialects/Train; here: what is decomposed, and how far.
// RUN: trainc-opt %s --pass-pipeline='builtin.module(func.func(decompose))' | FileCheck %s

// A sum over everything becomes one over the last dimension and one of the rest, which is split again.
// CHECK-LABEL: func @whole_sum
// CHECK-SAME: (%[[X:.*]]: tensor<4x6x8xf32>)
// CHECK-NEXT: %[[ROWS:.*]] = train.reduce add %[[X]] dims [2]
// CHECK-NEXT: %[[REST:.*]] = train.reduce add %[[ROWS]] dims [1]
// CHECK-NEXT: %[[SUM:.*]] = train.reduce add %[[REST]] dims [0]
// CHECK-NEXT: return %[[SUM]]
func.func @whole_sum(%x: tensor<4x6x8xf32>) -> tensor<f32> {
  %s = train.reduce add %x dims [0, 1, 2] : tensor<4x6x8xf32>
  return %s : tensor<f32>
}

// A maximum is split alike: its second half is a maximum.
// CHECK-LABEL: func @whole_maximum
// CHECK: train.reduce max %{{.*}} dims [1]
// CHECK-NEXT: train.reduce max %{{.*}} dims [0]
// CHECK-NEXT: return
func.func @whole_maximum(%x: tensor<4x6xf32>) -> tensor<f32> {
  %s = train.reduce max %x dims [0, 1] : tensor<4x6xf32>
  return %s : tensor<f32>
}

// CHECK-LABEL: func @sum_of_a_vector_stays
// CHECK-NEXT: train.reduce add %{{.*}} dims [0]
// CHECK-NEXT: return
func.func @sum_of_a_vector_stays(%x: tensor<6xf32>) -> tensor<f32> {
  %s = train.reduce add %x dims [0] : tensor<6xf32>
  return %s : tensor<f32>
}

// CHECK-LABEL: func @partial_sum_stays
// CHECK-NEXT: train.reduce add %{{.*}} dims [0, 2]
// CHECK-NEXT: return
func.func @partial_sum_stays(%x: tensor<4x6x8xf32>) -> tensor<6xf32> {
  %s = train.reduce add %x dims [0, 2] : tensor<4x6x8xf32>
  return %s : tensor<6xf32>
}

// Dropout is built from random numbers; nothing composite is left.
// CHECK-LABEL: func @composite_ops_disappear
// CHECK-NOT: train.{{dropout|gelu|layer_norm|sgd}}
// CHECK: train.random uniform
// CHECK-NOT: train.{{dropout|gelu|layer_norm|sgd}}
// CHECK: return
func.func @composite_ops_disappear(%x: tensor<4x6xf32>, %w: tensor<6xf32>, %seed: tensor<i64>, %rate: tensor<f32>) -> tensor<4x6xf32> {
  %n = train.layer_norm %x, %w, %w epsilon 1.0e-5 : tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>
  %g = train.gelu %n : tensor<4x6xf32>
  %d = train.dropout %g rate 0.5 stream 1 samples 4 %seed, %seed, %seed : tensor<4x6xf32>
  %p = train.sgd %x, %d, %rate, %seed weight_decay 0.0 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>, tensor<i64>
  return %p : tensor<4x6xf32>
}

// CHECK-LABEL: func @library_calls_stay
// CHECK-NEXT: train.contract
// CHECK-NEXT: train.cross_entropy
// CHECK-NEXT: return
func.func @library_calls_stay(%x: tensor<4x6xf32>, %w: tensor<6x8xf32>, %t: tensor<4xi32>) -> tensor<4xf32> {
  %y = train.contract "mk,kn->mn" %x, %w : tensor<4x6xf32>, tensor<6x8xf32>
  %loss, %lse = train.cross_entropy %y, %t : tensor<4x8xf32>, tensor<4xi32>
  return %loss : tensor<4xf32>
}
