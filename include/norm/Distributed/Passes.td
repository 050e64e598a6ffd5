//===- Passes.td - passes of Distributed -------------------*- tablegen -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_DISTRIBUTED_PASSES
#define NORM_DISTRIBUTED_PASSES

include "mlir/Pass/PassBase.td"

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
  let summary = "Reject shardings that the partition would take wrongly";
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
  let summary = "Make shardings such that shard-partition is right, or reject them";
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
    A collective of a few bytes per row costs its latency. This pass lays the operands of
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


#endif // NORM_DISTRIBUTED_PASSES
