//===- NormTransformOps.td - transform.norm.* -------------*- tablegen -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TRANSFORMOPS_NORMTRANSFORMOPS
#define NORM_TRANSFORMOPS_NORMTRANSFORMOPS

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/IR/TransformTypes.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Norm_RecognizeTransformOp : Op<Transform_Dialect, "norm.recognize", [
    FunctionalStyleTransformOpTrait, MemoryEffectsOpInterface,
    DeclareOpInterfaceMethods<TransformOpInterface>]> {
  let cppNamespace = "::mlir::norm";
  let summary = "Recognize RMSNorm in the targets, as norm-recognize does";
  let description = [{
    Runs `norm-recognize` on every target, which must be isolated from above
    (modules, functions). Returns a handle to the targets and one to the
    `norm.rmsnorm` and `norm.rmsnorm_backward` ops in them afterwards, both new
    ones and older ones.

    Example:

    ```mlir
    %module, %norms =
        transform.norm.recognize %target rounding = "exact" required
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    ```

    Consumes the target handle, because ops in the targets may have been
    replaced. The targets themselves stay. Calls are read through if the target
    contains the callees, so a module finds more than its functions one by one.

    `rounding` is the option of the pass. With `required` it is a silenceable
    failure if the targets contain no norm afterwards, with the rejections as
    notes; without it the second handle is then empty. A target that is not
    isolated from above is a silenceable failure, and nothing is changed.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       DefaultValuedAttr<StrAttr, "\"default\"">:$rounding,
                       UnitAttr:$required);
  let results = (outs TransformHandleTypeInterface:$transformed,
                      TransformHandleTypeInterface:$norms);
  let assemblyFormat = [{
    $target (`rounding` `=` $rounding^)? (`required` $required^)? attr-dict
      `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Norm_DecomposeTransformOp : Op<Transform_Dialect, "norm.decompose", [
    FunctionalStyleTransformOpTrait, MemoryEffectsOpInterface,
    DeclareOpInterfaceMethods<TransformOpInterface>]> {
  let cppNamespace = "::mlir::norm";
  let summary = "Decompose norm ops into linalg.generic";
  let description = [{
    Replaces each target, a norm op, by the linalg ops that its specification
    spells out (docs/Norm.md), as `norm-to-linalg` does, and returns a handle to
    them: the row reductions, the roots, and the scalings.

    Example:

    ```mlir
    %generics = transform.norm.decompose %norms
        : (!transform.any_op) -> !transform.any_op
    ```

    Consumes the target handle. A target that is not a norm op is a silenceable
    failure, and nothing is changed. A norm op that cannot be decomposed is a
    definite failure.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let results = (outs TransformHandleTypeInterface:$generics);
  let assemblyFormat =
      "$target attr-dict `:` functional-type(operands, results)";
}

// The stages of rows on a CPU: form, plan, tile, and on buffers emit.

class Norm_StageTransformOp<string mnemonic>
    : Op<Transform_Dialect, "norm." # mnemonic, [
          FunctionalStyleTransformOpTrait, MemoryEffectsOpInterface,
          DeclareOpInterfaceMethods<TransformOpInterface>]> {
  let cppNamespace = "::mlir::norm";
}

def Norm_GivenRowPlanAttr
    : Attr<CPred<"::llvm::isa<::mlir::norm::RowPlanAttr>($_self)">,
           "plan of rows"> {
  let storageType = "::mlir::norm::RowPlanAttr";
  let returnType = "::mlir::norm::RowPlanAttr";
  let convertFromStorage = "$_self";
}

def Norm_FormTransformOp : Norm_StageTransformOp<"form"> {
  let summary = "Form the ops that one loop over rows computes";
  let description = [{
    Does what `norm-form-rows` does to each target, a function on tensors.

    ```mlir
    %formed = transform.norm.form %functions
        : (!transform.any_op) -> !transform.any_op
    ```

    Consumes the target handle and returns a handle to the same functions. A target
    that is no `func.func` is a silenceable failure, and nothing is changed.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let results = (outs TransformHandleTypeInterface:$transformed);
  let assemblyFormat =
      "$target attr-dict `:` functional-type(operands, results)";
}

def Norm_PlanTransformOp : Op<Transform_Dialect, "norm.plan", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<TransformOpInterface>]> {
  let cppNamespace = "::mlir::norm";
  let summary = "Complete, change and read the plans of rows";
  let description = [{
    Writes the attribute `norm.plan` (`#norm.row_plan`) of rows, which
    `transform.norm.tile` and `transform.norm.emit` follow. A target is

    * a function: all linalg ops that will end a loop over rows get a complete plan.
      What such an op says already stays;
    * a linalg op, or a loop over rows: that one alone.

    With `with`, what this plan says comes first, and what it forbids is forbidden:

    ```mlir
    %ends, %plans = transform.norm.plan %functions
        : (!transform.any_op) -> (!transform.any_op, !transform.any_param)
    %end, %changed = transform.norm.plan %ends
        {with = #norm.row_plan<lanes = 32, stream = false>}
        : (!transform.any_op) -> (!transform.any_op, !transform.any_param)
    ```

    Returns the planned ops, and the plan of each as a parameter. A plan that stands in
    a parameter is set by `transform.annotate %end "norm.plan" = %plan`. With
    `parallel`, the loops will be shared by threads, which changes their blocks.

    A target of another kind is a silenceable failure, and so are rows per block or part,
    or `parallel = false`, of a loop that has been built.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       OptionalAttr<Norm_GivenRowPlanAttr>:$with,
                       UnitAttr:$parallel);
  let results = (outs TransformHandleTypeInterface:$planned,
                      TransformParamTypeInterface:$plans);
  let assemblyFormat = [{
    $target (`parallel` $parallel^)? attr-dict
      `:` functional-type(operands, results)
  }];
}

def Norm_TileTransformOp : Norm_StageTransformOp<"tile"> {
  let summary = "Make the loops over rows";
  let description = [{
    Does what `norm-tile-rows` does to each target, a function on tensors, by the plans
    that are there and as `transform.norm.plan` would choose the rest. With `parallel`
    the loops are `scf.forall`.

    ```mlir
    %tiled, %loops = transform.norm.tile %formed
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    ```

    Consumes the target handle and returns the functions and the loops over rows in
    them, inner ones too. A target that is no `func.func` is a silenceable failure. A plan
    that no loop can follow is a definite one.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       UnitAttr:$parallel);
  let results = (outs TransformHandleTypeInterface:$transformed,
                      TransformHandleTypeInterface:$loops);
  let assemblyFormat = [{
    $target (`parallel` $parallel^)? attr-dict
      `:` functional-type(operands, results)
  }];
}

def Norm_EmitTransformOp : Norm_StageTransformOp<"emit"> {
  let summary = "Turn rows into vectors";
  let description = [{
    Does what `norm-vectorize-rows` does to each target, a function whose rows have
    loops, mostly on buffers. The vectors have the lanes of the plans.

    ```mlir
    %emitted, %loops = transform.norm.emit %bufferized
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    ```

    Consumes the target handle and returns the functions and the loops over rows in
    them, inner ones too. A target that is no `func.func` is a silenceable failure, and
    nothing is changed.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let results = (outs TransformHandleTypeInterface:$transformed,
                      TransformHandleTypeInterface:$loops);
  let assemblyFormat =
      "$target attr-dict `:` functional-type(operands, results)";
}

#endif // NORM_TRANSFORMOPS_NORMTRANSFORMOPS
