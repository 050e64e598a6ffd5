//===- NormOps.td - the norm dialect ----------------------*- tablegen -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_IR_NORMOPS
#define NORM_IR_NORMOPS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Dialect/Linalg/IR/LinalgInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Norm_Dialect : Dialect {
  let name = "norm";
  let cppNamespace = "::mlir::norm";
  let summary = "Normalization layers as single operations";
  let description = [{
    Normalization operations in destination-passing style, on tensors and on
    memrefs, with every rounding step explicit. docs/Norm.md is the numbered
    specification; its labels S1 to S9, and B1 to B9 of the backward pass, are the
    ones that the verifier prints.
  }];
  let dependentDialects = [
    "arith::ArithDialect", "linalg::LinalgDialect", "math::MathDialect",
    "memref::MemRefDialect", "tensor::TensorDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Attaches TilingInterface to the ops, which share one model of it.
    void attachTiling();
  }];
}

def Norm_EpsilonMode : I32EnumAttr<"EpsilonMode", "where epsilon enters (S3)", [
    I32EnumAttrCase<"Inside", 0, "inside">,
    I32EnumAttrCase<"Outside", 1, "outside">,
    I32EnumAttrCase<"Clamp", 2, "clamp">]> {
  let cppNamespace = "::mlir::norm";
  let genSpecializedAttr = 0;
}

def Norm_EpsilonModeAttr
    : EnumAttr<Norm_Dialect, Norm_EpsilonMode, "epsilon_mode"> {
  let assemblyFormat = "$value";
}

def Norm_RootForm : I32EnumAttr<"RootForm", "how the root scales x (S3, S4)", [
    I32EnumAttrCase<"Reciprocal", 0, "reciprocal">,
    I32EnumAttrCase<"Rsqrt", 1, "rsqrt">,
    I32EnumAttrCase<"Quotient", 2, "quotient">]> {
  let cppNamespace = "::mlir::norm";
  let genSpecializedAttr = 0;
}

def Norm_RootFormAttr : EnumAttr<Norm_Dialect, Norm_RootForm, "root_form"> {
  let assemblyFormat = "$value";
}

def Norm_LoopRole : I32EnumAttr<"LoopRole", "what a loop goes over", [
    I32EnumAttrCase<"Rows", 0, "rows">,
    I32EnumAttrCase<"Block", 1, "block">,
    I32EnumAttrCase<"Strips", 2, "strips">,
    I32EnumAttrCase<"Statistic", 3, "statistic">,
    I32EnumAttrCase<"Edge", 4, "edge">,
    I32EnumAttrCase<"Product", 5, "product">]> {
  let cppNamespace = "::mlir::norm";
  let genSpecializedAttr = 0;
}

