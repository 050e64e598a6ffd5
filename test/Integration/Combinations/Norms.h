//===- Norms.h - random norms, layouts and surroundings ---------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TEST_NORMS_H
#define NORM_TEST_NORMS_H

#include "Buffers.h"
#include "Specs.h"

namespace norm_test {

/// What the elements of x are like.
enum class Values {
  Normal,    // N(0, 1)
  RowScales, // another power of two in each row
  Large,     // squares up to overflow
  Tiny,      // squares down to nothing
  Outlier,   // one large element a row
  Positive,  // one sign, one binade
  Constant,  // all equal in a row
  Specials,  // rows of zeros, with a NaN, with an infinity, with -0
};
const char *getName(Values values);

/// One norm of the differential run: a case, where its buffers are, and the
/// program around it.
struct Norm : Case {
  unsigned seed = 0;
  Values values = Values::Normal;
  bool views = false;         // strided memref parameters; else tensors
  bool inPlace = false;       // y is the buffer of x
  bool residual = false;      // x + h is what is normalized
  bool onePlusWeight = false; // 1 + w
  bool gate = false;          // y * g
  std::optional<Float> quantizedType;
  int64_t cacheBytes = 0; // 1: streams whatever the size
  Layout x, h, w, g, y, r;
  unsigned dynamicLayout = 0; // bit i: x's, h's, ... strides are dynamic

  Float outputType() const { return quantizedType.value_or(resultType); }
};

/// Every choice follows from the seed.
Norm randomNorm(unsigned seed);

/// Random elements of x, as the norm's values say.
void fillInput(const Norm &norm, Buffer &x, unsigned seed);

/// The function @norm with parameters x, h, w and g, and results or further
/// parameters y and r, as far as it has them.
std::string printProgram(const Norm &norm);

/// One line that names every choice.
std::string describeNorm(const Norm &norm);

} // namespace norm_test

#endif // NORM_TEST_NORMS_H
