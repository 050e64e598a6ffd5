//===- ShapeFunctions.h - functions of the extents of results ---*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_COMPILER_SHAPEFUNCTIONS_H
#define NORM_COMPILER_SHAPEFUNCTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::norm {

/// Whether functions of shapes check that the dynamic extents of arguments fit
/// each other, as the ops of the program require.
enum class ExtentChecks { None, Assert };

/// The suffix of the copies of public functions with dynamic result extents
/// that return only those extents.
constexpr llvm::StringLiteral kShapeFunctionSuffix = "__norm_shape";

/// Returns whether a function of this type gets such a copy: for its results
/// or, with checks, for its arguments too.
bool hasShapeFunction(FunctionType type, ExtentChecks checks);

/// Adds these copies to a module on tensors, and simplifies it.
LogicalResult addShapeFunctions(ModuleOp module, ExtentChecks checks);

} // namespace mlir::norm

#endif // NORM_COMPILER_SHAPEFUNCTIONS_H
