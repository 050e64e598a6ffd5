//===- Passes.td - norm to calls of a library -------------*- tablegen -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_CONVERSION_NORMTOLIBRARY_PASSES
#define NORM_CONVERSION_NORMTOLIBRARY_PASSES

include "mlir/Pass/PassBase.td"

def NormToLibrary : Pass<"norm-to-library"> {
  let summary = "Replace norm ops on memrefs by calls of a C function";
  let description = [{
    This pass is for a compiler that has its own kernels and only wants the
    recognizer. Every `norm.rmsnorm` becomes a call of the function that
    `function` names, declared private with `llvm.emit_c_interface`, so C
    defines `_mlir_ciface_<function>`. Its arguments are pointers to the memref
    descriptors of x, of the weight if there is one, of y, and of inv_rms if
    there is one, with dynamic sizes, strides and offset whatever the op's types
    are; then epsilon and the op's variant (docs/Norm.md, S1 to S8) as numbers
    that include/norm-c/HandOff.h names.

    A `norm.rmsnorm_backward` becomes a call of `backward-function`, with the
    descriptors of dy, x and the weight, inv_rms, rms, dx and dw that the op has,
    and one more number behind the others: a mask of these seven operands.

    Example, with `function=my_rmsnorm`:

    ```mlir
    norm.rmsnorm ins(%x, %w : memref<8x64xf16>, memref<64xf16>)
                 outs(%y : memref<8x64xf16>) dims = [1] epsilon = 1.0e-6 : f32
    ```

    becomes

    ```mlir
    %0 = memref.cast %x : memref<8x64xf16>
         to memref<?x?xf16, strided<[?, ?], offset: ?>>
    ...
    call @my_rmsnorm(%0, %1, %2, %epsilon, %count, %dims, %weight_dims,
                     %epsilon_mode, %root_form, %compute_type, %sum_type,
                     %scale_type, %normalized_type)
    ```

    One function has one signature, so ranks, element types and the presence of
    a weight must not differ between the ops of a symbol table. With `suffix`
    the name ends in ranks and element types, here `_2df16_1df16_2df16`, x
    first.

    Limits: ops on tensors are errors (bufferize before), as are memory spaces
    and layouts that strides do not describe, and ops for which no function is
    named. After an error nothing is changed.
  }];
  let options = [
    Option<"function", "function", "std::string", /*default=*/"",
           "C function to call, without the prefix _mlir_ciface_">,
    Option<"backwardFunction", "backward-function", "std::string",
           /*default=*/"",
           "C function to call for gradients, without the prefix">,
    Option<"suffix", "suffix", "bool", /*default=*/"false",
           "Append ranks and element types to the function's name">
  ];
  let dependentDialects = ["arith::ArithDialect", "func::FuncDialect",
                           "memref::MemRefDialect"];
}

#endif // NORM_CONVERSION_NORMTOLIBRARY_PASSES
