//===- Passes.td - rows to kernels ------------------------*- tablegen -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TARGET_GPU_PASSES
#define NORM_TARGET_GPU_PASSES

include "mlir/Pass/PassBase.td"

def NormDistributeRowsToGPU
    : Pass<"norm-distribute-rows-to-gpu", "func::FuncOp"> {
  let summary = "Row loops on buffers to gpu.launch with rows shared by threads";
  let description = [{
    Turns each outermost `scf.forall` or `scf.parallel` on buffers into a
    `gpu.launch`. A loop with a schedule (norm-tile-rows) gets a block a row, or
    blocks of 128 threads with several rows where a row has a warp or less. Rows of
    the last warp that are not there take part in its shuffles and write nothing.
    Transfers become aligned `vector.load` and `store`, predicated where a mask ends a row.
    docs/GPU.md says how threads and the blocks of a cluster share a row's vectors
    and reductions, what `shifted` rows do where they begin past an aligned
    address, and when the host launches a second kernel with V = 1.

    Other loops give one thread an iteration, 128 a block; where such a body has
    vectors, a missed remark says that it lacks a schedule. linalg ops on buffers
    become such loops first. What touches memory without a parallel loop, such as a
    reduction to one element, is wrapped into a launch of one thread: right, not fast.

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

    Threads that share a row wait for each other in its reduction, and memory is
    idle meanwhile. So a `vector.transfer_write` that stands behind a reduction, but
    does not need it, first moves right behind what it writes, such as the sum of a
    residual.

    A caller may put a result into the buffer of an input: any buffer of the same shape
    is taken to be the same memory. The loop may read such a buffer only at the place
    that is written, and before that. Results are taken to be different buffers. Rows in
    strips, and programs that read another input of that shape later (a gate), keep
    their order.

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
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "gpu::GPUDialect", "LLVM::LLVMDialect",
                           "memref::MemRefDialect", "NVVM::NVVMDialect",
                           "scf::SCFDialect", "vector::VectorDialect"];
}

def NormHoistGPULoads : Pass<"norm-hoist-gpu-loads", "func::FuncOp"> {
  let summary = "Issue the loads of a kernel before its first shuffle";
  let description = [{
    A reduction over a row makes its threads wait for each other, and a load that
    follows it in the program starts only then. In each block of a `gpu.launch`
    this pass moves the loads that follow the first `gpu.shuffle` or wait for a
    cluster before it, with what computes their indices, up to the first op that
    writes global memory; so a weight arrives while the statistic is computed. At
    most 16 registers per thread are held across the reduction.

    ```mlir
    %w = vector.load %weight[%i] : memref<4096xf32>, vector<4xf32> // stood behind %s
    %s = gpu.shuffle xor %a, %c16, %c32 : f32
    ```

    Where a block would be alone on its SM with all that is loaded, and two fit
    with less, fewer loads are hoisted: what the row leaves of the registers of half
    an SM (65536), less 16 for addresses. What follows is then moved to its first use,
    loads too, so that each chunk of the row is loaded, computed and stored before the
    next. A load does not pass a store to a buffer of its own shape, which may be the same
    memory.

    A loop over rows whose threads exchange loads the rows of each iteration in the one
    before it, if a thread has registers for both; the last one loads its own once more:

    ```mlir
    %first = scf.if %any -> (vector<4xf32>) { ... vector.load %x[%c0, %i] ... }
    %s:2 = scf.for %r = %c0 to %n step %c1 iter_args(%sum = %zero, %v = %first) {
      %next = vector.load %x[%after, %i] : memref<?x128xf32>, vector<4xf32>
    ```

    Limits: a load under a condition moves with its condition; other loads in loops
    stay.
  }];
  let dependentDialects = ["arith::ArithDialect", "scf::SCFDialect"];
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

#endif // NORM_TARGET_GPU_PASSES
