//===- Program.h - a function of an artifact --------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_BENCH_DEVICE_PROGRAM_H
#define NORM_BENCH_DEVICE_PROGRAM_H

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace norm::bench {

struct Element {
  llvm::StringRef name;
  size_t bytes;
  const llvm::fltSemantics *format; ///< null: an integer
};

/// The extent -1 is one that a call chooses, the first.
struct TensorType {
  std::vector<int64_t> extents;
  const Element *element;

  /// Returns the number of elements if the dynamic extent is `rows`.
  int64_t count(int64_t rows) const;
  size_t countBytes(int64_t rows) const { return count(rows) * element->bytes; }
};

/// The bytes of a tensor.
using Bytes = std::vector<char>;

/// Stores a number, rounded towards zero.
void store(Bytes &bytes, int64_t position, const Element &element, float value);

/// An artifact's f_launch, with the type from f_signature.
class Program {
public:
  Program(const std::string &path, const std::string &function);

  /// Puts a call on `stream`; tensors are in the order of `types`. Errors call
  /// `fail`.
  void launch(llvm::ArrayRef<void *> tensors, int64_t rows, void *stream);

  std::string path, function;
  std::vector<TensorType> types; ///< of the arguments, then of the results
  size_t numArguments = 0;
  int64_t rows = -1; ///< -1: any
  int64_t cols = 0;  ///< elements of a row of the first argument

private:
  void *entry = nullptr;
  const char *(*message)() = nullptr;
};

/// Runs the function of an artifact for the CPU, compiled from the same program
/// with f64 in the place of f32, and returns its results: every class of
/// program has a reference, and nothing here needs to know it.
std::vector<Bytes> runReference(const std::string &path, const Program &program,
                                llvm::ArrayRef<Bytes> arguments, int64_t rows);

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

#endif // NORM_BENCH_DEVICE_PROGRAM_H
