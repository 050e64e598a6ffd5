//===- MatchWeightGradient.cpp - is this sum the gradient dw? -------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// dw is the sum of dy * z over all dimensions that the weight does not have.
// The space of the decision is that of the summed products.
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::row;

//===----------------------------------------------------------------------===//
// The product
//===----------------------------------------------------------------------===//

/// Returns the variables along a row, which r does not depend on; none if the
/// sum is one along the row.
static SmallVector<unsigned> findAlong(const Site &site, const Node *row) {
  ArrayRef<unsigned> depends = getDependentVariables(row);
  SmallVector<unsigned> along;
  for (unsigned variable : site.space)
    if (site.context().getExtent(variable) != 1 &&
        !llvm::is_contained(depends, variable))
      along.push_back(variable);
  bool sumsAlong = llvm::any_of(along, [&](unsigned variable) {
    return llvm::is_contained(site.node->getVariables(), variable);
  });
  return sumsAlong ? SmallVector<unsigned>() : along;
}

/// Returns the tensor of which the value is an element, or null.
static Value getTensor(const Node *node) {
  auto *element = dyn_cast<ElementNode>(stripCasts(node));
  return element ? element->getValue() : Value();
}

namespace {
/// The factors of a product with a saved root, each as it is read.
struct SavedFactors {
  SmallVector<const Node *, 1> rows, others;
};
} // namespace

static SavedFactors readSaved(const Site &site, const Node *product) {
  SavedFactors result;
  for (const Factor &factor :
       readParts(site.reader, Factor{product, Fraction(1)}, site.space,
                 Opening::All)
           .varying) {
    const Node *row = openRow(site.reader, stripCasts(factor.base));
    bool isRow = (row->is(Kind::Element) || row->is(Kind::Add)) &&
                 !site.variesOverAll(row);
    (isRow ? result.rows : result.others).push_back(isRow ? row : factor.base);
  }
  return result;
}

/// Returns true if the row is `tensor` or, with an epsilon outside, contains
/// it.
static bool isOf(const Node *row, Value tensor) {
  return getTensor(row) == tensor ||
         (row->is(Kind::Add) &&
          llvm::any_of(row->getOperands(),
                       [&](const Node *each) { return isOf(each, tensor); }));
}

/// Returns true if the gradient dx is given the root that `row` is or contains.
static bool hasRoot(const PlannedNorm &dx, const Node *row) {
  const PlannedWeight &root = dx.gradient->root;
  return (root.tensor && isOf(row, root.tensor)) ||
         llvm::any_of(root.elements, [&](const WeightElement &element) {
           return isOf(row, element.tensor);
         });
}

/// Chooses x among the two other factors of a product with a saved root. If no
/// gradient dx is given this root, a product of three factors is dw only where
/// the root scales one of them first and the last dimension is kept: a sum of
/// dy * w * x along the row is none.
static Value chooseX(const Site &site, const Node *product,
                     const SavedFactors &factors, ArrayRef<unsigned> along,
                     ArrayRef<PlannedNorm> inputs) {
  for (const Node *factor : factors.others) {
    Value x = getTensor(factor);
    bool isKnown = false;
    for (const PlannedNorm &dx : inputs) {
      if (!x || !dx.gradient->root.exists() || getTensor(dx.input.node) != x)
        continue;
      if (hasRoot(dx, factors.rows[0]))
        return x;
      isKnown = true;
    }
    if (isKnown)
      return {};
  }
  if (!product->is(Kind::Mul))
    return {};
  for (const Node *side : product->getOperands()) {
    SavedFactors scaled = readSaved(site, side);
    if (scaled.rows.size() != 1 || scaled.others.size() != 1)
      continue;
    auto *x = dyn_cast<ElementNode>(stripCasts(scaled.others[0]));
    auto last = x && !x->getIndices().empty()
                    ? dyn_cast<AffineDimExpr>(x->getIndices().back())
                    : AffineDimExpr(nullptr);
    if (last && llvm::is_contained(along, last.getPosition()))
      return x->getValue();
  }
  return {};
}

