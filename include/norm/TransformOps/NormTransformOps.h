//===- NormTransformOps.h - transform.norm.* --------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TRANSFORMOPS_NORMTRANSFORMOPS_H
#define NORM_TRANSFORMOPS_NORMTRANSFORMOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/IR/OpImplementation.h"
#include "norm/IR/Norm.h"

#define GET_OP_CLASSES
#include "norm/TransformOps/NormTransformOps.h.inc"

namespace mlir {
class DialectRegistry;
namespace norm {
/// Registers transform.norm.*.
void registerTransformDialectExtension(DialectRegistry &registry);
} // namespace norm
} // namespace mlir

#endif // NORM_TRANSFORMOPS_NORMTRANSFORMOPS_H
