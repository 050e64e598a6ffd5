//===- RunPasses.h - how a tool runs its passes -----------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TOOLS_RUNPASSES_H
#define NORM_TOOLS_RUNPASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::norm {

/// The PassRunner of the tools: the options of `--mlir-timing` and its kind,
/// where they are registered, and a reproducer of a crash in a temporary file
/// that the error names. A pass that fails leaves none; where it says nothing,
/// an error names it.
LogicalResult runPassesOfTool(PassManager &pm, ModuleOp module);

/// The second half of it, for a pass manager that someone else runs. To be
/// called before passes run, once for each pass manager.
void enableCrashReproducer(PassManager &pm);

} // namespace mlir::norm

#endif // NORM_TOOLS_RUNPASSES_H
