//===- Passes.td - recognition passes ---------------------*- tablegen -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_RECOGNITION_PASSES
#define NORM_RECOGNITION_PASSES

include "mlir/Pass/PassBase.td"

def NormRecognize : Pass<"norm-recognize"> {
  let summary = "Recognize unfused RMSNorm in linalg and raise it to norm.rmsnorm";
  let description = [{
    Reads linalg on tensors as row expressions, which say what one element is,
    whichever ops compute it (`norm-print-row-expressions` shows them). It
    infers what op a value may be, on the unchanged program, and compares the
    value with what that op decomposes to. Then it replaces all that agree by
    `norm.rmsnorm`. The rest of a body (a bias, a gate,
    a cast) becomes a `linalg.generic` that reads the norm. Narrowing casts stay
    in place: a rounding before the weight becomes `normalized_type`, one of the
    reciprocal root `scale_type`.

    A rejected candidate leaves the IR unchanged and is reported as a `missed`
    remark with a typed reason, and with what was expected and found; a match is
    a `passed` remark (`--remarks-filter=norm.*`). Code that neither takes a
    root nor sums squares gets no remark.

    Example: the ten ops of a Llama RMSNorm (extf, square, sum, division, addf,
    rsqrt, mulf, truncf, mulf) become

    ```mlir
    %y = norm.rmsnorm ins(%x, %w : tensor<4x32xbf16>, tensor<32xbf16>)
         outs(%e : tensor<4x32xbf16>) dims = [1] epsilon = 1.0e-6 : f32
         normalized_type = bf16 -> tensor<4x32xbf16>
    ```

    `rounding` says how the two are compared. `exact` asks for the same
    operations, in any order of operands. `default` asks for the same roundings
    to narrower types and equal mathematics between them: rsqrt for the division
    by a root, 1/n for the division by n, a scaled root, the weight in any order
    (each with a bound, for rows whose values stay in the range of the type). A
    norm in bf16 may also round products and roots elsewhere; one in f16 may
    not, because f16 has less range. `relaxed` also leaves out a rounding of the
    statistic that the op does not have (squares, mean, or root in 16 bits under
    an f32 norm), and computes it in f32; casts of the reciprocal root, of the
    normalized value and of the result stay. A rejection says which expression
    was expected and which was found, and whether `relaxed` would accept it.

    The gradients of an RMSNorm, dx = r * (g - z * mean(z * g)) and dw = sum of
    dy * z over rows, become one `norm.rmsnorm_backward`, with the statistic
    computed or saved.

    If a tensor that holds the reciprocal root has other users, they get the
    norm's second result `inv_rms`.

    A function is also read with its calls inlined if the callee is private, has
    one block, no side effects and at most 512 operations, and is not recursive.
    A function that has more norms that way loses these calls, and a callee
    without users is erased; every other function keeps its calls.

    Limits: other calls (run `inline` before), loops that accumulate a sum and
    buffers are not read. docs/Recognition.md lists the forms, the reasons and
    what is not recognized.
  }];
  let options = [Option<"rounding", "rounding", "::mlir::norm::Rounding",
                        /*default=*/"::mlir::norm::Rounding::Default",
                        "What may differ within the compute type",
                        "::mlir::norm::getRoundingValues()">];
  let dependentDialects = ["norm::NormDialect", "tensor::TensorDialect"];
}

def NormPrintRowExpressions : Pass<"norm-print-row-expressions"> {
  let summary = "Print what each linalg result computes, as a row expression";
  let description = [{
    Shows what `norm-recognize` reads: prints to stdout, for each result of a
    linalg op on tensors, what one element of it is. This is one step: an
    operand is printed as its element, seen through views, broadcasts,
    transpositions and copies, which only move elements. The normal form, which
    forgets the order of operands and the place of 1/n, follows if its text
    differs. Names are those of the printed program; d0, d1, ... are the loops
    of the op.

    Example: the ops of an RMSNorm without a weight (fill, sum of squares, root,
    product) are printed as

    ```
    %1[d0] = 0
    %2[d0] = sum{d1}((%arg0[d0, d1] * %arg0[d0, d1]))
      normal form: sum{d1}(%arg0[d0, d1]^2)
    %3[d0] = rsqrt(((%2[d0] / 32) + 9.99999997E-7))
      normal form: (9.99999997E-7 + (0.03125 * %2[d0]))^-1/2
    %5[d0, d1] = (%3[d0] * %arg0[d0, d1])
    ```

    `round<bf16>(x)` narrows and `extend<f32>(x)` widens; `count(32 * %x#1)` is
    a product of extents, here of dimension 1 of %x; an op that is not
    arithmetic is printed by its name, as in `"math.exp"(x)`. `sum{d1}` is a sum
    over d1 that starts at 0.

    Limits: an element that equals itself was not read, for example one of a
    scatter. Expressions deeper than 16 levels end in `...`. Ops on buffers are
    not printed.
  }];
}

#endif // NORM_RECOGNITION_PASSES
