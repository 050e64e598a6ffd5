//===- Passes.td - rows to kernels ------------------------*- tablegen -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TARGET_GPU_PASSES
#define NORM_TARGET_GPU_PASSES

include "mlir/Pass/PassBase.td"

def NormPlanGPURows : Pass<"norm-plan-gpu-rows", "func::FuncOp"> {
  let summary = "Choose threads, vector width and vectors a thread for row loops";
  let description = [{
    Looks at every `scf.forall` of norm-tile-rows and, when all linalg ops in it
    can be vectorized along the row, adds to `norm.loop` the schedule that
    norm-vectorize-rows and norm-distribute-rows-to-gpu then follow:

    * `threads` that share one row;
    * `vector`: neighboring elements that a thread loads at once, 16 bytes of the
      narrowest element type;
    * `lanes`: elements of the vectors that the ops are written with;
    * `registers` that a thread may use for the occupancy wanted; tests hold the
      assembler to it;
    * `cluster`: the blocks that share a row that is too long for one (`threads`
      counts the threads of all);
    * `shifted` where rows do not begin at multiples of `vector`.

    The cost model is `chooseRowSchedule` in norm/Target/GPU/Schedule.h. A row that the threads can hold is one
    vector (read once, kept in registers): up to 24576 elements in one block of
    1024 threads, 393216 in a cluster of 16. Longer rows and dynamic ones are loops
    over strips. A loop with an op that cannot be vectorized gets no schedule, which
    keeps its ops scalar.

    Example:

    ```mlir
    %y = scf.forall (%i) in (64) shared_outs(%o = %init) -> tensor<64x4096xf32> {
      %r = linalg.generic ... ins(%row : tensor<1x4096xf32>) ...
    ```

    becomes

    ```mlir
    %y = scf.forall (%i) in (64) shared_outs(%o = %init) -> tensor<64x4096xf32> {
      %r = linalg.generic ... ins(%row : tensor<1x4096xf32>) ...
    } {norm.loop = #norm.loop<rows, <threads = 256, vector = 4, lanes = 4096,
                                     registers = 48>>}
    ```
  }];
  let dependentDialects = ["norm::NormDialect"];
  let options = [
      Option<"maxCluster", "max-cluster", "int64_t", /*default=*/"1",
             "Blocks that may share a row; 1 where the chip has no clusters">];
}

def NormWrapSingleRows : Pass<"norm-wrap-single-rows", "func::FuncOp"> {
  let summary = "A row that is alone gets a loop of one turn";
  let description = [{
    Folding of unit dims leaves a program on one row without a loop over rows,
    and a reduction without parallel loops would be one thread's work. This pass
    puts each group of linalg ops that work on one row (all loops but the
    innermost of extent 1, values passed among them, one of them a reduction)
    into an `scf.forall` of one iteration, which norm-plan-gpu-rows and
    norm-distribute-rows-to-gpu then treat as any other.

    Example:

    ```mlir
    %s = linalg.generic {iterator_types = ["reduction"], ...}
      ins(%x : tensor<4096xf32>) outs(%f : tensor<f32>) { addf }
    ```

    becomes

    ```mlir
    %s = scf.forall (%i) in (1) shared_outs(%o = %f) -> tensor<f32> {
      %p = linalg.generic {iterator_types = ["reduction"], ...}
        ins(%x : tensor<4096xf32>) outs(%o : tensor<f32>) { addf }
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %p into %o[] [] [] ...
      }
    } {mapping = [#gpu.block<x>], norm.loop = #norm.loop<rows>}
    ```

    Limits: a group with an op that norm-vectorize-rows cannot write, or whose
    values another op uses in between, stays.
  }];
  let dependentDialects = ["gpu::GPUDialect", "norm::NormDialect",
                           "scf::SCFDialect", "tensor::TensorDialect"];
}

