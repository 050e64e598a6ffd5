//===- Passes.td - passes of Rows --------------------------*- tablegen -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_ROWS_PASSES
#define NORM_ROWS_PASSES

include "mlir/Pass/PassBase.td"

def NormFormRows : Pass<"norm-form-rows", "func::FuncOp"> {
  let summary = "Form the ops that one loop over rows computes";
  let description = [{
    norm-tile-rows gives a loop over rows to each op that ends them, with all that
    this op needs. This pass decides what such an op is, by four rules in this order.

    **Ends of the same rows are one op.** Two scalings of one normalized value, or the
    gradient of each row beside the sum over all rows for the gradient of a weight,
    would read everything twice in two loops:

    ```mlir
    %dx = linalg.generic {iterator_types = ["parallel", "parallel"]} ins(%x, %r, %dy)
    %dw = linalg.generic {iterator_types = ["reduction", "parallel"]} ins(%x, %dy)
    ```

    becomes

    ```mlir
    %0:2 = linalg.generic {iterator_types = ["reduction", "parallel"]} ins(%x, %r, %dy)
        -> (tensor<?x64xf32>, tensor<64xf32>)
    ```

    A row of the first result is written once, in the iteration that reduces it. Both
    ops read a tensor with all their loops by the same map, or a sum over rows reads
    the result of an elementwise op so. No other `linalg.generic` but contractions
    reads what an elementwise end writes: others are computed in their users' loops.
    What the later op reads is moved before the earlier one; of two elementwise ops
    only where no linalg op has to move.

    **A result that is read again is written last.** The sum of a residual connection
    that is returned beside its norm is written once and read twice. Its buffer could
    not be streamed past the caches. The last reader, if its own result is one too,
    writes it instead, and the first op computes a row that stays in the cache:

    ```mlir
    %h = linalg.generic ... outs(%out0) // x + residual
    %y = linalg.generic ... ins(%h, %s) outs(%out1) // h * s, s a sum over the row of h
    ```

    becomes

    ```mlir
    %h = linalg.generic ... outs(%empty)
    %y:2 = linalg.generic ... ins(%h, %s) outs(%out1, %out0) // h * s, h
    ```

    **Cheap rows are computed again.** A producer of at most three sums and products of
    elements of 32 bits or more, which takes less time than to store a row and read it
    back, is fused into each of its readers if these are reductions and one end of rows:
    the sum of `h * h` over a row and `h * s`, with `h = x + r`, both read x and r then.

    Operations on values of the row alone, such as a root, do not count, because each
    loop over the row has them once; but in a static row of at most 256 elements, which
    lies in level 1 with its temporaries, they are most of the work, and the producer
    stays. So does one that two ends read, such as the sum of a residual stream:
    otherwise each layer would add up all layers before it.

    Readers in several loops each get a copy of an op of at most four `arith` operations
    without a division, if reading its inputs moves no more bytes than reading its
    result: a fill, a broadcast, a widening cast. The inputs of a copy are kept, so no
    chain is copied. Copies that end in one loop are equal there, and merge.

    **A value per row is an op of its own.** An elementwise op often begins with a few
    operations on values of which each row has one: a root, a division. Each row would
    wait for them, one at a time. If one of them is a division or a function, they become
    an op over the rows, which norm-tile-rows computes for a block of rows at once:
    `x / sqrt(sum)` of 16 rows becomes `root = sqrt(sum)`, an op of 16 elements, and `x / root`.

    The op has the loops on which the values depend, whichever these are: of a norm over
    channels, the root of a position is the same for all channels, and a row of blocks
    has one root and a scale per block.

    No rule changes an operation or its operands, and only sums that join other ops are
    added in another order. With `scheduled`, for rows that threads share, values per row
    stay where they are, and a sum over rows that another op reduces along the row joins the
    end of rows that reads them where threads can hold both (docs/GPU.md, "Backward passes"),
    unless it needs what is computed after the loop or numbers its elements.

    Limits: `linalg.generic` on tensors whose reduced loops are the outer ones
    (norm-normalize-loops); sums of one combining op with a neutral element. A function with
    `norm.sum_parts` (norm-split-sums) keeps its sums. Run it after
    norm-results-to-out-params, which gives results their destinations.
  }];
  let options = [Option<"scheduled", "scheduled", "bool", /*default=*/"false",
                        "Rows that threads share: join sums that these can "
                        "hold, split no scalars">];
  let dependentDialects = ["linalg::LinalgDialect", "tensor::TensorDialect"];
}

