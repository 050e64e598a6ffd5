//===- MPIPipeline.cpp - norm-to-mpi --------------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/ShardToMPI/ShardToMPI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Shard/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "norm/Buffers/Passes.h"
#include "norm/Conversion/NormToLinalg/Passes.h"
#include "norm/Distributed/Passes.h"
#include "norm/Pipelines/Pipelines.h"

using namespace mlir;
using namespace mlir::norm;

void norm::buildNormToMPIPipeline(OpPassManager &pm,
                                  const MPIPipelineOptions &options) {
  pm.addPass(createNormImportShardings());
  NormVerifyShardingsOptions verify;
  verify.ranks = options.ranks;
  pm.addPass(createNormVerifyShardings(verify));
  buildRecognition(pm, options.rounding);
  // One empty tensor of all ops has the sharding of one of them.
  pm.addPass(createNormSeparateDestinations());
  OpPassManager &func = pm.nest<func::FuncOp>();
  func.addPass(shard::createShardingPropagation());
  pm.addPass(createNormVerifyShardings());
  pm.addNestedPass<func::FuncOp>(createNormPreparePartition());
  pm.addPass(createNormRecordShardings());
  OpPassManager &parts = pm.nest<func::FuncOp>();
  parts.addPass(shard::createPartition());
  buildCleanup(parts);
  if (options.sumParts > 0) {
    pm.addPass(createNormToLinalg());
    NormSplitSumsOptions sums;
    sums.parts = options.sumParts;
    pm.addNestedPass<func::FuncOp>(createNormSplitSums(sums));
  }
  pm.addNestedPass<func::FuncOp>(createNormExpandCollectives());
  pm.addNestedPass<func::FuncOp>(createNormWidenAllReduces());
  pm.addNestedPass<func::FuncOp>(createNormMergeAllReduces());
  pm.addPass(createConvertShardToMPIPass());
  NormMakeCommunicatorsOnceOptions communicators;
  communicators.implementation = options.implementation;
  pm.addPass(createNormMakeCommunicatorsOnce(communicators));
  pm.addPass(createExactCanonicalizer());
  pm.addPass(createSymbolDCEPass());
}

void norm::registerMPIPipeline() {
  PassPipelineRegistration<MPIPipelineOptions>(
      "norm-to-mpi",
      "Functions on sharded tensors to those of one rank, with MPI calls",
      buildNormToMPIPipeline);
}
