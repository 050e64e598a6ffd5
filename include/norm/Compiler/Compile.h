//===- Compile.h - compile a module to a file -------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_COMPILER_COMPILE_H
#define NORM_COMPILER_COMPILE_H

#include "norm/Compiler/Options.h"

namespace mlir::norm {

/// Compiles `module` in place and writes `output` ("-" is standard output).
/// Errors are diagnostics, and no file is left after one.
///
/// PTX and Cubin write the kernels of the whole program as one image. For nvvm,
/// Object and Shared hold that image and the code that launches it
/// (docs/GPU.md), and LLVMIR calls MLIR's `mgpu*` functions.
LogicalResult emitFile(ModuleOp module, const CompileOptions &options,
                       StringRef output);

} // namespace mlir::norm

#endif // NORM_COMPILER_COMPILE_H
