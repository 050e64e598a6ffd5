//===- Common.h - stages that every pipeline shares -------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_PIPELINES_COMMON_H
#define NORM_LIB_PIPELINES_COMMON_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "norm/Pipelines/Pipelines.h"

namespace mlir::norm {
/// TOSA to linalg on tensors; leaves other programs as they are.
void buildTosaLowering(OpPassManager &pm);
/// Upstream dialects to norm ops beside linalg.
void buildRecognition(OpPassManager &pm, StringRef rounding);
/// norm ops to linalg, elementwise ops fused.
void buildDecomposition(OpPassManager &pm);
/// Results as trailing buffers, written in place.
void buildCallingConvention(OpPassManager &pm);
/// Tensors to buffers that are freed again.
void buildBufferization(OpPassManager &pm);
/// math and narrow floats to what LLVM lowers without losing a bit.
void buildScalarLowering(OpPassManager &pm);
/// Everything that is left to the LLVM dialect.
void buildConvertToLLVM(OpPassManager &pm);
} // namespace mlir::norm

#endif // NORM_LIB_PIPELINES_COMMON_H
