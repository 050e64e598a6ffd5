//===- Passes.td - CPU passes -----------------------------*- tablegen -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TARGET_CPU_PASSES
#define NORM_TARGET_CPU_PASSES

include "mlir/Pass/PassBase.td"

#endif // NORM_TARGET_CPU_PASSES
