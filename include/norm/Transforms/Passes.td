//===- Passes.td - row-wise code generation ---------------*- tablegen -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TRANSFORMS_PASSES
#define NORM_TRANSFORMS_PASSES

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

def NormResultsToOutParams : Pass<"norm-results-to-out-params", "ModuleOp"> {
  let summary = "Make public functions take buffers and write results in place";
  let description = [{
    Gives every public function on tensors the calling convention of a compiled
    artifact: tensor arguments become memrefs with the identity layout, tensor
    results become trailing memref arguments that the caller provides, and the
    function is exported as `_mlir_ciface_<name>`. Results are stored with
    `bufferization.materialize_in_destination`, so that bufferization computes
    them in the caller's buffer. Scalar results stay results. Floats of 8 and 16 bits
    are passed as integers of their bits, and a narrow integer that is returned is
    extended, as C's compilers do both.

    Input buffers are never written. An output buffer may be the buffer of an input
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
      %t = bufferization.to_tensor %x restrict : memref<4xf32> to tensor<4xf32>
      ...
      bufferization.materialize_in_destination %y in restrict writable %out
      return
    }
    ```

    A result that is another shape of a value, as where blocks of a row become the row
    again, is stored as that value in a view of the caller's buffer
    (`memref.expand_shape` or `memref.collapse_shape`), if the value's shape is static.

    A public function that other functions call keeps its body in a private copy,
    which the calls use. Limits: functions with more than one block keep their results
    (a diagnostic says so); unranked tensors are errors.
  }];
  let dependentDialects = ["arith::ArithDialect",
                           "bufferization::BufferizationDialect",
                           "memref::MemRefDialect"];
}

def NormConvertMPIToLLVM : Pass<"norm-convert-mpi-to-llvm", "ModuleOp"> {
  let summary = "Convert mpi ops to calls of MPI";
  let description = [{
    Upstream's patterns for the mpi dialect as a pass of their own. `convert-to-llvm` with
    this dialect as its filter does the same, but fails where no program has loaded the
    dialect. The calls are those of the implementation that `MPI:Implementation` of
    `dlti.map` names.

    Example:

    ```mlir
    mpi.allreduce(%sum, %sum, MPI_SUM, %comm) : memref<8xf32>, memref<8xf32>
    ```

    becomes

    ```mlir
    llvm.call @MPI_Allreduce(%in_place, %sum, %count, %float, %op, %comm)
    ```

    Two names and widths of upstream's are not OpenMPI's: its reductions are
    `ompi_mpi_op_sum`, and a communicator is a pointer, of which upstream loads 32 bits.
    This pass mends both. Limits: those of upstream, such as no datatype for f16.
  }];
  let dependentDialects = ["LLVM::LLVMDialect", "mpi::MPIDialect"];
}

def NormImportShardings : Pass<"norm-import-shardings", "ModuleOp"> {
  let summary = "Read the shardings that JAX leaves in attributes";
  let description = [{
    JAX annotates arguments and results of a sharded function in Shardy's dialect, which
    XLA writes as text into attributes; conversions from StableHLO to linalg keep them.
    This pass makes them ops of the shard dialect.

    Example:

    ```mlir
    module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22model\22=4]>}"}} {
      func.func @main(%x: tensor<16x512xf32> {mhlo.frontend_attributes =
          {xla.sdy.sharding = "#sdy.sharding<@mesh, [{}, {\22model\22} ]>"}}) {
    ```

    becomes

    ```mlir
    shard.grid @mesh(shape = 4)
    func.func @main(%x: tensor<16x512xf32>) {
      %s = shard.sharding @mesh split_axes = [[], [0]] : !shard.sharding
      %0 = shard.shard %x to %s : tensor<16x512xf32>
      %1 = shard.shard %0 to %s annotate_for_users : tensor<16x512xf32>
    ```

    Limits: meshes with an order of devices, parts of axes and replicated axes are
    errors; constraints inside of functions do not come with these attributes.
  }];
  let dependentDialects = ["shard::ShardDialect"];
}

def NormVerifyShardings : Pass<"norm-verify-shardings", "ModuleOp"> {
  let summary = "Refuse shardings that the partition would take wrongly";
  let description = [{
    `shard-partition` gives each rank the extent divided by the ranks, rounded down, and
    drops the rest. This pass, before and after `sharding-propagation`, makes it an error
    at the value that is split:

    ```mlir
    // error: has 7 elements along dimension 0, which the 4 ranks of its grid axes do not divide evenly
    %1 = shard.shard %0 to %s : tensor<7x64xf32>
    ```

    So are axes that the grid does not have, dimensions that the tensor does not have,
    halo sizes, offsets of parts, a second grid in a function, and grids without ranks.
    With `ranks`, the module must have a grid, of that many ranks. Limits: dynamic
    extents are not checked; each rank then has those of its arguments.
  }];
  let options = [Option<"ranks", "ranks", "unsigned", /*default=*/"0",
                        "Ranks that the grid must have; 0: not checked">];
  let dependentDialects = ["shard::ShardDialect"];
}

def NormPreparePartition : Pass<"norm-prepare-partition", "func::FuncOp"> {
  let summary = "Make shardings such that shard-partition is right, or refuse them";
  let description = [{
    `shard-partition` takes for granted that each value has one annotation, that an op's
    operands and results are split alike, that no body uses an index or reads a tensor
    from outside, and that a sum has one result. This pass, between
    `sharding-propagation` and `shard-partition`, makes that so:

    - each value has one annotation, and one that moves its parts does so by one grid
      axis at a time: gathers before splits;
    - a `linalg.index` of a split dimension has the rank's offset added;
    - a tensor that a body reads from outside is gathered;
    - a reduction to several results becomes one of each.

    All else is an error with its location: ops that are not known to be right on parts,
    operands and results whose parts do not belong together, reductions that MPI does not
    have, results that need another, indices of dynamic split dimensions.

    Example:

    ```mlir
    %0 = shard.shard %x to %rows : tensor<8x16xf32>
    %1 = shard.shard %0 to %columns annotate_for_users : tensor<8x16xf32>
    ```

    becomes

    ```mlir
    %0 = shard.shard %x to %rows : tensor<8x16xf32>
    %1 = shard.shard %0 to %whole annotate_for_users : tensor<8x16xf32>
    %2 = shard.shard %1 to %columns annotate_for_users : tensor<8x16xf32>
    ```

    Limits: a gathered tensor is whole on each rank.
  }];
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect",
                           "scf::SCFDialect", "shard::ShardDialect"];
}

def NormRecordShardings : Pass<"norm-record-shardings", "ModuleOp"> {
  let summary = "Say on functions what part of arguments and results a rank has";
  let description = [{
    `shard-partition` leaves functions on parts, and nothing says of what. This pass,
    before it, records the extents of the grid on each function that is split, and on its
    arguments and results the grid axes that split each dimension, for programs that
    distribute tensors, such as `norm-run --ranks`.

    Example:

    ```mlir
    func.func @f(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
      %s = shard.sharding @g split_axes = [[0], []] : !shard.sharding
      %0 = shard.shard %x to %s : tensor<8x64xf32>
    ```

    becomes, with a grid of 2 x 4,

    ```mlir
    func.func @f(%x: tensor<8x64xf32> {norm.split_axes = [array<i64: 0>, array<i64>]})
        -> (tensor<8x64xf32> {norm.split_axes = [array<i64: 0>, array<i64>]})
        attributes {norm.grid = array<i64: 2, 4>} {
    ```

    Limits: an argument that no op uses is whole; one grid a function.
  }];
  let dependentDialects = ["shard::ShardDialect"];
}

def NormExpandCollectives : Pass<"norm-expand-collectives", "func::FuncOp"> {
  let summary = "Express gathers and slices of ranks by what MPI's dialect has";
  let description = [{
    `shard-partition` gathers a tensor whose users need it whole, and slices one of which
    they need a part; `convert-shard-to-mpi` has neither. This pass makes a slice of each
    `shard.all_slice`, by upstream's patterns, and a sum of each `shard.all_gather`: a
    rank adds its part to the zeros that the others have there. Floats are added as
    integers, so that no bit changes. The maximum or minimum of floats becomes that of
    integers with their order: MPI's own depends on the order of NaN and of zeros.

    Example:

    ```mlir
    %1 = shard.all_gather %0 on @g grid_axes = [0] gather_axis = 0 : tensor<2xf32> -> tensor<8xf32>
    ```

    becomes

    ```mlir
    %part = arith.bitcast %0 : tensor<2xf32> to tensor<2xi32>
    %own = tensor.insert_slice %part into %zeros[%first] [2] [1]
    %all = shard.all_reduce %own on @g grid_axes = [0] : tensor<8xi32> -> tensor<8xi32>
    %1 = arith.bitcast %all : tensor<8xi32> to tensor<8xf32>
    ```

    Limits: dynamic extents, and elements of less than a byte, stay; a collective of MPI's
    own would carry half as much.
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "linalg::LinalgDialect", "shard::ShardDialect",
                           "tensor::TensorDialect"];
}

def NormWidenAllReduces : Pass<"norm-widen-all-reduces", "func::FuncOp"> {
  let summary = "Add narrow floats of several ranks in f32";
  let description = [{
    MPI has no datatype for bf16, and the conversion of `mpi.allreduce` takes one for
    integers of the same width. This pass reduces narrower floats than f32 in f32, and
    rounds the result once.

    Example:

    ```mlir
    %1 = shard.all_reduce %0 on @g grid_axes = [0] : tensor<8xbf16> -> tensor<8xbf16>
    ```

    becomes

    ```mlir
    %w = arith.extf %0 : tensor<8xbf16> to tensor<8xf32>
    %s = shard.all_reduce %w on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
    %1 = arith.truncf %s : tensor<8xf32> to tensor<8xbf16>
    ```

    Limits: other types without a datatype, such as i1, are errors.
  }];
  let dependentDialects = ["arith::ArithDialect", "shard::ShardDialect"];
}

def NormSplitSums : Pass<"norm-split-sums", "func::FuncOp"> {
  let summary = "Give sums an order that the number of ranks does not change";
  let description = [{
    A sum over a dimension that ranks share is added in an order that depends on the
    ranks. This pass, behind `shard-partition`, makes each sum of floats one of `parts`
    equal parts: each part is summed, and the sums of the parts are added in their order.
    A rank has some of them, and zeros for the others, so that the all-reduce changes no
    bit. Programs of 1, 2, 4 and 8 ranks then have the same results if what they do
    besides sums is the same.

    Example, on one of 4 ranks with `parts=16`:

    ```mlir
    %s = linalg.generic ... ins(%x : tensor<8x64xf32>) outs(%zeros : tensor<8xf32>)
    %a = shard.all_reduce %s on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
    ```

    becomes

    ```mlir
    %0 = tensor.expand_shape %x [[0], [1, 2]] ... into tensor<8x4x16xf32>
    %p = linalg.generic ... ins(%0 : tensor<8x4x16xf32>) outs(... : tensor<4x8xf32>)
    %1 = tensor.insert_slice %p into %zeros[%first, 0] [4, 8] [1, 1]
    %2 = shard.all_reduce %1 on @g grid_axes = [0] : tensor<16x8xf32> -> tensor<16x8xf32>
    %q0 = tensor.extract_slice %2[0, 0] [1, 8] [1, 1] : tensor<16x8xf32> to tensor<8xf32>
    ...
    %a = linalg.generic ... ins(%q0, %q1, ... : tensor<8xf32>, ...)
    ```

    The parts divide the first summed dimension of which that is possible; a sum that no
    rank shares and that has none stays whole. The function is marked `norm.sum_parts`,
    and recognition leaves it alone. A collective carries `parts` times as much.

    Limits: contractions, such as matmuls, are not split; where ranks share one, or any
    other float sum or product that is not from zero on, that is an error.
  }];
  let options = [Option<"parts", "parts", "int64_t", /*default=*/"16",
                        "Parts of a sum, a multiple of twice the ranks">];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "linalg::LinalgDialect", "shard::ShardDialect",
                           "tensor::TensorDialect"];
}

def NormMergeAllReduces : Pass<"norm-merge-all-reduces", "func::FuncOp"> {
  let summary = "Add what the same ranks add with one collective";
  let description = [{
    A collective of a few bytes a row costs its latency. This pass lays the operands of
    `shard.all_reduce` ops of a block end to end, so that one collective reduces all:
    the sums of squares of a query and a key norm are one message. The ops must have
    the same grid axes, reduction and element types and the same extents after the
    first dimension, and no operand may depend on another's result; what computes the
    operands moves ahead of the first collective.

    Example:

    ```mlir
    %a = shard.all_reduce %q on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
    %b = shard.all_reduce %k on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
    ```

    becomes

    ```mlir
    %0 = tensor.insert_slice %q into %empty[0] [8] [1] : ... into tensor<16xf32>
    %1 = tensor.insert_slice %k into %0[8] [8] [1] : ... into tensor<16xf32>
    %all = shard.all_reduce %1 on @g grid_axes = [0] : tensor<16xf32> -> tensor<16xf32>
    %a = tensor.extract_slice %all[0] [8] [1] : tensor<16xf32> to tensor<8xf32>
    %b = tensor.extract_slice %all[8] [8] [1] : tensor<16xf32> to tensor<8xf32>
    ```

    Limits: collectives on memrefs, on tensors of rank 0, and with dynamic extents
    after the first dimension stay alone. With more than two ranks, MPI may add in
    another order for a longer message.
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "shard::ShardDialect", "tensor::TensorDialect"];
}

def NormMakeCommunicatorsOnce : Pass<"norm-make-communicators-once", "ModuleOp"> {
  let summary = "Split MPI communicators once in a process";
  let description = [{
    `convert-shard-to-mpi` splits a communicator for each collective of each call, and
    frees none: MPICH has 2046 of them. This pass moves each `mpi.comm_split` whose
    operands depend on the rank alone into a function that splits when it is called
    first. Equal ones share it. MPI must be initialized before the first call.

    Example:

    ```mlir
    %comm = mpi.comm_split(%world, %color, %key) : !mpi.comm
    mpi.allreduce(%sum, %sum, MPI_SUM, %comm) : memref<8xf32>, memref<8xf32>
    ```

    becomes

    ```mlir
    %0 = call @norm_get_communicator() : () -> i64
    %comm = builtin.unrealized_conversion_cast %0 : i64 to !mpi.comm
    mpi.allreduce(%sum, %sum, MPI_SUM, %comm) : memref<8xf32>, memref<8xf32>
    ```

    A module that does not say which MPI it calls (`MPI:Implementation` of `dlti.map`)
    is told `implementation`, and a `shard.grid` without users goes. Limits: a communicator whose color or key depends on an
    argument stays where it is; first calls from two threads at once race, as MPI with
    MPI_THREAD_SINGLE does.
  }];
  let options = [Option<"implementation", "implementation", "std::string",
                        /*default=*/"\"MPICH\"", "MPICH or OpenMPI">];
  let dependentDialects = ["DLTIDialect", "func::FuncDialect",
                           "LLVM::LLVMDialect", "mpi::MPIDialect",
                           "scf::SCFDialect"];
}

def NormWriteResultsLast : Pass<"norm-write-results-last", "func::FuncOp"> {
  let summary = "Make the last reader of a result write it";
  let description = [{
    An elementwise result that a reduction and then another elementwise op read, such
    as the sum of a residual connection that is returned beside its norm, is written
    once and read twice. When rows are fused, its buffer cannot be streamed past the
    caches, because it is read back. This pass makes the last reader write it too, in
    the same loop as its own result; the first op then computes a row that stays in
    the cache.

    Example:

    ```mlir
    %h = linalg.generic ... // x + residual
    %s = linalg.generic ... ins(%h) // a sum over the row
    %y = linalg.generic ... ins(%h, %s) // h * s
    bufferization.materialize_in_destination %h in writable %out0
    bufferization.materialize_in_destination %y in writable %out1
    ```

    becomes

    ```mlir
    %h = linalg.generic ...
    %s = linalg.generic ... ins(%h)
    %y, %late = linalg.generic ... ins(%h, %s) // h * s, h
    bufferization.materialize_in_destination %late in writable %out0
    bufferization.materialize_in_destination %y in writable %out1
    ```

    Limits: `linalg.generic` on tensors; the last reader reads each element at its own
    place and its result is written too. Run it after norm-results-to-out-params and
    before norm-separate-results.
  }];
  let dependentDialects = ["linalg::LinalgDialect", "tensor::TensorDialect"];
}

def NormSeparateResults : Pass<"norm-separate-results", "func::FuncOp"> {
  let summary = "Compute results in the caller's buffers where that is safe";
  let description = [{
    Makes each write of a result visible to one-shot bufferization, because a
    `bufferization.materialize_in_destination` into a buffer has no tensor with which
    the analysis could find a conflict. The write into a tensor of that buffer
    conflicts with any later read of what it overwrites, and a copy resolves the
    conflict.

    Then it runs upstream's elimination of empty tensors, which makes a result start
    in the caller's buffer, if every op in between computes in place. The pass
    eliminate-empty-tensors also follows ops that do not: the buffer then goes to a
    value that is needed until after the result was written there. An empty tensor
    from which a region of an `scf.if` starts stays, because bufferization rejects two
    branches that start from one buffer.

    Example:

    ```mlir
    %zeros = linalg.fill ins(%zero) outs(%empty)
    %a = linalg.generic ins(%x) outs(%zeros) // a sum over rows
    bufferization.materialize_in_destination %a in restrict writable %out
    ```

    becomes

    ```mlir
    %t = bufferization.to_tensor %out restrict writable
    %zeros = linalg.fill ins(%zero) outs(%t)
    %a = linalg.generic ins(%x) outs(%zeros)
    %r = bufferization.materialize_in_destination %a in %t
    bufferization.materialize_in_destination %r in writable %out
    ```

    The writes move behind all other ops first: what is computed behind a write may
    be computed in the same buffer.

    Limits: writes that are `restrict`, and behind which no op of the function reads or
    writes memory. Run it after norm-separate-destinations, because two results that
    start from one fill conflict, and one is copied.
  }];
  let dependentDialects = ["bufferization::BufferizationDialect"];
}

def NormCarryInPlace : Pass<"norm-carry-in-place", "func::FuncOp"> {
  let summary = "Keep tensors that loops and branches yield in one buffer";
  let description = [{
    One-shot bufferization computes a tensor that a loop carries in place only if the
    yielded value has the buffer of the loop's argument. A front end's loop yields a
    new tensor per iteration, which upstream rejects ("Yield operand #0 is not
    equivalent to the corresponding iter bbArg") or allocates and frees at run time.
    This pass copies the yielded value into the argument's buffer. The results of the
    branches of an `scf.if` or `scf.index_switch` go into a `tensor.empty` before it,
    instead of one allocation per branch and a flag that says who frees it.

    Example:

    ```mlir
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> tensor<4x4xf32> {
      %y = linalg.transpose ins(%h) outs(%empty)
      scf.yield %y
    }
    ```

    becomes

    ```mlir
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> tensor<4x4xf32> {
      %y = linalg.transpose ins(%h) outs(%empty)
      %w = linalg.copy ins(%y) outs(%h)
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

    Limits: extents must be known to equal those of the argument (those of a branch
    must be static), and an `scf.while` must pass on as many values as it carries.
    Other tensors are allocated per iteration, and freed. Run it before rows are
    tiled, because those loops already are in place.
  }];
  let dependentDialects = ["bufferization::BufferizationDialect",
                           "linalg::LinalgDialect", "tensor::TensorDialect"];
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
    integers) by sums, products and casts: its result would take more memory.

    Every operation is done on the same values, so no bit changes. Limits: a product
    is an op with two inputs and with loops over rows, columns and a reduction
    (upstream's `inferContractionDims`); a body that was fused before is not taken
    apart, and a convolution is not looked for.
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "linalg::LinalgDialect", "tensor::TensorDialect"];
}

def NormRecomputeProducers : Pass<"norm-recompute-producers", "func::FuncOp"> {
  let summary = "Recompute cheap rows that a reduction and other ops read";
  let description = [{
    Upstream's fusion of elementwise ops keeps a producer that several ops read. If
    one of them reduces the row, the producer's row would be stored and read back
    twice. A producer of at most three sums and products of elements of 32 bits or
    more, which takes less time than that, is fused into each reader instead, so that
    the reduction reads nothing but inputs.

    Example:

    ```mlir
    %h = linalg.generic ins(%x, %r) // x + r
    %s = linalg.generic ins(%h) // sum of h * h over the row
    %y = linalg.generic ins(%h, %s) // h * s
    ```

    becomes

    ```mlir
    %s = linalg.generic ins(%x, %r) // sum of (x + r) * (x + r)
    %y = linalg.generic ins(%x, %r, %s) // (x + r) * s
    ```

    Every operation is done on the same values as before, so no bit changes. Operations
    on values of the row alone, such as a root, do not count, because each loop over the
    row has them once; but in a static row of at most 256 elements, which lies in level 1
    with its temporaries, they are most of the work, and the producer stays.

    Limits: a producer with any other use, for example in a return, stays;
    norm-write-results-last takes that use away. A producer that two elementwise ops
    read stays as well, such as the sum of a residual stream, which the next layer
    reads: otherwise each layer would add up all layers before it.
  }];
  let dependentDialects = ["linalg::LinalgDialect"];
}

def NormReadPartsAsSlices : Pass<"norm-read-parts-as-slices", "func::FuncOp"> {
  let summary = "Spell reads of every n-th element of a row as slices";
  let description = [{
    A front end that packs two 4-bit numbers into a byte reads the even and the odd
    elements of a row: by slices with stride 2, by slices of the row as pairs, or by a
    linalg.generic that reads element 2 * d + 1. This pass makes slices with a stride
    of all three. One of a row of blocks becomes one of each block, so that the ops on
    blocks see it; norm-split-joined-rows then computes what is only read in parts
    part by part. An operand that loops of a single iteration read at d0 * 2 + d1
    becomes the slice that is read: it may hold more than one window, and
    linalg-fold-unit-extent-dims would read all of it.

    Example:

    ```mlir
    %pairs = tensor.expand_shape %row [[0], [1, 2]] output_shape [8, 32, 2]
    %odd = tensor.extract_slice %pairs[0, 0, 1] [8, 32, 1] [1, 1, 1] : tensor<8x32x2xi8> to tensor<8x32xi8>
    ```

    becomes

    ```mlir
    %odd = tensor.extract_slice %row[0, 1] [8, 32] [1, 2] : tensor<8x64xi8> to tensor<8x32xi8>
    ```

    Limits: static extents of a row, which the stride divides; windows may be dynamic.
  }];
  let dependentDialects = ["tensor::TensorDialect"];
}

def NormSplitJoinedRows : Pass<"norm-split-joined-rows", "func::FuncOp"> {
  let summary = "Compute what reads joined rows part by part";
  let description = [{
    A rotary embedding turns each row by reading its halves in the other order:
    front ends slice the row, negate one half and concatenate the two. An op that
    reads the concatenation can only start when all of it is in memory, so rows are
    not fused across it. This pass splits the elementwise ops that read joined rows,
    directly or through others, into one op per part, which reads the value of that
    part instead. An elementwise op that is only read in these parts is split as well.
    Elements are computed once, by the same operations, so no bit changes. Equal parts
    of a result that is kept whole come from one op, so that one loop over the row
    writes them all.

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

    A join is a `tensor.concat` of the innermost dimension, a stack of columns that is
    flattened (interleaved pairs), slices that fill a `tensor.empty`, or a
    `linalg.generic` that chooses among tensors by its innermost index, which is how
    StableHLO lowers a concatenation. norm-write-parts-in-place later writes the parts
    of a result where they belong.

    Limits: at most four parts with static extents; ops that read their innermost
    index, and reductions over joined rows, read the join. Parts of different lengths
    are loops of their own. Run it before elementwise ops are fused, which merges the
    ops of each part.
  }];
  let dependentDialects = ["linalg::LinalgDialect", "tensor::TensorDialect"];
}

def NormWritePartsInPlace
    : Pass<"norm-write-parts-in-place", "func::FuncOp"> {
  let summary = "Write the parts of a result into its buffer";
  let description = [{
    A result that consists of inserted slices is a chain of tensors, and one-shot
    bufferization finds that the first insertion reads what a loop over two parts has
    written for the second one. It then copies a part. This pass makes each part a
    result of its own, in a view of the caller's buffer.

    Example:

    ```mlir
    %a = tensor.insert_slice %lo into %empty[0, 0] [8, 32] [1, 1]
    %b = tensor.insert_slice %hi into %a[0, 32] [8, 32] [1, 1]
    bufferization.materialize_in_destination %b in restrict writable %out
    ```

    becomes

    ```mlir
    %0 = memref.subview %out[0, 0] [8, 32] [1, 1]
    bufferization.materialize_in_destination %lo in restrict writable %0
    %1 = memref.subview %out[0, 32] [8, 32] [1, 1]
    bufferization.materialize_in_destination %hi in restrict writable %1
    ```

    Limits: parts of the innermost dimension that fill the tensor, which nothing else
    reads. Run it between norm-results-to-out-params and norm-separate-results.
  }];
  let dependentDialects = ["bufferization::BufferizationDialect",
                           "memref::MemRefDialect"];
}

def NormTileRows : Pass<"norm-tile-rows", "func::FuncOp"> {
  let summary = "Tile rows of structured ops and fuse their producers";
  let description = [{
    Divides the linalg ops on tensors that work row by row into groups: a last op, the
    root, and the elementwise ops and row reductions that feed it. The row dimensions
    are the leading parallel dimensions that every reduction of the group keeps. They
    are tiled by one row, and the whole group is fused into the loop, so that a row is
    read from memory once and its intermediate values stay in cache or in registers. A
    softmax, a LayerNorm and a decomposed norm op all qualify, and the pass names none
    of them. Contractions and convolutions are not changed, and neither are producers
    that do not depend on the row (a weight).

    Ops join from the last one to the first, each of them one group, and each use is
    visited once, so that the time is linear in the length of a model. An op joins the
    first group that uses its result if all other users come after that group's loop,
    whose result they read. So the sum of a residual stream is computed in the loop of
    the norm that follows it, and kept for the next sum. An op with an earlier user,
    such as a matmul, is a root itself. If several groups use an elementwise op of at
    most four `arith` operations without a division, and reading its inputs moves no
    more bytes than reading its result (a fill, a broadcast, a widening cast), each
    group computes it again. The inputs of such a copy are kept, so no chain is
    copied.

    A row may be looked at as blocks, such as the 32 elements that share a scale. A group
    over blocks takes in the statistic of the whole row, and its rows become whole ones,
    if the statistic combines as many elements as they then have, static numbers.

    Example (a row sum divided out again):

    ```mlir
    %s = linalg.reduce { arith.addf } ins(%x : tensor<8x64xf32>)
         outs(%zero : tensor<8xf32>) dimensions = [1]
    %y = linalg.generic ... ins(%x, %s) outs(%e) { divf } -> tensor<8x64xf32>
    ```

    becomes

    ```mlir
    %y = scf.for %i = %c0 to %c8 step %c1 iter_args(%out = %e) {
      %row = tensor.extract_slice %x[%i, 0] [1, 64] [1, 1]
      %s = linalg.reduce ... -> tensor<1xf32>
      %r = linalg.generic ... ins(%row, %s) -> tensor<1x64xf32>
      %o = tensor.insert_slice %r into %out[%i, 0] [1, 64] [1, 1]
      scf.yield %o
    } {norm.loop = #norm.loop<rows>}
    ```

    A row waits for its reduction, a root and a division before it can be scaled. With
    `block-elements` an iteration works on 4, 8 or 16 rows, which hold that many
    elements, if a group with a reduction has rows of a static length. In the
    iteration each op is a loop over these rows, which do not wait for each other. The
    remaining rows are done one by one after the loop (an `scf.forall` has blocks only
    if no row remains).

    A root may reduce its rows, as norm-merge-row-sums makes them: it sums over rows what
    it also writes of each, or what needs a statistic of each. Its rows are tiled by parts
    of 64, whose sums are rows of a tensor; in a part by blocks of 16, which have a sum of
    their own; and then one by one. The parts are added behind the loop, in order, to what
    the sum starts from:

    ```mlir
    %p:2 = scf.for %i = %c0 to %m step %c64 iter_args(%out = %e, %sums = %parts) {
      %b:2 = scf.for %j = %c0 to %rows step %c16 iter_args(..., %sum = %neutral) {
        %r:2 = scf.for %k = %j to %end step %c1 iter_args(..., %s = %neutral_row) {
          %y:2 = linalg.generic ... -> (tensor<1x64xf32>, tensor<64xf32>)
          ...
        } {norm.loop = #norm.loop<rows>}
        %t = linalg.generic ins(%r#1) outs(%sum) { addf }
        ...
      }
      ...
    } {norm.loop = #norm.loop<rows>}
    %s = linalg.generic {iterator_types = ["reduction", "parallel"]}
        ins(%p#1 : tensor<?x64xf32>) outs(%zero) { addf } -> tensor<64xf32>
    ```

    Other sums over rows are left for norm-vectorize-rows.

    With `parallel` the loop is an `scf.forall`, of parts where rows are summed. An op with
    a static extent of zero
    has nothing to do and is replaced by its destinations. The temporary of a fused op
    holds one row. A fused op that is also used after the loop (a residual sum that is
    a result) is computed once per row, into the loop's result.

    Upstream's tile-and-fuse driver fuses a producer once per slice of it, which is
    exponential in a chain whose ops are read twice; this pass merges the slices first
    and uses the driver's parts.
  }];
  let options = [Option<"parallel", "parallel", "bool", /*default=*/"false",
                        "Make the row loop an scf.forall">,
                 Option<"oneVector", "one-vector", "bool", /*default=*/"false",
                        "Only groups whose ops have one loop beyond the rows">,
                 Option<"blockElements", "block-elements", "int64_t",
                        /*default=*/"0",
                        "Elements of a block of short rows; 0: one row a turn">];
  let dependentDialects = ["affine::AffineDialect", "norm::NormDialect",
                           "scf::SCFDialect", "tensor::TensorDialect"];
}

def NormHoistRowScalars : Pass<"norm-hoist-row-scalars", "func::FuncOp"> {
  let summary = "Compute values that a loop does not change before the loop";
  let description = [{
    An elementwise op over a block of rows often begins with a few operations on
    values of which each row has one: a root, a division. The innermost loop does not
    change them, but each row waits for them, one at a time. If one of them is a
    division or a function, this pass moves them into an op over the rows, which
    norm-vectorize-rows vectorizes. It does the same for an outer loop: of a norm
    over channels, the root of a position is the same for all channels.

    Example:

    ```mlir
    %y = linalg.generic ... ins(%x, %sum : tensor<16x64xf32>, tensor<16xf32>) {
    ^bb0(%a: f32, %s: f32, %o: f32):
      %root = math.sqrt %s : f32
      %v = arith.divf %a, %root : f32
      linalg.yield %v : f32
    } -> tensor<16x64xf32>
    ```

    becomes

    ```mlir
    %root = linalg.generic ... ins(%sum : tensor<16xf32>) {
    ^bb0(%s: f32, %o: f32):
      %r = math.sqrt %s : f32
      linalg.yield %r : f32
    } -> tensor<16xf32>
    %y = linalg.generic ... ins(%x, %root : tensor<16x64xf32>, tensor<16xf32>) {
    ^bb0(%a: f32, %r: f32, %o: f32):
      %v = arith.divf %a, %r : f32
      linalg.yield %v : f32
    } -> tensor<16x64xf32>
    ```

    Limits: a `linalg.generic` on tensors with parallel loops only, two of which
    iterate; for values that the innermost loop does not change, in a loop over
    blocks of rows. The operations are the same, and so are the results.
  }];
  let dependentDialects = ["linalg::LinalgDialect", "tensor::TensorDialect"];
}

def NormVectorizeRows : Pass<"norm-vectorize-rows", "func::FuncOp"> {
  let summary = "Strip-mine and vectorize the innermost dimension of linalg ops";
  let description = [{
    Rewrites a linalg op on tensors to loops over its outer dimensions and a
    strip-mined, vectorized loop over the innermost one: a main loop of 64
    elements, a loop of 16 elements, and one masked vector of 16 elements for
    the rest; static extents omit empty parts. A reduction over the innermost
    dimension carries one vector accumulator of 64 elements (and one of 16)
    and adds its halves up at the end, so the order of the sum is fixed, needs no
    fast-math flag and does not depend on the machine (docs/Codegen.md has the tree).
    Values that have one element per row are kept as scalars.

    The error of a float sum grows with the additions that an element goes through.
    Therefore each 16 strips of 64 elements are summed from zero before they
    are added to the sum of the blocks, and blocks of blocks likewise, in at most
    three levels of loops around the main loop. Maxima and integer sums do not need
    this.

    A sum over rows, whose reduction is the loop around the parallel innermost one,
    adds 16 rows in registers, strip by strip, before it touches the result. Blocks
    of 16 such blocks are summed into a row of their own, in as many levels.

    Example: `linalg.generic` that doubles a tensor<100xf32> becomes

    ```mlir
    %0 = scf.for %i = %c0 to %c64 step %c64 iter_args(%o = %init) {
      %v = vector.transfer_read %x[%i] : tensor<100xf32>, vector<64xf32>
      %d = arith.addf %v, %v : vector<64xf32>
      %w = vector.transfer_write %d, %o[%i] : vector<64xf32>, tensor<100xf32>
      scf.yield %w
    } {norm.loop = #norm.loop<strips>}
    ... two vectors of 16, then one masked vector of 16 for the last 4 ...
    ```

    The loops over a row of a reduction are `statistic`. Of the loops over other
    dimensions, the outermost in a loop of norm-tile-rows is a `block`.

    In a loop with a schedule (norm-plan-gpu-rows) the vectors have its `lanes`, and a
    reduction ends with one `vector.reduction`, which threads share later. With
    `scheduled`, ops outside of such loops are not changed.

    Limits: operands must be contiguous in the innermost dimension or not depend
    on it, and the body must be elementwise; other ops are left to
    convert-linalg-to-loops.
  }];
  let options = [
    Option<"scheduled", "scheduled", "bool", /*default=*/"false",
           "Only ops in loops that have a schedule for threads">];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "norm::NormDialect", "scf::SCFDialect",
                           "tensor::TensorDialect", "vector::VectorDialect"];
}

