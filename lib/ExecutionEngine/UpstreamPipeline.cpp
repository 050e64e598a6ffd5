//===- UpstreamPipeline.cpp - what upstream alone makes of a program ------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The comparison that norm-run and norm-bench offer: the passes of upstream's
// own linalg-on-CPU tests, one linalg op after the other as loops.
//
//===----------------------------------------------------------------------===//

#include "norm/ExecutionEngine/UpstreamPipeline.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/Transforms/RequestCWrappers.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "norm/Conversion/NormToLinalg/Passes.h"
#include "norm/Pipelines/Pipelines.h"
#include "norm/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::norm;

void norm::buildUpstreamPipeline(OpPassManager &pm) {
  buildTosaLowering(pm);
  pm.addPass(createNormNestedIndicesToLoops());
  // So that programs with norm ops can be compared too.
  pm.addPass(createNormToLinalg());
  pm.addPass(createNormResultsToOutParams());
  pm.nest<func::FuncOp>().addPass(createNormCarryInPlace());
  pm.addPass(createNormSeparateDestinations());
  pm.nest<func::FuncOp>().addPass(createNormSeparateResults());
  buildBufferization(pm);
  pm.addPass(createConvertLinalgToLoopsPass());
  buildScalarLowering(pm);
  buildConvertToLLVM(pm);
}
