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

/// "simt": the kernels of norm-to-nvvm, or those of the program's gpu.module,
/// emulated in this process.
const Target &getSIMTTarget();
/// "upstream": what a compilation without norm-mlir does. Upstream's TOSA
/// lowering, one-shot bufferization and loops, with the same calling
/// convention.
const Target &getUpstreamTarget();

inline void registerTestingTargets() {
  registerTarget(getSIMTTarget());
  registerTarget(getUpstreamTarget());
}

} // namespace mlir::norm

#endif // NORM_TESTING_TARGETS_H
