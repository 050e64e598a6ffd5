//===- Passes.td - lowering of tm_tensor ------------------*- tablegen -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TMTENSOR_PASSES
#define NORM_TMTENSOR_PASSES

include "mlir/Pass/PassBase.td"

def NormLowerTMTensor : Pass<"norm-lower-tm-tensor"> {
  let summary = "Replace torch-mlir's tm_tensor ops by loops and linalg on tensors";
  let description = [{
    Lowers all ops of the dialect `tm_tensor`, which the tools read in torch-mlir's
    syntax. The dimensions beside that of a scan, a sort or a topk are an `scf.forall`,
    which threads share.

    - `scan` is one pass over its dimension. Blocks of the last dimension go together
      where another one is scanned.
    - `scatter` combines updates in their order, so that of equal indices the last one
      is the last, whatever `unique_indices` says. A window that is not inside of the
      destination, also at a negative index, is a failed `cf.assert`.
    - `sort` is a stable merge sort between the row and a buffer of its size,
      O(n log n). Equality and order of the region's `arith.cmpf` become PyTorch's,
      where NaN equals NaN and is greater than all else.
    - `topk` inserts into k places for constant k up to 64, and sorts otherwise.
    - `attention` becomes two products and a softmax of linalg ops, with sums and
      exponentials of f16 and bf16 in f32.

    Example:

    ```mlir
    %r:2 = tm_tensor.scan dimension(0) inclusive(true)
        ins(%x : tensor<?xf32>) outs(%y, %a : tensor<?xf32>, tensor<f32>) {
    ^bb0(%sum: f32, %e: f32):
      %s = arith.addf %sum, %e : f32
      tm_tensor.yield %s : f32
    } -> tensor<?xf32>, tensor<f32>
    ```

    becomes

    ```mlir
    %first = scf.for %i = %c0 to %min_n_1 step %c1 iter_args(%o = %y) ... // y[0] = x[0]
    %r = scf.for %i = %min_n_1 to %n step %c1 iter_args(%o = %first) -> (tensor<?xf32>) {
      %p = arith.subi %i, %c1 : index
      %sum = tensor.extract %o[%p] : tensor<?xf32>
      %e = tensor.extract %x[%i] : tensor<?xf32>
      %s = arith.addf %sum, %e : f32
      %next = tensor.insert %s into %o[%i] : tensor<?xf32>
      scf.yield %next : tensor<?xf32>
    }
    ```

    Limits: tensors alone; open extents that differ where the op has one are failed
    assertions.
  }];
  let dependentDialects = [
    "affine::AffineDialect", "arith::ArithDialect", "cf::ControlFlowDialect",
    "linalg::LinalgDialect", "math::MathDialect", "scf::SCFDialect",
    "tensor::TensorDialect"
  ];
}

#endif // NORM_TMTENSOR_PASSES
