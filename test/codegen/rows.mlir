// RUN: trainc-opt %s -convert-kernel-to-loops -canonicalize -cse | FileCheck %s

#row = affine_map<(d0, d1) -> (d0, d1)>

// Two passes (maximum; sum of exponentials, which are kept) and the stores; the argument in place is stored last.
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME: %[[X:.*]]: memref<640xf32> {llvm.noalias}, %[[BEGIN:.*]]: index, %[[END:.*]]: index)
// CHECK: %[[KEPT:.*]] = memref.alloca() {alignment = 64 : i64} : memref<64xf32>
// CHECK: scf.for %[[R:.*]] = %[[BEGIN]] to %[[END]]
// CHECK: %[[MAX:.*]] = scf.for {{.*}} iter_args
// CHECK: arith.maximumf %{{.*}}, %{{.*}} fastmath<nsz>
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args
// CHECK: %[[D:.*]] = arith.subf %{{.*}}, %[[MAX]] : f32
// CHECK: %[[P:.*]] = math.exp %[[D]]
// CHECK: arith.addf %{{.*}}, %[[P]] fastmath<reassoc>
// CHECK: memref.store %[[P]], %[[KEPT]]
// CHECK: scf.for
// CHECK-NOT: math.exp
// CHECK: %[[Q:.*]] = arith.divf %{{.*}}, %[[SUM]] : f32
// CHECK: memref.store %[[Q]], %[[X]]
kernel.func @softmax(%x: memref<10x64xf32>) outer [10] inner 64 {
  %e = kernel.load %x [#row] : memref<10x64xf32>
  %max = kernel.reduce max %e : f32
  %d = arith.subf %e, %max : f32
  %p = math.exp %d : f32
  %s = kernel.reduce add %p : f32
  %q = arith.divf %p, %s : f32
  kernel.store %q, %x [#row] : memref<10x64xf32>
}

// Long rows are summed in blocks.
// CHECK-LABEL: func.func @long(
// CHECK: %[[TOTAL:.*]] = scf.for %[[FROM:.*]] = %{{.*}} to %{{.*}} step %c2048
// CHECK: %[[PART:.*]] = scf.for %{{.*}} = %[[FROM]] to
// CHECK: arith.addf %{{.*}}, %[[PART]] fastmath<reassoc>
// CHECK: memref.store %[[TOTAL]], %{{.*}}[%c0]
kernel.func @long(%x: memref<10000xf32>, %y: memref<f32>) outer [] inner 10000 {
  %e = kernel.load %x [affine_map<(d0) -> (d0)>] : memref<10000xf32>
  %s = kernel.reduce add %e : f32
  kernel.store %s, %y [affine_map<(d0) -> ()>] : memref<f32>
}

// No outer dimension, no reduction: the items are the elements; what does not vary is computed before the loop.
// i1 is one byte in memory.
// CHECK-LABEL: func.func @elements(
// CHECK-SAME: memref<100xi8> {llvm.noalias}
// CHECK: %[[SCALE:.*]] = memref.load %{{.*}}[%c0] : memref<1xf32>
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c1
// CHECK: arith.trunci %{{.*}} : i8 to i1
// CHECK: arith.select %{{.*}}, %[[SCALE]]
kernel.func @elements(%mask: memref<100xi1>, %scale: memref<f32>, %y: memref<100xf32>) outer [] inner 100 {
  %on = kernel.load %mask [affine_map<(d0) -> (d0)>] : memref<100xi1>
  %s = kernel.load %scale [affine_map<(d0) -> ()>] : memref<f32>
  %zero = arith.constant 0.0 : f32
  %r = arith.select %on, %s, %zero : f32
  kernel.store %r, %y [affine_map<(d0) -> (d0)>] : memref<100xf32>
}
