//===- Gradient.h - products and roots of a gradient -------------*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This header is private to this folder. A gradient is a sum of products in
// which x, dy, the weight, powers of r and constants stand in any order. These
// functions bring each product into parts that can be compared.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_RECOGNITION_GRADIENT_H
#define NORM_LIB_RECOGNITION_GRADIENT_H

#include "Law.h"

namespace mlir::norm {

/// A product taken apart into constants, values that do not vary along a row,
/// and others.
struct Parts {
  SmallVector<Scale> scales;
  SmallVector<row::Factor> rows, varying;
  bool isNegated = false;

  void addScale(const Scale &scale) {
    if (!isConstant(scale.value, 1.0))
      scales.push_back(scale);
  }
};

/// How far a product is taken apart: until only factors remain that hold
/// neither x nor a value per row, or completely.
enum class Opening { Wanted, All };

class PartsReader {
public:
  /// `along` are the variables along a row.
  PartsReader(row::Reader &reader, ArrayRef<unsigned> along,
              row::NodePredicate isX, Opening opening = Opening::Wanted)
      : reader(reader), along(along), isX(isX), opening(opening) {}

  void read(const row::Node *node, Parts &parts,
            const row::Fraction &exponent = row::Fraction(1));

private:
  bool isRow(const row::Node *node);
  bool reveals(const row::Node *node, unsigned depth = 0);
  const row::Node *open(const row::Node *node);

  row::Reader &reader;
  SmallVector<unsigned> along;
  row::NodePredicate isX;
  Opening opening;
  llvm::DenseMap<const row::Node *, bool> rows, revealing;
};

/// The root r = base ^ exponent, as one product has it.
struct RowRoot {
  const row::Node *node = nullptr; // r, or what is divided by
  bool divides = false;
  const row::Node *base = nullptr;
  row::Fraction exponent;
  bool isRounded = false;                   // between the base and the node
  const row::Node *beforeEpsilon = nullptr; // s of base = s + e, or null
  bool isComputed() const { return base->hasReduction(); }
  /// Returns what is known of a saved r: a root is not negative.
  row::Sign getSign() const {
    return exponent.den == 1 ? row::Sign::Any : row::Sign::NonNegative;
  }
};

/// Opens tensors per row, which hold r or a power of it, until a value is left
/// that the program does not compute elementwise.
const row::Node *openRow(row::Reader &reader, const row::Node *node);

/// Reads the only factor per row of a product as r.
RejectionOr<RowRoot> readRowRoot(row::Reader &reader, const Parts &parts);

/// Returns a root of a statistic that products below `node` have, or null.
const row::Node *findRootBelow(row::Reader &reader, const row::Node *node);

/// Finds the statistic of a computed root and its x in `found`.
Rejection matchComputedRoot(const Site &site, const RowRoot &root,
                            Findings &found);

/// Finds what a gradient has in common with its norm once x is in `found`: dims
/// and n.
Rejection matchRowSpan(const Site &site, const RowRoot &root, Findings &found);
/// Decides types, epsilon, and the saved root.
Rejection decideRow(const Site &site, const RowRoot &root,
                    const Findings &found, Precision precision,
                    PlannedNorm &norm);

/// Finds the sums of squares of a computed root, the tensor that holds a saved
/// one, or the elements to compute it from.
Rejection findRoot(const Site &site, const RowRoot &root, const Findings &found,
                   PlannedNorm &norm);
/// Names x, r and epsilon of a gradient.
void nameRow(const Site &site, const RowRoot &root, const Findings &found,
             const PlannedNorm &norm, Names &names);

/// The gradient of z in its type: dy * w, or dy alone.
struct WeightedGradient {
  const row::Node *dy = nullptr, *weight = nullptr;
  FloatType productType; // of dy * w
  FloatType rounded;     // the type that it is rounded to, or null
};

/// Splits the factors of g into dy, which depends on all of `batch`, and w.
std::optional<WeightedGradient> splitWeight(row::Reader &reader,
                                            ArrayRef<row::Factor> factors,
                                            ArrayRef<unsigned> batch,
                                            FloatType compute);

/// Returns the tensors of which `product` multiplies elements, or nothing if it
/// is no product of elements.
SmallVector<Value> getMultiplied(row::Reader &reader, const row::Node *product);

/// Returns true if two values are one, or two equal views of one.
bool areOneView(Value a, Value b);

/// Whether nodes depend on one sum: of all its candidates, which may be many.
using ProjectedNodes = llvm::DenseMap<const row::Node *, bool>;

/// Decides whether the scalar of `site` is the gradient dx.
RejectionOr<PlannedNorm> decideGradient(const Site &site,
                                        ProjectedNodes &projected);

/// Decides whether a sum, which is the node of `site`, is the gradient dw.
/// `inputs` are the gradients dx of the program, of which it may share x and a
/// saved root.
RejectionOr<PlannedNorm> decideWeightGradient(Site &site, OpResult sum,
                                              ArrayRef<PlannedNorm> inputs);

} // namespace mlir::norm

#endif // NORM_LIB_RECOGNITION_GRADIENT_H
