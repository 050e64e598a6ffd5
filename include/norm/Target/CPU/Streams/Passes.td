//===- Passes.td - passes of Target/CPU/Streams ------------*- tablegen -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TARGET_CPU_STREAMS_PASSES
#define NORM_TARGET_CPU_STREAMS_PASSES

include "mlir/Pass/PassBase.td"

def NormStreamRows : Pass<"norm-stream-rows", "ModuleOp"> {
  let summary = "Non-temporal stores and prefetch where rows leave the cache";
  let description = [{
    An ordinary store to memory that is not in the cache reads the line first:
    a loop that writes more than the cache holds moves half as much again as it
    has to. This pass makes a second version of each outermost loop on buffers that
    is, or holds, one of norm-tile-rows or norm-vectorize-rows, and chooses between
    the two when the loop is reached. The second one writes with non-temporal stores
    and fetches the next row while it writes this one, or in another loop over the
    same strips that computes far more: into the level 2 cache, so that it does not
    push this row out of level 1, or into level 1 where the loop computes functions.
    It is taken when

    * the buffers of the loop hold more than `cache-bytes` bytes together; with
      0, sixteen times the level 2 cache that `sysconf` reports, or 16 MiB where
      it reports none (level 3 is no measure: virtual machines report that of
      the whole socket);
    * no buffer that the loop reads overlaps one that it streams.

    A written buffer is streamed when the loop never reads it, its last
    dimension is contiguous, and it is written lane by lane in an inner loop
    whose body does nothing else (elementwise ops, reads, writes). Rows need no
    alignment: the inner loop of the second version starts at the first address
    that is a multiple of 64. What is left of a line on both sides is written by
    loops over quarters of a line and over elements (`#norm.loop<edge>`), with ordinary
    stores; the line at the end of the row, where the next one begins, is fetched
    before, because a store that misses the caches holds up all others. Where a row is one
    vector and has no inner loop, all rows must be aligned, which is part of the condition.

    Of a loop that also adds to what it reads, such as a row of sums, rows of less than 2048
    elements must be aligned. The next row is fetched in the second loop that reads this one,
    because no other row is read while it is written. Such strips still go down where
    norm-vectorize-rows lets them; others go up, beside the next row.

    Example:

    ```mlir
    scf.for %i = %c0 to %m step %c1 {
      %sum = scf.for ... {norm.loop = #norm.loop<statistic>} // reads %x[%i, ...]
      scf.for %k = %c0 to %c4096 step %c64 {
        ...
        vector.transfer_write %v, %y[%i, %k] {in_bounds = [true]}
      } {norm.loop = #norm.loop<strips>}
    } {norm.loop = #norm.loop<rows>}
    ```

    becomes

    ```mlir
    %large = ... // bytes of %x and %y > cache-bytes, no overlap
    scf.if %large {
      scf.for %i = %c0 to %m step %c1 {
        %sum = scf.for ...
        %head = ... // elements before the first aligned address of %y[%i, ...]
        scf.if %unaligned { ... } // the elements before it
        scf.for %k = %head to %end step %c64 {
          memref.prefetch %x[%next, %k], read, locality<2>, data // 4 lines
          ...
          vector.store %v, %y[%i, %k] {alignment = 64, nontemporal = true}
        }
        scf.if %unaligned { ... } // lines and elements from %end to %c4096
      }
    } else {
      ... // the loop as it was
    }
    ```

    The first statistic of a row, if it only reads, goes on beside the
    strips of the row before, so that memory is read and written all the time:

    ```mlir
    %first = scf.for ... // reduces row 0
    %last = scf.for %i = %c0 to %m_minus_1 step %c1 iter_args(%sum = %first) {
      ... // of %sum
      %next = scf.for %k = %c0 to %c4096 step %c64 {
        memref.prefetch %x[%i_plus_1, %k_plus_256], read, locality<3>, data
        ... // a strip of row %i, in pieces of 64 bytes
        ... // a strip of the reduction of row %i + 1
      }
      scf.yield %next
    }
    ... // the last row
    ```

    It applies where both loops have the same strips, 32 at least, and 32-bit
    results; an `scf.forall` becomes chunks of up to 32 rows.

    The plan of a loop (`norm.plan`, norm-tile-rows) forbids the version by
    `stream = false`, and that rows overlap by `pipeline = false`.

    Non-temporal stores need norm-fence-streams later on. Limits: loops without a
    role (`norm.loop`) stay as they are; buffers with dynamic strides, masked strips
    and loops that carry values are not streamed.
  }];
  let options = [
    Option<"cacheBytes", "cache-bytes", "int64_t", /*default=*/"0",
           "Stream from this many bytes on; 0: from what the machine reports">];
  let dependentDialects = ["arith::ArithDialect", "func::FuncDialect",
                           "memref::MemRefDialect", "scf::SCFDialect",
                           "vector::VectorDialect"];
}

def NormFenceStreams : Pass<"norm-fence-streams", "func::FuncOp"> {
  let summary = "A fence after loops with non-temporal stores";
  let description = [{
    Non-temporal stores are not ordered with what follows. A fence, sequentially
    consistent or with `sfence` the instruction of x86, follows each outermost
    `scf.for` that has such stores; in an `omp.parallel` it stands at the end of the region, so
    that every thread's stores are visible before the threads join.

    Example:

    ```mlir
    scf.for ... { vector.store ... {nontemporal = true} }
    ```

    becomes

    ```mlir
    scf.for ... { vector.store ... {nontemporal = true} }
    llvm.fence seq_cst
    ```

    Limits: runs after convert-scf-to-openmp; an `scf.forall` or `scf.parallel`
    that streams is an error, because its threads could not fence.
  }];
  let options = [Option<"sfence", "sfence", "bool", /*default=*/"false",
                        "The instruction of x86 instead of a general fence">];
  let dependentDialects = ["LLVM::LLVMDialect"];
}


#endif // NORM_TARGET_CPU_STREAMS_PASSES
