//===- Passes.td - kernels on an emulated GPU -------------*- tablegen -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TARGET_SIMT_PASSES
#define NORM_TARGET_SIMT_PASSES

include "mlir/Pass/PassBase.td"

def NormEmulateGPU : Pass<"norm-emulate-gpu", "ModuleOp"> {
  let summary = "GPU kernels to CPU code whose threads are fibers";
  let description = [{
    Runs a program of gpu-dialect kernels on the host, thread by thread, to test
    it where there is no GPU. Each kernel becomes a function of one thread; the
    runtime (norm/Testing/SIMT/Runtime.h) calls it once a thread of the grid, on
    a stack of its own, and switches threads where they wait:

    * ids and sizes of threads, blocks and clusters are loaded from the thread
      that the runtime passes;
    * `gpu.barrier`, `gpu.shuffle`, `nvvm.cluster.arrive` and `wait` are calls;
    * workgroup buffers are memory that the runtime gives each block, and
      `nvvm.mapa` finds the same place in another block of the cluster;
    * `gpu.alloc`, `dealloc` and `memcpy` are the host's, `gpu.wait` and tokens
      go, `gpu.launch_func` is a call that returns when the grid has run;
    * `nvvm.griddepcontrol` and prefetches do nothing.

    The runtime reports what a GPU would hang on or get wrong: a barrier or a
    shuffle that not all threads reach, a shuffle from a lane that is not
    active, a cluster barrier that a thread does not arrive at. Indices into
    workgroup memory and pointers to it are checked at each access, and bytes
    that nobody has written are 0xff (NaN).

    Example:

    ```mlir
    gpu.func @k(%x: memref<64xf32>)
        workgroup(%s: memref<2xf32, #gpu.address_space<workgroup>>) kernel {
      %t = gpu.thread_id x
      %v = memref.load %s[%t] : memref<2xf32, #gpu.address_space<workgroup>>
      gpu.barrier
    ```

    becomes

    ```mlir
    func.func private @k(%self: !llvm.ptr, %arguments: !llvm.ptr) {
      %word = llvm.load %self : !llvm.ptr -> i64
      %t = arith.index_cast %word : i64 to index
      call @norm_simt_check_index(%self, %site, %word, %c1, %c2) : ...
      %v = memref.load %s[%t] : memref<2xf32>
      call @norm_simt_barrier(%self, %site1) : (!llvm.ptr, !llvm.ptr) -> ()
    ```

    and `gpu.launch_func @m::@k blocks in ... args(%x)` becomes
    `call @norm_simt_launch(%name, %k, %arguments, %sizes, %bytes)`, where
    `%arguments` points to `%x`.

    Limits: gpu.launch has to be outlined before. Accesses to workgroup memory
    are loads and stores of memref, vector and llvm; dynamic workgroup memory,
    `gpu.all_reduce`, `mbarrier` and inline PTX are errors, at their location.
  }];
  let dependentDialects = ["arith::ArithDialect", "func::FuncDialect",
                           "LLVM::LLVMDialect", "memref::MemRefDialect",
                           "vector::VectorDialect"];
}

#endif // NORM_TARGET_SIMT_PASSES
