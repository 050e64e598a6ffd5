//===- FinishLoops.cpp - fences, temporaries, loops that stay loops -------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RowTarget.h"
#include "norm/Normalize/ElementStorage.h"
#include "norm/Rows/Buffers.h"
#include "norm/Rows/Vectors.h"
#include "norm/Target/CPU/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMFINISHLOOPS
#include "norm/Target/CPU/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

/// The team of threads that runs `op`, or the outermost loop around it.
static Operation *getScope(Operation *op) {
  if (auto team = op->getParentOfType<omp::ParallelOp>())
    return team;
  while (auto loop = op->getParentOfType<LoopLikeOpInterface>())
    op = loop;
  return op;
}

static void createFence(OpBuilder &b, Location loc, bool sfence) {
  if (sfence)
    LLVM::CallIntrinsicOp::create(
        b, loc, b.getStringAttr("llvm.x86.sse.sfence"), ValueRange());
  else
    LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::seq_cst);
}

static LogicalResult fenceStreams(func::FuncOp function, bool sfence) {
  llvm::SetVector<Operation *> scopes;
  function.walk([&](vector::StoreOp store) {
    if (store.getNontemporal())
      scopes.insert(getScope(store));
  });
  for (Operation *scope : scopes) {
    OpBuilder b(function.getContext());
    if (isa<scf::ForallOp, scf::ParallelOp>(scope))
      return scope->emitError("norm-finish-loops: threads that stream need "
                              "convert-scf-to-openmp first");
    if (auto team = dyn_cast<omp::ParallelOp>(scope))
      b.setInsertionPoint(team.getRegion().back().getTerminator());
    else
      b.setInsertionPointAfter(scope);
    createFence(b, scope->getLoc(), sfence);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Loops that are not unrolled
//===----------------------------------------------------------------------===//

/// The name of the branch's own property, which convert-scf-to-cf and
/// convert-cf-to-llvm make of an attribute of the loop.
static constexpr llvm::StringLiteral kAnnotation = "loop_annotation";

static bool hasLoop(scf::ForOp loop) {
  return !loop.getBody()->getOps<scf::ForOp>().empty();
}

static int64_t countLanes(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 0;
}

/// Returns true if an iteration works on a whole strip, at once or in parts,
/// which is long enough.
static bool hasStrips(scf::ForOp loop, int64_t lanes) {
  int64_t carried = 0;
  for (Type type : loop.getResultTypes())
    carried += countLanes(type);
  bool isOfStrips = norm::getRole(loop) == norm::LoopRole::Strips &&
                    getConstantIntValue(loop.getStep()) >= lanes;
  auto isWide = [&](Type type) { return countLanes(type) >= lanes; };
  return carried >= lanes || isOfStrips ||
         llvm::any_of(*loop.getBody(), [&](Operation &op) {
           return llvm::any_of(op.getOperandTypes(), isWide) ||
                  llvm::any_of(op.getResultTypes(), isWide);
         });
}

/// Returns true for loops of loops of scalars, such as the outer one over a
/// window: LLVM would unroll three by three iterations to nine copies of the
/// innermost loop, and vectorize each.
static bool hasScalarLoops(scf::ForOp loop) {
  return llvm::any_of(loop.getBody()->getOps<scf::ForOp>(), hasLoop) &&
         !norm::anyIn(loop, norm::hasVectors);
}

static bool isOverRows(scf::ForOp loop) {
  return norm::getRole(loop) == norm::LoopRole::Rows;
}

/// Returns true for loops over so many rows that no code should have all of
/// them. LLVM would where a row is one memset, and schedule that for a minute.
static bool hasManyRows(scf::ForOp loop, const llvm::APInt &trips,
                        int64_t most) {
  return isOverRows(loop) &&
         (trips.ugt(most) ||
          llvm::any_of(loop.getBody()->getOps<scf::ForOp>(), isOverRows));
}

static void keepLoops(func::FuncOp function) {
  MLIRContext *context = function.getContext();
  auto unroll = LLVM::LoopUnrollAttr::get(
      context, /*disable=*/BoolAttr::get(context, true), {}, {}, {}, {}, {},
      {});
  auto annotation = LLVM::LoopAnnotationAttr::get(
      context, {}, {}, {}, unroll, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
  norm::RowTarget target = norm::getRowTarget(function);
  function.walk([&](scf::ForOp loop) {
    std::optional<llvm::APInt> trips = loop.getStaticTripCount();
    bool isShort = trips && trips->ule(target.unrolled) && !hasLoop(loop);
    bool isEdge = norm::getRole(loop) == norm::LoopRole::Edge;
    if (isEdge || (hasStrips(loop, target.lanes) && !isShort) ||
        (trips &&
         (hasScalarLoops(loop) || hasManyRows(loop, *trips, target.lanes))))
      loop->setAttr(kAnnotation, annotation);
  });
}

//===----------------------------------------------------------------------===//
// Small temporaries on the stack
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: promote-buffers-to-stack puts an alloca into the body of
// a loop, where convert-scf-to-cf lets it fill the stack; goes when that keeps
// the scope.

static bool isSmall(memref::AllocOp op) {
  MemRefType type = op.getType();
  return type.hasStaticShape() && type.getLayout().isIdentity() &&
         norm::hasCountableBytes(op) &&
         type.getNumElements() * norm::getElementBytes(type) <=
             norm::getRowTarget(op).stackBytes;
}

/// Each thread needs its own, and an iteration does not free its stack.
static bool isInThread(Operation *op) {
  return op->getParentOfType<scf::ForallOp>() ||
         op->getParentOfType<scf::ParallelOp>() ||
         op->getParentOfType<omp::ParallelOp>();
}

static void stackTemporaries(func::FuncOp function) {
  OpBuilder b(function.getContext());
  auto isMovable = [](memref::AllocOp op) {
    return isSmall(op) && !isInThread(op);
  };
  for (auto op : norm::collect<memref::AllocOp>(function, isMovable)) {
    // Its one end must be in the block where it begins.
    std::optional<Operation *> dealloc = memref::findDealloc(op);
    if (!dealloc || !*dealloc || (*dealloc)->getBlock() != op->getBlock())
      continue;
    // The first op of the entry block may have been erased in the last
    // iteration, so the insertion point is set in each.
    b.setInsertionPointToStart(&function.front());
    auto onStack = memref::AllocaOp::create(b, op.getLoc(), op.getType(),
                                            op.getAlignmentAttr());
    (*dealloc)->erase();
    op.replaceAllUsesWith(onStack.getResult());
    op.erase();
  }
}

namespace {
struct NormFinishLoops : norm::impl::NormFinishLoopsBase<NormFinishLoops> {
  using NormFinishLoopsBase::NormFinishLoopsBase;

  void runOnOperation() override {
    if (failed(fenceStreams(getOperation(), sfence)))
      return signalPassFailure();
    keepLoops(getOperation());
    stackTemporaries(getOperation());
  }
};
} // namespace
