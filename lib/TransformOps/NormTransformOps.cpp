//===- NormTransformOps.cpp - transform.norm.* ----------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/TransformOps/NormTransformOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "norm/IR/Norm.h"
#include "norm/Recognition/Recognize.h"
#include "norm/Rows/Rows.h"

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
  for (Operation *target : targets) {
    Operation *before = target->getPrevNode();
    rewriter.setInsertionPoint(target);
    auto values =
        cast<linalg::AggregatedOpInterface>(target).decomposeOperation(
            rewriter);
    assert(succeeded(values) && "every norm that verifies decomposes");
    auto first =
        before ? std::next(before->getIterator()) : target->getBlock()->begin();
    for (Operation &op : llvm::make_range(first, target->getIterator()))
      if (isa<linalg::GenericOp>(op))
        generics.push_back(&op);
    rewriter.replaceOp(target, *values);
  }
  results.set(getOperation()->getResult(0), generics);
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// Stages of functions: transform.norm.form, .tile, .emit
//===----------------------------------------------------------------------===//

static bool isOverRows(Operation *op) {
  return norm::getRole(op) == LoopRole::Rows;
}

/// Runs `stage` on the targets, which are the first result; a second one is the
/// loops over rows in them.
static DiagnosedSilenceableFailure
runStage(Operation *op, transform::TransformResults &results,
         transform::TransformState &state,
         function_ref<LogicalResult(func::FuncOp)> stage) {
  auto targets = llvm::to_vector(state.getPayloadOps(op->getOperand(0)));
  for (Operation *target : targets)
    if (!isa<func::FuncOp>(target))
      return emitSilenceableFailure(op, "expects functions, got '")
             << target->getName() << "'";
  SmallVector<Operation *> loops;
  for (Operation *target : targets) {
    if (failed(stage(cast<func::FuncOp>(target))))
      return DiagnosedSilenceableFailure::definiteFailure();
    target->walk([&](Operation *nested) {
      if (isOverRows(nested))
        loops.push_back(nested);
    });
  }
  results.set(op->getResult(0), targets);
  if (op->getNumResults() > 1)
    results.set(op->getResult(1), loops);
  return DiagnosedSilenceableFailure::success();
}

static RowWorkers getWorkers(bool isParallel) {
  return isParallel ? RowWorkers::Threads : RowWorkers::Thread;
}

DiagnosedSilenceableFailure
FormTransformOp::apply(transform::TransformRewriter &,
                       transform::TransformResults &results,
                       transform::TransformState &state) {
  return runStage(*this, results, state, [](func::FuncOp function) {
    formRows(function, RowWorkers::Threads);
    return success();
  });
}

DiagnosedSilenceableFailure
TileTransformOp::apply(transform::TransformRewriter &,
                       transform::TransformResults &results,
                       transform::TransformState &state) {
  return runStage(*this, results, state, [&](func::FuncOp function) {
    return tileRows(function, getWorkers(getParallel()));
  });
}

DiagnosedSilenceableFailure
EmitTransformOp::apply(transform::TransformRewriter &,
                       transform::TransformResults &results,
                       transform::TransformState &state) {
  return runStage(*this, results, state, [](func::FuncOp function) {
    emitRows(function, RowWorkers::Thread);
    return success();
  });
}

//===----------------------------------------------------------------------===//
// transform.norm.plan
//===----------------------------------------------------------------------===//

void PlanTransformOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::onlyReadsHandle(getTargetMutable(), effects);
  transform::producesHandle(getOperation()->getOpResults(), effects);
  transform::modifiesPayload(effects);
}

/// Puts what `given` says before the plan of `op`.
static DiagnosedSilenceableFailure
changePlan(PlanTransformOp transform, Operation *op, RowPlanAttr given) {
  if (isOverRows(op) && given != given.getOfLoop())
    return transform.emitSilenceableError()
           << "the step of a loop says its rows: " << given;
  auto old = op->getAttrOfType<RowPlanAttr>(planAttrName);
  op->setAttr(planAttrName, old ? given.completeBy(old) : given);
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure
PlanTransformOp::apply(transform::TransformRewriter &rewriter,
                       transform::TransformResults &results,
                       transform::TransformState &state) {
  SmallVector<Operation *> planned;
  for (Operation *target : state.getPayloadOps(getTarget())) {
    if (isa<func::FuncOp>(target))
      llvm::append_range(planned,
                         planRows(rewriter, target, getWorkers(getParallel())));
    else if (isa<linalg::LinalgOp>(target) || isOverRows(target))
      planned.push_back(target);
    else
      return emitSilenceableError()
             << "expects functions, linalg ops or loops over rows, got '"
             << target->getName() << "'";
  }
  RowPlanAttr given = getWith().value_or(RowPlanAttr::get(getContext()));
  SmallVector<Attribute> plans;
  for (Operation *op : planned) {
    DiagnosedSilenceableFailure changed = changePlan(*this, op, given);
    if (!changed.succeeded())
      return changed;
    plans.push_back(op->getAttr(planAttrName));
  }
  results.set(getOperation()->getResult(0), planned);
  results.setParams(getOperation()->getResult(1), plans);
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
    declareGeneratedDialect<affine::AffineDialect>();
    declareGeneratedDialect<arith::ArithDialect>();
    declareGeneratedDialect<linalg::LinalgDialect>();
    declareGeneratedDialect<math::MathDialect>();
    declareGeneratedDialect<memref::MemRefDialect>();
    declareGeneratedDialect<scf::SCFDialect>();
    declareGeneratedDialect<tensor::TensorDialect>();
    declareGeneratedDialect<vector::VectorDialect>();
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
