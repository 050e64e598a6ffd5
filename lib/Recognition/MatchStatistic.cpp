//===- MatchStatistic.cpp - is this a sum of squares? ---------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Match.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::row;

std::optional<Scale> norm::getScale(const Factor &factor) {
  if (!factor.base->is(Kind::Constant) && !factor.base->is(Kind::Count))
    return std::nullopt;
  return Scale{factor.base, factor.exponent};
}

const Node *norm::getSquared(Reader &reader, const Node *node) {
  if (auto *power = dyn_cast<PowerNode>(node))
    return power->getExponent() == Fraction(2) ? power->getBase() : nullptr;
  if (!node->is(Kind::Mul) && !node->is(Kind::Fma))
    return nullptr;
  if (node->is(Kind::Fma) && !isConstant(node->getOperand(2), -0.0))
    return nullptr;
  const Node *a = node->getOperand(0), *b = node->getOperand(1);
  if (a == b)
    return a;
  // Constants are not views.
  if (!stripExtend(a)->is(Kind::Element) || !stripExtend(b)->is(Kind::Element))
    return nullptr;
  return isSame(reader, a, b) ? a : nullptr;
}

/// Describes the term of a sum that is not x^2.
static std::string describeTerm(const Node *term) {
  term = stripExtend(term);
  switch (term->getKind()) {
  case Kind::Power: {
    const auto &[numerator, denominator] = cast<PowerNode>(term)->getExponent();
    return llvm::formatv("powers {0}/{1}", numerator, denominator);
  }
  case Kind::Abs:
    return "|x|";
  case Kind::Mul:
    return "products";
  case Kind::Opaque:
    return cast<OpaqueNode>(term)->getName().str() + " values";
  default:
    return "something else";
  }
}

namespace {
/// Follows a sum to its squares, which may be scaled (x^2 / n), rounded, or
/// themselves in sums (a mean of means).
class TermReader {
public:
  explicit TermReader(Reader &reader) : reader(reader) {}

  RejectionOr<Statistic> read(const SumNode *sum);

private:
  const Node *readTerm(const Node *term);

  Reader &reader;
  Statistic found;
};
} // namespace

/// Strips the casts of a partial sum or a square.
static const Node *stripRounding(const Node *term) {
  term = stripExtend(term);
  while ((term->is(Kind::Round) || term->is(Kind::Extend)) &&
         isArithmeticType(term->getType()) &&
         isArithmeticType(term->getOperand(0)->getType()))
    term = term->getOperand(0);
  return term;
}

/// Returns the sum in `term`; null at its end, where a square sets `found.x`.
const Node *TermReader::readTerm(const Node *term) {
  found.terms.push_back(term);
  SmallVector<const Node *> worklist{stripRounding(term)};
  const Node *inner = nullptr;
  while (!worklist.empty()) {
    auto isLeaf = [&](const Node *node) {
      return node->is(Kind::Sum) || getSquared(reader, node);
    };
    for (const Factor &factor :
         collectFactors(worklist.pop_back_val(), Fraction(1), isLeaf)) {
      const Node *base = stripRounding(factor.base);
      if (auto scale = getScale({base, factor.exponent}))
        found.scales.push_back(*scale);
      else if (inner || factor.exponent != Fraction(1))
        return nullptr;
      else if (base != factor.base && base->is(Kind::Mul) && !isLeaf(base))
        worklist.push_back(base);
      else
        inner = base;
    }
  }
  if (inner && inner->is(Kind::Sum))
    return inner;
  if (inner)
    found.x = getSquared(reader, inner);
  return nullptr;
}

RejectionOr<Statistic> TermReader::read(const SumNode *sum) {
  while (true) {
    llvm::append_range(found.variables, sum->getVariables());
    const Node *next = readTerm(sum->getTerm());
    if (!next)
      break;
    sum = cast<SumNode>(next);
  }
  if (found.x)
    return std::move(found);
  const Node *term = stripExtend(found.terms.back());
  if (auto *element = dyn_cast<ElementNode>(term))
    if (const Node *opened = reader.open(element))
      term = opened;
  return reject(Rejection::OtherTerm, describeTerm(term));
}

RejectionOr<Statistic> norm::matchStatistic(Reader &reader, const Node *sum) {
  if (auto *opaque = dyn_cast<OpaqueNode>(sum))
    return reject(Rejection::OtherReduction, opaque->getName());
  return TermReader(reader).read(cast<SumNode>(sum));
}

std::optional<Statistic> norm::skipPadding(Reader &reader,
                                           Statistic statistic) {
  Context &context = reader.getContext();
  auto *padded = dyn_cast<ElementNode>(stripExtend(statistic.x));
  auto pad = padded ? padded->getValue().getDefiningOp<tensor::PadOp>()
                    : tensor::PadOp();
  Value padding = pad ? pad.getConstantPaddingValue() : Value();
  if (!padding || !matchPattern(padding, m_AnyZeroFloat()))
    return std::nullopt;
  SmallVector<AffineExpr> indices(padded->getIndices());
  for (int64_t dim : llvm::seq(pad.getSourceType().getRank())) {
    if (!pad.getPaddedDims().test(dim))
      continue;
    auto index = dyn_cast<AffineDimExpr>(indices[dim]);
    auto *it = index ? llvm::find(statistic.variables, index.getPosition())
                     : statistic.variables.end();
    if (it == statistic.variables.end() ||
        !context.isExtentOf(*it, pad.getResult(), dim))
      return std::nullopt;
    *it = context.addVariable(pad.getSourceType().getDimSize(dim));
    if (pad.getSourceType().isDynamicDim(dim))
      context.getInfo(*it).sources.push_back(
          context.getExtents().getExtent(pad.getSource(), dim));
    indices[dim] = context.getIndex(*it);
  }
  const Node *inner = reader.read(pad.getSource(), std::move(indices));
  statistic.padded = padded;
  statistic.x = statistic.x == padded
                    ? inner
                    : context.get(Kind::Extend, statistic.x->getType(), inner);
  return statistic;
}
