//===- GPUImage.h - the kernels of a compiled module ------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_COMPILER_NVVM_GPUIMAGE_H
#define NORM_COMPILER_NVVM_GPUIMAGE_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::norm {

/// The image of all kernels, PTX text or a cubin; empty when there are none.
/// Two images, and a call of libdevice that was not resolved, are errors.
FailureOr<StringRef> getKernelImage(ModuleOp module);

/// A cubin of PTX text by `toolkit`'s ptxas. Empty where there is no ptxas, and
/// with a warning where it fails: the driver compiles PTX too.
std::string assembleKernels(ModuleOp module, StringRef ptx, StringRef chip,
                            StringRef toolkit);

} // namespace mlir::norm

#endif // NORM_COMPILER_NVVM_GPUIMAGE_H
