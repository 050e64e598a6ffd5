//===- Kernels.h - kernels of a GPU and what launches them ------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_PYTHON_KERNELS_H
#define NORM_PYTHON_KERNELS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>

namespace norm_python {

/// A shared object of norm-compile --target=nvvm (docs/GPU.md), which holds the
/// kernels and calls NVIDIA's driver.
class Kernels {
public:
  static llvm::Expected<std::unique_ptr<Kernels>>
  load(llvm::StringRef sharedObject, llvm::StringRef function);
  ~Kernels();

  /// Puts the kernels on a stream of the current context, and does not wait for
  /// them. `addresses` are those of a packed function.
  llvm::Error launch(void **addresses, void *stream) const;

private:
  Kernels() = default;

  int file = -1; ///< open, so that no other library gets its name
  void *library = nullptr;
  void (*entry)(void **) = nullptr;
  void (*setStream)(void *) = nullptr;
  int32_t (*getCode)() = nullptr;
  const char *(*getMessage)() = nullptr;
};

/// Returns the number of the GPU of the current context; without a driver or a
/// context none, which a launch reports.
std::optional<int> getCurrentGPU();

} // namespace norm_python

#endif // NORM_PYTHON_KERNELS_H
