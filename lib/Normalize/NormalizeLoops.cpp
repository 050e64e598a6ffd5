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
#include "norm/Normalize/Passes.h"
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
/// For each dimension but the last, whether it can merge with the next one.
using Pairs = SmallVector<bool>;

/// Decides for all ops of a function at once, so that no reshape is needed
/// between two of them.
class PairFinder {
public:
  explicit PairFinder(func::FuncOp func) {
    func.walk([&](linalg::LinalgOp op) { add(op); });
    settle();
    keepRows();
  }

  /// Returns the groups of loops of `op` to collapse.
  SmallVector<ReassociationIndices> getGroups(GenericOp op) const {
    SmallVector<ReassociationIndices> groups;
    const auto *it = loops.find(op);
    if (it == loops.end())
      return groups;
    ReassociationIndices group = {0};
    for (auto [loop, isPair] : llvm::enumerate(it->second)) {
      if (!isPair) {
        if (group.size() > 1)
          groups.push_back(group);
        group.clear();
      }
      group.push_back(loop + 1);
    }
    if (group.size() > 1)
      groups.push_back(group);
    return groups;
  }

private:
  void add(linalg::LinalgOp op) {
    auto generic = dyn_cast<GenericOp>(*op);
    bool isPlain =
        generic && generic.hasPureTensorSemantics() &&
        !generic.hasIndexSemantics() &&
        llvm::all_of(generic.getIndexingMapsArray(), [](AffineMap map) {
          return map.isProjectedPermutation();
        });
    if (isPlain)
      loops[generic] = getLocalPairs(generic);
    for (Value v : op->getOperands())
      addValue(v, isPlain);
    for (Value v : op->getResults())
      addValue(v, isPlain);
  }

  void addValue(Value v, bool isPlain) {
    auto type = dyn_cast<RankedTensorType>(v.getType());
    if (!type || type.getRank() < 2)
      return;
    auto it =
        values.try_emplace(v, Pairs(type.getRank() - 1, isContiguous(v))).first;
    for (auto [dim, isPair] : llvm::enumerate(it->second))
      // One dynamic extent of a group can be inferred, but two cannot, so only
      // the first may be dynamic, and none beside an extent of zero.
      if (!isPlain || type.isDynamicDim(dim + 1) ||
          type.getDimSize(dim + 1) == 0)
        isPair = false;
  }

  /// Returns false for a slice, whose gaps a collapsed view cannot have.
  static bool isContiguous(Value v) {
    Operation *def = v.getDefiningOp();
    return !def || isa<linalg::LinalgOp, tensor::EmptyOp, arith::ConstantOp,
                       tensor::CollapseShapeOp, tensor::ExpandShapeOp,
                       bufferization::ToTensorOp>(def);
  }

  static Pairs getLocalPairs(GenericOp op) {
    SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
    Pairs pairs(kinds.empty() ? 0 : kinds.size() - 1);
    for (auto [loop, isPair] : llvm::enumerate(pairs))
      isPair = kinds[loop] == kinds[loop + 1];
    return pairs;
  }

  /// Calls `fn` with each tensor of `op` and its map.
  template <typename Fn> static void forEachTensor(GenericOp op, Fn fn) {
    for (OpOperand &operand : op->getOpOperands())
      fn(operand.get(), op.getMatchingIndexingMap(&operand));
    for (OpResult result : op->getResults())
      fn(result, op.getIndexingMapMatchingResult(result));
  }

  static std::optional<unsigned> find(AffineMap map, unsigned loop) {
    for (auto [position, expr] : llvm::enumerate(map.getResults()))
      if (cast<AffineDimExpr>(expr).getPosition() == loop)
        return position;
    return std::nullopt;
  }

  /// Returns true if the tensor has both loops side by side as a pair, or
  /// neither of them.
  bool isPairIn(Value v, AffineMap map, unsigned loop) {
    std::optional<unsigned> first = find(map, loop), next = find(map, loop + 1);
    if (!first && !next)
      return true;
    return first && next && *next == *first + 1 && values[v][*first];
  }

  /// Splits a tensor's pairs of dimensions whose loops are not a pair.
  bool updateValue(Value v, AffineMap map, const Pairs &pairs) {
    auto it = values.find(v);
    bool changed = false;
    for (size_t dim = 0; it != values.end() && dim < it->second.size(); ++dim) {
      unsigned loop = map.getDimPosition(dim);
      bool isPair = map.getDimPosition(dim + 1) == loop + 1 && pairs[loop];
      if (it->second[dim] && !isPair) {
        it->second[dim] = false;
        changed = true;
      }
    }
    return changed;
  }

  void settle() {
    for (bool changed = true; changed;) {
      changed = false;
      for (auto &[op, pairs] : loops)
        forEachTensor(op, [&, &pairs = pairs](Value v, AffineMap map) {
          for (auto [loop, isPair] : llvm::enumerate(pairs))
            if (isPair && !isPairIn(v, map, loop)) {
              isPair = false;
              changed = true;
            }
          changed |= updateValue(v, map, pairs);
        });
    }
  }

  /// Keeps the innermost loop of elementwise ops that would become one loop.
  void keepRows() {
    bool changed = false;
    for (auto &[op, pairs] : loops)
      if (op.getNumReductionLoops() == 0 && !pairs.empty() &&
          llvm::all_of(pairs, [](bool isPair) { return isPair; })) {
        pairs.back() = false;
        changed = true;
      }
    if (changed)
      settle();
  }

  llvm::MapVector<GenericOp, Pairs> loops;
  llvm::DenseMap<Value, Pairs> values;
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

static SmallVector<GenericOp> collectOps(func::FuncOp func) {
  SmallVector<GenericOp> ops;
  func.walk([&](GenericOp op) { ops.push_back(op); });
  return ops;
}

static LogicalResult collapseDims(IRRewriter &rewriter, func::FuncOp func) {
  PairFinder finder(func);
  for (GenericOp op : collectOps(func)) {
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

static uint64_t countElements(RankedTensorType type) {
  uint64_t count = 1;
  for (int64_t extent : type.getShape())
    count = llvm::SaturatingMultiply<uint64_t>(
        count, ShapedType::isDynamic(extent) ? kDynamicExtent : extent);
  return count;
}

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
      counts[dim.getPosition()] =
          llvm::SaturatingAdd(counts[dim.getPosition()], countElements(type));
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
  for (GenericOp op : collectOps(func)) {
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
