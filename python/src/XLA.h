//===- XLA.h - compiled functions in programs of XLA ------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_PYTHON_XLA_H
#define NORM_PYTHON_XLA_H

#include <Python.h>

namespace norm_python {

/// publish(function) -> key: lets XLA's programs call the function by its key,
/// in the attribute "function" of the custom call.
PyObject *publish(PyObject *module, PyObject *function);

/// xla_handler() -> capsule: what jax.ffi.register_ffi_target takes.
PyObject *getXLAHandler(PyObject *module, PyObject *none);

} // namespace norm_python

#endif // NORM_PYTHON_XLA_H
