// Why the statistic of the next row is not computed beside what writes this one: each RUN line
// changes what the program says otherwise.
// RUN: norm-opt %s --norm-stream-rows=cache-bytes=1 '--remarks-filter-missed=norm.*' -o /dev/null 2>&1 | count 0
// RUN: sed 's/fill ins(%%zero/fill ins(%%l/' %s | norm-opt --norm-stream-rows=cache-bytes=1 '--remarks-filter-missed=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=EFFECTS
// EFFECTS: 38:5: remark: [Missed] NeedsEffects | Category:norm-stream-rows | Remark="not pipelined: it uses a value of the row that has side effects"
// RUN: sed 's/linalg.fill ins(%%zero : f32) outs(%%s : memref<1xf32>)/linalg.copy ins(%%start : memref<1xf32>) outs(%%s : memref<1xf32>)/' %s | norm-opt --norm-stream-rows=cache-bytes=1 '--remarks-filter-missed=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=EFFECTS
// RUN: sed 's/4096/1024/g' %s | norm-opt --norm-stream-rows=cache-bytes=1 '--remarks-filter-missed=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: 38:5: remark: [Missed] ShortRow | Category:norm-stream-rows | Remark="not pipelined: a row of few strips stays in the level 1 cache"
// RUN: sed 's/f32/bf16/g' %s | norm-opt --norm-stream-rows=cache-bytes=1 '--remarks-filter-missed=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=NARROW
// NARROW: 38:5: remark: [Missed] NarrowResult | Category:norm-stream-rows | Remark="not pipelined: results below 32 bits wait for arithmetic"
// RUN: sed 's/step %%c1 {/step %%c8 {/' %s | norm-opt --norm-stream-rows=cache-bytes=1 '--remarks-filter-missed=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: 38:5: remark: [Missed] NotRowByRow | Category:norm-stream-rows | Remark="not pipelined: the loop does not go over single rows in order"
// RUN: sed 's/%%xs = memref.subview %%x.%%i, 0. .1, 4096./%%xs = memref.subview %%x[%%i, 0] [1, 2048]/; s/!xs = memref<1x4096/!xs = memref<1x2048/' %s | norm-opt --norm-stream-rows=cache-bytes=1 '--remarks-filter-missed=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: 38:5: remark: [Missed] OtherColumns | Category:norm-stream-rows | Remark="not pipelined: it goes over other columns than the writes"
// RUN: sed 's/memref.store %%zero, %%u/memref.store %%zero, %%x/' %s | norm-opt --norm-stream-rows=cache-bytes=1 '--remarks-filter-missed=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=READS
// READS: 38:5: remark: [Missed] NotOnlyReads | Category:norm-stream-rows | Remark="not pipelined: it does more than read what the rows do not write"
// A value per row, which the row itself writes, is as little there before.
// RUN: sed 's/memref.store %%zero, %%u.%%i, %%c1. : memref<8x4096xf32>/memref.store %%zero, %%start[%%c0] : memref<1xf32>/' %s | norm-opt --norm-stream-rows=cache-bytes=1 '--remarks-filter-missed=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=READS
// RUN: sed 's/loop<rows>/&, norm.plan = #norm.row_plan<pipeline = false>/' %s | norm-opt --norm-stream-rows=cache-bytes=1 '--remarks-filter-missed=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAN
// PLAN: 38:5: remark: [Missed] NotPipelined | Category:norm-stream-rows | Remark="not pipelined: the plan of its rows forbids it"

#id = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
!row = memref<1x4096xf32, strided<[4096, 1], offset: ?>>
!xs = memref<1x4096xf32, strided<[4096, 1], offset: ?>>
func.func @rows(%x: memref<8x4096xf32>, %y: memref<8x4096xf32>, %u: memref<8x4096xf32>, %start: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    // Stores elsewhere and loads of the row's body do no harm by themselves.
    memref.store %zero, %u[%i, %c1] : memref<8x4096xf32>
    %l = memref.load %u[%i, %c0] : memref<8x4096xf32>
    %xs = memref.subview %x[%i, 0] [1, 4096] [1, 1] : memref<8x4096xf32> to !xs
    %s = memref.alloc() : memref<1xf32>
    linalg.fill ins(%zero : f32) outs(%s : memref<1xf32>)
    linalg.generic {indexing_maps = [#id, #rows, #rows], iterator_types = ["parallel", "reduction"]} ins(%xs, %start : !xs, memref<1xf32>) outs(%s : memref<1xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %n = arith.addf %o, %a : f32
      linalg.yield %n : f32
    }
    %xi = memref.subview %x[%i, 0] [1, 4096] [1, 1] : memref<8x4096xf32> to !row
    %yi = memref.subview %y[%i, 0] [1, 4096] [1, 1] : memref<8x4096xf32> to !row
    linalg.generic {indexing_maps = [#id, #rows, #id], iterator_types = ["parallel", "parallel"]} ins(%xi, %s : !row, memref<1xf32>) outs(%yi : !row) {
    ^bb0(%a: f32, %t: f32, %o: f32):
      %p = arith.mulf %a, %t : f32
      linalg.yield %p : f32
    }
  } {norm.loop = #norm.loop<rows>}
  return
}
