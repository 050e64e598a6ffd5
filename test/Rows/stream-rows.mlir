// RUN: norm-opt %s --split-input-file --norm-stream-rows=cache-bytes=4096 --canonicalize --cse | FileCheck %s
// RUN: norm-opt %s --split-input-file --norm-stream-rows=cache-bytes=4096 '--remarks-filter-missed=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY --implicit-check-not=[Missed]
// RUN: norm-opt %s --split-input-file --norm-stream-rows --canonicalize --cse | FileCheck %s --check-prefix=ASK
// RUN: not norm-opt %s --split-input-file --norm-stream-rows=cache-bytes=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: for the --cache-bytes option: '-1' value invalid

#id = affine_map<(d0, d1) -> (d0, d1)>
!row = memref<1x?xf32, strided<[?, 1], offset: ?>>

// Two versions. In the first one strips start at the first line of the row, and fetch the
// next row, whatever is behind the last one. The other one is as before.
// CHECK-LABEL: func @rows
// CHECK: memref.extract_aligned_pointer_as_index
// CHECK: scf.if
// CHECK: scf.for %[[I:.*]] = %c0
// CHECK: %[[ROW:.*]] = memref.subview %arg0[%[[I]], 0]
// CHECK: %[[I1:.*]] = arith.addi %[[I]], %c1
// CHECK: %[[NEXT:.*]] = memref.subview %arg0[%[[I1]], 0]
// CHECK: linalg.generic {{.*}} ins(%[[ROW]], %[[NEXT]] {{.*}} {norm.streams = #norm.row_streams<results = [0], moved = true, fetched = 1>}
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT: arith.addf %[[A]], %[[A]]
// CHECK: } else {
// CHECK-NOT: norm.streams
// CHECK: scf.for
// CHECK: linalg.generic
// CHECK-NOT: norm.streams
// CHECK: {norm.versions}
// CHECK: return

// Below the least size nothing is asked.
// ASK-LABEL: func @rows
// ASK: arith.cmpi uge, %{{.*}}, %c1048576
// ASK: scf.if %{{.*}} -> (i1)
// ASK: call @sysconf
// ASK: norm.streams
// ASK: func.func private @sysconf(i32) -> i64

func.func @rows(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %rows: index, %cols: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %rows step %c1 {
    %xi = memref.subview %x[%i, 0] [1, %cols] [1, 1] : memref<?x?xf32> to !row
    %yi = memref.subview %y[%i, 0] [1, %cols] [1, 1] : memref<?x?xf32> to !row
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%xi : !row) outs(%yi : !row) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    }
  } {norm.loop = #norm.loop<rows>}
  return
}

// -----

