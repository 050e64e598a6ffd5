//===- GPUImage.h - the kernels of a compiled module ------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_COMPILER_NVVM_GPUIMAGE_H
#define NORM_LIB_COMPILER_NVVM_GPUIMAGE_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::norm {

/// Returns the image of all kernels as PTX text or a cubin; empty if there are
/// none. Two images and an unresolved call of libdevice are errors.
FailureOr<StringRef> getKernelImage(ModuleOp module);

/// Assembles PTX text with the ptxas of `toolkit`. Returns "" if there is none
/// or, with a warning, if it fails: the driver compiles PTX too.
std::string assembleKernels(ModuleOp module, StringRef ptx, StringRef chip,
                            StringRef toolkit);

} // namespace mlir::norm

#endif // NORM_LIB_COMPILER_NVVM_GPUIMAGE_H
