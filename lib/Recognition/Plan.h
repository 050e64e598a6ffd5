//===- Plan.h - what recognition will do -------------------------*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This header is private to this folder. All decisions are made on the
// unchanged program and recorded in the plan; the rewrite decides nothing.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_RECOGNITION_PLAN_H
#define NORM_LIB_RECOGNITION_PLAN_H

#include "../RowExpression/Reader.h"
#include "mlir/IR/PatternMatch.h"
#include "norm/Recognition/Recognize.h"

namespace mlir::norm {

/// A tensor, or a scalar of a body that will become one.
struct PlannedInput {
  Value value;
  linalg::LinalgOp op; // the op of that body; null for a tensor
  AffineMap map;       // from its loops to the dimensions of the norm's space
  const row::Node *node = nullptr; // what it holds
  /// Unit dimensions of the space that the tensor does not have.
  SmallVector<int64_t, 1> units;
  /// Unit dimensions of the tensor that the space does not have.
  SmallVector<int64_t, 1> surplus;
};

/// Returns the shape of a tensor with the unit dimensions of the space.
SmallVector<int64_t> getWholeShape(const PlannedInput &input);

/// An element that a computed weight reads: `tensor` at `map` of the dimensions
/// of the weight.
struct WeightElement {
  const row::Node *node;
  Value tensor;
  AffineMap map;
};

/// A weight: a tensor, or an expression of constants, elements, sums, products
/// and roundings that one linalg.generic will compute.
struct PlannedWeight {
  Value tensor;
  const row::Node *expression = nullptr;
  SmallVector<WeightElement> elements;
  bool exists() const { return tensor || expression; }
};

/// What norm.rmsnorm_backward has beside a norm. `dw` is the result of a sum
/// that it replaces; null if there is none.
struct PlannedGradient {
  PlannedInput dy;
  /// r, or the root before epsilon, of an op that is given one of them.
  PlannedWeight root;
  bool isRootBeforeEpsilon = false;
  /// The weight in the type in which it is multiplied, if that is wider.
  PlannedWeight wideWeight;
  /// Sums of squares in r, with their reshapes.
  SmallVector<Value, 2> statistics;
  /// A gradient that is added to dx, in the value that is replaced; it has no
  /// value if there is none.
  PlannedInput residual;
  OpResult dw;
  FloatType dwType;
  /// The sum, if `dw` is its rounding, for a weight of the sum's type.
  OpResult sum;
  FloatType sumType;
};

/// How far the value of a program and that of the op may be apart.
struct Difference {
  /// The rules of rounding=default that were used, named as in
  /// docs/Recognition.md; none for the same operations.
  SmallVector<StringRef, 2> rules;
  /// The sum of what they and the shared operations after them round, in ulp of
  /// the compute type; nullopt if the values decide.
  std::optional<double> ulps;
};

/// One norm.rmsnorm or, with `gradient`, norm.rmsnorm_backward. It replaces
/// `scalar`, which is null for a dw alone. `dims` and `weightDims` are
/// dimensions of the input.
struct PlannedNorm {
  linalg::LinalgOp op; // the op whose body computes `scalar`
  Value scalar;        // the result of the norm
  /// Maps the loops of `op` to the dimensions of the norm's space; `order` has
  /// the one for each dimension of the input.
  AffineMap space;
  SmallVector<int64_t> order;
  PlannedInput input;
  PlannedWeight weight;
  std::optional<int64_t> count; // of S7
  /// The group size of the only one of `dims`, which is split for the norm.
  std::optional<int64_t> groupSize;
  SmallVector<int64_t> dims, weightDims;
  APFloat epsilon{0.0}; // in computeType
  EpsilonMode mode = EpsilonMode::Inside;
  RootForm rootForm = RootForm::Reciprocal;
  FloatType computeType;
  FloatType sumType, scaleType, normalizedType; // null: absent
  /// Tensors that hold r in C, as inv_rms does, up to unit dimensions.
  SmallVector<Value, 1> inverseRoots;
  Difference difference;
  std::optional<PlannedGradient> gradient;
};

struct PlannedRejection {
  Operation *function; // may be null
  RejectedNorm norm;
};

/// The norms to create and the candidates to leave unchanged.
struct Plan {
  /// The owner of the nodes that the norms refer to.
  std::unique_ptr<row::Context> context;
  std::vector<PlannedNorm> norms; // in program order
  std::vector<PlannedRejection> rejected;
  /// Roots of values that no sum computes, unless a callee does.
  std::vector<PlannedRejection> rootsOfOthers;
};

/// Decides about every candidate in `scope`. Of overlapping norms the largest
/// is planned, unless a part of it has other users and is a norm itself.
Plan makePlan(Operation *scope, Rounding rounding);

/// Creates every norm of `plan` in `scope` and returns them in the plan's
/// order; a result is null if only dead ops used it, with which it was erased.
/// Nothing is erased before all of them exist.
SmallVector<RMSNormOpInterface>
rewrite(RewriterBase &rewriter, Operation *scope, ArrayRef<PlannedNorm> plan);

/// What the op of a plan reads, and the tensors in place of which it writes;
/// all but x may be null. `result` is the norm or dx.
struct NormOperands {
  Value dy, x, weight, root, result, dw;
};
RMSNormOpInterface createOp(OpBuilder &b, Location loc, const PlannedNorm &norm,
                            const NormOperands &operands);

/// Returns the type of a tensor over some dimensions of another.
RankedTensorType selectDims(RankedTensorType type, ArrayRef<int64_t> dims,
                            Type element);

/// Casts a tensor, or adds or drops unit dimensions.
Value reshape(RewriterBase &rewriter, Location loc, Value tensor,
              RankedTensorType type);

/// Adds the result inv_rms to `norm`, in place of `tensors`, which hold it and
/// have other users, and returns the new op. Returns `norm` unchanged if it
/// cannot be moved before those users.
RMSNormOp reuseStatistic(RewriterBase &rewriter, RMSNormOp norm,
                         ArrayRef<Value> tensors);

} // namespace mlir::norm

#endif // NORM_LIB_RECOGNITION_PLAN_H
