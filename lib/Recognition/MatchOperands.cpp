//===- MatchOperands.cpp - types, and the tensors that hold x and w
//---------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Matcher.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::norm;
using Kind = Expr::Kind;

/// S2 to S6: every value has the type that the op would give it.
Check Matcher::checkTypes(RMSNormMatch &match) {
  auto expect = [&](Type found, Type expected, const char *what) -> Check {
    if (found == expected)
      return std::nullopt;
    return refuse(Refusal::RoundingNotRepresentable,
                  Twine(what) + " is computed in " + text(found) +
                      ", expected " + text(expected));
  };
  // S2: each sum is in C, or wider than its terms.
  if (Check reason = checkRaised())
    return reason;
  for (const Expr *term : inverse.terms)
    if (raises)
      break;
    else if (Check reason =
                 expect(stripExtend(term)->type, compute, "the square"))
      return reason;
  if (inverse.roundsMean) {
    auto sum = cast<FloatType>(inverse.sum->type);
    if (sum.getWidth() <= compute.getWidth())
      return refuse(Refusal::RoundingNotRepresentable,
                    "the mean is rounded after it was divided in " + text(sum));
    match.sumType = sum;
  }
  FloatType z = normalizedType ? normalizedType : compute;
  if (weight) {
    auto w = cast<FloatType>(weight->type);
    if (Check reason = expect(weightProduct, getWiderFloatType(z, w),
                              "the product with the weight"))
      return reason;
  }
  match.computeType = compute;
  match.scaleType = scaleType;
  match.rootForm = inverse.form;
  match.normalizedType = normalizedType;
  return std::nullopt;
}

Check Matcher::checkRounding() {
  if (rounding != Rounding::Exact)
    return std::nullopt;
  auto multiplies = [](const Scale &scale) { return scale.numerator > 0; };
  const char *what = nullptr;
  if (inverse.viaRsqrt)
    what = "math.rsqrt, where the op divides by a square root";
  else if (llvm::any_of(inverse.inside, multiplies))
    what = "a product with 1/n, where the op divides by n";
  else if (!inverse.outside.empty() || !inverse.numerator.empty())
    what = "a root that is scaled, where the op divides the sum";
  else if (inverse.dropsNaN)
    what = "a clamp that gives epsilon for a NaN, where the op gives NaN";
  else if (inverse.boundsAbove)
    what = "an upper bound, which the op does not have";
  else if (reorders)
    what = "products in another order than the op's";
  if (!what)
    return std::nullopt;
  return refuse(Refusal::RoundingNotExact,
                Twine("rounding=exact refuses ") + what);
}

/// Whether `anchor` holds its expression at (d0, d1, ...) of the root's shape.
bool Matcher::holdsAt(const Anchor &anchor, ArrayRef<int64_t> dims) {
  if (anchor.indices.size() != dims.size())
    return false;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (!reader.isExtentOf(dim, anchor.tensor, i))
      return false;
    bool isUnit = reader.getExtent(dim) == 1;
    auto index = dyn_cast<AffineDimExpr>(anchor.indices[i]);
    if (!isUnit && (!index || index.getPosition() != dim))
      return false;
  }
  return true;
}

/// The root dimension that each dimension of the anchor's tensor is; nothing
/// where it is not a permutation of all of them.
std::optional<SmallVector<int64_t>> Matcher::getOrder(const Anchor &anchor) {
  unsigned rank = reader.getRank();
  if (anchor.indices.size() != rank)
    return std::nullopt;
  SmallVector<int64_t> order(rank, -1);
  llvm::SmallBitVector used(rank);
  for (auto [i, index] : llvm::enumerate(anchor.indices)) {
    auto dim = dyn_cast<AffineDimExpr>(index);
    if (!dim)
      continue;
    unsigned position = dim.getPosition();
    if (position >= rank || used.test(position) ||
        !reader.isExtentOf(position, anchor.tensor, i))
      return std::nullopt;
    used.set(position);
    order[i] = position;
  }
  // Unit dimensions, which indices do not name, follow in their order.
  for (auto [i, dim] : llvm::enumerate(order)) {
    if (dim >= 0)
      continue;
    int free = used.find_first_unset();
    if (free < 0 || reader.getExtent(free) != 1 ||
        !reader.isExtentOf(free, anchor.tensor, i) ||
        anchor.indices[i] !=
            getAffineConstantExpr(0, anchor.tensor.getContext()))
      return std::nullopt;
    used.set(free);
    dim = free;
  }
  return order;
}

