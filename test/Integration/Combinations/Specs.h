//===- Specs.h - the combinations of S1 to S9 -------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TEST_SPECS_H
#define NORM_TEST_SPECS_H

#include "Reference.h"
#include "llvm/ADT/StringRef.h"

namespace norm_test {

/// A spec with what only the IR shows.
struct Case : Spec {
  bool withInvRms = false;
  bool dynamicShape = false;
  std::vector<bool> dynamicDims; // of a dynamicShape; empty: all

  bool isDynamic(size_t dim) const {
    return dynamicShape && (dynamicDims.empty() || dynamicDims[dim]);
  }
};

/// The full product of the attributes (S2 to S8) over one shape.
std::vector<Case> attributeProduct();

/// `count` seeded random cases over shapes, dims, dynamic extents and all
/// attributes.
std::vector<Case> randomCases(unsigned seed, unsigned count);

/// Rows of every length at which a schedule changes, in f32, f16 and bf16 with
/// and without a rounding before the weight, first static, then dynamic.
std::vector<Case> rowCases();

/// `2x?x4x`: the extents of x's `dims`.
std::string printExtents(const Case &c, const std::vector<int64_t> &dims);

/// tensor<...> over the extents of x's `dims`.
std::string tensorType(const Case &c, const std::vector<int64_t> &dims,
                       Float type);

/// All dimensions of x.
std::vector<int64_t> allDims(const Case &c);

/// %d0, ...: the dynamic extents of x's dimensions, of `value` of x's type.
std::string printDims(const Case &c, const std::string &value);

/// `result` = tensor.empty over the extents of x's `dims`.
std::string printEmpty(const Case &c, const std::string &result,
                       const std::vector<int64_t> &dims,
                       const std::string &type);

/// The lines from %x, %w and printDims to %y (%y:2 with inv_rms).
std::string printNorm(const Case &c);

/// A function `name` that holds the one norm.rmsnorm of `c` on tensors.
std::string printFunction(const Case &c, const std::string &name);

/// One line that names every attribute of `c`, for failure messages.
std::string describe(const Case &c);

/// A spec that differs from the function's in one attribute, to prove that the
/// comparison sees it; nothing where `name` is not an attribute of it. `name`:
/// epsilon_mode, scale_type, normalized_type, weight_dims, compute_type, count.
std::optional<Spec> mutate(const Case &c, llvm::StringRef name);

} // namespace norm_test

#endif // NORM_TEST_SPECS_H