def Norm_GPUScheduleAttr : AttrDef<Norm_Dialect, "GPUSchedule"> {
  let mnemonic = "gpu_schedule";
  let summary = "how the threads of a GPU share a row";
  let description = [{
    `threads` threads share one row, in all of its `cluster` blocks. Each
    accesses `vector` adjacent elements at once and may use `registers`
    registers for the intended occupancy. Together they hold `lanes` elements,
    which are the vectors of the row. `shifted` rows do not start at multiples
    of `vector`.
  }];
  let parameters = (ins
    "int64_t":$threads, "int64_t":$vector, "int64_t":$lanes,
    "int64_t":$registers, DefaultValuedParameter<"int64_t", "1">:$cluster,
    DefaultValuedParameter<"bool", "false">:$shifted);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Norm_RowPlanAttr : AttrDef<Norm_Dialect, "RowPlan"> {
  let mnemonic = "row_plan";
  let summary = "how a CPU computes rows";
  let description = [{
    The attribute `norm.plan` of a linalg op, which the loop over its rows takes
    over, or of such a loop. norm-tile-rows completes it by the numbers of
    norm/IR/RowTarget.def; what is there already stays. Of an op in a loop with
    a plan, its own `lanes` count.

    * `rows_per_block`, `rows_per_part`: rows of an iteration, and rows whose
      sum is kept apart. A loop has them as its step. Blocks that do not divide
      16 rows are added to each other as they are.
    * `parallel = false`: threads do not share the loop.
    * `lanes`, `tail_lanes`: elements of a strip, and of one behind the last
      whole strip: norm-vectorize-rows. They decide which elements a sum adds
      to each other.
    * `stream = false`: no second version for large buffers: norm-stream-rows.
      `pipeline = false`: in that version no row overlaps the next.

    ```mlir
    %y = linalg.generic ... {norm.plan = #norm.row_plan<rows_per_block = 8>}
    scf.for ... {
    } {norm.loop = #norm.loop<rows>,
       norm.plan = #norm.row_plan<lanes = 64, tail_lanes = 16, stream = false>}
    ```
  }];
  let parameters = (ins
    DefaultValuedParameter<"int64_t", "0">:$rows_per_block,
    DefaultValuedParameter<"int64_t", "0">:$rows_per_part,
    DefaultValuedParameter<"int64_t", "0">:$lanes,
    DefaultValuedParameter<"int64_t", "0">:$tail_lanes,
    DefaultValuedParameter<"bool", "true">:$parallel,
    DefaultValuedParameter<"bool", "true">:$stream,
    DefaultValuedParameter<"bool", "true">:$pipeline);
  let skipDefaultBuilders = 1;
  let builders = [AttrBuilder<(ins
    CArg<"int64_t", "0">:$rowsPerBlock, CArg<"int64_t", "0">:$rowsPerPart,
    CArg<"int64_t", "0">:$lanes, CArg<"int64_t", "0">:$tailLanes,
    CArg<"bool", "true">:$parallel, CArg<"bool", "true">:$stream,
    CArg<"bool", "true">:$pipeline), [{
    return $_get($_ctxt, rowsPerBlock, rowsPerPart, lanes, tailLanes, parallel,
                 stream, pipeline);
  }]>];
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Returns this plan, with the numbers of `other` where it has none, as
    /// far as they fit. What one of both forbids is forbidden.
    RowPlanAttr completeBy(RowPlanAttr other);

    /// Returns what is left of it once there is a loop.
    RowPlanAttr getOfLoop();
  }];
}

