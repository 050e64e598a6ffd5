//===- InitAll.h - registers everything of norm-mlir ------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_INITALL_H
#define NORM_INITALL_H

namespace mlir {
class DialectRegistry;
namespace norm {
/// Registers the norm dialect and the external models of its interfaces.
void registerAllDialects(DialectRegistry &registry);
/// Registers what the pipelines need from upstream dialects: external models of
/// bufferization, tiling, subsets and value bounds, conversions to LLVM, and
/// the translation of kernels. A tool that calls mlir::registerAllDialects,
/// mlir::registerAllExtensions and mlir::registerAllGPUToLLVMIRTranslations has
/// all of it; registering it twice does no harm.
void registerAllExtensions(DialectRegistry &registry);
/// Registers all passes and pipelines of norm-mlir by their names.
void registerAllPasses();
} // namespace norm
} // namespace mlir

#endif // NORM_INITALL_H
