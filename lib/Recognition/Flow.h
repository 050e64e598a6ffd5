//===- Flow.h - what values have to do with reductions -----------*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This header is private to this folder. One walk over the program determines
// for each value whether it is a statistic or is scaled by one, and so where a
// norm is possible and which tensors expressions are read through.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_RECOGNITION_FLOW_H
#define NORM_LIB_RECOGNITION_FLOW_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::norm {

/// Returns the scalar that the body of a linalg op yields for `result`.
Value getYielded(Value result);

/// Returns the values from which a body's scalar or a tensor is computed.
SmallVector<Value> getSources(Value value);

/// Returns the sources of a value, and theirs, as far as `follows` holds.
llvm::SetVector<Value> collectSources(Value value,
                                      llvm::function_ref<bool(Value)> follows);

struct Flow {
  enum class Role {
    Plain,
    Neutral,   ///< computed only from constants
    Statistic, ///< computed only from reductions and constants
    Scaled     ///< a product with a statistic that has a root or squares
  };
  Role role = Role::Plain;
  /// The last reduction that it depends on, for statistics and scaled values.
  Value reduction;
  bool hasRoot = false;    ///< the statistic contains a root
  bool hasSquares = false; ///< the reduction adds up squares
  bool hasLogarithm = false;
  bool isSquare = false;   ///< it may be the square of another value
  unsigned numFactors = 0; ///< multiplications since the statistic
  /// The last sum of anything but squares that it depends on elementwise, as a
  /// gradient depends on the sum of x * g.
  Value sum;
  unsigned sumNumber = 0; ///< from 1, in program order
  bool isAdded = false;   ///< something was added to what depends on a sum

  bool isNeutral() const { return role == Role::Neutral; }
  bool isStatistic() const { return role == Role::Statistic; }
  bool isScaled() const { return role == Role::Scaled; }
  bool isCandidate() const { return hasRoot || hasSquares; }
};

class FlowAnalysis {
public:
  explicit FlowAnalysis(Operation *scope);

  Flow lookup(Value value) const;
  /// Returns true if expressions are read through the tensor: statistics,
  /// constants and squares are never leaves.
  bool isOpen(Value tensor) const;

  // The walk finds these values, in program order.
  SmallVector<Value> candidates; ///< scaled scalars of bodies
  SmallVector<Value> gradients;  ///< scalars of bodies that may be gradients
  SmallVector<OpResult> sums;    ///< sums of anything but squares
  /// Ops whose bodies take the root of a non-constant, with the root's flow.
  SmallVector<std::pair<Operation *, Flow>> roots;
  SmallVector<Operation *> rootsOnBuffers; ///< linalg ops that take a root

private:
  void visit(Operation *op);
  void visitLinalg(linalg::LinalgOp op);
  void visitBody(linalg::LinalgOp op);
  Flow getReduction(OpResult result);

  llvm::DenseMap<Value, Flow> flows;
};

} // namespace mlir::norm

#endif // NORM_LIB_RECOGNITION_FLOW_H
