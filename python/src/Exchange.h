//===- Exchange.h - the exchange functions of DLPack ------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_PYTHON_EXCHANGE_H
#define NORM_PYTHON_EXCHANGE_H

#include "ElementType.h"
#include "llvm/ADT/ArrayRef.h"
#include <Python.h>

namespace norm_python {

/// Returns the exchange functions of a type, or null.
DLPackExchangeAPI *getExchange(PyObject *type);

/// The library of a tensor on a GPU.
struct GPULibrary {
  DLPackExchangeAPI *api = nullptr; ///< null: no tensor has these functions
  DLDevice device{kDLCUDA, 0};
  void *stream = nullptr; ///< the current one
};

/// Returns the library of the first tensor that has exchange functions. Returns
/// false after an exception.
bool findGPULibrary(PyObject *arguments, GPULibrary &library);

/// Returns a new tensor of the library, or null after an exception.
PyObject *allocate(const GPULibrary &library, llvm::ArrayRef<int64_t> shape,
                   ElementType type);

} // namespace norm_python

#endif // NORM_PYTHON_EXCHANGE_H
