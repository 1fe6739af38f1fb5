// Which ops share a kernel, which values are stored, and that only launches, calls and reshapes are left.
// RUN: trainc-opt %s --fuse-kernels --split-input-file --mlir-print-local-scope | FileCheck %s

// Elementwise ops of one shape are one kernel over all elements.
// CHECK: kernel.func @k0({{.*}}) outer [] inner 24
// CHECK: arith.addf
// CHECK-NEXT: math.exp
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: kernel.store
// CHECK-NOT: kernel.func
// CHECK-LABEL: func @chain
// CHECK-NEXT: plan.launch @k0
// CHECK-NEXT: return
func.func @chain(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %a = arith.addf %x, %y : tensor<4x6xf32>
  %b = math.exp %a : tensor<4x6xf32>
  %c = arith.mulf %b, %y : tensor<4x6xf32>
  return %c : tensor<4x6xf32>
}

// -----

// Softmax: two reductions over rows, and what uses them, in one kernel.
// CHECK: kernel.func @k0({{.*}}) outer [4] inner 6
// CHECK: kernel.reduce max
// CHECK: kernel.reduce add
// CHECK: arith.divf
// CHECK-NOT: kernel.func
// CHECK-LABEL: func @row_reductions
func.func @row_reductions(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %s = train.reduce max %x dims [1] : tensor<4x6xf32>
  %b = train.broadcast %s to [4, 6] dims [0] : tensor<4xf32>
  %c = arith.subf %x, %b : tensor<4x6xf32>
  %e = math.exp %c : tensor<4x6xf32>
  %t = train.reduce add %e dims [1] : tensor<4x6xf32>
  %u = train.broadcast %t to [4, 6] dims [0] : tensor<4xf32>
  %d = arith.divf %e, %u : tensor<4x6xf32>
  return %d : tensor<4x6xf32>
}

// -----

