//===- Agreement.h - whether two compilations agree -------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TEST_AGREEMENT_H
#define NORM_TEST_AGREEMENT_H

#include "norm/ExecutionEngine/HostTensor.h"
#include <vector>

namespace norm_test {

/// Whether zeros of the other sign agree.
enum class Zeros { SameSign, AnySign };

/// What the reference says of one result: its value, and how far noise moves
/// each element. Infinite: it decides whether there is a number at all, or the
/// sign of a zero.
struct Reference {
  mlir::norm::HostTensor value;
  std::vector<double> spread;
  bool isDisturbed = false; ///< noise was asked for somewhere
  Zeros zeros = Zeros::SameSign;

  explicit Reference(mlir::norm::HostTensor value);
  /// Widens `spread` by what one run with noise returned.
  void addRun(const mlir::norm::HostTensor &disturbed);
};

/// Empty where `actual` agrees; otherwise the first element that does not and
/// how many there are. Without noise: the same numbers, and NaN, infinities and
/// zeros of the same sign at the same places. With noise, where the reference
/// has a number: within four times the spread and four units in the last place,
/// or in one element of 50 eight times the spread of its row, because a few
/// runs of noise may hardly move one element; of 16 bits, and of integers,
/// within the spread, or four units beside it in one element of 500, where a
/// last bit flipped a rounding, and operations behind it made more of that.
std::string describeDisagreement(const mlir::norm::HostTensor &actual,
                                 const Reference &reference);

/// The same for what a framework computed by an algorithm of its own: within 16
/// times the spread and 16 units in the last place of the row's largest number
/// (of 16 bits and of integers: 2), or as far away as upstream's pipeline, up
/// to a thousandth of that number.
std::string describeDistance(const mlir::norm::HostTensor &actual,
                             const mlir::norm::HostTensor &expected,
                             const Reference &reference);

} // namespace norm_test

#endif // NORM_TEST_AGREEMENT_H
