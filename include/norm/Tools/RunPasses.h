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

/// The PassRunner of the tools. It applies registered options such as
/// `--mlir-timing`; after a crash, an error names a temporary file with a
/// reproducer. A pass that fails leaves no reproducer, and if it reports no
/// error, one names the pass.
LogicalResult runPassesOfTool(PassManager &pm, ModuleOp module);

/// Enables only the crash reproducers, for a pass manager that the caller runs.
/// Call it once for each pass manager, before passes run.
void enableCrashReproducer(PassManager &pm);

} // namespace mlir::norm

#endif // NORM_TOOLS_RUNPASSES_H
