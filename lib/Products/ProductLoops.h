//===- ProductLoops.h - loops of vectors of products ------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_PRODUCTS_PRODUCTLOOPS_H
#define NORM_LIB_PRODUCTS_PRODUCTLOOPS_H

#include "MatrixProduct.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "norm/Floats/Lanes.h"
#include "norm/IR/RowTarget.h"

namespace mlir::norm {

/// Returns how many of `columns` sums of `op` a row of a tile has.
int64_t getTileLanes(linalg::GenericOp op, int64_t columns);

/// Builds the loops of a block of a product, in the place of `b`.
void buildBlockLoops(OpBuilder &b, linalg::GenericOp op);

/// Builds those of a product of few rows.
void buildThinLoops(OpBuilder &b, linalg::GenericOp op);

/// Builds those of a copy of columns for a block.
void buildPackLoops(OpBuilder &b, linalg::GenericOp op);

/// What the loops of products and of copies for them share: an index per loop.
class LoopBuilder {
public:
  LoopBuilder(OpBuilder &b, linalg::GenericOp op)
      : b(op.getLoc(), b), op(op), at(op.getNumLoops()) {
    for (Range range :
         cast<linalg::LinalgOp>(*op).createLoopRanges(this->b, op.getLoc()))
      extents.push_back(range.size);
  }

protected:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value asValue(OpFoldResult v) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), v);
  }
  Value add(Value x, int64_t y) {
    return y == 0 ? x : b.createOrFold<arith::AddIOp>(x, index(y));
  }

  SmallVector<Value> getIndices(AffineMap map) {
    return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) -> Value {
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        return at[dim.getPosition()];
      return index(0);
    });
  }

  /// Builds loops of one step over `loops`, and `body` in the innermost one.
  void buildLoops(ArrayRef<unsigned> loops, function_ref<void()> body) {
    if (loops.empty())
      return body();
    buildLoop(loops.front(), index(0), asValue(extents[loops.front()]), 1,
              [&] { buildLoops(loops.drop_front(), body); });
  }

  void buildLoop(unsigned loop, Value from, Value to, int64_t step,
                 function_ref<void()> body) {
    std::optional<int64_t> first = getConstantIntValue(from),
                           end = getConstantIntValue(to);
    if (first && end && *end <= *first)
      return;
    if (first && end && *end - *first <= step) {
      at[loop] = from;
      return body();
    }
    auto built = scf::ForOp::create(b, from, to, index(step));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(built.getBody());
    at[loop] = built.getInductionVar();
    body();
  }

  /// Calls `body` at `count` indices of `loop`, `step` apart, from the current
  /// one on, which is that again behind it.
  void forEach(unsigned loop, int64_t count, int64_t step,
               function_ref<void(int64_t)> body) {
    Value first = at[loop];
    for (int64_t i = 0; i < count; ++i) {
      at[loop] = add(first, i * step);
      body(i);
    }
    at[loop] = first;
  }

  /// Views groups, the last dimension, as part of the one before.
  Value flattenGroups(Value buffer) {
    SmallVector<ReassociationIndices> groups;
    int64_t rank = cast<MemRefType>(buffer.getType()).getRank();
    for (int64_t dim = 0; dim + 1 < rank; ++dim)
      groups.push_back({dim});
    groups.back().push_back(rank - 1);
    return memref::CollapseShapeOp::create(b, buffer, groups);
  }

  /// Sums that an instruction adds products of pairs to.
  static constexpr int64_t kPairLanes = 16;

  /// Adds the product of `x` and `y` to `sum`, those of pairs of bf16 or i16.
  Value createSum(Value x, Value y, Value sum) {
    if (getElementTypeOrSelf(x.getType()).isInteger(16))
      return createSumOfHalves(x, y, sum);
    if (x.getType() != sum.getType())
      return x86vector::DotBF16Op::create(b, sum.getType(), sum, x, y);
    // Without the instruction, a scalar would be a call of libm.
    bool isFused = isa<VectorType>(sum.getType()) &&
                   isa<FloatType>(getElementTypeOrSelf(sum));
    if (!isFused)
      return Lanes(b, sum) + Lanes(b, x) * y;
    return vector::FMAOp::create(b, x, y, sum);
  }

  /// LLVM makes one instruction of that, or two, for kPairLanes sums.
  Value createSumOfHalves(Value x, Value y, Value sum) {
    Value products = Lanes(b, x).change<arith::ExtSIOp>(b.getI32Type()) *
                     Lanes(b, y).change<arith::ExtSIOp>(b.getI32Type());
    auto halves = vector::DeinterleaveOp::create(b, products);
    return Lanes(b, sum) + (Lanes(b, halves.getRes1()) + halves.getRes2());
  }

  /// Loads a pair of elements, or of words' halves, for kPairLanes sums.
  Value loadPair(Value buffer, ValueRange at) {
    Type element = getElementTypeOrSelf(buffer.getType());
    Value pair =
        vector::LoadOp::create(b, VectorType::get(2, element), buffer, at);
    auto word = VectorType::get(1, b.getI32Type());
    Value v = vector::ExtractOp::create(
        b, vector::BitCastOp::create(b, word, pair), ArrayRef<int64_t>{0});
    v = vector::BroadcastOp::create(
        b, VectorType::get(kPairLanes, b.getI32Type()), v);
    return vector::BitCastOp::create(
        b, VectorType::get(2 * kPairLanes, element), v);
  }

  /// Returns the multiple of `step` below an extent.
  Value floorTo(OpFoldResult extent, int64_t step) {
    if (std::optional<int64_t> known = getConstantIntValue(extent))
      return index(*known / step * step);
    Value v = asValue(extent);
    Value rest = arith::RemUIOp::create(b, v, index(step));
    return arith::SubIOp::create(b, v, rest);
  }

  //===--------------------------------------------------------------------===//
  // AMX
  //===--------------------------------------------------------------------===//

  /// Builds the loop over words, of so many steps at once, and what is left. In
  /// a word are `group` elements that `loop` goes over.
  void buildSteps(unsigned loop, int64_t words, int64_t group,
                  function_ref<void(int64_t)> build) {
    int64_t steps = getRowTarget(op).tileSteps, pass = steps * amxRows,
            whole = words / pass * pass;
    buildLoop(loop, index(0), index(whole * group), pass * group,
              [&] { build(steps); });
    at[loop] = index(whole * group);
    if (whole < words)
      build((words - whole) / amxRows);
  }

  /// Returns the type of 16 rows of words.
  amx::TileType getTile(Type element) {
    int64_t group = 32 / element.getIntOrFloatBitWidth();
    return amx::TileType::get({amxRows, amxRows * group}, element);
  }

  /// Loads rows that are `stride` elements apart.
  Value loadTile(Value buffer, ValueRange place, Value stride) {
    auto type = getTile(getElementTypeOrSelf(buffer.getType()));
    return amx::TileLoadOp::create(b, type, buffer, place, stride);
  }

  /// Adds the product of tiles of the operands `x` and `y` to a tile of sums.
  Value multiplyTiles(unsigned x, Value xTile, unsigned y, Value yTile,
                      Value sum) {
    if (cast<amx::TileType>(sum.getType()).getElementType().isF32())
      return amx::TileMulFOp::create(b, sum.getType(), xTile, yTile, sum);
    auto isUnsigned = [&](unsigned operand) {
      return llvm::any_of(op.getBody()->getArgument(operand).getUsers(),
                          llvm::IsaPred<arith::ExtUIOp>);
    };
    return amx::TileMulIOp::create(b, sum.getType(), xTile, yTile, sum,
                                   isUnsigned(x), isUnsigned(y));
  }

  /// Returns the elements between neighbors along a loop.
  Value getStride(unsigned operand, unsigned loop) {
    Value buffer = op->getOperand(operand);
    AffineMap map = op.getIndexingMapsArray()[operand];
    unsigned dim = *map.getResultPosition(b.getAffineDimExpr(loop));
    return asValue(memref::ExtractStridedMetadataOp::create(b, buffer)
                       .getConstifiedMixedStrides()[dim]);
  }

  /// Turns 16 vectors of 16 words.
  SmallVector<Value> turn(ArrayRef<Value> rows) {
    Type word = getElementTypeOrSelf(rows[0].getType());
    auto type = VectorType::get({amxRows, amxRows}, word);
    Value square = arith::ConstantOp::create(b, b.getZeroAttr(type));
    for (auto [i, row] : llvm::enumerate(rows))
      square = vector::InsertOp::create(b, row, square, i);
    square = vector::TransposeOp::create(b, square, ArrayRef<int64_t>{1, 0});
    SmallVector<Value> turned;
    for (int64_t i = 0; i < amxRows; ++i)
      turned.push_back(vector::ExtractOp::create(b, square, i));
    return turned;
  }

  ImplicitLocOpBuilder b;
  linalg::GenericOp op;
  SmallVector<OpFoldResult> extents;
  SmallVector<Value> at; // of the open loops
};

} // namespace mlir::norm

#endif // NORM_LIB_PRODUCTS_PRODUCTLOOPS_H
