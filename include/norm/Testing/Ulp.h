//===- Ulp.h - comparison in units in the last place ------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TESTING_ULP_H
#define NORM_TESTING_ULP_H

#include "norm/ExecutionEngine/HostTensor.h"

namespace mlir::norm {

/// Returns |actual - expected| in units in the last place of `semantics` at
/// `expected`: 0 where both are NaN or equal, infinity where only one of them
/// is NaN or infinite.
double getUlpError(double actual, double expected,
                   const llvm::fltSemantics &semantics);

struct UlpReport {
  double maxUlp = 0;
  int64_t worst = 0;     ///< position of the maximum
  int64_t overLimit = 0; ///< elements whose error is over the limit
};

/// Compares tensors of equal shapes per element, in the element type of
/// `actual`; `expected` may be f64. The error of an integer is the difference.
UlpReport compareTensors(const HostTensor &actual, const HostTensor &expected,
                         double maxUlp);

} // namespace mlir::norm

#endif // NORM_TESTING_ULP_H
