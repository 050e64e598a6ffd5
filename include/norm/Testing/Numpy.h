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

/// Reads `file` as a tensor of the element type and the static extents of
/// `type`. Supports numpy's f2, f4, f8, integers and bool in C order, in format
/// versions 1 to 3, and bf16 as uint16 bit patterns. A pipe is read no further
/// than its header says. Errors name the file.
llvm::Expected<HostTensor> loadNumpy(StringRef file, ShapedType type);
/// Reads a reference for comparison: like loadNumpy, but f64 is also accepted
/// where `type` has a narrower float.
llvm::Expected<HostTensor> loadNumpyReference(StringRef file, ShapedType type);
/// Writes a file of format version 1, by writeOutputFile.
llvm::Error saveNumpy(StringRef file, const HostTensor &tensor);

} // namespace mlir::norm

#endif // NORM_TESTING_NUMPY_H