def NormWidenNarrowFloats : Pass<"norm-widen-narrow-floats"> {
  let summary = "Compute 16-bit float arithmetic in f32, rounding every result";
  let description = [{
    Replaces each arith and math op on f16 or bf16 values, scalar or vector, by
    the op on f32 between an `arith.extf` of its operands and an `arith.truncf` of
    its result. For add, sub, mul, div and sqrt this equals one rounding to the
    16-bit type. Unlike upstream's arith-emulate-unsupported-floats no cast
    carries a fast-math flag, so no later fold can drop a rounding.

    Example: `%c = arith.mulf %a, %b : f16` becomes

    ```mlir
    %a32 = arith.extf %a : f16 to f32
    %b32 = arith.extf %b : f16 to f32
    %c32 = arith.mulf %a32, %b32 : f32
    %c = arith.truncf %c32 : f32 to f16
    ```

    A truncation from f64 to 16 bits goes through f32 rounded to odd, which gives
    the one correct rounding without a library call.

    A `vector.fma` is widened too, and a `vector.reduction` (also one of a
    `vector.contract`) becomes one op after the other on its elements, each of
    which rounds.

    Limits: other conversions, constants, selects and bit operations stay as they
    are, and so does a reduction in a `vector.mask`, which LLVM then rounds as it
    can.
  }];
  let dependentDialects = ["arith::ArithDialect", "math::MathDialect",
                           "vector::VectorDialect"];
}

