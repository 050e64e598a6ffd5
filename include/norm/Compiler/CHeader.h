//===- CHeader.h - a C header for compiled functions ------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_COMPILER_CHEADER_H
#define NORM_COMPILER_CHEADER_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::norm {
/// Writes valid C11 and C++ that declares `_mlir_ciface_f` for each public
/// function f of a module on tensors, and the memref descriptors of its
/// arguments. A type or a name that C cannot have is an error at its function.
LogicalResult printCHeader(ModuleOp module, raw_ostream &os);

/// Whether C can name `type`, or the buffer of a tensor of that type.
bool hasCType(Type type);

/// Writes the header for --target=nvvm, which declares `f_launch` beside
/// `_mlir_ciface_f`, and the error codes that it returns.
LogicalResult printGPUHeader(ModuleOp module, raw_ostream &os);
} // namespace mlir::norm

#endif // NORM_COMPILER_CHEADER_H
