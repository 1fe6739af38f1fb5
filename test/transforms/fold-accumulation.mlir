// RUN: trainc-opt %s --pass-pipeline='builtin.module(func.func(fold-accumulation))' | FileCheck %s

// CHECK-LABEL: func @accumulator_of_the_state
// CHECK-SAME: (%[[A:.*]]: tensor<4x6xf32>, %[[B:.*]]: tensor<6x8xf32>, %[[TOTAL:.*]]: tensor<4x8xf32>
// CHECK-NEXT: %[[SUM:.*]] = train.contract "mk,kn->mn" %[[A]], %[[B]] plus %[[TOTAL]]
// CHECK-NEXT: return %[[SUM]]
func.func @accumulator_of_the_state(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %total: tensor<4x8xf32> {train.state = ["w", "gradient"]})
    -> (tensor<4x8xf32> {train.state = ["w", "gradient"]}) {
  %d = train.contract "mk,kn->mn" %a, %b : tensor<4x6xf32>, tensor<6x8xf32>
  %s = arith.addf %total, %d : tensor<4x8xf32>
  return %s : tensor<4x8xf32>
}

// Its bytes may not be written.
// CHECK-LABEL: func @argument_that_stays
// CHECK: train.contract "mk,kn->mn" %{{.*}}, %{{.*}} : tensor<4x6xf32>, tensor<6x8xf32>
// CHECK-NEXT: arith.addf
func.func @argument_that_stays(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %d = train.contract "mk,kn->mn" %a, %b : tensor<4x6xf32>, tensor<6x8xf32>
  %s = arith.addf %c, %d : tensor<4x8xf32>
  return %s : tensor<4x8xf32>
}

// CHECK-LABEL: func @accumulator_with_another_use
// CHECK: train.contract "mk,kn->mn" %{{.*}}, %{{.*}} : tensor<4x6xf32>, tensor<6x8xf32>
// CHECK-NEXT: arith.addf
func.func @accumulator_with_another_use(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %total: tensor<4x8xf32> {train.state = ["w", "gradient"]})
    -> (tensor<4x8xf32> {train.state = ["w", "gradient"]}, tensor<4x8xf32>) {
  %d = train.contract "mk,kn->mn" %a, %b : tensor<4x6xf32>, tensor<6x8xf32>
  %s = arith.addf %total, %d : tensor<4x8xf32>
  %n = arith.negf %total : tensor<4x8xf32>
  return %s, %n : tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: func @product_with_another_use
// CHECK: train.contract "mk,kn->mn" %{{.*}}, %{{.*}} : tensor<4x6xf32>, tensor<6x8xf32>
// CHECK-NEXT: arith.addf
func.func @product_with_another_use(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %total: tensor<4x8xf32> {train.state = ["w", "gradient"]})
    -> (tensor<4x8xf32> {train.state = ["w", "gradient"]}, tensor<4x8xf32>) {
  %d = train.contract "mk,kn->mn" %a, %b : tensor<4x6xf32>, tensor<6x8xf32>
  %s = arith.addf %total, %d : tensor<4x8xf32>
  return %s, %d : tensor<4x8xf32>, tensor<4x8xf32>
}

// The second product adds to the first.
// CHECK-LABEL: func @sum_of_two_products
// CHECK: %[[FIRST:.*]] = train.contract "mk,kn->mn" %{{.*}}, %{{.*}} : tensor<4x6xf32>, tensor<6x8xf32>
// CHECK-NEXT: %[[SUM:.*]] = train.contract "mk,kn->mn" %{{.*}}, %{{.*}} plus %[[FIRST]]
// CHECK-NEXT: return %[[SUM]]
func.func @sum_of_two_products(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<6x8xf32>) -> tensor<4x8xf32> {
  %d = train.contract "mk,kn->mn" %a, %b : tensor<4x6xf32>, tensor<6x8xf32>
  %e = train.contract "mk,kn->mn" %a, %c : tensor<4x6xf32>, tensor<6x8xf32>
  %s = arith.addf %d, %e : tensor<4x8xf32>
  return %s : tensor<4x8xf32>
}

// A gradient with two parts, as that of a tied embedding: the accumulator goes to the start of the chain.
// CHECK-LABEL: func @chain_onto_the_state
// CHECK-SAME: %[[TOTAL:[a-z0-9]*]]: tensor<4x8xf32> {train.state
// CHECK-NEXT: %[[FIRST:.*]] = train.contract "mk,kn->mn" %{{.*}}, %{{.*}} plus %[[TOTAL]]
// CHECK-NEXT: %[[SUM:.*]] = train.contract "mk,kn->mn" %{{.*}}, %{{.*}} plus %[[FIRST]]
// CHECK-NEXT: return %[[SUM]]
func.func @chain_onto_the_state(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %total: tensor<4x8xf32> {train.state = ["w", "gradient"]})
    -> (tensor<4x8xf32> {train.state = ["w", "gradient"]}) {
  %d = train.contract "mk,kn->mn" %a, %b : tensor<4x6xf32>, tensor<6x8xf32>
  %e = train.contract "mk,kn->mn" %a, %b plus %d : tensor<4x6xf32>, tensor<6x8xf32>, tensor<4x8xf32>
  %s = arith.addf %total, %e : tensor<4x8xf32>
  return %s : tensor<4x8xf32>
}

// An elementwise value would have to be stored to be added to.
// CHECK-LABEL: func @elementwise_accumulator
// CHECK: train.contract "mk,kn->mn" %{{.*}}, %{{.*}} : tensor<4x6xf32>, tensor<6x8xf32>
// CHECK-NEXT: arith.addf
func.func @elementwise_accumulator(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = arith.negf %c : tensor<4x8xf32>
  %d = train.contract "mk,kn->mn" %a, %b : tensor<4x6xf32>, tensor<6x8xf32>
  %s = arith.addf %n, %d : tensor<4x8xf32>
  return %s : tensor<4x8xf32>
}

// CHECK-LABEL: func @embedding_gradient
// CHECK: train.embedding_backward %{{.*}}, %{{.*}} plus %{{.*}} rows 8
// CHECK-NEXT: return
func.func @embedding_gradient(%dy: tensor<4x6xf32>, %ids: tensor<4xi32>, %total: tensor<8x6xf32> {train.state = ["wte", "gradient"]})
    -> (tensor<8x6xf32> {train.state = ["wte", "gradient"]}) {
  %d = train.embedding_backward %dy, %ids rows 8 : tensor<4x6xf32>, tensor<4xi32>
  %s = arith.addf %total, %d : tensor<8x6xf32>
  return %s : tensor<8x6xf32>
}
