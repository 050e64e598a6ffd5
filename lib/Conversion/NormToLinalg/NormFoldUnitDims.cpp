//===- NormFoldUnitDims.cpp - norm ops without extents of 1 ---------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "norm/Conversion/NormToLinalg/Passes.h"
#include "norm/IR/Transforms.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMFOLDUNITDIMS
#include "norm/Conversion/NormToLinalg/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using namespace mlir::norm;

namespace {
struct NormFoldUnitDims : norm::impl::NormFoldUnitDimsBase<NormFoldUnitDims> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateFoldUnitDimsPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
