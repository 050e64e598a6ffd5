//===- HostTensor.h - tensors in host memory --------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_EXECUTIONENGINE_HOSTTENSOR_H
#define NORM_EXECUTIONENGINE_HOSTTENSOR_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>

namespace mlir::norm {

/// A dense row-major tensor, aligned to 64 bytes. Rank 0 has one element.
class HostTensor {
public:
  HostTensor() = default;
  /// Creates a tensor of zeros. The element type must satisfy isSupported; the
  /// process ends if there is not enough memory.
  HostTensor(Type elementType, ArrayRef<int64_t> shape);
  /// Creates a tensor of zeros from an untrusted shape: negative extents and
  /// too little memory are errors.
  static llvm::Expected<HostTensor> create(Type elementType,
                                           ArrayRef<int64_t> shape);

  /// Returns true for f16, bf16, f32, f64, index and integers up to 64 bits.
  static bool isSupported(Type elementType);
  /// Returns true if the size of such a tensor in bytes fits an address.
  static bool isAddressable(Type elementType, ArrayRef<int64_t> shape);
  /// Returns text such as "4x32" for messages.
  static std::string getText(ArrayRef<int64_t> shape);
  /// Returns the bytes per element in memory (i1 has one byte, index eight).
  static size_t getElementBytes(Type elementType);

  Type getElementType() const { return elementType; }
  ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getNumElements() const { return numElements; }
  size_t getNumBytes() const {
    return numElements * getElementBytes(elementType);
  }
  char *getData() { return data.get(); }
  const char *getData() const { return data.get(); }

  /// Returns the element at a row-major position, converted to double.
  double getElement(int64_t position) const;
  /// Returns the element of a tensor of integers, which has 8 bits for an i1.
  APSInt getInteger(int64_t position) const;
  /// Rounds `value` to the element type, ties to even, and stores it.
  void setElement(int64_t position, double value);
  /// Stores the low bits of an integer.
  void setInteger(int64_t position, uint64_t integer);

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

/// Parses `2x4xf32=1 2 3 ...`; one value fills the tensor; `f32=3` has rank 0.
/// Errors begin with `what` it is.
llvm::Expected<HostTensor> parseTensor(StringRef text, ShapedType type,
                                       StringRef what);
/// Prints an element; `digits` is for floats.
void printElement(raw_ostream &os, const HostTensor &tensor, int64_t position,
                  int digits);
/// Prints `2x4xf32=[1 2 3 4][5 6 7 8]`.
void printTensor(raw_ostream &os, const HostTensor &tensor, int digits);

} // namespace mlir::norm

#endif // NORM_EXECUTIONENGINE_HOSTTENSOR_H
