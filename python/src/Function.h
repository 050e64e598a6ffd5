//===- Function.h - a compiled function as a Python callable ----*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_PYTHON_FUNCTION_H
#define NORM_PYTHON_FUNCTION_H

#include "Compiled.h"

namespace norm_python {

/// Adds the class of compiled functions to the module.
bool addFunctionClass(PyObject *module);

/// Loads an object file and returns a callable, or null after an exception.
PyObject *loadFunction(llvm::StringRef object, Signature signature,
                       const std::string &openmpLibrary);

/// Returns what a callable calls, or null after an exception.
const Compiled *getCompiled(PyObject *object);

} // namespace norm_python

#endif // NORM_PYTHON_FUNCTION_H
