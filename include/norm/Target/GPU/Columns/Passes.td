//===- Passes.td - passes of Target/GPU/Columns ------------*- tablegen -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TARGET_GPU_COLUMNS_PASSES
#define NORM_TARGET_GPU_COLUMNS_PASSES

include "mlir/Pass/PassBase.td"

def NormTileColumns : Pass<"norm-tile-columns", "func::FuncOp"> {
  let summary = "Reduce rows by parts and blocks of columns";
  let description = [{
    A reduction of rows into one row, as of a gradient of a weight, has no row that
    threads could share: left alone it is one thread a column, which adds all rows one
    after another. This pass tiles it by upstream's `TilingInterface` into an
    `scf.forall` over parts of the rows and blocks of the columns, each of which starts
    from the neutral element, and a second op that combines the parts in their order
    with what the destination held:

    * A block of columns is one access of each thread of a warp, 16 bytes where the
      extents allow it. Where they do not divide the columns, fewer threads have a
      block, and a warp several. The loop gets a schedule (see norm-plan-gpu-rows),
      so that norm-vectorize-rows writes the columns as one vector, whose sums
      norm-distribute-rows-to-gpu leaves in registers.
    * A part has at least 64 rows, and there are at most 1024 parts, divided by
      the warps that the columns need. Both depend on extents alone: the same tensor
      always has the same sum, to the bit.
    * The combining op is tiled too. Below 128 rows there is one part: the
      loop is over blocks of columns, and reduces into the destination.
    * Elementwise ops that alone read the result of one part, over the same columns, are
      tiled into its loop by upstream's tile-and-fuse: a norm over channels is one
      loop, whose threads go through their columns twice. Several parts take those
      that have no other loops than the result.

    Example:

    ```mlir
    %s = linalg.generic {iterator_types = ["reduction", "parallel"], ...}
      ins(%x : tensor<4096x4096xf32>) outs(%init : tensor<4096xf32>) { addf }
    ```

    becomes

    ```mlir
    %p = scf.forall (%i, %j) in (32, 32) shared_outs(%o = %e) -> tensor<32x4096xf32> {
      %r = linalg.generic {iterator_types = ["reduction", "parallel"], ...}
        ins(%rows : tensor<128x128xf32>) outs(%neutral : tensor<128xf32>) { addf }
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %r into %o[%i, %column] [1, 128] [1, 1] ...
      }
    } {norm.loop = #norm.loop<rows, <threads = 32, vector = 4, lanes = 128, ...>>}
    %s = scf.forall (%j) in (32) shared_outs(%o = %init) -> tensor<4096xf32> {
      %r = linalg.generic {iterator_types = ["reduction", "parallel"], ...}
        ins(%parts : tensor<32x128xf32>) outs(%old : tensor<128xf32>) { addf }
      ...
    ```

    Limits: the loops of the op are parallel ones, then one over rows, then one over
    columns, with the results of one combining op each that has a neutral element
    (sums, products, minimums, maximums, of floats and integers). Upstream's
    `PartialReductionOpInterface` is not used: it starts sums from +0, which
    makes a sum of -0 a +0.
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "gpu::GPUDialect", "linalg::LinalgDialect",
                           "norm::NormDialect", "scf::SCFDialect",
                           "tensor::TensorDialect"];
  let options = [
      Option<"leaveShared", "leave-shared", "bool", /*default=*/"false",
             "Leave reductions of rows that another op reduces along the row, for "
             "norm-join-columns, and move them to where they are needed">];
}

def NormJoinColumns : Pass<"norm-join-columns", "func::FuncOp"> {
  let summary = "Sum rows while they are computed, each block the rows of a part";
  let description = [{
    A backward pass reduces the same tensors along rows (its result is a row each) and over
    rows (the gradient of a weight). As two loops it reads them twice. This pass
    joins a reduction over rows to the `scf.forall` over those rows that norm-tile-rows
    made: the loop is then over parts of the rows, with a loop over a part's rows in it
    that carries the sums.

    ```mlir
    %dx = scf.forall (%i) in (4096) shared_outs(%o = %init) -> tensor<4096x1024xf32> {
      %r = linalg.generic ... ins(%row : tensor<1x1024xf32>) ...
      ...
    } {norm.loop = #norm.loop<rows>}
    %dw = linalg.generic {iterator_types = ["reduction", "parallel"], ...}
      ins(%x, %dy : tensor<4096x1024xf32>, ...) outs(%zero : tensor<1024xf32>) { addf }
    ```

    becomes

    ```mlir
    %r:2 = scf.forall (%part) in (512) shared_outs(%o = %init, %p = %e)
        -> (tensor<4096x1024xf32>, tensor<512x1024xf32>) {
      %s:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%rows = %o, %sum = %neutral) {
        %r = linalg.generic ... ins(%row : tensor<1x1024xf32>) ...
        %t = linalg.generic {iterator_types = ["parallel"]} ... outs(%sum : tensor<1024xf32>) { addf }
        scf.yield ...
      } {norm.loop = #norm.loop<rows>}
      ...
    } {norm.loop = #norm.loop<rows, <threads = 32, vector = 4, lanes = 1024, ...>>}
    %dw = linalg.generic {iterator_types = ["reduction", "parallel"], ...}
      ins(%r#1 : tensor<512x1024xf32>) outs(%zero : tensor<1024xf32>) { addf }
    ```

    norm-tile-columns then tiles the sum of the parts. Parts depend on the extents
    alone (`chooseRowDivision`), so the same tensors have the same sum, to the bit.

    The schedule counts the registers of the sums (`chooseSummedRowSchedule`). Where the
    threads of one block cannot hold the row and them, where the rows are of unknown length
    or fewer than two parts, nothing is joined, and norm-tile-columns makes kernels of the
    reduction. Nor are reductions that need what is computed after the loop, that number
    their elements, or that start at several results.
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "gpu::GPUDialect", "linalg::LinalgDialect",
                           "norm::NormDialect", "scf::SCFDialect",
                           "tensor::TensorDialect"];
}

def NormHoistRowSums : Pass<"norm-hoist-row-sums", "func::FuncOp"> {
  let summary = "Keep in registers what the rows of a part are added to";
  let description = [{
    The sums of norm-join-columns are tensors that each iteration of the loop over
    a part's rows reads and writes. This pass carries them as vectors through that
    loop, by upstream's hoisting of loop-invariant subsets, which takes any loop;
    this takes loops with a schedule only, whose accesses of one subset have one
    mask.

    Example: in a loop with a schedule,

    ```mlir
    %s = scf.for ... iter_args(%t = %init) -> tensor<1024xf32> {
      %old = vector.transfer_read %t[%c0] ... : tensor<1024xf32>, vector<1024xf32>
      %new = arith.addf %old, %row : vector<1024xf32>
      %u = vector.transfer_write %new, %t[%c0] ... : vector<1024xf32>, tensor<1024xf32>
      scf.yield %u
    ```

    becomes

    ```mlir
    %old = vector.transfer_read %init[%c0] ... : tensor<1024xf32>, vector<1024xf32>
    %v = scf.for ... iter_args(%sum = %old) -> vector<1024xf32> {
      %new = arith.addf %sum, %row : vector<1024xf32>
      scf.yield %new
    }
    %s = vector.transfer_write %v, %init[%c0] ... : vector<1024xf32>, tensor<1024xf32>
    ```
  }];
}


#endif // NORM_TARGET_GPU_COLUMNS_PASSES
