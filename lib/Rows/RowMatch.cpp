//===- RowMatch.cpp - which ops become vector loops over rows -------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowMatch.h"
#include "RowValues.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "norm/Normalize/ElementStorage.h"
#include "norm/Rows/Rows.h"

using namespace mlir;
using linalg::LinalgOp;
using norm::Reduction;
using norm::RowMatch;

static bool isElementwise(Operation &op) {
  return isa<linalg::IndexOp>(op) ||
         (OpTrait::hasElementwiseMappableTraits(&op) &&
          isMemoryEffectFree(&op)) ||
         matchPattern(&op, m_Constant());
}

/// Returns false for complex numbers and vectors, which tensors may contain.
static bool isVectorLane(Type type) { return type.isIntOrIndexOrFloat(); }

/// Returns true if operands lie in memory as vectors of their elements do.
static bool isReadAsVectors(LinalgOp op) {
  return llvm::all_of(op->getOperandTypes(), [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return !shaped || norm::isStoredWhole(shaped.getElementType());
  });
}

/// Returns true if the map has distinct dimensions or zeros, and the innermost
/// loop last, so that its elements are contiguous.
static bool isContiguous(AffineMap map, unsigned innermost, bool hasVector) {
  if (!map.dropZeroResults().isProjectedPermutation())
    return false;
  return !hasVector || !map.isFunctionOfDim(innermost) ||
         map.getResults().back().isFunctionOfDim(innermost);
}

static std::optional<Reduction> matchCombiner(LinalgOp op, unsigned result) {
  SmallVector<Operation *> combiners;
  Value contribution =
      matchReduction(op.getRegionOutputArgs(), result, combiners);
  if (!contribution || combiners.size() != 1)
    return std::nullopt;
  std::optional<vector::CombiningKind> kind =
      linalg::getCombinerOpKind(combiners[0]);
  if (!kind || !op.getRegionOutputArgs()[result].hasOneUse())
    return std::nullopt;
  TypedAttr neutral =
      norm::getNeutralElement(*kind, combiners[0]->getResult(0).getType());
  if (!neutral)
    return std::nullopt;
  return Reduction{combiners[0], contribution, neutral};
}

/// Returns the reductions of all results, or nullopt if one does not match.
static std::optional<SmallVector<Reduction>> matchCombiners(LinalgOp op) {
  SmallVector<Reduction> reductions;
  for (unsigned i = 0, e = op.getNumDpsInits(); i < e; ++i) {
    std::optional<Reduction> reduction = matchCombiner(op, i);
    if (!reduction)
      return std::nullopt;
    reductions.push_back(*reduction);
  }
  return reductions;
}

bool norm::isContraction(LinalgOp op) {
  return linalg::isaContractionOpInterface(op) &&
         !llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
           return op.getMatchingIndexingMap(input).isPermutation();
         });
}

Value norm::createCombined(OpBuilder &b, Location loc,
                           const Reduction &reduction, Value accumulator,
                           Value value) {
  Operation *op = reduction.combiner;
  return b
      .create(loc, op->getName().getIdentifier(),
              ValueRange{accumulator, value}, TypeRange(accumulator.getType()),
              op->getAttrs())
      ->getResult(0);
}

OpFoldResult norm::createBlockSize(OpBuilder &b, Location loc,
                                   OpFoldResult begin, OpFoldResult most,
                                   OpFoldResult extent) {
  std::optional<int64_t> all = getConstantIntValue(extent),
                         block = getConstantIntValue(most);
  if (all && block && *all % *block == 0)
    return most;
  if (all && block && *all < *block)
    return extent;
  AffineExpr rest = b.getAffineSymbolExpr(0) - b.getAffineDimExpr(0);
  AffineMap map =
      AffineMap::get(1, 2, {rest, b.getAffineSymbolExpr(1)}, b.getContext());
  return affine::makeComposedFoldedAffineMin(b, loc, map,
                                             {begin, extent, most});
}

/// Returns how many of the leading loops reduce, if all others are parallel.
static unsigned countRowLoops(LinalgOp op) {
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  auto *columns = llvm::find(kinds, utils::IteratorType::parallel);
  bool areColumns =
      columns != kinds.end() &&
      std::all_of(columns, kinds.end(), linalg::isParallelIterator);
  return areColumns ? columns - kinds.begin() : 0;
}

