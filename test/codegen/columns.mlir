// RUN: trainc-opt %s -convert-kernel-to-loops -canonicalize -cse | FileCheck %s

// A sum over rows: memory is contiguous along the columns, so an item is a block of them. 100 columns are four blocks of 32, the
// last one short; 1000 rows are summed in blocks of 128.
// CHECK-LABEL: func.func @bias(
// CHECK-DAG: %[[TOTAL:.*]] = memref.alloca() {alignment = 64 : i64} : memref<32xf32>
// CHECK: scf.for %[[ITEM:.*]] = %{{.*}} to %{{.*}} step %c1
// CHECK: %[[FIRST:.*]] = arith.muli %[[ITEM]], %c32
// CHECK: %[[LEFT:.*]] = arith.subi %c100, %[[FIRST]]
// CHECK: %[[LANES:.*]] = arith.minui %[[LEFT]], %c32
// CHECK: scf.for %{{.*}} = %c0 to %c1000 step %c128
// CHECK: scf.for %[[ROW:.*]] =
// CHECK: scf.for %[[LANE:.*]] = %c0 to %[[LANES]] step %c1
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<reassoc>
kernel.func @bias(%x: memref<1000x100xf32>, %y: memref<100xf32>) outer [100] inner 1000 {
  %e = kernel.load %x [affine_map<(d0, d1) -> (d1, d0)>] : memref<1000x100xf32>
  %s = kernel.reduce add %e : f32
  kernel.store %s, %y [affine_map<(d0, d1) -> (d0)>] : memref<100xf32>
}
