//===- Passes.td - passes of Target/CPU/X86 ----------------*- tablegen -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TARGET_CPU_X86_PASSES
#define NORM_TARGET_CPU_X86_PASSES

include "mlir/Pass/PassBase.td"

def NormUseX86Instructions : Pass<"norm-use-x86-instructions"> {
  let summary = "Compute, round and store by instructions that LLVM does not find";
  let description = [{
    Maxima: x86 has no instruction for `arith.maximumf`. `maxps` returns its second
    operand if one is NaN or both are zeros, so LLVM needs six instructions, four of
    which wait for each other. But f32 numbers without a sign have the order of their
    bits, in which NaN is above infinity, and the maximum of integers is one
    instruction. The largest magnitude of a row, from which a scale follows, is such a
    maximum.

    Example: `%next = arith.maximumf %most, %size`, where a loop carries %most from minus
    infinity on and %size is a `math.absf`, becomes

    ```mlir
    %0 = arith.bitcast %most : vector<64xf32> to vector<64xi32>
    %1 = arith.bitcast %size : vector<64xf32> to vector<64xi32>
    %2 = arith.maxsi %0, %1 : vector<64xi32>
    %next = arith.bitcast %2 : vector<64xi32> to vector<64xf32>
    ```

    Operands come from `math.absf` and from constants without a sign or of minus
    infinity, the neutral element, whose bits are below those of all magnitudes; from
    maxima, selections and parts of them, and loops that carry them. Limits: f32 only.
    Of several NaNs the one with the largest payload is kept, not the first one.

    Integers: x86 converts f32 to i32 with a rounding to even (`cvtps2dq`) as fast as
    toward zero, so a `math.roundeven` before is one instruction too many. It may stand
    before a clamp to integers, which is the same after it. From i32, saturating packs
    make i8 or i16 of whole registers, but LLVM uses halves of them for an
    `arith.fptosi` to i8.

    Example:

    ```mlir
    %r = math.roundeven %x : vector<64xf32>
    %c = arith.minimumf %r, %bound : vector<64xf32>  // splat of 127.0
    %q = arith.fptosi %c : vector<64xf32> to vector<64xi8>
    ```

    becomes

    ```mlir
    %c = arith.minimumf %x, %bound : vector<64xf32>
    %i = llvm.intr.lrint(%c) : (vector<64xf32>) -> vector<64xi32>
    %q = arith.trunci %i overflow<nsw> : vector<64xi32> to vector<64xi8>
    ```

    Limits: signed integers of 8, 16, 24 or 32 bits and vectors of one dimension of f32.
    The rounding mode is that of MXCSR, as it is of all arithmetic, and to even unless
    the caller sets another.

    bf16, with `dot-products`: `norm-narrow-floats-to-integers` rounds the bits w of an
    f32 to the upper half of w + 0x7FFF + ((w >> 16) & 1): a shift, a mask and two
    additions. `vpdpwssd` adds to w the products of the halves of two words, here of
    (w & 0x10000) | 0x7FFF, which is one `vpternlogd`, and of ones. That is the same
    integer, and two instructions:

    ```mlir
    %odd = arith.andi %w, %c0x10000 : vector<16xi32>
    %terms = arith.ori %odd, %c0x7FFF : vector<16xi32>
    %halves = vector.bitcast %terms : vector<16xi32> to vector<32xi16>
    %rounded = llvm.call_intrinsic "llvm.x86.avx512.vpdpwssd.512"(%w, %halves, %ones)
    ```

    Limits: vectors of one dimension of 4 or 8 words, or of a multiple of 16, which are
    rounded 16 at a time.

    512 bits: functions get `prefer_vector_width = "512"`, unless they have a width. On
    many CPUs with AVX-512 LLVM prefers vectors of 256 bits, and a row at the speed of
    memory takes half the instructions with 512. With `f16-vectors`, non-temporal stores
    of an even number of f16 become those of f32, by bitcasts around an
    `llvm.arithmetic.fence`: LLVM 22 has none of the types that AVX512-FP16 makes legal, and
    stores them like any other. (Without AVX512-FP16 it has: of what `vcvtps2ph` gives.)

    AMX: Linux gives a process the registers of tiles when it asks for them, so a module
    with `amx.tile_mulf` or `amx.tile_muli` gets a constructor that does: the system call
    `arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA)`. A JIT that calls no
    constructors has to ask itself.
  }];
  let options = [Option<"dotProducts", "dot-products", "bool",
                        /*default=*/"false",
                        "The CPU has AVX512-VNNI and AVX512-VL">,
                 Option<"f16Vectors", "f16-vectors", "bool",
                        /*default=*/"false",
                        "The CPU has vectors of f16 (AVX512-FP16)">];
  let dependentDialects = ["arith::ArithDialect", "LLVM::LLVMDialect",
                           "vector::VectorDialect"];
}

#endif // NORM_TARGET_CPU_X86_PASSES