def NormMergeSiblings : Pass<"norm-merge-siblings", "func::FuncOp"> {
  let summary = "Make one op of two that read the same tensor";
  let description = [{
    A loop over rows computes what its last op needs. Two ops that end rows, such as
    two scalings of one normalized value, therefore get two loops, and what they
    share goes through memory. Where both read a tensor that has all their loops by
    the same map, this pass makes one op with two results of them.

    Example:

    ```mlir
    %y = linalg.generic ... ins(%n, %v : tensor<8x64xf32>, tensor<64xf32>) ...
    %z = linalg.generic ... ins(%n, %b : tensor<8x64xf32>, tensor<64xf32>) ...
    ```

    becomes

    ```mlir
    %yz:2 = linalg.generic ... ins(%n, %v, %n, %b : ...) ...
    ```

    Limits: `linalg.generic` with parallel loops only on tensors, whose
    results no other `linalg.generic` reads but contractions: others are computed in
    their users' loops. All that the second op reads must be known before the first.
  }];
  let dependentDialects = ["linalg::LinalgDialect"];
}

def NormMergeRowSums : Pass<"norm-merge-row-sums", "func::FuncOp"> {
  let summary = "Make a sum over rows where an elementwise op goes over them";
  let description = [{
    The backward pass of a norm writes the gradient of each row and sums products over
    all rows for the gradient of the weight. Two loops would read everything twice. This
    pass makes one op of a sum over rows and an elementwise op, or another sum, over the
    same elements; norm-tile-rows gives it one loop.

    Example:

    ```mlir
    %dx = linalg.generic {iterator_types = ["parallel", "parallel"], ...}
        ins(%x, %r, %dy : tensor<?x64xf32>, ...)
    %dw = linalg.generic {iterator_types = ["reduction", "parallel"], ...}
        ins(%x, %dy : tensor<?x64xf32>, ...)
    ```

    becomes

    ```mlir
    %0:2 = linalg.generic {iterator_types = ["reduction", "parallel"], ...}
        ins(%x, %r, %dy, %x, %dy : tensor<?x64xf32>, ...)
        -> (tensor<?x64xf32>, tensor<64xf32>)
    ```

    A row of the first result is written once, in its own turn of the reduction.

    Both ops must read a tensor with all their loops by the same map, or the sum must read
    the result of the elementwise op so. What the later op reads is moved before the
    earlier one, and cannot depend on it otherwise.

    Limits: `linalg.generic` on tensors whose reduced loops are the outer ones
    (norm-order-loops); sums of one combining op with a neutral element; elementwise ops
    whose results no other `linalg.generic` reads but contractions, for others are
    computed in their users' loops. A function with `norm.sum_parts`
    (norm-split-sums) stays as it is.
  }];
  let dependentDialects = ["linalg::LinalgDialect"];
}

