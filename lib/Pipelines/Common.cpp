//===- Common.cpp - stages that every pipeline shares ---------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "norm/Buffers/Passes.h"
#include "norm/Conversion/NormToLinalg/Passes.h"
#include "norm/Distributed/Passes.h"
#include "norm/Floats/Passes.h"
#include "norm/Normalize/Passes.h"
#include "norm/Pipelines/Pipelines.h"
#include "norm/Recognition/Passes.h"
#include "norm/TMTensor/Passes.h"
#include "norm/Workarounds/Passes.h"

using namespace mlir;
using namespace mlir::norm;

// Upstream: LLVM 22.1: canonicalization makes one rounding of two; goes when it
// merges a cast from an integer only with one that is exact.
std::unique_ptr<Pass> norm::createExactCanonicalizer() {
  GreedyRewriteConfig config;
  config.setUseTopDownTraversal();
  return createCanonicalizerPass(
      config, {"(anonymous namespace)::TruncFSIToFPToSIToFP",
               "(anonymous namespace)::TruncFUIToFPToUIToFP"});
}

void norm::buildFrontEndLowering(OpPassManager &pm) {
  pm.addPass(createNormLowerTMTensor());
  OpPassManager &func = pm.nest<func::FuncOp>();
  func.addPass(createTosaToSCFPass());
  func.addPass(tosa::createTosaToLinalgNamed());
  func.addPass(tosa::createTosaToLinalg());
  TosaToArithPassOptions arith;
  arith.includeApplyRescale = true;
  func.addPass(createTosaToArithPass(arith));
  func.addPass(createTosaToTensorPass());
}

void norm::buildRecognition(OpPassManager &pm, Rounding rounding) {
  buildFrontEndLowering(pm);
  // Arithmetic on tensors has no other bufferization.
  pm.addPass(createNormLowerTensorOps());
  // Before the first CSE.
  pm.addPass(createNormNestedIndicesToLoops());
  NormRecognizeOptions options;
  options.rounding = rounding;
  pm.addPass(createNormRecognize(options));
}

void norm::buildDecomposition(OpPassManager &pm, Products products) {
  NormToLinalgOptions decompose;
  decompose.allAggregated = true;
  pm.addPass(createNormToLinalg(decompose));
  pm.addPass(createLinalgGeneralizeNamedOpsPass());
  NormExpandArithOptions early;
  early.scalingOnly = true;
  pm.addPass(createNormExpandArith(early));
  pm.nest<func::FuncOp>().addPass(createNormSplitJoinedRows());
  // Front ends keep reduced dims as extent 1, which tiling cannot write.
  pm.addPass(createLinalgFoldUnitExtentDimsPass());
  NormFuseElementwiseOptions fusion;
  fusion.products = products;
  pm.addPass(createNormFuseElementwise(fusion));
  // Fusion has moved reshapes out of the way of slices.
  pm.nest<func::FuncOp>().addPass(createNormSplitJoinedRows());
  pm.addPass(createNormFuseElementwise(fusion));
  pm.addPass(createCSEPass());
}

void norm::buildCallingConvention(OpPassManager &pm) {
  pm.addPass(createNormStoreWholeBytes());
  pm.addPass(createNormSeparateDestinations({/*carried=*/true}));
  // Before tiling, while each result is one op away from its destination.
  pm.addPass(createNormResultsToOutParams());
}

void norm::buildTensorsToBuffers(OpPassManager &pm) {
  pm.addPass(createNormSeparateDestinations());
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  // A program's loop may carry a tensor that each iteration allocates.
  options.allowReturnAllocsFromLoops = true;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  // tensor.generate has become linalg.map.
  pm.addPass(createNormNestedIndicesToLoops());
  OpPassManager &func = pm.nest<func::FuncOp>();
  // Equal views are one, and copies of a row to itself are gone.
  func.addPass(createCSEPass());
  func.addPass(createExactCanonicalizer());
}

void norm::buildDeallocation(OpPassManager &pm) {
  // Upstream's buildBufferDeallocationPipeline, which canonicalizes three
  // times and merges equal ops.
  pm.addPass(memref::createExpandReallocPass({/*emitDeallocs=*/false}));
  pm.addPass(bufferization::createOwnershipBasedBufferDeallocationPass());
  // Upstream: LLVM 22.1: the simplification below keeps constants that its
  // driver merges, such as an argument of a call; goes when it does not.
  pm.addPass(createCSEPass());
  pm.addPass(bufferization::createBufferDeallocationSimplificationPass());
  pm.addPass(bufferization::createLowerDeallocationsPass());
  pm.addPass(createExactCanonicalizer());
  pm.addPass(createConvertBufferizationToMemRefPass());
  pm.nest<func::FuncOp>().addPass(
      bufferization::createOptimizeAllocationLivenessPass());
  pm.addPass(createNormFinishBuffers());
  pm.addPass(memref::createFoldMemRefAliasOpsPass());
}

void norm::buildScalarLowering(OpPassManager &pm,
                               const NormNarrowFloatsToIntegersOptions &narrow,
                               const NormExpandVectorMathOptions &vectorMath) {
  pm.addPass(createNormExpandArith());
  pm.addPass(createConvertComplexToStandardPass());
  // First, so that what one op becomes is rounded once.
  pm.addPass(createNormWidenNarrowFloats());
  // x*x for fpowi(x, 2), and rsqrt as 1/sqrt: exact where libm is not.
  pm.addPass(
      math::createMathExpandOpsPass({/*opMnemonics=*/{"rsqrt", "fpowi"}}));
  pm.addPass(createNormNarrowFloatsToIntegers(narrow));
  pm.addPass(createNormExpandVectorMath(vectorMath));
}

void norm::buildCleanup(OpPassManager &pm) {
  pm.addPass(createExactCanonicalizer());
  pm.addPass(createCSEPass());
}

void norm::buildComputationToLLVM(OpPassManager &pm) {
  // Functions of C are called from here on.
  pm.addPass(createNormPrepareLLVM());
  // Makes affine.apply of offsets and strides.
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertComplexToLLVMPass());
  ConvertVectorToLLVMPassOptions vectors;
  // What norm-vectorize-products makes.
  vectors.x86Vector = true;
  vectors.amx = true;
  pm.addPass(createConvertVectorToLLVMPass(vectors));
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  // Vectors of rank 2 are built from ub.poison, row by row.
  pm.addPass(createUBToLLVMConversionPass());
}

void norm::buildMemoryToLLVM(OpPassManager &pm) {
  pm.addPass(createNormConvertMPIToLLVM());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  // Converts cf and func as well.
  pm.addPass(createConvertOpenMPToLLVMPass());
  pm.addPass(createNormFinishLLVM());
  buildCleanup(pm);
  pm.addPass(createReconcileUnrealizedCastsPass());
}