def NormTileRows : Pass<"norm-tile-rows", "func::FuncOp"> {
  let summary = "Tile rows of structured ops and fuse their producers";
  let description = [{
    Divides the linalg ops on tensors that work row by row into groups: a last op, the
    root, and the elementwise ops and row reductions that feed it. The row dimensions
    are the leading parallel dimensions that every reduction of the group keeps. They
    are tiled by one row, and the whole group is fused into the loop, so that a row is
    read from memory once and its intermediate values stay in cache or in registers. A
    softmax, a LayerNorm and a decomposed norm op all qualify, and the pass names none
    of them. Contractions and convolutions are not changed, and neither are producers
    that do not depend on the row (a weight).

    Ops join from the last one to the first, each of them one group, and each use is
    visited once, so that the time is linear in the length of a model. An op joins the
    first group that uses its result if all other users come after that group's loop,
    whose result they read. So the sum of a residual stream is computed in the loop of
    the norm that follows it, and kept for the next sum. An op with an earlier user,
    such as a matmul, is a root itself.

    A row may be looked at as blocks, such as the 32 elements that share a scale. A group
    over blocks takes in the statistic of the whole row, and its rows become whole ones,
    if the statistic combines as many elements as they then have, static numbers.

    Example (a row sum divided out again):

    ```mlir
    %s = linalg.reduce { arith.addf } ins(%x) outs(%zero : tensor<8xf32>) dimensions = [1]
    %y = linalg.generic ... ins(%x, %s) outs(%e) { divf } -> tensor<8x64xf32>
    ```

    becomes

    ```mlir
    %y = scf.for %i = %c0 to %c8 step %c1 iter_args(%out = %e) {
      %row = tensor.extract_slice %x[%i, 0] [1, 64] [1, 1]
      %s = linalg.reduce ... -> tensor<1xf32>
      %r = linalg.generic ... ins(%row, %s) -> tensor<1x64xf32>
      %o = tensor.insert_slice %r into %out[%i, 0] [1, 64] [1, 1]
      scf.yield %o
    } {norm.loop = #norm.loop<rows>}
    ```

    Each root has a plan (`#norm.row_plan`), which the loop takes over. A plan of a loop
    that the op does not end is an error, as are parts of rows that are not summed. An
    iteration works on several short rows (docs/Codegen.md, "Blocks of short rows"); the
    remaining ones are done one by one after the loop (an `scf.forall` has blocks only if
    no row remains).

    If the loop starts from a tensor that the group reads, too, the rows that an iteration
    overwrites are read from the tensor that the loop carries. Bufferization would copy
    all of a tensor that is read beside it.

    A root may reduce its rows, as norm-form-rows makes them: it sums over rows what
    it also writes of each, or what needs a statistic of each. Its rows are tiled by parts,
    by blocks and then one by one (docs/Codegen.md, "Sums beside rows"). The parts are added
    behind the loop, in order, to what the sum starts from:

    ```mlir
    %p:2 = scf.for %i = %c0 to %n step %c1 iter_args(%out = %e, %sums = %parts) {
      ... // loops over the blocks of part %i and over their rows carry %out and a sum
    } {norm.loop = #norm.loop<rows>}
    %s = linalg.generic {iterator_types = ["reduction", "parallel"]}
        ins(%p#1 : tensor<?x64xf32>) outs(%zero) { addf } -> tensor<64xf32>
    ```

    Other sums over rows are left for norm-vectorize-rows.

    With `parallel` the loop is an `scf.forall`, of parts where rows are summed. An op with
    a static extent of zero is replaced by its destinations. The temporary of a fused op
    holds one row.

    Upstream's tile-and-fuse driver fuses a producer once per slice of it, which is
    exponential in a chain whose ops are read twice; this pass merges the slices first
    and uses the driver's parts.

    With `scheduled` the loops are those of a GPU's kernels: each is an `scf.forall` whose
    `norm.loop` has the schedule that norm-vectorize-rows and norm-distribute-rows-to-gpu
    then follow, such as `#norm.loop<rows, <threads = 256, vector = 4, lanes = 4096,
    registers = 48>>`. It is chosen by the costs in docs/GPU.md. The ops of a group have one
    loop beyond the rows, the innermost, and an iteration has one row. A loop with an op that
    cannot be vectorized gets no schedule, which keeps its ops scalar.

    A row that is alone, because folding of unit dims has removed its loop, gets a loop of
    one iteration: a group with a reduction, of ops whose loops but the innermost have the
    extent 1, and the innermost that of the row or 1.

    A reduction of rows into one row, as of a gradient of a weight, becomes two loops: one over
    parts of the rows and blocks of the columns, and one over blocks of the columns that adds
    the parts (docs/GPU.md, "Sums of rows"). In a function with `norm.sum_parts`
    (norm-split-sums) the parts do not depend on outer extents, of which a rank has some. Sums
    beside rows have a loop over parts with the schedule, and in it one over a part's rows that
    carries the sums (docs/GPU.md, "Backward passes"); the parts are then added as any rows.

    Limits of both: the loops of the sum are parallel ones, then one over rows, then one over
    columns, with the results of one combining op each that has a neutral element
    (sums, products, minimums, maximums, of floats and integers). Upstream's
    `PartialReductionOpInterface` is not used: it starts sums from +0, which
    makes a sum of -0 a +0.
  }];
  let options = [
      Option<"parallel", "parallel", "bool", /*default=*/"false",
             "Make the row loop an scf.forall">,
      Option<"scheduled", "scheduled", "bool", /*default=*/"false",
             "Make loops for the threads of a GPU, with their schedules">,
      Option<"maxCluster", "max-cluster", "int64_t", /*default=*/"1",
             "Blocks that may share a row of a schedule; 1 where the chip has no "
             "clusters">];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "gpu::GPUDialect", "linalg::LinalgDialect",
                           "norm::NormDialect", "scf::SCFDialect",
                           "tensor::TensorDialect"];
}

