//===- Gradient.h - the stages of a decision about a gradient ----*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This header is private to this folder. Both gradients are products of x, dy,
// the weight, powers of r and constants in any order: dx a sum of them, dw what
// is summed. What is inferred of either is one struct, from which the op is
// planned and proved.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_RECOGNITION_GRADIENT_H
#define NORM_LIB_RECOGNITION_GRADIENT_H

#include "Law.h"

namespace mlir::norm {

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The variables of a space along a row, and those that r depends on.
struct RowVariables {
  SmallVector<unsigned> along, batch;
};

/// The factors of a product that may be r, which depend on all of `batch` and
/// do not vary along a row, and others; without constants and signs, which are
/// those of the law.
struct Parts {
  SmallVector<row::Factor> rows, varying;
};

/// How far a product is taken apart: until only factors remain that hold
/// neither x nor a value per row, until two factors vary along the row, or
/// completely.
enum class Opening { Wanted, Varying, All };

/// Takes a product of factors apart, through tensors and casts; x, if it is
/// known, stays whole.
Parts readParts(row::Reader &reader, ArrayRef<row::Factor> product,
                const RowVariables &variables,
                Opening opening = Opening::Wanted,
                row::NodePredicate isX = nullptr);

/// Takes x out of the factors and returns it; null if there is none.
const row::Node *takeX(SmallVectorImpl<row::Factor> &factors,
                       row::NodePredicate isX);

/// Opens tensors until a value is left that the program does not compute
/// elementwise.
const row::Node *openRow(row::Reader &reader, const row::Node *node);

/// A product, and the type to which it is rounded or in which it is computed.
struct RoundedProduct {
  const row::Node *node;
  FloatType type;
};
/// Reads the product that a value is, through tensors and one rounding.
RoundedProduct readRounded(row::Reader &reader, const row::Node *node);

//===----------------------------------------------------------------------===//
// What is inferred
//===----------------------------------------------------------------------===//

RowVariables splitSpace(const Site &site, const row::Node *row);

/// The root r = base ^ exponent, as one product has it.
struct RowRoot {
  const row::Node *node = nullptr; // r, or what is divided by
  bool divides = false;
  const row::Node *base = nullptr;
  row::Fraction exponent;
  const row::Node *saved = nullptr;         // r as an op is given it
  const row::Node *beforeEpsilon = nullptr; // s of base = s + e, or null
  bool isComputed() const { return base->hasReduction(); }
  /// Returns what is known of a saved r: a root is not negative.
  row::Sign getSign() const {
    return exponent.den == 1 ? row::Sign::Any : row::Sign::NonNegative;
  }
};

/// The gradient of z in its type: dy * w, or dy alone.
struct WeightedGradient {
  const row::Node *dy = nullptr, *weight = nullptr;
  FloatType productType; // of dy * w
  FloatType rounded;     // the type that it, or z in dw, is rounded to
};

/// What the projection of dx sums, and over which dimensions.
struct Projected {
  const row::Node *x = nullptr;
  WeightedGradient g;
  Span span;
};

/// What was inferred of a gradient, which may be wrong.
struct GradientLaw {
  explicit GradientLaw(row::Reader &reader) : found(reader) {}
  Findings found; // x, the dimensions, and the statistic of a computed root
  RowRoot root;
  WeightedGradient g;
  std::optional<Projected> projected;  // of dx
  const row::Node *residual = nullptr; // is added to dx
  const row::Node *product = nullptr;  // that dw sums, before it is widened
  SmallVector<int64_t> weightDims;     // of dw
};

/// Returns a root of a statistic that products below `node` have, or null.
const row::Node *findRootBelow(row::Reader &reader, const row::Node *node);
/// Reads the only factor per row as r.
RejectionOr<RowRoot> readRowRoot(row::Reader &reader,
                                 ArrayRef<row::Factor> rows);

/// Finds x, which `read` returns from a product once it is told which nodes are
/// the x of the statistic, and the statistic of a computed root.
Rejection matchRowAndX(
    const Site &site, const RowRoot &root,
    llvm::function_ref<RejectionOr<const row::Node *>(row::NodePredicate)> read,
    Findings &found);

/// Matches the dimensions of a sum, of which a gradient has no part alone.
RejectionOr<Span> matchWholeSpan(const Site &site, const Findings &found);
/// Finds dims and n of a computed root.
Rejection matchRowSpan(const Site &site, Findings &found);

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

/// Plans the op of a law and compares what it computes with the program.
RejectionOr<PlannedNorm> planGradient(const Site &site, const GradientLaw &law);

/// Returns the tensor of which `value` is a view with other unit dimensions.
Value stripUnits(Value value);

/// Whether nodes depend on one sum: of all its candidates, which may be many.
using ProjectedNodes = llvm::DenseMap<const row::Node *, bool>;

/// Decides whether the scalar of `site` is the gradient dx.
RejectionOr<PlannedNorm> decideGradient(const Site &site,
                                        ProjectedNodes &projected);

/// Decides whether a sum, which is the node of `site`, is the gradient dw.
/// `inputs` are the gradients dx of the program, of which it may share x and a
/// saved root.
RejectionOr<PlannedNorm> decideWeightGradient(Site &site,
                                              ArrayRef<PlannedNorm> inputs);

} // namespace mlir::norm

#endif // NORM_LIB_RECOGNITION_GRADIENT_H
