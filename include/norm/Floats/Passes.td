//===- Passes.td - passes of Floats ------------------------*- tablegen -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_FLOATS_PASSES
#define NORM_FLOATS_PASSES

include "mlir/Pass/PassBase.td"

def NormWidenNarrowFloats : Pass<"norm-widen-narrow-floats"> {
  let summary = "Compute 16-bit float arithmetic in f32, rounding every result";
  let description = [{
    Replaces each arith and math op on f16 or bf16 values, scalar or vector, by
    the op on f32 between an `arith.extf` of its operands and an `arith.truncf` of
    its result. For add, sub, mul, div and sqrt this equals one rounding to the
    16-bit type. Unlike upstream's arith-emulate-unsupported-floats no cast
    carries a fast-math flag, so no later fold can drop a rounding.

    Example: `%c = arith.mulf %a, %b : f16` becomes

    ```mlir
    %a32 = arith.extf %a : f16 to f32
    %b32 = arith.extf %b : f16 to f32
    %c32 = arith.mulf %a32, %b32 : f32
    %c = arith.truncf %c32 : f32 to f16
    ```

    A truncation from f64, f80 or f128 to 16 bits goes through f32 rounded to odd, which gives
    the one correct rounding without a library call.

    A `vector.fma` is widened too, and a `vector.reduction` (also one of a
    `vector.contract`) becomes one op after the other on its elements, each of
    which rounds.

    Limits: other conversions, constants, selects and bit operations stay as they
    are, and so does a reduction in a `vector.mask`, which LLVM then rounds as it
    can.
  }];
  let options = [
    Option<"expandedOnly", "expanded-only", "bool", /*default=*/"false",
           "Only rsqrt and fpowi, of which math-expand-ops makes several ops: "
           "for machines that compute in 16 bits">,
  ];
  let dependentDialects = ["arith::ArithDialect", "math::MathDialect",
                           "vector::VectorDialect"];
}

