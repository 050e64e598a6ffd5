// Why the statistic of the next row does not overlap the strips of this one: each
// RUN line changes what the program says otherwise.
// RUN: sed 's/START/zero/' %s | norm-opt --norm-stream-rows=cache-bytes=1 '--remarks-filter-missed=norm.*' -o /dev/null 2>&1 | count 0
// RUN: sed 's/START/first/' %s | norm-opt --norm-stream-rows=cache-bytes=1 '--remarks-filter-missed=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=EFFECTS
// EFFECTS: 33:12: remark: [Missed] NeedsEffects | Category:norm-stream-rows | Remark="not pipelined: it uses a value of the row that has side effects"
// RUN: sed 's/START/zero/; s/4096/1024/g' %s | norm-opt --norm-stream-rows=cache-bytes=1 '--remarks-filter-missed=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: 33:12: remark: [Missed] ShortRow | Category:norm-stream-rows | Remark="not pipelined: a row of few strips stays in the level 1 cache"
// RUN: sed 's/START/zero/; s/f32/bf16/g' %s | norm-opt --norm-stream-rows=cache-bytes=1 '--remarks-filter-missed=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=NARROW
// NARROW: 33:12: remark: [Missed] NarrowResult | Category:norm-stream-rows | Remark="not pipelined: results below 32 bits wait for arithmetic"
// RUN: sed 's/START/zero/; s/step %%c1 {/step %%c8 {/' %s | norm-opt --norm-stream-rows=cache-bytes=1 '--remarks-filter-missed=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: 33:12: remark: [Missed] NotRowByRow | Category:norm-stream-rows | Remark="not pipelined: the loop does not go over single rows in order"
// RUN: sed 's/START/zero/; s/%%sum = scf.for %%k = %%c0/%%sum = scf.for %%k = %%c64/' %s | norm-opt --norm-stream-rows=cache-bytes=1 '--remarks-filter-missed=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: 33:12: remark: [Missed] OtherColumns | Category:norm-stream-rows | Remark="not pipelined: it goes over other columns than the writes"
// RUN: sed 's/START/zero/; s/memref.store %%pad, %%u/memref.store %%pad, %%x/' %s | norm-opt --norm-stream-rows=cache-bytes=1 '--remarks-filter-missed=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=READS
// READS: 33:12: remark: [Missed] NotOnlyReads | Category:norm-stream-rows | Remark="not pipelined: it does more than read what the rows do not write"
// RUN: sed 's/START/zero/; s/loop<rows>/&, norm.plan = #norm.row_plan<pipeline = false>/' %s | norm-opt --norm-stream-rows=cache-bytes=1 '--remarks-filter-missed=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAN
// PLAN: 33:12: remark: [Missed] NotPipelined | Category:norm-stream-rows | Remark="not pipelined: the plan of its rows forbids it"
// RUN: sed 's/START/zero/; s/loop<rows>/&, norm.plan = #norm.row_plan<stream = false>/' %s | norm-opt --norm-stream-rows=cache-bytes=1 '--remarks-filter-missed=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=STREAM
// STREAM: 43:7: remark: [Missed] NotStreamed | Category:norm-stream-rows | Remark="not streamed: the plan of its rows forbids it"
func.func @rows(%x: memref<8x4096xf32>, %y: memref<8x4096xf32>, %u: memref<8x4096xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<64xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    // Stores elsewhere and loads of the row's body do no harm by themselves.
    memref.store %pad, %u[%i, %c1] : memref<8x4096xf32>
    %l = memref.load %u[%i, %c0] : memref<8x4096xf32>
    %first = vector.broadcast %l : f32 to vector<64xf32>
    %sum = scf.for %k = %c0 to %c4096 step %c64 iter_args(%s = %START) -> (vector<64xf32>) {
      %v = vector.transfer_read %x[%i, %k], %pad {in_bounds = [true]} : memref<8x4096xf32>, vector<64xf32>
      %t = arith.addf %s, %v : vector<64xf32>
      scf.yield %t : vector<64xf32>
    } {norm.loop = #norm.loop<statistic>}
    %total = vector.reduction <add>, %sum : vector<64xf32> into f32
    %factor = vector.broadcast %total : f32 to vector<64xf32>
    scf.for %k = %c0 to %c4096 step %c64 {
      %v = vector.transfer_read %x[%i, %k], %pad {in_bounds = [true]} : memref<8x4096xf32>, vector<64xf32>
      %p = arith.mulf %v, %factor : vector<64xf32>
      vector.transfer_write %p, %y[%i, %k] {in_bounds = [true]} : vector<64xf32>, memref<8x4096xf32>
    } {norm.loop = #norm.loop<strips>}
  } {norm.loop = #norm.loop<rows>}
  return
}
