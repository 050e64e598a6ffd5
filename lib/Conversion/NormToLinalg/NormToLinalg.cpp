//===- NormToLinalg.cpp - norm ops to linalg.generic ----------------------===//
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
#include "mlir/IR/PatternMatch.h"
#include "norm/Conversion/NormToLinalg/Passes.h"
#include "norm/IR/Norm.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMTOLINALG
#include "norm/Conversion/NormToLinalg/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using namespace mlir::norm;

namespace {
struct NormToLinalg : norm::impl::NormToLinalgBase<NormToLinalg> {
  using NormToLinalgBase::NormToLinalgBase;

  /// Returns true for a norm op and, if asked for, for other ops on tensors.
  bool isWanted(Operation *op) {
    return isa<NormDialect>(op->getDialect()) ||
           (allAggregated &&
            llvm::all_of(op->getOperandTypes(), llvm::IsaPred<TensorType>));
  }

  void runOnOperation() override {
    SmallVector<linalg::AggregatedOpInterface> ops;
    getOperation()->walk([&](linalg::AggregatedOpInterface op) {
      if (isWanted(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::AggregatedOpInterface op : ops) {
      rewriter.setInsertionPoint(op);
      FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
      if (succeeded(results)) // this always holds for norm ops
        rewriter.replaceOp(op, *results);
    }
  }
};
} // namespace
