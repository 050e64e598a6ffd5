//===- Passes.td - rows to kernels ------------------------*- tablegen -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TARGET_GPU_PASSES
#define NORM_TARGET_GPU_PASSES

include "mlir/Pass/PassBase.td"

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
