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
static Rejection matchPart(const Site &site, unsigned variable, unsigned inSum,
                           const Findings &found, Span &span) {
  Context &context = site.context();
  int64_t dim = *site.getDim(variable), extent = context.getExtent(inSum);
  if (ShapedType::isDynamic(extent))
    return reject(Rejection::SumNotProved, dim);
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
    return {};
  for (auto *a : site.reader.getOccurrences(stripExtend(found.product.x)))
    for (auto *b : site.reader.getOccurrences(stripExtend(found.statistic.x)))
      if (readsBoth(a, b))
        return {};
  return reject(Rejection::PartNotProved, extent, dim);
}

static bool isLessThan(int64_t extent, int64_t count) {
  return !ShapedType::isDynamic(extent) && extent < count;
}

/// Matches dimensions that the sum sees reshaped: each side has all of some
/// dimensions of the other one, or groups of one dimension.
static Rejection matchSplit(const Site &site, const Findings &found, Span &span,
                            llvm::DenseSet<unsigned> &used) {
  auto split = found.agreed.getSplitVariables();
  bool isReduced =
      split && llvm::all_of(split->inSum, [&](unsigned variable) {
        return llvm::is_contained(found.statistic.variables, variable) &&
               used.insert(variable).second;
      });
  if (!isReduced)
    return reject(Rejection::OtherIndices);
  for (unsigned variable : split->atRoot) {
    std::optional<int64_t> dim = site.getDim(variable);
    if (!dim || (split->group && !span.dims.empty()))
      return reject(Rejection::OtherIndices);
    span.dims.push_back(*dim);
  }
  if (split->group)
    span.groupSize = split->group->size;
  llvm::sort(span.dims);
  return {};
}

