//===- PrepareRows.h - bodies before threads share them ---------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_TARGET_GPU_PREPAREROWS_H
#define NORM_LIB_TARGET_GPU_PREPAREROWS_H

#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace mlir::norm {

/// The buffer that `v` is a view of.
inline Value getRootBuffer(Value v) {
  auto buffer = dyn_cast<MemrefValue>(v);
  return buffer ? memref::skipViewLikeOps(buffer) : v;
}

/// Whether what is written to `written` may be seen in `read`. A caller may put
/// a result into the buffer of an input of the same shape, whatever the element
/// types; of another shape, rows of other blocks would already read it.
bool maySee(Value read, Value written);

/// Moves writes of rows that stand behind a reduction, but need none, right
/// behind what they write: in a reduction threads wait for each other, and
/// memory is idle.
void writeRowsEarly(scf::ForallOp loop);

/// Makes scf.for of what is parallel in the body of `loop`.
LogicalResult serializeBody(LoopLikeOpInterface loop);

/// Gives each buffer that the body of `loop` allocates a place: a few scalars
/// on the stack of each thread, where threads share the row (`isShared`) and
/// they are scalars or where up to 16 KiB are known to be enough; others in one
/// buffer of all `count` rows, which is allocated where `b` stands, row
/// `number` of the body at that place. Returns those, which the caller frees.
FailureOr<SmallVector<Value>> placeBuffers(OpBuilder &b,
                                           LoopLikeOpInterface loop,
                                           Value count, Value number,
                                           bool isShared);

/// The first access that needs an order between the threads that share a row;
/// null: there is none. `readBack` becomes the scalar stores whose value the
/// row reads back, so that each of its threads has to store.
Operation *findUnorderedAccess(Block &body,
                               llvm::DenseSet<Operation *> &readBack);

/// Clones vector constants and the like into `body`. Reports the first op that
/// distributeRow cannot clone, such as one on other vectors than `lanes` long.
LogicalResult prepareDistribution(Block &body, int64_t lanes);

/// Threads that share a warp with those of other rows shuffle together: reports
/// a reduction that only some rows might reach.
LogicalResult verifyUniformReductions(Block &body);

} // namespace mlir::norm

#endif // NORM_LIB_TARGET_GPU_PREPAREROWS_H
