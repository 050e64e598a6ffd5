//===- ReadTensor.cpp - read linalg into row expressions
//--------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "norm/Recognition/RowExpression.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::norm;
using Kind = Expr::Kind;

const Expr *ExprReader::read(Value tensor, SmallVector<AffineExpr> indices) {
  AffineExpr zero = getAffineConstantExpr(0, context);
  auto type = cast<RankedTensorType>(tensor.getType());
  for (auto [index, extent] : llvm::zip(indices, type.getShape())) {
    if (extent == 1)
      index = zero;
    else if (auto dim = dyn_cast<AffineDimExpr>(index))
      if (extents[dim.getPosition()] == 1)
        index = zero;
  }
  // What is a leaf depends on whether a reduction lies in between.
  Key key{reinterpret_cast<uintptr_t>(tensor.getAsOpaquePointer()),
          isBehindReduction};
  for (AffineExpr index : indices)
    key.push_back(reinterpret_cast<uintptr_t>(index.getAsOpaquePointer()));
  auto [it, inserted] = readValues.try_emplace(key, nullptr);
  if (!inserted && it->second)
    return it->second;
  const Expr *expr = overBound ? makeBeyondBound(tensor, indices)
                               : readUncached(tensor, indices);
  readValues[key] = expr;
  anchors[expr].push_back({tensor, indices});
  return expr;
}

const Expr *ExprReader::readUncached(Value tensor,
                                     ArrayRef<AffineExpr> indices) {
  DenseElementsAttr dense;
  if (matchPattern(tensor, m_Constant(&dense)) && dense.isSplat() &&
      isa<FloatType>(dense.getElementType()))
    return makeConstant(dense.getSplatValue<APFloat>(), dense.getElementType());
  if (matchPattern(tensor, m_Constant(&dense)) && dense.isSplat() &&
      isa<IntegerType, IndexType>(dense.getElementType()) &&
      !dense.getElementType().isInteger(1)) {
    SymbolicCount count;
    count.factor = dense.getSplatValue<APInt>().getSExtValue();
    return makeCount(count, dense.getElementType());
  }
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return makeElement(tensor, indices);
  // One scalar, put into a tensor.
  if (isa<tensor::FromElementsOp, tensor::SplatOp>(op) &&
      llvm::all_equal(op->getOperands()) && op->getNumOperands() > 0) {
    Scalars outside;
    return readScalar(op->getOperand(0), outside);
  }
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    if (isReadable(linalgOp))
      return readLinalg(cast<OpResult>(tensor), indices);
  if (auto source = reindex(op, indices)) {
    // Casts of an unreachable block may be a cycle.
    llvm::SaveAndRestore deeper(depth, depth + 1);
    overBound |= depth > kMaxRecursion;
    return overBound ? makeBeyondBound(tensor, indices)
                     : read(op->getOperand(0), *source);
  }
  return makeElement(tensor, indices);
}

/// Indices of a reshape group's several dimensions from the one of its product,
/// or the other way round; nothing when extents are unknown.
static bool splitIndex(AffineExpr index, ArrayRef<int64_t> shape,
                       MutableArrayRef<AffineExpr> parts) {
  AffineExpr zero = getAffineConstantExpr(0, index.getContext());
  int64_t nonUnit = llvm::count_if(shape, [](int64_t d) { return d != 1; });
  if (nonUnit <= 1) {
    for (auto [extent, part] : llvm::zip(shape, parts))
      part = extent == 1 ? zero : index;
    return true;
  }
  if (llvm::any_of(shape.drop_front(), ShapedType::isDynamic))
    return false;
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    parts[i] = index.floorDiv(stride);
    if (i == 0)
      break;
    parts[i] = parts[i] % shape[i];
    if (llvm::MulOverflow(stride, shape[i], stride))
      return false;
  }
  return true;
}

static std::optional<AffineExpr> joinIndex(ArrayRef<AffineExpr> parts,
                                           ArrayRef<int64_t> shape) {
  AffineExpr index = getAffineConstantExpr(0, parts[0].getContext());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == 1)
      continue;
    if (ShapedType::isDynamic(stride))
      return std::nullopt;
    index = parts[i] * stride + index;
    if (ShapedType::isDynamic(shape[i]))
      stride = shape[i];
    else if (llvm::MulOverflow(stride, shape[i], stride))
      return std::nullopt;
  }
  return index;
}

