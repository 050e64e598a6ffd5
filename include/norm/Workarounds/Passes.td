//===- Passes.td - passes of Workarounds -------------------*- tablegen -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_WORKAROUNDS_PASSES
#define NORM_WORKAROUNDS_PASSES

include "mlir/Pass/PassBase.td"

def NormOutlineLoops : Pass<"norm-outline-loops", "ModuleOp"> {
  let summary = "Outline the loops of a long function";
  let description = [{
    Some LLVM passes take time that is quadratic in the loops of a function: a model
    of 32 layers, one function of some hundred loops, takes minutes. In a function of
    at least `min-loops` loop nests on buffers, this pass outlines each nest to a
    private function, by upstream's `outlineSingleBlockRegion`. Layers do the same on
    other buffers, so nests with equal bodies become one function, and a model's code
    has the size of one layer. The functions are not inlined again.

    Example:

    ```mlir
    scf.for %i = %c0 to %c8 step %c1 { ... %a ... %b ... } // becomes call @f__loop(%a, %b)
    scf.for %i = %c0 to %c8 step %c1 { ... %b ... %c ... } // becomes call @f__loop(%b, %c)
    ```

    Constants, views, and ops right before a nest that only it uses, move into its
    function, as does a comparison that chooses one of two nests.
    A loop whose body has `min-loops` nests itself, such as one over layers, stays,
    and these nests become functions.

    Limits: run it after bufferization, and before buffers are freed, so that those of
    a loop are freed in its function; a nest that returns a buffer stays; functions have
    one block.
  }];
  let options = [Option<"minLoops", "min-loops", "unsigned", /*default=*/"32",
                        "Loop nests from which on a function is divided">];
  let dependentDialects = ["func::FuncDialect", "scf::SCFDialect"];
}

