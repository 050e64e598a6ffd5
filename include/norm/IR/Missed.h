//===- Missed.h - why code generation left an op as it is -------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_IR_MISSED_H
#define NORM_IR_MISSED_H

#include "mlir/IR/Operation.h"

namespace mlir::norm {

/// The reasons why a pass leaves an op as it is.
enum class Missed {
#define MISSED(name, pass, text) name,
#include "norm/IR/Missed.def"
#undef MISSED
};

/// Emits a missed remark at `op`. Its name is that of the reason, its category
/// the pass, whose debug type prints it too.
void missed(Operation *op, Missed reason);

} // namespace mlir::norm

#endif // NORM_IR_MISSED_H
