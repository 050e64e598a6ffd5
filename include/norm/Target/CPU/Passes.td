//===- Passes.td - memory policy and threads of CPUs -------*- tablegen -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TARGET_CPU_PASSES
#define NORM_TARGET_CPU_PASSES

include "mlir/Pass/PassBase.td"

def NormSerializeLoops : Pass<"norm-serialize-loops", "func::FuncOp"> {
  let summary = "No threads for loops over few bytes and for those that may fail";
  let description = [{
    Starting threads takes longer than a small loop. Each outermost `scf.forall`
    without results gets a second version, nested `scf.for` loops, that is taken
    when the buffers used in the loop hold fewer than `grain` bytes together, or
    when it has one iteration at most. Both versions do the same operations on
    each element, so results do not depend on the choice.

    Example:

    ```mlir
    scf.forall (%i) in (%m) { ... %x ... %y ... }
    ```

    becomes

    ```mlir
    %small = ... // bytes of %x and %y < grain, or %m < 2
    scf.if %small {
      scf.for %i = %c0 to %m step %c1 { ... }
    } else {
      scf.forall (%i) in (%m) { ... }
    }
    ```

    An `scf.forall` or `scf.parallel` with a `cf.assert` or a call in it becomes
    `scf.for` loops without a choice: a failed assertion may be an error of the call
    (runtime/cpu/Assertions.h), and only the caller's thread can return to it.

    Limits: a small loop that uses no buffer from outside stays as it is. An
    `scf.parallel` with results and an assertion is an error.
  }];
  let options = [Option<"grain", "grain", "uint64_t", /*default=*/"1048576",
                        "Bytes from which on threads are started">];
  let dependentDialects = ["arith::ArithDialect", "memref::MemRefDialect",
                           "scf::SCFDialect"];
}

def NormFinishLoops : Pass<"norm-finish-loops", "func::FuncOp"> {
  let summary = "Fences after loops that stream, no unrolling, temporaries on the stack";
  let description = [{
    Non-temporal stores are not ordered with what follows. A fence, sequentially
    consistent or with `sfence` the instruction of x86, follows each outermost
    `scf.for` that has such stores; in an `omp.parallel` it stands at the end of the region, so
    that every thread's stores are visible before the threads join.

    An iteration over 64 elements and more is many instructions already, and its
    accumulators are independent: unrolling it gains nothing, and LLVM unrolls
    loops of a small constant count as a whole. This pass marks `scf.for` loops whose
    body works on such vectors, or on their parts, unless they are innermost and have
    four iterations at most, those over the edges of a row (`#norm.loop<edge>`), which have
    few iterations, and those of a constant count that would take LLVM long: loops over
    more than 64 rows or that hold others, and those that hold loops of loops and no
    vectors, such as the outer one over the window of a pooling.

    Example: a loop that streams becomes

    ```mlir
    scf.for %k = %begin to %end step %c64 {
      vector.store ... {nontemporal = true} : memref<?xf32>, vector<64xf32>
    } {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
    llvm.fence seq_cst
    ```

    A buffer of at most 1024 bytes that is allocated and freed in the same block
    is allocated on the stack instead, once, at the start of the function: a block
    of short rows keeps one value a row, and a call of `malloc` takes as long as a row.

    Limits: runs after convert-scf-to-openmp; an `scf.forall` or `scf.parallel`
    that streams is an error, because its threads could not fence, and each thread needs
    its own buffers. The attribute is discardable; passes that rebuild the loop may lose it.
  }];
  let options = [Option<"sfence", "sfence", "bool", /*default=*/"false",
                        "The instruction of x86 instead of a general fence">];
  let dependentDialects = ["LLVM::LLVMDialect", "memref::MemRefDialect"];
}

#endif // NORM_TARGET_CPU_PASSES
