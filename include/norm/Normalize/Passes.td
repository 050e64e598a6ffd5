//===- Passes.td - passes of Normalize ---------------------*- tablegen -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_NORMALIZE_PASSES
#define NORM_NORMALIZE_PASSES

include "mlir/Pass/PassBase.td"

def NormStoreWholeBytes : Pass<"norm-store-whole-bytes", "ModuleOp"> {
  let summary = "Keep elements of i1, i4 or i24 in memory as i8 or i32";
  let description = [{
    An array of i1 has one byte per element in memory, an array of i24 four: this is
    where LLVM's loads and stores of a scalar, C's `bool` and numpy's find them. But a
    load of `vector<8xi1>`, which vectorized loops and constants create, is one byte
    with eight elements in it. Vectors have no gaps between elements, so this pass
    removes the types whose arrays have gaps: signless integers that are not 8, 16,
    32, 64 or 128 bits wide, f4E2M1FN, f6E2M3FN and f6E3M2FN in tensors and memrefs of
    the whole module become the smallest such integer that holds them. The memory is
    the same before and after, and so is the C interface of functions.

    Zeros are written above the bits of an element, as LLVM does; they are ignored
    when it is read, so of a byte that is neither 0 nor 1 the lowest bit counts (but a
    copy copies the byte). Scalars and vectors keep their types: linalg ops truncate
    what they read and extend what they yield. Reductions with `and`, `or` and `xor`
    of i1 and other widths combine in the type in memory, where row code generation
    finds them.

    Example:

    ```mlir
    %y = linalg.generic ... ins(%x, %mask : tensor<4xf32>, tensor<4xi1>) ... {
    ^bb0(%e: f32, %m: i1, %out: f32):
      %v = arith.select %m, %e, %zero : f32
      linalg.yield %v : f32
    }
    ```

    becomes

    ```mlir
    %y = linalg.generic ... ins(%x, %mask : tensor<4xf32>, tensor<4xi8>) ... {
    ^bb0(%e: f32, %m: i8, %out: f32):
      %b = arith.trunci %m : i8 to i1
      %v = arith.select %b, %e, %zero : f32
      linalg.yield %v : f32
    }
    ```

    Upstream's `arith-emulate-wide-int`, `memref-emulate-narrow-type` and
    `arith-int-narrowing` solve other problems: the second is for packed memory.
    Limits: signed and unsigned types (si4, ui4) and f80 keep their type;
    norm-vectorize-rows leaves ops on them to scalar loops. Errors are integers of
    more than 128 bits and tf32 in memory, ops outside arith, affine, bufferization,
    cf, func, linalg, memref, scf and tensor (of vector all but transfers) on elements
    that change, and dense_resource blobs with another layout than memory has.
  }];
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect"];
}

def NormFuseElementwise : Pass<"norm-fuse-elementwise"> {
  let summary = "Fuse elementwise ops, but not into a product of matrices";
  let description = [{
    `linalg-fuse-elementwise-ops` fuses each producer with a single use into the body
    of its reader. A product of matrices reads each element of its operands once for
    each column, or row, of the other operand, and would compute it that often: the
    gate of an MLP has as many exponentials as elements, but in the body of the product
    that reads it these times the columns of the weight. This pass uses the same
    patterns, and leaves such a producer alone.

    Example: the first op stays where upstream's pass would move its body into the
    second one.

    ```mlir
    %g = linalg.generic {iterator_types = ["parallel", "parallel"]}
        ins(%gate, %up) // gate / (1 + exp(-gate)) * up
    %y = linalg.generic {iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%g, %w) // g[m, k] * w[k, n] + y[m, n]
    ```

    A producer that only changes the layout is fused into a product too, and so is one
    that reads fewer bits than it computes (a widening cast, weights that are scaled
    integers) by sums, products and casts: its result would take more memory. With
    `products=blocks` one that does more than to widen stays alone if the product reads
    its elements for more than `few_rows` (8) rows: norm-tile-products computes it once,
    block by block. A fill is viewed in another shape by being written in it, however
    many readers it has: the sums of several products may start from one.

    The patterns would also drop an accumulator that a body does not read, which is the
    result where there are no elements: a body with a loop that may be empty reads it.

    Every operation is done on the same values, so no bit changes. Limits: a product
    is an op with two inputs and with loops over rows, columns and a reduction
    (upstream's `inferContractionDims`); a body that was fused before is not taken
    apart, and a convolution is not looked for.
  }];
  let options = [Option<"products", "products", "::mlir::norm::Products",
                        "::mlir::norm::Products::Loops",
                        "How products are computed later",
                        "::mlir::norm::getProductsValues()">];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "linalg::LinalgDialect", "tensor::TensorDialect"];
}

