//===- Passes.td - rows to kernels ------------------------*- tablegen -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TARGET_GPU_PASSES
#define NORM_TARGET_GPU_PASSES

include "mlir/Pass/PassBase.td"

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