def Norm_RowStreamsAttr : AttrDef<Norm_Dialect, "RowStreams"> {
  let mnemonic = "row_streams";
  let summary = "how an op passes the caches";
  let description = [{
    The attribute `norm.streams` of a linalg op on buffers, which
    norm-stream-rows gives and norm-vectorize-rows follows.

    * `results`: the results that are stored past the caches.
    * `moved`: strips start at the first cache line of the first of these that
      begins in the row; without it each row starts at one.
    * `fetched`: so many last inputs are not read but prefetched, strip by
      strip, such as the next row. `near`: into the level 1 cache, not level 2.
    * `beside`: the next reduction of the block, of the next row, is computed
      beside the strips.

    ```mlir
    linalg.generic ... ins(%row, %next : ...) outs(%y : ...) {...}
        {norm.streams = #norm.row_streams<results = [0], moved = true, fetched = 1>}
    ```
  }];
  let parameters = (ins
    "DenseI64ArrayAttr":$results,
    DefaultValuedParameter<"bool", "false">:$moved,
    DefaultValuedParameter<"int64_t", "0">:$fetched,
    DefaultValuedParameter<"bool", "false">:$near,
    DefaultValuedParameter<"bool", "false">:$beside);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Norm_LoopAttr : AttrDef<Norm_Dialect, "Loop"> {
  let mnemonic = "loop";
  let summary = "what a loop of row code generation goes over";
  let description = [{
    The pass that builds a loop writes this as the attribute `norm.loop`, and
    later passes read it instead of guessing from the structure. They do not
    change a loop without it.

    * `rows`: rows, or blocks of them where the step is not one. norm-tile-rows
      adds the schedule that threads follow.
    * `block`: the rows that one iteration of a `rows` loop works on.
    * `strips`: the vectors of a row that an elementwise op writes.
    * `statistic`: the vectors, or blocks of vectors, of a row that are reduced
      into the accumulators that the loop carries.
    * `edge`: what is left of a row beside its strips, in smaller vectors.

    ```mlir
    scf.for %i = %c0 to %m step %c1 {
      %sum = scf.for %k = ... iter_args(%s = %zero) -> (vector<64xf32>) {
        ...
      } {norm.loop = #norm.loop<statistic>}
      scf.for %k = %c0 to %n step %c64 {
        ...
      } {norm.loop = #norm.loop<strips>}
    } {norm.loop = #norm.loop<rows>}
    ```
  }];
  let parameters = (ins EnumParameter<Norm_LoopRole>:$role,
                        OptionalParameter<"GPUScheduleAttr">:$schedule);
  let assemblyFormat = "`<` $role (`,` $schedule^)? `>`";
  let genVerifyDecl = 1;
}

// What the two ops have in common: the statistic of x, the roundings, and how
// the dimensions of operands and results are those of x.
def Norm_RMSNormOpInterface : OpInterface<"RMSNormOpInterface"> {
  let description = [{
    An op on the rows of `input` (x in docs/Norm.md) that scales them by the
    reciprocal root of their mean square, or differentiates that.
  }];
  let cppNamespace = "::mlir::norm";
  let methods = [
    InterfaceMethod<"Returns x.", "::mlir::Value", "getInput">,
    InterfaceMethod<"Returns the weight, or null.", "::mlir::Value",
                    "getWeight">,
    InterfaceMethod<"Returns the normalized dimensions (S1).",
                    "::llvm::ArrayRef<int64_t>", "getDims">,
    InterfaceMethod<"Returns epsilon (S3); null where the op needs none.",
                    "::mlir::FloatAttr", "getEpsilonAttr">,
    InterfaceMethod<"Returns where epsilon enters (S3).",
                    "::mlir::norm::EpsilonMode", "getEpsilonMode">,
    InterfaceMethod<"Returns how the root scales x (S3, S4).",
                    "::mlir::norm::RootForm", "getRootForm">,
    InterfaceMethod<"Returns C where it is given (S2).",
                    "::std::optional<::mlir::Type>", "getComputeType">,
    InterfaceMethod<"Returns the type of the sum where it is given (S2).",
                    "::std::optional<::mlir::Type>", "getSumType">,
    InterfaceMethod<"Returns the type that r is rounded to (S3).",
                    "::std::optional<::mlir::Type>", "getScaleType">,
    InterfaceMethod<"Returns the type that z is rounded to (S4).",
                    "::std::optional<::mlir::Type>", "getNormalizedType">,
    InterfaceMethod<"Returns the weight's dimensions where given (S5).",
                    "::std::optional<::llvm::ArrayRef<int64_t>>",
                    "getWeightDims">,
    InterfaceMethod<"Returns the number of elements in the statistic (S7).",
                    "::std::optional<uint64_t>", "getCount">,
    InterfaceMethod<"Returns true if the op has a weight, or its gradient.",
                    "bool", "hasWeightDims">,
    InterfaceMethod<"Returns the dimensions of x that an operand has, in its "
                    "order.", "::llvm::SmallVector<int64_t>", "getOperandDims",
                    (ins "::mlir::OpOperand &":$operand)>,
    InterfaceMethod<"Returns the dimensions of x that a result has, in its "
                    "order.", "::llvm::SmallVector<int64_t>", "getResultDims",
                    (ins "unsigned":$number)>,
    InterfaceMethod<"Returns the dimensions that a tile holds whole, sorted: "
                    "those that the op reduces.",
                    "::llvm::SmallVector<int64_t>", "getReducedDims">
  ];
  let extraSharedClassDeclaration = [{
    ::mlir::ShapedType getInputType() {
      return ::llvm::cast<::mlir::ShapedType>($_op.getInput().getType());
    }
    /// Returns C as it is without the attribute: f32 for a 16-bit x, else x's.
    ::mlir::FloatType getDefaultComputeType() {
      auto type = ::llvm::cast<::mlir::FloatType>(
          $_op.getInputType().getElementType());
      return type.getWidth() == 16
                 ? ::mlir::Float32Type::get(type.getContext()) : type;
    }
    /// Returns C of S2.
    ::mlir::FloatType getEffectiveComputeType() {
      if (auto type = $_op.getComputeType())
        return ::llvm::cast<::mlir::FloatType>(*type);
      return $_op.getDefaultComputeType();
    }
    /// Returns the element type of z (S4): `normalized_type`, or C.
    ::mlir::FloatType getEffectiveNormalizedType() {
      if (auto type = $_op.getNormalizedType())
        return ::llvm::cast<::mlir::FloatType>(*type);
      return $_op.getEffectiveComputeType();
    }
    /// Returns the dimensions of x that the weight has (S5); none without one.
    ::llvm::ArrayRef<int64_t> getEffectiveWeightDims() {
      if (!$_op.hasWeightDims())
        return {};
      return $_op.getWeightDims().value_or($_op.getDims());
    }
    /// Returns the dimensions of x that are not normalized, in order.
    ::llvm::SmallVector<int64_t> getBatchDims() {
      ::llvm::SmallVector<int64_t> batch;
      for (int64_t dim = 0, e = $_op.getInputType().getRank(); dim < e; ++dim)
        if (!::llvm::is_contained($_op.getDims(), dim))
          batch.push_back(dim);
      return batch;
    }
    /// Returns epsilon rounded to C (S3); 0 where the op needs none.
    ::llvm::APFloat getEpsilonInComputeType() {
      auto type = $_op.getEffectiveComputeType();
      ::mlir::FloatAttr epsilon = $_op.getEpsilonAttr();
      return epsilon ? ::mlir::norm::roundTo(epsilon.getValue(),
                                             type.getFloatSemantics())
                     : ::llvm::APFloat::getZero(type.getFloatSemantics());
    }
  }];
}

def Norm_EpsilonAttr : Attr<CPred<"::llvm::isa<::mlir::FloatAttr>($_self)">,
                            "floating-point attribute"> {
  let storageType = "::mlir::FloatAttr";
  let returnType = "::llvm::APFloat";
  let convertFromStorage = "$_self.getValue()";
}

def Norm_FloatType : AnyTypeOf<[F16, BF16, F32, F64],
                               "f16, bf16, f32 or f64 type">;
def Norm_Shaped : AnyTypeOf<[RankedTensorOf<[Norm_FloatType]>,
                             MemRefOf<[Norm_FloatType]>],
    "ranked tensor or memref of f16, bf16, f32 or f64 values">;

class Norm_RowOp<string mnemonic> : Op<Norm_Dialect, mnemonic, [
    AttrSizedOperandSegments,
    DestinationStyleOpInterface,
    Norm_RMSNormOpInterface,
    DeclareOpInterfaceMethods<AggregatedOpInterface, ["decomposeOperation"]>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>]> {
  code commonClassDeclaration = [{
    bool hasWeightDims();
    SmallVector<int64_t> getOperandDims(OpOperand &operand);
    SmallVector<int64_t> getResultDims(unsigned number);
    SmallVector<int64_t> getReducedDims();
    MutableOperandRange getDpsInitsMutable();
  }];
  let extraClassDeclaration = commonClassDeclaration;
  let extraClassDefinition = [{
    ::mlir::FailureOr<::mlir::SmallVector<::mlir::Value>>
    $cppClass::decomposeOperation(::mlir::OpBuilder &b) {
      return decompose(b, *this, {});
    }
    ::mlir::LogicalResult
    $cppClass::fold(FoldAdaptor,
                    ::mlir::SmallVectorImpl<::mlir::OpFoldResult> &) {
      return foldMemRefCasts(*this);
    }
    void $cppClass::getEffects(::mlir::SmallVectorImpl<
        ::mlir::MemoryEffects::EffectInstance> &effects) {
      getAccesses(*this, effects);
    }
    ::mlir::Speculation::Speculatability $cppClass::getSpeculatability() {
      return speculateStaticShapes(*this);
    }
    ::mlir::LogicalResult
    $cppClass::reifyResultShapes(::mlir::OpBuilder &b,
                                 ::mlir::ReifiedRankedShapedTypeDims &shapes) {
      return reifyInitShapes(*this, b, shapes);
    }
  }];

  // The attributes after epsilon, and how they are written.
  dag optionalAttributes = (ins
    DefaultValuedAttr<Norm_EpsilonModeAttr,
                      "::mlir::norm::EpsilonMode::Inside">:$epsilon_mode,
    OptionalAttr<TypeAttrOf<Norm_FloatType>>:$compute_type,
    OptionalAttr<TypeAttrOf<Norm_FloatType>>:$scale_type,
    OptionalAttr<TypeAttrOf<Norm_FloatType>>:$normalized_type,
    OptionalAttr<DenseI64ArrayAttr>:$weight_dims,
    OptionalAttr<I64Attr>:$count,
    DefaultValuedAttr<Norm_RootFormAttr,
                      "::mlir::norm::RootForm::Reciprocal">:$root_form,
    OptionalAttr<TypeAttrOf<Norm_FloatType>>:$sum_type);
  string optionalFormat = [{
      `epsilon_mode` `=` $epsilon_mode
    | `root_form` `=` $root_form
    | `compute_type` `=` $compute_type
    | `sum_type` `=` $sum_type
    | `scale_type` `=` $scale_type
    | `normalized_type` `=` $normalized_type
    | `weight_dims` `=` custom<OptionalDims>($weight_dims)
    | `count` `=` $count }];

  let results = (outs Variadic<AnyRankedTensor>:$results);
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Norm_RMSNormOp : Norm_RowOp<"rmsnorm"> {
  let summary = "root mean square normalization";
  let description = [{
    Scales `x` by the reciprocal of the root of the mean of its squares:

    ```
    y = x / sqrt(mean(x^2) + epsilon) * w
    ```

    * S1 `dims`: non-empty, sorted, unique normalized dimensions, anywhere.
      n is the product of their extents, or `count` (S7).
    * S2 `compute_type` C (default: f32 for 16-bit x, else x's type). Every
      arithmetic result is rounded to C; s is the sum of C(x)*C(x) over `dims`,
      accumulated in C or wider, in unspecified order; m = s/n. With `sum_type`,
      wider than C, s and n are in that type and m is rounded to C once.
    * S3 `epsilon_mode`: `inside` r = 1/sqrt(m+e); `outside`
      r = 1/(sqrt(m)+e); `clamp` r = 1/max(sqrt(m), e). `epsilon` is rounded
      to C. With `scale_type`, r is rounded to that type before it multiplies.
      `root_form` says where a 16-bit C rounds: `reciprocal` (default) the root,
      then r; `rsqrt` r alone; `quotient` the root, and S4 divides by it. In f32
      and f64 `rsqrt` is `reciprocal`.
    * S4 z = C(x)*r, or C(x) divided by the root (`quotient`); with
      `normalized_type` it is rounded to that type before the weight.
    * S5 optional weight whose dimensions are `weight_dims` of x (default
      `dims`; a scalar: []); z*w in the wider of the two types.
    * S6 one final rounding to the result's element type.
    * S7 optional `count` = p: the statistics use only the first p elements of
      the single normalized dimension; all elements are scaled.
    * S8 optional second result `inv_rms` = r, of type C and x's shape without
      `dims`.
    * S9 a row with NaN gives NaN in that row only; a zero row with e = 0 gives
      NaN; zero-extent shapes are no-ops.

    Example, worked: x = [1, 2, 3, 4], epsilon 0: mean square 7.5, root 2.7386,
    result [0.365, 0.730, 1.095, 1.460].

    ```mlir
    %y = norm.rmsnorm ins(%x, %w : tensor<?x4096xf16>, tensor<4096xf16>)
                      outs(%init : tensor<?x4096xf16>)
                      dims = [1] epsilon = 1.0e-6 : f32
                      normalized_type = f16 -> tensor<?x4096xf16>
    ```
  }];

  let arguments = !con((ins
    Norm_Shaped:$input,
    Optional<Norm_Shaped>:$weight,
    Norm_Shaped:$init,
    Optional<Norm_Shaped>:$inv_rms_init,
    DenseI64ArrayAttr:$dims,
    Norm_EpsilonAttr:$epsilon), optionalAttributes);

  let assemblyFormat = [{
    `ins` `(` $input (`,` $weight^)? `:` type($input) (`,` type($weight)^)? `)`
    `outs` `(` $init (`,` $inv_rms_init^)? `:` type($init)
      (`,` type($inv_rms_init)^)? `)`
    `dims` `=` $dims `epsilon` `=` $epsilon
    oilist( }] # optionalFormat # [{ )
    attr-dict (`->` type($results)^)?
  }];
}

def Norm_RMSNormBackwardOp : Norm_RowOp<"rmsnorm_backward"> {
  let summary = "gradients of root mean square normalization";
  let description = [{
    Computes the gradients of `norm.rmsnorm` on `input` (x) and `weight` from
    the gradient `dy` of its result:

    ```
    g  = dy * w
    dx = r * (g - z * mean(z * g))
    dw = sum over rows of dy * z
    ```

    z and r are those of the forward op, and every attribute has its meaning
    there. docs/Norm.md derives each case. P is the wider of the types of z and
    of the weight (or dw), in which the forward op forms z*w.

    * B1 `dims` and n: S1. dy has x's shape, and so has dx.
    * B2 Each arithmetic result is rounded to C (S2); sums are accumulated in C
      or wider, in unspecified order, and divided as in S2.
    * B3 r is that of S3, computed from x with `epsilon`; or `inv_rms` has it,
      for `epsilon_mode = inside` alone, and epsilon is not used; or, for the
      other modes, `rms` has the root s of the mean before epsilon.
    * B4 g = C(T(P(dy)*P(w))), T of S4. Without a weight g = C(T(dy)).
    * B5 dw, of the weight's type and dimensions: the sum of P(dy)*P(T(z)),
      each product rounded to P, accumulated in P or wider in unspecified order.
      Without a weight it is the gradient of one that is all ones.
    * B6 One final rounding to the element type of dx, and one to that of dw.
    * B7 With `count` = p only the first p elements have the term of the mean,
      which sums over all of them and divides by p.
    * B8 The operand `inv_rms` is of type C and x's shape without `dims`, as the
      second result of the forward op; so is `rms`.
    * B9 A row with NaN in x or dy gives NaN in that row of dx, and in dw; a zero
      row with e = 0, or outside of the root, gives NaN; a dw of no rows is 0.

    `outside` multiplies the term of the mean by (s+e)/s, which is 1/(r*s), and
    `clamp` drops it where s is below e.

    ```mlir
    %dx, %dw = norm.rmsnorm_backward
        ins(%dy, %x : tensor<?x4096xf16>, tensor<?x4096xf16>)
        weight(%w : tensor<4096xf16>) inv_rms(%r : tensor<?xf32>)
        dx(%init : tensor<?x4096xf16>) dw(%winit : tensor<4096xf16>)
        dims = [1] normalized_type = f16
        -> tensor<?x4096xf16>, tensor<4096xf16>
    ```
  }];

  let arguments = !con((ins
    Norm_Shaped:$dy,
    Norm_Shaped:$input,
    Optional<Norm_Shaped>:$weight,
    Optional<Norm_Shaped>:$inv_rms,
    Optional<Norm_Shaped>:$rms,
    Optional<Norm_Shaped>:$dx_init,
    Optional<Norm_Shaped>:$dw_init,
    DenseI64ArrayAttr:$dims,
    OptionalAttr<Norm_EpsilonAttr>:$epsilon), optionalAttributes);

  let assemblyFormat = [{
    `ins` `(` $dy `,` $input `:` type($dy) `,` type($input) `)`
    (`weight` `(` $weight^ `:` type($weight) `)`)?
    (`inv_rms` `(` $inv_rms^ `:` type($inv_rms) `)`)?
    (`rms` `(` $rms^ `:` type($rms) `)`)?
    (`dx` `(` $dx_init^ `:` type($dx_init) `)`)?
    (`dw` `(` $dw_init^ `:` type($dw_init) `)`)?
    `dims` `=` $dims
    oilist( `epsilon` `=` $epsilon | }] # optionalFormat # [{ )
    attr-dict (`->` type($results)^)?
  }];

  let extraClassDeclaration = commonClassDeclaration # [{
    /// Returns P: the type in which the forward op forms z*w (S5).
    FloatType getProductType();
    /// Returns dx on tensors; null if it is left out.
    Value getDx();
    /// Returns dw on tensors; null if it is left out.
    Value getDw();
  }];
}

#endif // NORM_IR_NORMOPS
