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

/// The function of an artifact for the CPU, compiled from the same program with
/// f64 in the place of f32. So every class of program has a reference, and
/// nothing here needs to know it.
class Reference {
public:
  Reference(const std::string &path, const std::string &function);

  /// Returns the results, whose types are those of getType, of arguments that
  /// are `program`'s.
  std::vector<Bytes> run(const Program &program,
                         const std::vector<Bytes> &arguments, int64_t rows);
  static Element getType(Element element) {
    return element == Element::F32 ? Element::F64 : element;
  }

private:
  std::string path;
  void *entry = nullptr;
};

struct Difference {
  double maxUlp = 0;
  bool isRight = true;
};

/// Compares a result with the reference's. The unit is the last place of the
/// coarser of two types, the result's and `rounded`, getRoundedType's: at the
/// expected number or, because terms may cancel, at the root mean square of the
/// tensor if that is larger.
Difference compare(const Bytes &actual, const Bytes &expected, Element element,
                   Element rounded);
Element getRoundedType(const Program &program);

} // namespace norm::bench

#endif // NORM_BENCH_DEVICE_REFERENCE_H
