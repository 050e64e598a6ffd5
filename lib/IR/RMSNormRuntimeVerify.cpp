//===- RMSNormRuntimeVerify.cpp - run-time checks of norm.rmsnorm ---------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These checks are the rules on extents that the verifier cannot see.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/RuntimeVerifiableOpInterface.h"
#include "norm/IR/Norm.h"

using namespace mlir;
using namespace mlir::norm;

using MessageFn = function_ref<std::string(Operation *, StringRef)>;

namespace {
/// Emits the checks of one op.
class RuntimeChecks {
public:
  RuntimeChecks(OpBuilder &b, Location loc, Operation *op, MessageFn message)
      : b(b), loc(loc), op(cast<RMSNormOpInterface>(op)), message(message) {}

  /// Checks that each extent of `operands` equals that of its dimension of x.
  void checkExtents(MutableOperandRange operands, StringRef subject) {
    for (OpOperand &operand : operands)
      checkOperand(operand, subject);
  }

  void checkCount() {
    int64_t dim = op.getDims().front();
    if (!op.getCount() || !op.getInputType().isDynamicDim(dim))
      return;
    Value count = arith::ConstantIndexOp::create(b, loc, *op.getCount());
    check(arith::CmpIPredicate::sle, count, getExtent(op.getInput(), dim),
          "S7: count must be in [1, extent of x's dimension " + Twine(dim) +
              "]");
  }

private:
  Value getExtent(Value shaped, int64_t dim) {
    OpFoldResult extent = linalg::createFoldedDimOp(b, loc, shaped, dim);
    return getValueOrCreateConstantIndexOp(b, loc, extent);
  }

  void check(arith::CmpIPredicate predicate, Value lhs, Value rhs,
             const Twine &rule) {
    Value holds = arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
    cf::AssertOp::create(b, loc, holds, message(op, rule.str()));
  }

  void checkOperand(OpOperand &operand, StringRef subject) {
    auto type = cast<ShapedType>(operand.get().getType());
    ShapedType x = op.getInputType();
    for (auto [index, dim] : llvm::enumerate(op.getOperandDims(operand)))
      if (type.isDynamicDim(index) || x.isDynamicDim(dim))
        check(arith::CmpIPredicate::eq, getExtent(operand.get(), index),
              getExtent(op.getInput(), dim),
              subject + " dimension " + Twine(index) +
                  " must have the extent of x's dimension " + Twine(dim));
  }

  OpBuilder &b;
  Location loc;
  RMSNormOpInterface op;
  MessageFn message;
};

} // namespace

static void emitChecks(RuntimeChecks checks, RMSNormOp op) {
  checks.checkExtents(op.getWeightMutable(), "S5: weight");
  checks.checkExtents(op.getInitMutable(), "S6: result");
  checks.checkCount();
  checks.checkExtents(op.getInvRmsInitMutable(), "S8: inv_rms");
}

static void emitChecks(RuntimeChecks checks, RMSNormBackwardOp op) {
  checks.checkExtents(op.getDyMutable(), "B1: dy");
  checks.checkExtents(op.getDxInitMutable(), "B1: dx");
  checks.checkExtents(op.getWeightMutable(), "S5: weight");
  checks.checkExtents(op.getDwInitMutable(), "B5: dw");
  checks.checkCount();
  checks.checkExtents(op.getInvRmsMutable(), "B8: inv_rms");
  checks.checkExtents(op.getRmsMutable(), "B8: rms");
}

namespace {
template <typename OpTy>
struct RowChecks
    : RuntimeVerifiableOpInterface::ExternalModel<RowChecks<OpTy>, OpTy> {
  void generateRuntimeVerification(Operation *op, OpBuilder &b, Location loc,
                                   MessageFn message) const {
    emitChecks(RuntimeChecks(b, loc, op, message), cast<OpTy>(op));
  }
};
} // namespace

void norm::registerRuntimeVerifiableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, NormDialect *) {
    RMSNormOp::attachInterface<RowChecks<RMSNormOp>>(*context);
    RMSNormBackwardOp::attachInterface<RowChecks<RMSNormBackwardOp>>(*context);
    // The checks use this dialect, and a pass cannot load one when it runs.
    context->loadDialect<cf::ControlFlowDialect>();
  });
}
