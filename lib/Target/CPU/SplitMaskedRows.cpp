//===- SplitMaskedRows.cpp - the end of a row without a mask --------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "norm/Rows/Vectors.h"
#include "norm/Target/CPU/Passes.h"
#include "llvm/ADT/bit.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMSPLITMASKEDROWS
#include "norm/Target/CPU/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

/// Length of a transfer along a buffer that can be taken apart.
static std::optional<int64_t> getLength(VectorTransferOpInterface op) {
  auto type = dyn_cast<MemRefType>(op.getBase().getType());
  if (!type || !type.isLastDimUnitStride() || type.getRank() == 0 ||
      op.getVectorType().getRank() != 1 || op.getVectorType().isScalable() ||
      op.hasOutOfBoundsDim() || !op.getPermutationMap().isMinorIdentity() ||
      !op.getVectorType().getElementType().isIntOrFloat())
    return std::nullopt;
  std::optional<int64_t> length = norm::getMaskedLength(op.getMask());
  int64_t lanes = op.getVectorType().getDimSize(0);
  return length && *length > 0 && *length < lanes ? length : std::nullopt;
}

/// Calls `build` with powers of two, the largest first: each is one load or
/// store.
static void forEachPiece(int64_t length,
                         function_ref<void(int64_t from, int64_t size)> build) {
  for (int64_t from = 0; from < length;) {
    int64_t size = llvm::bit_floor(static_cast<uint64_t>(length - from));
    build(from, size);
    from += size;
  }
}

static SmallVector<Value> getIndicesAt(ImplicitLocOpBuilder &b,
                                       VectorTransferOpInterface op,
                                       int64_t from) {
  SmallVector<Value> indices(op.getIndices());
  if (from == 0)
    return indices;
  Value by = arith::ConstantIndexOp::create(b, from);
  indices.back() = arith::AddIOp::create(b, indices.back(), by);
  return indices;
}

static void splitWrite(vector::TransferWriteOp write, int64_t length) {
  ImplicitLocOpBuilder b(write.getLoc(), write);
  forEachPiece(length, [&](int64_t from, int64_t size) {
    Value piece = vector::ExtractStridedSliceOp::create(
        b, write.getValueToStore(), ArrayRef<int64_t>{from},
        ArrayRef<int64_t>{size}, ArrayRef<int64_t>{1});
    vector::TransferWriteOp::create(b, piece, write.getBase(),
                                    getIndicesAt(b, write, from),
                                    ArrayRef<bool>{true});
  });
  write.erase();
}

static void splitRead(vector::TransferReadOp read, int64_t length) {
  ImplicitLocOpBuilder b(read.getLoc(), read);
  Value row =
      vector::BroadcastOp::create(b, read.getVectorType(), read.getPadding());
  forEachPiece(length, [&](int64_t from, int64_t size) {
    auto type = VectorType::get(size, read.getVectorType().getElementType());
    Value piece = vector::TransferReadOp::create(
        b, type, read.getBase(), getIndicesAt(b, read, from), read.getPadding(),
        ArrayRef<bool>{true});
    row = vector::InsertStridedSliceOp::create(
        b, piece, row, ArrayRef<int64_t>{from}, ArrayRef<int64_t>{1});
  });
  read.replaceAllUsesWith(row);
  read.erase();
}

namespace {
struct NormSplitMaskedRows
    : norm::impl::NormSplitMaskedRowsBase<NormSplitMaskedRows> {
  void runOnOperation() override {
    getOperation().walk([](VectorTransferOpInterface op) {
      std::optional<int64_t> length = getLength(op);
      if (!length)
        return;
      if (auto write = dyn_cast<vector::TransferWriteOp>(op.getOperation()))
        splitWrite(write, *length);
      else if (op.getVectorType().getElementTypeBitWidth() < 32)
        splitRead(cast<vector::TransferReadOp>(op.getOperation()), *length);
    });
  }
};
} // namespace
