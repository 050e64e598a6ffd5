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
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
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
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
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

#endif // NORM_TRANSFORMOPS_NORMTRANSFORMOPS