def NormTileColumns : Pass<"norm-tile-columns", "func::FuncOp"> {
  let summary = "Reduce rows by parts and blocks of columns";
  let description = [{
    A reduction of rows into one row, as of a gradient of a weight, has no row that
    threads could share: left alone it is one thread a column, which adds all rows one
    after another. This pass tiles it by upstream's `TilingInterface` into an
    `scf.forall` over parts of the rows and blocks of the columns, each of which starts
    from the neutral element, and a second op that combines the parts in their order
    with what the destination held:

    * A block of columns is one access of each thread of a warp, 16 bytes where the
      extents allow it. Where they do not divide the columns, fewer threads have a
      block, and a warp several. The loop gets a schedule (see norm-plan-gpu-rows),
      so that norm-vectorize-rows writes the columns as one vector, whose sums
      norm-distribute-rows-to-gpu leaves in registers.
    * A part has at least 64 rows, and there are at most 1024 parts, divided by
      the warps that the columns need. Both depend on extents alone: the same tensor
      always has the same sum, to the bit.
    * The combining op is tiled in turn. Below 128 rows there is one part: the
      loop is over blocks of columns, and reduces into the destination.
    * Elementwise ops that alone read the result of one part, over the same columns, are
      tiled into its loop by upstream's tile-and-fuse: a norm over channels is one
      loop, whose threads go through their columns twice. Several parts take those
      that have no other loops than the result.

    Example:

    ```mlir
    %s = linalg.generic {iterator_types = ["reduction", "parallel"], ...}
      ins(%x : tensor<4096x4096xf32>) outs(%init : tensor<4096xf32>) { addf }
    ```

    becomes

    ```mlir
    %p = scf.forall (%i, %j) in (32, 32) shared_outs(%o = %e) -> tensor<32x4096xf32> {
      %r = linalg.generic {iterator_types = ["reduction", "parallel"], ...}
        ins(%rows : tensor<128x128xf32>) outs(%neutral : tensor<128xf32>) { addf }
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %r into %o[%i, %column] [1, 128] [1, 1] ...
      }
    } {norm.loop = #norm.loop<rows, <threads = 32, vector = 4, lanes = 128, ...>>}
    %s = scf.forall (%j) in (32) shared_outs(%o = %init) -> tensor<4096xf32> {
      %r = linalg.generic {iterator_types = ["reduction", "parallel"], ...}
        ins(%parts : tensor<32x128xf32>) outs(%old : tensor<128xf32>) { addf }
      ...
    ```

    Limits: the loops of the op are parallel ones, then one over rows, then one over
    columns, with the results of one combining op each that has a neutral element
    (sums, products, minimums, maximums, of floats and integers). Upstream's
    `PartialReductionOpInterface` is not used: it starts sums from +0, which
    makes a sum of -0 a +0.
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "gpu::GPUDialect", "linalg::LinalgDialect",
                           "norm::NormDialect", "scf::SCFDialect",
                           "tensor::TensorDialect"];
  let options = [
      Option<"leaveShared", "leave-shared", "bool", /*default=*/"false",
             "Leave reductions of rows that another op reduces along the row, for "
             "norm-join-columns, and move them to where they are needed">];
}

def NormJoinColumns : Pass<"norm-join-columns", "func::FuncOp"> {
  let summary = "Sum rows while they are computed, each block the rows of a part";
  let description = [{
    A backward pass reduces the same tensors along rows (its result is a row each) and over
    rows (the gradient of a weight). As two loops it reads them twice. This pass
    joins a reduction over rows to the `scf.forall` over those rows that norm-tile-rows
    made: the loop is then over parts of the rows, with a loop over a part's rows in it
    that carries the sums.

    ```mlir
    %dx = scf.forall (%i) in (4096) shared_outs(%o = %init) -> tensor<4096x1024xf32> {
      %r = linalg.generic ... ins(%row : tensor<1x1024xf32>) ...
      ...
    } {norm.loop = #norm.loop<rows>}
    %dw = linalg.generic {iterator_types = ["reduction", "parallel"], ...}
      ins(%x, %dy : tensor<4096x1024xf32>, ...) outs(%zero : tensor<1024xf32>) { addf }
    ```

    becomes

    ```mlir
    %r:2 = scf.forall (%part) in (512) shared_outs(%o = %init, %p = %e)
        -> (tensor<4096x1024xf32>, tensor<512x1024xf32>) {
      %s:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%rows = %o, %sum = %neutral) {
        %r = linalg.generic ... ins(%row : tensor<1x1024xf32>) ...
        %t = linalg.generic {iterator_types = ["parallel"]} ... outs(%sum : tensor<1024xf32>) { addf }
        scf.yield ...
      } {norm.loop = #norm.loop<rows>}
      ...
    } {norm.loop = #norm.loop<rows, <threads = 32, vector = 4, lanes = 1024, ...>>}
    %dw = linalg.generic {iterator_types = ["reduction", "parallel"], ...}
      ins(%r#1 : tensor<512x1024xf32>) outs(%zero : tensor<1024xf32>) { addf }
    ```

    norm-tile-columns then tiles the sum of the parts. Parts depend on the extents
    alone (`chooseRowParts`), so the same tensors have the same sum, to the bit.

    The schedule counts the registers of the sums (`chooseSummedRowSchedule`). Where the
    threads of one block cannot hold the row and them, where the rows are of unknown length
    or fewer than two parts, nothing is joined, and norm-tile-columns makes kernels of the
    reduction. Nor are reductions that need what is computed after the loop, that number
    their elements, or that start at several results.
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "gpu::GPUDialect", "linalg::LinalgDialect",
                           "norm::NormDialect", "scf::SCFDialect",
                           "tensor::TensorDialect"];
}

def NormHoistRowSums : Pass<"norm-hoist-row-sums", "func::FuncOp"> {
  let summary = "Keep in registers what the rows of a part are added to";
  let description = [{
    The sums of norm-join-columns are tensors that each turn of the loop over a part's rows
    reads and writes. This pass carries them as vectors through that loop, by upstream's
    hoisting of loop-invariant subsets, which takes any loop; this takes loops with a
    schedule only, whose accesses of one subset have one mask.

    Example: in a loop with a schedule,

    ```mlir
    %s = scf.for ... iter_args(%t = %init) -> tensor<1024xf32> {
      %old = vector.transfer_read %t[%c0] ... : tensor<1024xf32>, vector<1024xf32>
      %new = arith.addf %old, %row : vector<1024xf32>
      %u = vector.transfer_write %new, %t[%c0] ... : vector<1024xf32>, tensor<1024xf32>
      scf.yield %u
    ```

    becomes

    ```mlir
    %old = vector.transfer_read %init[%c0] ... : tensor<1024xf32>, vector<1024xf32>
    %v = scf.for ... iter_args(%sum = %old) -> vector<1024xf32> {
      %new = arith.addf %sum, %row : vector<1024xf32>
      scf.yield %new
    }
    %s = vector.transfer_write %v, %init[%c0] ... : vector<1024xf32>, tensor<1024xf32>
    ```
  }];
}

def NormDistributeRowsToGPU
    : Pass<"norm-distribute-rows-to-gpu", "func::FuncOp"> {
  let summary = "Row loops on buffers to gpu.launch with rows shared by threads";
  let description = [{
    Turns each outermost `scf.forall` or `scf.parallel` on buffers into a
    `gpu.launch`.

    A loop with a schedule (norm-plan-gpu-rows) gets a block a row, or blocks of 128
    threads with several rows where a row has a warp or less. Rows of the last
    warp that are not there take part in its shuffles and write nothing. Each
    vector of the body, `lanes` elements
    long, is split over the T threads of the row into chunks of V neighboring
    elements: element (c*T + t)*V + v is element v of chunk c in thread t, so
    that a warp's accesses are coalesced and each is V elements wide. Elementwise
    ops work chunk by chunk; `vector.transfer_read` and `write` become aligned
    `vector.load` and `store`, predicated where a mask ends a row;
    `vector.reduction` becomes a tree in the thread, log2(T) `gpu.shuffle xor`
    (at most five of 32 threads) in the warp and, beyond one warp, one exchange through
    workgroup memory, after which every thread has the same bits. Where
    `cluster` blocks share a row, each warp writes its value into the
    workgroup memory of all of them, and one barrier of the cluster takes the place
    of the block's, by ops of NVVM.

    Where they are `shifted`, rows begin up to V - 1 elements past an aligned address,
    and each row's threads begin at that address: their first and last vectors
    are accessed element by element, those between as one. A vector of a buffer
    whose rows begin elsewhere (a weight) is cut out of the two aligned vectors
    around it, and written by elements.

    Wide accesses need buffers aligned to V elements. The host checks the
    pointers, the inner extents (unless shifted) and that 32 bits number the
    rows, and launches a second kernel with V = 1 where one of that fails.

    Other loops give one thread an iteration, 128 a block; where such a body has
    vectors, a missed remark says that it lacks a schedule. Ops outside loops that
    touch memory are wrapped into a launch of one thread.

    Example, the body of a row sum over 128 elements:

    ```mlir
    scf.forall (%i) in (64) {
      %v = vector.transfer_read %x[%i, %c0], %pad : memref<64x128xf32>, vector<128xf32>
      %s = vector.reduction <add>, %v : vector<128xf32> into f32
      memref.store %s, %y[%i] : memref<64xf32>
    } {norm.loop = #norm.loop<rows, <threads = 32, vector = 4, lanes = 128,
                                     registers = 32>>}
    ```

    becomes, in four rows a block,

    ```mlir
    gpu.launch blocks(...) in (16, 1, 1) threads(%t, %w, ...) in (32, 4, 1) {
      %e = arith.muli %t, %c4
      %v = vector.load %x[%i, %e] {alignment = 16} : memref<64x128xf32>, vector<4xf32>
      ... %s0 = sum of the four; five times gpu.shuffle xor and arith.addf ...
      scf.if %first { memref.store %s, %y[%i] }
    }
    ```

    Loops and copies within a body are done one after the other. A buffer that a body
    allocates lives on the stack of each thread (up to 16 KiB, of a planned body up to
    eight scalars) or is its row's part of one buffer for all rows, which is allocated
    before the launch. A scalar that a row stores and reads back is stored by each of
    its threads; where a row needs more order than that, such as a vector read at
    another place than it was written, one thread works on it, up to 512 elements.

    Limits: a planned body may hold scalar ops, elementwise ops on 1-D vectors,
    masked transfers along the last dimension, `vector.reduction`, `scf.for` and
    `scf.if`; it must not, where rows share a warp, reduce under a condition. Other
    bodies are reported, and so are longer rows that read back what they write at
    another place, elements that are no whole number of bytes, and buffers whose length
    the row decides. `shifted` rows
    need masks that are constant and end V - 1 elements before the vector.
  }];
  let dependentDialects = ["arith::ArithDialect", "gpu::GPUDialect",
                           "LLVM::LLVMDialect", "memref::MemRefDialect",
                           "NVVM::NVVMDialect", "scf::SCFDialect",
                           "vector::VectorDialect"];
}

def NormWrapScalarLinalg : Pass<"norm-wrap-scalar-linalg", "func::FuncOp"> {
  let summary = "linalg ops on buffers without parallel loops to kernels";
  let description = [{
    A linalg op on buffers that has no parallel loop, outside kernels and parallel
    loops, would become host code on device memory. It is moved into a
    `gpu.launch` of one thread.

    Example: a sum of a whole tensor,

    ```mlir
    linalg.generic {iterator_types = ["reduction"], ...}
      ins(%x : memref<64xf32>) outs(%s : memref<f32>) { addf }
    ```

    becomes

    ```mlir
    gpu.launch blocks(...) in (1, 1, 1) threads(...) in (1, 1, 1) {
      linalg.generic {iterator_types = ["reduction"], ...}
        ins(%x : memref<64xf32>) outs(%s : memref<f32>) { addf }
      gpu.terminator
    }
    ```

    Limits: right, not fast.
  }];
  let dependentDialects = ["arith::ArithDialect", "gpu::GPUDialect"];
}

def NormWriteRowsEarly : Pass<"norm-write-rows-early", "func::FuncOp"> {
  let summary = "Write rows that need no statistic before the reduction";
  let description = [{
    Threads that share a row wait for each other in its reduction, and memory is
    idle meanwhile. In the body of each `scf.forall` on buffers this pass moves
    a `vector.transfer_write` before the first `vector.reduction` that follows
    what it writes, such as the sum of a residual: right behind what it writes, so
    that what the reduction needs is not computed while all of the row is held.

    Example:

    ```mlir
    %h = arith.addf %x, %r : vector<4096xf32>
    %q = arith.mulf %h, %h : vector<4096xf32>
    %s = vector.reduction <add>, %q : vector<4096xf32> into f32
    ...
    vector.transfer_write %y, %out[%row, %c0] : vector<4096xf32>, memref<?x4096xf32>
    vector.transfer_write %h, %sum[%row, %c0] : vector<4096xf32>, memref<?x4096xf32>
    ```

    becomes

    ```mlir
    %h = arith.addf %x, %r : vector<4096xf32>
    vector.transfer_write %h, %sum[%row, %c0] : vector<4096xf32>, memref<?x4096xf32>
    %q = arith.mulf %h, %h : vector<4096xf32>
    %s = vector.reduction <add>, %q : vector<4096xf32> into f32
    ...
    vector.transfer_write %y, %out[%row, %c0] : vector<4096xf32>, memref<?x4096xf32>
    ```

    A caller may put the result into the buffer of an input: the pass assumes that
    any buffer of the same shape is the same memory. The loop may read such a buffer
    only at the place that is written, and before the reduction; if it reads it after
    what is written is computed, the write is right before the reduction. Results
    are taken to be different buffers.

    Limits: rows in strips, and programs that read another input of that shape
    after the reduction (a gate), stay as they are.
  }];
}

def NormHoistGPULoads : Pass<"norm-hoist-gpu-loads", "func::FuncOp"> {
  let summary = "Issue the loads of a kernel before its first shuffle";
  let description = [{
    A reduction over a row makes its threads wait for each other, and a load that
    follows it in the program starts only then. In each block of a `gpu.launch`
    this pass moves the loads that follow the first `gpu.shuffle` or wait for a
    cluster before it, with what computes their indices, up to the first op that
    writes global memory; so a weight arrives while the statistic is computed. At most 16 registers per thread
    are held across the reduction.

    Example:

    ```mlir
    %s = gpu.shuffle xor %a, %c16, %c32 : f32
    %w = vector.load %weight[%i] : memref<4096xf32>, vector<4xf32>
    ```

    becomes

    ```mlir
    %w = vector.load %weight[%i] : memref<4096xf32>, vector<4xf32>
    %s = gpu.shuffle xor %a, %c16, %c32 : f32
    ```

    Where a block would be alone on its SM with all that is loaded, and two fit
    with less, fewer loads are hoisted: what the row leaves of the registers of half
    an SM (65536), less 16 for addresses. What follows is then
    moved to its first use, loads too, so that each chunk of the row is loaded,
    computed and stored before the next:

    ```mlir
    %w1 = vector.load %weight[%j] : memref<16384xf32>, vector<4xf32>
    %y0 = arith.mulf %x0, %w0 : vector<4xf32>
    %y1 = arith.mulf %x1, %w1 : vector<4xf32>
    vector.store %y0, %y[%row, %i] : memref<?x16384xf32>, vector<4xf32>
    vector.store %y1, %y[%row, %j] : memref<?x16384xf32>, vector<4xf32>
    ```

    becomes

    ```mlir
    %y0 = arith.mulf %x0, %w0 : vector<4xf32>
    vector.store %y0, %y[%row, %i] : memref<?x16384xf32>, vector<4xf32>
    %w1 = vector.load %weight[%j] : memref<16384xf32>, vector<4xf32>
    %y1 = arith.mulf %x1, %w1 : vector<4xf32>
    vector.store %y1, %y[%row, %j] : memref<?x16384xf32>, vector<4xf32>
    ```

    A load does not pass a store to a buffer of its own shape, which may be the same
    memory.

    Limits: a load under a condition moves with its condition; loads in loops
    stay.
  }];
}

def NormWidenBF16InWords : Pass<"norm-widen-bf16-in-words", "gpu::GPUModuleOp"> {
  let summary = "Widen two bf16 of a word by a shift and a mask";
  let description = [{
    A GPU loads bf16 in words of two. Converted one by one the upper one is first
    moved down and then shifted up again. This pass takes whole words of a vector:
    the lower bf16 is shifted up, the upper one is masked. The bits are the same,
    those of a NaN too.

    Example:

    ```mlir
    %y = arith.extf %x : vector<8xbf16> to vector<8xf32>
    ```

    becomes

    ```mlir
    %words = vector.bitcast %x : vector<8xbf16> to vector<4xi32>
    %lower = arith.shli %words, %c16 : vector<4xi32>
    %upper = arith.andi %words, %c0xffff0000 : vector<4xi32>
    %even = arith.bitcast %lower : vector<4xi32> to vector<4xf32>
    %odd = arith.bitcast %upper : vector<4xi32> to vector<4xf32>
    %y = vector.interleave %even, %odd : vector<4xf32> -> vector<8xf32>
    ```

    Limits: vectors of rank 1 and even length.
  }];
  let dependentDialects = ["arith::ArithDialect", "vector::VectorDialect"];
}

def NormDeviceMemory : Pass<"norm-device-memory", "func::FuncOp"> {
  let summary = "Buffers of a function that launches kernels live on the device";
  let description = [{
    The buffers that a function takes are device memory. This pass makes the
    rest agree: `memref.alloc` and `dealloc` become `gpu.alloc` and
    `gpu.dealloc`, `memref.copy` becomes `gpu.memcpy`, and a constant
    (`memref.get_global`) that a kernel reads is copied to the device first. An
    element that the host reads (`memref.load`) comes from a copy of its buffer.

    Example: `%b = memref.alloc(%n) : memref<?xf32>` becomes
    `%b = gpu.alloc(%n) : memref<?xf32>`.

    Another op that would read or write memory on the host is an error, at its
    location.
  }];
  let dependentDialects = ["gpu::GPUDialect", "memref::MemRefDialect"];
}

def NormKnownClusterSize : Pass<"norm-known-cluster-size", "ModuleOp"> {
  let summary = "Cluster sizes of launches, written on their kernels";
  let description = [{
    gpu-kernel-outlining records constant block and grid sizes on a kernel, but
    not the size of its clusters. This pass does where all launches of a kernel
    have the same constant one. The image then says it (PTX by
    `.reqnctapercluster`), so that who launches it without this program's host code
    gets clusters too.

    Example:

    ```mlir
    gpu.launch_func @kernels::@k clusters in (%c4, %c1, %c1) blocks in ...
    gpu.func @k(...) kernel
    ```

    becomes

    ```mlir
    gpu.launch_func @kernels::@k clusters in (%c4, %c1, %c1) blocks in ...
    gpu.func @k(...) kernel attributes {known_cluster_size = array<i32: 4, 1, 1>}
    ```
  }];
}

#endif // NORM_TARGET_GPU_PASSES
