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
  ArrayRef<AffineExpr> indices = element->getIndices();
  auto type = dyn_cast<RankedTensorType>(element->getValue().getType());
  if (!type || indices.size() != dims.size())
    return false;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    unsigned variable = site.space[dim];
    if (!site.context().isExtentOf(variable, element->getValue(), i) ||
        (site.getExtent(dim) != 1 &&
         indices[i] != site.context().getIndex(variable)))
      return false;
  }
  return true;
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
      auto variable = dyn_cast<AffineDimExpr>(index);
      auto dim = variable ? site.getDim(variable.getPosition()) : std::nullopt;
      const auto *it = dim ? llvm::find(dims, *dim) : dims.end();
      if (type && it != dims.end() &&
          site.context().isExtentOf(variable.getPosition(), element->getValue(),
                                    i))
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

Check norm::matchWeight(const Site &site, const Node *weight,
                        PlannedNorm &norm) {
  SmallVector<unsigned> depends = getDependentVariables(weight);
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
    return reject(Why::WeightElsewhere, dims, norm.dims);
  if (dims.size() == site.getRank() && norm.dims.size() < dims.size())
    return reject(Why::Gate);
  norm.weightDims = dims;
  for (const ElementNode *element : held)
    if (holdsAt(site, element, dims) && site.isAvailable(element->getValue())) {
      norm.weight.tensor = element->getValue();
      return std::nullopt;
    }
  if (!findElements(site, weight, dims, norm.weight))
    return reject(Why::NoTensorForWeight, dims);
  return std::nullopt;
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
    if (!llvm::is_contained(norm.dims, dim) && site.getExtent(dim) != 1)
      kept.push_back(dim);
  for (const ElementNode *element : site.reader.getOccurrences(r)) {
    Value tensor = element->getValue();
    auto type = dyn_cast<RankedTensorType>(tensor.getType());
    SmallVector<int64_t> found;
    for (auto [i, index] : llvm::enumerate(element->getIndices())) {
      auto variable = dyn_cast<AffineDimExpr>(index);
      if (variable &&
          site.context().isExtentOf(variable.getPosition(), tensor, i))
        found.push_back(site.getDim(variable.getPosition()).value_or(-1));
      else if (!type || type.getDimSize(i) != 1)
        found.push_back(-1);
    }
    if (type && found == kept && tensor.getDefiningOp())
      norm.inverseRoots.push_back(tensor);
  }
}
