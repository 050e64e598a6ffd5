//===- CPUPipeline.cpp - norm-to-cpu ----------------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Pipelines/Pipelines.h"

using namespace mlir;

void norm::buildNormToCPUPipeline(OpPassManager &pm,
                                   const CPUPipelineOptions &options,
                                   Stage upTo) {}

void norm::registerCPUPipeline() {}
