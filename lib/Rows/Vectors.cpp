//===- Vectors.cpp - accesses and ops of vectors along rows ---------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Rows/Vectors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RowTarget.h"
#include "norm/Normalize/ElementStorage.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using norm::RowAccess;

std::optional<RowAccess> norm::getRowAccess(Operation *op) {
  bool isWrite = isa<vector::TransferWriteOp, vector::StoreOp,
                     vector::MaskedStoreOp, memref::StoreOp>(op);
  return llvm::TypeSwitch<Operation *, std::optional<RowAccess>>(op)
      .Case<vector::TransferReadOp, vector::TransferWriteOp, vector::LoadOp,
            vector::StoreOp, vector::MaskedLoadOp, vector::MaskedStoreOp>(
          [&](auto access) {
            return RowAccess{op, access.getBase(), access.getIndices(),
                             access.getVectorType(), isWrite};
          })
      .Case<memref::LoadOp, memref::StoreOp>([&](auto access) {
        Type element = access.getMemRefType().getElementType();
        return RowAccess{op, access.getMemRef(), access.getIndices(),
                         dyn_cast<VectorType>(element), isWrite};
      })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<int64_t> norm::getMaskedLength(Value mask) {
  if (!mask)
    return std::nullopt;
  if (auto constant = mask.getDefiningOp<vector::ConstantMaskOp>())
    return constant.getMaskDimSizes().front();
  auto create = mask.getDefiningOp<vector::CreateMaskOp>();
  return create ? getConstantIntValue(create.getOperand(0)) : std::nullopt;
}

bool norm::hasVectors(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), llvm::IsaPred<VectorType>) ||
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<VectorType>);
}

void norm::createPrefetches(OpBuilder &b, Location loc, Value buffer,
                            ArrayRef<Value> indices, int64_t elements,
                            CacheLevel level, int64_t ahead) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t stride = type.getStridesAndOffset().first.back();
  int64_t bytes = getElementBytes(type.getElementType()) *
                  (ShapedType::isDynamic(stride) ? 1 : stride);
  int64_t lineBytes =
      getRowTarget(b.getInsertionBlock()->getParentOp()).lineBytes;
  for (int64_t line = 0; line < elements * bytes; line += lineBytes) {
    SmallVector<Value> place(indices);
    if (int64_t offset = (ahead + line) / bytes) {
      Value by = arith::ConstantIndexOp::create(b, loc, offset);
      place.back() = arith::AddIOp::create(b, loc, place.back(), by);
    }
    memref::PrefetchOp::create(b, loc, buffer, place, /*isWrite=*/false,
                               /*localityHint=*/static_cast<uint32_t>(level),
                               /*isDataCache=*/true);
  }
}
