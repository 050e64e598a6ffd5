//===- TMTensorOps.td - torch-mlir's dialect tm_tensor ----*- tablegen -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TMTENSOR_TMTENSOROPS
#define NORM_TMTENSOR_TMTENSOROPS

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TMTensor_Dialect : Dialect {
  let name = "tm_tensor";
  let cppNamespace = "::mlir::norm::tm_tensor";
  let summary = "Ops of torch-mlir's linalg-on-tensors contract beside linalg";
  let description = [{
    What torch-mlir emits where linalg has no op: cumulative sums, index_put, sorts.
    Names and syntax are torch-mlir's, so that its programs are read as they are; on
    tensors alone. norm-lower-tm-tensor replaces the ops at the start of each pipeline.
    The tools and the Python package register the dialect, norm::registerAllDialects
    does not, because a compiler with torch-mlir inside has its own.
  }];
}

class TMTensor_Op<string mnemonic, list<Trait> traits = []>
    : Op<TMTensor_Dialect, mnemonic,
         !listconcat(traits, [AttrSizedOperandSegments, NoMemoryEffect])> {
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let hasVerifier = 1;
}

class TMTensor_RegionOp<string mnemonic>
    : TMTensor_Op<mnemonic,
                  [SingleBlockImplicitTerminator<"tm_tensor::YieldOp">]> {
  let regions = (region SizedRegion<1>:$region);
  let hasRegionVerifier = 1;
}

def TMTensor_ScanOp : TMTensor_RegionOp<"scan"> {
  let summary = "Combine each element with all before it along a dimension";
  let description = [{
    With f the region, x the input and a the second destination:

        inclusive: y[0] = x[0], y[i] = f(y[i - 1], x[i])
        exclusive: y[0] = a,    y[i] = f(y[i - 1], x[i - 1])

    The second result is the last y, or a where the extent is 0.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       Variadic<AnyRankedTensor>:$outputs,
                       I64Attr:$dimension, BoolAttr:$inclusive);
  let assemblyFormat = [{
    `dimension` `(` $dimension `)` `inclusive` `(` $inclusive `)` attr-dict
    `ins` `(` $inputs `:` type($inputs) `)`
    `outs` `(` $outputs `:` type($outputs) `)`
    $region (`->` type($results)^)?
  }];
}

def TMTensor_ScatterOp : TMTensor_RegionOp<"scatter"> {
  let summary = "Combine windows of updates with a tensor at given indices";
  let description = [{
    The inputs are updates (n x window) and indices (n x depth). The indices of update
    u are where its window starts in the dimensions `dimension_map`; the dimensions of
    the window are the last ones of the destination, whose others must be indexed. The
    region combines an update (first) with the current element (second).

    Updates are combined in their order, so that of equal indices the last one is the
    last: torch-mlir says `unique_indices(true)` for index_put of any indices. A window
    that is not inside of the destination is a failed assertion.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       Variadic<AnyRankedTensor>:$outputs,
                       DenseI64ArrayAttr:$dimension_map,
                       DefaultValuedAttr<BoolAttr, "true">:$unique_indices);
  let assemblyFormat = [{
    attr-dict `unique_indices` `(` $unique_indices `)`
    (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $outputs `:` type($outputs) `)`
    $region (`->` type($results)^)?
  }];
}

def TMTensor_SortOp : TMTensor_RegionOp<"sort"> {
  let summary = "Sort tensors together along a dimension";
  let description = [{
    The region has two elements of each tensor, and yields whether the first ones stay
    before the second ones. The sort is stable, and for the comparisons of the region
    NaN is equal to NaN and greater than all else, as in PyTorch.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       Variadic<AnyRankedTensor>:$outputs,
                       I64Attr:$dimension);
  let assemblyFormat = [{
    attr-dict `dimension` `(` $dimension `)`
    (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $outputs `:` type($outputs) `)`
    $region (`->` type($results)^)?
  }];
}

def TMTensor_TopkOp : TMTensor_RegionOp<"topk"> {
  let summary = "Take the first elements along a dimension in an order";
  let description = [{
    The region yields whether its first element comes before its second one; NaN is
    the greatest. Of equal elements the one with the smaller index comes first. The
    indices are the second input, or else the places along the dimension. What the
    destinations hold takes part, unless it is a fill with the value that comes last
    of all (an infinity, or the largest or smallest of the type).
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       Variadic<AnyRankedTensor>:$outputs,
                       I64Attr:$dimension);
  let assemblyFormat = [{
    attr-dict `dimension` `(` $dimension `)`
    `ins` `(` $inputs `:` type($inputs) `)`
    `outs` `(` $outputs `:` type($outputs) `)`
    $region (`->` type($results)^)?
  }];
}

def TMTensor_AttentionOp : TMTensor_Op<"attention"> {
  let summary = "softmax(Q K^T * scale + mask) V";
  let description = [{
    The inputs are Q (batch x m x d), K (batch x n x d), V (batch x n x p), and perhaps
    a mask (batch x m x n): a float is added, a false i1 is an infinity subtracted. The
    scale is 1/sqrt(d) unless it is given. A row that is masked as a whole is zero.
    Sums and exponentials of f16 and bf16 are f32.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       Variadic<AnyRankedTensor>:$outputs,
                       OptionalAttr<F64Attr>:$scale);
  let assemblyFormat = [{
    attr-dict `ins` `(` $inputs `:` type($inputs) `)`
    `outs` `(` $outputs `:` type($outputs) `)` (`->` type($results)^)?
  }];
}

def TMTensor_YieldOp
    : Op<TMTensor_Dialect, "yield", [Pure, ReturnLike, Terminator]> {
  let summary = "Ends a region of tm_tensor";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let builders = [OpBuilder<(ins), [{ /* It yields nothing. */ }]>];
}

#endif // NORM_TMTENSOR_TMTENSOROPS
