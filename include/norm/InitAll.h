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
/// The norm dialect and the external models of its interfaces.
void registerAllDialects(DialectRegistry &registry);
/// What whole pipelines ask of upstream dialects: external models of their
/// bufferization, tiling, subsets and value bounds, their conversions to LLVM,
/// and the translation of kernels. A tool that calls mlir::registerAllDialects,
/// mlir::registerAllExtensions and mlir::registerAllGPUToLLVMIRTranslations
/// has all of it; to register it twice does no harm.
void registerAllExtensions(DialectRegistry &registry);
/// Every pass and pipeline of norm-mlir, under its command-line name.
void registerAllPasses();
} // namespace norm
} // namespace mlir

#endif // NORM_INITALL_H
