//===- PairStridedAccesses.cpp - every other element as whole vectors -----===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/ViewLikeInterfaceUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "norm/Rows/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMPAIRSTRIDEDACCESSES
#include "norm/Rows/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

namespace {
/// An access to the even or the odd elements of the rows of a buffer.
struct StridedAccess {
  memref::SubViewOp view;
  int64_t parity;
};
} // namespace

/// Returns what a plain access to every other element is one of, if the element
/// beside each one is in the same row.
static std::optional<StridedAccess>
matchAccess(VectorTransferOpInterface access) {
  auto view = access.getBase().getDefiningOp<memref::SubViewOp>();
  if (!view || view.getType().getRank() == 0 ||
      access.getVectorType().getRank() != 1 || access.hasOutOfBoundsDim() ||
      !access.getPermutationMap().isMinorIdentity())
    return std::nullopt;
  unsigned last = view.getSourceType().getRank() - 1;
  std::optional<int64_t> offset =
                             getConstantIntValue(view.getMixedOffsets()[last]),
                         size = getConstantIntValue(view.getMixedSizes()[last]),
                         stride =
                             getConstantIntValue(view.getMixedStrides()[last]);
  auto [strides, start] = view.getSourceType().getStridesAndOffset();
  (void)start;
  if (!offset || !size || stride != 2 || strides.back() != 1 ||
      view.getDroppedDims().test(last))
    return std::nullopt;
  int64_t parity = *offset % 2;
  if (*offset - parity + 2 * *size > view.getSourceType().getDimSize(last))
    return std::nullopt;
  return StridedAccess{view, parity};
}

/// Returns the indices of the pairs in the buffer.
static SmallVector<Value> getPairIndices(RewriterBase &b,
                                         VectorTransferOpInterface access,
                                         const StridedAccess &strided) {
  memref::SubViewOp view = strided.view;
  SmallVector<OpFoldResult> offsets = view.getMixedOffsets();
  offsets.back() =
      b.getIndexAttr(*getConstantIntValue(offsets.back()) - strided.parity);
  SmallVector<Value> indices;
  affine::resolveIndicesIntoOpWithOffsetsAndStrides(
      b, access.getLoc(), offsets, view.getMixedStrides(),
      view.getDroppedDims(), SmallVector<OpFoldResult>(access.getIndices()),
      indices);
  return indices;
}

static bool isPrefix(Value mask) {
  return !mask || mask.getDefiningOp<vector::ConstantMaskOp>() ||
         mask.getDefiningOp<vector::CreateMaskOp>();
}

/// Returns the mask of pairs whose elements `mask` has.
static Value createPairMask(RewriterBase &b, Location loc, Value mask,
                            int64_t lanes) {
  if (!mask)
    return Value();
  auto type = VectorType::get(2 * lanes, b.getI1Type());
  if (auto constant = mask.getDefiningOp<vector::ConstantMaskOp>())
    return vector::ConstantMaskOp::create(
        b, loc, type, ArrayRef<int64_t>{2 * constant.getMaskDimSizes()[0]});
  Value size = mask.getDefiningOp<vector::CreateMaskOp>().getOperands()[0];
  AffineExpr twice = b.getAffineSymbolExpr(0) * 2;
  return vector::CreateMaskOp::create(
      b, loc, type,
      affine::makeComposedAffineApply(b, loc, twice, {size}).getResult());
}

static VectorType getPairType(VectorTransferOpInterface access) {
  VectorType type = access.getVectorType();
  return VectorType::get(2 * type.getNumElements(), type.getElementType());
}