def NormStreamRows : Pass<"norm-stream-rows", "ModuleOp"> {
  let summary = "Versions of loops over rows that leave the caches";
  let description = [{
    An ordinary store to memory that is not in the cache reads the line first:
    a loop that writes more than the cache holds moves half as much again as it
    has to. This pass makes a second version of each outermost loop on buffers that
    is, or holds, one of norm-tile-rows, and of each op on all rows. docs/Codegen.md,
    "When rows are streamed", says when it is taken, and how rows are aligned, fetched
    and computed ahead. norm-vectorize-rows follows `norm.streams` of its ops.

    A result is streamed when the loop never reads its buffer, the last dimension of that
    is contiguous, and an elementwise op writes it; other results of the op are streamed
    along if their rows lie at the same distance from a line.

    Example:

    ```mlir
    scf.for %i = %c0 to %m step %c1 {
      %row = memref.subview %x[%i, 0] [1, 4096] [1, 1]
      %to = memref.subview %y[%i, 0] [1, 4096] [1, 1]
      linalg.generic ... ins(%row) outs(%to) {...}
    } {norm.loop = #norm.loop<rows>}
    ```

    becomes

    ```mlir
    %large = ... // bytes of %x and %y > cache-bytes, no overlap
    scf.if %large {
      scf.for %i = %c0 to %m step %c1 {
        ...
        %next = memref.subview %x[%i_plus_1, 0] [1, 4096] [1, 1]
        linalg.generic ... ins(%row, %next) outs(%to) {...}
            {norm.streams = #norm.row_streams<results = [0], moved = true, fetched = 1>}
      } {norm.loop = #norm.loop<rows>}
    } else {
      ... // the loop as it was
    } {norm.versions}
    ```

    The rows of the next iteration are the last inputs of the op that fetches them.

    The first statistic of a row, if it only reads, is computed beside the strips of the row
    before, whose op has `beside = true`: that of row 0 before the loop, that of row i + 1
    right behind the op, and the last row follows the loop. An `scf.forall` becomes chunks of
    up to 32 rows for that. The plan of a loop (`#norm.row_plan`) can forbid either.

    Non-temporal stores need norm-finish-loops later on. Limits: loops without a
    role (`norm.loop`) stay as they are; buffers with dynamic strides, rows that a mask ends
    alone and results of reductions are not streamed.
  }];
  let options = [
    Option<"cacheBytes", "cache-bytes", "uint64_t", /*default=*/"0",
           "Stream from this many bytes on; 0: from what the machine reports">];
  let dependentDialects = ["arith::ArithDialect", "func::FuncDialect",
                           "memref::MemRefDialect", "norm::NormDialect",
                           "scf::SCFDialect"];
}