/// Finds the variables along a row, r, x and dy, which is the other factor.
static RejectionOr<SmallVector<unsigned>>
readProduct(const Site &site, ArrayRef<PlannedNorm> inputs, GradientLaw &law) {
  const Factor term{site.node->getOperand(0), Fraction(1)};
  const SavedFactors saved = readSaved(site, term.base);
  const Node *row = findRootBelow(site.reader, term.base);
  if (!row && (saved.rows.size() != 1 || saved.others.size() != 2))
    return reject(Rejection::NoCandidate);
  SmallVector<unsigned> along = findAlong(site, row ? row : saved.rows[0]);
  Value tensor;
  if (!row && !along.empty())
    tensor = chooseX(site, law.product, saved, along, inputs);
  if (along.empty() || (!row && !tensor))
    return reject(Rejection::NoCandidate);
  if (Rejection rejection =
          readRowRoot(site.reader, readParts(site.reader, term, along).rows)
              .moveInto(law.root))
    return rejection;
  if (law.root.isComputed() != (row != nullptr))
    return reject(Rejection::NoCandidate);
  auto isTensor = [&](const Node *node) {
    auto *element = dyn_cast<ElementNode>(node);
    return element && element->getValue() == tensor;
  };
  auto read = [&](NodePredicate isSquared) -> RejectionOr<const Node *> {
    NodePredicate isX = isSquared ? isSquared : isTensor;
    const Node *x = nullptr;
    Parts parts = readParts(site.reader, term, along, Opening::Wanted, isX);
    for (const auto &[node, exponent] : parts.varying) {
      const Node *&place = !x && isX(node) ? x : law.g.dy;
      if (place || exponent != Fraction(1))
        return reject(Rejection::NoCandidate);
      place = node;
    }
    if (!x || !law.g.dy || parts.isScaled)
      return reject(Rejection::NoCandidate);
    return x;
  };
  if (Rejection rejection = matchRowAndX(site, law.root, read, law.found))
    return rejection;
  return along;
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

/// Orders the space as x, which the program may read transposed, and with its
/// unit dimensions.
static bool orderSpace(Site &site, const Node *x,
                       ArrayRef<PlannedNorm> inputs) {
  Context &context = site.context();
  size_t numLoops = llvm::count_if(site.space, [&](unsigned variable) {
    return context.getExtent(variable) != 1;
  });
  // An op with both gradients reads x from one tensor.
  auto isShared = [&](const ElementNode *element) {
    return llvm::any_of(inputs, [&](const PlannedNorm &dx) {
      return areOneView(dx.input.value, element->getValue());
    });
  };
  SmallVector<const ElementNode *> elements =
      site.reader.getOccurrences(stripExtend(x));
  std::partition(elements.begin(), elements.end(), isShared);
  for (const ElementNode *element : elements) {
    SmallVector<unsigned> order;
    SmallVector<AffineExpr> results;
    llvm::SmallDenseSet<unsigned> loops;
    for (AffineExpr index : element->getIndices()) {
      auto variable = dyn_cast<AffineDimExpr>(index);
      auto dim = variable ? site.getDim(variable.getPosition()) : std::nullopt;
      if (dim && loops.insert(variable.getPosition()).second) {
        order.push_back(variable.getPosition());
        results.push_back(site.spaceMap.getResult(*dim));
      } else if (index == getAffineConstantExpr(0, context.getContext())) {
        order.push_back(context.addVariable(/*extent=*/1));
        results.push_back(index);
      }
    }
    if (loops.size() != numLoops ||
        order.size() != element->getIndices().size())
      continue;
    site.space = order;
    site.spaceMap = AffineMap::get(site.spaceMap.getNumDims(), 0, results,
                                   context.getContext());
    return true;
  }
  return false;
}

/// Returns the dimensions that are kept, which must be in the order of x.
static RejectionOr<SmallVector<int64_t>> findWeightDims(const Site &site,
                                                        const Span &span) {
  linalg::LinalgOp op = site.body->op;
  AffineMap map =
      op.getIndexingMapMatchingResult(cast<OpResult>(site.reduction));
  SmallVector<int64_t> dims;
  for (AffineExpr expr : map.getResults())
    for (auto [dim, each] : llvm::enumerate(site.spaceMap.getResults()))
      if (each == expr && isa<AffineDimExpr>(expr) && site.getExtent(dim) != 1)
        dims.push_back(dim);
  bool overDims = llvm::any_of(
      dims, [&](int64_t dim) { return llvm::is_contained(span.dims, dim); });
  if (!overDims || !llvm::is_sorted(dims))
    return reject(Rejection::NoCandidate);
  return dims;
}

/// Returns the type that z is rounded to, if one rounding is between x and dy.
static FloatType findRoundingOfZ(Reader &reader, const Node *product) {
  for (const Node *side : product->getOperands()) {
    auto [z, type] = readRounded(reader, side);
    bool isZ = z->is(Kind::Mul) || z->is(Kind::Div);
    if (isZ && (z->getType() != type || z->getWidth() == 16))
      return type;
  }
  return {};
}

static RejectionOr<GradientLaw> infer(Site &site,
                                      ArrayRef<PlannedNorm> inputs) {
  if (!site.node->is(Kind::Sum))
    return reject(Rejection::NoCandidate);
  GradientLaw law(site.reader);
  Findings &found = law.found;
  law.product =
      openRow(site.reader, findNarrow(site.reader, site.node->getOperand(0)));
  law.g.rounded = findRoundingOfZ(site.reader, law.product);
  RejectionOr<SmallVector<unsigned>> along = readProduct(site, inputs, law);
  if (!along)
    return along.takeRejection();
  if (!orderSpace(site, found.product.x, inputs))
    return reject(Rejection::NoTensorForX);
  for (auto [dim, variable] : llvm::enumerate(site.space))
    if (llvm::is_contained(*along, variable))
      found.span.dims.push_back(dim);
  if (law.root.isComputed())
    if (Rejection rejection = matchRowSpan(site, found))
      return rejection;
  if (Rejection rejection =
          findWeightDims(site, found.span).moveInto(law.weightDims))
    return rejection;
  bool isNarrow = site.node->getWidth() < law.product->getWidth();
  if (isNarrow && site.rounding != Rounding::Relaxed)
    return reject(Rejection::TermRounded, site.node->getType());
  return law;
}

RejectionOr<PlannedNorm>
norm::decideWeightGradient(Site &site, ArrayRef<PlannedNorm> inputs) {
  RejectionOr<GradientLaw> law = infer(site, inputs);
  return law ? planGradient(site, *law) : law.takeRejection();
}
