//===- Passes.td - passes of Buffers -----------------------*- tablegen -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_BUFFERS_PASSES
#define NORM_BUFFERS_PASSES

include "mlir/Pass/PassBase.td"

def NormResultsToOutParams : Pass<"norm-results-to-out-params", "ModuleOp"> {
  let summary = "Make public functions take buffers and write results in place";
  let description = [{
    Gives every public function on tensors the calling convention of a compiled
    artifact: tensor arguments become memrefs with the identity layout, tensor
    results become trailing memref arguments that the caller provides, and the
    function is exported as `_mlir_ciface_<name>`. Results are computed in the caller's
    buffer where that is safe. Scalar results stay results. Floats of 8 and 16 bits
    are passed as integers of their bits, and a narrow integer that is returned is
    extended, as C's compilers do both.

    An argument with the attribute `norm.result`, the number of a result of its type, is
    that result's buffer: the result has no trailing one. It is written into the
    argument's tensor, so that bufferization copies what is read after that. Extents must
    be equal, too: the function of shapes asserts it.

    Other input buffers are never written. An output buffer may be the buffer of an input
    only if every element is read before it is written; partial overlap is undefined
    (norm-verify-buffers finds it).

    Example:

    ```mlir
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> { ... return %y }
    ```

    becomes

    ```mlir
    func.func @f(%x: memref<4xf32>, %out: memref<4xf32>)
        attributes {llvm.emit_c_interface} {
      %t = bufferization.to_tensor %x restrict
      %o = bufferization.to_tensor %out restrict writable
      ...
      %r = bufferization.materialize_in_destination %y in %o
      bufferization.materialize_in_destination %r in writable %out
      return
    }
    ```

    The first write is one of tensors, because one into a buffer has none with which
    one-shot bufferization could find a conflict. It conflicts with any later read of
    what it overwrites, and a copy resolves the conflict. Then the pass runs upstream's
    elimination of empty tensors, which makes a result start in the caller's buffer, if
    every op in between computes in place. An empty tensor stays where a branch or an
    `arith.select` may choose what starts from it. What continues from an argument, as an
    insertion into a cache does, continues from a copy in an empty tensor. A program's
    own writes that are `restrict`, and behind which no op of the function reads or
    writes memory, are results, too, and move behind all other ops.

    A result that is another shape of a value, as where blocks of a row become the row
    again, is stored as that value in a view of the caller's buffer, if the value's shape is
    static. One that consists of inserted slices is stored part by part, in views, if they
    fill the tensor in its innermost dimension and nothing else reads it: one-shot
    bufferization would find that the first insertion reads what a loop over two parts has
    written for the second one, and copy a part.

    A public function that other functions call keeps its body in a private copy,
    which the calls use. Limits: functions with more than one block keep their results
    (a diagnostic says so); unranked tensors are errors. So are, in any function, sparse
    tensors, types that the LLVM dialect does not know, and results that are buffers with a
    layout. Run it after norm-separate-destinations, because two results that start from one
    fill conflict, and one is copied.
  }];
  let dependentDialects = ["arith::ArithDialect",
                           "bufferization::BufferizationDialect",
                           "LLVM::LLVMDialect", "memref::MemRefDialect"];
}

