// Ops that add to a row of sums beside what they write.
// RUN: norm-opt %s --norm-stream-rows=cache-bytes=4096 --canonicalize --cse | FileCheck %s
// RUN: norm-opt %s --norm-stream-rows=cache-bytes=4096 --norm-vectorize-rows --canonicalize --cse | FileCheck %s --check-prefix=EMIT

#id = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#cols = affine_map<(d0, d1) -> (d1)>
!row = memref<1x4096xf32, strided<[4096, 1], offset: ?>>
!short = memref<1x1024xf32, strided<[1024, 1], offset: ?>>

// Strips begin at the first line of the row, and no strip is done twice. The next row is fetched
// by the second op that reads this one, because no other row is read while it is written.
// CHECK-LABEL: func @rows
// CHECK: %[[ELEMENT:.*]] = arith.andi %{{.*}}, %c3 :
// CHECK-NEXT: arith.cmpi eq, %[[ELEMENT]], %c0
// CHECK: scf.if
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK-NOT: norm.streams
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]{{.*}}norm.streams = #norm.row_streams<results = [0], moved = true, fetched = 1>

// What is left of a line on both sides is written once: quarters of a line, then elements. Whole
// lines are streamed too.
// EMIT-LABEL: func @rows
// EMIT: %[[ROW:.*]] = memref.subview %arg1
// EMIT: , %[[AT:.*]], %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[ROW]]
// EMIT: %[[HEAD:.*]] = arith.divui %{{.*}}, %c4
// EMIT: %[[START:.*]] = arith.minsi %[[HEAD]], %c4096
// EMIT: %[[LENGTH:.*]] = arith.subi %c4096, %[[START]]
// EMIT: %[[STRIPS:.*]] = arith.andi %[[LENGTH]], %c-64
// EMIT: %[[END:.*]] = arith.addi %[[START]], %[[STRIPS]]
// EMIT: %[[LINES:.*]] = arith.andi %[[LENGTH]], %c-16
// EMIT: %[[LAST:.*]] = arith.addi %[[START]], %[[LINES]]
// EMIT: %[[MOVED:.*]] = arith.cmpi ne, %[[START]], %c0
// EMIT: scf.if %[[MOVED]]
// EMIT: %[[REST:.*]] = arith.andi %[[START]], %c-4
// EMIT: scf.for %{{.*}} = %c0 to %[[REST]] step %c4
// EMIT: vector.transfer_write {{.*}} : vector<4xf32>
// EMIT: {norm.loop = #norm.loop<edge>}
// EMIT: scf.for %{{.*}} = %[[REST]] to %[[START]] step %c1
// EMIT: vector.transfer_write {{.*}} : vector<1xf32>
// EMIT: memref.prefetch %[[ROW]][%c0, %[[LAST]]], write, locality<3>, data
// EMIT: scf.for %[[K:.*]] = %[[START]] to %[[END]] step %c64
// EMIT: memref.prefetch %[[NEXT:.*]][%c0, %[[K]]], read, locality<2>, data
// EMIT-COUNT-3: memref.prefetch %[[NEXT]]
// EMIT: %[[PLACE:.*]] = arith.addi %[[AT]], %[[K]]
// EMIT: %[[STRIP:.*]] = memref.reinterpret_cast %[[ROW]] to offset: [%[[PLACE]]], sizes: [64]
// EMIT: vector.store %{{.*}}, %[[STRIP]][%c0] {alignment = 64 : i64, nontemporal = true}
// EMIT: vector.transfer_write %{{.*}}, %arg2[%[[K]]]
// EMIT-NEXT: } {norm.loop = #norm.loop<strips>}
// EMIT: scf.if %[[MOVED]]
// EMIT: scf.for %[[K:.*]] = %[[END]] to %[[LAST]] step %c16
// EMIT-NOT: memref.prefetch
// EMIT: %[[PLACE:.*]] = arith.addi %[[AT]], %[[K]]
// EMIT: memref.reinterpret_cast %[[ROW]] to offset: [%[[PLACE]]], sizes: [16]
// EMIT: vector.store {{.*}} {alignment = 64 : i64, nontemporal = true} : {{.*}}, vector<16xf32>
// EMIT: scf.for %{{.*}} = %[[LAST]] to %{{.*}} step %c4
// EMIT: scf.for %{{.*}} to %c4096 step %c1
// EMIT: } else {
// EMIT-NOT: nontemporal
// EMIT: return
func.func @rows(%x: memref<?x4096xf32>, %y: memref<?x4096xf32>, %s: memref<4096xf32>, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %m step %c1 {
    %xi = memref.subview %x[%i, 0] [1, 4096] [1, 1] : memref<?x4096xf32> to !row
    %yi = memref.subview %y[%i, 0] [1, 4096] [1, 1] : memref<?x4096xf32> to !row
    %t = memref.alloc() : memref<1xf32>
    linalg.fill ins(%zero : f32) outs(%t : memref<1xf32>)
    linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]} ins(%xi : !row) outs(%t : memref<1xf32>) {
    ^bb0(%a: f32, %o: f32):
      %n = arith.addf %o, %a : f32
      linalg.yield %n : f32
    }
    linalg.generic {indexing_maps = [#id, #rows, #id, #cols], iterator_types = ["reduction", "parallel"]} ins(%xi, %t : !row, memref<1xf32>) outs(%yi, %s : !row, memref<4096xf32>) {
    ^bb0(%a: f32, %r: f32, %o: f32, %q: f32):
      %w = arith.mulf %a, %r : f32
      %n = arith.addf %q, %a : f32
      linalg.yield %w, %n : f32, f32
    }
  } {norm.loop = #norm.loop<rows>}
  return
}

// Rows of less than 2048 elements are not moved: all must be aligned.
// CHECK-LABEL: func @short
// CHECK: arith.andi %{{.*}}, %c63
// CHECK: scf.if
// CHECK: norm.streams = #norm.row_streams<results = [0], fetched = 1>
// EMIT-LABEL: func @short
// EMIT-COUNT-1: nontemporal
// EMIT-NOT: nontemporal
func.func @short(%x: memref<?x1024xf32>, %y: memref<?x1024xf32>, %s: memref<1024xf32>, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    %xi = memref.subview %x[%i, 0] [1, 1024] [1, 1] : memref<?x1024xf32> to !short
    %yi = memref.subview %y[%i, 0] [1, 1024] [1, 1] : memref<?x1024xf32> to !short
    linalg.generic {indexing_maps = [#id, #id, #cols], iterator_types = ["reduction", "parallel"]} ins(%xi : !short) outs(%yi, %s : !short, memref<1024xf32>) {
    ^bb0(%a: f32, %o: f32, %q: f32):
      %n = arith.addf %q, %a : f32
      linalg.yield %a, %n : f32, f32
    }
  } {norm.loop = #norm.loop<rows>}
  return
}
