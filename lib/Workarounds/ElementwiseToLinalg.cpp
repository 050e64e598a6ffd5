//===- ElementwiseToLinalg.cpp - arithmetic on tensors, unfolded ----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: convert-elementwise-to-linalg folds first, and arith's
// folders make constants of open extents; goes when they look at the shape.

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "norm/Workarounds/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMELEMENTWISETOLINALG
#include "norm/Workarounds/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

namespace {
struct NormElementwiseToLinalg
    : norm::impl::NormElementwiseToLinalgBase<NormElementwiseToLinalg> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseToLinalgConversionPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
