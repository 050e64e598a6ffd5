//===- Program.h - a parsed program as a Python object ----------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_PYTHON_PROGRAM_H
#define NORM_PYTHON_PROGRAM_H

#include <Python.h>

namespace norm_python {

/// Adds the class of parsed programs to the module.
bool addProgramClass(PyObject *module);

/// parse(text, name) -> Program
PyObject *parse(PyObject *module, PyObject *arguments);

} // namespace norm_python

#endif // NORM_PYTHON_PROGRAM_H
