// Why rows are not streamed, beside the reasons in stream-rows.mlir.
// RUN: norm-opt %s --split-input-file --norm-stream-rows=cache-bytes=1 '--remarks-filter-missed=norm.*' --verify-diagnostics -o /dev/null

#id = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#cols = affine_map<(d0, d1) -> (d1)>
!row = memref<1x4096xf32, strided<[4096, 1], offset: ?>>
!odd = memref<1x1028xf32, strided<[1028, 1], offset: ?>>

func.func @twelve_columns(%v: f32, %y: memref<8x12xf32>) {
  scf.forall (%i) in (8) {
    %yi = memref.subview %y[%i, 0] [1, 12] [1, 1] : memref<8x12xf32> to memref<1x12xf32, strided<[12, 1], offset: ?>>
    // expected-remark @+1 {{[Missed] NotWholeRow | Category:norm-stream-rows | Remark="not streamed: its elements are masked or no neighbors in memory"}}
    linalg.fill ins(%v : f32) outs(%yi : memref<1x12xf32, strided<[12, 1], offset: ?>>)
  } {norm.loop = #norm.loop<rows>}
  return
}
func.func @every_third(%v: f32, %y: memref<8x300xf32>) {
  scf.forall (%i) in (8) {
    %yi = memref.subview %y[%i, 0] [1, 100] [1, 3] : memref<8x300xf32> to memref<1x100xf32, strided<[300, 3], offset: ?>>
    // expected-remark @+1 {{[Missed] NotWholeRow | Category:norm-stream-rows | Remark="not streamed: its elements are masked or no neighbors in memory"}}
    linalg.fill ins(%v : f32) outs(%yi : memref<1x100xf32, strided<[300, 3], offset: ?>>)
  } {norm.loop = #norm.loop<rows>}
  return
}
func.func @half_a_line(%v: f32, %y: memref<8x8xf32>) {
  scf.forall (%i) in (8) {
    %yi = memref.subview %y[%i, 0] [1, 8] [1, 1] : memref<8x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    // expected-remark @+1 {{[Missed] NotWholeLines | Category:norm-stream-rows | Remark="not streamed: its vectors are not whole cache lines"}}
    linalg.fill ins(%v : f32) outs(%yi : memref<1x8xf32, strided<[8, 1], offset: ?>>)
  } {norm.loop = #norm.loop<rows>}
  return
}
func.func @within_lines(%v: f32, %y: memref<8x65xf32>) {
  scf.forall (%i) in (8) {
    %yi = memref.subview %y[%i, 0] [1, 65] [1, 1] : memref<8x65xf32> to memref<1x65xf32, strided<[65, 1], offset: ?>>
    // expected-remark @+1 {{[Missed] RowsWithinLines | Category:norm-stream-rows | Remark="not streamed: its rows are not known to start at cache lines"}}
    linalg.fill ins(%v : f32) outs(%yi : memref<1x65xf32, strided<[65, 1], offset: ?>>)
  } {norm.loop = #norm.loop<rows>}
  return
}
func.func @forbidden(%v: f32, %y: memref<8x4096xf32>) {
  scf.forall (%i) in (8) {
    %yi = memref.subview %y[%i, 0] [1, 4096] [1, 1] : memref<8x4096xf32> to !row
    // expected-remark @+1 {{[Missed] NotStreamed | Category:norm-stream-rows | Remark="not streamed: the plan of its rows forbids it"}}
    linalg.fill ins(%v : f32) outs(%yi : !row)
  } {norm.loop = #norm.loop<rows>, norm.plan = #norm.row_plan<stream = false>}
  return
}

// A second result that is one column behind, one of the same buffer, and a row that a sum over
// rows writes.
func.func @two(%x: memref<8x4096xf32>, %y: memref<8x4096xf32>, %z: memref<8x8192xf32>) {
  scf.forall (%i) in (8) {
    %xi = memref.subview %x[%i, 0] [1, 4096] [1, 1] : memref<8x4096xf32> to !row
    %yi = memref.subview %y[%i, 0] [1, 4096] [1, 1] : memref<8x4096xf32> to !row
    %zi = memref.subview %z[%i, 1] [1, 4096] [1, 1] : memref<8x8192xf32> to memref<1x4096xf32, strided<[8192, 1], offset: ?>>
    // expected-remark @+1 {{[Missed] NotAlong | Category:norm-stream-rows | Remark="not streamed: it is not at the place of the first write of its strips"}}
    linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%xi : !row) outs(%yi, %zi : !row, memref<1x4096xf32, strided<[8192, 1], offset: ?>>) {
    ^bb0(%a: f32, %o: f32, %q: f32):
      linalg.yield %a, %a : f32, f32
    }
  } {norm.loop = #norm.loop<rows>}
  return
}
func.func @statistic(%x: memref<8x64x4096xf32>, %y: memref<8x4096xf32>, %zero: f32) {
  scf.forall (%i) in (8) {
    %xi = memref.subview %x[%i, 0, 0] [1, 64, 4096] [1, 1, 1] : memref<8x64x4096xf32> to memref<64x4096xf32, strided<[4096, 1], offset: ?>>
    %yi = memref.subview %y[%i, 0] [1, 4096] [1, 1] : memref<8x4096xf32> to memref<4096xf32, strided<[1], offset: ?>>
    // expected-remark @+1 {{[Missed] ReadAgain | Category:norm-stream-rows | Remark="not streamed: the loop uses the buffer otherwise too"}}
    linalg.fill ins(%zero : f32) outs(%yi : memref<4096xf32, strided<[1], offset: ?>>)
    linalg.generic {indexing_maps = [#id, #cols], iterator_types = ["reduction", "parallel"]} ins(%xi : memref<64x4096xf32, strided<[4096, 1], offset: ?>>) outs(%yi : memref<4096xf32, strided<[1], offset: ?>>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %o, %a : f32
      linalg.yield %s : f32
    }
  } {norm.loop = #norm.loop<rows>}
  return
}

// A buffer of the loop that may be another one.
func.func @unknown(%c: i1, %x: memref<8x4096xf32>, %z: memref<8x4096xf32>, %y: memref<8x4096xf32>) {
  scf.forall (%i) in (8) {
    %b = arith.select %c, %x, %z : memref<8x4096xf32>
    %bi = memref.subview %b[%i, 0] [1, 4096] [1, 1] : memref<8x4096xf32> to !row
    %yi = memref.subview %y[%i, 0] [1, 4096] [1, 1] : memref<8x4096xf32> to !row
    // expected-remark @+1 {{[Missed] UnknownBuffer | Category:norm-stream-rows | Remark="not streamed: its op uses a buffer of the loop that may be another one"}}
    linalg.copy ins(%bi : !row) outs(%yi : !row)
  } {norm.loop = #norm.loop<rows>}
  return
}

// Rows that are also added to a sum, too short to be moved.
func.func @short_sums(%x: memref<8x1028xf32>, %y: memref<8x1028xf32>, %s: memref<1028xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %xi = memref.subview %x[%i, 0] [1, 1028] [1, 1] : memref<8x1028xf32> to !odd
    %yi = memref.subview %y[%i, 0] [1, 1028] [1, 1] : memref<8x1028xf32> to !odd
    // expected-remark @+2 {{[Missed] ShortFixedRow | Category:norm-stream-rows | Remark="not streamed: it adds to short rows that do not start at cache lines"}}
    // expected-remark @+1 {{[Missed] ReadAgain}}
    linalg.generic {indexing_maps = [#id, #id, #cols], iterator_types = ["reduction", "parallel"]} ins(%xi : !odd) outs(%yi, %s : !odd, memref<1028xf32>) {
    ^bb0(%a: f32, %o: f32, %q: f32):
      %t = arith.addf %q, %a : f32
      linalg.yield %a, %t : f32, f32
    }
  } {norm.loop = #norm.loop<rows>}
  return
}

// A temporary had better stay in the cache.
func.func @temporary(%rows: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc() : memref<16x64xf32>
  scf.for %i = %c0 to %rows step %c1 {
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%y : memref<16x64xf32>) {
    ^bb0(%o: f32):
      %s = arith.addf %o, %o : f32
      linalg.yield %s : f32
    }
  } {norm.loop = #norm.loop<rows>}
  memref.dealloc %y : memref<16x64xf32>
  return
}
