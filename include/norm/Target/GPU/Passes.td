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
  let summary = "Put the ops of a single row into a loop of one iteration";
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

#endif // NORM_TARGET_GPU_PASSES
