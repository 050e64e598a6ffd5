//===- CPUPipeline.cpp - norm-to-cpu ----------------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "norm/Buffers/Passes.h"
#include "norm/Floats/Passes.h"
#include "norm/Normalize/Passes.h"
#include "norm/Pipelines/Pipelines.h"
#include "norm/Products/Passes.h"
#include "norm/Rows/Passes.h"
#include "norm/Target/CPU/Passes.h"
#include "norm/Target/CPU/X86/Passes.h"
#include "norm/Workarounds/Passes.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace mlir::norm;

static llvm::Triple getTriple(const CPUPipelineOptions &options) {
  return llvm::Triple(options.triple.empty()
                          ? llvm::sys::getDefaultTargetTriple()
                          : options.triple.getValue());
}

/// x86's vcvtneps2bf16 takes subnormals for zeros whatever MXCSR says, so it
/// never rounds here; with a guard it is slower than integers.
static bool roundsInHardware(const CPUPipelineOptions &options) {
  return options.bf16Rounding && !getTriple(options).isX86();
}

/// All that comes before rows.
static void buildPreparation(OpPassManager &pm,
                             const CPUPipelineOptions &options) {
  buildCallingConvention(pm);
  OpPassManager &func = pm.nest<func::FuncOp>();
  func.addPass(createNormNormalizeLoops());
  NormTileProductsOptions products;
  products.products = options.products;
  products.threads = options.threads;
  products.kinds = options.productKinds;
  // The instructions for bf16 lose subnormals.
  if (options.rounding == Rounding::Exact &&
      products.kinds != ProductKinds::Elements)
    products.kinds = ProductKinds::Halves;
  func.addPass(createNormTileProducts(products));
}

/// Puts rows into loops, on tensors.
static void buildRowCodegen(OpPassManager &pm,
                            const CPUPipelineOptions &options) {
  buildPreparation(pm, options);
  OpPassManager &func = pm.nest<func::FuncOp>();
  func.addPass(createNormFormRows());
  NormTileRowsOptions tiling;
  tiling.parallel = options.threads > 1;
  func.addPass(createNormTileRows(tiling));
  buildCleanup(func);
}

static void buildBufferizedRows(OpPassManager &pm,
                                const CPUPipelineOptions &options) {
  buildTensorsToBuffers(pm);
  // Strided copies are loops, too.
  pm.addPass(createNormFinishBuffers());
  // Equal loops are one from here on, and temporaries of a loop are freed in
  // its function.
  NormOutlineLoopsOptions outline;
  outline.minLoops = options.minLoops;
  pm.addPass(createNormOutlineLoops(outline));
  pm.nest<func::FuncOp>().addPass(createNormVectorizeProducts());
  NormStreamRowsOptions streams;
  streams.cacheBytes = options.cacheBytes;
  pm.addPass(createNormStreamRows(streams));
}

/// Places and frees the temporaries of vectorized rows.
static void buildTemporaries(OpPassManager &pm,
                             const CPUPipelineOptions &options) {
  OpPassManager &func = pm.nest<func::FuncOp>();
  func.addPass(createLoopInvariantCodeMotionPass());
  pm.addPass(memref::createFoldMemRefAliasOpsPass());
  // The temporaries of a row serve all rows.
  pm.nest<func::FuncOp>().addPass(
      bufferization::createBufferLoopHoistingPass());
  buildDeallocation(pm);
  if (options.verifyBuffers)
    pm.addPass(createNormVerifyBuffers());
}

/// Bufferizes rows, which then become vectors: Stage::Vector.
static void buildBuffers(OpPassManager &pm, const CPUPipelineOptions &options) {
  buildBufferizedRows(pm, options);
  pm.nest<func::FuncOp>().addPass(createNormVectorizeRows());
  buildTemporaries(pm, options);
}

/// Loops that threads share.
static void buildMemoryPolicy(OpPassManager &pm,
                              const CPUPipelineOptions &options) {
  pm.nest<func::FuncOp>().addPass(createLoopInvariantCodeMotionPass());
  if (options.threads > 1) {
    NormSerializeLoopsOptions serial;
    serial.grain = options.grain;
    pm.nest<func::FuncOp>().addPass(createNormSerializeLoops(serial));
  }
}

