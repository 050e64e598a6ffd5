//===- HostTensor.h - tensors in host memory --------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_EXECUTIONENGINE_HOSTTENSOR_H
#define NORM_EXECUTIONENGINE_HOSTTENSOR_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>

namespace mlir::norm {

/// A dense row-major tensor, aligned to 64 bytes. Rank 0 is one element.
class HostTensor {
public:
  HostTensor() = default;
  /// Zeroed. The element type must satisfy isSupported; without the memory the
  /// process ends.
  HostTensor(Type elementType, ArrayRef<int64_t> shape);
  /// The same for a shape that somebody else chose: an error where an extent
  /// is negative or the memory is not there.
  static llvm::Expected<HostTensor> create(Type elementType,
                                           ArrayRef<int64_t> shape);

  /// f16, bf16, f32, f64, index and integers of up to 64 bits.
  static bool isSupported(Type elementType);
  /// Whether the bytes of such a tensor have addresses.
  static bool isAddressable(Type elementType, ArrayRef<int64_t> shape);
  /// "4x32", for messages.
  static std::string getText(ArrayRef<int64_t> shape);
  /// Bytes of one element in memory (i1: one byte, index: eight).
  static size_t getElementBytes(Type elementType);

  Type getElementType() const { return elementType; }
  ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getNumElements() const { return numElements; }
  size_t getNumBytes() const {
    return numElements * getElementBytes(elementType);
  }
  char *getData() { return data.get(); }
  const char *getData() const { return data.get(); }

  /// Element in row-major order, as a double (integers: converted).
  double getElement(int64_t position) const;
  /// Rounds `value` to the element type, ties to even.
  void setElement(int64_t position, double value);

private:
  struct Free {
    void operator()(char *p) const;
  };
  bool allocate();
  Type elementType;
  SmallVector<int64_t> shape;
  int64_t numElements = 0;
  std::unique_ptr<char, Free> data;
};

/// `2x4xf32=1 2 3 ...`; one value fills the tensor; `f32=3` is rank 0.
llvm::Expected<HostTensor> parseTensor(StringRef text, ShapedType type);
/// `2x4xf32=[1 2 3 4][5 6 7 8]`.
void printTensor(raw_ostream &os, const HostTensor &tensor, int digits);

} // namespace mlir::norm

#endif // NORM_EXECUTIONENGINE_HOSTTENSOR_H
