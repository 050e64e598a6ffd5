//===- Passes.h - NVVM passes -----------------------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TARGET_NVVM_PASSES_H
#define NORM_TARGET_NVVM_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::norm {

#define GEN_PASS_DECL
#include "norm/Target/NVVM/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "norm/Target/NVVM/Passes.h.inc"

} // namespace mlir::norm

#endif // NORM_TARGET_NVVM_PASSES_H