RejectionOr<Span> norm::matchSpan(const Site &site, const Findings &found) {
  ArrayRef<unsigned> reduced = found.statistic.variables;
  Span span;
  llvm::DenseSet<unsigned> used;
  for (auto [atRoot, inSum] : found.agreed.getVariables()) {
    if (atRoot == inSum)
      continue;
    std::optional<int64_t> dim = site.getDim(atRoot);
    if (!dim || !llvm::is_contained(reduced, inSum) ||
        !used.insert(inSum).second)
      return reject(Rejection::OtherIndices);
    if (!site.context().haveSameExtent(atRoot, inSum))
      if (Rejection rejection = matchPart(site, atRoot, inSum, found, span))
        return rejection;
    span.dims.push_back(*dim);
  }
  llvm::sort(span.dims);
  if (Rejection rejection = matchSplit(site, found, span, used))
    return rejection;
  for (unsigned variable : reduced)
    if (!used.contains(variable) && site.context().getExtent(variable) != 1)
      return reject(Rejection::OtherDimension);
  if (span.count && (span.dims.size() != 1 || *span.count < 1 ||
                     isLessThan(site.getExtent(span.dims[0]), *span.count)))
    return reject(Rejection::PartOfDims, span.dims);
  if (span.dims.empty())
    return reject(Rejection::NoDims);
  // The sum of a group depends on the group: the digits above must agree.
  if (span.groupSize)
    return span;
  ArrayRef<unsigned> depends = getDependentVariables(found.inverse.sum);
  for (int64_t dim : span.dims)
    if (llvm::is_contained(depends, site.space[dim]))
      return reject(Rejection::DependsOnReduced);
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
  ArrayRef<unsigned> depends = getDependentVariables(node);
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

std::optional<int64_t> Site::getDim(AffineExpr index, Value tensor,
                                    int64_t i) const {
  auto variable = dyn_cast<AffineDimExpr>(index);
  return variable && context().isExtentOf(variable.getPosition(), tensor, i)
             ? getDim(variable.getPosition())
             : std::nullopt;
}

std::optional<SmallVector<int64_t>>
Site::getDims(Value tensor, ArrayRef<AffineExpr> indices) const {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> dims;
  for (auto [i, index] : llvm::enumerate(indices)) {
    dims.push_back(getDim(index, tensor, i).value_or(-1));
    if (dims.back() < 0 && (!type || type.getDimSize(i) != 1))
      return std::nullopt;
  }
  return type ? std::optional(dims) : std::nullopt;
}

bool Site::holdsDims(const ElementNode *element, ArrayRef<int64_t> dims) const {
  auto found = getDims(element->getValue(), element->getIndices());
  if (!found)
    return false;
  SmallVector<int64_t> expected(dims);
  llvm::erase_if(expected, [&](int64_t dim) { return getExtent(dim) == 1; });
  llvm::erase(*found, -1);
  return *found == expected;
}

/// Returns the dimension of the space for each dimension of `tensor` at
/// `indices`; nullopt if these are not a permutation of the space, without
/// some of its unit dimensions.
static std::optional<SmallVector<int64_t>>
getOrder(const Site &site, Value tensor, ArrayRef<AffineExpr> indices) {
  unsigned rank = site.getRank();
  auto order = site.getDims(tensor, indices);
  if (!order || order->size() > rank)
    return std::nullopt;
  llvm::SmallBitVector used(rank);
  for (int64_t dim : *order) {
    if (dim >= 0 && used.test(dim))
      return std::nullopt;
    if (dim >= 0)
      used.set(dim);
  }
  // Unit dimensions, which have no index, follow in order.
  for (int64_t &dim : *order) {
    if (dim >= 0)
      continue;
    int free = used.find_first_unset();
    while (free >= 0 && site.getExtent(free) != 1)
      free = used.find_next_unset(free);
    if (free < 0)
      return std::nullopt;
    used.set(free);
    dim = free;
  }
  for (unsigned dim = 0; dim < rank; ++dim)
    if (!used.test(dim) && site.getExtent(dim) != 1)
      return std::nullopt;
  return order;
}

namespace {
/// Looks for a tensor or a scalar that holds x; the first one found is taken.
struct InputFinder {
  const Site &site;
  PlannedNorm &norm;
  /// Whether a tensor may lack unit dimensions of the space.
  enum class Units { Kept, Added } units = Units::Kept;

  bool take(const ElementNode *element, ArrayRef<AffineExpr> indices,
            bool inOrder);
  bool findTensor(const Node *form, bool inOrder);
  bool findWithoutUnits(ArrayRef<const Node *> forms);
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
  bool mustSort = inOrder || units == Units::Added;
  if (!order || (mustSort && !llvm::is_sorted(*order)) ||
      (order->size() < site.getRank() && units == Units::Kept) ||
      !site.isAvailable(element->getValue()))
    return false;
  norm.input.value = element->getValue();
  norm.input.units.clear();
  norm.order = llvm::to_vector(llvm::seq<int64_t>(site.getRank()));
  for (int64_t dim : norm.order)
    if (!llvm::is_contained(*order, dim))
      norm.input.units.push_back(dim);
  if (norm.input.units.empty())
    norm.order = *order;
  return true;
}

/// Looks for a tensor to which unit dimensions of the space are added.
bool InputFinder::findWithoutUnits(ArrayRef<const Node *> forms) {
  units = Units::Added;
  return llvm::any_of(forms, [&](const Node *form) {
    return findTensor(form, /*inOrder=*/true);
  });
}

bool InputFinder::findTensor(const Node *form, bool inOrder) {
  norm.input.node = form;
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
  // A loop that walks all of a dimension has its extent from an operand.
  auto findDim = [&](unsigned loop, AffineExpr at) -> std::optional<int64_t> {
    for (OpOperand &operand : op->getOpOperands())
      for (auto [i, expr] :
           llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
        if (expr == getAffineDimExpr(loop, mlir))
          if (auto dim = site.getDim(at, operand.get(), i))
            return dim;
    return std::nullopt;
  };
  for (auto [loop, index] : llvm::enumerate(body.loops)) {
    if (op.getStaticLoopRanges()[loop] == 1)
      continue;
    auto dim = findDim(loop, index);
    if (!dim || found.test(*dim))
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
    return isSame(site.reader, site.reader.read(result, indices), form);
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
  norm.input.node = form;
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
    norm.input = {occurrence.scalar, occurrence.body->op, *map, form, {}};
    return true;
  }
  return false;
}

Rejection norm::matchInput(const Site &site, const Findings &found,
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
        return {};
  // |x| and -x may be squared, but they are not what is scaled.
  const Node *squared = stripExtend(found.statistic.x);
  bool isScaled = squared->getKind() == stripExtend(x)->getKind();
  norm.input.node = stripExtend(x);
  if (isScaled && finder.findInSum(found.statistic, found.agreed))
    return {};
  // A tensor of another shape is recomputed in the shape of the result.
  SmallVector<const Node *> computed{stripExtend(x), x};
  if (auto *element = dyn_cast<ElementNode>(stripExtend(x)))
    if (const Node *opened = site.reader.open(element))
      computed.push_back(opened);
  for (const Node *form : computed)
    if (finder.findInBody(form))
      return {};
  if (finder.findWithoutUnits(forms))
    return {};
  return reject(Rejection::NoTensorForX);
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
  if (finder.findWithoutUnits(forms))
    return norm.input;
  return std::nullopt;
}
