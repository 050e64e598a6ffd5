// Why rows are not streamed, beside the reasons in stream-rows.mlir, stream-blocks.mlir and
// stream-row-sums.mlir.
// RUN: norm-opt %s --split-input-file --norm-stream-rows=cache-bytes=1 '--remarks-filter-missed=norm.*' --verify-diagnostics -o /dev/null

func.func @masked(%y: memref<?x100xf32>, %v: vector<128xf32>, %m: vector<128xi1>, %rows: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %rows step %c1 {
    // expected-remark @+1 {{[Missed] NotWholeRow | Category:norm-stream-rows | Remark="not streamed: its elements are masked or no neighbors in memory"}}
    vector.transfer_write %v, %y[%i, %c0], %m {in_bounds = [true]} : vector<128xf32>, memref<?x100xf32>
  } {norm.loop = #norm.loop<rows>}
  return
}
func.func @half_a_line(%y: memref<?x8xf32>, %v: vector<8xf32>, %rows: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %rows step %c1 {
    // expected-remark @+1 {{[Missed] NotWholeLines | Category:norm-stream-rows | Remark="not streamed: its vectors are not whole cache lines"}}
    vector.transfer_write %v, %y[%i, %c0] {in_bounds = [true]} : vector<8xf32>, memref<?x8xf32>
  } {norm.loop = #norm.loop<rows>}
  return
}

// A row that the statistic writes, and a second result that is one column behind. Narrower
// writes beside streamed ones need no reason.
func.func @strips(%x: memref<?x4096xf32>, %y: memref<?x4096xf32>, %z: memref<?x8192xf32>, %n: vector<32xf32>, %rows: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<64xf32>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %k = %c0 to %c4096 step %c64 {
      %v = vector.transfer_read %x[%i, %k], %pad {in_bounds = [true]} : memref<?x4096xf32>, vector<64xf32>
      vector.transfer_write %v, %y[%i, %k] {in_bounds = [true]} : vector<64xf32>, memref<?x4096xf32>
      // expected-remark @+1 {{[Missed] NotAlong | Category:norm-stream-rows | Remark="not streamed: it is not at the place of the first write of its strips"}}
      vector.transfer_write %v, %z[%c0, %k] {in_bounds = [true]} : vector<64xf32>, memref<?x8192xf32>
    } {norm.loop = #norm.loop<strips>}
    vector.transfer_write %n, %y[%i, %c0] {in_bounds = [true]} : vector<32xf32>, memref<?x4096xf32>
  } {norm.loop = #norm.loop<rows>}
  return
}
func.func @statistic(%x: memref<?x4096xf32>, %y: memref<?x4096xf32>, %s: memref<?xf32>, %rows: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<64xf32>
  scf.for %i = %c0 to %rows step %c1 {
    %sum = scf.for %k = %c0 to %c4096 step %c64 iter_args(%a = %zero) -> (vector<64xf32>) {
      %v = vector.transfer_read %x[%i, %k], %pad {in_bounds = [true]} : memref<?x4096xf32>, vector<64xf32>
      // expected-remark @+1 {{[Missed] NotInStrips | Category:norm-stream-rows | Remark="not streamed: the loop that writes it computes a statistic too"}}
      vector.transfer_write %v, %y[%i, %k] {in_bounds = [true]} : vector<64xf32>, memref<?x4096xf32>
      %n = arith.addf %a, %v : vector<64xf32>
      scf.yield %n : vector<64xf32>
    } {norm.loop = #norm.loop<statistic>}
    %t = vector.reduction <add>, %sum : vector<64xf32> into f32
    memref.store %t, %s[%i] : memref<?xf32>
  } {norm.loop = #norm.loop<rows>}
  return
}

// A temporary had better stay in the cache.
func.func @temporary(%rows: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  %y = memref.alloc() : memref<16x64xf32>
  scf.for %i = %c0 to %rows step %c1 {
    %v = vector.transfer_read %y[%i, %c0], %pad {in_bounds = [true]} : memref<16x64xf32>, vector<64xf32>
    vector.transfer_write %v, %y[%i, %c0] {in_bounds = [true]} : vector<64xf32>, memref<16x64xf32>
  } {norm.loop = #norm.loop<rows>}
  memref.dealloc %y : memref<16x64xf32>
  return
}
