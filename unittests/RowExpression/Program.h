//===- Program.h - a program that a unit test reads -------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_UNITTESTS_ROWEXPRESSION_PROGRAM_H
#define NORM_UNITTESTS_ROWEXPRESSION_PROGRAM_H

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

namespace mlir::norm::row {

/// Parsed text, in a context of its own. A test names values by the position
/// at which the program returns them.
class Program {
public:
  explicit Program(StringRef text) : context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<affine::AffineDialect, arith::ArithDialect,
                        func::FuncDialect, linalg::LinalgDialect,
                        math::MathDialect, scf::SCFDialect,
                        tensor::TensorDialect>();
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      llvm::report_fatal_error("a unit test has a program that is not valid");
  }

  MLIRContext *getContext() { return &context; }
  ModuleOp getModule() { return *module; }
  func::FuncOp getFunction() { return getOp<func::FuncOp>(); }
  Value getArgument(unsigned i) { return getFunction().getArgument(i); }
  /// Operand `i` of what block `block` of the first function returns.
  Value getReturned(unsigned i, unsigned block = 0) {
    Region &body = getFunction().getBody();
    return std::next(body.begin(), block)->getTerminator()->getOperand(i);
  }
  /// The op of a kind at position `i` in the text.
  template <typename OpT> OpT getOp(unsigned i = 0) {
    OpT found;
    module->walk<WalkOrder::PreOrder>([&](OpT op) {
      found = op;
      return i-- == 0 ? WalkResult::interrupt() : WalkResult::advance();
    });
    return found;
  }

private:
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

} // namespace mlir::norm::row

#endif // NORM_UNITTESTS_ROWEXPRESSION_PROGRAM_H
