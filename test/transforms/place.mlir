// Where values lie. That no two living values overlap is proven again by the runtime, for every bundle it loads.
// RUN: trainc-opt %s --place --split-input-file --mlir-print-local-scope | FileCheck %s

// The arena: state in order of appearance, one counter for each micro-batch, one batch slot for each, temporaries.
// CHECK: module attributes {plan.arena_bytes = 640 : i64
// CHECK-SAME: plan.constants = [{offset = 128 : i64, value = 0 : i64}, {offset = 192 : i64, value = 1 : i64}]
// CHECK-SAME: plan.slots = [{bytes = 8 : i64, name = "micro", offsets = array<i64: 128, 192>}, {bytes = 128 : i64, name = "batch", offsets = array<i64: 256, 384>}]
// CHECK-SAME: plan.state = [{offset = 0 : i64, role = "compute", scope = "w", type = tensor<4xf32>}, {offset = 64 : i64, role = "m", scope = "w", type = tensor<4xf32>}]
module attributes {train.global_batch = 4 : i64, train.micro_batch = 2 : i64} {
  // CHECK-LABEL: func @layout
  // CHECK-SAME: {plan.at = 0 : i64, train.state
  // CHECK-SAME: {plan.at = {offset = 0 : i64, slot = "batch"}
  // CHECK-SAME: {plan.at = {offset = 64 : i64, slot = "batch"}
  // CHECK-SAME: {plan.at = {offset = 0 : i64, slot = "micro"}
  // CHECK-SAME: {plan.at = 64 : i64, train.state
  func.func @layout(%w: tensor<4xf32> {train.state = ["w", "compute"]}, %x: tensor<2xi32> {train.input = {name = "x"}},
                    %y: tensor<2xi32> {train.input = {name = "y"}}, %i: tensor<i64> {train.micro}, %m: tensor<4xf32> {train.state = ["w", "m"]}) -> (tensor<4x4xf32>, tensor<f32>) {
    // CHECK: plan.call "gemm"({{.*}} {plan.at = [512]}
    %p = train.contract "a,b->ab" %w, %m : tensor<4xf32>, tensor<4xf32>
    // CHECK: plan.call "gemm"({{.*}} {plan.at = [576]}
    %q = train.contract "a,a->" %w, %m : tensor<4xf32>, tensor<4xf32>
    return %p, %q : tensor<4x4xf32>, tensor<f32>
  }
}

// -----

// The third product takes the bytes of the first, which is not read any more; views take none; the new state lies in the state.
// CHECK: plan.arena_bytes = 1088
// CHECK-LABEL: func @bytes_are_used_again
// CHECK: plan.call {{.*}} {plan.at = [576]}
// CHECK-NEXT: plan.call {{.*}} {plan.at = [832]}
// CHECK-NEXT: plan.call {{.*}} {plan.at = [576]}
// CHECK-NEXT: plan.view {{.*}} {plan.at = [576]}
// CHECK-NEXT: plan.call {{.*}} {plan.at = [832]}
// CHECK-NEXT: plan.call {{.*}} {plan.at = [256]}
func.func @bytes_are_used_again(%x: tensor<8x8xf32> {train.state = ["x", "compute"]}) -> (tensor<8x8xf32> {train.state = ["y", "compute"]}) {
  %a = train.contract "ab,bc->ac" %x, %x : tensor<8x8xf32>, tensor<8x8xf32>
  %b = train.contract "ab,bc->ac" %a, %x : tensor<8x8xf32>, tensor<8x8xf32>
  %c = train.contract "ab,bc->ac" %b, %x : tensor<8x8xf32>, tensor<8x8xf32>
  %v = train.reshape %c to [4, 2, 8] : tensor<8x8xf32>
  %d = train.contract "abc,dc->abd" %v, %x : tensor<4x2x8xf32>, tensor<8x8xf32>
  %w = train.contract "ab,bc->ac" %x, %x : tensor<8x8xf32>, tensor<8x8xf32>
  return %w : tensor<8x8xf32>
}

// -----

// A view lives as long as what it views: the second product may not take its bytes.
// CHECK-LABEL: func @views_keep_bytes_alive
// CHECK: plan.call {{.*}} {plan.at = [[FIRST:.*]]}
// CHECK-NEXT: plan.view {{.*}} {plan.at = [[FIRST]]}
// CHECK-NOT: plan.call {{.*}}plan.at = [[FIRST]]
// CHECK: plan.view {{.*}} {plan.at = [[FIRST]]}
// CHECK-NOT: plan.call {{.*}}plan.at = [[FIRST]]
// CHECK: return
func.func @views_keep_bytes_alive(%x: tensor<8x8xf32> {train.state = ["x", "compute"]}) -> tensor<8x8xf32> {
  %a = train.contract "ab,bc->ac" %x, %x : tensor<8x8xf32>, tensor<8x8xf32>
  %v = train.reshape %a to [64] : tensor<8x8xf32>
  %b = train.contract "ab,bc->ac" %x, %x : tensor<8x8xf32>, tensor<8x8xf32>
  %w = train.reshape %v to [8, 8] : tensor<64xf32>
  %c = train.contract "ab,bc->ac" %b, %w : tensor<8x8xf32>, tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}

// -----

// Scratch of a call lies beside its results, and is nobody's afterwards.
// CHECK-LABEL: func @workspace
// CHECK: plan.call "attention_forward"{{.*}} workspace 448 in_place [] {plan.at = [768, 1024], plan.workspace = 320 : i64}
func.func @workspace(%q: tensor<1x8x2x4xf32> {train.state = ["q", "compute"]}) -> (tensor<1x8x2x4xf32>, tensor<1x2x8xf32>) {
  %o, %l = train.attention %q, %q, %q causal true scale 0.5 : tensor<1x8x2x4xf32>, tensor<1x8x2x4xf32>, tensor<1x8x2x4xf32>
  return %o, %l : tensor<1x8x2x4xf32>, tensor<1x2x8xf32>
}

// -----

// The bytes of an input are those of its largest shape, in every function.
// CHECK: plan.slots = [{{.*}}, {bytes = 192 : i64, name = "batch", offsets = array<i64: 64>}]
// CHECK-LABEL: func @logits
// CHECK-SAME: {plan.at = {offset = 0 : i64, slot = "batch"}
// CHECK-SAME: {plan.at = {offset = 128 : i64, slot = "batch"}
func.func @logits(%x: tensor<2xi32> {train.input = {name = "x"}}, %y: tensor<2xi32> {train.input = {name = "y"}}) {
  return
}
// CHECK-LABEL: func @eval
// CHECK-SAME: {plan.at = {offset = 128 : i64, slot = "batch"}
// CHECK-SAME: {plan.at = {offset = 0 : i64, slot = "batch"}
func.func @eval(%y: tensor<2xi32> {train.input = {name = "y"}}, %x: tensor<20xi32> {train.input = {name = "x"}}) {
  return
}
