//===- DLPack.h - the ABI of tensors between libraries ----------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor of DLPack 1.x (github.com/dmlc/dlpack), as the TVM FFI and Python
// pass it, and the types that compiled functions take.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_RUNTIME_CPU_DLPACK_H
#define NORM_RUNTIME_CPU_DLPACK_H

#include <stdint.h>

namespace norm::dlpack {

constexpr int32_t kCPU = 1;

enum TypeCode : uint8_t {
  Int = 0,
  UInt = 1,
  Float = 2,
  BFloat = 4,
  Complex = 5,
  Bool = 6,
  F8E4M3FN = 10,
  F8E5M2 = 12
};

struct Device {
  int32_t type, id;
};
struct DataType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct Tensor {
  void *data;
  Device device;
  int32_t rank;
  DataType type;
  int64_t *shape;
  int64_t *strides; ///< in elements; null: row-major
  uint64_t byteOffset;
};

} // namespace norm::dlpack

#endif // NORM_RUNTIME_CPU_DLPACK_H