def NormVectorizeRows : Pass<"norm-vectorize-rows", "func::FuncOp"> {
  let summary = "Strip-mine and vectorize the innermost dimension of linalg ops";
  let description = [{
    Rewrites a linalg op on buffers to loops over its outer dimensions and a
    strip-mined, vectorized loop over the innermost one: a main loop of 64
    elements, a loop of 16 elements, and one masked vector of 16 elements for
    the rest; static extents omit empty parts. A reduction over the innermost
    dimension carries one vector accumulator of 64 elements (and one of 16)
    and adds its halves up at the end. Values that have one element per row are kept as
    scalars. The plan of the op, or of the loop around it (`#norm.row_plan`), may have
    other lanes.

    Strips of float sums are added by blocks of 16, in at most three levels of loops, and so
    are the rows of a sum over rows, whose reduction is the loop around the parallel innermost
    one: strip by strip in registers (docs/Codegen.md, "Errors", has the tree). Maxima and
    integer sums do not need this.

    Example: `linalg.generic` that doubles a memref<?xf32> becomes

    ```mlir
    scf.for %i = %c0 to %strips step %c64 {
      %v = vector.transfer_read %x[%i] : memref<?xf32>, vector<64xf32>
      %d = arith.addf %v, %v : vector<64xf32>
      vector.transfer_write %d, %y[%i] : vector<64xf32>, memref<?xf32>
    } {norm.loop = #norm.loop<strips>}
    ... vectors of 16, then one masked vector of 16 for the last elements ...
    ```

    The loops over a row of a reduction are `statistic`. Of the loops over other
    dimensions, the outermost in a loop of norm-tile-rows is a `block`.

    LLVM evaluates each op on all registers of a strip before the next op, so that a long
    chain, such as a polynomial, keeps more values alive than there are registers. Where more
    than `live_lanes` lanes would be alive at once (norm/IR/RowTarget.def), a strip is computed
    in parts of 16 elements, of 32 if bf16 are among them, each from the read to the write. In a
    reduction each is added to its part of the accumulator, so to the same sums as before. A row
    of one strip has no parts.

    A masked store takes as long as a whole short row on some CPUs (`vmaskmovps` is a
    microprogram on AMD's), and AVX2 has none for 16 bits, nor a masked load: LLVM
    goes element by element. Where the number of elements is known, a buffer is written in
    pieces whose sizes are powers of two, and so is one of less than 32 bits read, on every CPU.

    In a loop with a schedule (norm-tile-rows) the vectors have its `lanes`, and a
    reduction ends with one `vector.reduction`, which threads share later. Sums that a
    loop over rows reads and writes back in each iteration are carried as vectors. With
    `scheduled`, ops outside of such loops are not changed.

    The ops of a block share what is in registers: an element or a row of
    one vector that one op reads or writes is not read again by the next one, a
    temporary of which nothing is read goes, and so does the fill that a reduction
    starts from. Values per row are loaded before the strips, and what all rows read
    in one piece, such as a weight of 64 elements, before the loop over the rows.
    Buffers that are no views of each other do not overlap, as parameters do not
    (docs/Limits.md).

    A temporary of f32 into which nothing else is written than what was widened from bf16, or
    from f16, holds these, and each read widens them: half the cache, and
    `norm-narrow-floats-to-integers` sees where a rounding ends.

    A row that is read twice, for its statistic and to be scaled, and exceeds the level 1
    cache (32 KiB in all) leaves its last strips there. Read from the front again, each
    strip pushes out the one that is needed next. So the strips of an elementwise op go
    down if the op before it in the block reads a row of it and goes up. A statistic always
    goes up, because the order of its additions is part of the result. This needs a static
    extent, and results that are no other view of what is read.

    A view of the even or of the odd elements of a row, such as the real parts of a
    rotary embedding, would be a load per element. The pairs are read instead, which are
    contiguous, and taken apart by `vector.deinterleave`, and results that are the even and the
    odd elements of the same row are written as pairs. Where the body does the same with both,
    such as rounding them to 4 bits that it packs, it does so before they are taken apart, as
    bytes: a quarter of the registers to shuffle. This needs a static offset, size and stride,
    and the neighbor of the last element.

    An op that passes the caches (`#norm.row_streams`) has non-temporal stores. What is left of a
    line on both sides of `moved` strips is written by loops over quarters of a line and over
    elements (`#norm.loop<edge>`), with ordinary stores; the line at the end of the row, where
    the next one begins, is fetched before, because a store that misses the caches holds up all
    others. Such strips go up, unless they also add to what they read. `fetched` inputs are
    prefetched, four lines per strip of 64 f32:

    ```mlir
    scf.if %unaligned { ... } // the elements before %head, at the first aligned address
    scf.for %k = %head to %end step %c64 {
      memref.prefetch %next[%c0, %k], read, locality<2>, data // 4 lines
      ... // %strip: the elements of %y[%i, ...] from %k on
      vector.store %v, %strip[%c0] {alignment = 64, nontemporal = true}
    }
    scf.if %unaligned { ... } // lines and elements from %end to %c4096
    ```

    An op that is written `beside` the next reduction has its strips in the loops of that one, in
    pieces of a line, one or two strips behind what is read, and the last of them alone.

    Limits: operands must be contiguous in the innermost dimension or not depend
    on it, and the body must be elementwise; other ops are left to
    convert-linalg-to-loops.
  }];
  let options = [
    Option<"scheduled", "scheduled", "bool", /*default=*/"false",
           "Only ops in loops that have a schedule for threads">];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "memref::MemRefDialect", "norm::NormDialect",
                           "scf::SCFDialect", "vector::VectorDialect"];
}

#endif // NORM_ROWS_PASSES
