//===- Passes.td - distribution to NVIDIA GPUs ------------*- tablegen -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TARGET_NVVM_PASSES
#define NORM_TARGET_NVVM_PASSES

include "mlir/Pass/PassBase.td"

def NormPlanGPURows : Pass<"norm-plan-gpu-rows", "func::FuncOp"> {
  let summary = "Choose threads, vector width and vectors a thread for row loops";
  let description = [{
    Looks at every `scf.forall` of norm-tile-rows and, when all linalg ops in it
    can be vectorised along the row, records the schedule that
    norm-vectorize-rows and norm-distribute-rows-to-gpu then follow:

    * on each linalg op with a row, `norm.row_lanes`: elements of the vectors
      that it is written with;
    * on the loop, `norm.threads` (threads that share one row), `norm.vector`
      (neighbouring elements that a thread loads at once, 16 bytes of the
      narrowest element type), `norm.shifted` where rows do not begin at
      multiples of that, and `norm.registers` (what a thread may use for the
      occupancy wanted; tests hold ptxas to it).

    The cost model is `chooseRowSchedule` in norm/Target/NVVM/Schedule.h. A row
    of up to 24576 elements is one vector (read once, kept in registers); longer
    rows and dynamic ones are loops over strips. A loop with an op that cannot
    be vectorised gets `norm.row_lanes = 0` on its ops, which keeps them scalar.

    Example:

    ```mlir
    %y = scf.forall (%i) in (64) shared_outs(%o = %init) -> tensor<64x4096xf32> {
      %r = linalg.generic ... ins(%row : tensor<1x4096xf32>) ...
    ```

    becomes

    ```mlir
    %y = scf.forall (%i) in (64) shared_outs(%o = %init) -> tensor<64x4096xf32> {
      %r = linalg.generic ... {norm.row_lanes = 4096 : i64}
      ...
    } {norm.registers = 48 : i64, norm.threads = 256 : i64, norm.vector = 4 : i64}
    ```
  }];
}

