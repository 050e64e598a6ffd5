//===- MatchOperands.cpp - where x, w and r are ---------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Match.h"

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::row;

//===----------------------------------------------------------------------===//
// Tensors in the space
//===----------------------------------------------------------------------===//

std::optional<int64_t> Site::getDim(unsigned variable) const {
  const auto *it = llvm::find(space, variable);
  return it == space.end() ? std::nullopt
                           : std::optional<int64_t>(it - space.begin());
}

/// Returns true if `op` may be computed before `root` of its block: the ops
/// from there on that it needs have no effects and do not include `root`.
static bool canStandBefore(Operation *op, Operation *root) {
  llvm::SmallSetVector<Operation *, 8> moved;
  moved.insert(op);
  for (size_t i = 0; i < moved.size(); ++i) {
    if (moved[i]->getBlock() != root->getBlock() ||
        moved[i]->isBeforeInBlock(root))
      continue;
    if (moved[i] == root || i == Context::kMaxRead ||
        !isMemoryEffectFree(moved[i]))
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
/// some of its unit dimensions. Unit dimensions that the space does not have
/// are left out and written to `surplus`, unless that is null.
static std::optional<SmallVector<int64_t>>
getOrder(const Site &site, Value tensor, ArrayRef<AffineExpr> indices,
         SmallVectorImpl<int64_t> *surplus = nullptr) {
  auto order = site.getDims(tensor, indices);
  if (!order)
    return std::nullopt;
  SmallVector<int64_t> units;
  for (int64_t dim : llvm::seq<int64_t>(site.getRank())) {
    int64_t times = llvm::count(*order, dim);
    if (times > 1 || (times == 0 && site.getExtent(dim) != 1))
      return std::nullopt;
    if (times == 0)
      units.push_back(dim);
  }
  // Unit dimensions, which have no index, follow in order.
  auto *unit = units.begin();
  for (auto [i, dim] : llvm::enumerate(*order)) {
    if (dim >= 0)
      continue;
    if (unit != units.end())
      dim = *unit++;
    else if (surplus)
      surplus->push_back(i);
    else
      return std::nullopt;
  }
  llvm::erase(*order, -1);
  return order;
}

SmallVector<int64_t> norm::getWholeShape(const PlannedInput &input) {
  SmallVector<int64_t> shape(
      cast<ShapedType>(input.value.getType()).getShape());
  for (int64_t dim : llvm::reverse(input.surplus))
    shape.erase(shape.begin() + dim);
  for (int64_t dim : input.units)
    shape.insert(shape.begin() + dim, 1);
  return shape;
}

//===----------------------------------------------------------------------===//
// x
//===----------------------------------------------------------------------===//

namespace {
/// How a tensor has the dimensions of the space.
enum class Shape { InOrder, AnyOrder, OtherUnits };

/// Looks for a tensor or a scalar that holds x; the first one found is taken.
struct InputFinder {
  const Site &site;
  PlannedNorm &norm;

  bool find(const Node *x, const Findings *found);
  bool take(Value tensor, ArrayRef<AffineExpr> indices, Shape shape);
  bool findTensor(const Node *form, Shape shape);
  bool findTensor(ArrayRef<const Node *> forms, Shape shape) {
    return llvm::any_of(
        forms, [&](const Node *form) { return findTensor(form, shape); });
  }
  bool findInSum(const Node *narrow, const Findings &found);
  bool findInBody(const Node *form);
  void readUsers(linalg::LinalgOp op);
};
} // namespace

/// Takes a tensor as x, read at `indices` of the space.
bool InputFinder::take(Value tensor, ArrayRef<AffineExpr> indices,
                       Shape shape) {
  SmallVector<int64_t, 1> surplus;
  auto order = getOrder(site, tensor, indices,
                        shape == Shape::OtherUnits ? &surplus : nullptr);
  if (!order || (shape != Shape::AnyOrder && !llvm::is_sorted(*order)) ||
      (shape != Shape::OtherUnits && order->size() < site.getRank()) ||
      !site.isAvailable(tensor))
    return false;
  norm.input.value = tensor;
  norm.input.units.clear();
  norm.input.surplus = surplus;
  norm.order = llvm::to_vector(llvm::seq<int64_t>(site.getRank()));
  for (int64_t dim : norm.order)
    if (!llvm::is_contained(*order, dim))
      norm.input.units.push_back(dim);
  if (norm.input.units.empty())
    norm.order = *order;
  return true;
}

bool InputFinder::findTensor(const Node *form, Shape shape) {
  norm.input.node = form;
  return llvm::any_of(
      site.reader.getOccurrences(form), [&](const ElementNode *element) {
        return take(element->getValue(), element->getIndices(), shape);
      });
}

/// Handles a statistic that reads x from a tensor that the scaling recomputes.
bool InputFinder::findInSum(const Node *narrow, const Findings &found) {
  const Node *squared = stripExtend(found.statistic.x);
  // |x| and -x may be squared, but they are not what is scaled.
  Correspondence agreed = found.agreed;
  if (!squared->is(narrow->getKind()) || !agreed.match(narrow, squared))
    return false;
  Context &context = site.context();
  llvm::DenseMap<AffineExpr, AffineExpr> toRoot;
  for (auto [atRoot, inSum] : found.agreed.getVariables())
    toRoot[context.getIndex(inSum)] = context.getIndex(atRoot);
  return llvm::any_of(
      site.reader.getOccurrences(squared), [&](const ElementNode *element) {
        auto indices =
            llvm::map_to_vector(element->getIndices(), [&](AffineExpr index) {
              return index.replace(toRoot);
            });
        return take(element->getValue(), indices, Shape::AnyOrder);
      });
}

/// Returns the map from the loops of a body to the space; nullopt if its result
/// does not have the shape of the space.
static std::optional<AffineMap> getSpaceMap(const Site &site,
                                            const Body &body) {
  if (&body == site.body)
    return site.spaceMap;
  linalg::LinalgOp op = body.op;
  AffineMap map = op.getIndexingMapMatchingResult(op->getResult(0));
  auto indices = llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
    return expr.replaceDims(body.loops);
  });
  auto order = getOrder(site, op->getResult(0), indices);
  if (!order || op.getNumReductionLoops() > 0)
    return std::nullopt;
  MLIRContext *mlir = op->getContext();
  SmallVector<AffineExpr> results(site.getRank(),
                                  getAffineConstantExpr(0, mlir));
  for (auto [dim, expr] : llvm::zip_equal(*order, map.getResults()))
    results[dim] = expr;
  return AffineMap::get(op.getNumLoops(), 0, results, mlir);
}

