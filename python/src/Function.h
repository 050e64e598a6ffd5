//===- Function.h - a compiled function as a Python callable ----*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_PYTHON_FUNCTION_H
#define NORM_PYTHON_FUNCTION_H

#include "Array.h"
#include "norm/ExecutionEngine/HostCode.h"
#include <memory>
#include <string>
#include <vector>

namespace norm_python {

struct ParameterType {
  ElementType element;
  std::vector<int64_t> shape; ///< -1: dynamic

  std::string getText() const; ///< such as float32[?, 4096]
};

/// The type of a function and whether it has a function of shapes.
struct Signature {
  std::string name;
  std::vector<ParameterType> arguments, results;
  bool hasShapeFunction = false;
};

/// Adds the class of compiled functions to the module.
bool addFunctionClass(PyObject *module);

/// Loads an object file and returns a callable, or null after an exception.
PyObject *loadFunction(llvm::StringRef object, Signature signature,
                       const std::string &openmpLibrary);

} // namespace norm_python

#endif // NORM_PYTHON_FUNCTION_H