def NormOrderLoops : Pass<"norm-order-loops", "func::FuncOp"> {
  let summary = "Make the loop over neighbors in memory the innermost one";
  let description = [{
    The innermost loop of a linalg op becomes vectors, which need elements that
    are neighbors in memory. Front ends write the loops in any order: a sum over
    the rows of a matrix comes with its reduction innermost as often as not. This
    pass makes innermost the loop that walks the most elements of the op's tensors
    in the order of memory; the other loops keep their order. A dynamic extent
    counts as 65536 elements.

    Example:

    ```mlir
    #x = affine_map<(d0, d1) -> (d1, d0)>
    #sum = affine_map<(d0, d1) -> (d0)>
    iterator_types = ["parallel", "reduction"] // of the columns of %x
    ```

    becomes

    ```mlir
    #x = affine_map<(d0, d1) -> (d0, d1)>
    #sum = affine_map<(d0, d1) -> (d1)>
    iterator_types = ["reduction", "parallel"]
    ```

    Limits: linalg.generic on tensors. Where two loops walk as many elements, as in
    a transposition, the order stays.
  }];
  let dependentDialects = ["linalg::LinalgDialect"];
}

def NormCollapseDims : Pass<"norm-collapse-dims", "func::FuncOp"> {
  let summary = "Merge adjacent dimensions that all ops treat alike";
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

    Limits: a dimension of unknown extent does not merge with the one before it; ops
    with `linalg.index`, and slices, keep theirs. Elementwise ops without a reduction
    keep their innermost dimension.
  }];
  let dependentDialects = ["linalg::LinalgDialect", "tensor::TensorDialect"];
}

