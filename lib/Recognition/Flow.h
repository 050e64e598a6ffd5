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
#include "llvm/ADT/MapVector.h"

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

  /// The scaled scalars of each body, in program order.
  using Candidates = llvm::MapVector<Operation *, SmallVector<Value>>;
  const Candidates &getCandidates() const { return candidates; }
  /// Ops whose bodies take the root of a statistic, or of what none computes.
  ArrayRef<std::pair<Operation *, Flow>> getRoots() const { return roots; }
  /// Linalg ops on buffers that take a root.
  ArrayRef<Operation *> getRootsOnBuffers() const { return onBuffers; }

private:
  void visit(Operation *op);
  void visitLinalg(linalg::LinalgOp op);
  Flow getScalar(Operation *op) const;
  bool mayBeSquare(Operation *op) const;
  bool scalesSum(Operation *op) const;
  bool isProductOfTwo(linalg::LinalgOp op) const;
  Flow getReduction(linalg::LinalgOp op, OpResult result) const;
  Flow multiply(const Flow &a, const Flow &b) const;
  Flow join(Operation *op) const;

  llvm::DenseMap<Value, Flow> flows;
  Candidates candidates;
  SmallVector<std::pair<Operation *, Flow>> roots;
  SmallVector<Operation *> onBuffers;
};

} // namespace mlir::norm

#endif // NORM_RECOGNITION_FLOW_H