def NormSplitJoinedRows : Pass<"norm-split-joined-rows", "func::FuncOp"> {
  let summary = "Compute what reads joined rows, or parts of rows, part by part";
  let description = [{
    A rotary embedding turns each row by reading its halves in the other order:
    front ends slice the row, negate one half and concatenate the two. An op that
    reads the concatenation can only start when all of it is in memory, so rows are
    not fused across it. This pass splits the elementwise ops that read joined rows,
    directly or through others, into one op per part, which reads the value of that
    part instead. An elementwise op that is only read in these parts is split as well.
    Elements are computed once, by the same operations, so no bit changes. Equal parts
    of a result that is kept, whole or for a reduction, come from one op, so that one
    loop over the row writes them all.

    An elementwise op that is only read by slices of equal length is split too, such as
    the numbers of which a later op packs two into a byte. A reduction may read it as
    well, if its combiner gives the same bits in any order (a maximum, an `and`): it
    combines a column of each part per iteration.

    Example (a row is multiplied by its halves in the other order):

    ```mlir
    %lo = tensor.extract_slice %x[0, 0] [8, 32] [1, 1]
    %hi = tensor.extract_slice %x[0, 32] [8, 32] [1, 1]
    %r = tensor.concat dim(1) %hi, %lo
    %y = linalg.generic ins(%x, %r : tensor<8x64xf32>, tensor<8x64xf32>) // x * r
    ```

    becomes

    ```mlir
    %y:2 = linalg.generic ins(%lo, %hi, %hi, %lo : tensor<8x32xf32>, ...)
    %a = tensor.insert_slice %y#0 into %empty[0, 0] [8, 32] [1, 1]
    %b = tensor.insert_slice %y#1 into %a[0, 32] [8, 32] [1, 1]
    ```

    First the pass spells all joins as slices that fill a `tensor.empty`: a
    `tensor.concat` of the innermost dimension, a stack of columns that is flattened
    (interleaved pairs), and a `linalg.generic` that chooses among tensors by its
    innermost index, which is how StableHLO lowers a concatenation.
    norm-results-to-out-params later writes the parts of a result where they belong.

    It spells reads of every n-th element as slices, too. A front end that packs two
    4-bit numbers into a byte reads the even and the odd elements of a row: by
    slices with stride 2, by slices of the row as pairs, or by a linalg.generic that
    reads element 2 * d + 1. All three become slices with a stride:

    ```mlir
    %odd = tensor.extract_slice %row[0, 1] [8, 32] [1, 2] : tensor<8x64xi8> to tensor<8x32xi8>
    ```

    One of a row of blocks becomes one of each block, so that the ops on blocks see it.
    An operand that loops of a single iteration read at d0 * 2 + d1 becomes the slice
    that is read: it may hold more than one window, and linalg-fold-unit-extent-dims
    would read all of it.

    Limits: at most four parts with static extents, which a stride divides; windows may
    be dynamic. Ops that read their innermost index, and reductions over joined rows,
    read the join. Parts of different lengths
    are loops of their own. Run it before elementwise ops are fused, which merges the
    ops of each part.
  }];
  let dependentDialects = ["linalg::LinalgDialect", "tensor::TensorDialect"];
}

