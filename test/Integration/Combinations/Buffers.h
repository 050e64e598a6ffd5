//===- Buffers.h - a caller's strided memory --------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TEST_BUFFERS_H
#define NORM_TEST_BUFFERS_H

#include "Reference.h"
#include "norm/ExecutionEngine/HostTensor.h"

namespace norm_test {

mlir::Type getType(Float type, mlir::MLIRContext *context);

/// Where the elements of a tensor are, in elements.
struct Layout {
  std::vector<int64_t> strides;
  int64_t start = 0; // of the descriptor's address, from a multiple of 64 bytes
  int64_t offset = 0; // of the descriptor
};

/// Row-major strides.
Layout contiguous(const std::vector<int64_t> &shape);

/// Elements of one type in memory that has a caller's values around and between
/// them.
class Buffer {
public:
  Buffer(Float type, std::vector<int64_t> shape, Layout layout,
         mlir::MLIRContext *context);

  size_t size() const { return positions.size(); }
  /// Of the row-major element i.
  double get(size_t i) const;
  void set(size_t i, double value);

  /// Keeps what is there now for restore and the two comparisons.
  void keep();
  void restore();
  bool isAsKept() const;
  /// What is around and between the elements.
  bool areGuardsAsKept() const;
  /// All of the memory.
  std::string bytes() const;

  /// A ranked memref descriptor.
  void *describe() { return descriptor.data(); }

private:
  Float type;
  mlir::norm::HostTensor memory;
  std::vector<int64_t> positions; // in memory, by row-major element
  std::vector<int64_t> descriptor;
  std::string kept;
};

} // namespace norm_test

#endif // NORM_TEST_BUFFERS_H
