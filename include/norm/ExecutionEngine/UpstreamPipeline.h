//===- UpstreamPipeline.h - without norm-mlir -------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_EXECUTIONENGINE_UPSTREAMPIPELINE_H
#define NORM_EXECUTIONENGINE_UPSTREAMPIPELINE_H

#include "mlir/Pass/PassManager.h"

namespace mlir::norm {

/// What a compilation without norm-mlir does: upstream's TOSA lowering,
/// one-shot bufferization and loops, with the same calling convention.
void buildUpstreamPipeline(OpPassManager &pm);

} // namespace mlir::norm

#endif // NORM_EXECUTIONENGINE_UPSTREAMPIPELINE_H