/// Loops and vectors on buffers to the LLVM dialect.
static void buildToLLVM(OpPassManager &pm, const CPUPipelineOptions &options) {
  OpPassManager &func = pm.nest<func::FuncOp>();
  func.addPass(createConvertLinalgToLoopsPass());
  func.addPass(createForallToParallelLoopPass());
  if (options.threads > 1) {
    ConvertSCFToOpenMPPassOptions openmp;
    openmp.numThreads = options.threads;
    pm.addPass(createConvertSCFToOpenMPPass(openmp));
  }
  NormFinishLoopsOptions finish;
  finish.sfence = getTriple(options).isX86();
  pm.nest<func::FuncOp>().addPass(createNormFinishLoops(finish));
  buildScalarLowering(pm, {roundsInHardware(options)}, {options.fma});
  pm.addPass(createExactCanonicalizer());
  if (getTriple(options).isX86()) {
    NormUseX86InstructionsOptions x86;
    x86.dotProducts = options.dotProducts;
    x86.f16Vectors = options.f16Vectors;
    pm.addPass(createNormUseX86Instructions(x86));
  }
  pm.addPass(createConvertVectorToSCFPass());
  buildConvertToLLVM(pm);
}

void norm::buildVectorToCPUPipeline(OpPassManager &pm,
                                    const CPUPipelineOptions &options) {
  buildMemoryPolicy(pm, options);
  buildToLLVM(pm, options);
}

void norm::buildNormToCPUPipeline(OpPassManager &pm,
                                  const CPUPipelineOptions &options,
                                  Stage upTo) {
  buildRecognition(pm, options.rounding);
  if (upTo == Stage::Norm)
    return;
  buildDecomposition(pm, options.products);
  if (upTo == Stage::Linalg)
    return;
  buildRowCodegen(pm, options);
  buildBuffers(pm, options);
  if (upTo == Stage::Vector)
    return;
  buildMemoryPolicy(pm, options);
  if (upTo == Stage::Memory)
    return;
  buildToLLVM(pm, options);
}

void norm::registerCPUPipeline() {
  using Registration = PassPipelineRegistration<CPUPipelineOptions>;
  Registration(
      "norm-to-cpu",
      "Functions on tensors to fused, vectorized CPU code in the LLVM dialect",
      [](OpPassManager &pm, const CPUPipelineOptions &options) {
        buildNormToCPUPipeline(pm, options);
      });
  // Its stages, in order.
  Registration(
      "norm-recognition",
      "The first stage of norm-to-cpu: recognition, after the lowering "
      "of front ends' dialects (norm-compile --emit=norm)",
      [](OpPassManager &pm, const CPUPipelineOptions &options) {
        buildRecognition(pm, options.rounding);
      });
  Registration("norm-decomposition",
               "The second stage: norm ops to fused linalg (norm-compile "
               "--emit=linalg)",
               [](OpPassManager &pm, const CPUPipelineOptions &options) {
                 buildDecomposition(pm, options.products);
               });
  Registration("norm-rows-on-tensors", "The third stage: rows in loops",
               buildRowCodegen);
  Registration("norm-rows-on-buffers",
               "The fourth stage: bufferization, and rows as vectors "
               "(norm-compile --emit=vector)",
               buildBuffers);
  // What comes around the stages that are transform ops.
  Registration("norm-prepare-rows",
               "norm-rows-on-tensors before its rows are formed",
               buildPreparation);
  Registration("norm-bufferize-rows",
               "norm-rows-on-buffers before its rows become vectors",
               buildBufferizedRows);
  Registration("norm-place-temporaries",
               "norm-rows-on-buffers after its rows have become vectors",
               buildTemporaries);
  Registration("norm-vector-to-cpu",
               "The last stage: vectorized rows on buffers to the LLVM dialect",
               buildVectorToCPUPipeline);
}
