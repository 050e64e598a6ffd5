//===- Program.h - a function of an artifact --------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_BENCH_DEVICE_PROGRAM_H
#define NORM_BENCH_DEVICE_PROGRAM_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace norm::bench {

/// F64 is a reference's alone.
enum class Element { F64, F32, F16, BF16, I8, F8E4M3FN };
size_t getBytes(Element element);
const char *getName(Element element);

/// The extent -1 is one that a call chooses, the first.
struct TensorType {
  std::vector<int64_t> extents;
  Element element = Element::F32;

  /// Returns the number of elements if the dynamic extent is `rows`.
  int64_t count(int64_t rows) const;
  size_t countBytes(int64_t rows) const {
    return count(rows) * getBytes(element);
  }
};

/// An artifact's f_launch, with the type from f_signature.
class Program {
public:
  Program(const std::string &path, const std::string &function);

  /// Puts a call on `stream`; tensors are in the order of `types`. Errors call
  /// `fail`.
  void launch(const std::vector<void *> &tensors, int64_t rows, void *stream);

  std::string path;
  std::vector<TensorType> types; ///< of the arguments, then of the results
  size_t numArguments = 0;
  int64_t rows = -1; ///< -1: any
  int64_t cols = 0;  ///< elements of a row of the first argument

private:
  void *entry = nullptr;
  const char *(*message)() = nullptr;
};

/// Loads a library and finds `function`, or calls `fail`; `machine` is for the
/// message.
void *findFunction(const std::string &path, const std::string &function,
                   const std::string &symbol, const char *machine,
                   void **library = nullptr);

} // namespace norm::bench

#endif // NORM_BENCH_DEVICE_PROGRAM_H
