//===- Flow.h - what values have to do with reductions -----------*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder. One walk along the program that says of each value
// whether it is a statistic, or is scaled by one: where a norm can be at all,
// and which tensors an expression is read through.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_RECOGNITION_FLOW_H
#define NORM_RECOGNITION_FLOW_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::norm {

struct Flow {
  enum class Role {
    Plain,
    Neutral,   ///< computed from constants alone
    Statistic, ///< computed from reductions and constants alone
    Scaled     ///< a product with a statistic that has a root or squares
  };
  Role role = Role::Plain;
  /// The last reduction that it depends on; null but for the last two roles.
  Value reduction;
  bool hasRoot = false;    ///< of the statistic
  bool hasSquares = false; ///< the reduction adds squares up
  bool hasLogarithm = false;
  bool isSquare = false;   ///< perhaps the square of another value
  unsigned numFactors = 0; ///< multiplications since the statistic

  bool isStatistic() const { return role == Role::Statistic; }
  bool isScaled() const { return role == Role::Scaled; }
  bool isCandidate() const { return hasRoot || hasSquares; }
};

class FlowAnalysis {
public:
  explicit FlowAnalysis(Operation *scope);

  Flow lookup(Value value) const;
  /// Whether expressions are read through the tensor: what is a statistic, a
  /// constant or a square is never left as a leaf.
  bool isOpen(Value tensor) const;

  // What the walk has found, in program order:
  SmallVector<Value> candidates; ///< scaled scalars of bodies
  /// Ops whose bodies take the root of a statistic, or of what none computes.
  SmallVector<std::pair<Operation *, Flow>> roots;
  SmallVector<Operation *> rootsOnBuffers; ///< linalg ops that take one

private:
  void visit(Operation *op);
  void visitLinalg(linalg::LinalgOp op);

  llvm::DenseMap<Value, Flow> flows;
};

} // namespace mlir::norm

#endif // NORM_RECOGNITION_FLOW_H