// A reduction over columns stays alone and computes its operand again: walking down columns would not suit the rest.
// CHECK: kernel.func @k0({{.*}}) outer [] inner 24
// CHECK: arith.mulf
// CHECK: math.exp
// CHECK: kernel.func @k1({{.*}}) outer [6] inner 4
// CHECK: arith.mulf
// CHECK-NEXT: kernel.reduce add
// CHECK-NOT: math.exp
// CHECK-LABEL: func @column_reduction
// CHECK-DAG: plan.launch @k0
// CHECK-DAG: plan.launch @k1
// CHECK: return
func.func @column_reduction(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> (tensor<6xf32>, tensor<4x6xf32>) {
  %p = arith.mulf %x, %y : tensor<4x6xf32>
  %s = train.reduce add %p dims [0] : tensor<4x6xf32>
  %e = math.exp %p : tensor<4x6xf32>
  return %s, %e : tensor<6xf32>, tensor<4x6xf32>
}

// -----

// Two users of one broadcast have nothing else in common.
// CHECK-LABEL: func @broadcast_is_no_glue
// CHECK-SAME: (%[[B:[^:]*]]: tensor<6xf32>
// CHECK-NEXT: plan.launch @k0(%{{.*}}, %[[B]])
// CHECK-NEXT: plan.launch @k1(%{{.*}}, %[[B]])
func.func @broadcast_is_no_glue(%b: tensor<6xf32>, %x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %s = train.broadcast %b to [4, 6] dims [1] : tensor<6xf32>
  %c = arith.addf %x, %s : tensor<4x6xf32>
  %d = arith.mulf %y, %s : tensor<4x6xf32>
  return %c, %d : tensor<4x6xf32>, tensor<4x6xf32>
}

// -----

// x * x is needed before and after the call: both kernels compute it, none stores it.
// CHECK: kernel.func @k0(%{{[^:]*}}: memref<24xf32>, %{{[^:]*}}: memref<24xf32>) outer
// CHECK-LABEL: func @cheap_values_are_computed_again
// CHECK-SAME: (%[[X:[^:]*]]: tensor<4x6xf32>
// CHECK-NEXT: plan.launch @k0(%[[X]]) in_place [] : (tensor<4x6xf32>) -> tensor<4x6xf32>
// CHECK-NEXT: %[[PRODUCT:.*]] = train.contract
// CHECK-NEXT: plan.launch @k1(%[[PRODUCT]], %[[X]])
func.func @cheap_values_are_computed_again(%x: tensor<4x6xf32>, %w: tensor<6x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %e = arith.mulf %x, %x : tensor<4x6xf32>
  %f = arith.addf %e, %x : tensor<4x6xf32>
  %c = train.contract "mk,kn->mn" %f, %w : tensor<4x6xf32>, tensor<6x6xf32>
  %g = arith.mulf %c, %e : tensor<4x6xf32>
  return %f, %g : tensor<4x6xf32>, tensor<4x6xf32>
}

// -----

// Three exponentials are dearer than reading the value back.
// CHECK-LABEL: func @dear_values_are_stored
// CHECK-SAME: (%[[X:[^:]*]]: tensor<4x6xf32>
// CHECK-NEXT: %[[BOTH:.*]]:2 = plan.launch @k0(%[[X]])
// CHECK-NEXT: %[[PRODUCT:.*]] = train.contract "mk,kn->mn" %[[BOTH]]#1
// CHECK-NEXT: plan.launch @k1(%[[PRODUCT]], %[[BOTH]]#0)
func.func @dear_values_are_stored(%x: tensor<4x6xf32>, %w: tensor<6x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %e0 = math.exp %x : tensor<4x6xf32>
  %e1 = math.exp %e0 : tensor<4x6xf32>
  %e = math.exp %e1 : tensor<4x6xf32>
  %f = arith.addf %e, %x : tensor<4x6xf32>
  %c = train.contract "mk,kn->mn" %f, %w : tensor<4x6xf32>, tensor<6x6xf32>
  %g = arith.mulf %c, %e : tensor<4x6xf32>
  return %f, %g : tensor<4x6xf32>, tensor<4x6xf32>
}

// -----

// Reading two tensors to compute x * y again is dearer than reading x * y.
// CHECK-LABEL: func @values_of_two_tensors_are_stored
// CHECK: %[[BOTH:.*]]:2 = plan.launch @k0(
// CHECK-NEXT: %[[PRODUCT:.*]] = train.contract "mk,kn->mn" %[[BOTH]]#1
// CHECK-NEXT: plan.launch @k1(%[[PRODUCT]], %[[BOTH]]#0)
func.func @values_of_two_tensors_are_stored(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>, %w: tensor<6x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %e = arith.mulf %x, %y : tensor<4x6xf32>
  %f = arith.addf %e, %x : tensor<4x6xf32>
  %c = train.contract "mk,kn->mn" %f, %w : tensor<4x6xf32>, tensor<6x6xf32>
  %g = arith.mulf %c, %e : tensor<4x6xf32>
  return %f, %g : tensor<4x6xf32>, tensor<4x6xf32>
}

// -----

// Constants are built into kernels; one that is returned gets bytes.
// CHECK: kernel.func @k0
// CHECK: %[[TWO:.*]] = arith.constant 2.0
// CHECK: arith.addf %{{.*}}, %[[TWO]]
// CHECK: kernel.func @k1(%{{[^:]*}}: memref<4xf32>) outer
// CHECK-LABEL: func @constants
// CHECK-NEXT: plan.launch @k0
// CHECK-NEXT: plan.launch @k1() in_place [] : () -> tensor<4xf32>
// CHECK-NEXT: return
func.func @constants(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4xf32>) {
  %k = arith.constant dense<2.0> : tensor<4x6xf32>
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %f = arith.addf %x, %k : tensor<4x6xf32>
  return %f, %z : tensor<4x6xf32>, tensor<4xf32>
}

// -----

// Two results never share bytes, with each other or with an argument.
// CHECK-LABEL: func @repeated_returns
// CHECK-SAME: (%[[X:[^:]*]]: tensor<4x6xf32>
// CHECK-NEXT: %[[F:.*]]:2 = plan.launch @{{.*}}(%[[X]])
// CHECK-NEXT: %[[COPY:.*]] = plan.launch @{{.*}}(%[[X]])
// CHECK-NEXT: return %[[F]]#0, %[[F]]#1, %[[COPY]]
func.func @repeated_returns(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %f = arith.negf %x : tensor<4x6xf32>
  return %f, %f, %x : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}

// -----

// The shapes differ, the kernels do not: all elements of 24.
// CHECK: kernel.func @k0
// CHECK-NOT: kernel.func
// CHECK-LABEL: func @equal_kernels_are_merged
// CHECK-NEXT: plan.launch @k0({{.*}}) in_place [] : (tensor<4x6xf32>)
// CHECK-NEXT: plan.launch @k0({{.*}}) in_place [] : (tensor<24xf32>)
func.func @equal_kernels_are_merged(%x: tensor<4x6xf32>, %y: tensor<24xf32>) -> (tensor<4x6xf32>, tensor<24xf32>) {
  %f = math.exp %x : tensor<4x6xf32>
  %g = math.exp %y : tensor<24xf32>
  return %f, %g : tensor<4x6xf32>, tensor<24xf32>
}

// -----

// CHECK-LABEL: func @state_in_place
// CHECK-SAME: (%[[W:[^:]*]]: tensor<4x6xf32>
// CHECK-NEXT: plan.launch @k0(%[[W]], %{{.*}}) in_place [0, 0]
func.func @state_in_place(%w: tensor<4x6xf32> {train.state = ["w", "compute"]}, %g: tensor<4x6xf32>)
    -> (tensor<4x6xf32> {train.state = ["w", "compute"]}) {
  %f = arith.subf %w, %g : tensor<4x6xf32>
  return %f : tensor<4x6xf32>
}

// -----

// An argument that keeps its value is not written.
// CHECK-LABEL: func @argument_keeps_its_value
// CHECK-NEXT: plan.launch @k0({{.*}}) in_place []
func.func @argument_keeps_its_value(%w: tensor<4x6xf32> {train.state = ["w", "compute"]}) -> tensor<4x6xf32> {
  %f = math.exp %w : tensor<4x6xf32>
  return %f : tensor<4x6xf32>
}

// -----

// w = x w: each element is read by all points, so the new value is complete before it is written back.
// CHECK-LABEL: func @not_in_place_across_elements
// CHECK-SAME: (%[[W:[^:]*]]: tensor<4xf32>
// CHECK-NEXT: %[[NEW:.*]] = plan.launch @k0(%[[W]], %{{.*}}) in_place []
// CHECK-NEXT: plan.launch @k1(%[[NEW]]) in_place []
func.func @not_in_place_across_elements(%w: tensor<4xf32> {train.state = ["w", "compute"]}, %x: tensor<4x4xf32>)
    -> (tensor<4xf32> {train.state = ["w", "compute"]}) {
  %b = train.broadcast %w to [4, 4] dims [1] : tensor<4xf32>
  %m = arith.mulf %b, %x : tensor<4x4xf32>
  %s = train.reduce add %m dims [1] : tensor<4x4xf32>
  return %s : tensor<4xf32>
}

// -----

// The call reads the old value after the new one is ready: the new one waits in bytes of its own and is copied last.
// CHECK-LABEL: func @state_that_is_read_later
// CHECK-SAME: (%[[W:[^:]*]]: tensor<4x4xf32>
// CHECK-NEXT: %[[NEW:.*]] = plan.launch @k0(%[[W]], %{{.*}}) in_place []
// CHECK-NEXT: %[[PRODUCT:.*]] = train.contract "mk,kn->mn" %[[NEW]], %[[W]]
// CHECK-NEXT: %[[COPY:.*]] = plan.launch @k1(%[[NEW]]) in_place []
// CHECK-NEXT: return %[[COPY]], %[[PRODUCT]]
func.func @state_that_is_read_later(%w: tensor<4x4xf32> {train.state = ["w", "compute"]}, %g: tensor<4x4xf32>)
    -> (tensor<4x4xf32> {train.state = ["w", "compute"]}, tensor<4x4xf32>) {
  %f = arith.subf %w, %g : tensor<4x4xf32>
  %c = train.contract "mk,kn->mn" %f, %w : tensor<4x4xf32>, tensor<4x4xf32>
  return %f, %c : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// The call may not add onto w, whose new value is another.
// CHECK-LABEL: func @accumulator_of_other_state
// CHECK: train.contract "mk,kn->mn" %{{[a-z0-9]*}}, %{{[a-z0-9]*}} : tensor<4x4xf32>, tensor<4x4xf32>
// CHECK-NEXT: plan.launch
func.func @accumulator_of_other_state(%w: tensor<4x4xf32> {train.state = ["w", "compute"]}, %x: tensor<4x4xf32>)
    -> (tensor<4x4xf32> {train.state = ["v", "compute"]}, tensor<4x4xf32> {train.state = ["w", "compute"]}) {
  %c = train.contract "mk,kn->mn" %x, %x plus %w : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
  %z = arith.constant dense<0.0> : tensor<4x4xf32>
  return %c, %z : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// A view of w shares its bytes.
// CHECK-LABEL: func @accumulator_through_a_view
// CHECK: train.contract "mk,kn->mn" %{{[a-z0-9]*}}, %{{[a-z0-9]*}} : tensor<4x4xf32>, tensor<4x4xf32>
// CHECK-NEXT: plan.launch
func.func @accumulator_through_a_view(%w: tensor<16xf32> {train.state = ["w", "compute"]}, %x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %v = train.reshape %w to [4, 4] : tensor<16xf32>
  %c = train.contract "mk,kn->mn" %x, %x plus %v : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}

// -----

// The kernel reads the product's bytes through two operands.
// CHECK-LABEL: func @operand_and_its_view
// CHECK: %[[S:.*]] = train.contract
// CHECK-NEXT: %[[V:.*]] = train.reshape %[[S]]
// CHECK-NEXT: plan.launch @k0(%[[V]], %[[S]]) in_place []
func.func @operand_and_its_view(%x: tensor<4xf32>) -> tensor<1xf32> {
  %s = train.contract "a,a->" %x, %x : tensor<4xf32>, tensor<4xf32>
  %v = train.reshape %s to [1] : tensor<f32>
  %b = train.broadcast %s to [1] dims [] : tensor<f32>
  %d = arith.addf %v, %b : tensor<1xf32>
  return %d : tensor<1xf32>
}

// -----

// The spread value is stored for the view, from the first kernel's result; the reduction in the first kernel spreads it itself.
// CHECK-LABEL: func @broadcast_that_is_stored
// CHECK-SAME: (%[[X:[^:]*]]: tensor<4x6xi1>)
// CHECK-NEXT: %[[ALL:.*]]:2 = plan.launch @{{.*}}(%[[X]])
// CHECK-NEXT: %[[SPREAD:.*]] = plan.launch @{{.*}}(%[[ALL]]#0)
// CHECK-NEXT: train.reshape %[[SPREAD]]
func.func @broadcast_that_is_stored(%x: tensor<4x6xi1>) -> (tensor<12x6xf32>, tensor<4x6xf32>) {
  %f = arith.uitofp %x : tensor<4x6xi1> to tensor<4x6xf32>
  %b = train.broadcast %f to [4, 3, 6] dims [0, 2] : tensor<4x6xf32>
  %v = train.reshape %b to [12, 6] : tensor<4x3x6xf32>
  %s = train.reduce add %b dims [1] : tensor<4x3x6xf32>
  return %v, %s : tensor<12x6xf32>, tensor<4x6xf32>
}

// -----

// CHECK-LABEL: func @temporary_in_place
// CHECK-NEXT: %[[PRODUCT:.*]] = train.contract
// CHECK-NEXT: plan.launch @k0(%[[PRODUCT]]) in_place [0, 0]
func.func @temporary_in_place(%x: tensor<4x6xf32>, %w: tensor<6x6xf32>) -> tensor<4x6xf32> {
  %c = train.contract "mk,kn->mn" %x, %w : tensor<4x6xf32>, tensor<6x6xf32>
  %e = math.exp %c : tensor<4x6xf32>
  return %e : tensor<4x6xf32>
}

// -----

// The product is read again by the second call.
// CHECK-LABEL: func @temporary_that_is_read_later
// CHECK-NEXT: %[[PRODUCT:.*]] = train.contract
// CHECK-NEXT: %[[E:.*]] = plan.launch @k0(%[[PRODUCT]]) in_place []
// CHECK-NEXT: train.contract "mk,kn->mn" %[[E]], %[[PRODUCT]]
func.func @temporary_that_is_read_later(%x: tensor<6x6xf32>, %w: tensor<6x6xf32>) -> tensor<6x6xf32> {
  %c = train.contract "mk,kn->mn" %x, %w : tensor<6x6xf32>, tensor<6x6xf32>
  %e = math.exp %c : tensor<6x6xf32>
  %d = train.contract "mk,kn->mn" %e, %c : tensor<6x6xf32>, tensor<6x6xf32>
  return %d : tensor<6x6xf32>
}

// -----

// The gradient of the logits takes over their bytes.
// CHECK-LABEL: func @logits_and_their_gradient
// CHECK: train.cross_entropy_backward {{.*}}{trainc.in_place}
func.func @logits_and_their_gradient(%x: tensor<4x6xf32>, %w: tensor<6x8xf32>, %t: tensor<4xi32>, %g: tensor<4xf32>) -> (tensor<4xf32>, tensor<4x8xf32>) {
  %y = train.contract "mk,kn->mn" %x, %w : tensor<4x6xf32>, tensor<6x8xf32>
  %loss, %lse = train.cross_entropy %y, %t : tensor<4x8xf32>, tensor<4xi32>
  %d = train.cross_entropy_backward %y, %t, %lse, %g : tensor<4x8xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>
  return %loss, %d : tensor<4xf32>, tensor<4x8xf32>
}
