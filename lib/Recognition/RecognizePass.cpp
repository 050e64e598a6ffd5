//===- RecognizePass.cpp - apply recognition to a program -----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "norm/Recognition/Passes.h"
#include "norm/Recognition/RMSNormMatch.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMRECOGNIZE
#include "norm/Recognition/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using namespace mlir::norm;

static remark::RemarkOpts getRemarkOptions() {
  return remark::RemarkOpts::name("RMSNorm").category("norm-recognize");
}

static std::string describe(const RMSNormMatch &match) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "found RMSNorm over dims [";
  llvm::interleaveComma(match.dims, os);
  SmallString<16> epsilon;
  match.epsilon.toString(epsilon, 6, 3);
  os << "], epsilon " << epsilon << ' ' << stringifyEpsilonMode(match.mode)
     << " the root, statistics in " << match.computeType;
  if (match.count)
    os << ", of the first " << *match.count << " elements";
  if (!match.weight && !match.weightExpr)
    os << ", no weight";
  else if (match.weightDims.empty())
    os << ", scalar weight";
  if (match.scaleType)
    os << ", reciprocal root rounded to " << match.scaleType;
  if (match.normalizedType)
    os << ", rounded to " << match.normalizedType << " before the weight";
  return text;
}

/// Replaces `result` by the op that `match` describes.
static void apply(IRRewriter &rewriter, OpResult result,
                  const RMSNormMatch &match) {
  rewriter.setInsertionPoint(result.getOwner());
  Location loc = result.getLoc();
  auto type = cast<RankedTensorType>(result.getType());
  auto typeAttr = [](FloatType t) { return t ? TypeAttr::get(t) : TypeAttr(); };
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, match.input);
  Value init =
      tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
  if (init.getType() != type)
    init = tensor::CastOp::create(rewriter, loc, type, init);

  Value weight = match.weight;
  if (match.weightExpr)
    weight = materialize(rewriter, loc, match.weightExpr, match.weightDims,
                         match.input);
  auto input = cast<FloatType>(getElementTypeOrSelf(match.input.getType()));
  FloatType usual =
      input.getWidth() == 16 ? cast<FloatType>(rewriter.getF32Type()) : input;
  bool usualWeight = !weight || match.weightDims == match.dims;
  auto op = RMSNormOp::create(
      rewriter, loc, TypeRange(type), match.input, weight, init,
      /*inv_rms_init=*/Value(), rewriter.getDenseI64ArrayAttr(match.dims),
      FloatAttr::get(match.computeType, match.epsilon),
      EpsilonModeAttr::get(rewriter.getContext(), match.mode),
      match.computeType == usual ? TypeAttr() : typeAttr(match.computeType),
      typeAttr(match.scaleType), typeAttr(match.normalizedType),
      usualWeight ? DenseI64ArrayAttr()
                  : rewriter.getDenseI64ArrayAttr(match.weightDims),
      match.count ? rewriter.getI64IntegerAttr(*match.count) : IntegerAttr());
  rewriter.replaceAllUsesWith(result, op.getResult(0));
}

/// Erases `op` and then the producers that only it used.
static void eraseDead(IRRewriter &rewriter, Operation *op) {
  SmallVector<Operation *> worklist{op};
  while (!worklist.empty()) {
    Operation *next = worklist.pop_back_val();
    if (!isOpTriviallyDead(next))
      continue;
    SmallVector<Operation *> producers;
    for (Value operand : next->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        if (!llvm::is_contained(producers, producer))
          producers.push_back(producer);
    // Shared producers may be queued twice: drop what is erased now.
    llvm::erase(worklist, next);
    rewriter.eraseOp(next);
    for (Operation *producer : producers)
      if (!llvm::is_contained(worklist, producer))
        worklist.push_back(producer);
  }
}

namespace {
struct NormRecognize : norm::impl::NormRecognizeBase<NormRecognize> {
  using NormRecognizeBase::NormRecognizeBase;

  void runOnOperation() override {
    std::optional<Rounding> mode =
        llvm::StringSwitch<std::optional<Rounding>>(rounding)
            .Case("default", Rounding::Default)
            .Case("exact", Rounding::Exact)
            .Case("relaxed", Rounding::Relaxed)
            .Default(std::nullopt);
    if (!mode) {
      getOperation()->emitError("norm-recognize: rounding must be default, "
                                "exact or relaxed, got '")
          << rounding << "'";
      return signalPassFailure();
    }
    // From the last op to the first, so that a norm is seen with its weight
    // before its unweighted part is. Ops that died are out of the list.
    refusedParts.clear();
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    Erasures erased;
    rewriter.setListener(&erased);
    for (linalg::LinalgOp op : llvm::reverse(ops))
      if (!erased.ops.contains(op))
        recognize(rewriter, op, *mode);
  }

private:
  llvm::DenseSet<Value> refusedParts;

  struct Erasures : RewriterBase::Listener {
    void notifyOperationErased(Operation *op) override { ops.insert(op); }
    llvm::DenseSet<Operation *> ops;
  };

  void recognize(IRRewriter &rewriter, linalg::LinalgOp op, Rounding mode) {
    if (!op.hasPureTensorSemantics() || op.getNumReductionLoops() > 0)
      return;
    for (OpResult result : op->getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (!type || !isa<FloatType>(type.getElementType()) || result.use_empty())
        continue;
      if (refusedParts.contains(result))
        continue;
      ExprReader reader(result);
      const Expr *expr = reader.readRoot();
      if (!expr)
        continue;
      Decision decision = decideRMSNorm(expr, type, reader, mode);
      if (decision.match) {
        remark::passed(op.getLoc(), getRemarkOptions())
            << describe(*decision.match);
        apply(rewriter, result, *decision.match);
      } else if (decision.refusal != Refusal::NotACandidate) {
        refusedParts.insert_range(decision.refusedParts);
        remark::missed(op.getLoc(), getRemarkOptions())
            << ("not an RMSNorm (" + stringifyRefusal(decision.refusal) +
                "): " + decision.explanation)
                   .str();
      }
    }
    eraseDead(rewriter, op);
  }
};
} // namespace
