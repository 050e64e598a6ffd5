//===- PlanGradients.h - decide about the gradients of norms -----*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This header is private to this folder.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_RECOGNITION_PLANGRADIENTS_H
#define NORM_LIB_RECOGNITION_PLANGRADIENTS_H

#include "Gradient.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::norm {

class GradientPlanner {
public:
  /// Returns the place of a scalar that depends on a sum.
  using GetSite =
      llvm::function_ref<std::optional<Site>(Value scalar, Value sum)>;
  GradientPlanner(row::Reader &reader, LawBook &laws, const FlowAnalysis &flow,
                  DominanceInfo &dominance, Rounding rounding, GetSite getSite)
      : reader(reader), laws(laws), flow(flow), dominance(dominance),
        rounding(rounding), getSite(getSite) {}

  void run();

  std::vector<PlannedNorm> norms;
  SmallVector<Value> sums; // the sums along rows of these
  /// What was rejected, by the sum that it depends on.
  llvm::MapVector<Value, std::pair<Operation *, Rejection>> rejected;

private:
  void reject(Value sum, Operation *op, Rejection rejection);
  void planInputGradients();
  bool isBelowGradient(Value value);
  void planWeightGradients();
  std::optional<Site> getSumSite(OpResult sum);
  bool isAvailableAt(const PlannedNorm &norm, linalg::LinalgOp op);
  bool sumsWithoutRoot(const Site &site);
  bool join(PlannedNorm &dx, PlannedNorm &dw);

  llvm::DenseMap<Value, SmallVector<size_t, 2>> byInput; // gradients dx
  llvm::DenseMap<Value, bool> belowGradient;
  row::Reader &reader;
  LawBook &laws;
  const FlowAnalysis &flow;
  DominanceInfo &dominance;
  Rounding rounding;
  GetSite getSite;
};

} // namespace mlir::norm

#endif // NORM_LIB_RECOGNITION_PLANGRADIENTS_H
