//===- Targets.h - what results are compared with ---------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TESTING_TARGETS_H
#define NORM_TESTING_TARGETS_H

#include "norm/Compiler/Target.h"

namespace mlir::norm {

/// Returns the target "simt", which emulates the kernels of norm-to-nvvm, or
/// those of the program's gpu.module, in this process.
const Target &getSIMTTarget();
/// Returns the target "upstream", which compiles without norm-mlir: upstream's
/// TOSA lowering, one-shot bufferization and loops, with the same calling
/// convention.
const Target &getUpstreamTarget();

inline void registerTestingTargets() {
  registerTarget(getSIMTTarget());
  registerTarget(getUpstreamTarget());
}

} // namespace mlir::norm

#endif // NORM_TESTING_TARGETS_H
