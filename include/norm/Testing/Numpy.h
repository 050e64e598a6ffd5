//===- Numpy.h - .npy files -------------------------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TESTING_NUMPY_H
#define NORM_TESTING_NUMPY_H

#include "norm/ExecutionEngine/HostTensor.h"

namespace mlir::norm {

/// Reads `file` as an element type of `type`, whose static extents must agree.
/// numpy's f2, f4, f8, integers and bool in C order, format versions 1 to 3;
/// bf16 is stored as uint16 bit patterns. Errors name the file.
llvm::Expected<HostTensor> loadNumpy(StringRef file, ShapedType type);
/// Like loadNumpy, but takes f64 too where `type` has a narrower float: a
/// reference for comparison.
llvm::Expected<HostTensor> loadNumpyReference(StringRef file, ShapedType type);
/// Writes a version 1 file; on an error nothing is left behind.
llvm::Error saveNumpy(StringRef file, const HostTensor &tensor);

} // namespace mlir::norm

#endif // NORM_TESTING_NUMPY_H
