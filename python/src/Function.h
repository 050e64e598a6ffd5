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

/// A row-major argument or result in memory.
struct Buffer {
  ElementType element;
  char *data;
  llvm::ArrayRef<int64_t> shape;
};

/// Calls the function of `Function.address`, without Python: `buffers` are
/// arguments and behind them results. Returns an error, or an empty string.
std::string callFunction(uint64_t address, llvm::ArrayRef<Buffer> buffers);

/// Adds the class of compiled functions to the module.
bool addFunctionClass(PyObject *module);

/// Loads an object file and returns a callable, or null after an exception.
PyObject *loadFunction(llvm::StringRef object, Signature signature,
                       const std::string &openmpLibrary);

} // namespace norm_python

#endif // NORM_PYTHON_FUNCTION_H