std::optional<SmallVector<AffineExpr>>
ExprReader::reindex(Operation *op, ArrayRef<AffineExpr> indices) {
  if (auto cast = dyn_cast<tensor::CastOp>(op)) {
    if (!isa<RankedTensorType>(cast.getSource().getType()))
      return std::nullopt;
    return SmallVector<AffineExpr>(indices);
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    SmallVector<AffineExpr> source;
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    unsigned next = 0;
    for (auto [dim, offset, stride] :
         llvm::enumerate(slice.getStaticOffsets(), slice.getStaticStrides())) {
      if (ShapedType::isDynamic(offset) || ShapedType::isDynamic(stride))
        return std::nullopt;
      AffineExpr index = dropped.test(dim)
                             ? getAffineConstantExpr(0, op->getContext())
                             : indices[next++];
      source.push_back(index * stride + offset);
    }
    return source;
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    ArrayRef<int64_t> shape = collapse.getSrcType().getShape();
    SmallVector<AffineExpr> source(shape.size());
    MutableArrayRef<AffineExpr> parts(source);
    for (auto [index, group] :
         llvm::zip(indices, collapse.getReassociationIndices()))
      if (!splitIndex(index, shape.slice(group.front(), group.size()),
                      parts.slice(group.front(), group.size())))
        return std::nullopt;
    // A collapse to rank 0 has no groups: every dimension is a unit one.
    for (AffineExpr &part : source)
      if (!part)
        part = getAffineConstantExpr(0, op->getContext());
    return source;
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    ArrayRef<int64_t> shape = expand.getResultType().getShape();
    SmallVector<AffineExpr> source;
    for (const auto &group : expand.getReassociationIndices()) {
      auto index = joinIndex(indices.slice(group.front(), group.size()),
                             shape.slice(group.front(), group.size()));
      if (!index)
        return std::nullopt;
      source.push_back(*index);
    }
    return source;
  }
  return std::nullopt;
}

/// Names the loops of the op that computes `result` at `indices`; reductions
/// get dimensions of their own. False where `indices` do not tell the loops.
bool ExprReader::enterLoops(OpResult result, ArrayRef<AffineExpr> indices,
                            SmallVectorImpl<AffineExpr> &loops,
                            SmallVectorImpl<unsigned> &reduced) {
  auto op = cast<linalg::LinalgOp>(result.getOwner());
  loops.assign(op.getNumLoops(), AffineExpr());
  AffineMap resultMap = op.getIndexingMapMatchingResult(result);
  for (auto [expr, index] : llvm::zip(resultMap.getResults(), indices)) {
    // What the op does not write keeps the value of its init.
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (dim && !loops[dim.getPosition()])
      loops[dim.getPosition()] = index;
    else if (dim ? loops[dim.getPosition()] != index : expr != index)
      return false;
  }
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (auto [i, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (loops[i])
      continue;
    if (kind != utils::IteratorType::reduction) {
      // A parallel loop that the result does not see must have one turn.
      if (ranges[i] != 1)
        return false;
      loops[i] = getAffineConstantExpr(0, context);
      continue;
    }
    reduced.push_back(extents.size());
    loops[i] = addDim(op, i);
  }
  return reduced.size() == op.getNumReductionLoops();
}

AffineExpr ExprReader::addDim(linalg::LinalgOp op, unsigned loop) {
  unsigned dim = extents.size();
  extents.push_back(op.getStaticLoopRanges()[loop]);
  extentSources.emplace_back();
  addExtentSources(op, loop, dim);
  return getAffineDimExpr(dim, context);
}

/// Every operand that a loop walks along tells its extent.
void ExprReader::addExtentSources(linalg::LinalgOp op, unsigned loop,
                                  unsigned dim) {
  if (!ShapedType::isDynamic(extents[dim]))
    return;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      if (expr == getAffineDimExpr(loop, context))
        if (SymbolicCount extent = norm::getExtent(operand.get(), i);
            !llvm::is_contained(extentSources[dim], extent))
          extentSources[dim].push_back(extent);
  }
}

/// Where the result of an op is as long as an index dimension, so is all that
/// its loop walks along.
void ExprReader::addExtentSources(OpResult result,
                                  ArrayRef<AffineExpr> indices) {
  auto op = cast<linalg::LinalgOp>(result.getOwner());
  AffineMap map = op.getIndexingMapMatchingResult(result);
  for (auto [i, expr, index] : llvm::enumerate(map.getResults(), indices)) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    auto dim = dyn_cast<AffineDimExpr>(index);
    if (loop && dim && ShapedType::isDynamic(extents[dim.getPosition()]) &&
        extentSources[dim.getPosition()].size() < kMaxSources &&
        isExtentOf(dim.getPosition(), result, i))
      addExtentSources(op, loop.getPosition(), dim.getPosition());
  }
}

