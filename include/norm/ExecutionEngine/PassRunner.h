//===- PassRunner.h - how a tool runs its passes ----------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_EXECUTIONENGINE_PASSRUNNER_H
#define NORM_EXECUTIONENGINE_PASSRUNNER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include <functional>

namespace mlir::norm {

/// How a compilation runs its passes; empty: `pm.run`. A library inside of
/// another program catches no signals and reads no command line.
using PassRunner = std::function<LogicalResult(PassManager &, ModuleOp)>;

/// `runner(pm, module)`, or `pm.run(module)` without one.
LogicalResult runPasses(PassManager &pm, ModuleOp module,
                        const PassRunner &runner);

/// What the tools do: the options of `--mlir-timing` and its kind, where they
/// are registered, and a reproducer of a crash in a temporary file that the
/// error names. A pass that fails leaves none; where it says nothing, an error
/// names it.
LogicalResult runPassesOfTool(PassManager &pm, ModuleOp module);

/// The second half of it, for a pass manager that someone else runs. To be
/// called before passes run, once for each pass manager.
void enableCrashReproducer(PassManager &pm);

} // namespace mlir::norm

#endif // NORM_EXECUTIONENGINE_PASSRUNNER_H
