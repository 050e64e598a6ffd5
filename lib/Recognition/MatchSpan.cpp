//===- MatchSpan.cpp - which dimensions, and where x is -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Match.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::row;

std::optional<int64_t> Site::getDim(unsigned variable) const {
  const auto *it = llvm::find(space, variable);
  return it == space.end() ? std::nullopt
                           : std::optional<int64_t>(it - space.begin());
}

//===----------------------------------------------------------------------===//
// Dimensions: S1, S7
//===----------------------------------------------------------------------===//

/// Rejects a static part of a dynamic row, which the part may exceed, unless
/// both are read from one tensor that is long enough.
static Check matchPart(const Site &site, unsigned variable, unsigned inSum,
                       const Findings &found, Span &span) {
  Context &context = site.context();
  int64_t dim = *site.getDim(variable), extent = context.getExtent(inSum);
  if (ShapedType::isDynamic(extent))
    return reject(Why::SumNotProved, dim);
  auto readsBoth = [&](const ElementNode *a, const ElementNode *b) {
    if (a->getValue() != b->getValue())
      return false;
    for (auto [i, x, y] : llvm::enumerate(a->getIndices(), b->getIndices()))
      if (x == context.getIndex(variable) && y == context.getIndex(inSum))
        return context.isExtentOf(variable, a->getValue(), i);
    return false;
  };
  span.count = extent;
  if (!ShapedType::isDynamic(context.getExtent(variable)))
    return std::nullopt;
  for (auto *a : site.reader.getOccurrences(stripExtend(found.product.x)))
    for (auto *b : site.reader.getOccurrences(stripExtend(found.statistic.x)))
      if (readsBoth(a, b))
        return std::nullopt;
  return reject(Why::PartNotProved, extent, dim);
}

static bool isLessThan(int64_t extent, int64_t count) {
  return !ShapedType::isDynamic(extent) && extent < count;
}

/// Matches dimensions that the sum sees reshaped: each side has all of some
/// dimensions of the other one, or groups of one dimension.
static Check matchSplit(const Site &site, const Findings &found, Span &span,
                        llvm::DenseSet<unsigned> &used) {
  auto split = found.agreed.getSplitVariables();
  bool isReduced =
      split && llvm::all_of(split->inSum, [&](unsigned variable) {
        return llvm::is_contained(found.statistic.variables, variable) &&
               used.insert(variable).second;
      });
  if (!isReduced)
    return reject(Why::OtherIndices);
  for (unsigned variable : split->atRoot) {
    std::optional<int64_t> dim = site.getDim(variable);
    if (!dim || (split->group && !span.dims.empty()))
      return reject(Why::OtherIndices);
    span.dims.push_back(*dim);
  }
  if (split->group)
    span.groupSize = split->group->size;
  llvm::sort(span.dims);
  return std::nullopt;
}

Attempt<Span> norm::matchSpan(const Site &site, const Findings &found) {
  ArrayRef<unsigned> reduced = found.statistic.variables;
  Span span;
  llvm::DenseSet<unsigned> used;
  for (auto [atRoot, inSum] : found.agreed.getVariables()) {
    if (atRoot == inSum)
      continue;
    std::optional<int64_t> dim = site.getDim(atRoot);
    if (!dim || !llvm::is_contained(reduced, inSum) ||
        !used.insert(inSum).second)
      return reject(Why::OtherIndices);
    if (!site.context().haveSameExtent(atRoot, inSum))
      if (Check rejection = matchPart(site, atRoot, inSum, found, span))
        return std::move(*rejection);
    span.dims.push_back(*dim);
  }
  llvm::sort(span.dims);
  if (Check rejection = matchSplit(site, found, span, used))
    return std::move(*rejection);
  for (unsigned variable : reduced)
    if (!used.contains(variable) && site.context().getExtent(variable) != 1)
      return reject(Why::OtherDimension);
  if (span.count && (span.dims.size() != 1 || *span.count < 1 ||
                     isLessThan(site.getExtent(span.dims[0]), *span.count)))
    return reject(Why::PartOfDims, span.dims);
  if (span.dims.empty())
    return reject(Why::NoDims);
  // The sum of a group depends on the group: the digits above must agree.
  if (span.groupSize)
    return span;
  SmallVector<unsigned> depends = getDependentVariables(found.inverse.sum);
  for (int64_t dim : span.dims)
    if (llvm::is_contained(depends, site.space[dim]))
      return reject(Why::DependsOnReduced);
  return span;
}

