//===- WidenAllReduces.cpp - MPI adds no 16-bit floats --------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conversion of mpi.allreduce chooses a datatype by its width, so that
// bf16 and f16 would be added as integers of 16 bits.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "norm/Distributed/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMWIDENALLREDUCES
#include "norm/Distributed/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using shard::AllReduceOp;

/// Returns true for what MPI has a datatype of.
static bool isReducible(Type type) {
  return type.isF32() || type.isF64() || type.isInteger(8) ||
         type.isInteger(16) || type.isInteger(32) || type.isInteger(64);
}

static Value convert(OpBuilder &b, Location loc, Value value, Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  unsigned from = type.getElementTypeBitWidth(),
           to = element.getIntOrFloatBitWidth();
  if (type.getElementType() == element)
    return value;
  if (from < to)
    return arith::ExtFOp::create(b, loc, type.clone(element), value);
  return arith::TruncFOp::create(b, loc, type.clone(element), value);
}

/// Adds in f32 what is narrower, and rounds the sum once.
static LogicalResult widen(RewriterBase &b, AllReduceOp op) {
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  Type from = getElementTypeOrSelf(op.getInput()),
       to = getElementTypeOrSelf(op.getResult());
  if (isReducible(to) && from == to)
    return success();
  if (!input || !isa<FloatType>(from) || !isa<FloatType>(to) ||
      std::max(from.getIntOrFloatBitWidth(), to.getIntOrFloatBitWidth()) > 64)
    return op.emitOpError("has elements of type ")
           << to << ", for which MPI has no datatype";
  Type wide =
      from.isF64() || to.isF64() ? Type(b.getF64Type()) : Type(b.getF32Type());
  b.setInsertionPoint(op);
  Value value = convert(b, op.getLoc(), op.getInput(), wide);
  auto sum = AllReduceOp::create(b, op.getLoc(), TypeRange(value.getType()),
                                 value, op->getAttrs());
  b.replaceOp(op, convert(b, op.getLoc(), sum.getResult(), to));
  return success();
}

namespace {
struct NormWidenAllReduces
    : norm::impl::NormWidenAllReducesBase<NormWidenAllReduces> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    WalkResult widened = getOperation().walk(
        [&](AllReduceOp op) { return WalkResult(widen(rewriter, op)); });
    if (widened.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
