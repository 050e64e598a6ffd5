//===- ScheduleRows.cpp - choose the schedule of each row loop ------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RowTarget.h"
#include "norm/Normalize/ElementStorage.h"
#include "norm/Normalize/Recompute.h"
#include "norm/Rows/Rows.h"
#include "llvm/Support/DebugLog.h"
#include <numeric>

using namespace mlir;
using linalg::LinalgOp;

int64_t norm::getRowExtent(LinalgOp op) {
  return op.getNumLoops() == 0 ? 1 : op.getStaticLoopRanges().back();
}

/// Returns true for a row that another op of the loop makes.
static bool isInRegisters(Value row) {
  return row.getDefiningOp<LinalgOp>() || row.getDefiningOp<tensor::EmptyOp>();
}

/// The distance of two rows of the tensor that a row is a slice of; 0: there is
/// one row, or the host has to look.
static int64_t getPitch(Value row) {
  if (isInRegisters(row))
    return 0;
  while (auto slice = row.getDefiningOp<tensor::ExtractSliceOp>())
    row = slice.getSource();
  auto type = dyn_cast<RankedTensorType>(row.getType());
  if (!type || type.getRank() < 2 || type.isDynamicDim(type.getRank() - 1))
    return 0;
  return type.getShape().back();
}

norm::RowForm::RowForm(ArrayRef<LinalgOp> ops) {
  for (LinalgOp op : ops) {
    int64_t length = getRowExtent(op);
    if (length == 1)
      continue;
    reductions += op.getNumReductionLoops() > 0;
    bool isKnown =
        !ShapedType::isDynamic(length) && !ShapedType::isDynamic(extent);
    extent = isKnown ? std::max(extent, length) : ShapedType::kDynamic;
    unsigned innermost = op.getNumLoops() - 1;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!op.getMatchingIndexingMap(&operand).isFunctionOfDim(innermost))
        continue;
      int64_t size = norm::getElementBytes(operand.get().getType());
      if (size > 0)
        bytes = std::min(bytes, size);
      if (!isInRegisters(operand.get()))
        widest = std::max(widest, size);
      pitch = std::gcd(pitch, getPitch(operand.get()));
    }
  }
}

//===----------------------------------------------------------------------===//
// Loops that have no schedule
//===----------------------------------------------------------------------===//

/// Rows that one op of the loop makes for another would need memory where a row
/// is longer than what the threads hold; recomputing them needs none.
static void recomputeElementwiseRows(scf::ForallOp loop) {
  IRRewriter rewriter(loop.getContext());
  auto ops = norm::collect<LinalgOp>(loop);
  // In reverse order, producers are visited after their users.
  for (LinalgOp producer : llvm::reverse(ops))
    if (norm::getRowExtent(producer) != 1)
      norm::fuseIntoReaders(rewriter, producer);
}

/// What a shuffle between threads moves, in two halves.
static constexpr int64_t kMostShuffledBytes = 8;

bool norm::canShareRow(LinalgOp op) {
  if (!norm::canVectorizeRow(op))
    return false;
  if (op.getNumReductionLoops() == 0)
    return true;
  if (llvm::any_of(op.getRegionOutputArgs(), [](BlockArgument sum) {
        return norm::getElementBytes(sum.getType()) > kMostShuffledBytes;
      }))
    return false;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  return llvm::all_of(ArrayRef(extents).drop_back(),
                      [](int64_t extent) { return extent == 1; });
}

/// An op that no row loop has becomes loops of threads: its parallel
/// dimensions lead, so that those loops are the outer ones.
static void planAlone(LinalgOp op) {
  auto generic = dyn_cast<linalg::GenericOp>(*op);
  SmallVector<unsigned> order;
  op.getParallelDims(order);
  op.getReductionDims(order);
  if (!generic || llvm::is_sorted(order))
    return;
  IRRewriter rewriter(op.getContext());
  rewriter.setInsertionPoint(op);
  // Each order of all loops is one that upstream can make.
  (void)linalg::interchangeGenericOp(rewriter, generic, order);
}

static void plan(scf::ForallOp loop, int64_t maxCluster) {
  norm::RowForm form(norm::collect<LinalgOp>(loop));
  norm::GPUScheduleAttr schedule =
      norm::chooseRowSchedule(loop, form, maxCluster);
  LDBG("norm-tile-rows", 1)
      << schedule << " of rows of " << form.extent << ": " << *loop;
  bool inStrips =
      ShapedType::isDynamic(form.extent) || form.extent > schedule.getLanes();
  if (inStrips)
    recomputeElementwiseRows(loop);
  if (form.extent != 1 &&
      llvm::all_of(norm::collect<LinalgOp>(loop), norm::canShareRow))
    setRole(loop, norm::LoopRole::Rows, schedule);
}

void norm::scheduleRows(Operation *scope, int64_t maxCluster) {
  auto isOutermost = [](Operation *op) {
    return !op->getParentOfType<scf::ForallOp>();
  };
  for (auto loop : norm::collect<scf::ForallOp>(scope, isOutermost))
    if (!norm::getSchedule(loop))
      plan(loop, maxCluster);
  llvm::for_each(norm::collect<LinalgOp>(scope, isOutermost), planAlone);
}
