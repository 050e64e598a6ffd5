//===- Passes.h - Recognition passes ----------------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_RECOGNITION_PASSES_H
#define NORM_RECOGNITION_PASSES_H

#include "mlir/Pass/Pass.h"
#include "norm/Recognition/Recognize.h"

namespace mlir::norm {

#define GEN_PASS_DECL
#include "norm/Recognition/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "norm/Recognition/Passes.h.inc"

} // namespace mlir::norm

#endif // NORM_RECOGNITION_PASSES_H
