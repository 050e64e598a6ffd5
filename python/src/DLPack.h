//===- DLPack.h - how Python objects show tensors ---------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What this module reads of DLPack's capsules and exchange functions.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_PYTHON_DLPACK_H
#define NORM_PYTHON_DLPACK_H

#include "../../runtime/cpu/DLPack.h"

namespace norm_python::dlpack {

using namespace norm::dlpack;

constexpr uint64_t kReadOnly = 1;

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