def NormNarrowFloatsToIntegers : Pass<"norm-narrow-floats-to-integers"> {
  let summary = "f16 and bf16 are 16-bit integers outside of arithmetic";
  let description = [{
    Most machines load, store, mask, select and shuffle 16-bit integers, but not
    16-bit floats: LLVM's x86 back end takes masked accesses of f16 and bf16 apart,
    and holds a bf16 that lives in several blocks as an f32, which it rounds again
    where it is used. So this pass makes memrefs, vectors, scalars and constants of f16
    and bf16 those of i16. What computes with f16 takes and gives bitcasts. Floats of 8
    bits become i8, because upstream's lowering shuffles no vectors of them.

    No op computes with bf16 after it. An `arith.extf` from bf16 becomes a shift,
    and an `arith.truncf` to bf16 rounds to nearest even by integer operations;
    subnormals stay, and a NaN stays a NaN. With `hardware-rounding` it stays.

    Even and odd elements of a vector are computed apart, because widening a vector in
    order takes a shuffle, and so does narrowing. A 32-bit word that holds two bf16
    elements has the odd one as its upper half, which is an f32 once the lower half
    is cleared, and the even one after a shift by 16. So elementwise f32 arithmetic
    between an `arith.extf` from bf16 and an `arith.truncf` to bf16 is done on two
    vectors of half the length. Rounding adds to the word of each element, and one
    blend puts the upper halves of both together; a value that is rounded and then
    widened again (Llama's order) stays a word whose lower half is cleared.

    Adding could carry a NaN's lower bits into an infinity or a zero. A NaN that was
    widened from bf16, is in a constant with a clear lower half, or was made or
    passed on by arithmetic on such values has no lower bits, and nothing is done
    for it in such a word. All other values pay for a comparison and a selection.

    Example: 16 bf16 that are loaded, widened, squared and rounded become

    ```mlir
    %x = vector.load %p[%i] : memref<?xi16>, vector<16xi16>
    %words = vector.bitcast %x : vector<16xi16> to vector<8xi32>
    %even = ... // shli %words, 16, as vector<8xf32>
    %odd = ... // andi %words, 0xFFFF0000, as vector<8xf32>
    %b0 = arith.mulf %even, %even : vector<8xf32>
    %b1 = arith.mulf %odd, %odd : vector<8xf32>
    ... // %b0 and %b1 as words plus 0x7FFF plus their bit 16: ties to even
    %c = ... // arith.select of the upper halves : vector<16xi16>
    ```

    A vector that an `scf.for` carries and only combines with such values is carried as
    two halves and interleaved after the loop. Every element is combined in the same order
    as before, so no result changes by a bit.

    Scalars that a function takes or returns keep their type, which the machine's
    calling convention passes in other registers than an i16. Inside, a bf16
    argument is an i16 that comes out of an empty inline assembly.

    Limits: run norm-widen-narrow-floats before, so that arithmetic is in f32, and
    norm-expand-vector-math after it, because a library's functions may return any NaN. The
    machine must be little-endian. Elements are computed apart in rank-1 vectors
    whose length is a multiple of 16; values that are neither widened from bf16 nor
    the same in all lanes keep their order. Complex numbers keep their elements' type, and
    so do reductions in a `vector.mask`. A `memref.atomic_rmw` on f16 or bf16
    memory is rejected.
  }];
  let options = [Option<"hardwareRounding", "hardware-rounding", "bool",
                        /*default=*/"false",
                        "The machine has an instruction that rounds to bf16">];
  let dependentDialects = ["arith::ArithDialect", "LLVM::LLVMDialect",
                           "vector::VectorDialect"];
}

def NormExpandArith : Pass<"norm-expand-arith"> {
  let summary = "Expand arith ops that LLVM does not have";
  let description = [{
    Divisions that round up or down become divisions, comparisons and selections, by
    upstream's patterns. Its arith-expand would also expand `arith.maximumf` to a
    comparison and a selection, by which the maximum of -0 and +0 is whichever comes
    second; the op says +0, and so does LLVM's `llvm.maximum` on every target.

    Upstream keeps casts of f8E4M3FN, f8E5M2, and of f4E2M1FN and f8E8M0FNU (elements
    and scales of OCP's Microscaling Formats, MX, 1.0) until no lowering supports them,
    or rounds otherwise than the constant folder. This pass expands their `arith.truncf`
    and `arith.extf` to i32 operations, on scalars and vectors.

    Truncations round once, to nearest, ties to even; a tie of f8E8M0FNU, 1.5 times a
    power of two, goes up, as IEEE 754 asks of one digit. An addition of 2^23 units of
    the last place rounds, at a number's own exponent or at that of the subnormals, so
    both need the same twelve operations and no selection. What has no number becomes:

    | | f8E4M3FN | f8E5M2 | f4E2M1FN | f8E8M0FNU |
    |---|---|---|---|---|
    | too large | NaN | infinity | 6 | NaN |
    | NaN | NaN | NaN | 6, as PTX's `cvt.rn.satfinite` has it | NaN |
    | too small | zero with its sign | the same | the same | 2^-127; negative: NaN |

    Example: `%q = arith.truncf %a : f32 to f8E4M3FN` becomes operations on
    `arith.bitcast %a : f32 to i32` with one `arith.addf` among them, and ends with
    `arith.bitcast %byte : i8 to f8E4M3FN`.

    First it expands the scaling ops: `arith.scaling_truncf` divides by a power of two
    and narrows, `arith.scaling_extf` widens and multiplies by one. The scale is
    f8E8M0FNU; of one in 16 bits or more the exponent is taken, as hardware does. The
    product or quotient is in f32 at least, because f16 does not hold most scales.
    `arith.scaling_truncf %a, %s` becomes an `arith.truncf` of %a times the f8E8M0FNU of the
    bits 254 - %s: x / 2^e is x * 2^-e, with the same bits.

    Conversions between integers and the first three formats then go through f32. With
    `scaling-only` it stops there. Pipelines do so on tensors, so that a scale that a block
    of elements shares is widened once for the block.

    Limits: a truncation from f64 to a small float is an error, and so are arithmetic on
    floats of less than 16 bits and conversions of other formats, f6E2M3FN among them,
    because LLVM has no such types and no later pass would lower them; also rounding
    modes other than to nearest even, which LLVM's constrained intrinsics only name
    (f8E8M0FNU has `toward_zero` and `upward`).
  }];
  let options = [Option<"scalingOnly", "scaling-only", "bool", /*default=*/"false",
                        "Leave casts between floats, and divisions, alone">];
  let dependentDialects = ["arith::ArithDialect", "vector::VectorDialect"];
}

def NormExpandVectorMath : Pass<"norm-expand-vector-math"> {
  let summary = "Expand exp, exp2, expm1, log, log1p, tanh and erf of f32 vectors";
  let description = [{
    LLVM scalarizes a vector `math.exp` and calls libm per element. This pass expands
    the function on the whole vector instead: range reduction, a polynomial, and
    selections for special operands, without a fast-math flag. With `fma`, for
    machines that have it as an instruction, a product and its sum round once; without
    it, only additions and multiplications are used.

    The errors, at most 1.8 ulp, and what becomes of special values, are in
    docs/Codegen.md, "Functions of vectors".

    Example: `math.exp %x : vector<64xf32>` becomes

    ```mlir
    ... // %x limited to where the result is neither 0 nor infinity
    %n = ... // %x / ln 2, rounded to an integer
    %r = ... // %x - %n * ln 2
    %p = ... // polynomial of %r
    ... // %p * 2^(n/2) * 2^(n - n/2)
    ```

    Where all uses of an exp are sums with a constant of at least 2^-90, such as the 1 of
    a sigmoid, results below e^-86 do not change the sum. They may therefore be e^-86,
    which is normal, and %p * 2^(n-1), doubled, takes half of the operations.

    Limits: scalars and f64 stay calls of libm, whose last bit may differ;
    norm-widen-narrow-floats must have widened 16-bit types.
  }];
  let options = [Option<"fma", "fma", "bool", /*default=*/"false",
                        "The machine has an FMA instruction">];
  let dependentDialects = ["arith::ArithDialect", "math::MathDialect"];
}

#endif // NORM_FLOATS_PASSES
