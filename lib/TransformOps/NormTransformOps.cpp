//===- NormTransformOps.cpp - transform.norm.* ----------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/TransformOps/NormTransformOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"
#include "norm/IR/Norm.h"
#include "norm/Recognition/Recognize.h"

#define GET_OP_CLASSES
#include "norm/TransformOps/NormTransformOps.cpp.inc"

using namespace mlir;
using namespace mlir::norm;

//===----------------------------------------------------------------------===//
// transform.norm.recognize
//===----------------------------------------------------------------------===//

LogicalResult RecognizeTransformOp::verify() {
  if (!symbolizeRounding(getRounding()))
    return emitOpError("rounding must be default, exact or relaxed, got '")
           << getRounding() << "'";
  return success();
}

void RecognizeTransformOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::consumesHandle(getTargetMutable(), effects);
  transform::producesHandle(getOperation()->getOpResults(), effects);
  transform::modifiesPayload(effects);
}

/// Collects the norms of `target`, which may be nested in another target.
static void collectNorms(Operation *target,
                         llvm::SetVector<Operation *> &norms) {
  target->walk([&](RMSNormOpInterface norm) { norms.insert(norm); });
}

static DiagnosedSilenceableFailure
emitNothingFound(RecognizeTransformOp op, ArrayRef<RejectedNorm> rejected) {
  auto failure = op.emitSilenceableError() << "no RMSNorm in the targets";
  for (const RejectedNorm &each : rejected)
    failure.attachNote(each.loc)
        << "not an RMSNorm (" << stringifyRejectionReason(each.reason)
        << "): " << each.explanation;
  return failure;
}

DiagnosedSilenceableFailure
RecognizeTransformOp::apply(transform::TransformRewriter &,
                            transform::TransformResults &results,
                            transform::TransformState &state) {
  auto targets = llvm::to_vector(state.getPayloadOps(getTarget()));
  for (Operation *target : targets)
    if (!target->hasTrait<OpTrait::IsIsolatedFromAbove>())
      return emitSilenceableError()
             << "expects targets that are isolated from above, such as "
                "modules and functions, got '"
             << target->getName() << "'";
  llvm::SetVector<Operation *> norms;
  SmallVector<RejectedNorm> rejected;
  for (Operation *target : targets) {
    Recognition found =
        recognizeRMSNorms(target, *symbolizeRounding(getRounding()));
    llvm::append_range(rejected, found.rejected);
    collectNorms(target, norms);
  }
  if (norms.empty() && getRequired())
    return emitNothingFound(*this, rejected);
  results.set(getOperation()->getResult(0), targets);
  results.set(getOperation()->getResult(1), norms.getArrayRef());
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// transform.norm.decompose
//===----------------------------------------------------------------------===//

void DecomposeTransformOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::consumesHandle(getTargetMutable(), effects);
  transform::producesHandle(getOperation()->getOpResults(), effects);
  transform::modifiesPayload(effects);
}

namespace {
/// Records the linalg ops that a decomposition creates.
struct GenericCollector : OpBuilder::Listener {
  GenericCollector(OpBuilder::Listener *next, SmallVector<Operation *> &made)
      : next(next), made(made) {}
  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override {
    if (isa<linalg::GenericOp>(op))
      made.push_back(op);
    if (next)
      next->notifyOperationInserted(op, previous);
  }
  OpBuilder::Listener *next;
  SmallVector<Operation *> &made;
};
} // namespace

DiagnosedSilenceableFailure
DecomposeTransformOp::apply(transform::TransformRewriter &rewriter,
                            transform::TransformResults &results,
                            transform::TransformState &state) {
  auto targets = llvm::to_vector(state.getPayloadOps(getTarget()));
  for (Operation *target : targets)
    if (!isa<RMSNormOpInterface>(target))
      return emitSilenceableError()
             << "expects norm ops, got '" << target->getName() << "'";
  SmallVector<Operation *> generics;
  GenericCollector collector(rewriter.getListener(), generics);
  for (Operation *target : targets) {
    OpBuilder builder(target, &collector);
    auto values =
        cast<linalg::AggregatedOpInterface>(target).decomposeOperation(builder);
    assert(succeeded(values) && "every norm that verifies decomposes");
    rewriter.replaceOp(target, *values);
  }
  results.set(getOperation()->getResult(0), generics);
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// The extension
//===----------------------------------------------------------------------===//

namespace {
class NormTransformDialectExtension
    : public transform::TransformDialectExtension<
          NormTransformDialectExtension> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NormTransformDialectExtension)
  using Base::Base;

  void init() {
    declareDependentDialect<NormDialect>();
    declareGeneratedDialect<NormDialect>();
    declareGeneratedDialect<arith::ArithDialect>();
    declareGeneratedDialect<linalg::LinalgDialect>();
    declareGeneratedDialect<math::MathDialect>();
    declareGeneratedDialect<memref::MemRefDialect>();
    declareGeneratedDialect<tensor::TensorDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "norm/TransformOps/NormTransformOps.cpp.inc"
        >();
  }
};
} // namespace

void norm::registerTransformDialectExtension(DialectRegistry &registry) {
  registerRecognitionDependencies(registry);
  registry.addExtensions<NormTransformDialectExtension>();
}
