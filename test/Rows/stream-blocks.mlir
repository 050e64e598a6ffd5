// RUN: norm-opt %s --norm-stream-rows=cache-bytes=1 --canonicalize --cse --split-input-file | FileCheck %s
// RUN: norm-opt %s --norm-stream-rows=cache-bytes=1 --split-input-file '--remarks-filter-missed=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY --implicit-check-not=[Missed]
// RUN: norm-opt %s --norm-stream-rows=cache-bytes=1 --norm-vectorize-rows --canonicalize --cse --split-input-file | FileCheck %s --check-prefix=EMIT

// Blocks of 16 short rows: each row fetches the same row of the next block, 256 bytes.
// CHECK-LABEL: func @aligned
// CHECK: scf.if
// CHECK: scf.for %[[I:.*]] = %c0 to %c1024 step %c16
// CHECK: %[[BLOCK:.*]] = memref.subview %arg0[%[[I]], 0] [16, 64]
// CHECK: %[[AT:.*]] = arith.addi %[[I]], %c16
// CHECK: %[[NEXT:.*]] = memref.subview %arg0[%[[AT]], 0] [16, 64]
// CHECK: linalg.generic {{.*}} ins(%[[BLOCK]], %{{.*}}, %[[NEXT]] {{.*}}norm.streams = #norm.row_streams<results = [0], fetched = 1>
// CHECK: } else {
// CHECK-NOT: norm.streams
// CHECK: return

// EMIT-LABEL: func @aligned
// EMIT: %[[LATER:.*]] = arith.addi %{{.*}}, %c16 : index
// EMIT: %[[NEXT:.*]] = memref.subview %arg0[%[[LATER]], 0]
// EMIT: scf.for %[[J:.*]] = %c0 to %c16
// EMIT: memref.prefetch %[[NEXT]][%[[J]], %c0]
// EMIT: memref.prefetch %[[NEXT]][%[[J]], %c16]
// EMIT: memref.prefetch %[[NEXT]][%[[J]], %c32]
// EMIT: memref.prefetch %[[NEXT]][%[[J]], %c48]
// EMIT-NOT: memref.prefetch
// EMIT: vector.store {{.*}} {alignment = 64 : i64, nontemporal = true}
// EMIT: } else {
// EMIT-NOT: memref.prefetch
// EMIT: return
#id = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
!block = memref<16x64xf32, strided<[64, 1], offset: ?>>
func.func @aligned(%x: memref<1024x64xf32>, %y: memref<1024x64xf32>, %s: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c1024 = arith.constant 1024 : index
  scf.for %i = %c0 to %c1024 step %c16 {
    %xi = memref.subview %x[%i, 0] [16, 64] [1, 1] : memref<1024x64xf32> to !block
    %yi = memref.subview %y[%i, 0] [16, 64] [1, 1] : memref<1024x64xf32> to !block
    linalg.generic {indexing_maps = [#id, #rows, #id], iterator_types = ["parallel", "parallel"]} ins(%xi, %s : !block, memref<16xf32>) outs(%yi : !block) {
    ^bb0(%a: f32, %f: f32, %o: f32):
      %p = arith.mulf %a, %f : f32
      linalg.yield %p : f32
    }
  } {norm.loop = #norm.loop<rows>}
  return
}

// -----

// Rows that start anywhere in a line: ordinary stores, but the next block is fetched, the whole
// row of it. Where a block is all of one dimension, the next is in the other.
// CHECK-LABEL: func @unaligned
// CHECK: scf.if
// CHECK: scf.for %[[I:.*]] = %c0 to %c64
// CHECK: %[[AT:.*]] = arith.addi %[[I]], %c1
// CHECK: memref.subview %arg0[%[[AT]], 0, 0]
// CHECK: norm.streams = #norm.row_streams<results = [], fetched = 1>
// WHY: remark: [Missed] RowsWithinLines | Category:norm-stream-rows | Remark="not streamed: its rows are not known to start at cache lines"

// EMIT-LABEL: func @unaligned
// EMIT-COUNT-5: memref.prefetch
// EMIT-NOT: memref.prefetch
// EMIT-NOT: nontemporal
// EMIT: vector.transfer_write
// EMIT: return
#id = affine_map<(d0, d1) -> (d0, d1)>
!block = memref<16x66xf32, strided<[66, 1], offset: ?>>
func.func @unaligned(%x: memref<64x16x66xf32>, %y: memref<64x16x66xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %xi = memref.subview %x[%i, 0, 0] [1, 16, 66] [1, 1, 1] : memref<64x16x66xf32> to !block
    %yi = memref.subview %y[%i, 0, 0] [1, 16, 66] [1, 1, 1] : memref<64x16x66xf32> to !block
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%xi : !block) outs(%yi : !block) {
    ^bb0(%a: f32, %o: f32):
      %p = arith.addf %a, %a : f32
      linalg.yield %p : f32
    }
  } {norm.loop = #norm.loop<rows>}
  return
}