def NormDistributeRowsToGPU
    : Pass<"norm-distribute-rows-to-gpu", "func::FuncOp"> {
  let summary = "Row loops on buffers to gpu.launch with rows shared by threads";
  let description = [{
    Turns each outermost `scf.forall` or `scf.parallel` on buffers into a
    `gpu.launch`.

    A loop with a plan (norm-plan-gpu-rows) gets a block a row, or blocks of 128
    threads with several rows where a row has a warp or less. Rows of the last
    warp that are not there take part in its shuffles and write nothing. Each
    vector of the body, `lanes` elements
    long, is split over the T threads of the row into chunks of V neighbouring
    elements: element (c*T + t)*V + v is element v of chunk c in thread t, so
    that a warp's accesses are coalesced and each is V elements wide. Elementwise
    ops work chunk by chunk; `vector.transfer_read` and `write` become aligned
    `vector.load` and `store`, predicated where a mask ends a row;
    `vector.reduction` becomes a tree in the thread, log2(T) `gpu.shuffle xor`
    (at most five) in the warp and, beyond one warp, one exchange through
    workgroup memory, after which every thread has the same bits.

    With `norm.shifted`, rows begin up to V - 1 elements past an aligned address,
    and each row's threads begin at that address: their first and last vectors
    are accessed element by element, those between as one. A vector of a buffer
    whose rows begin elsewhere (a weight) is cut out of the two aligned vectors
    around it, and written by elements.

    Wide accesses need buffers aligned to V elements. The host checks the
    pointers, the inner extents (unless shifted) and that 32 bits number the
    rows, and launches a second kernel with V = 1 where one of that fails.

    Other loops give one thread an iteration, 128 a block. Ops outside loops that
    touch memory are wrapped into a launch of one thread.

    Example, the body of a row sum over 128 elements:

    ```mlir
    scf.forall (%i) in (64) {
      %v = vector.transfer_read %x[%i, %c0], %pad : memref<64x128xf32>, vector<128xf32>
      %s = vector.reduction <add>, %v : vector<128xf32> into f32
      memref.store %s, %y[%i] : memref<64xf32>
    } {norm.threads = 32 : i64, norm.vector = 4 : i64}
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

    Limits: a planned body may hold scalar ops, elementwise ops on 1-D vectors,
    masked transfers along the last dimension, `vector.reduction`, `scf.for` and
    `scf.if`; it must not read back a buffer that it writes, nor, where rows share
    a warp, reduce under a condition. Other bodies are reported. `norm.shifted`
    needs masks that are constant and end V - 1 elements before the vector.
  }];
  let dependentDialects = ["arith::ArithDialect", "gpu::GPUDialect",
                           "LLVM::LLVMDialect", "memref::MemRefDialect",
                           "scf::SCFDialect", "vector::VectorDialect"];
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

def NormHoistGPULoads : Pass<"norm-hoist-gpu-loads", "func::FuncOp"> {
  let summary = "Issue the loads of a kernel before its first shuffle";
  let description = [{
    A reduction over a row makes its threads wait for each other, and a load that
    follows it in the program starts only then. In each block of a `gpu.launch`
    this pass moves the loads that follow the first `gpu.shuffle` before it, with
    what computes their indices, up to the first op that writes global memory; so
    a weight arrives while the statistic is computed. `registers` bounds what is
    held across the reduction.

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

    Limits: a load under a condition moves with its condition; loads in loops
    stay.
  }];
  let options = [Option<"registers", "registers", "int64_t", /*default=*/"16",
                        "32-bit registers a thread that hoisted loads may fill">];
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

def NormLowerGPUMath : Pass<"norm-lower-gpu-math", "gpu::GPUModuleOp"> {
  let summary = "Math that the GPU has as exact instructions, without libdevice";
  let description = [{
    convert-gpu-to-nvvm calls libdevice for every math op, also where PTX has an
    instruction that rounds correctly. This pass turns `math.sqrt`, `absf`,
    `fma`, `floor`, `ceil`, `trunc` and `roundeven` into LLVM intrinsics first,
    so that kernels that need no more than those link nothing. The others stay.

    Example: `math.sqrt %a : f32` becomes
    `llvm.call_intrinsic "llvm.sqrt"(%a) : (f32) -> f32`, which is `sqrt.rn.f32`
    in PTX.
  }];
  let dependentDialects = ["LLVM::LLVMDialect"];
}

def NormVerifyGPUTarget : Pass<"norm-verify-gpu-target", "ModuleOp"> {
  let summary = "Refuse a GPU or a PTX version that LLVM cannot write";
  let description = [{
    LLVM aborts where a chip and a PTX version do not go together, so norm-to-nvvm
    asks first. `chip` is one of LLVM's, such as `sm_90` or `sm_100a`;
    `ptx-version` one that LLVM writes, as `8.0` or `80`, and not older than the
    chip. Empty is the oldest that has the chip, which most drivers take.

    Example: with `chip=sm_90 ptx-version=7.0`

    ```
    error: sm_90 needs PTX 7.8 at least, got 7.0
    ```
  }];
  let options = [Option<"chip", "chip", "std::string", /*default=*/"\"sm_90\"",
                        "GPU, such as sm_80, sm_90 or sm_100">,
                 Option<"ptxVersion", "ptx-version", "std::string",
                        /*default=*/"", "PTX version, such as 8.0">];
}

def NormVerifyGPUMemory : Pass<"norm-verify-gpu-memory", "gpu::GPUModuleOp"> {
  let summary = "Refuse kernels with more shared memory than a block may have";
  let description = [{
    Adds up the workgroup buffers of each kernel. 48 KiB is what every chip gives
    a block for buffers of static size; above it the driver refuses the kernel,
    on the user's machine.

    Example:

    ```mlir
    gpu.func @k() workgroup(%m : memref<16384xf32, #gpu.address_space<workgroup>>) kernel
    ```

    ```
    error: a block needs 65536 bytes of shared memory, the GPU has 49152
    ```
  }];
  let options = [Option<"bytes", "bytes", "int64_t", /*default=*/"49152",
                        "Shared memory that a block may have">];
}

#endif // NORM_TARGET_NVVM_PASSES
