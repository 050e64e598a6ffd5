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

/// Returns the tensor of which the value is an element, or null.
static Value getTensor(const Node *node) {
  auto *element = dyn_cast<ElementNode>(stripCasts(node));
  return element ? element->getValue() : Value();
}

namespace {
/// The factors of a product with a saved root, each as it is read.
struct SavedFactors {
  SmallVector<const Node *, 1> rows;
  SmallVector<Factor> others;
};
} // namespace

/// Returns true for an x of `inputs`, which may be a product itself.
static bool isInput(const Node *node, ArrayRef<PlannedNorm> inputs) {
  Value tensor = getTensor(node);
  return tensor && llvm::any_of(inputs, [&](const PlannedNorm &dx) {
           return dx.gradient->root.exists() &&
                  getTensor(dx.input.node) == tensor;
         });
}

static SavedFactors readSaved(const Site &site, const Node *product,
                              ArrayRef<PlannedNorm> inputs) {
  SavedFactors result;
  auto isX = [&](const Node *node) { return isInput(node, inputs); };
  for (const Factor &factor :
       readParts(site.reader, Factor{product, Fraction(1)},
                 {llvm::to_vector(site.space), /*batch=*/{}}, Opening::All, isX)
           .varying) {
    const Node *row = openRow(site.reader, stripCasts(factor.base));
    // What has been saved may be the mean, of which r is computed again.
    if (row->is(Kind::Rsqrt) || row->is(Kind::Sqrt) || row->is(Kind::Power))
      row = openRow(site.reader, stripCasts(row->getOperand(0)));
    if ((row->is(Kind::Element) || row->is(Kind::Add)) &&
        !site.variesOverAll(row))
      result.rows.push_back(row);
    else
      result.others.push_back(factor);
  }
  return result;
}

/// Returns true for the product x * dy of a gradient dx.
static bool isWithoutRoot(const SavedFactors &factors,
                          ArrayRef<PlannedNorm> inputs) {
  auto holds = [&](Value tensor) {
    return llvm::any_of(factors.others, [&](const Factor &factor) {
      return factor.exponent == Fraction(1) && getTensor(factor.base) == tensor;
    });
  };
  return factors.rows.empty() && factors.others.size() == 2 &&
         llvm::any_of(inputs, [&](const PlannedNorm &dx) {
           Value x = getTensor(dx.input.node);
           Value dy = getTensor(dx.gradient->dy.node);
           return x && dy && x != dy && holds(x) && holds(dy);
         });
}

/// Chooses x among the two other factors of a product with a saved root: that
/// of a gradient dx with such a root. If there is none, a product of three
/// factors is dw only where the root scales one of them first and the last
/// dimension is kept: a sum of dy * w * x along the row is none.
static Value chooseX(const Site &site, const Node *product,
                     const SavedFactors &factors, ArrayRef<unsigned> along,
                     ArrayRef<PlannedNorm> inputs) {
  for (const Factor &factor : factors.others)
    if (isInput(factor.base, inputs))
      return getTensor(factor.base);
  product = openRow(site.reader, stripCasts(product));
  if (!product->is(Kind::Mul))
    return {};
  for (const Node *side : product->getOperands()) {
    SavedFactors scaled = readSaved(site, side, inputs);
    if (scaled.rows.size() != 1 || scaled.others.size() != 1)
      continue;
    auto *x = dyn_cast<ElementNode>(stripCasts(scaled.others[0].base));
    auto last = x && !x->getIndices().empty()
                    ? dyn_cast<AffineDimExpr>(x->getIndices().back())
                    : AffineDimExpr(nullptr);
    if (last && llvm::is_contained(along, last.getPosition()))
      return x->getValue();
  }
  return {};
}

