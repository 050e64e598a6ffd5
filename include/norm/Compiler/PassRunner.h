//===- PassRunner.h - how a compilation runs its passes ---------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_COMPILER_PASSRUNNER_H
#define NORM_COMPILER_PASSRUNNER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include <functional>

namespace mlir::norm {

/// Runs the passes of a compilation; an empty one calls `pm.run`. A library in
/// another program must neither catch signals nor read the command line.
using PassRunner = std::function<LogicalResult(PassManager &, ModuleOp)>;

inline LogicalResult runPasses(PassManager &pm, ModuleOp module,
                               const PassRunner &runner) {
  return runner ? runner(pm, module) : pm.run(module);
}

} // namespace mlir::norm

#endif // NORM_COMPILER_PASSRUNNER_H
