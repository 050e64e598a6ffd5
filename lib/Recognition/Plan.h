//===- Plan.h - what recognition will do -------------------------*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder. Every decision is taken on the program as it is and
// written down here; the rewrite then does all of it, and decides nothing.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_RECOGNITION_PLAN_H
#define NORM_RECOGNITION_PLAN_H

#include "../RowExpression/Reader.h"
#include "mlir/IR/PatternMatch.h"
#include "norm/Recognition/Recognize.h"

namespace mlir::norm {

/// A tensor, or a scalar of a body that is to become one.
struct PlannedInput {
  Value value;
  linalg::LinalgOp op; // that body's op; null for a tensor
  AffineMap map;       // from its loops to the dimensions of the norm's space
};

/// An element that a computed weight reads: `tensor` at `map` of the weight's
/// own dimensions.
struct WeightElement {
  const row::Node *node;
  Value tensor;
  AffineMap map;
};

/// A weight: a tensor, or an expression of constants, elements, sums, products
/// and roundings, to be computed by one linalg.generic.
struct PlannedWeight {
  Value tensor;
  const row::Node *expression = nullptr;
  SmallVector<WeightElement> elements;
  bool exists() const { return tensor || expression; }
};

/// One norm.rmsnorm in the place of `scalar`. `dims`, `weightDims` are the
/// input's dimensions.
struct PlannedNorm {
  linalg::LinalgOp op; // whose body computes...
  Value scalar;        // ...the result of the norm
  /// From the loops of `op` to the dimensions of the norm's space, of which
  /// `order` says which each dimension of the input is.
  AffineMap space;
  SmallVector<int64_t> order;
  PlannedInput input;
  PlannedWeight weight;
  std::optional<int64_t> count; // S7
  /// Of the only one of `dims`, which becomes two dimensions for the norm.
  std::optional<int64_t> groupSize;
  SmallVector<int64_t> dims, weightDims;
  APFloat epsilon{0.0}; // in computeType
  EpsilonMode mode = EpsilonMode::Inside;
  RootForm rootForm = RootForm::Reciprocal;
  FloatType computeType;
  FloatType sumType, scaleType, normalizedType; // null: absent
  /// Tensors that hold r in C, as inv_rms would but for unit dimensions.
  SmallVector<Value, 1> inverseRoots;
};

struct PlannedRefusal {
  Operation *function; // may be null
  RefusedNorm norm;
};

/// What is to become of a program, and what stays as it was.
struct Plan {
  /// The nodes that the norms refer to.
  std::unique_ptr<row::Context> context;
  std::vector<PlannedNorm> norms; // in program order
  std::vector<PlannedRefusal> refused;
  /// Roots of what no sum computes, unless a callee does.
  std::vector<PlannedRefusal> rootsOfOthers;
};

/// Decides about every candidate in `scope`. Of norms that overlap the largest
/// stands, unless a value in it has other users and is a norm itself.
Plan makePlan(Operation *scope, Rounding rounding);

/// Puts every norm of `plan`, which is in program order, into the program, and
/// returns them in this order; null: only dead ops used it, and it is erased
/// with them. Nothing is erased before all of them stand.
SmallVector<RMSNormOp> rewrite(RewriterBase &rewriter,
                               ArrayRef<PlannedNorm> plan);

/// An empty tensor of `sizes`, as `type`, which may know more of them.
Value createEmpty(RewriterBase &rewriter, Location loc,
                  ArrayRef<OpFoldResult> sizes, RankedTensorType type);

/// Gives `norm` the result inv_rms in the place of `tensors`, which hold it and
/// have other users, and returns its replacement; does nothing and returns
/// `norm` where it cannot stand before these.
RMSNormOp reuseStatistic(RewriterBase &rewriter, RMSNormOp norm,
                         ArrayRef<Value> tensors);

} // namespace mlir::norm

#endif // NORM_RECOGNITION_PLAN_H
