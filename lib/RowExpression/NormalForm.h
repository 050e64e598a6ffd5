//===- NormalForm.h - what is equal as mathematics ---------------*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum of products of powers with exact rational coefficients: equal
// mathematics within one type has one form, wherever 1/n or a sign stands and
// however x * r * r * r is written. A change of type ends a form: roundings
// are nodes, and take part in equality. What a form forgets is the rounding of
// each step in the type, and the range of what lies between; callers that
// promise bits look at the nodes.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_ROWEXPRESSION_NORMALFORM_H
#define NORM_ROWEXPRESSION_NORMALFORM_H

#include "Node.h"
#include "mlir/Analysis/Presburger/Fraction.h"

namespace mlir::norm::row {

using presburger::Fraction;

/// base ^ exponent, where the base is no product, quotient or power.
struct Factor {
  const Node *base;
  Fraction exponent;
  bool operator==(const Factor &other) const {
    return base == other.base && exponent == other.exponent;
  }
};

/// Takes node ^ exponent apart, in the order of the program; what `isLeaf`
/// holds for stays whole. A root is taken factor by factor only where at most
/// one of them can be negative, and (x^2)^(1/2) or (x^(1/2))^2 stays what it is
/// where x can be.
SmallVector<Factor>
collectFactors(const Node *node, const Fraction &exponent = Fraction(1),
               llvm::function_ref<bool(const Node *)> isLeaf = nullptr);

/// The exact value of a finite constant.
Fraction getFraction(const APFloat &value);

/// coefficient * product of the factors, which are sorted and distinct.
struct Term {
  Fraction coefficient{1};
  SmallVector<Factor> factors;
};

/// A sum of terms, sorted and distinct; none of them: 0.
struct Form {
  SmallVector<Term> terms;
  const Node *node; ///< one for all equal forms of a type
};

/// The form of `node`; its bases are nodes of `context` in normal form.
Form normalize(Context &context, const Node *node);

} // namespace mlir::norm::row

#endif // NORM_ROWEXPRESSION_NORMALFORM_H