def NormNormalizeLoops : Pass<"norm-normalize-loops", "func::FuncOp"> {
  let summary = "Merge loops that all ops treat alike, and put neighbors in memory inside";
  let description = [{
    A norm over several dimensions reduces over as many loops, and rows of several
    leading dimensions are numbered by divisions. If all linalg ops of a function that
    use a tensor have two adjacent dimensions of it side by side and loop over them
    alike, this pass merges the two, by upstream's collapse of iteration dimensions.
    It decides for all ops at once, so that reshapes stand only at the ends of the
    chain, where they are views.

    Example: with `ins(%x : tensor<8x4x16xf32>) outs(%s : tensor<8xf32>)`,

    ```mlir
    #x = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
    #s = affine_map<(d0, d1, d2) -> (d0)>
    iterator_types = ["parallel", "reduction", "reduction"]
    ```

    becomes, on `tensor.collapse_shape %x [[0], [1, 2]]`,

    ```mlir
    #x = affine_map<(d0, d1) -> (d0, d1)>
    #s = affine_map<(d0, d1) -> (d0)>
    iterator_types = ["parallel", "reduction"]
    ```

    The innermost loop becomes vectors, which need elements that are neighbors in
    memory. Front ends write the loops in any order: a sum over the rows of a matrix
    comes with its reduction innermost as often as not. This pass makes innermost the
    loop that walks the most elements of the op's tensors in the order of memory; the
    other loops keep their order. A dynamic extent counts as 65536 elements.

    Example: the sums of the columns of `%x`, read at `(d0, d1) -> (d1, d0)` by
    `["parallel", "reduction"]`, are read at `(d0, d1) -> (d0, d1)` by `["reduction",
    "parallel"]`, and written at `(d0, d1) -> (d1)`.

    Limits: linalg.generic on tensors. A dimension of unknown extent does not merge with
    the one before it; ops with `linalg.index`, and slices, keep theirs. Elementwise ops
    without a reduction keep their innermost dimension. Where two loops walk as many
    elements, as in a transposition, the order stays.
  }];
  let dependentDialects = ["linalg::LinalgDialect", "tensor::TensorDialect"];
}

def NormNestedIndicesToLoops : Pass<"norm-nested-indices-to-loops"> {
  let summary = "Lower nested linalg ops that read their index to loops";
  let description = [{
    `linalg.index d` means the loop of the op whose body it is in, but only its place
    says so: it has no operand. Upstream's CSE (LLVM 22), and every pass that calls
    it, merges the one in the body of a nested linalg op with the one of the enclosing
    body, which dominates it, and x[i, j] silently becomes x[i, i]. This pass rewrites
    each linalg op that is nested in a linalg op and reads an index to loops, on
    tensors and on buffers, whose induction variables are distinct values: upstream's
    tiling makes each iteration an op of its own. It also does so if the enclosing
    body reads no index, because fusion may add one.

    Example, in the body of another linalg op:

    ```mlir
    %i = linalg.index 0 : index
    %s = linalg.generic ... ["reduction"] ins(%t : tensor<8xf32>) outs(%zero : tensor<f32>) {
    ^bb0(%in: f32, %acc: f32):
      %j = linalg.index 0 : index
      %v = tensor.extract %x[%i, %j] : tensor<4x8xf32>
      ...
      linalg.yield %next : f32
    } -> tensor<f32>
    ```

    becomes

    ```mlir
    %i = linalg.index 0 : index
    %s = scf.for %j = %c0 to %c8 step %c1 iter_args(%z = %zero) -> (tensor<f32>) {
      %in = tensor.extract_slice %t[%j] [1] [1] : tensor<8xf32> to tensor<1xf32>
      %u = linalg.generic ... ["reduction"] ins(%in : tensor<1xf32>) outs(%z : tensor<f32>) {
        %v = tensor.extract %x[%i, %j] : tensor<4x8xf32>
        ...
      }
      scf.yield %u : tensor<f32>
    }
    ```

    It runs before the first CSE, and once more after bufferization, which creates
    `linalg.map` with `linalg.index` from a nested `tensor.generate` or `tensor.pad`.
    `norm-opt --cse` before it has already merged the indices, which cannot be undone.
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "memref::MemRefDialect", "scf::SCFDialect",
                           "tensor::TensorDialect"];
}

#endif // NORM_NORMALIZE_PASSES
