//===- ValueOrigins.h - what a value can be made of -------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_FLOATS_VALUEORIGINS_H
#define NORM_FLOATS_VALUEORIGINS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::norm {

/// Walks back from a value to prove something of all that it can be. Values
/// that an scf.for carries are what the loop starts with and what it yields.
class ValueOrigins {
public:
  /// Adds a value that must be visited too, once.
  void add(Value v) {
    if (seen.insert(v).second)
      worklist.push_back(v);
  }

  /// Returns true if `visit` holds for the result of every op that is reached
  /// from `v`; it adds the operands that decide for the result.
  static bool allHold(Value v,
                      function_ref<bool(OpResult, ValueOrigins &)> visit) {
    ValueOrigins origins;
    origins.add(v);
    while (!origins.worklist.empty())
      if (!origins.holds(origins.worklist.pop_back_val(), visit))
        return false;
    return true;
  }

private:
  bool holds(Value v, function_ref<bool(OpResult, ValueOrigins &)> visit) {
    if (auto arg = dyn_cast<BlockArgument>(v)) {
      auto loop = dyn_cast_or_null<scf::ForOp>(arg.getOwner()->getParentOp());
      if (!loop || arg.getArgNumber() == 0)
        return false;
      addCarried(loop, arg.getArgNumber() - 1);
      return true;
    }
    auto result = cast<OpResult>(v);
    if (auto loop = dyn_cast<scf::ForOp>(result.getOwner())) {
      addCarried(loop, result.getResultNumber());
      return true;
    }
    return visit(result, *this);
  }

  void addCarried(scf::ForOp loop, unsigned i) {
    add(loop.getInitArgs()[i]);
    add(loop.getYieldedValues()[i]);
  }

  llvm::DenseSet<Value> seen;
  SmallVector<Value> worklist;
};

/// Returns true for what norm-expand-vector-math computes by a polynomial.
bool isVectorFunction(Operation &op);

/// Returns `type` with elements of type `element`: a scalar becomes `element`,
/// a vector or a memref keeps its shape and layout.
Type withElement(Type type, Type element);

/// Clones an elementwise op, a broadcast of a scalar or a splat constant on
/// `operands`, with `lanes` elements per vector.
Operation *cloneAtWidth(OpBuilder &b, Operation *op, int64_t lanes,
                        ValueRange operands);

} // namespace mlir::norm

#endif // NORM_FLOATS_VALUEORIGINS_H