/// Reads whole pairs and takes one element of each. Equal reads of both are
/// merged later.
static void pairRead(RewriterBase &b, vector::TransferReadOp read) {
  std::optional<StridedAccess> strided = matchAccess(read);
  if (!strided || !isPrefix(read.getMask()))
    return;
  b.setInsertionPoint(read);
  Location loc = read.getLoc();
  VectorType type = getPairType(read);
  SmallVector<Value> indices = getPairIndices(b, read, *strided);
  Value mask = createPairMask(b, loc, read.getMask(),
                              read.getVectorType().getNumElements());
  auto map = AffineMap::getMinorIdentityMap(indices.size(), 1, b.getContext());
  Value pairs = vector::TransferReadOp::create(
      b, loc, type, strided->view.getSource(), indices, AffineMapAttr::get(map),
      read.getPadding(), mask, b.getBoolArrayAttr({true}));
  auto parts = vector::DeinterleaveOp::create(b, loc, pairs);
  b.replaceOp(read, parts.getResult(strided->parity));
}

/// Returns the write of the other elements of the same pairs, if it follows and
/// nothing between the two reads or writes memory.
static vector::TransferWriteOp findOther(vector::TransferWriteOp write,
                                         const StridedAccess &strided) {
  for (Operation *next = write->getNextNode(); next;
       next = next->getNextNode()) {
    auto other = dyn_cast<vector::TransferWriteOp>(next);
    if (!other) {
      if (isMemoryEffectFree(next) && next->getNumRegions() == 0)
        continue;
      return {};
    }
    std::optional<StridedAccess> second = matchAccess(other);
    if (!second || second->parity == strided.parity)
      return {};
    memref::SubViewOp x = strided.view, y = second->view;
    SmallVector<OpFoldResult> xs = x.getMixedOffsets(),
                              ys = y.getMixedOffsets();
    int64_t distance = *getConstantIntValue(xs.pop_back_val()) -
                       *getConstantIntValue(ys.pop_back_val());
    bool areSame = x.getSource() == y.getSource() && xs == ys &&
                   distance == strided.parity - second->parity &&
                   x.getMixedStrides() == y.getMixedStrides() &&
                   x.getDroppedDims() == y.getDroppedDims() &&
                   write.getIndices() == other.getIndices() &&
                   write.getMask() == other.getMask() &&
                   write.getVectorType() == other.getVectorType();
    return areSame ? other : vector::TransferWriteOp();
  }
  return {};
}

/// Writes the elements of both as pairs; returns false if they are not.
static bool pairWrites(RewriterBase &b, vector::TransferWriteOp write) {
  std::optional<StridedAccess> strided = matchAccess(write);
  if (!strided || !isPrefix(write.getMask()))
    return false;
  vector::TransferWriteOp other = findOther(write, *strided);
  if (!other)
    return false;
  b.setInsertionPoint(other);
  Location loc = other.getLoc();
  Value even = write.getVector(), odd = other.getVector();
  if (strided->parity == 1)
    std::swap(even, odd);
  Value pairs = vector::InterleaveOp::create(b, loc, even, odd);
  SmallVector<Value> indices = getPairIndices(b, write, *strided);
  Value mask = createPairMask(b, loc, write.getMask(),
                              write.getVectorType().getNumElements());
  auto map = AffineMap::getMinorIdentityMap(indices.size(), 1, b.getContext());
  vector::TransferWriteOp::create(b, loc, pairs, strided->view.getSource(),
                                  indices, AffineMapAttr::get(map), mask,
                                  b.getBoolArrayAttr({true}));
  b.eraseOp(write);
  b.eraseOp(other);
  return true;
}

namespace {
struct NormPairStridedAccesses
    : norm::impl::NormPairStridedAccessesBase<NormPairStridedAccesses> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk(
        [&](vector::TransferReadOp read) { pairRead(rewriter, read); });
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      pairAllWrites(rewriter, *block);
  }

  static void pairAllWrites(RewriterBase &rewriter, Block &block) {
    SmallVector<vector::TransferWriteOp> writes(
        block.getOps<vector::TransferWriteOp>());
    for (size_t i = 0; i < writes.size(); ++i)
      if (pairWrites(rewriter, writes[i]))
        ++i; // the second write of the pair follows it
  }
};
} // namespace
