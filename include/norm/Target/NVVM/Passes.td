//===- Passes.td - what is NVIDIA's ----------------------*- tablegen -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TARGET_NVVM_PASSES
#define NORM_TARGET_NVVM_PASSES

include "mlir/Pass/PassBase.td"

def NormConvertFP8ToNVVM : Pass<"norm-convert-fp8-to-nvvm"> {
  let summary = "Roundings from f32 to 8-bit floats by cvt, two at a time";
  let description = [{
    Chips from sm_89 on round two f32 numbers to f8E4M3FN or f8E5M2 by one
    instruction, which saturates. This pass uses it for `arith.truncf` on vectors
    of even length, and selects NaN or infinity where arith.truncf has them
    (above 464 and from 61440 on). norm-expand-arith does the others.

    Example: `arith.truncf %v : vector<2xf32> to vector<2xf8E4M3FN>` becomes

    ```mlir
    %p = nvvm.convert.f32x2.to.f8x2 %high, %low {rnd = #nvvm.fp_rnd_mode<rn>,
      sat = #nvvm.sat_mode<satfinite>} : i16 (f8E4M3FN)
    %b = vector.bitcast (vector.from_elements %p) : vector<1xi16> to vector<2xi8>
    %s = arith.select %over, %nan, %b : vector<2xi1>, vector<2xi8>
    %q = arith.bitcast %s : vector<2xi8> to vector<2xf8E4M3FN>
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "math::MathDialect",
                           "NVVM::NVVMDialect", "vector::VectorDialect"];
}

def NormAnnotateKernels : Pass<"norm-annotate-kernels", "ModuleOp"> {
  let summary = "Write on kernels what their launches, and ptxas, have to know";
  let description = [{
    gpu-kernel-outlining records constant block and grid sizes on a kernel, but not the
    size of its clusters. This pass does where all launches of a kernel have the same
    constant one. The image then says it (PTX by `.reqnctapercluster`), so that who
    launches it without this program's host code gets clusters too.

    ptxas (13.0) unrolls loops and then spills registers, to keep the number of blocks
    that an SM holds. A kernel with loops has many loads on their way in each thread and
    needs fewer blocks. This pass asks for one block an SM, `.minnctapersm 1` in PTX,
    and ptxas spills nothing. Kernels without loops keep what ptxas chooses.

    With `dependent-launch` (CUDA's programmatic dependent launch, sm_90 and later) a
    kernel starts while the one before it in the stream still runs, and
    `nvvm.griddepcontrol wait` is its first op. `nvvm.griddepcontrol launch_dependents`
    stands where the threads of a row first wait for each other, when its loads are on
    the way. Without the launch attribute of that name both ops do nothing.

    Example, where `@k` has a loop and is launched by clusters of four blocks:

    ```mlir
    gpu.func @k(...) kernel attributes {known_cluster_size = array<i32: 4, 1, 1>, nvvm.minctasm = 1 : i32}
    ```

    Limits: run it before loops become branches.
  }];
  let options = [Option<"dependentLaunch", "dependent-launch", "bool",
                        /*default=*/"false",
                        "Kernels may start before the one ahead of them ends">];
  let dependentDialects = ["NVVM::NVVMDialect"];
}

def NormLowerGPUMath : Pass<"norm-lower-gpu-math", "gpu::GPUModuleOp"> {
  let summary = "Math that the GPU has as exact instructions, and bf16 by words";
  let description = [{
    convert-gpu-to-nvvm calls libdevice for every math op, also where PTX has an
    instruction that rounds correctly. This pass turns `math.sqrt`, `absf`,
    `fma`, `floor`, `ceil`, `trunc` and `roundeven`, and `arith.minnumf` and
    `maxnumf`, into LLVM intrinsics first, so that kernels that need no more than
    those link nothing. The others stay.

    Example: `math.sqrt %a : f32` becomes
    `llvm.call_intrinsic "llvm.sqrt"(%a) : (f32) -> f32`, which is `sqrt.rn.f32`
    in PTX.

    It also widens bf16 by words: a GPU loads two in one, and converted one by one the
    upper one is first moved down and then shifted up again. The lower bf16 of a word
    is shifted up, the upper one is masked, and `vector.interleave` makes one vector of
    both. The bits are the same, those of a NaN too. Limits: bf16 vectors of rank 1 and
    even length; others are left to LLVM.

    With `approximate-roots`, one over a root of f32 that nothing else needs becomes an
    approximation and a step of Newton's method. `sqrt.rn` and `rcp.rn` repair their last
    bit and branch for numbers out of the ordinary: some twenty instructions in every
    thread of a row.

    Example: `%root = math.sqrt %a` and `arith.divf %one, %root` become, with r the
    result of `llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"(%a)`,
    fma(minnum(fma(-(a * r), r, 1), 1), r / 2, r). docs/GPU.md has the error;
    test/Target/NVVM/inverse-root.test tries every significand. Zeros, infinities, negative
    numbers and NaN give what they gave.

    Limits: the bits of the root and the reciprocal change, so `rounding=exact` of
    norm-to-nvvm leaves them. `math.rsqrt` is one over a root after math-expand-ops.
  }];
  let options = [Option<"approximateRoots", "approximate-roots", "bool",
                        /*default=*/"false",
                        "One over a root may be off by more than half a unit">];
  let dependentDialects = ["arith::ArithDialect", "LLVM::LLVMDialect",
                           "math::MathDialect", "vector::VectorDialect"];
}

def NormVerifyGPUTarget : Pass<"norm-verify-gpu-target", "ModuleOp"> {
  let summary = "Reject a GPU or a PTX version that LLVM cannot write";
  let description = [{
    LLVM aborts where a chip and a PTX version do not go together, so norm-to-nvvm
    asks first. `chip` is one of LLVM's, such as `sm_90` or `sm_100a`;
    `ptx-version` one that LLVM writes, as `8.0` or `80`, and not older than the
    chip. Empty is the oldest that has the chip, which most drivers take.
    `dependent-launch` needs sm_90.

    Example: `chip=sm_90 ptx-version=7.0` is an error, "sm_90 needs PTX 7.8 at least, got
    7.0".
  }];
  let options = [Option<"chip", "chip", "std::string", /*default=*/"\"sm_90\"",
                        "GPU, such as sm_80, sm_90 or sm_100">,
                 Option<"ptxVersion", "ptx-version", "std::string",
                        /*default=*/"", "PTX version, such as 8.0">,
                 Option<"dependentLaunch", "dependent-launch", "bool",
                        /*default=*/"false",
                        "Whether kernels will start before the one ahead "
                        "of them ends">];
}

def NormVerifyGPUMemory : Pass<"norm-verify-gpu-memory", "gpu::GPUModuleOp"> {
  let summary = "Reject kernels that have more memory or other types than a GPU";
  let description = [{
    Rejects f80, f128 and tf32, and of integers beyond 64 bits divisions and
    conversions to and from floats, for which LLVM's NVPTX backend wants calls of
    a library: it ends the process.

    Adds up the workgroup buffers of each kernel. 48 KiB is what every chip gives
    a block for buffers of static size; above it the driver rejects the kernel,
    on the user's machine.

    Example: of a kernel with `workgroup(%m : memref<16384xf32, ...>)`, "a block needs 65536
    bytes of shared memory, the GPU has 49152".
  }];
}

#endif // NORM_TARGET_NVVM_PASSES
