//===- Compiled.h - a compiled function and its checks ----------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing here calls Python, so that XLA's threads may do so too.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_PYTHON_COMPILED_H
#define NORM_PYTHON_COMPILED_H

#include "Array.h"
#include "Kernels.h"
#include "norm/ExecutionEngine/HostCode.h"
#include <memory>
#include <string>
#include <vector>

namespace norm_python {

struct ParameterType {
  ElementType element;
  std::vector<int64_t> shape; ///< -1: dynamic
  bool isScalar = false;      ///< a number, and no tensor of rank 0
  bool isWritten = false;     ///< an argument that a result is written over

  std::string getText() const; ///< such as float32[?, 4096], or int64
};

/// The type of a function and whether it has a function of shapes.
struct Signature {
  std::string name;
  std::vector<ParameterType> arguments, results;
  bool hasShapeFunction = false;
  bool isOnGPU = false;
  size_t hostBytes = 0; ///< of kernels: the object with the function of shapes
};

/// Returns an error that names the view as `kind` `number` if it does not fit.
llvm::Error check(const View &view, const ParameterType &type, const char *kind,
                  int number);
/// Returns the error of a wrong number of arguments or results.
llvm::Error makeCountError(size_t given, llvm::ArrayRef<std::string> expected,
                           const char *kind);

class Compiled {
public:
  static llvm::Expected<std::unique_ptr<Compiled>>
  load(llvm::StringRef object, Signature signature,
       const std::string &openmpLibrary);

  /// Computes the dynamic extents of results from arguments that were checked
  /// one by one, and checks that those fit each other.
  llvm::Error computeExtents(llvm::ArrayRef<const View *> arguments,
                             llvm::SmallVectorImpl<int64_t> &extents) const;
  /// Returns the types of the results with these extents.
  std::vector<ParameterType>
  getResultTypes(llvm::ArrayRef<int64_t> extents) const;
  /// Rejects what is written and shares memory with an argument or a result: a
  /// result may be written before the last read of an argument.
  llvm::Error checkOverlaps(llvm::ArrayRef<const View *> views) const;
  /// Rejects tensors on several GPUs, or on another than the current one.
  llvm::Error checkDevices(llvm::ArrayRef<const View *> views) const;
  /// Calls the function on arguments and results, which were checked; kernels
  /// of a GPU are put on `stream`.
  llvm::Error run(llvm::ArrayRef<const View *> views,
                  void *stream = nullptr) const;

  Signature signature;
  std::vector<std::string> argumentTexts, resultTexts;
  /// A hash of the code and the signature: functions with the same key are the
  /// same function, in other processes too.
  std::string key;

private:
  llvm::Error loadHostCode(llvm::StringRef object,
                           const std::string &openmpLibrary);

  std::unique_ptr<mlir::norm::HostCode> code; ///< null: no host code
  std::unique_ptr<Kernels> kernels;           ///< null: the function is code
  void (*entry)(void **) = nullptr;
  void (*getExtents)(void **) = nullptr; ///< null: there is no such function
  int64_t numDynamic = 0;                ///< dynamic extents of results
};

} // namespace norm_python

#endif // NORM_PYTHON_COMPILED_H
