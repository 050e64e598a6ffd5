//===- PlanRows.cpp - how the rows of a group are computed ----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"
#include "norm/IR/KnownExtents.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mlir::norm;
using linalg::LinalgOp;

/// Returns how many rows one loop goes over, row by row or by blocks.
static int64_t countRows(const RowGroup &group, int64_t rowsPerPart) {
  LinalgOp root = group.root;
  int64_t rows = root.getStaticLoopRanges()[group.numRowDims - 1];
  if (rowsPerPart == 0 || ShapedType::isDynamic(rows) || rows <= rowsPerPart)
    return rows;
  return rows % rowsPerPart == 0 ? rowsPerPart : ShapedType::kDynamic;
}

/// Returns the rows per iteration: several if they are short, because then
/// their reductions do not wait for each other. They divide a known number of
/// rows, so that every block is full. The remainder of a parallel loop gets no
/// loop of its own.
static int64_t chooseRowsPerBlock(const RowGroup &group, int64_t rows,
                                  bool isParallel) {
  LinalgOp root = group.root;
  uint64_t length = multiplyExtents(
      ArrayRef(root.getStaticLoopRanges()).drop_front(group.numRowDims),
      /*open=*/0);
  if (!group.hasReduction || length == 0)
    return 1;
  RowTarget target = getRowTarget(group.root);
  int64_t most =
      std::min<int64_t>(target.mostRowsPerBlock, target.blockElements / length);
  if (most < target.leastRowsPerBlock)
    return 1;
  most = llvm::bit_floor(static_cast<uint64_t>(most));
  if (!ShapedType::isDynamic(rows))
    for (int64_t block = most; block >= target.leastRowsPerBlock; block /= 2)
      if (rows % block == 0)
        return block;
  bool canPeel = !isParallel && (ShapedType::isDynamic(rows) || rows >= most);
  return canPeel ? most : 1;
}

/// Completes a plan by the lanes of strips.
static RowPlanAttr planStrips(RowPlanAttr plan, const RowTarget &target,
                              int64_t rowsPerPart = 0) {
  return plan.completeBy(RowPlanAttr::get(plan.getContext(),
                                          /*rows_per_block=*/0, rowsPerPart,
                                          target.lanes, target.tailLanes));
}

StripLanes norm::chooseStripLanes(LinalgOp op, const RowMatch &match) {
  RowTarget target = getRowTarget(op);
  RowPlanAttr plan = planStrips(findPlan(op), target);
  StripLanes strips = {plan.getLanes(), plan.getTailLanes()};
  int64_t extent = match.hasVectorLoop ? op.getStaticLoopRanges().back() : 0;
  // Rows that are added to each other and two strips long are one strip: read
  // from end to end, which memory is faster at.
  if (!match.columns.empty() && extent == 2 * strips.lanes)
    strips.lanes *= 2;
  // A short row, such as half of a block, is one vector of its own length.
  if (match.reductions.empty() && match.columns.empty() &&
      extent >= target.leastLanes && extent < strips.tail &&
      llvm::isPowerOf2_64(extent))
    strips.lanes = strips.tail = extent;
  return strips;
}

RowPlanAttr norm::planGroup(const RowGroup &group, RowWorkers workers) {
  MLIRContext *context = group.root->getContext();
  if (workers == RowWorkers::GPU)
    return RowPlanAttr::get(context, /*rows_per_block=*/1);
  RowTarget target = getRowTarget(group.root);
  RowPlanAttr plan = planStrips(findPlan(group.root), target,
                                group.isDivided() ? target.rowsPerPart : 0);
  bool isParallel =
      group.isSharedBy(workers) && !group.isDivided() && plan.getParallel();
  int64_t rows = countRows(group, plan.getRowsPerPart());
  return plan.completeBy(
      RowPlanAttr::get(context, chooseRowsPerBlock(group, rows, isParallel)));
}
