//===- RowLoops.h - groups of ops and loops over their rows -----*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_ROWS_ROWLOOPS_H
#define NORM_LIB_ROWS_ROWLOOPS_H

#include "RowMatch.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "norm/IR/Norm.h"
#include "norm/Rows/Rows.h"
#include <deque>

namespace mlir::norm {

/// The ops that one loop over the rows of `root` computes.
struct RowGroup {
  linalg::LinalgOp root;
  SmallVector<linalg::LinalgOp>
      members;            ///< Root first, users before producers.
  int64_t numRowDims = 0; ///< Leading loops of the root.
  bool hasReduction = false;
  std::optional<PartialSums> sums; ///< If the root's leading loops are reduced.
  bool isOfPart = false;           ///< The rows are those of a part.

  /// Returns true if the rows are divided into parts, whose sums are added.
  bool isDivided() const { return sums && !isOfPart; }

  /// Returns true if several workers share the loop. A part has one.
  bool isSharedBy(RowWorkers workers) const {
    return workers != RowWorkers::Thread && !isOfPart;
  }
};

/// The shapes of groups for which the caller has code.
enum class RowShape {
  Any,
  OneVector, ///< Each member has one loop beyond several rows, the innermost.
  Alone      ///< There are no rows but one: no other loop has iterations.
};

/// Divides the row-wise ops of `block` into groups. Each op is in at most one
/// group, which is placed at its root: all other users of a member come after
/// the root. Groups are in reverse order of their roots. Each use of a value is
/// visited once. A remark says why an op is not in the group of its users.
std::deque<RowGroup> findRowGroups(Block &block, RowShape shape);

/// Returns the plan of a group's root, completed by what suits the group.
RowPlanAttr planGroup(const RowGroup &group, RowWorkers workers);

/// Returns the extent of the innermost loop.
int64_t getRowExtent(linalg::LinalgOp op);

/// What ops of one loop have in common.
struct RowForm {
  explicit RowForm(ArrayRef<linalg::LinalgOp> ops);

  int64_t extent = 1; ///< the longest row, or dynamic
  /// Divides the distance of rows in every buffer; 0: there is one row, or only
  /// the host can know.
  int64_t pitch = 0;
  int64_t bytes = 8;      ///< of the narrowest element type on the row
  int64_t widest = 0;     ///< bytes of such a type, of rows in memory
  int64_t reductions = 0; ///< of rows
};

/// Returns how threads share the rows of a loop. `maxCluster`: blocks that may
/// share a row; 1: the chip has no clusters.
GPUScheduleAttr chooseRowSchedule(Operation *loop, const RowForm &form,
                                  int64_t maxCluster);

/// Returns the same for a loop over rows that `ops`, of which the first has all
/// loops, compute and sum by parts: a block keeps the sums of its part in
/// registers. Null where its threads cannot hold a row with its sums.
GPUScheduleAttr scheduleSums(ArrayRef<linalg::LinalgOp> ops);

/// Returns the rows of each of these parts but the last.
OpFoldResult createRowsPerPart(OpBuilder &b, linalg::LinalgOp op);

/// Returns the schedule of ops on columns, of which the first reduces rows into
/// one row: blocks of as many columns as a warp accesses at once, or of fewer,
/// so that they divide a known extent. Each column is one thread's.
GPUScheduleAttr chooseColumnSchedule(ArrayRef<linalg::LinalgOp> ops);

/// A part of a tensor with unit strides.
struct Slice {
  SmallVector<OpFoldResult> offsets, sizes;

  /// Returns all of `tensor`.
  static Slice getWhole(OpBuilder &b, Location loc, Value tensor);
  Value extract(OpBuilder &b, Location loc, RankedTensorType type,
                Value tensor) const;
  Value insert(OpBuilder &b, Location loc, Value v, Value tensor) const;
  /// Ends an iteration of `loop` with `v` in this place of `tensor`.
  void insert(OpBuilder &b, scf::ForallOp loop, Value v, Value tensor) const;
};

/// Vectors reduce along one row; sums over more loops would go through memory.
bool canShareRow(linalg::LinalgOp op);

/// Returns the mapping that keeps canonicalization from removing a loop over
/// `loops` dimensions that has one iteration.
ArrayAttr getBlockMapping(Builder &b, unsigned loops);

/// Builds an `scf.forall` with a schedule, if there is one.
scf::ForallOp createBlockLoop(OpBuilder &b, Location loc,
                              ArrayRef<OpFoldResult> counts,
                              ValueRange destinations,
                              GPUScheduleAttr schedule);

/// The loops around tiles of an op, outermost first, and for each result of the
/// op the value that replaces it after them.
struct RowLoops {
  SmallVector<LoopLikeOpInterface> loops;
  SmallVector<Value> results;
};

/// Builds the loops over the numbers of the parts of `sums`, whose iterations
/// have a tile of its op: `sizes` of its first loops, and all of the others.
/// With a schedule they are one loop of blocks of threads.
RowLoops buildPartLoops(IRRewriter &b, const PartialSums &sums,
                        ArrayRef<OpFoldResult> sizes,
                        scf::SCFTilingOptions::LoopType loopType,
                        GPUScheduleAttr schedule);

/// Lets a loop over the rows of a part add them by blocks: an element goes
/// through fewer additions, and so the error is less. The loop's first results
/// are those of `sums`. It becomes the loop over the rows of a block.
void addByBlocks(IRRewriter &b, scf::ForOp rows, const PartialSums &sums);

/// Which sums over rows become loops of their own.
enum class ColumnSums {
  All,
  Alone ///< Those of rows that no other op reduces along the row.
};

/// Returns true if another op reduces rows along the row that `op` sums.
bool hasReducedRows(linalg::LinalgOp op);

/// Tiles sums over rows by parts and blocks of columns, with a schedule.
void tileColumns(IRRewriter &rewriter, Operation *scope, ColumnSums which);

/// Builds one op with the results of both in place of the first; `second` reads
/// results of `first` at the indices at which `first` yields them. A loop is
/// parallel if it is in both. Returns null, and changes nothing, where what
/// `second` uses cannot be computed before `first`.
linalg::GenericOp mergeInto(IRRewriter &b, linalg::GenericOp first,
                            linalg::GenericOp second);

/// Moves slow operations of an elementwise op that writes rows into ops over
/// the loops on which they depend.
void splitRowScalars(IRRewriter &b, linalg::GenericOp op);

/// Chooses the schedules of the loops over rows that have none.
void scheduleRows(Operation *scope, int64_t maxCluster);

} // namespace mlir::norm

#endif // NORM_LIB_ROWS_ROWLOOPS_H
