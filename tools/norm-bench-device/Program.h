//===- Program.h - a function of an artifact --------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_BENCH_DEVICE_PROGRAM_H
#define NORM_BENCH_DEVICE_PROGRAM_H

#include <cstdint>
#include <string>
#include <vector>

namespace norm::bench {

/// F64 is a reference's alone.
enum class Element { F64, F32, F16, BF16, I8, F8E4M3FN };

/// The extent -1 is one that a call chooses, the first.
struct TensorType {
  std::vector<int64_t> extents;
  Element element = Element::F32;

  bool hasRows() const { return extents.size() > 1; }
  /// Returns the number of elements if the dynamic extent is `rows`.
  int64_t count(int64_t rows) const;
};

/// An artifact's f_launch, with the type from f_signature.
class Program {
public:
  Program(const std::string &path, const std::string &function);

  /// Puts a call on `stream`; results follow the arguments. Errors call `fail`.
  void launch(const std::vector<void *> &tensors, int64_t rows, void *stream);

  std::vector<TensorType> arguments, results;
  int64_t rows = -1; ///< -1: any
  int64_t cols = 0;  ///< elements of a row of the first argument
  std::string path;

private:
  void *entry = nullptr;
  const char *(*message)() = nullptr;
};

size_t getBytes(Element element);
const char *getName(Element element);

/// Loads an element as a number, or stores the nearest one to a number.
double load(const void *data, int64_t position, Element element);
void store(void *data, int64_t position, Element element, double value);
double roundTo(double value, Element element);
/// Returns the distance from `value` to the next number.
double getUnit(double value, Element element);
/// Returns |actual - expected| in units in the last place of `expected`.
double getUlp(double actual, double expected, Element element);

/// Returns a row per result of `variant`, which must satisfy isVariant, for
/// rows of its arguments, x first.
std::vector<std::vector<double>>
computeRow(const std::string &variant,
           const std::vector<std::vector<double>> &arguments, Element element);
bool isVariant(const std::string &variant);

} // namespace norm::bench

#endif // NORM_BENCH_DEVICE_PROGRAM_H
