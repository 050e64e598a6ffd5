//===- RowValues.h - what ops of a row leave in registers -------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_ROWS_ROWVALUES_H
#define NORM_LIB_ROWS_ROWVALUES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::norm {

/// Returns false for views of different buffers, and for what is no buffer.
/// Parameters of a function do not overlap (docs/Limits.md).
bool mayOverlap(Value x, Value y);

/// Returns true if `scope`, or an op in it, may write `buffer`, or read it if
/// `reads`.
bool mayAccess(Operation *scope, Value buffer, bool reads = true);

/// Returns true if `op` also reads a buffer that it writes.
bool readsWhatItWrites(linalg::LinalgOp op);

/// Returns true for a buffer of which no op in `scope` writes anything.
bool isNotWritten(Value buffer, Operation *scope);

/// Elements of a buffer: `width` from the indices `at` on, or a scalar (0), of
/// which those exist that `mask` has, a `vector.create_mask`, if there is one.
struct Place {
  Value buffer;
  SmallVector<Value> at;
  int64_t width = 0;
  Value mask = {};

  bool operator==(const Place &other) const;
};

/// What the ops of a block have read or written in one piece, which is still in
/// a register for the ops that follow.
class RowValues {
public:
  void note(const Place &place, Value v);
  Value lookup(const Place &place) const;

  /// Forgets what overlaps `buffer`, or what `op` may write.
  void forget(Value buffer);
  void forgetWrites(Operation *op);

  /// What the op of the last loop over strips reads and writes, if that has
  /// gone up.
  SmallVector<Value> lastUp;

private:
  struct Known {
    Place place;
    Value v;
  };
  SmallVector<Known> known;
};

} // namespace mlir::norm

#endif // NORM_LIB_ROWS_ROWVALUES_H