def NormExpandFP8 : Pass<"norm-expand-fp8"> {
  let summary = "Expand conversions of 8-bit floats to integer operations";
  let description = [{
    Upstream keeps `arith.truncf` to and `arith.extf` from f8E4M3FN and f8E5M2 until
    no lowering supports them. This pass expands them to i32 operations, on scalars
    and vectors. Truncations round once, to nearest, ties to even; values that are too
    large become NaN (f8E4M3FN) or an infinity (f8E5M2), as in the constant folder.

    An addition of 2^23 units of the last place rounds, at a number's own exponent or
    at that of the subnormals, so both need the same twelve operations and no selection.

    Example: `%q = arith.truncf %a : f32 to f8E4M3FN` becomes operations on
    `arith.bitcast %a : f32 to i32` with one `arith.addf` among them, and ends with
    `arith.bitcast %byte : i8 to f8E4M3FN`.

    Limits: a truncation from f64 is an error, and so are arithmetic on floats of less
    than 16 bits and conversions of other formats, f6E2M3FN among them, or with other
    roundings, because LLVM has no such types and no later pass would lower them.
  }];
  let dependentDialects = ["arith::ArithDialect"];
}

def NormNarrowFloatsToIntegers : Pass<"norm-narrow-floats-to-integers"> {
  let summary = "f16 and bf16 are 16-bit integers outside of arithmetic";
  let description = [{
    Most machines load, store, mask, select and shuffle 16-bit integers, but not
    16-bit floats: LLVM's x86 back end takes masked accesses of f16 and bf16 apart,
    and holds a bf16 that lives in several blocks as an f32, which it rounds again
    where it is used. It does that by `vcvtneps2bf16` where the CPU has it, which
    takes subnormals for zeros whatever MXCSR says, and by a call of a library
    elsewhere. So this pass makes memrefs, vectors, scalars and constants of f16
    and bf16 those of i16. What computes with f16 takes and gives bitcasts.

    No op computes with bf16 after it. An `arith.extf` from bf16 becomes a shift,
    and an `arith.truncf` to bf16 becomes what `rounding` says:

    - `integers`: rounds to nearest even by integer operations; subnormals stay,
      and a NaN stays a NaN.
    - `pairs`: the same on the even and the odd elements of a vector apart.
      Widening a vector in order takes a shuffle, and so does narrowing. A 32-bit
      word that holds two bf16 elements has the odd one as its upper half, which
      is an f32 once the lower half is cleared, and the even one after a shift by
      16. So elementwise f32 arithmetic between an `arith.extf` from bf16 and an
      `arith.truncf` to bf16 is done on two vectors of half the length. Rounding
      adds to the word of each element, and one blend puts the upper halves of
      both together; a value that is rounded and then widened again (Llama's
      order) stays a word whose lower half is cleared.
    - `hardware`: the `arith.truncf` stays.

    Adding could carry a NaN's lower bits into an infinity or a zero. With `pairs`,
    a NaN that was widened from bf16, is in a constant with a clear lower half, or
    was made or passed on by arithmetic on such values has no lower bits, and
    nothing is done for it. All other values pay for a comparison and a selection.

    Example, with `rounding=pairs`:

    ```mlir
    %x = vector.load %p[%i] : memref<?xbf16>, vector<16xbf16>
    %a = arith.extf %x : vector<16xbf16> to vector<16xf32>
    %b = arith.mulf %a, %a : vector<16xf32>
    %c = arith.truncf %b : vector<16xf32> to vector<16xbf16>
    ```

    becomes

    ```mlir
    %x = vector.load %p[%i] : memref<?xi16>, vector<16xi16>
    %words = vector.bitcast %x : vector<16xi16> to vector<8xi32>
    %even = ... // shli %words, 16, as vector<8xf32>
    %odd = ... // andi %words, 0xFFFF0000, as vector<8xf32>
    %b0 = arith.mulf %even, %even : vector<8xf32>
    %b1 = arith.mulf %odd, %odd : vector<8xf32>
    ... // %b0 and %b1 as words plus 0x7FFF plus their bit 16: ties to even
    %c = ... // arith.select of the upper halves : vector<16xi16>
    ```

    With `pairs`, a vector that an `scf.for` carries and only combines with such
    values is carried as two halves and interleaved after the loop. Every element
    is combined in the same order as before, so no result changes by a bit.

    Scalars that a function takes or returns keep their type, which the machine's
    calling convention passes in other registers than an i16. Inside, a bf16
    argument is an i16 that comes out of an empty inline assembly, because
    CodeGenPrepare would make a phi of bitcasts of bf16 one of bf16 (LLVM 22).

    Limits: run norm-widen-narrow-floats before, so that arithmetic is in f32.
    `pairs` takes rank-1 vectors whose length is a multiple of 16, and needs a
    little-endian machine; values that are neither widened from bf16 nor the same
    in all lanes keep their order. Complex numbers keep their elements' type, and
    so do reductions in a `vector.mask`. A `memref.atomic_rmw` on f16 or bf16
    memory is rejected.
  }];
  let options = [Option<"rounding", "rounding", "::mlir::norm::BF16Rounding",
                        /*default=*/"::mlir::norm::BF16Rounding::Integers",
                        "Who rounds f32 to bf16",
                        "::mlir::norm::getBF16RoundingValues()">];
  let dependentDialects = ["arith::ArithDialect", "LLVM::LLVMDialect",
                           "vector::VectorDialect"];
}

