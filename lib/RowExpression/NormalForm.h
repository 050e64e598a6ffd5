//===- NormalForm.h - what is equal as mathematics ---------------*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The normal form is a sum of products of powers with exact rational
// coefficients. Mathematically equal expressions in one type have one form,
// wherever 1/n or a sign stands and however x * r * r * r is written. A change
// of type ends a form: roundings are nodes and take part in equality. A form
// forgets the rounding of each step and the range of intermediate values;
// callers that promise bits look at the nodes.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_ROWEXPRESSION_NORMALFORM_H
#define NORM_LIB_ROWEXPRESSION_NORMALFORM_H

#include "Node.h"

namespace mlir::norm::row {

/// The power base ^ exponent of a base that is no product, quotient or power.
struct Factor {
  const Node *base;
  Fraction exponent;
  bool operator==(const Factor &other) const {
    return base == other.base && exponent == other.exponent;
  }
};

using NodePredicate = llvm::function_ref<bool(const Node *)>;

/// Factors node ^ exponent, in the order of the program; nodes that satisfy
/// `isLeaf` stay whole. A root is split only if at most one of its factors can
/// be negative, and (x^2)^(1/2) or (x^(1/2))^2 stays if x can be. What `open`
/// returns for another node, such as the value of a tensor, is read in its
/// place unless it is null; signs are read through if `isNegated` takes them.
SmallVector<Factor>
collectFactors(const Node *node, const Fraction &exponent = Fraction(1),
               NodePredicate isLeaf = nullptr,
               llvm::function_ref<const Node *(const Node *)> open = nullptr,
               bool *isNegated = nullptr);

/// Returns the exact value of a finite constant.
Fraction getFraction(const APFloat &value);

/// The product of a coefficient, the root of a whole number, and factors, which
/// are sorted and distinct.
struct Term {
  Fraction coefficient{1};
  Fraction radicand{1};
  SmallVector<Factor> factors;
};

/// A sum of terms, sorted and distinct; without terms it is 0. Nothing cancels
/// in it that is NaN for some value: x - x is 0 * x.
struct Form {
  SmallVector<Term> terms;
  const Node *node; ///< one for all equal forms of a type
};

/// What is known of the number of elements of a row.
struct RowLength {
  std::optional<int64_t> terms; ///< if it is static
  /// A narrower type to which constants may be rounded, or null.
  const llvm::fltSemantics *rounded = nullptr;
};

/// Returns the form of `node`. Its bases are normalized nodes of `context`.
/// Constants that are 1/n or a root of n, rounded once, are read as such.
Form normalize(Context &context, const Node *node,
               const RowLength &length = {});

/// Returns a product, of which numbers are read as in a form.
Term multiply(Context &context, ArrayRef<Factor> factors,
              const RowLength &length);

/// Returns 1/n as computed in a type.
APFloat getReciprocal(const llvm::fltSemantics &semantics, int64_t n);
/// Returns true if `value` is 1/n, computed in its type.
bool isReciprocalOf(const APFloat &value, int64_t n);
/// Returns the whole number n of which `value` is the reciprocal.
std::optional<int64_t> getReciprocalOf(const APFloat &value);
/// Returns true if `value` is the root of n or its reciprocal, which may have
/// been computed in f64 and then rounded.
bool isRootOf(const APFloat &value, double n);

} // namespace mlir::norm::row

#endif // NORM_LIB_ROWEXPRESSION_NORMALFORM_H
