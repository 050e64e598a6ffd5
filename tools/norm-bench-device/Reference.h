//===- Reference.h - what results should be, in f64 -------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_BENCH_DEVICE_REFERENCE_H
#define NORM_BENCH_DEVICE_REFERENCE_H

#include "Program.h"

namespace norm::bench {

/// The bytes of a tensor.
using Bytes = std::vector<char>;

/// Stores a number of f32, f16 or bf16, rounded towards zero.
void store(Bytes &bytes, int64_t position, Element element, float value);

/// Runs the function of an artifact for the CPU, compiled from the same program
/// with f64 in the place of f32. So every class of program has a reference, and
/// nothing here needs to know it. f32 is f64 in what it returns.
std::vector<Bytes> runReference(const std::string &path,
                                const std::string &function,
                                const Program &program,
                                const std::vector<Bytes> &arguments,
                                int64_t rows);

struct Difference {
  double maxUlp = 0;
  bool isRight = true;
};

/// Compares result `i` of `program` with the reference's. The unit is the last
/// place of the coarser of two types, the result's and that to which the
/// program rounds: at the expected number or, because terms may cancel unless
/// `strict`, at the root mean square of the tensor if that is larger.
Difference compare(const Program &program, size_t i, const Bytes &actual,
                   const Bytes &expected, bool strict);

} // namespace norm::bench

#endif // NORM_BENCH_DEVICE_REFERENCE_H