def NormExpandScaling : Pass<"norm-expand-scaling"> {
  let summary = "Expand scaling_truncf and scaling_extf to products";
  let description = [{
    `arith.scaling_truncf` divides by a power of two and narrows, `arith.scaling_extf`
    widens and multiplies by one. This pass expands both by upstream's patterns, which
    take the scale to be f8E8M0FNU, to `arith.extf`, `arith.divf`, `arith.mulf` and
    `arith.truncf`, which norm-expand-mx and norm-expand-fp8 expand later: a scale
    that a block of elements shares is widened once for the block meanwhile.

    Of a scale in 16 bits or more the exponent is taken, as hardware does. The product
    or quotient is in f32 at least, because f16 does not hold most scales. x / 2^e is
    x * 2^-e, with the same bits.

    Example: `%q = arith.scaling_truncf %a, %s : f32, f8E8M0FNU to f4E2M1FN` becomes

    ```mlir
    %c = arith.bitcast %s : f8E8M0FNU to i8
    %d = arith.subi %c-2_i8, %c : i8
    %i = arith.bitcast %d : i8 to f8E8M0FNU
    %f = arith.extf %i : f8E8M0FNU to f32
    %p = arith.mulf %a, %f : f32
    %q = arith.truncf %p : f32 to f4E2M1FN
    ```
  }];
  let dependentDialects = ["arith::ArithDialect"];
}

def NormExpandMX : Pass<"norm-expand-mx"> {
  let summary = "Expand conversions of 4-bit floats and of block scales";
  let description = [{
    The formats of OCP's Microscaling Formats (MX) 1.0: elements in f4E2M1FN, and
    scales in f8E8M0FNU, which are powers of two. This pass expands `arith.truncf` to
    and `arith.extf` from both of them to i32 operations, on scalars and vectors.

    A truncation to f4E2M1FN rounds once, to nearest, ties to even. It saturates at 6
    and keeps the sign, of zeros too; the format has no NaN, and NaN becomes 6, as in
    PTX's `cvt.rn.satfinite`.

    A truncation to f8E8M0FNU may be to nearest (a tie, 1.5 times a power of two, goes
    up, as IEEE 754 asks of one digit), `toward_zero` or `upward`. Zero and what is
    below the range become 2^-127; what is above, negative or not finite becomes NaN.

    Example: `%q = arith.truncf %a : f32 to f4E2M1FN` becomes operations on
    `arith.bitcast %a : f32 to i32` with one `arith.addf` among them, which rounds, and
    ends with `arith.bitcast %code : i4 to f4E2M1FN`.

    Limits: a truncation from f64 is an error, and so is another rounding. Arithmetic on
    these types is left for norm-expand-fp8 to reject.
  }];
  let dependentDialects = ["arith::ArithDialect", "vector::VectorDialect"];
}