bool ExprReader::haveSameExtent(unsigned a, unsigned b) const {
  if (!ShapedType::isDynamic(extents[a]) || !ShapedType::isDynamic(extents[b]))
    return extents[a] == extents[b];
  return a == b || llvm::any_of(extentSources[a], [&](const auto &source) {
           return llvm::is_contained(extentSources[b], source);
         });
}

bool ExprReader::isProductOfExtents(const SymbolicCount &count,
                                    ArrayRef<int64_t> dims) const {
  SmallVector<SymbolicCount> products(1);
  for (int64_t dim : dims) {
    SmallVector<SymbolicCount, 2> sources = extentSources[dim];
    if (!ShapedType::isDynamic(extents[dim])) {
      sources.assign(1, SymbolicCount());
      sources[0].factor = extents[dim];
    }
    SmallVector<SymbolicCount> next;
    for (const SymbolicCount &product : products)
      for (const SymbolicCount &source : sources)
        if (auto longer = product.times(source);
            longer && !llvm::is_contained(next, *longer))
          next.push_back(*longer);
    products = std::move(next);
  }
  return llvm::is_contained(products, count);
}

bool ExprReader::isExtentOf(unsigned dim, Value tensor,
                            int64_t tensorDim) const {
  SymbolicCount extent = norm::getExtent(tensor, tensorDim);
  if (extent.isConstant())
    return extents[dim] == extent.factor;
  return llvm::is_contained(extentSources[dim], extent);
}

ExprReader::Scalars ExprReader::readOperands(linalg::LinalgOp op,
                                             ArrayRef<AffineExpr> loops,
                                             bool skipInits) {
  Scalars known;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (argument.use_empty() || (skipInits && op.isDpsInit(&operand)))
      continue;
    if (!isa<RankedTensorType>(operand.get().getType())) {
      Scalars outside;
      known[argument] = readScalar(operand.get(), outside);
      continue;
    }
    SmallVector<AffineExpr> at;
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
      at.push_back(expr.replaceDims(loops));
    known[argument] = read(operand.get(), at);
  }
  return known;
}

/// What the body computes for `yield`. In the order of its ops, and not from
/// the last one: a chain of them may be long.
const Expr *ExprReader::readBody(Value yield, Scalars &known) {
  Block *block = current.getBlock();
  llvm::DenseSet<Operation *> needed;
  SmallVector<Value> worklist{yield};
  while (!worklist.empty()) {
    Operation *producer = worklist.pop_back_val().getDefiningOp();
    if (producer && producer->getBlock() == block &&
        needed.insert(producer).second)
      llvm::append_range(worklist, producer->getOperands());
  }
  for (Operation &op : block->without_terminator())
    if (needed.contains(&op))
      for (Value scalar : op.getResults())
        readScalar(scalar, known);
  return readScalar(yield, known);
}

const Expr *ExprReader::readLinalg(OpResult result,
                                   ArrayRef<AffineExpr> indices) {
  auto op = cast<linalg::LinalgOp>(result.getOwner());
  if (!isWithinReach(result) || (isBehindReduction && leaves.contains(result)))
    return makeElement(result, indices);
  overBound |= depth > kMaxRecursion;
  if (overBound || llvm::hasNItemsOrMore(*op.getBlock(), kMaxBody))
    return makeBeyondBound(result, indices);
  SmallVector<AffineExpr> loops;
  SmallVector<unsigned> reduced;
  if (!enterLoops(result, indices, loops, reduced))
    return makeElement(result, indices);
  addExtentSources(result, indices);
  llvm::SaveAndRestore deeper(depth, depth + 1);
  llvm::SaveAndRestore behind(isBehindReduction,
                              isBehindReduction || !reduced.empty());
  Scalars known = readOperands(op, loops, /*skipInits=*/!reduced.empty());
  llvm::SaveAndRestore here(this->loops, ArrayRef<AffineExpr>(loops));
  llvm::SaveAndRestore inside(current, op);
  const Expr *expr = reduced.empty()
                         ? readBody(op.getBlock()->getTerminator()->getOperand(
                                        result.getResultNumber()),
                                    known)
                         : readReduction(result, indices, reduced, known);
  // What the body makes of its position is not known elsewhere.
  if (!expr->hasLocal)
    return expr;
  return reduced.empty()
             ? makeElement(result, indices)
             : makeOpaque(result, indices, {},
                          "a reduction of values that depend on their position",
                          /*isReduction=*/true);
}

