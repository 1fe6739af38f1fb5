// RUN: trainc-opt %s | trainc-opt | FileCheck %s

// CHECK: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: kernel.func @center(
// CHECK-SAME: %[[X:.*]]: memref<2048x128xf32>, %[[Y:.*]]: memref<2048x128xf32>) outer [2048] inner 128 {
// CHECK-NEXT: %[[E:.*]] = kernel.load %[[X]][#[[ROW]]] : memref<2048x128xf32>
// CHECK-NEXT: %[[S:.*]] = kernel.reduce add %[[E]] : f32
// CHECK: kernel.store %{{.*}}, %[[Y]][#[[ROW]]] : memref<2048x128xf32>
// CHECK-NEXT: }
kernel.func @center(%x: memref<2048x128xf32>, %y: memref<2048x128xf32>) outer [2048] inner 128 {
  %e = kernel.load %x [affine_map<(d0, d1) -> (d0, d1)>] : memref<2048x128xf32>
  %s = kernel.reduce add %e : f32
  %n = arith.constant 7.8125e-03 : f32
  %m = arith.mulf %s, %n : f32
  %c = arith.subf %e, %m : f32
  kernel.store %c, %y [affine_map<(d0, d1) -> (d0, d1)>] : memref<2048x128xf32>
  kernel.return
}

// CHECK-LABEL: kernel.func @draw(%{{.*}}: memref<i64>, %{{.*}}: memref<16xi1>) outer [] inner 16 attributes {note = "mask"} {
// CHECK: kernel.index 0
// CHECK: kernel.philox counter(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) key(%{{.*}}, %{{.*}})
kernel.func @draw(%seed: memref<i64>, %y: memref<16xi1>) outer [] inner 16 attributes {note = "mask"} {
  %s = kernel.load %seed [affine_map<(d0) -> ()>] : memref<i64>
  %key = arith.trunci %s : i64 to i32
  %i = kernel.index 0
  %c = arith.index_cast %i : index to i32
  %zero = arith.constant 0 : i32
  %a, %b, %d, %e = kernel.philox counter(%c, %zero, %zero, %zero) key(%key, %zero)
  %on = arith.cmpi slt, %a, %zero : i32
  kernel.store %on, %y [affine_map<(d0) -> (d0)>] : memref<16xi1>
}