def NormExpandVectorMath : Pass<"norm-expand-vector-math"> {
  let summary = "Expand exp, exp2, expm1, log, log1p, tanh and erf of f32 vectors";
  let description = [{
    LLVM scalarizes a vector `math.exp` and calls libm per element. This pass expands
    the function on the whole vector instead: range reduction, a polynomial, and
    selections for special operands, without a fast-math flag. With `fma`, for
    machines that have it as an instruction, a product and its sum round once; without
    it, only additions and multiplications are used.

    The maximum errors, with `fma` and without, in ulp of f32 against f64, are:

    | exp | exp2 | expm1 | log | log1p | tanh | erf |
    |---|---|---|---|---|---|---|
    | 1.1 | 1.2 | 1.8 | 0.9 | 0.9 | 1.4 | 1.4 |

    Overflow to infinity, gradual underflow (of exp and exp2), infinities, NaN and
    the sign of zero are those of libm.

    Example: `math.exp %x : vector<64xf32>` becomes

    ```mlir
    ... // %x limited to where the result is neither 0 nor infinity
    %n = ... // %x / ln 2, rounded to an integer
    %r = ... // %x - %n * ln 2
    %p = ... // polynomial of %r
    ... // %p * 2^(n/2) * 2^(n - n/2)
    ```

    Where all uses of an exp are sums with a constant of at least 2^-90, such as the 1 of
    a sigmoid, results below e^-86 do not change the sum. They may therefore be e^-86,
    which is normal, and %p * 2^(n-1), doubled, takes half of the operations.

    Limits: scalars and f64 stay calls of libm, whose last bit may differ;
    norm-widen-narrow-floats must have widened 16-bit types.
  }];
  let options = [Option<"fma", "fma", "bool", /*default=*/"false",
                        "The machine has an FMA instruction">];
  let dependentDialects = ["arith::ArithDialect", "math::MathDialect"];
}

def NormSplitWideVectors : Pass<"norm-split-wide-vectors"> {
  let summary = "Split wide vectors into parts where registers run out";
  let description = [{
    LLVM puts a vector of 64 f32 into eight AVX registers and evaluates every op on
    all of them before the next op. That suits a short chain, but a long one, such as
    a polynomial, keeps more values alive than there are registers. In an `scf.for`
    where more than `live` lanes are live at once, this pass does the whole body for
    the first 16 elements, then for the next ones. Where elements of
    less than a word are written, most vectors of words hold half as many as some others: the
    parts are those of the most frequent ones.

    Example (parts of 16):

    ```mlir
    scf.for %i = %c0 to %n step %c64 {
      %v = vector.transfer_read %x[%i] : memref<?xf32>, vector<64xf32>
      ... // a long chain from %v to %w
      vector.transfer_write %w, %y[%i] : vector<64xf32>, memref<?xf32>
    }
    ```

    becomes

    ```mlir
    scf.for %i = %c0 to %n step %c64 {
      %v0 = vector.transfer_read %x[%i] : memref<?xf32>, vector<16xf32>
      ... // the chain on 16 lanes
      vector.transfer_write %w0, %y[%i] : vector<16xf32>, memref<?xf32>
      %i1 = arith.addi %i, %c16 : index
      %v1 = vector.transfer_read %x[%i1] : memref<?xf32>, vector<16xf32>
      ... // three times more
    }
    ```

    A vector that the loop carries becomes one per part and is put together after the
    loop: every lane is combined in the same order as before. Vectors of other lengths
    in the body are cut into as many parts: 64 bf16, which are computed as 32 words of
    even and 32 of odd elements, become two parts of 32, and fill registers of 512 bits.

    Limits: bodies of elementwise ops, bitcasts, interleaving and unmasked accesses in
    bounds; a body that writes accesses all its buffers at one column, or at columns
    that are constants apart and share no element, and a buffer overlaps another one
    exactly or not at all.
  }];
  let options = [
    Option<"live", "live", "int64_t", /*default=*/"192",
           "Lanes alive at once up to which a body is left whole">];
  let dependentDialects = ["arith::ArithDialect", "scf::SCFDialect",
                           "vector::VectorDialect"];
}

def NormLocalizeNestedWrites : Pass<"norm-localize-nested-writes"> {
  let summary = "Give the body of a linalg op its own copy of tensors it writes";
  let description = [{
    The body of a linalg op, of a `tensor.generate` or a `tensor.pad` may contain ops
    on tensors that start from an outer tensor, such as the `outs` of a sum. One-shot
    bufferization (LLVM 22) does not know that a body runs once per element, and lets
    the ops write the buffer of that tensor in place, so that the second element
    starts from the result of the first one. This pass runs before it and makes each
    such op start from a copy within the body, or from a buffer of the body's own if
    the outer one was empty. On a GPU the elements run at the same time.

    Example:

    ```mlir
    %y = linalg.generic ... outs(%e : tensor<4xf32>) {
      %s = linalg.generic ... outs(%zero : tensor<f32>) { addf } -> tensor<f32>
    ```

    becomes

    ```mlir
    %y = linalg.generic ... outs(%e : tensor<4xf32>) {
      %own = bufferization.alloc_tensor() copy(%zero) : tensor<f32>
      %s = linalg.generic ... outs(%own : tensor<f32>) { addf } -> tensor<f32>
    ```
  }];
  let dependentDialects = ["bufferization::BufferizationDialect"];
}