const Expr *ExprReader::readReduction(OpResult result,
                                      ArrayRef<AffineExpr> indices,
                                      ArrayRef<unsigned> reduced,
                                      Scalars &known) {
  auto op = cast<linalg::LinalgOp>(result.getOwner());
  unsigned number = result.getResultNumber();
  auto opaque = [&](ArrayRef<const Expr *> terms, StringRef name) {
    return makeOpaque(result, indices, terms, name, /*isReduction=*/true);
  };
  SmallVector<Operation *> combiners;
  Value term = matchReduction(op.getRegionOutputArgs(), number, combiners);
  if (!term || combiners.size() != 1)
    return opaque({}, "a reduction that is not one op");
  const Expr *body = readBody(term, known);
  if (!isa<arith::AddFOp>(combiners[0]))
    return opaque({body}, combiners[0]->getName().getStringRef());
  const Expr *init = read(op.getDpsInitOperand(number)->get(),
                          SmallVector<AffineExpr>(indices));
  if (init->kind != Kind::Constant || !init->value->isZero())
    return opaque({body}, "a sum that does not start at 0");
  return makeSum(body, reduced);
}

//===----------------------------------------------------------------------===//
// The root
//===----------------------------------------------------------------------===//

ExprReader::ExprReader(linalg::LinalgOp root, unsigned resultNumber,
                       const llvm::SmallBitVector &rootLoops,
                       const llvm::DenseSet<Value> &leaves)
    : root(root), resultNumber(resultNumber), rootLoops(rootLoops),
      leaves(leaves), context(root->getContext()) {}

/// What is nearer matters more: where there is too much of it, less far.
bool ExprReader::read() {
  for (reach = kMaxDepth;; reach /= 2) {
    reset();
    measureDistances();
    if (!readRoot())
      return false;
    if (!overBound || reach == 1)
      return true;
  }
}

void ExprReader::reset() {
  body.clear();
  extents.clear();
  extentSources.clear();
  readValues.clear();
  anchors.clear();
  bodyAnchors.clear();
  uniqueNodes.clear();
  nodes.clear();
  overBound = false;
}

bool ExprReader::readRoot() {
  OpResult result = root->getResult(resultNumber);
  bool reduces = root.getNumReductionLoops() > 0;
  spaceMap = reduces ? AffineMap::getFilteredIdentityMap(
                           context, root.getNumLoops(),
                           [&](AffineDimExpr loop) {
                             return rootLoops.test(loop.getPosition());
                           })
                     : root.getIndexingMapMatchingResult(result);
  SmallVector<int64_t> ranges = root.getStaticLoopRanges();
  SmallVector<AffineExpr> indices;
  rank = spaceMap.getNumResults();
  for (auto [i, expr] : llvm::enumerate(spaceMap.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    // Where a constant tells the place, that is all of a unit dimension.
    if (!loop && (expr != getAffineConstantExpr(0, context) ||
                  cast<RankedTensorType>(result.getType()).getDimSize(i) != 1))
      return false;
    indices.push_back(loop ? getAffineDimExpr(i, context) : expr);
    extents.push_back(loop ? ranges[loop.getPosition()] : 1);
    extentSources.emplace_back();
    if (loop)
      addExtentSources(root, loop.getPosition(), i);
  }
  SmallVector<AffineExpr> loops(root.getNumLoops(),
                                getAffineConstantExpr(0, context));
  SmallVector<unsigned> reduced;
  if (reduces)
    for (auto [i, expr] : llvm::enumerate(spaceMap.getResults()))
      loops[cast<AffineDimExpr>(expr).getPosition()] = indices[i];
  else if (!enterLoops(result, indices, loops, reduced))
    return false;
  Scalars known = readOperands(root, loops, /*skipInits=*/reduces);
  llvm::SaveAndRestore here(this->loops, ArrayRef<AffineExpr>(loops));
  llvm::SaveAndRestore inside(current, root);
  Block *block = root.getBlock();
  for (Operation &op : block->without_terminator())
    for (Value scalar : op.getResults())
      body[scalar] = readScalar(scalar, known);
  if (!reduces) {
    const Expr *yielded =
        readScalar(block->getTerminator()->getOperand(resultNumber), known);
    anchors[yielded].push_back({result, indices});
  }
  return true;
}
