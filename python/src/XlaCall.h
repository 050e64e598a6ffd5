//===- XlaCall.h - calls from XLA -------------------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_PYTHON_XLACALL_H
#define NORM_PYTHON_XLACALL_H

#include <Python.h>

namespace norm_python {

/// Returns a capsule of the handler that jax.ffi.register_ffi_target takes. Its
/// attribute `function` is a Function.address, as an int64.
PyObject *getXlaHandler(PyObject *, PyObject *);

} // namespace norm_python

#endif // NORM_PYTHON_XLACALL_H
