//===- Inputs.h - what programs are called with -----------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TEST_INPUTS_H
#define NORM_TEST_INPUTS_H

#include "norm/ExecutionEngine/HostTensor.h"
#include <random>

namespace norm_test {

/// What is in the elements of floats; integers are small, or in `Extreme` any.
enum class Values { Ordinary, Small, Zeros, NaN, Infinite, Huge, Mixed };
constexpr Values kAllValues[] = {
    Values::Ordinary, Values::Small, Values::Zeros, Values::NaN,
    Values::Infinite, Values::Huge,  Values::Mixed};
llvm::StringRef getName(Values values);

/// How dynamic extents are chosen; index arguments take the extent `e`.
enum class Extents { Sevens, ByPlace, Seventies, Ones, Zeros };
constexpr Extents kAllExtents[] = {Extents::Sevens, Extents::ByPlace,
                                   Extents::Seventies, Extents::Ones,
                                   Extents::Zeros};
llvm::StringRef getName(Extents extents);

struct InputSet {
  Values values = Values::Ordinary;
  Extents extents = Extents::Sevens;
  bool onlyFirst = false; ///< hostile values in the first tensor alone
  std::string getName() const;
};

/// The elements of one tensor of static shape for `type`, which may be a
/// scalar. `isIndex`: its values select elements somewhere in the program.
mlir::norm::HostTensor makeInput(mlir::Type type, const InputSet &set,
                                 bool isHostile, bool isIndex,
                                 std::mt19937 &random);

} // namespace norm_test

#endif // NORM_TEST_INPUTS_H
