//===- OutlineLoops.cpp - loops of long functions as functions ------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: no pass outlines loop nests, and
// duplicate-function-elimination merges public functions too; goes when LLVM
// compiles a function of hundreds of loops in linear time.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "norm/IR/Norm.h"
#include "norm/Workarounds/Passes.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMOUTLINELOOPS
#include "norm/Workarounds/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

static bool isLoop(Operation *op) {
  return isa<LoopLikeOpInterface, linalg::LinalgOp>(op);
}

/// Returns true for an op of a block that is a loop nest to outline.
static bool holdsLoop(Operation *op) { return norm::anyIn(op, isLoop); }

/// Collects a function's nests; those inside a loop over layers are separate.
static void collectNests(Block &block, unsigned minLoops,
                         SmallVectorImpl<Operation *> &nests) {
  for (Operation &op : block) {
    if (!holdsLoop(&op))
      continue;
    SmallVector<Operation *> inner;
    if (!isa<linalg::LinalgOp>(op))
      for (Region &region : op.getRegions())
        for (Block &body : region)
          collectNests(body, minLoops, inner);
    if (inner.size() >= minLoops)
      nests.append(inner);
    else
      nests.push_back(&op);
  }
}

/// Returns true for constants and views, which are cloned into a function: a
/// view as an argument has no layout that the loop could be vectorized by.
static bool isSource(Operation *op) {
  if (!op || op->getNumRegions() > 0 || !isMemoryEffectFree(op) ||
      isa<SymbolUserOpInterface>(op))
    return false;
  return op->getNumOperands() == 0 || isa<ViewLikeOpInterface>(op);
}

/// Returns true if `op` may move down to the nest: it only reads.
static bool isOnlyRead(Operation *op) {
  if (isMemoryEffectFree(op))
    return true;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  return effects && op->getNumRegions() == 0 &&
         effects.onlyHasEffect<MemoryEffects::Read>();
}

/// Clones the source of `value` and the sources that it is computed from.
static void cloneSource(IRRewriter &rewriter, Value value, Operation *scope,
                        IRMapping &own) {
  Operation *source = value.getDefiningOp();
  if (!isSource(source) || scope->isProperAncestor(source) ||
      own.contains(value))
    return;
  for (Value operand : source->getOperands())
    cloneSource(rewriter, operand, scope, own);
  rewriter.clone(*source, own);
}

/// Wraps `nest` into a region with constants of its own and the ops right
/// before it that only it uses.
static scf::ExecuteRegionOp wrap(IRRewriter &rewriter, Operation *nest) {
  rewriter.setInsertionPointAfter(nest);
  auto wrapped = scf::ExecuteRegionOp::create(rewriter, nest->getLoc(),
                                              nest->getResultTypes());
  nest->replaceAllUsesWith(wrapped->getResults());
  Block *body = rewriter.createBlock(&wrapped.getRegion());
  rewriter.moveOpBefore(nest, body, body->end());
  scf::YieldOp::create(rewriter, nest->getLoc(), nest->getResults());
  Operation *op = wrapped->getPrevNode();
  while (op && isOnlyRead(op)) {
    Operation *previous = op->getPrevNode();
    bool isOwn =
        !op->use_empty() && llvm::all_of(op->getUsers(), [&](Operation *user) {
          return wrapped->isProperAncestor(user);
        });
    if (isOwn)
      rewriter.moveOpBefore(op, body, body->begin());
    op = previous;
  }
  rewriter.setInsertionPointToStart(body);
  // LLVM compares each comparison with all arguments of its function.
  if (auto choice = dyn_cast<scf::IfOp>(nest))
    if (auto isChosen = choice.getCondition().getDefiningOp<arith::CmpIOp>();
        isChosen && !wrapped->isProperAncestor(isChosen))
      choice.setOperand(rewriter.clone(*isChosen)->getResult(0));
  IRMapping own;
  rewriter.setInsertionPointToStart(body);
  wrapped->walk([&](Operation *nested) {
    for (OpOperand &operand : nested->getOpOperands()) {
      cloneSource(rewriter, operand.get(), wrapped, own);
      operand.set(own.lookupOrDefault(operand.get()));
    }
  });
  return wrapped;
}

static llvm::hash_code hashBody(func::FuncOp func) {
  llvm::hash_code hash = hash_value(func.getFunctionType());
  func.getBody().walk([&](Operation *op) {
    hash =
        llvm::hash_combine(hash, OperationEquivalence::computeHash(
                                     op, OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::IgnoreLocations));
  });
  return hash;
}

/// Functions by the hash of their bodies, so that equal layers share them.
using UniqueFunctions = llvm::DenseMap<size_t, SmallVector<func::FuncOp>>;

/// Returns `func`, or an earlier function with the same body.
static func::FuncOp insert(UniqueFunctions &functions, func::FuncOp func) {
  SmallVector<func::FuncOp> &similar = functions[hashBody(func)];
  for (func::FuncOp known : similar)
    if (known.getFunctionType() == func.getFunctionType() &&
        OperationEquivalence::isRegionEquivalentTo(
            &known.getBody(), &func.getBody(),
            OperationEquivalence::IgnoreLocations)) {
      LDBG("norm-outline-loops", 1)
          << "shares " << known.getName() << " with " << func;
      return known;
    }
  similar.push_back(func);
  return func;
}

namespace {
struct NormOutlineLoops : norm::impl::NormOutlineLoopsBase<NormOutlineLoops> {
  using NormOutlineLoopsBase::NormOutlineLoopsBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    UniqueFunctions unique;
    for (auto func : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      if (func.isExternal() || !func.getBody().hasOneBlock())
        continue;
      SmallVector<Operation *> nests;
      collectNests(func.getBody().front(), minLoops, nests);
      // Who would free a buffer that a nest returns is decided later.
      llvm::erase_if(nests, [](Operation *nest) {
        return llvm::any_of(nest->getResultTypes(),
                            llvm::IsaPred<BaseMemRefType>);
      });
      if (nests.size() < minLoops)
        continue;
      for (Operation *nest : nests)
        if (failed(outline(func, nest, symbols, unique)))
          return signalPassFailure();
    }
  }

  LogicalResult outline(func::FuncOp func, Operation *nest,
                        SymbolTable &symbols, UniqueFunctions &unique) {
    IRRewriter rewriter(&getContext());
    scf::ExecuteRegionOp wrapped = wrap(rewriter, nest);
    func::CallOp call;
    std::string name = (func.getName() + "__loop").str();
    FailureOr<func::FuncOp> outlined = outlineSingleBlockRegion(
        rewriter, nest->getLoc(), wrapped.getRegion(), name, &call);
    if (failed(outlined))
      return wrapped.emitError("cannot make a function of this loop");
    Block *body = &wrapped.getRegion().front();
    Operation *yield = body->getTerminator();
    rewriter.replaceAllUsesWith(wrapped->getResults(), yield->getOperands());
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(body, wrapped);
    rewriter.eraseOp(wrapped);
    func::FuncOp kept = insert(unique, *outlined);
    if (kept == *outlined) {
      kept.setPrivate();
      // Upstream's func-to-llvm drops `no_inline`.
      kept->setAttr("passthrough", rewriter.getStrArrayAttr({"noinline"}));
      kept->remove();
      symbols.insert(kept, Block::iterator(func));
    } else {
      rewriter.eraseOp(*outlined);
    }
    call.setCallee(kept.getName());
    return success();
  }
};
} // namespace