//===----------------------------------------------------------------------===//
// x
//===----------------------------------------------------------------------===//

/// Returns true if `op` may be computed before `root` of its block: the ops
/// from there on that it needs have no effects and do not include `root`.
static bool canStandBefore(Operation *op, Operation *root) {
  constexpr size_t kMaxMoved = 16;
  llvm::SmallSetVector<Operation *, 8> moved;
  moved.insert(op);
  for (size_t i = 0; i < moved.size(); ++i) {
    if (moved[i]->getBlock() != root->getBlock() ||
        moved[i]->isBeforeInBlock(root))
      continue;
    if (moved[i] == root || i == kMaxMoved || !isMemoryEffectFree(moved[i]) ||
        op->hasTrait<OpTrait::IsTerminator>())
      return false;
    moved[i]->walk([&](Operation *each) {
      for (Value operand : each->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          if (!moved[i]->isAncestor(producer))
            moved.insert(producer);
    });
  }
  return true;
}

bool Site::variesOverAll(const Node *node) const {
  SmallVector<unsigned> depends = getDependentVariables(node);
  return llvm::all_of(space, [&](unsigned variable) {
    return llvm::is_contained(depends, variable) ||
           context().getExtent(variable) == 1;
  });
}

bool Site::isAvailable(Value value) const {
  linalg::LinalgOp root = body->op;
  Operation *producer = value.getDefiningOp();
  if (producer && producer->getBlock() == root->getBlock())
    return canStandBefore(producer, root);
  return dominance.properlyDominates(value, root);
}

/// Returns the dimension of the space for each dimension of `tensor` at
/// `indices`; nullopt if these are not a permutation of the space.
static std::optional<SmallVector<int64_t>>
getOrder(const Site &site, Value tensor, ArrayRef<AffineExpr> indices) {
  unsigned rank = site.getRank();
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || indices.size() != rank || type.getRank() != rank)
    return std::nullopt;
  SmallVector<int64_t> order(rank, -1);
  llvm::SmallBitVector used(rank);
  for (auto [i, index] : llvm::enumerate(indices)) {
    auto variable = dyn_cast<AffineDimExpr>(index);
    if (!variable)
      continue;
    std::optional<int64_t> dim = site.getDim(variable.getPosition());
    if (!dim || used.test(*dim) ||
        !site.context().isExtentOf(variable.getPosition(), tensor, i))
      return std::nullopt;
    used.set(*dim);
    order[i] = *dim;
  }
  // Unit dimensions, which have no index, follow in order.
  for (auto [i, dim] : llvm::enumerate(order)) {
    if (dim >= 0)
      continue;
    int free = used.find_first_unset();
    while (free >= 0 && site.getExtent(free) != 1)
      free = used.find_next_unset(free);
    if (free < 0 || type.getDimSize(i) != 1 ||
        indices[i] != getAffineConstantExpr(0, tensor.getContext()))
      return std::nullopt;
    used.set(free);
    dim = free;
  }
  return order;
}

namespace {
/// Looks for a tensor or a scalar that holds x; the first one found is taken.
struct InputFinder {
  const Site &site;
  PlannedNorm &norm;

  bool take(const ElementNode *element, ArrayRef<AffineExpr> indices,
            bool inOrder);
  bool findTensor(const Node *form, bool inOrder);
  bool findInSum(const Statistic &statistic, const Correspondence &agreed);
  bool findInBody(const Node *form);
  Value findElsewhere(const Node *form, const BodyOccurrence &occurrence);
  std::optional<AffineMap> getSpaceMap(const Body &body) const;
};
} // namespace

