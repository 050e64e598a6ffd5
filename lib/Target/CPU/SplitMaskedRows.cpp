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
#include "norm/Target/CPU/Passes.h"
#include "llvm/ADT/bit.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMSPLITMASKEDROWS
#include "norm/Target/CPU/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

/// Elements from the first one on that a mask of one dimension lets through.
static std::optional<int64_t> getMaskedLength(Value mask) {
  if (!mask)
    return std::nullopt;
  if (auto constant = mask.getDefiningOp<vector::ConstantMaskOp>())
    return constant.getMaskDimSizes().front();
  if (auto create = mask.getDefiningOp<vector::CreateMaskOp>())
    return getConstantIntValue(create.getOperands().front());
  return std::nullopt;
}

/// Length of a transfer along a buffer that can be taken apart.
static std::optional<int64_t> getLength(VectorTransferOpInterface op) {
  auto type = dyn_cast<MemRefType>(op.getBase().getType());
  if (!type || !type.isLastDimUnitStride() || type.getRank() == 0 ||
      op.getVectorType().getRank() != 1 || op.getVectorType().isScalable() ||
      op.hasOutOfBoundsDim() || !op.getPermutationMap().isMinorIdentity() ||
      !op.getVectorType().getElementType().isIntOrFloat())
    return std::nullopt;
  std::optional<int64_t> length = getMaskedLength(op.getMask());
  int64_t lanes = op.getVectorType().getDimSize(0);
  return length && *length > 0 && *length < lanes ? length : std::nullopt;
}

namespace {
class MaskedRowSplitter {
public:
  explicit MaskedRowSplitter(VectorTransferOpInterface op)
      : b(op), loc(op.getLoc()), op(op) {}

  void splitWrite(vector::TransferWriteOp write, int64_t length) {
    Value stored = write.getValueToStore();
    forEachPiece(length, [&](int64_t from, int64_t size) {
      Value piece = vector::ExtractStridedSliceOp::create(
          b, loc, stored, ArrayRef<int64_t>{from}, ArrayRef<int64_t>{size},
          ArrayRef<int64_t>{1});
      vector::TransferWriteOp::create(b, loc, piece, op.getBase(),
                                      indicesAt(from), ArrayRef<bool>{true});
    });
    write.erase();
  }

  void splitRead(vector::TransferReadOp read, int64_t length) {
    Value row = vector::BroadcastOp::create(b, loc, read.getVectorType(),
                                            read.getPadding());
    forEachPiece(length, [&](int64_t from, int64_t size) {
      auto type = VectorType::get(size, getElement());
      Value piece = vector::TransferReadOp::create(
          b, loc, type, op.getBase(), indicesAt(from), read.getPadding(),
          ArrayRef<bool>{true});
      row = vector::InsertStridedSliceOp::create(
          b, loc, piece, row, ArrayRef<int64_t>{from}, ArrayRef<int64_t>{1});
    });
    read.replaceAllUsesWith(row);
    read.erase();
  }

private:
  Type getElement() { return op.getVectorType().getElementType(); }

  /// Powers of two, the largest first: each is one load or store.
  void forEachPiece(int64_t length,
                    function_ref<void(int64_t from, int64_t size)> build) {
    for (int64_t from = 0; from < length;) {
      int64_t size = llvm::bit_floor(static_cast<uint64_t>(length - from));
      build(from, size);
      from += size;
    }
  }

  SmallVector<Value> indicesAt(int64_t from) {
    SmallVector<Value> indices(op.getIndices());
    if (from == 0)
      return indices;
    Value by = arith::ConstantIndexOp::create(b, loc, from);
    indices.back() = arith::AddIOp::create(b, loc, indices.back(), by);
    return indices;
  }

  OpBuilder b;
  Location loc;
  VectorTransferOpInterface op;
};

struct NormSplitMaskedRows
    : norm::impl::NormSplitMaskedRowsBase<NormSplitMaskedRows> {
  void runOnOperation() override {
    SmallVector<VectorTransferOpInterface> ops;
    getOperation().walk([&](VectorTransferOpInterface op) {
      if (getLength(op))
        ops.push_back(op);
    });
    for (VectorTransferOpInterface op : ops) {
      int64_t length = *getLength(op);
      MaskedRowSplitter splitter(op);
      if (auto write = dyn_cast<vector::TransferWriteOp>(op.getOperation()))
        splitter.splitWrite(write, length);
      else if (op.getVectorType().getElementTypeBitWidth() < 32)
        splitter.splitRead(cast<vector::TransferReadOp>(op.getOperation()),
                           length);
    }
  }
};
} // namespace
