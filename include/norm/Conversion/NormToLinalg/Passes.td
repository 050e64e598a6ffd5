//===- Passes.td - norm to linalg -------------------------*- tablegen -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_CONVERSION_NORMTOLINALG_PASSES
#define NORM_CONVERSION_NORMTOLINALG_PASSES

include "mlir/Pass/PassBase.td"

def NormToLinalg : Pass<"norm-to-linalg"> {
  let summary = "Decompose norm ops into linalg.generic";
  let description = [{
    Replaces every norm op by the linalg ops that its specification spells out
    (docs/Norm.md, S1 to S9): the row reduction, the reciprocal root per row,
    and the scaling per element. Every narrowing cast of the op becomes an
    `arith.truncf`, so the rounding order of the source program is kept. It
    supports tensors and memrefs, static and dynamic. The same decomposition is
    available through linalg's AggregatedOpInterface.

    Example:

    ```mlir
    %y = norm.rmsnorm ins(%x : tensor<8x64xf32>) outs(%i : tensor<8x64xf32>)
         dims = [1] epsilon = 1.0e-6 : f32 -> tensor<8x64xf32>
    ```

    becomes

    ```mlir
    %s = linalg.generic {... iterator_types = ["parallel", "reduction"]}
         ins(%x) outs(%zero) { mulf; addf } -> tensor<8xf32>
    %r = linalg.generic {... iterator_types = ["parallel"]}
         ins(%s) outs(%e) { divf; addf; sqrt; divf } -> tensor<8xf32>
    %y = linalg.generic {... iterator_types = ["parallel", "parallel"]}
         ins(%x, %r) outs(%i) { mulf } -> tensor<8x64xf32>
    ```

    Limits: on memrefs, buffers for the sums and roots, one value per row, are
    allocated and freed around the op.

    With `all-aggregated`, other ops of AggregatedOpInterface on tensors are
    decomposed too, such as `linalg.softmax`; ops whose decomposition fails
    stay.
  }];
  let options = [Option<"allAggregated", "all-aggregated", "bool",
                        /*default=*/"false",
                        "Decompose linalg's own aggregated ops as well">];
  let dependentDialects = [
    "arith::ArithDialect", "linalg::LinalgDialect", "math::MathDialect",
    "memref::MemRefDialect", "tensor::TensorDialect"
  ];
}

#endif // NORM_CONVERSION_NORMTOLINALG_PASSES