/// Reads the other ops on the operands of `op`: one of their results, which the
/// norm does not read, may hold what a body recomputes.
void InputFinder::readUsers(linalg::LinalgOp op) {
  auto indices = llvm::map_to_vector(site.space, [&](unsigned variable) {
    return site.context().getIndex(variable);
  });
  auto readResult = [&](Value result) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type || type.getRank() != site.getRank())
      return;
    if (auto *element =
            dyn_cast<ElementNode>(site.reader.read(result, indices)))
      site.reader.open(element);
  };
  for (Value operand : op->getOperands())
    for (auto [i, user] : llvm::enumerate(operand.getUsers())) {
      if (i == Context::kMaxRead)
        break;
      if (isa<linalg::LinalgOp>(user) &&
          user->getBlock() == site.body->op->getBlock())
        llvm::for_each(user->getResults(), readResult);
    }
}

/// Handles a fused residual or gate that one body or several bodies compute.
bool InputFinder::findInBody(const Node *form) {
  // A row that is repeated in the result cannot be x.
  if (!site.variesOverAll(form))
    return false;
  SmallVector<BodyOccurrence> occurrences(site.reader.getBodyOccurrences(form));
  auto *own = llvm::find_if(occurrences, [&](const BodyOccurrence &each) {
    return each.body == site.body;
  });
  if (own != occurrences.end())
    std::rotate(occurrences.begin(), own, own + 1);
  for (const BodyOccurrence &occurrence : occurrences) {
    std::optional<AffineMap> map = getSpaceMap(site, *occurrence.body);
    linalg::LinalgOp op = occurrence.body->op, root = site.body->op;
    // The reader has read bodies for other norms too.
    if (!map || (op != root && !site.dominance.properlyDominates(op, root)))
      continue;
    readUsers(op);
    if (!findTensor(form, Shape::InOrder))
      norm.input = {occurrence.scalar, op, *map, form, {}, {}};
    return true;
  }
  return false;
}

/// Finds x, of which the statistic in `found` may read another tensor, or
/// another value in the order of the space.
bool InputFinder::find(const Node *x, const Findings *found) {
  // The search starts with the narrowest value that becomes x in C.
  const Node *narrow = stripExtend(x);
  SmallVector<const Node *> forms{findNarrow(site.reader, x), narrow, x};
  if (x->is(Kind::Round) && x->getType() == norm.computeType)
    forms.insert(forms.begin(), x->getOperand(0));
  auto isHeld = [&](const Node *form) {
    return findTensor(form, Shape::InOrder) ||
           findTensor(form, Shape::OtherUnits);
  };
  if (llvm::any_of(forms, isHeld) ||
      (found && findTensor(forms, Shape::AnyOrder)))
    return true;
  norm.input.node = narrow;
  if (found && findInSum(narrow, *found))
    return true;
  // A tensor of another shape is recomputed in the shape of the result.
  SmallVector<const Node *> computed(forms);
  if (auto *element = dyn_cast<ElementNode>(narrow))
    if (const Node *opened = site.reader.open(element))
      computed.push_back(opened);
  return llvm::any_of(computed,
                      [&](const Node *each) { return findInBody(each); });
}

Rejection norm::matchInput(const Site &site, const Findings &found,
                           PlannedNorm &norm) {
  norm.order = llvm::to_vector(llvm::seq<int64_t>(site.getRank()));
  bool isFound = InputFinder{site, norm}.find(found.product.x, &found);
  return isFound ? Rejection() : reject(Rejection::NoTensorForX);
}

