// RUN: norm-opt %s --norm-stream-rows=cache-bytes=1 --canonicalize --cse | FileCheck %s
// RUN: norm-opt %s --norm-stream-rows=cache-bytes=1 --norm-vectorize-rows --fold-memref-alias-ops --canonicalize --cse | FileCheck %s --check-prefix=EMIT

#id = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
!row = memref<1x4096xf32, strided<[4096, 1], offset: ?>>

// The first row is summed before the loop, the last one scaled behind it; in between the sum of
// the next row follows what writes this one, and is computed beside it.
// CHECK-LABEL: func @rows
// CHECK: scf.if
// CHECK: %[[SUM:.*]] = memref.alloc
// CHECK: %[[FIRST:.*]] = memref.subview %arg0[0, 0]
// CHECK: linalg.fill {{.*}} outs(%[[SUM]]
// CHECK: linalg.generic {{.*}} ins(%[[FIRST]] {{.*}} outs(%[[SUM]]
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c7 step %c1 {
// CHECK: linalg.generic {{.*}}norm.streams = #norm.row_streams<results = [0], moved = true, beside = true>
// CHECK: %[[I:.*]] = arith.addi %[[ROW]], %c1
// CHECK: %[[NEXT:.*]] = memref.subview %arg0[%[[I]], 0]
// CHECK: linalg.generic {{.*}} ins(%[[NEXT]] {{.*}} outs(%[[SUM]]
// CHECK: }
// CHECK: linalg.generic {{.*}}norm.streams = #norm.row_streams<results = [0], moved = true>
// CHECK-NOT: reduction
// CHECK: } else {
// CHECK: scf.for %{{.*}} = %c0 to %c8 step %c1
// CHECK-NOT: norm.streams

// Each iteration writes a strip of this row in pieces of a line, one or two strips behind where it
// sums the next one, which is fetched 1024 bytes ahead.
// EMIT-LABEL: func @rows
// EMIT: scf.for %[[ROW:.*]] = %c0 to %c7 step %c1 {
// EMIT: %[[NEXT:.*]] = arith.addi %[[ROW]], %c1
// EMIT: %[[LAG:.*]] = arith.select %{{.*}}, %c128, %c64
// EMIT: %[[VIEW:.*]] = memref.subview %arg0[%[[NEXT]], 0]
// EMIT: scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %c64 iter_args
// EMIT: arith.addi %[[K]], %c256
// EMIT: memref.prefetch %[[VIEW]][%c0, %{{.*}}], read, locality<3>
// EMIT-COUNT-3: memref.prefetch
// EMIT: arith.cmpi sge, %[[K]], %[[LAG]]
// EMIT: scf.if
// EMIT-COUNT-4: vector.store {{.*}} {alignment = 64 : i64, nontemporal = true} : {{.*}}, vector<16xf32>
// EMIT: }
// EMIT: vector.transfer_read %arg0[%[[NEXT]], %[[K]]]
// EMIT: scf.for
// EMIT: vector.store {{.*}} vector<64xf32>
// EMIT: norm.loop<strips>
func.func @rows(%x: memref<8x4096xf32>, %y: memref<8x4096xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    %xi = memref.subview %x[%i, 0] [1, 4096] [1, 1] : memref<8x4096xf32> to !row
    %s = memref.alloc() : memref<1xf32>
    linalg.fill ins(%zero : f32) outs(%s : memref<1xf32>)
    linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]} ins(%xi : !row) outs(%s : memref<1xf32>) {
    ^bb0(%a: f32, %o: f32):
      %n = arith.addf %o, %a : f32
      linalg.yield %n : f32
    }
    %yi = memref.subview %y[%i, 0] [1, 4096] [1, 1] : memref<8x4096xf32> to !row
    linalg.generic {indexing_maps = [#id, #rows, #id], iterator_types = ["parallel", "parallel"]} ins(%xi, %s : !row, memref<1xf32>) outs(%yi : !row) {
    ^bb0(%a: f32, %t: f32, %o: f32):
      %p = arith.mulf %a, %t : f32
      linalg.yield %p : f32
    }
  } {norm.loop = #norm.loop<rows>}
  return
}

// Threads: iterations of some rows, each of which starts with a row of its own.
// CHECK-LABEL: func @threads
// CHECK: arith.minui %{{.*}}, %c32
// CHECK: scf.forall
// CHECK: arith.minui
// CHECK: scf.for
// CHECK: beside = true
// CHECK: else
// CHECK: scf.forall
// CHECK-NOT: norm.streams
// CHECK: return
func.func @threads(%x: memref<?x4096xf32>, %y: memref<?x4096xf32>, %m: index) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (%m) {
    %xi = memref.subview %x[%i, 0] [1, 4096] [1, 1] : memref<?x4096xf32> to !row
    %s = memref.alloc() : memref<1xf32>
    linalg.fill ins(%zero : f32) outs(%s : memref<1xf32>)
    linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]} ins(%xi : !row) outs(%s : memref<1xf32>) {
    ^bb0(%a: f32, %o: f32):
      %n = arith.addf %o, %a : f32
      linalg.yield %n : f32
    }
    %yi = memref.subview %y[%i, 0] [1, 4096] [1, 1] : memref<?x4096xf32> to !row
    linalg.generic {indexing_maps = [#id, #rows, #id], iterator_types = ["parallel", "parallel"]} ins(%xi, %s : !row, memref<1xf32>) outs(%yi : !row) {
    ^bb0(%a: f32, %t: f32, %o: f32):
      %p = arith.mulf %a, %t : f32
      linalg.yield %p : f32
    }
  } {norm.loop = #norm.loop<rows>}
  return
}

// Without the statistic that should follow, the strips are written alone.
// EMIT-LABEL: func @alone
// EMIT: nontemporal
// EMIT: return
func.func @alone(%x: memref<1x4096xf32>, %y: memref<1x4096xf32>) {
  linalg.copy {norm.streams = #norm.row_streams<results = [0], moved = true, beside = true>} ins(%x : memref<1x4096xf32>) outs(%y : memref<1x4096xf32>)
  return
}
