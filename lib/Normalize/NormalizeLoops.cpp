//===- NormalizeLoops.cpp - few loops, neighbors in memory innermost ------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "norm/IR/KnownExtents.h"
#include "norm/IR/Norm.h"
#include "norm/Normalize/Passes.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMNORMALIZELOOPS
#include "norm/Normalize/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using linalg::GenericOp;

//===----------------------------------------------------------------------===//
// Adjacent dimensions that all ops treat alike become one
//===----------------------------------------------------------------------===//

namespace {
/// Pairs of adjacent loops of ops, and of adjacent dimensions of their tensors.
/// Those that merge together are one class, so that no reshape is needed
/// between two ops.
class PairFinder {
public:
  explicit PairFinder(func::FuncOp func) {
    func.walk([&](linalg::LinalgOp op) { add(op); });
    keepRows(func);
  }

  /// Returns the groups of loops of `op` to collapse.
  SmallVector<ReassociationIndices> getGroups(GenericOp op) const {
    SmallVector<ReassociationIndices> groups;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (loop > 0 && isMerged(op, loop - 1))
        groups.back().push_back(loop);
      else
        groups.push_back({loop});
    llvm::erase_if(groups, [](const auto &group) { return group.size() == 1; });
    return groups;
  }

private:
  /// An op or a value, and the first loop or dimension of the pair. Null is the
  /// class of those that stay apart.
  using Pair = std::pair<const void *, unsigned>;

  static Pair getPair(Operation *op, unsigned loop) { return {op, loop}; }
  static Pair getPair(Value v, unsigned dim) {
    return {v.getAsOpaquePointer(), dim};
  }
  void keepApart(Pair pair) { pairs.unionSets(pair, Pair()); }

  bool isMerged(GenericOp op, unsigned loop) const {
    return !pairs.isEquivalent(getPair(op, loop), Pair());
  }

  void add(linalg::LinalgOp op) {
    auto generic = dyn_cast<GenericOp>(*op);
    bool isPlain =
        generic && generic.hasPureTensorSemantics() &&
        !generic.hasIndexSemantics() &&
        llvm::all_of(generic.getIndexingMapsArray(), [](AffineMap map) {
          return map.isProjectedPermutation();
        });
    for (Value v : op->getOperands())
      addValue(v, isPlain);
    for (Value v : op->getResults())
      addValue(v, isPlain);
    SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
    for (unsigned loop = 1; loop < kinds.size(); ++loop)
      if (!isPlain || kinds[loop - 1] != kinds[loop])
        keepApart(getPair(op, loop - 1));
    if (!isPlain)
      return;
    for (OpOperand &operand : op->getOpOperands())
      addAccess(generic, operand.get(),
                generic.getMatchingIndexingMap(&operand));
    for (OpResult result : op->getResults())
      addAccess(generic, result, generic.getIndexingMapMatchingResult(result));
  }

  void addValue(Value v, bool isPlain) {
    auto type = dyn_cast<RankedTensorType>(v.getType());
    // One dynamic extent of a group can be inferred, but two cannot, so only
    // the first may be dynamic, and none beside an extent of zero.
    for (int64_t dim = 1; type && dim < type.getRank(); ++dim)
      if (!isPlain || !isContiguous(v) || type.isDynamicDim(dim) ||
          type.getDimSize(dim) == 0)
        keepApart(getPair(v, dim - 1));
  }

  /// Returns false for a slice, whose gaps a collapsed view cannot have.
  static bool isContiguous(Value v) {
    Operation *def = v.getDefiningOp();
    return !def || isa<linalg::LinalgOp, tensor::EmptyOp, arith::ConstantOp,
                       tensor::CollapseShapeOp, tensor::ExpandShapeOp,
                       bufferization::ToTensorOp>(def);
  }

  /// Loops merge if the tensor has both side by side, or neither of them.
  void addAccess(GenericOp op, Value v, AffineMap map) {
    auto find = [&](unsigned loop) {
      return map.getResultPosition(getAffineDimExpr(loop, op.getContext()));
    };
    for (unsigned loop = 1; loop < op.getNumLoops(); ++loop) {
      std::optional<unsigned> first = find(loop - 1), next = find(loop);
      if (first && next && *next == *first + 1)
        pairs.unionSets(getPair(op, loop - 1), getPair(v, *first));
      else if (first || next)
        keepApart(getPair(op, loop - 1));
    }
    for (unsigned dim = 1; dim < map.getNumResults(); ++dim)
      if (map.getDimPosition(dim) != map.getDimPosition(dim - 1) + 1)
        keepApart(getPair(v, dim - 1));
  }

