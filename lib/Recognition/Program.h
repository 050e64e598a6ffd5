//===- Program.h - what is planned for a program -----------------*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This header is private to this folder. The planning of norms and that of
// their gradients read one program and report by reduction.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_RECOGNITION_PROGRAM_H
#define NORM_LIB_RECOGNITION_PROGRAM_H

#include "Gradient.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::norm {

/// A program and what reads it.
struct Program {
  Program(Operation *scope, Rounding rounding);
  Program(const Program &) = delete; // the reader refers to the flow

  /// Returns the place of a scalar that depends on a reduction.
  std::optional<Site> getSite(Value scalar, Value reduction,
                              Weights weights = Weights::Single);
  /// Returns the place of a sum, whose space is that of the summed values.
  Site getSumSite(OpResult sum);
  /// Returns the place in the space that `map` has of the body's loops.
  Site getSite(const row::Body *body, AffineMap map, Value scalar,
               const row::Node *node, Value reduction, Weights weights);

  const FlowAnalysis flow;
  const Rounding rounding;
  DominanceInfo dominance;
  std::unique_ptr<row::Context> context;
  row::Reader reader;
  LawBook laws;
};

/// Tells what scales as a norm and what was rejected, by reduction.
class Outcomes {
public:
  /// Records that a norm or a gradient has this reduction.
  void accept(Value reduction) { accepted.insert(reduction); }
  bool isAccepted(Value reduction) const {
    return accepted.contains(reduction);
  }
  /// Keeps, of the rejections with one reduction, that of the latest stage,
  /// whatever the order of candidates.
  void reject(Value reduction, Operation *op, Rejection rejection);
  bool isKnown(Value reduction) const {
    return accepted.contains(reduction) || rejected.contains(reduction);
  }
  /// Adds the outcomes of gradients, in place of those for norms.
  void override(Outcomes other);
  /// Returns the rejections with other reductions than those of norms, first
  /// the one that was added last.
  std::vector<PlannedRejection> takeRejections();

private:
  llvm::DenseSet<Value> accepted;
  llvm::MapVector<Value, std::pair<Operation *, Rejection>> rejected;
};

/// Finds the gradients in the program, in which `forward` norms were found.
std::vector<PlannedNorm> planGradients(Program &program,
                                       ArrayRef<PlannedNorm> forward,
                                       Outcomes &outcomes);

} // namespace mlir::norm

#endif // NORM_LIB_RECOGNITION_PROGRAM_H