def NormSeparateDestinations : Pass<"norm-separate-destinations"> {
  let summary = "Give each op that writes into a tensor its own empty or fill, and each loop one buffer";
  let description = [{
    Common subexpression elimination merges all `tensor.empty` of one type and all
    `linalg.fill` of zeros, because tensors are values. As destinations they are
    buffers: every result that starts from one of them is a candidate for the same
    buffer, for which the analysis of one-shot bufferization takes cubic time in a
    model's layers, and a tensor that is filled once is copied for each use. This pass
    gives each destination its own.

    Example:

    ```mlir
    %zeros = linalg.fill ins(%zero) outs(%empty)
    %a = linalg.matmul ins(%x, %p) outs(%zeros)
    %b = linalg.matmul ins(%x, %q) outs(%zeros)
    ```

    becomes

    ```mlir
    %zeros0 = linalg.fill ins(%zero) outs(%empty0)
    %a = linalg.matmul ins(%x, %p) outs(%zeros0)
    %zeros1 = linalg.fill ins(%zero) outs(%empty1)
    %b = linalg.matmul ins(%x, %q) outs(%zeros1)
    ```

    A constant of equal elements, `outs(%zeros)` with `dense<0.0>`, becomes a fill where
    an op or a loop starts from it: bufferization would copy it from a global as large.

    An empty tensor that the branches of one `scf.if` write stays one, because only one
    of them runs: what the `scf.if` returns is then in one buffer, known before it. In a
    loop with a schedule (norm-tile-rows), which becomes a kernel, it is in the body: its
    rows can stay in registers.

    The body of a linalg op, of a `tensor.generate` or a `tensor.pad` may contain ops
    on tensors that start from an outer tensor, such as the `outs` of a sum. One-shot
    bufferization does not know that a body runs once per element, and lets the second
    element start from the result of the first one, in place; on a GPU they run at the same
    time. This pass makes each such op start from a copy within the body
    (`bufferization.alloc_tensor() copy(%zero)`), or from a buffer of the body's own if the
    outer one was empty.

    One-shot bufferization computes a tensor that a loop carries in place only if the
    yielded value has the buffer of the loop's argument. A front end's loop yields a
    new tensor per iteration, which upstream rejects ("Yield operand #0 is not
    equivalent to the corresponding iter bbArg") or allocates and frees at run time.
    With `carried`, this pass copies the yielded value into the argument's buffer. The
    results of the branches of an `scf.if` or `scf.index_switch` go into a `tensor.empty`
    before it, instead of one allocation per branch and a flag that says who frees it.

    ```mlir
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> tensor<4x4xf32> {
      %y = linalg.transpose ins(%h) outs(%empty)
      %w = linalg.copy ins(%y) outs(%h) // new: %y was yielded
      scf.yield %w
    }
    ```

    An elementwise op that only the loop yields gets the argument as its `outs` instead
    of a copy. Rows of unknown length are copied by
    `bufferization.materialize_in_destination`, which does not join their row loop: a
    kernel cannot read back what that loop has written.

    If bufferization finds a conflict, it may not do a `linalg.copy` in place, and the
    tensor is then allocated per iteration. A value that is only passed on, as in a
    loop that swaps its arguments, is copied before any argument is overwritten. An
    argument with elements or slices inserted, such as a cache to which each iteration
    adds a row, is in its buffer already.

    Limits: run it after the last common subexpression elimination on tensors, which
    undoes it, and before bufferization. norm-finish-buffers shares the buffers again
    where that is correct. Of what is carried, extents must be known to equal those of
    the argument (those of a branch must be static), and an `scf.while` must pass on as
    many values as it carries. Other tensors are allocated per iteration, and freed. Loops
    over rows already are in place, and so not `carried`.
  }];
  let options = [Option<"carried", "carried", "bool", /*default=*/"false",
                        "Also what loops carry and branches yield">];
  let dependentDialects = ["arith::ArithDialect",
                           "bufferization::BufferizationDialect",
                           "linalg::LinalgDialect", "tensor::TensorDialect"];
}

def NormFinishBuffers : Pass<"norm-finish-buffers"> {
  let summary = "Reuse freed buffers for later allocations, and copy strided ones by loops";
  let description = [{
    Bufferization allocates each intermediate result of a model anew. This pass
    replaces a `memref.alloc` by a buffer of the same type that the block has freed
    before it, the latest first, so that a chain of layers works on a few buffers that
    stay in the caches, and no page is mapped again.

    Example:

    ```mlir
    %a = memref.alloc() : memref<64xf32>
    ...
    memref.dealloc %a : memref<64xf32>
    %b = memref.alloc() : memref<64xf32>
    ... // %b; becomes %a, which is freed where %b is
    memref.dealloc %b : memref<64xf32>
    ```

    finalize-memref-to-llvm lowers a `memref.copy` between strided buffers to a
    call of `memrefCopy` of MLIR's runner library, which compiled artifacts do not link.
    Such copies become `linalg.copy`, which lowers to loops. Copies between contiguous
    buffers stay, and become memcpy.

    Limits: within a block; equal types, and equal values for dynamic extents. Run it
    after optimize-allocation-liveness, which frees after the last use. A copy of an
    unranked buffer is an error.
  }];
  let dependentDialects = ["linalg::LinalgDialect", "memref::MemRefDialect"];
}

def NormVerifyBuffers : Pass<"norm-verify-buffers", "ModuleOp"> {
  let summary = "Check the buffers that a caller passes";
  let description = [{
    A compiled function trusts its caller: buffers have the extents and the layout of
    their types, and what it writes overlaps nothing else, unless an output is the
    buffer of an input (in place). This pass adds assertions at the start of every
    public function on buffers:

    - a buffer that is not empty has an address, which is a multiple of the
      element's size;
    - extents, strides and offset are those of the type (the stride of an extent
      of 1 does not matter);
    - a buffer that is written and another one do not overlap. They may be one
      buffer, with the same address, extents and strides, where the other is only
      read, has the same element type, and is not read again in a later loop.

    Example: `func.func @f(%x: memref<?xf32>, %y: memref<?xf32>) { ... }` begins with

    ```mlir
    %dx = builtin.unrealized_conversion_cast %x : memref<?xf32> to !llvm.struct<...>
    %px = llvm.extractvalue %dx[1] : !llvm.struct<...>
    ...
    cf.assert %set, "f: argument 0 is a null pointer"
    cf.assert %aligned, "f: argument 0 is not aligned to its elements of 4 bytes"
    ...
    cf.assert %apart, "f: argument 1, which is written, overlaps argument 0 and is not the same buffer"
    ```

    Arguments are numbered as in the call, outputs last. The descriptor is read
    through the LLVM dialect, because memref ops fold what the type promises. Run it
    after bufferization; norm-prepare-llvm makes messages visible.

    Limits: a strided buffer owns everything from its first byte to its last, so two
    buffers with alternating rows are rejected. A call inside of the function counts
    as reading and writing its arguments. Within one loop an output in the place of an
    input is trusted. Extents of different arguments are not compared
    (generate-runtime-verification does that, on norm ops).
  }];
  let dependentDialects = ["arith::ArithDialect", "cf::ControlFlowDialect",
                           "LLVM::LLVMDialect"];
}


#endif // NORM_BUFFERS_PASSES
