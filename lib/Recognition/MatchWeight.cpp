//===- MatchWeight.cpp - what holds the weight, and r ---------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Match.h"

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::row;

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
  constexpr size_t kMaxNodes = 64;
  llvm::SmallSetVector<const Node *, 16> nodes;
  nodes.insert(root);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Node *node = nodes[i];
    switch (node->getKind()) {
    case Kind::Constant:
      break;
    case Kind::Element: {
      std::optional<WeightElement> element = findReadable(site, node, dims);
      if (!element)
        return false;
      weight.elements.push_back(*element);
      break;
    }
    case Kind::Mul:
    case Kind::Add:
    case Kind::Div:
    case Kind::Neg:
    case Kind::Round:
    case Kind::Extend:
      nodes.insert_range(node->getOperands());
      break;
    default:
      return false;
    }
    if (nodes.size() > kMaxNodes)
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
  const Node *r = stripExtend(product.root);
  if (r->is(Kind::Round))
    r = r->getOperand(0);
  if (r->getType() != norm.computeType || product.divides)
    return;
  SmallVector<int64_t> kept;
  for (int64_t dim : norm.order)
    if (!llvm::is_contained(norm.dims, dim))
      kept.push_back(dim);
  for (const ElementNode *element : site.reader.getOccurrences(r))
    if (site.holdsDims(element, kept) && element->getValue().getDefiningOp())
      norm.inverseRoots.push_back(element->getValue());
}
