//===- KernelImage.h - the image in a compiled GPU module -------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TARGET_NVVM_KERNELIMAGE_H
#define NORM_TARGET_NVVM_KERNELIMAGE_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::norm {
/// PTX text or cubin of the module's one gpu.binary; an error diagnostic when
/// there is none, or more than one.
FailureOr<std::string> getKernelImage(ModuleOp module);
} // namespace mlir::norm

#endif // NORM_TARGET_NVVM_KERNELIMAGE_H