  /// Keeps the innermost loop of elementwise ops that would become one loop.
  void keepRows(func::FuncOp func) {
    SmallVector<GenericOp> whole = llvm::filter_to_vector(
        norm::collect<GenericOp>(func), [&](GenericOp op) {
          return op.getNumReductionLoops() == 0 && op.getNumLoops() > 1 &&
                 llvm::all_of(
                     llvm::seq(op.getNumLoops() - 1),
                     [&](unsigned loop) { return isMerged(op, loop); });
        });
    for (GenericOp op : whole)
      keepApart(getPair(op, op.getNumLoops() - 2));
  }

  llvm::EquivalenceClasses<Pair> pairs;
};
} // namespace

/// Lets ops that view a tensor alike share the view, by which later passes know
/// that they read the same elements.
static void shareViews(IRRewriter &rewriter, func::FuncOp func) {
  llvm::DenseMap<std::tuple<Block *, Value, Type>, Value> views;
  func.walk([&](tensor::CollapseShapeOp view) {
    auto [it, isNew] = views.try_emplace(
        {view->getBlock(), view.getSrc(), view.getType()}, view);
    if (!isNew)
      rewriter.replaceOp(view, it->second);
  });
}

static LogicalResult collapseDims(IRRewriter &rewriter, func::FuncOp func) {
  PairFinder finder(func);
  for (GenericOp op : norm::collect<GenericOp>(func)) {
    SmallVector<ReassociationIndices> groups = finder.getGroups(op);
    if (groups.empty())
      continue;
    LDBG("norm-normalize-loops", 1)
        << "collapses " << groups.size() << " groups of " << op;
    rewriter.setInsertionPoint(op);
    FailureOr<linalg::CollapseResult> collapsed =
        linalg::collapseOpIterationDims(op, groups, rewriter);
    if (succeeded(collapsed))
      rewriter.replaceOp(op, collapsed->results);
  }
  MLIRContext *context = func.getContext();
  RewritePatternSet patterns(context);
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::populateFoldTensorEmptyPatterns(patterns);
  if (failed(applyPatternsGreedily(func, std::move(patterns))))
    return failure();
  shareViews(rewriter, func);
  return success();
}

//===----------------------------------------------------------------------===//
// The loop over neighbors in memory goes inside
//===----------------------------------------------------------------------===//

/// A dynamic extent counts as this many elements, more than most static ones.
static constexpr uint64_t kDynamicExtent = 1 << 16;

/// Returns per loop the elements of the operands that it reads or writes in
/// the order of memory.
static SmallVector<uint64_t> countInOrder(GenericOp op) {
  SmallVector<uint64_t> counts(op.getNumLoops(), 0);
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!type || map.getNumResults() == 0)
      continue;
    if (auto dim = dyn_cast<AffineDimExpr>(map.getResults().back()))
      counts[dim.getPosition()] = llvm::SaturatingAdd(
          counts[dim.getPosition()],
          norm::multiplyExtents(type.getShape(), kDynamicExtent));
  }
  return counts;
}

/// Returns the loop to make innermost, or nullopt if it is that already.
static std::optional<unsigned> findInnermost(GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumLoops() < 2)
    return std::nullopt;
  SmallVector<uint64_t> counts = countInOrder(op);
  auto *most = llvm::max_element(counts);
  if (*most <= counts.back())
    return std::nullopt;
  return most - counts.begin();
}

static LogicalResult orderLoops(IRRewriter &rewriter, func::FuncOp func) {
  for (GenericOp op : norm::collect<GenericOp>(func)) {
    std::optional<unsigned> innermost = findInnermost(op);
    if (!innermost)
      continue;
    LDBG("norm-normalize-loops", 1)
        << "loop " << *innermost << " becomes innermost: " << op;
    SmallVector<unsigned> order;
    for (unsigned loop = 0, e = op.getNumLoops(); loop < e; ++loop)
      if (loop != *innermost)
        order.push_back(loop);
    order.push_back(*innermost);
    rewriter.setInsertionPoint(op);
    if (failed(linalg::interchangeGenericOp(rewriter, op, order)))
      return failure();
  }
  return success();
}

namespace {
struct NormNormalizeLoops
    : norm::impl::NormNormalizeLoopsBase<NormNormalizeLoops> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    if (failed(collapseDims(rewriter, getOperation())) ||
        failed(orderLoops(rewriter, getOperation())))
      signalPassFailure();
  }
};
} // namespace
