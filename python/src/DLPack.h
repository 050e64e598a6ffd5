//===- DLPack.h - the ABI of tensors between libraries ----------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What this module reads of DLPack 1.x (github.com/dmlc/dlpack).
//
//===----------------------------------------------------------------------===//

#ifndef NORM_PYTHON_DLPACK_H
#define NORM_PYTHON_DLPACK_H

#include <cstdint>

namespace norm_python::dlpack {

constexpr int32_t kCPU = 1;
constexpr uint64_t kReadOnly = 1;

enum TypeCode : uint8_t {
  Int = 0,
  UInt = 1,
  Float = 2,
  BFloat = 4,
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
struct Managed {
  Tensor tensor;
  void *context;
  void (*deleter)(Managed *self);
};
struct Version {
  uint32_t major, minor;
};
struct ManagedVersioned {
  Version version;
  void *context;
  void (*deleter)(ManagedVersioned *self);
  uint64_t flags;
  Tensor tensor;
};

/// The functions of a library by which others read its tensors without Python:
/// the attribute __dlpack_c_exchange_api__ of a type.
struct ExchangeAPI {
  Version version;
  ExchangeAPI *previous;
  void *allocate, *managedFromObject, *managedToObject;
  int (*tensorFromObject)(void *object, Tensor *tensor); ///< may be null
  void *getStream;
};

} // namespace norm_python::dlpack

#endif // NORM_PYTHON_DLPACK_H