std::optional<PlannedInput> norm::findOperand(const Site &site,
                                              const Node *form) {
  PlannedNorm norm;
  bool isFound = InputFinder{site, norm}.find(form, nullptr);
  return isFound ? std::optional(norm.input) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// The weight and r
//===----------------------------------------------------------------------===//

/// Returns true if `element` reads a tensor over exactly `dims` of the space.
static bool holdsAt(const Site &site, const ElementNode *element,
                    ArrayRef<int64_t> dims) {
  auto found = site.getDims(element->getValue(), element->getIndices());
  return found && found->size() == dims.size() &&
         llvm::all_of_zip(*found, dims, [&](int64_t held, int64_t dim) {
           return held == dim || (held < 0 && site.getExtent(dim) == 1);
         });
}

/// Checks the bounds of an index, because linalg does not check them for ops
/// with dynamic extents.
static bool isElementOf(AffineExpr index, RankedTensorType type, int64_t dim) {
  auto constant = dyn_cast<AffineConstantExpr>(index);
  return constant && constant.getValue() >= 0 &&
         (type.isDynamicDim(dim) || constant.getValue() < type.getDimSize(dim));
}

/// Returns a tensor from which an op over `dims` can read the element.
static std::optional<WeightElement>
findReadable(const Site &site, const Node *node, ArrayRef<int64_t> dims) {
  MLIRContext *mlir = site.context().getContext();
  for (const ElementNode *element : site.reader.getOccurrences(node)) {
    auto type = dyn_cast<RankedTensorType>(element->getValue().getType());
    SmallVector<AffineExpr> results;
    for (auto [i, index] : llvm::enumerate(element->getIndices())) {
      auto dim = site.getDim(index, element->getValue(), i);
      const auto *it = dim ? llvm::find(dims, *dim) : dims.end();
      if (type && it != dims.end())
        results.push_back(getAffineDimExpr(it - dims.begin(), mlir));
      else if (type && isElementOf(index, type, i))
        results.push_back(index);
    }
    if (type && results.size() == element->getIndices().size() &&
        site.isAvailable(element->getValue()))
      return WeightElement{node, element->getValue(),
                           AffineMap::get(dims.size(), 0, results, mlir)};
  }
  return std::nullopt;
}

bool norm::findElements(const Site &site, const Node *root,
                        ArrayRef<int64_t> dims, PlannedWeight &weight) {
  llvm::SmallSetVector<const Node *, 16> nodes;
  nodes.insert(root);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Node *node = nodes[i];
    if (node->is(Kind::Element)) {
      std::optional<WeightElement> element = findReadable(site, node, dims);
      if (!element)
        return false;
      weight.elements.push_back(*element);
    } else if (node->is(Kind::Mul) || node->is(Kind::Add) ||
               node->is(Kind::Div) || node->is(Kind::Neg) ||
               node->is(Kind::Round) || node->is(Kind::Extend)) {
      nodes.insert_range(node->getOperands());
    } else if (!node->is(Kind::Constant)) {
      return false;
    }
    if (!site.context().mayRead(nodes.size()))
      return false;
  }
  weight.expression = root;
  return true;
}

Rejection norm::matchWeight(const Site &site, const Node *weight,
                            PlannedNorm &norm) {
  ArrayRef<unsigned> depends = getDependentVariables(weight);
  SmallVector<int64_t> dims;
  for (int64_t dim : norm.order)
    if (llvm::is_contained(depends, site.space[dim]))
      dims.push_back(dim);
  SmallVector<const ElementNode *> held = site.reader.getOccurrences(weight);
  if (dims.empty() && !held.empty() && norm.dims.size() == 1 &&
      site.getExtent(norm.dims[0]) == 1)
    dims = norm.dims; // an extent of 1, which has no index
  bool overDims = llvm::any_of(
      dims, [&](int64_t dim) { return llvm::is_contained(norm.dims, dim); });
  if (!dims.empty() && !overDims)
    return reject(Rejection::WeightElsewhere, dims, norm.dims);
  if (dims.size() == site.getRank() && norm.dims.size() < dims.size())
    return reject(Rejection::Gate);
  norm.weightDims = dims;
  for (const ElementNode *element : held)
    if (holdsAt(site, element, dims) && site.isAvailable(element->getValue())) {
      norm.weight.tensor = element->getValue();
      return {};
    }
  if (!findElements(site, weight, dims, norm.weight))
    return reject(Rejection::NoTensorForWeight, dims);
  return {};
}

/// Finds r of S8 before it is rounded to scale_type, over the batch dimensions.
void norm::findInverseRoots(const Site &site, const Product &product,
                            PlannedNorm &norm) {
  const Node *r = stripExtend(product.root.base);
  if (r->is(Kind::Round))
    r = r->getOperand(0);
  if (r->getType() != norm.computeType || product.root.exponent != Fraction(1))
    return;
  SmallVector<int64_t> kept;
  for (int64_t dim : norm.order)
    if (!llvm::is_contained(norm.dims, dim))
      kept.push_back(dim);
  for (const ElementNode *element : site.reader.getOccurrences(r))
    if (site.holdsDims(element, kept) && element->getValue().getDefiningOp())
      norm.inverseRoots.push_back(element->getValue());
}