/// Finds the variables along a row, r, x and dy, which is the other factor.
static RejectionOr<RowVariables>
readProduct(const Site &site, ArrayRef<PlannedNorm> inputs, GradientLaw &law) {
  const Factor term{site.node->getOperand(0), Fraction(1)};
  const SavedFactors saved = readSaved(site, term.base, inputs);
  const Node *row = findRootBelow(site.reader, term.base);
  if (!row && isWithoutRoot(saved, inputs))
    return reject(Rejection::WeightGradientWithoutRoot);
  if (!row && (saved.rows.size() != 1 || saved.others.size() != 2))
    return reject(Rejection::NoCandidate);
  RowVariables variables = splitSpace(site, row ? row : saved.rows[0]);
  bool sumsAlong = llvm::any_of(variables.along, [&](unsigned variable) {
    return llvm::is_contained(site.node->getVariables(), variable);
  });
  if (variables.along.empty() || sumsAlong)
    return reject(Rejection::NoCandidate);
  Value tensor =
      row ? Value()
          : chooseX(site, law.product, saved, variables.along, inputs);
  if (!row && !tensor)
    return reject(Rejection::NoCandidate);
  if (Rejection rejection =
          readRowRoot(site.reader, readParts(site.reader, term, variables).rows)
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
    Parts parts = readParts(site.reader, term, variables, Opening::Wanted, isX);
    const Node *x = takeX(parts.varying, isX);
    if (!x || parts.varying.size() != 1 ||
        parts.varying[0].exponent != Fraction(1))
      return reject(Rejection::NoCandidate);
    law.g.dy = parts.varying[0].base;
    return x;
  };
  if (Rejection rejection = matchRowAndX(site, law.root, read, law.found))
    return rejection;
  return variables;
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

/// Returns the gradient dx that reads the same tensor, or null.
static const PlannedNorm *findShared(ArrayRef<PlannedNorm> inputs, Value x) {
  const auto *it = llvm::find_if(inputs, [&](const PlannedNorm &dx) {
    return !dx.input.op && stripUnits(dx.input.value) == stripUnits(x);
  });
  return it == inputs.end() ? nullptr : it;
}

/// Returns the dimension of the space for each one of x, -1 for a unit
/// dimension. An op with both gradients reads x in one shape, that of `dx`.
static std::optional<SmallVector<int64_t>>
findOrder(const Site &site, const ElementNode *x, const PlannedNorm *dx) {
  auto dims = site.getDims(x->getValue(), x->getIndices());
  if (!dims)
    return std::nullopt;
  SmallVector<int64_t> loops, order;
  llvm::copy_if(*dims, std::back_inserter(loops), [&](int64_t dim) {
    return dim >= 0 && site.getExtent(dim) != 1;
  });
  for (int64_t dim = 0, e = site.getRank(); dim < e; ++dim)
    if (site.getExtent(dim) != 1 && llvm::count(loops, dim) != 1)
      return std::nullopt;
  if (!dx)
    return dims;
  const auto *next = loops.begin();
  for (int64_t extent : getWholeShape(dx->input))
    order.push_back(extent == 1 || next == loops.end() ? -1 : *next++);
  return order;
}

/// Orders the space as x, which the program may read transposed, and with its
/// unit dimensions.
static bool orderSpace(Site &site, const Node *x,
                       ArrayRef<PlannedNorm> inputs) {
  SmallVector<const ElementNode *> elements =
      site.reader.getOccurrences(stripExtend(x));
  llvm::partition(elements, [&](const ElementNode *element) {
    return findShared(inputs, element->getValue());
  });
  Context &context = site.context();
  for (const ElementNode *element : elements) {
    const PlannedNorm *dx = findShared(inputs, element->getValue());
    auto dims = findOrder(site, element, dx);
    if (!dims)
      continue;
    SmallVector<unsigned> order;
    SmallVector<AffineExpr> results;
    for (int64_t dim : *dims) {
      order.push_back(dim < 0 ? context.addVariable(/*extent=*/1)
                              : site.space[dim]);
      results.push_back(dim < 0 ? getAffineConstantExpr(0, context.getContext())
                                : site.spaceMap.getResult(dim));
    }
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
  RejectionOr<RowVariables> variables = readProduct(site, inputs, law);
  if (!variables)
    return variables.takeRejection();
  if (!orderSpace(site, found.product.x, inputs))
    return reject(Rejection::NoTensorForX);
  for (auto [dim, variable] : llvm::enumerate(site.space))
    if (llvm::is_contained(variables->along, variable))
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