bool Matcher::holdsInput(const Anchor &anchor, RMSNormMatch &match) {
  std::optional<SmallVector<int64_t>> order = getOrder(anchor);
  if (!order)
    return false;
  match.input = anchor.tensor;
  match.order = *order;
  return true;
}

/// The statistic reads x from a tensor, the scaling computes it once more.
bool Matcher::findInputInSum(RMSNormMatch &match) {
  MLIRContext *context = compute.getContext();
  llvm::DenseMap<AffineExpr, AffineExpr> toRoot;
  for (auto [rootDim, sumDim] : reducedOf.getDims())
    toRoot[getAffineDimExpr(sumDim, context)] =
        getAffineDimExpr(rootDim, context);
  for (const Anchor &inSum :
       reader.getAnchors(stripExtend(square->operands[0]))) {
    Anchor anchor = inSum;
    for (AffineExpr &index : anchor.indices)
      index = index.replace(toRoot);
    if (holdsInput(anchor, match))
      return true;
  }
  return false;
}

/// A row that the result repeats is no x.
bool Matcher::variesOverAll(const Expr *expr) {
  llvm::SmallBitVector dims = getDependentDims(expr, reader.getRank());
  for (unsigned dim = 0; dim < reader.getRank(); ++dim)
    if (!dims.test(dim) && reader.getExtent(dim) != 1)
      return false;
  return true;
}

/// A residual or a gate that was fused: computed in one body or in several.
bool Matcher::findInputInBody(RMSNormMatch &match) {
  for (const Expr *form : {stripExtend(x), x}) {
    if (!variesOverAll(form))
      continue;
    for (const BodyAnchor &anchor : reader.getBodyAnchors(form)) {
      std::optional<AffineMap> map = reader.getSpaceMap(anchor);
      if (!map)
        continue;
      if (Value tensor = reader.findTensor(form, anchor)) {
        match.input = tensor;
        return true;
      }
      match.input = anchor.scalar;
      match.inputOp = anchor.op;
      match.inputMap = *map;
      return true;
    }
  }
  return false;
}

Check Matcher::findInput(RMSNormMatch &match) {
  SmallVector<int64_t> all =
      llvm::to_vector(llvm::seq<int64_t>(reader.getRank()));
  match.order = all;
  // The narrowest value that is widened, or rounded, to x in C.
  SmallVector<const Expr *> forms{stripExtend(x), x};
  if (x->kind == Kind::Round && x->type == compute)
    forms.insert(forms.begin(), x->operands[0]);
  for (const Expr *form : forms)
    for (const Anchor &anchor : reader.getAnchors(form))
      if (holdsAt(anchor, all)) {
        match.input = anchor.tensor;
        return std::nullopt;
      }
  // In another order: a transposition that was fused.
  for (const Expr *form : forms)
    for (const Anchor &anchor : reader.getAnchors(form))
      if (holdsInput(anchor, match))
        return std::nullopt;
  if (findInputInSum(match) || findInputInBody(match))
    return std::nullopt;
  return refuse(Refusal::InputNotRepresentable,
                "no tensor holds x in the shape of the result");
}

