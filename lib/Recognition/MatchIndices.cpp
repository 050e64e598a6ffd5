//===- MatchIndices.cpp - one index at the root and inside the sum --------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatchIndices.h"

using namespace mlir;
using namespace mlir::norm;

using Digits = SmallVector<IndexDigit>; // the lowest first, none of size 1

/// The lowest digits that have `size` values together; the others stay.
static std::optional<Digits> takeLow(Digits &digits, int64_t size) {
  Digits low;
  while (size > 1) {
    if (digits.empty())
      return low; // the value is below `size` anyway
    IndexDigit &next = digits.front();
    if (size % next.size == 0) {
      size /= next.size;
      low.push_back(next);
      digits.erase(digits.begin());
      continue;
    }
    if (next.size % size != 0)
      return std::nullopt;
    low.push_back({next.dim, next.divisor, size});
    if (llvm::MulOverflow(next.divisor, size, next.divisor))
      return std::nullopt;
    next.size /= size;
    size = 1;
  }
  return low;
}

static std::optional<Digits> getDigits(AffineExpr index,
                                       const ExprReader &reader);

/// a * stride + b, where b has `stride` values.
static std::optional<Digits> getDigitsOfSum(AffineBinaryOpExpr sum,
                                            const ExprReader &reader) {
  AffineExpr high = sum.getLHS(), low = sum.getRHS();
  for (int turn = 0; turn < 2; ++turn, std::swap(high, low)) {
    int64_t stride = 1;
    AffineExpr factor = high;
    if (auto product = dyn_cast<AffineBinaryOpExpr>(high))
      if (auto constant = dyn_cast<AffineConstantExpr>(product.getRHS());
          constant && product.getKind() == AffineExprKind::Mul) {
        stride = constant.getValue();
        factor = product.getLHS();
      }
    std::optional<Digits> a = getDigits(factor, reader),
                          b = getDigits(low, reader);
    if (!a || !b)
      continue;
    int64_t values = 1;
    bool overflows = llvm::any_of(*b, [&](const IndexDigit &digit) {
      return llvm::MulOverflow(values, digit.size, values);
    });
    if (overflows || values != stride)
      continue;
    llvm::append_range(*b, *a);
    return b;
  }
  return std::nullopt;
}

static std::optional<Digits> getDigits(AffineExpr index,
                                       const ExprReader &reader) {
  if (auto constant = dyn_cast<AffineConstantExpr>(index))
    return constant.getValue() == 0 ? std::optional<Digits>(Digits())
                                    : std::nullopt;
  if (auto dim = dyn_cast<AffineDimExpr>(index)) {
    int64_t extent = reader.getExtent(dim.getPosition());
    if (extent < 1) // dynamic, or nothing at all
      return std::nullopt;
    return extent == 1 ? Digits() : Digits{{dim.getPosition(), 1, extent}};
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(index);
  if (!binary)
    return std::nullopt;
  if (binary.getKind() == AffineExprKind::Add)
    return getDigitsOfSum(binary, reader);
  auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
  std::optional<Digits> digits = getDigits(binary.getLHS(), reader);
  if (!by || by.getValue() < 1 || !digits)
    return std::nullopt;
  if (binary.getKind() == AffineExprKind::Mod)
    return takeLow(*digits, by.getValue());
  if (binary.getKind() == AffineExprKind::FloorDiv &&
      takeLow(*digits, by.getValue()))
    return digits;
  return std::nullopt;
}

static bool isWhole(const IndexDigit &digit, const ExprReader &reader) {
  return digit.divisor == 1 && digit.size == reader.getExtent(digit.dim);
}

bool DimCorrespondence::add(IndexDigit atRoot, IndexDigit inSum,
                            const ExprReader &reader) {
  if (isWhole(atRoot, reader) && isWhole(inSum, reader))
    return dims.try_emplace(atRoot.dim, inSum.dim).first->second == inSum.dim;
  for (const auto &[known, other] : digits) {
    bool isSame = known == atRoot;
    if (isSame != (other == inSum))
      return false;
    if (isSame)
      return true;
  }
  digits.push_back({atRoot, inSum});
  return true;
}

bool DimCorrespondence::agreeOnDigits(AffineExpr atRoot, AffineExpr inSum,
                                      const ExprReader &reader) {
  std::optional<Digits> a = getDigits(atRoot, reader),
                        b = getDigits(inSum, reader);
  if (!a || !b)
    return false;
  while (!a->empty() && !b->empty()) {
    int64_t size = std::min(a->front().size, b->front().size);
    std::optional<Digits> x = takeLow(*a, size), y = takeLow(*b, size);
    if (!x || !y || !add(x->front(), y->front(), reader))
      return false;
  }
  return a->empty() && b->empty();
}

bool DimCorrespondence::agree(AffineExpr atRoot, AffineExpr inSum,
                              const ExprReader &reader) {
  if (auto dim = dyn_cast<AffineDimExpr>(atRoot))
    if (auto other = dyn_cast<AffineDimExpr>(inSum)) {
      // One root dimension is either the same inside the sum or reduced there.
      auto it = dims.try_emplace(dim.getPosition(), other.getPosition()).first;
      return it->second == other.getPosition();
    }
  DimCorrespondence saved = *this;
  auto a = dyn_cast<AffineBinaryOpExpr>(atRoot),
       b = dyn_cast<AffineBinaryOpExpr>(inSum);
  if (a && b && a.getKind() == b.getKind() &&
      agree(a.getLHS(), b.getLHS(), reader) &&
      agree(a.getRHS(), b.getRHS(), reader))
    return true;
  *this = saved;
  if (isa<AffineConstantExpr>(atRoot) || isa<AffineConstantExpr>(inSum))
    return atRoot == inSum;
  if (agreeOnDigits(atRoot, inSum, reader))
    return true;
  *this = std::move(saved);
  return false;
}

/// Whether the digits of each dimension are all of it, without overlap.
static bool areComplete(SmallVector<IndexDigit> digits,
                        const ExprReader &reader,
                        SmallVectorImpl<unsigned> &dims) {
  llvm::sort(digits, [](const IndexDigit &a, const IndexDigit &b) {
    return std::tie(a.dim, a.divisor) < std::tie(b.dim, b.divisor);
  });
  for (size_t i = 0; i < digits.size();) {
    unsigned dim = digits[i].dim;
    int64_t next = 1;
    for (; i < digits.size() && digits[i].dim == dim; ++i) {
      if (digits[i].divisor != next ||
          llvm::MulOverflow(next, digits[i].size, next))
        return false;
    }
    if (next != reader.getExtent(dim))
      return false;
    dims.push_back(dim);
  }
  return true;
}

std::optional<std::pair<SmallVector<unsigned>, SmallVector<unsigned>>>
DimCorrespondence::getSplitDims(const ExprReader &reader) const {
  SmallVector<IndexDigit> roots, sums;
  llvm::SmallDenseSet<unsigned> kept;
  for (const auto &[atRoot, inSum] : digits) {
    if (atRoot == inSum) {
      kept.insert(atRoot.dim);
      continue;
    }
    roots.push_back(atRoot);
    sums.push_back(inSum);
  }
  std::pair<SmallVector<unsigned>, SmallVector<unsigned>> result;
  if (!areComplete(roots, reader, result.first) ||
      !areComplete(sums, reader, result.second))
    return std::nullopt;
  for (unsigned dim : result.first)
    if (kept.contains(dim) || dims.count(dim))
      return std::nullopt;
  return result;
}