/// Takes the tensor of `element` as x, read at `indices` of the space.
bool InputFinder::take(const ElementNode *element, ArrayRef<AffineExpr> indices,
                       bool inOrder) {
  auto order = getOrder(site, element->getValue(), indices);
  if (!order || !site.isAvailable(element->getValue()) ||
      (inOrder && !llvm::is_sorted(*order)))
    return false;
  norm.input.value = element->getValue();
  norm.order = *order;
  return true;
}

bool InputFinder::findTensor(const Node *form, bool inOrder) {
  return llvm::any_of(site.reader.getOccurrences(form),
                      [&](const ElementNode *element) {
                        return take(element, element->getIndices(), inOrder);
                      });
}

/// Handles a statistic that reads x from a tensor that the scaling recomputes.
bool InputFinder::findInSum(const Statistic &statistic,
                            const Correspondence &agreed) {
  Context &context = site.context();
  llvm::DenseMap<AffineExpr, AffineExpr> toRoot;
  for (auto [atRoot, inSum] : agreed.getVariables())
    toRoot[context.getIndex(inSum)] = context.getIndex(atRoot);
  return llvm::any_of(site.reader.getOccurrences(stripExtend(statistic.x)),
                      [&](const ElementNode *element) {
                        auto indices = llvm::map_to_vector(
                            element->getIndices(), [&](AffineExpr index) {
                              return index.replace(toRoot);
                            });
                        return take(element, indices, /*inOrder=*/false);
                      });
}

/// Returns the map from the loops of a body to the space; nullopt if a
/// dimension is not one of the loops, or other loops have several iterations.
std::optional<AffineMap> InputFinder::getSpaceMap(const Body &body) const {
  if (&body == site.body)
    return site.spaceMap;
  linalg::LinalgOp op = body.op;
  MLIRContext *mlir = op->getContext();
  SmallVector<AffineExpr> results(site.getRank(),
                                  getAffineConstantExpr(0, mlir));
  llvm::SmallBitVector found(site.getRank());
  auto walksAll = [&](unsigned loop, unsigned variable) {
    for (OpOperand &operand : op->getOpOperands())
      for (auto [i, expr] :
           llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
        if (expr == getAffineDimExpr(loop, mlir) &&
            site.context().isExtentOf(variable, operand.get(), i))
          return true;
    return false;
  };
  for (auto [loop, index] : llvm::enumerate(body.loops)) {
    if (op.getStaticLoopRanges()[loop] == 1)
      continue;
    auto variable = dyn_cast<AffineDimExpr>(index);
    auto dim = variable ? site.getDim(variable.getPosition()) : std::nullopt;
    if (!dim || found.test(*dim) || !walksAll(loop, variable.getPosition()))
      return std::nullopt;
    found.set(*dim);
    results[*dim] = getAffineDimExpr(loop, mlir);
  }
  for (unsigned dim = 0; dim < site.getRank(); ++dim)
    if (!found.test(dim) && site.getExtent(dim) != 1)
      return std::nullopt;
  return AffineMap::get(op.getNumLoops(), 0, results, mlir);
}

/// Finds a tensor that the norm does not read and that holds what a body
/// recomputes; null if there is none.
Value InputFinder::findElsewhere(const Node *form,
                                 const BodyOccurrence &occurrence) {
  constexpr unsigned kMaxUsers = 16; // per tensor
  linalg::LinalgOp root = site.body->op;
  SmallVector<AffineExpr> indices;
  for (unsigned variable : site.space)
    indices.push_back(site.context().getIndex(variable));
  auto holds = [&](OpResult result) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type || type.getRank() != static_cast<int64_t>(indices.size()) ||
        type.getElementType() != form->getType())
      return false;
    for (auto [dim, variable] : llvm::enumerate(site.space))
      if (!site.context().isExtentOf(variable, result, dim))
        return false;
    const Node *element = site.reader.read(result, indices);
    Correspondence agreed(site.reader);
    return agreed.match(element, form) &&
           llvm::all_of(agreed.getVariables(),
                        [](auto pair) { return pair.first == pair.second; });
  };
  for (Value operand : linalg::LinalgOp(occurrence.body->op)->getOperands())
    for (auto [i, user] : llvm::enumerate(operand.getUsers())) {
      if (i == kMaxUsers)
        break;
      auto other = dyn_cast<linalg::LinalgOp>(user);
      if (!other || other->getBlock() != root->getBlock() ||
          other.getNumReductionLoops() > 0 || !other.hasPureTensorSemantics() ||
          !canStandBefore(other, root))
        continue;
      for (OpResult result : other->getResults())
        if (holds(result))
          return result;
    }
  return {};
}