/// S8: r before its rounding to scale_type, over what is not normalised.
void Matcher::findInverseRoots(RMSNormMatch &match) {
  const Expr *r = stripExtend(rootFactor);
  if (r->kind == Kind::Round)
    r = r->operands[0];
  // x / sqrt(sum) * sqrt(n): what a tensor holds is not r.
  if (r->type != compute || !inverse.numerator.empty())
    return;
  SmallVector<int64_t> kept;
  for (int64_t dim : match.order)
    if (!llvm::is_contained(match.dims, dim) && reader.getExtent(dim) != 1)
      kept.push_back(dim);
  for (const Anchor &anchor : reader.getAnchors(r)) {
    SmallVector<int64_t> found;
    for (auto [i, index] : llvm::enumerate(anchor.indices))
      if (auto dim = dyn_cast<AffineDimExpr>(index);
          dim && reader.isExtentOf(dim.getPosition(), anchor.tensor, i))
        found.push_back(dim.getPosition());
      else if (cast<RankedTensorType>(anchor.tensor.getType()).getDimSize(i) !=
               1)
        found.push_back(-1);
    if (found == kept && anchor.tensor.getDefiningOp())
      match.inverseRoots.push_back(anchor.tensor);
  }
}

/// From dimensions of the root to those of the input.
void Matcher::toInputSpace(RMSNormMatch &match) {
  auto translate = [&](SmallVectorImpl<int64_t> &dims) {
    for (int64_t &dim : dims)
      dim = llvm::find(match.order, dim) - match.order.begin();
    llvm::sort(dims);
  };
  translate(match.dims);
  translate(match.weightDims);
}

/// Whether a small linalg.generic over `dims` can compute the expression.
static bool canMaterialize(const Expr *expr, const ExprReader &reader,
                           ArrayRef<int64_t> dims, unsigned depth) {
  switch (expr->kind) {
  case Kind::Constant:
    return true;
  case Kind::Element:
    return reader.findReadable(expr, dims) != nullptr;
  case Kind::Mul:
  case Kind::Add:
  case Kind::Neg:
  case Kind::Round:
  case Kind::Extend:
    return depth < 16 &&
           llvm::all_of(
               expr->operands,
               [&](const Expr *e) {
                 return ::canMaterialize(e, reader, dims, depth + 1);
               });
  default:
    return false;
  }
}

bool norm::canMaterialize(const Expr *expr, const ExprReader &reader,
                          ArrayRef<int64_t> dims) {
  return ::canMaterialize(expr, reader, dims, 0);
}

Check Matcher::findWeight(RMSNormMatch &match) {
  if (!weight)
    return std::nullopt;
  llvm::SmallBitVector used = getDependentDims(weight, reader.getRank());
  SmallVector<int64_t> dims;
  for (int64_t dim : match.order)
    if (used.test(dim))
      dims.push_back(dim);
  if (dims.empty() && reader.getAnchors(weight).size() &&
      match.dims.size() == 1 && reader.getExtent(match.dims[0]) == 1)
    dims = match.dims; // an extent of 1, which indices do not show
  bool overDims = llvm::any_of(
      dims, [&](int64_t dim) { return llvm::is_contained(match.dims, dim); });
  if (!dims.empty() && !overDims)
    return refuse(Refusal::WeightNotOverDims,
                  "the weight runs over dims " + text(dims) +
                      ", none of which is among the normalised dims " +
                      text(match.dims));
  if (dims.size() == reader.getRank() && !match.dims.empty() &&
      match.dims.size() < dims.size())
    return refuse(Refusal::WeightNotRepresentable,
                  "the other factor varies over every dimension: a gate, not a "
                  "weight");
  match.weightDims = dims;
  for (const Anchor &anchor : reader.getAnchors(weight))
    if (holdsAt(anchor, dims)) {
      match.weight = anchor.tensor;
      return std::nullopt;
    }
  if (!canMaterialize(weight, reader, dims))
    return refuse(Refusal::WeightNotRepresentable,
                  "no tensor holds the weight over dims " + text(dims));
  match.weightExpr = weight;
  return std::nullopt;
}
