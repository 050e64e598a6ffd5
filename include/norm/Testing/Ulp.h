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

/// |actual - expected| in units in the last place of `semantics` at `expected`.
/// Zero where both are NaN or equal; infinity where only one is NaN or
/// infinite.
double getUlpError(double actual, double expected,
                   const llvm::fltSemantics &semantics);

struct UlpReport {
  double maxUlp = 0;
  int64_t worst = 0;     ///< position of the maximum
  int64_t overLimit = 0; ///< elements whose error is over the limit
  double actual = 0, expected = 0;
};

/// Compares element by element in the element type of `actual`; integers count
/// their difference. Shapes must agree; `expected` may be f64.
UlpReport compareTensors(const HostTensor &actual, const HostTensor &expected,
                         double maxUlp);

} // namespace mlir::norm

#endif // NORM_TESTING_ULP_H
