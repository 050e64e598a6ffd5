//===- Pipeline.h - norm-to-simt --------------------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TESTING_SIMT_PIPELINE_H
#define NORM_TESTING_SIMT_PIPELINE_H

#include "norm/Pipelines/Pipelines.h"

namespace mlir::norm {

struct SIMTPipelineOptions : PassPipelineOptions<SIMTPipelineOptions> {
  PassOptions::Option<Rounding> rounding{
      *this, "rounding", llvm::cl::desc("Rounding that recognition accepts"),
      llvm::cl::init(Rounding::Default), getRoundingValues()};
  PassOptions::Option<std::string> chip{
      *this, "chip", llvm::cl::desc("GPU whose kernels are emulated"),
      llvm::cl::init("sm_90")};
  PassOptions::Option<bool> hasKernels{
      *this, "has-kernels",
      llvm::cl::desc("The module is kernels and host code on buffers already"),
      llvm::cl::init(false)};
};

/// norm-to-nvvm up to its kernels, which then run on the host, a fiber a
/// thread.
void buildNormToSIMTPipeline(OpPassManager &pm,
                             const SIMTPipelineOptions &options);

/// Registers `norm-to-simt`.
void registerSIMTPipeline();

} // namespace mlir::norm

#endif // NORM_TESTING_SIMT_PIPELINE_H
