// RUN: norm-opt %s --pass-pipeline='builtin.module(norm-stream-rows{cache-bytes=1},canonicalize,cse)' --split-input-file | FileCheck %s
// RUN: norm-opt %s --norm-stream-rows=cache-bytes=1 --split-input-file '--remarks-filter-missed=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY --implicit-check-not=[Missed]

// Blocks of 16 short rows: each row fetches the same row of the next block, 256
// bytes, and the last row of the buffer at most.
// CHECK: #[[SUM:.*]] = affine_map<()[s0, s1] -> (s0 + s1)>
// CHECK-LABEL: func @aligned
// CHECK: scf.if
// CHECK: scf.for %[[I:.*]] = %c0 to %c1024 step %c16
// CHECK: scf.for
// CHECK-NOT: memref.prefetch
// CHECK: memref.store
// CHECK: scf.for %[[J:.*]] = %c0 to %c16
// CHECK: %[[ROW:.*]] = affine.apply #[[SUM]]()[%[[I]], %[[J]]]
// CHECK: %[[LATER:.*]] = arith.addi %[[ROW]], %c16
// CHECK: %[[NEXT:.*]] = arith.minsi %[[LATER]], %c1023
// CHECK: memref.prefetch %arg0[%[[NEXT]], %c0]
// CHECK: memref.prefetch %arg0[%[[NEXT]], %c16]
// CHECK: memref.prefetch %arg0[%[[NEXT]], %c32]
// CHECK: memref.prefetch %arg0[%[[NEXT]], %c48]
// CHECK-NOT: memref.prefetch
// CHECK: vector.store {{.*}} nontemporal = true
// CHECK: } else {
// CHECK-NOT: memref.prefetch
// CHECK: return
#sum = affine_map<()[s0, s1] -> (s0 + s1)>
func.func @aligned(%x: memref<1024x64xf32>, %y: memref<1024x64xf32>, %s: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c1024 = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c1024 step %c16 {
    scf.for %j = %c0 to %c16 step %c1 {
      %row = affine.apply #sum()[%i, %j]
      %v = vector.transfer_read %x[%row, %c0], %zero {in_bounds = [true]} : memref<1024x64xf32>, vector<64xf32>
      %sum = vector.reduction <add>, %v : vector<64xf32> into f32
      memref.store %sum, %s[%j] : memref<16xf32>
    } {norm.loop = #norm.loop<block>}
    scf.for %j = %c0 to %c16 step %c1 {
      %row = affine.apply #sum()[%i, %j]
      %v = vector.transfer_read %x[%row, %c0], %zero {in_bounds = [true]} : memref<1024x64xf32>, vector<64xf32>
      %f = memref.load %s[%j] : memref<16xf32>
      %b = vector.broadcast %f : f32 to vector<64xf32>
      %p = arith.mulf %v, %b : vector<64xf32>
      vector.transfer_write %p, %y[%row, %c0] {in_bounds = [true]} : vector<64xf32>, memref<1024x64xf32>
    } {norm.loop = #norm.loop<block>}
  } {norm.loop = #norm.loop<rows>}
  return
}

// -----

// Rows that start anywhere in a line: ordinary stores, but the next block is fetched,
// the whole row of it. Where a block is all of one dimension, the next is in the other.
// CHECK-LABEL: func @unaligned
// CHECK: scf.if
// CHECK: scf.for %[[I:.*]] = %c0 to %c64
// CHECK: %[[LATER:.*]] = arith.addi %[[I]], %c1
// CHECK: %[[NEXT:.*]] = arith.minsi %[[LATER]], %c63
// CHECK: scf.for
// CHECK: scf.for %[[J:.*]] = %c0 to %c16
// CHECK: memref.prefetch %arg0[%[[NEXT]], %[[J]], %c0]
// CHECK: memref.prefetch %arg0[%[[NEXT]], %[[J]], %c64]
// CHECK-NOT: vector.store
// CHECK: vector.transfer_write
// CHECK: } else {
// CHECK-NOT: memref.prefetch
// CHECK: return
// WHY: remark: [Missed] RowsWithinLines | Category:norm-stream-rows | Remark="not streamed: its rows are not known to start at cache lines"
func.func @unaligned(%x: memref<64x16x66xf32>, %y: memref<64x16x66xf32>, %s: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c64 step %c1 {
    scf.for %j = %c0 to %c16 step %c1 {
      %v = vector.transfer_read %x[%i, %j, %c0], %zero {in_bounds = [true]} : memref<64x16x66xf32>, vector<64xf32>
      %sum = vector.reduction <add>, %v : vector<64xf32> into f32
      memref.store %sum, %s[%j] : memref<16xf32>
    } {norm.loop = #norm.loop<block>}
    scf.for %j = %c0 to %c16 step %c1 {
      %v = vector.transfer_read %x[%i, %j, %c0], %zero {in_bounds = [true]} : memref<64x16x66xf32>, vector<64xf32>
      %f = memref.load %s[%j] : memref<16xf32>
      %b = vector.broadcast %f : f32 to vector<64xf32>
      %p = arith.mulf %v, %b : vector<64xf32>
      vector.transfer_write %p, %y[%i, %j, %c0] {in_bounds = [true]} : vector<64xf32>, memref<64x16x66xf32>
    } {norm.loop = #norm.loop<block>}
  } {norm.loop = #norm.loop<rows>}
  return
}