std::optional<norm::PartialSums> norm::matchRowSums(LinalgOp op) {
  PartialSums sums{op, {}, 0, countRowLoops(op)};
  if (sums.numLoops == 0)
    return std::nullopt;
  for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable())) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    if (!map.isProjectedPermutation())
      return std::nullopt;
    if (map.isPermutation()) {
      sums.results.push_back(std::nullopt);
      continue;
    }
    for (unsigned loop = 0, e = op.getNumLoops(); loop < e; ++loop)
      if (map.isFunctionOfDim(loop) != (loop >= sums.numLoops))
        return std::nullopt;
    std::optional<Reduction> reduction = matchCombiner(op, i);
    if (!reduction)
      return std::nullopt;
    sums.results.push_back(reduction);
  }
  // A loop may be called a reduction although each result has an element of it.
  bool hasSum = llvm::any_of(sums.results,
                             [](const auto &each) { return each.has_value(); });
  return hasSum ? std::make_optional(std::move(sums)) : std::nullopt;
}

std::optional<RowMatch> norm::matchRow(LinalgOp op) {
  if ((!op.hasPureTensorSemantics() && !op.hasPureBufferSemantics()) ||
      isa<linalg::ContractionOpInterface>(*op))
    return std::nullopt;
  if (!isReadAsVectors(op) ||
      !llvm::all_of(op.getBlock()->getArgumentTypes(), isVectorLane))
    return std::nullopt;
  for (Operation &bodyOp : op.getBlock()->without_terminator())
    if (!isElementwise(bodyOp) ||
        !llvm::all_of(bodyOp.getResultTypes(), isVectorLane))
      return std::nullopt;
  RowMatch match;
  unsigned loops = op.getNumLoops();
  match.hasVectorLoop = loops > 0 && op.getStaticLoopRanges().back() != 1;
  unsigned innermost = loops - 1;
  for (AffineMap map : op.getIndexingMapsArray())
    if (!isContiguous(map, innermost, match.hasVectorLoop))
      return std::nullopt;
  // Scalar code has no requirements on the place of a reduction's combiner.
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  if (!match.hasVectorLoop)
    return match;
  if (kinds.back() == utils::IteratorType::parallel) {
    if (loops > 1 && kinds[loops - 2] == utils::IteratorType::reduction)
      match.columns = matchCombiners(op).value_or(SmallVector<Reduction>());
    return match;
  }
  std::optional<SmallVector<Reduction>> reductions = matchCombiners(op);
  if (!reductions)
    return std::nullopt;
  match.reductions = std::move(*reductions);
  return match;
}

std::optional<norm::PartialSums> norm::matchColumnReductions(LinalgOp op) {
  if (op.getNumReductionLoops() != 1)
    return std::nullopt;
  std::optional<RowMatch> match = matchRow(op);
  if (!match || match->columns.empty())
    return std::nullopt;
  // The slice of a result has its indices in the order of the loops' tiles.
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!op.getMatchingIndexingMap(&init).isProjectedPermutation())
      return std::nullopt;
  PartialSums sums{op, {}, op.getNumLoops() - 2, 1};
  llvm::append_range(sums.results, match->columns);
  return sums;
}

Value norm::getFilled(LinalgOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0)
    return {};
  Value v = op.getBlock()->getTerminator()->getOperand(0);
  auto arg = dyn_cast<BlockArgument>(v);
  if (!arg || arg.getOwner() != op.getBlock())
    return v.getParentBlock() == op.getBlock() ? Value() : v;
  OpOperand *operand = op.getMatchingOpOperand(arg);
  return isa<ShapedType>(operand->get().getType()) ? Value() : operand->get();
}

LinalgOp norm::findFill(OpOperand &init) {
  auto op = cast<LinalgOp>(init.getOwner());
  Value buffer = init.get();
  if (!op.getMatchingIndexingMap(&init).isProjectedPermutation())
    return {};
  auto maySee = [&](Value v) { return mayOverlap(v, buffer); };
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode()) {
    if (isMemoryEffectFree(before) || isa<memref::AllocOp>(before))
      continue;
    auto fill = dyn_cast<LinalgOp>(before);
    if (!fill || !fill.hasPureBufferSemantics())
      return {};
    if (llvm::none_of(fill->getOperands(), maySee))
      continue;
    return llvm::is_contained(fill.getDpsInits(), buffer) ? fill : LinalgOp();
  }
  return {};
}

bool norm::canVectorizeRow(LinalgOp op) { return matchRow(op).has_value(); }
