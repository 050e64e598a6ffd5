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
  let summary = "Recognise unfused RMSNorm in linalg and raise it to norm.rmsnorm";
  let description = [{
    Reads every linalg result behind a reduction as a row expression (what one
    element is, whatever ops compute it), decides whether that expression, or a
    value in the body, is an RMSNorm, and replaces it by one `norm.rmsnorm`. What
    the body does after it (a bias, a gate, a cast) becomes a `linalg.generic`
    that reads the norm. Narrowing casts are kept where they are:
    a rounding before the weight becomes `normalized_type`, one of the reciprocal
    root `scale_type`. A candidate that is refused leaves the IR as it was and is
    reported as a `missed` remark with a typed reason, with what was expected and
    what was found; a match is a `passed` remark (`--remarks-filter=norm.*`).

    Example: the ten ops of a Llama RMSNorm (extf, square, sum, division, addf,
    rsqrt, mulf, truncf, mulf) become

    ```mlir
    %y = norm.rmsnorm ins(%x, %w : tensor<4x32xbf16>, tensor<32xbf16>)
         outs(%e : tensor<4x32xbf16>) dims = [1] epsilon = 1.0e-6 : f32
         normalized_type = bf16 -> tensor<4x32xbf16>
    ```

    `rounding` says what may differ within the compute type, where no narrowing
    is at stake: `default` takes rsqrt for the division by a root, 1/n for the
    division by n, a scaled root, and the weight in any order (within 4 ulp);
    `exact` refuses these; `relaxed` also takes a statistic that is rounded on
    the way (squares, mean, or root in 16 bits under an f32 norm) and computes it
    in f32: casts of the reciprocal root, of the normalised value and of the
    result stay. A refusal that `relaxed` would take says so.

    Where a tensor that holds the reciprocal root has other users, they get the
    norm's second result `inv_rms`.

    A module is also read with its calls inlined, where the callee is private, of
    one block, without side effects, not recursive and of at most 512 operations.
    A function that has more norms that way loses these calls, and a callee
    without users goes; every other function keeps its calls.

    Limits: other calls are not read (run `inline` before), nor are loops and
    buffers; docs/Recognition.md lists the forms and the reasons of refusals.
  }];
  let options = [Option<"rounding", "rounding", "std::string",
                        /*default=*/"\"default\"",
                        "default, exact or relaxed">];
  let dependentDialects = ["norm::NormDialect", "tensor::TensorDialect"];
}

#endif // NORM_RECOGNITION_PASSES
