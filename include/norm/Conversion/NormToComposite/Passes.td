//===- Passes.td - norm to StableHLO composites -----------*- tablegen -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_CONVERSION_NORMTOCOMPOSITE_PASSES
#define NORM_CONVERSION_NORMTOCOMPOSITE_PASSES

include "mlir/Pass/PassBase.td"

def NormToComposite : Pass<"norm-to-composite", "::mlir::ModuleOp"> {
  let summary = "Replace norm ops on tensors by stablehlo.composite";
  let description = [{
    Hands a norm to a compiler that reads StableHLO, without a dependency on
    StableHLO: ops are created by name and printed in generic syntax, which its
    parser reads. A `norm.rmsnorm` becomes a `stablehlo.composite` named
    `norm.rmsnorm` with the op's attributes (enums as strings), and a private
    function that computes the same in StableHLO ops with the same roundings,
    for a compiler that does not know the composite. Norms of the same types and
    attributes share that function.

    Example:

    ```mlir
    %y = norm.rmsnorm ins(%x : tensor<8x64xf32>) outs(%i : tensor<8x64xf32>)
         dims = [1] epsilon = 1.0e-6 : f32 -> tensor<8x64xf32>
    ```

    becomes

    ```mlir
    %y = "stablehlo.composite"(%x) {name = "norm.rmsnorm",
           composite_attributes = {dims = array<i64: 1>, epsilon = 1.0e-6 : f32,
                                   epsilon_mode = "inside", ...},
           decomposition = @norm.rmsnorm.impl, version = 1 : i32}
         : (tensor<8x64xf32>) -> tensor<8x64xf32>
    ```

    The init is dropped, because StableHLO has no destinations.

    Limits: norms on memrefs, norms of dynamic shape and `norm.rmsnorm_backward`
    are errors, after which nothing is changed. The context must know StableHLO or allow unregistered
    dialects (`--allow-unregistered-dialect`). Other ops are not changed, so the
    receiving compiler must know linalg if there is any beside the norms.
  }];
  let dependentDialects = ["arith::ArithDialect", "func::FuncDialect",
                           "linalg::LinalgDialect", "math::MathDialect",
                           "tensor::TensorDialect"];
}

#endif // NORM_CONVERSION_NORMTOCOMPOSITE_PASSES