// A row of one vector is streamed where all rows are aligned: start and pitch.
// CHECK-LABEL: func @one_vector
// CHECK: arith.andi %{{.*}}, %c63
// CHECK: scf.if
// CHECK: {norm.streams = #norm.row_streams<results = [0]>}
#id = affine_map<(d0, d1) -> (d0, d1)>
!row = memref<1x64xf32, strided<[64, 1], offset: ?>>
func.func @one_vector(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %rows: index) {
  scf.forall (%i) in (%rows) {
    %xi = memref.subview %x[%i, 0] [1, 64] [1, 1] : memref<?x64xf32> to !row
    %yi = memref.subview %y[%i, 0] [1, 64] [1, 1] : memref<?x64xf32> to !row
    linalg.copy ins(%xi : !row) outs(%yi : !row)
  } {norm.loop = #norm.loop<rows>}
  return
}

// -----

// What is read again belongs into the cache.
// CHECK-LABEL: func @read_again
// CHECK-NOT: norm.streams
// WHY: remark: [Missed] ReadAgain | Category:norm-stream-rows | Remark="not streamed: the loop uses the buffer otherwise too"
#id = affine_map<(d0, d1) -> (d0, d1)>
!row = memref<1x256xf32, strided<[256, 1], offset: ?>>
func.func @read_again(%y: memref<?x256xf32>, %rows: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %rows step %c1 {
    %yi = memref.subview %y[%i, 0] [1, 256] [1, 1] : memref<?x256xf32> to !row
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%yi : !row) {
    ^bb0(%o: f32):
      %s = arith.addf %o, %o : f32
      linalg.yield %s : f32
    }
  } {norm.loop = #norm.loop<rows>}
  return
}

// -----

// Strides that are not known could run backwards; known ones may leave gaps between rows.
// CHECK-LABEL: func @strided
// CHECK-NOT: norm.streams
// CHECK-LABEL: func @gaps
// CHECK: norm.streams
// WHY: remark: [Missed] UnknownSpan | Category:norm-stream-rows | Remark="not streamed: the extents of a buffer do not tell its span in memory"
!any = memref<8x256xf32, strided<[?, 1], offset: ?>>
!anyrow = memref<1x256xf32, strided<[?, 1], offset: ?>>
!gaps = memref<8x256xf32, strided<[301, 1], offset: 5>>
!gapsrow = memref<1x256xf32, strided<[301, 1], offset: ?>>
!row = memref<1x256xf32, strided<[256, 1], offset: ?>>
func.func @strided(%x: !any, %y: memref<8x256xf32>) {
  scf.forall (%i) in (8) {
    %xi = memref.subview %x[%i, 0] [1, 256] [1, 1] : !any to !anyrow
    %yi = memref.subview %y[%i, 0] [1, 256] [1, 1] : memref<8x256xf32> to !row
    linalg.copy ins(%xi : !anyrow) outs(%yi : !row)
  } {norm.loop = #norm.loop<rows>}
  return
}
func.func @gaps(%x: memref<8x256xf32>, %y: !gaps) {
  scf.forall (%i) in (8) {
    %xi = memref.subview %x[%i, 0] [1, 256] [1, 1] : memref<8x256xf32> to !row
    %yi = memref.subview %y[%i, 0] [1, 256] [1, 1] : !gaps to !gapsrow
    linalg.copy ins(%xi : !row) outs(%yi : !gapsrow)
  } {norm.loop = #norm.loop<rows>}
  return
}

// -----

// The next row is fetched by the op over the same columns that computes the most, where the
// streamed one only adds; arithmetic of that length has the level 1 cache for itself.
// CHECK-LABEL: func @busiest
// CHECK: scf.if
// CHECK: linalg.generic {{.*}} attrs = {norm.streams = #norm.row_streams<results = [], fetched = 1, near = true>}
// CHECK: math.exp
// CHECK: linalg.generic {{.*}} attrs = {norm.streams = #norm.row_streams<results = [0], moved = true>}
// CHECK: } else {
// CHECK-NOT: norm.streams
// CHECK: return
#id = affine_map<(d0, d1) -> (d0, d1)>
!row = memref<1x4096xf32, strided<[4096, 1], offset: ?>>
func.func @busiest(%x: memref<?x4096xf32>, %y: memref<?x4096xf32>, %rows: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %rows step %c1 {
    %xi = memref.subview %x[%i, 0] [1, 4096] [1, 1] : memref<?x4096xf32> to !row
    %e = memref.alloc() {alignment = 64 : i64} : memref<1x4096xf32>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%xi : !row) outs(%e : memref<1x4096xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = math.exp %a : f32
      linalg.yield %s : f32
    }
    %yi = memref.subview %y[%i, 0] [1, 4096] [1, 1] : memref<?x4096xf32> to !row
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%e : memref<1x4096xf32>) outs(%yi : !row) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    }
  } {norm.loop = #norm.loop<rows>}
  return
}

// -----

// Two results of one op are streamed together, if their rows lie at the same distance from
// a line.
// CHECK-LABEL: func @two_results
// CHECK: %[[APART:.*]] = arith.subi %{{.*}}, %{{.*}} : index
// CHECK: %[[REST:.*]] = arith.andi %[[APART]], %c63
// CHECK: arith.cmpi eq, %[[REST]], %c0
// CHECK: norm.streams = #norm.row_streams<results = [0, 1], moved = true, fetched = 1>
#id = affine_map<(d0, d1) -> (d0, d1)>
!row = memref<1x1024xf32, strided<[1024, 1], offset: ?>>
func.func @two_results(%x: memref<8x1024xf32>, %y: memref<8x1024xf32>, %z: memref<8x1024xf32>) {
  scf.forall (%i) in (8) {
    %xi = memref.subview %x[%i, 0] [1, 1024] [1, 1] : memref<8x1024xf32> to !row
    %yi = memref.subview %y[%i, 0] [1, 1024] [1, 1] : memref<8x1024xf32> to !row
    %zi = memref.subview %z[%i, 0] [1, 1024] [1, 1] : memref<8x1024xf32> to !row
    linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%xi : !row) outs(%yi, %zi : !row, !row) {
    ^bb0(%a: f32, %o: f32, %q: f32):
      %s = arith.addf %a, %a : f32
      %p = arith.mulf %a, %a : f32
      linalg.yield %s, %p : f32, f32
    }
  } {norm.loop = #norm.loop<rows>}
  return
}

// -----

// Loops without a role stay: the pass that builds loops over rows says so. A loop around them
// is a program's own: it is versioned whole, unless it has threads. An op on all rows has loops
// later.
// CHECK-LABEL: func @no_rows
// CHECK-NOT: norm.streams
// CHECK-LABEL: func @own_threads
// CHECK-NOT: norm.streams
// CHECK-LABEL: func @own_loop
// CHECK: norm.streams
// CHECK-LABEL: func @no_loop
// CHECK: norm.streams
!row = memref<1x1024xf32, strided<[1024, 1], offset: ?>>
func.func @no_rows(%x: f32, %y: memref<8x1024xf32>) {
  scf.forall (%i) in (8) {
    %yi = memref.subview %y[%i, 0] [1, 1024] [1, 1] : memref<8x1024xf32> to !row
    linalg.fill ins(%x : f32) outs(%yi : !row)
  }
  return
}
func.func @own_threads(%x: f32, %y: memref<8x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.forall (%t) in (4) {
    scf.for %i = %c0 to %c8 step %c1 {
      %yi = memref.subview %y[%i, 0] [1, 1024] [1, 1] : memref<8x1024xf32> to !row
      linalg.fill ins(%x : f32) outs(%yi : !row)
    } {norm.loop = #norm.loop<rows>}
  }
  return
}
func.func @own_loop(%x: memref<f32>, %y: memref<8x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %layer = %c0 to %c8 step %c1 {
    %v = memref.load %x[] : memref<f32>
    scf.for %i = %c0 to %c8 step %c1 {
      %yi = memref.subview %y[%i, 0] [1, 1024] [1, 1] : memref<8x1024xf32> to !row
      linalg.fill ins(%v : f32) outs(%yi : !row)
    } {norm.loop = #norm.loop<rows>}
  }
  return
}
func.func @no_loop(%x: memref<8x1024xf32>, %y: memref<8x1024xf32>) {
  linalg.copy ins(%x : memref<8x1024xf32>) outs(%y : memref<8x1024xf32>)
  return
}

// -----

// The even and the odd elements of pairs are one row in memory.
// CHECK-LABEL: func @pairs
// CHECK: norm.streams = #norm.row_streams<results = [0]>
#id = affine_map<(d0, d1) -> (d0, d1)>
!row = memref<1x64xf32, strided<[128, 2], offset: ?>>
func.func @pairs(%x: memref<8x128xf32>, %y: memref<8x128xf32>) {
  scf.forall (%i) in (8) {
    %x0 = memref.subview %x[%i, 0] [1, 64] [1, 2] : memref<8x128xf32> to !row
    %y0 = memref.subview %y[%i, 0] [1, 64] [1, 2] : memref<8x128xf32> to !row
    %y1 = memref.subview %y[%i, 1] [1, 64] [1, 2] : memref<8x128xf32> to !row
    linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x0 : !row) outs(%y0, %y1 : !row, !row) {
    ^bb0(%a: f32, %o: f32, %q: f32):
      %n = arith.negf %a : f32
      linalg.yield %a, %n : f32, f32
    }
  } {norm.loop = #norm.loop<rows>}
  return
}

// -----

// The place of the next row is computed as that of this one.
// CHECK-LABEL: func @every_other
// CHECK: scf.for %[[I:.*]] = %c0
// CHECK: %[[I1:.*]] = arith.addi %[[I]], %c1
// CHECK: %[[AT:.*]] = arith.muli %[[I1]], %c2
// CHECK: %[[NEXT:.*]] = memref.subview %arg0[%[[AT]], 0]
// CHECK: linalg.generic {{.*}}, %[[NEXT]] {{.*}}fetched = 1
#id = affine_map<(d0, d1) -> (d0, d1)>
!row = memref<1x128xf32, strided<[128, 1], offset: ?>>
func.func @every_other(%x: memref<2048x128xf32>, %y: memref<1024x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c1024 = arith.constant 1024 : index
  scf.for %i = %c0 to %c1024 step %c1 {
    %at = arith.muli %i, %c2 : index
    %xi = memref.subview %x[%at, 0] [1, 128] [1, 1] : memref<2048x128xf32> to !row
    %yi = memref.subview %y[%i, 0] [1, 128] [1, 1] : memref<1024x128xf32> to !row
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%xi : !row) outs(%yi : !row) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    }
  } {norm.loop = #norm.loop<rows>}
  return
}

// -----

// A divisor may be zero behind the last row.
// CHECK-LABEL: func @divided
// CHECK-NOT: fetched = 1
// CHECK: return
#id = affine_map<(d0, d1) -> (d0, d1)>
!row = memref<1x128xf32, strided<[128, 1], offset: ?>>
func.func @divided(%x: memref<2048x128xf32>, %y: memref<1024x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1023 = arith.constant 1023 : index
  %c1024 = arith.constant 1024 : index
  scf.for %i = %c0 to %c1024 step %c1 {
    %left = arith.subi %c1023, %i : index
    %some = arith.addi %left, %c1 : index
    %at = arith.divui %c1024, %some : index
    %xi = memref.subview %x[%at, 0] [1, 128] [1, 1] : memref<2048x128xf32> to !row
    %yi = memref.subview %y[%i, 0] [1, 128] [1, 1] : memref<1024x128xf32> to !row
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%xi : !row) outs(%yi : !row) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    }
  } {norm.loop = #norm.loop<rows>}
  return
}
