//===- RMSNormMatch.h - is this expression an RMSNorm? ----------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The decision: a row expression either is a norm.rmsnorm with these operands
// and attributes (S1 to S9), or is refused for one typed reason. Nothing here
// changes the program.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_RECOGNITION_RMSNORMMATCH_H
#define NORM_RECOGNITION_RMSNORMMATCH_H

#include "norm/IR/Norm.h"
#include "norm/Recognition/RowExpression.h"

namespace mlir::norm {

enum class Rounding { Default, Exact, Relaxed };

/// Why a candidate is not an RMSNorm. NotACandidate is not reported: there is
/// no reciprocal root of a reduction in the expression.
enum class Refusal {
  NotACandidate,
  NotASum,         ///< the reduction is a max, a product, ...
  NotASquare,      ///< of |x|, x^3, x - mean, ...
  DifferentTensor, ///< the statistic is of another tensor or index map
  WrongDivisor,    ///< the sum is not divided by its number of terms
  WrongExponent,   ///< not the reciprocal of a square root
  EpsilonNotUniform,
  EpsilonNegative,
  DimsNotBroadcast,         ///< the statistic depends on a dimension it reduced
  DynamicExtent,            ///< the divisor is not proved to be that extent
  RoundingNotRepresentable, ///< roundings that S2 to S6 cannot state
  RoundingNotExact,         ///< accepted by default, refused by rounding=exact
  WeightNotRepresentable,
  WeightNotOverDims,     ///< it spans only dimensions that are not normalised
  InputNotRepresentable, ///< no tensor holds x in the result's shape
  ExpressionTooLarge,    ///< more than ExprReader::kMaxNodes
  NotOnTensors           ///< buffers: another op may write in between
};
StringRef stringifyRefusal(Refusal refusal);

struct RMSNormMatch {
  /// A tensor, or a scalar of a linalg body where no tensor holds x.
  Value input;
  linalg::LinalgOp inputOp; // that body's op; null for a tensor
  AffineMap inputMap;       // from its loops to the reader's dimensions
  /// The reader's dimension that each dimension of the input is; the others of
  /// this struct are the input's own.
  SmallVector<int64_t> order;
  Value weight; // null: none, or weightExpr
  /// A weight that no tensor of the program holds, such as 1 + w fused into the
  /// norm: to be computed over weightDims. Lives as long as the reader.
  const Expr *weightExpr = nullptr;
  std::optional<int64_t> count; // S7
  SmallVector<int64_t> dims, weightDims;
  APFloat epsilon{0.0}; // in computeType
  EpsilonMode mode = EpsilonMode::Inside;
  RootForm rootForm = RootForm::Reciprocal;
  FloatType computeType;
  FloatType sumType, scaleType, normalizedType; // null: absent
  /// Tensors that hold r in C, as inv_rms would but for unit dimensions.
  SmallVector<Value, 1> inverseRoots;

  bool isInputInBody() const { return inputOp != nullptr; }
};

/// The outcome of a decision: a match, or a reason with its explanation.
struct Decision {
  std::optional<RMSNormMatch> match;
  Refusal refusal = Refusal::NotACandidate;
  std::string explanation; // what was expected and what was found
  /// Tensors that hold a part of what was refused as a whole, and that would
  /// match alone: a norm whose weight belongs to another dimension.
  SmallVector<Value> refusedParts;
  /// The result of the reduction that the candidate is about; may be null.
  Value statistic;
};

/// Decides about `expr`, an element (d0, d1, ...) of the space that `reader`
/// read. With `joinsWeights` a product of several factors may be the weight.
Decision decideRMSNorm(const Expr *expr, ExprReader &reader, Rounding rounding,
                       bool joinsWeights);

} // namespace mlir::norm

#endif // NORM_RECOGNITION_RMSNORMMATCH_H