def NormLowerTensorOps : Pass<"norm-lower-tensor-ops"> {
  let summary = "Arithmetic, packs and unpacks of tensors to linalg and tensor";
  let description = [{
    Applies the patterns of convert-elementwise-to-linalg to each op as it is. That pass
    folds an op first, and the folders of `arith` make a constant of `x ^ x` or of
    `x < x`, also where the tensor has an open extent, which a constant cannot have. In
    the body of the linalg op the constant is a scalar.

    Example: `%r = arith.xori %x, %x : tensor<?xi32>` becomes

    ```mlir
    %r = linalg.generic ... ins(%x, %x) outs(%x : tensor<?xi32>) {
      %0 = arith.xori %in, %in_0 : i32
      linalg.yield %0 : i32
    } -> tensor<?xi32>
    ```

    A `linalg.pack` becomes a padding, a reshape and a transposition, and a
    `linalg.unpack` the same backward, by upstream's `lowerPack` and `lowerUnPack`, and
    Winograd's transforms products of small matrices, because bufferization knows none
    of them.

    A remainder `x % n` of a divisor that is no constant becomes `x - x / n * n`: `arith`
    lets remainders be hoisted out of loops that do not run, where `n` may be 0.
    `math.isinf`, `isnormal`, `ipowi` and `clampf` become arithmetic. An
    `scf.index_switch` that yields tensors becomes a chain of `scf.if`, whose
    results bufferization knows to be what a branch yields, and so does an
    `arith.select` of tensors of open extents by one value. What is read from an
    `ml_program` global that may change, or written to it, is copied. Where a program has casts
    between unsigned and signless tensors, which StableHLO's conversion leaves, all its
    integers become signless.

    A `tensor.concat` loses its parts without elements, and a `tensor.pad` of a tensor
    without elements becomes a `tensor.generate`: bufferization would make views of them
    that begin behind the end. What negative amounts of padding remove is sliced off first.
    A `dense_resource` without dimensions becomes a number.
    Operands of linalg ops are cast to the extents that others have, because
    linalg-fold-unit-extent-dims takes an open extent of 1 for 0.

    Limits: ranked tensors; run it before canonicalization, which folds too. What
    upstream does not lower stays, such as tiles of an open extent.
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "bufferization::BufferizationDialect",
                           "linalg::LinalgDialect", "scf::SCFDialect",
                           "tensor::TensorDialect"];
}

def NormPrepareLLVM : Pass<"norm-prepare-llvm", "ModuleOp"> {
  let summary = "Name functions, and lower assertions, expm1, log1p and views, which conversions to LLVM do wrongly";
  let description = [{
    convert-math-to-libm, finalize-memref-to-llvm, the code generator and others call
    functions of C by name: `log1p`, `malloc`, `memcpy`. If the program has a function of
    that name, that would be called. So the program's function `log1p` becomes
    `program.log1p`, which C cannot have. convert-func-to-llvm then makes the interface
    `_mlir_ciface_program.log1p`, which norm-finish-llvm renames. A function that is only
    declared is C's and keeps its name, unless it has `llvm.emit_c_interface`.

    convert-cf-to-llvm prints the message of a failed `cf.assert` with `puts`. If
    standard output is a pipe or a file, the message stays in a buffer that `abort`
    discards. This pass writes it to standard error, which has no buffer.

    Example: `cf.assert %holds, "f: argument 0 is a null pointer"` becomes

    ```mlir
    scf.if %fails {
      %text = llvm.mlir.addressof @norm_assert_message : !llvm.ptr
      %0 = llvm.call @write(%c2, %text, %c36) : (i32, !llvm.ptr, i64) -> i64
      llvm.call @abort() : () -> ()
    }
    ```

    Upstream's convert-math-to-llvm expands `math.expm1` to exp(x) - 1 and
    `math.log1p` to log(1 + x), which are 0 for x = 1e-10, where both functions are
    1e-10. convert-math-to-libm before it would also call libm for `math.sqrt`, so this
    pass applies upstream's patterns to these two. Vectors are scalarized, and f16 and
    bf16 are computed in f32.

    expand-strided-metadata crashes on a `memref.expand_shape` that divides one
    dimension into two whose extents are both unknown, as a model's batch and sequence.
    This pass makes a `memref.reinterpret_cast` of each, by the extents that the op has: of
    rows of 64 elements with `output_shape [%batch, %sequence, 64]` one to these sizes, with
    strides `[%s, 64, 1]`, where %s is 64 times %sequence.

    Limits: run it right before expand-strided-metadata, and before convert-scf-to-cf.
    Assertions are those of functions, and need POSIX's `write`.
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "func::FuncDialect", "LLVM::LLVMDialect",
                           "memref::MemRefDialect", "scf::SCFDialect",
                           "vector::VectorDialect"];
}

def NormFinishLLVM : Pass<"norm-finish-llvm", "ModuleOp"> {
  let summary = "Constants as flat arrays, interfaces by their names, and no compile times in gpu.binary";
  let description = [{
    finalize-memref-to-llvm makes arrays of arrays of a constant, and LLVM then keeps a
    constant per innermost array: for a convolution's weights one per three floats,
    which take seconds to make, to print and to emit. Pointers are opaque, so that the
    addresses computed from a global do not depend on its type.

    Example: `llvm.mlir.global constant @weights(...) : !llvm.array<64 x array<3 x array<3 x f32>>>`
    becomes

    ```mlir
    llvm.mlir.global constant @weights(...) : !llvm.array<576 x f32>
    ```

    gpu-module-to-binary writes among an object's properties how long the compilation
    took, so that the same program gives other IR each time. The pass removes those
    properties (`LLVMIRToISATimeInMs`, `ISAToBinaryTimeInMs`) and keeps the others.

    The interface `_mlir_ciface_program.f` of a function that norm-prepare-llvm has
    renamed becomes `_mlir_ciface_f`, the name that callers know.

    Limits: run it after convert-func-to-llvm. Complex numbers stay structs in nested
    arrays.
  }];
  let dependentDialects = ["LLVM::LLVMDialect"];
}

#endif // NORM_WORKAROUNDS_PASSES
