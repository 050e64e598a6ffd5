//===- Specs.h - the combinations of S1 to S9 -------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TEST_SPECS_H
#define NORM_TEST_SPECS_H

#include "Reference.h"

namespace norm_test {

/// A spec with what only the IR shows: shapes, the result type, inv_rms.
struct Case : Spec {
  Float resultType = Float::F32;
  bool withInvRms = false;
  bool dynamicShape = false;
};

/// The full product of the attributes (S2 to S8) over one shape.
std::vector<Case> attributeProduct();

/// `count` seeded random cases over shapes, dims, dynamic extents and all
/// attributes.
std::vector<Case> randomCases(unsigned seed, unsigned count);

/// A function `name` that holds the one norm.rmsnorm of `c` on tensors.
std::string printFunction(const Case &c, const std::string &name);

/// One line that names every attribute of `c`, for failure messages.
std::string describe(const Case &c);

/// Largest error that the spec's bound allows, in ulp of the result type.
double ulpLimit(const Case &c);

} // namespace norm_test

#endif // NORM_TEST_SPECS_H