def NormNestedIndicesToLoops : Pass<"norm-nested-indices-to-loops"> {
  let summary = "Lower nested linalg ops that read their index to loops";
  let description = [{
    `linalg.index d` means the loop of the op whose body it is in, but only its place
    says so: it has no operand. Upstream's CSE (LLVM 22), and every pass that calls
    it, merges the one in the body of a nested linalg op with the one of the enclosing
    body, which dominates it, and x[i, j] silently becomes x[i, i]. This pass rewrites
    each linalg op that is nested in a linalg op and reads an index to loops, on
    tensors and on buffers, whose induction variables are distinct values. It also
    does so if the enclosing body reads no index, because fusion may add one.

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
    %s = scf.for %j = %c0 to %c8 step %c1 iter_args(%t = %zero) -> (tensor<f32>) {
      %acc = tensor.extract %t[] : tensor<f32>
      %v = tensor.extract %x[%i, %j] : tensor<4x8xf32>
      ...
      %u = tensor.insert %next into %t[] : tensor<f32>
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

def NormExpandMemRefCopy : Pass<"norm-expand-memref-copy"> {
  let summary = "Rewrite strided memref.copy to linalg.copy";
  let description = [{
    finalize-memref-to-llvm lowers a `memref.copy` between strided buffers to a
    call of `memrefCopy` of MLIR's runner library. Compiled artifacts link no
    MLIR library, so such copies become `linalg.copy`, which lowers to loops.
    Copies between contiguous buffers stay, and become memcpy.

    Example: `memref.copy %a, %b : memref<4x4xf32, strided<[8, 1]>> to
    memref<4x4xf32>` becomes `linalg.copy ins(%a) outs(%b)`.

    Limits: unranked buffers are left alone.
  }];
  let dependentDialects = ["linalg::LinalgDialect"];
}

def NormSeparateDestinations : Pass<"norm-separate-destinations"> {
  let summary = "Give each op that writes into a tensor its own empty or fill";
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

    Limits: run it after the last common subexpression elimination on tensors, which
    undoes it. norm-reuse-buffers shares the buffers again where that is correct.
  }];
  let dependentDialects = ["linalg::LinalgDialect", "tensor::TensorDialect"];
}

def NormSinkDeinterleaves : Pass<"norm-sink-deinterleaves", "func::FuncOp"> {
  let summary = "Take vectors apart where their elements are narrow";
  let description = [{
    Two f32 are rounded to 4 bits each and packed into one byte. The ops on parts of
    rows read the even and the odd f32 and do the same with both. This pass does it
    with the whole vector, and takes the bytes apart instead, which are a quarter of
    the registers to shuffle.

    Example:

    ```mlir
    %even, %odd = vector.deinterleave %x : vector<32xf32> -> vector<16xf32>
    %a = arith.fptosi %even : vector<16xf32> to vector<16xi8>
    %b = arith.fptosi %odd : vector<16xf32> to vector<16xi8>
    ```

    becomes

    ```mlir
    %y = arith.fptosi %x : vector<32xf32> to vector<32xi8>
    %a, %b = vector.deinterleave %y : vector<32xi8> -> vector<16xi8>
    ```

    Limits: elementwise ops, each on one half and otherwise on the same splats, whose
    results nothing else uses; up to the last of the narrowest type, but not where no
    type is narrower than that of the vector.
  }];
  let dependentDialects = ["arith::ArithDialect", "vector::VectorDialect"];
}

def NormPairStridedAccesses
    : Pass<"norm-pair-strided-accesses", "func::FuncOp"> {
  let summary = "Read and write every other element as whole vectors";
  let description = [{
    Rows of interleaved pairs, such as the real and imaginary parts of a rotary
    embedding, are split into their even and odd elements. A vector of every other
    element is a load per element for LLVM. This pass reads the pairs, which are
    contiguous, and takes the even or the odd elements of them. Two writes of the
    even and of the odd elements of the same pairs become one.

    Example:

    ```mlir
    %even = memref.subview %x[0] [32] [2] : memref<64xf32> to memref<32xf32, strided<[2]>>
    %a = vector.transfer_read %even[%i] : memref<32xf32, strided<[2]>>, vector<16xf32>
    ```

    becomes

    ```mlir
    %j = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
    %pairs = vector.transfer_read %x[%j] : memref<64xf32>, vector<32xf32>
    %a, %b = vector.deinterleave %pairs : vector<32xf32> -> vector<16xf32>
    ```

    A mask of the first elements becomes one of the first pairs. Limits: a static
    stride of two in the innermost dimension of a `memref.subview`, whose last element
    has its neighbor in the same row; a write without its other half stays, and so
    does one between whose halves memory is accessed. Run it after fold-memref-alias-ops
    and before common subexpression elimination, which merges reads of both halves.
  }];
  let dependentDialects = ["affine::AffineDialect", "vector::VectorDialect"];
}

def NormReuseBuffers : Pass<"norm-reuse-buffers"> {
  let summary = "Reuse freed buffers for later allocations";
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
    ...
    memref.dealloc %b : memref<64xf32>
    ```

    becomes

    ```mlir
    %a = memref.alloc() : memref<64xf32>
    ...
    memref.dealloc %a : memref<64xf32> // where %b was freed
    ```

    Limits: within a block; equal types, and equal values for dynamic extents. Run it
    after optimize-allocation-liveness, which frees after the last use.
  }];
  let dependentDialects = ["memref::MemRefDialect"];
}

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
    scf.for %i = %c0 to %c8 step %c1 { ... %a ... %b ... }
    scf.for %i = %c0 to %c8 step %c1 { ... %b ... %c ... }
    ```

    becomes

    ```mlir
    call @f__loop(%a, %b) : (memref<8x64xf32>, memref<8x64xf32>) -> ()
    call @f__loop(%b, %c) : (memref<8x64xf32>, memref<8x64xf32>) -> ()
    ```

    Constants, and ops right before a nest that only it uses, move into its function.
    A loop whose body has `min-loops` nests itself, such as one over layers, stays,
    and these nests become functions. Upstream's duplicate-function-elimination is not
    used, because it also merges public functions and so removes symbols.

    Limits: run it after bufferization; functions have one block.
  }];
  let options = [Option<"minLoops", "min-loops", "unsigned", /*default=*/"32",
                        "Loop nests from which on a function is divided">];
  let dependentDialects = ["func::FuncDialect", "scf::SCFDialect"];
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

    Example:

    ```mlir
    func.func @f(%x: memref<?xf32>, %y: memref<?xf32>) { ... }
    ```

    becomes

    ```mlir
    func.func @f(%x: memref<?xf32>, %y: memref<?xf32>) {
      %dx = builtin.unrealized_conversion_cast %x : memref<?xf32> to !llvm.struct<...>
      %px = llvm.extractvalue %dx[1] : !llvm.struct<...>
      ...
      cf.assert %set, "f: argument 0 is a null pointer"
      cf.assert %aligned, "f: argument 0 is not aligned to its elements of 4 bytes"
      ...
      cf.assert %apart, "f: argument 1, which is written, overlaps argument 0 and is not the same buffer"
      ...
    }
    ```

    Arguments are numbered as in the call, outputs last. The descriptor is read
    through the LLVM dialect, because memref ops fold what the type promises. Run it
    after bufferization; norm-lower-asserts makes messages visible.

    Limits: a strided buffer owns everything from its first byte to its last, so two
    buffers with alternating rows are rejected. A call inside of the function counts
    as reading and writing its arguments. Within one loop an output in the place of an
    input is trusted. Extents of different arguments are not compared
    (generate-runtime-verification does that, on norm ops).
  }];
  let dependentDialects = ["arith::ArithDialect", "cf::ControlFlowDialect",
                           "LLVM::LLVMDialect"];
}

def NormFlattenGlobals : Pass<"norm-flatten-globals", "ModuleOp"> {
  let summary = "Give each constant of several dimensions one flat array";
  let description = [{
    finalize-memref-to-llvm makes arrays of arrays of a constant, and LLVM then keeps a
    constant per innermost array: for a convolution's weights one per three floats,
    which take seconds to make, to print and to emit. Pointers are opaque, so that the
    addresses computed from a global do not depend on its type.

    Example:

    ```mlir
    llvm.mlir.global private constant @weights(dense_resource<w> :
      tensor<64x3x3xf32>) : !llvm.array<64 x array<3 x array<3 x f32>>>
    ```

    becomes

    ```mlir
    llvm.mlir.global private constant @weights(dense_resource<w> : tensor<576xf32>)
      : !llvm.array<576 x f32>
    ```

    Limits: dense integers, indices and floats; complex numbers stay structs in nested
    arrays.
  }];
  let dependentDialects = ["LLVM::LLVMDialect"];
}

def NormLowerAsserts : Pass<"norm-lower-asserts", "ModuleOp"> {
  let summary = "Lower cf.assert to a line on standard error and abort";
  let description = [{
    convert-cf-to-llvm prints the message of a failed `cf.assert` with `puts`. If
    standard output is a pipe or a file, the message stays in a buffer that `abort`
    discards. This pass writes it to standard error, which has no buffer.

    Example:

    ```mlir
    cf.assert %holds, "f: argument 0 is a null pointer"
    ```

    becomes

    ```mlir
      cf.cond_br %holds, ^bb1, ^bb2
    ^bb1: ...
    ^bb2:
      %text = llvm.mlir.addressof @norm_assert_message : !llvm.ptr
      %0 = llvm.call @write(%c2, %text, %c36) : (i32, !llvm.ptr, i64) -> i64
      llvm.call @abort() : () -> ()
      llvm.unreachable
    ```

    Limits: run it after convert-scf-to-cf; it rewrites functions and needs POSIX's
    `write`.
  }];
  let dependentDialects = ["cf::ControlFlowDialect", "LLVM::LLVMDialect"];
}

def NormCallLibm : Pass<"norm-call-libm", "ModuleOp"> {
  let summary = "Lower math.expm1 and math.log1p to calls of libm";
  let description = [{
    Upstream's convert-math-to-llvm expands `math.expm1` to exp(x) - 1 and
    `math.log1p` to log(1 + x), which are 0 for x = 1e-10, where both functions are
    1e-10. Its option `approximate-log1p=false` leaves the second alone, but the first
    has no option, and convert-math-to-libm before it would also call libm for
    `math.sqrt`. This pass applies upstream's patterns of convert-math-to-libm to
    these two. norm-expand-vector-math has expanded vectors of f32 before, so scalars
    and f64 remain.

    Example:

    ```mlir
    %1 = math.expm1 %0 : f64
    ```

    becomes

    ```mlir
    %1 = call @expm1(%0) : (f64) -> f64
    ```

    Vectors are scalarized; f16 and bf16 are computed in f32.
  }];
  let dependentDialects = ["arith::ArithDialect", "func::FuncDialect",
                           "vector::VectorDialect"];
}

def NormExpandArith : Pass<"norm-expand-arith"> {
  let summary = "Expand arith ops as arith-expand, but no maxima and minima";
  let description = [{
    Upstream's arith-expand expands divisions that round up or down to what LLVM has.
    It also expands `arith.maximumf` to a comparison and a selection, by which the
    maximum of -0 and +0 is whichever comes second; the op says +0. It has no option
    to leave it out, so
    this pass applies upstream's patterns for the others. LLVM's own code for
    `llvm.maximum` and related functions is correct on every target.

    Example:

    ```mlir
    %1 = arith.ceildivsi %a, %b : i64
    %2 = arith.maximumf %c, %d : f32
    ```

    The first becomes a division, comparisons and selections; the second stays.

    Limits: a rounding mode other than to nearest even is rejected, because no
    conversion to LLVM sets one (LLVM's constrained intrinsics only name it).
  }];
  let dependentDialects = ["arith::ArithDialect", "vector::VectorDialect"];
}

#endif // NORM_TRANSFORMS_PASSES