/// Handles a fused residual or gate that one body or several bodies compute.
bool InputFinder::findInBody(const Node *form) {
  // A row that is repeated in the result cannot be x.
  if (!site.variesOverAll(form))
    return false;
  SmallVector<BodyOccurrence> occurrences;
  for (bool isRoot : {true, false})
    llvm::copy_if(site.reader.getBodyOccurrences(form),
                  std::back_inserter(occurrences),
                  [&](const BodyOccurrence &each) {
                    return (each.body == site.body) == isRoot;
                  });
  for (const BodyOccurrence &occurrence : occurrences) {
    std::optional<AffineMap> map = getSpaceMap(*occurrence.body);
    Operation *op = occurrence.body->op, *root = site.body->op;
    // The reader has read bodies for other norms too.
    if (!map || (op != root && !site.dominance.properlyDominates(op, root)))
      continue;
    norm.input.value = findElsewhere(form, occurrence);
    if (norm.input.value)
      return true;
    norm.input = {occurrence.scalar, occurrence.body->op, *map};
    return true;
  }
  return false;
}

Check norm::matchInput(const Site &site, const Findings &found,
                       PlannedNorm &norm) {
  norm.order = llvm::to_vector(llvm::seq<int64_t>(site.getRank()));
  InputFinder finder{site, norm};
  // The search starts with the narrowest value that becomes x in C.
  const Node *x = found.product.x;
  SmallVector<const Node *> forms{findNarrow(site.reader, x), stripExtend(x),
                                  x};
  if (x->is(Kind::Round) && x->getType() == norm.computeType)
    forms.insert(forms.begin(), x->getOperand(0));
  for (bool inOrder : {true, false})
    for (const Node *form : forms)
      if (finder.findTensor(form, inOrder))
        return std::nullopt;
  // |x| and -x may be squared, but they are not what is scaled.
  const Node *squared = stripExtend(found.statistic.x);
  bool isScaled = squared->getKind() == stripExtend(x)->getKind();
  if (isScaled && finder.findInSum(found.statistic, found.agreed))
    return std::nullopt;
  // A tensor of another shape is recomputed in the shape of the result.
  SmallVector<const Node *> computed{stripExtend(x), x};
  if (auto *element = dyn_cast<ElementNode>(stripExtend(x)))
    if (const Node *opened = site.reader.open(element))
      computed.push_back(opened);
  for (const Node *form : computed)
    if (finder.findInBody(form))
      return std::nullopt;
  return reject(Why::NoTensorForX);
}

std::optional<PlannedInput> norm::findOperand(const Site &site,
                                              const Node *form) {
  PlannedNorm norm;
  InputFinder finder{site, norm};
  SmallVector<const Node *> forms{findNarrow(site.reader, form),
                                  stripExtend(form), form};
  for (const Node *each : forms)
    if (finder.findTensor(each, /*inOrder=*/true))
      return norm.input;
  for (const Node *each : forms)
    if (finder.findInBody(each))
      return norm.input;
  return std::nullopt;
}
