//===- VectorizeProducts.cpp - loops of vectors of products ---------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "norm/Products/Passes.h"
#include "norm/Rows/Vectors.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMVECTORIZEPRODUCTS
#include "norm/Products/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using linalg::GenericOp;
using norm::MatrixProduct;

/// Returns the loop over words of A, whose elements its last dimension has.
static unsigned getWordLoop(GenericOp op) {
  AffineMap map = op.getIndexingMapsArray()[0];
  return map.getDimPosition(map.getNumResults() - 2);
}

namespace {
/// What the loops of products and of copies for them share: an index per loop.
class LoopBuilder {
public:
  LoopBuilder(OpBuilder &b, GenericOp op)
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

  /// Views groups, the last dimension, as part of the one before.
  Value flattenGroups(Value buffer) {
    SmallVector<ReassociationIndices> groups;
    int64_t rank = cast<MemRefType>(buffer.getType()).getRank();
    for (int64_t dim = 0; dim + 1 < rank; ++dim)
      groups.push_back({dim});
    groups.back().push_back(rank - 1);
    return memref::CollapseShapeOp::create(b, buffer, groups);
  }

  /// Adds the product of `x` and `y` to `sum`, those of pairs of bf16.
  Value createSum(Value x, Value y, Value sum) {
    if (x.getType() != sum.getType())
      return x86vector::DotBF16Op::create(b, sum.getType(), sum, x, y);
    if (getElementTypeOrSelf(sum.getType()).isIntOrIndex())
      return arith::AddIOp::create(b, sum, arith::MulIOp::create(b, x, y));
    // Without the instruction, a scalar would be a call of libm.
    if (!isa<VectorType>(sum.getType()))
      return arith::AddFOp::create(b, sum, arith::MulFOp::create(b, x, y));
    return vector::FMAOp::create(b, x, y, sum);
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

  /// Steps of one pass over the sums: 1.1 TFLOP/s in the caches on Emerald
  /// Rapids, where 2 reach 0.84.
  static constexpr int64_t kSteps = 8;

  /// Builds the loop over words, of so many steps at once, and what is left. In
  /// a word are `group` elements that `loop` goes over.
  void buildSteps(unsigned loop, int64_t words, int64_t group,
                  function_ref<void(int64_t)> build) {
    int64_t pass = kSteps * norm::amxRows, whole = words / pass * pass;
    buildLoop(loop, index(0), index(whole * group), pass * group,
              [&] { build(kSteps); });
    at[loop] = index(whole * group);
    if (whole < words)
      build((words - whole) / norm::amxRows);
  }

  /// Returns the type of 16 rows of words.
  amx::TileType getTile(Type element) {
    int64_t group = 32 / element.getIntOrFloatBitWidth();
    return amx::TileType::get({norm::amxRows, norm::amxRows * group}, element);
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
    auto [strides, offset] =
        cast<MemRefType>(buffer.getType()).getStridesAndOffset();
    if (!ShapedType::isDynamic(strides[dim]))
      return index(strides[dim]);
    return memref::ExtractStridedMetadataOp::create(b, buffer)
        .getStrides()[dim];
  }

  /// Turns 16 vectors of 16 words.
  SmallVector<Value> turn(ArrayRef<Value> rows) {
    Type word = getElementTypeOrSelf(rows[0].getType());
    auto type = VectorType::get({norm::amxRows, norm::amxRows}, word);
    Value square = arith::ConstantOp::create(b, b.getZeroAttr(type));
    for (auto [i, row] : llvm::enumerate(rows))
      square = vector::InsertOp::create(b, row, square, i);
    square = vector::TransposeOp::create(b, square, ArrayRef<int64_t>{1, 0});
    SmallVector<Value> turned;
    for (int64_t i = 0; i < norm::amxRows; ++i)
      turned.push_back(vector::ExtractOp::create(b, square, i));
    return turned;
  }

  ImplicitLocOpBuilder b;
  GenericOp op;
  SmallVector<OpFoldResult> extents;
  SmallVector<Value> at; // of the open loops
};

/// What the loops of one block share.
class BlockBuilder : protected LoopBuilder {
protected:
  BlockBuilder(OpBuilder &b, GenericOp op)
      : LoopBuilder(b, op), loops(norm::getBlockLoops(op, /*lhs=*/0)),
        step(loops.depth), lhs(op.getDpsInputs()[0]), rhs(op.getDpsInputs()[1]),
        dest(op.getDpsInits()[0]),
        element(getElementTypeOrSelf(dest.getType())) {
    if (!isGrouped())
      return;
    rhs = flattenGroups(rhs);
    at[loops.depth] = index(0);
    step = getWordLoop(op);
  }

  /// Returns true if A has groups of neighbors, the last of its dimensions.
  bool isGrouped() { return getElementTypeOrSelf(lhs.getType()) != element; }

  /// Returns the loops around those of tiles.
  SmallVector<unsigned> getOuterLoops(utils::IteratorType kind) {
    SmallVector<unsigned> outer;
    for (auto [loop, each] : llvm::enumerate(op.getIteratorTypesArray()))
      if (each == kind && loop != *loops.row && loop != loops.column &&
          loop != loops.depth && loop != step)
        outer.push_back(loop);
    return outer;
  }

  /// Returns the indices of the row `offset` below the current one.
  SmallVector<Value> getRowIndices(AffineMap map, int64_t offset) {
    Value first = at[*loops.row];
    at[*loops.row] = add(first, offset);
    SmallVector<Value> indices = getIndices(map);
    at[*loops.row] = first;
    return indices;
  }

  norm::BlockLoops loops;
  unsigned step; // the loop over depths, or over groups of them
  Value lhs, rhs, dest;
  Type element; // of the sums
};

/// Builds tiles of rows and of lanes, whose sums are in registers while
/// products of `depth` elements are added to them.
class ProductBuilder : BlockBuilder {
public:
  ProductBuilder(OpBuilder &b, GenericOp op, ArrayRef<int64_t> tile)
      : BlockBuilder(b, op), rows(tile[0]),
        lanes(tile[1] * 32 / element.getIntOrFloatBitWidth()),
        products(tile[2]) {}

  /// Sums stay in the cache while the outer loops over depths go on.
  void run() {
    buildLoops(getOuterLoops(utils::IteratorType::reduction), [&] {
      buildLoops(getOuterLoops(utils::IteratorType::parallel),
                 [&] { buildDepths(); });
    });
  }

private:
  void buildDepths() {
    Value end = asValue(extents[step]);
    buildLoop(step, index(0), end, products, [&] {
      Value from = at[step];
      Value to = getConstantIntValue(from) && getConstantIntValue(end)
                     ? end
                     : b.createOrFold<arith::MinSIOp>(add(from, products), end);
      Value whole = floorTo(extents[*loops.row], rows);
      buildTiles(index(0), whole, rows, from, to);
      Value all = asValue(extents[*loops.row]);
      std::optional<int64_t> first = getConstantIntValue(whole),
                             last = getConstantIntValue(all);
      bool isKnown = first && last;
      if (!isKnown || *last > *first)
        buildTiles(whole, all, isKnown ? *last - *first : 1, from, to);
    });
  }

  void buildTiles(Value begin, Value end, int64_t rowsOfTile, Value from,
                  Value to) {
    int64_t columns = *getConstantIntValue(extents[loops.column]);
    buildLoop(*loops.row, begin, end, rowsOfTile, [&] {
      buildLoop(loops.column, index(0), index(columns), lanes,
                [&] { buildTile(rowsOfTile, from, to); });
    });
  }

  /// Sums of a row, in vectors that an instruction adds to.
  int64_t getWidth() { return isGrouped() ? kPairLanes : lanes; }

  void buildTile(int64_t rowsOfTile, Value from, Value to) {
    auto type = VectorType::get(getWidth(), element);
    AffineMap map = op.getIndexingMapsArray()[2];
    SmallVector<Value> sums;
    SmallVector<SmallVector<Value>> places;
    for (int64_t i = 0; i < rowsOfTile; ++i)
      for (int64_t lane = 0; lane < lanes; lane += getWidth()) {
        places.push_back(getRowIndices(map, i));
        places.back().back() = add(places.back().back(), lane);
        sums.push_back(vector::LoadOp::create(b, type, dest, places.back()));
      }
    auto loop = scf::ForOp::create(
        b, from, to, index(1), sums,
        [&](OpBuilder &, Location, Value k, ValueRange args) {
          at[step] = k;
          scf::YieldOp::create(b, addProducts(rowsOfTile, args));
        });
    for (auto [v, place] : llvm::zip(loop.getResults(), places))
      vector::StoreOp::create(b, v, dest, place);
  }

  /// Adds the products at the current depth to `sums`, row by row.
  SmallVector<Value> addProducts(int64_t rowsOfTile, ValueRange sums) {
    AffineMap map = op.getIndexingMapsArray()[0];
    SmallVector<Value> columns = loadColumns(), results;
    for (int64_t i = 0; i < rowsOfTile; ++i) {
      Value x = loadElement(getRowIndices(map, i));
      for (Value y : columns)
        results.push_back(createSum(x, y, sums[results.size()]));
    }
    return results;
  }

  SmallVector<Value> loadColumns() {
    SmallVector<Value> at = getIndices(op.getIndexingMapsArray()[1]), columns;
    if (!isGrouped())
      return {
          vector::LoadOp::create(b, VectorType::get(lanes, element), rhs, at)};
    // Pairs of all columns are neighbors.
    at.pop_back();
    Value first = arith::MulIOp::create(b, at.back(), index(2));
    for (int64_t lane = 0; lane < lanes; lane += kPairLanes) {
      at.back() = add(first, 2 * lane);
      columns.push_back(vector::LoadOp::create(
          b, VectorType::get(2 * kPairLanes, b.getBF16Type()), rhs, at));
    }
    return columns;
  }

  /// Loads an element of A, or a pair, for all lanes of a vector.
  Value loadElement(ValueRange at) {
    if (!isGrouped())
      return vector::BroadcastOp::create(b, VectorType::get(lanes, element),
                                         memref::LoadOp::create(b, lhs, at));
    Value pair =
        vector::LoadOp::create(b, VectorType::get(2, b.getBF16Type()), lhs, at);
    auto word = VectorType::get(1, b.getI32Type());
    Value v = vector::ExtractOp::create(
        b, vector::BitCastOp::create(b, word, pair), ArrayRef<int64_t>{0});
    v = vector::BroadcastOp::create(
        b, VectorType::get(kPairLanes, b.getI32Type()), v);
    return vector::BitCastOp::create(
        b, VectorType::get(2 * kPairLanes, b.getBF16Type()), v);
  }

  static constexpr int64_t kPairLanes = 16;

  int64_t rows, lanes, products; // of a tile
};

/// Builds the loops of one block whose sums tiles of AMX hold, 32 rows and 32
/// columns at once. All tiles have one shape: LLVM has no registers for others
/// beside these in one function.
class AMXBuilder : BlockBuilder {
public:
  AMXBuilder(OpBuilder &b, GenericOp op)
      : BlockBuilder(b, op), group(*getConstantIntValue(extents[loops.depth])),
        words(*getConstantIntValue(extents[step])),
        columns(*getConstantIntValue(extents[loops.column])) {}

  void run() {
    buildLoops(getOuterLoops(utils::IteratorType::parallel),
               [&] { buildRows(); });
  }

private:
  /// The last tile of rows begins early enough to be whole, so that some sums
  /// are computed twice.
  void buildRows() {
    unsigned row = *loops.row;
    Value all = asValue(extents[row]),
          whole = floorTo(extents[row], 2 * norm::amxRows),
          last = b.createOrFold<arith::SubIOp>(all, index(norm::amxRows));
    buildLoop(row, index(0), whole, 2 * norm::amxRows, [&] { buildSums(2); });
    buildLoop(row, whole, all, norm::amxRows, [&] {
      at[row] = b.createOrFold<arith::MinSIOp>(at[row], last);
      buildSums(1);
    });
  }

  /// Computes all sums of so many tiles of rows.
  void buildSums(int64_t rowTiles) {
    Value zero = amx::TileZeroOp::create(b, getTile(element));
    for (int64_t column = 0; column < columns; column += norm::amxRows)
      for (int64_t i = 0; i < rowTiles; ++i)
        storeSum(zero, i, column);
    buildLoops(getOuterLoops(utils::IteratorType::reduction), [&] {
      buildSteps(step, words, /*group=*/1,
                 [&](int64_t steps) { addSteps(steps, rowTiles); });
    });
  }

  /// Adds so many products of tiles to the sums, of which four are held.
  void addSteps(int64_t steps, int64_t rowTiles) {
    int64_t width = std::min(4 / rowTiles * norm::amxRows, columns);
    Value first = at[step];
    for (int64_t column = 0; column < columns; column += width) {
      SmallVector<Value> held;
      for (int64_t i = 0; i < rowTiles; ++i)
        for (int64_t j = 0; j < width; j += norm::amxRows)
          held.push_back(loadSum(i, column + j));
      for (int64_t i = 0; i < steps; ++i) {
        at[step] = add(first, i * norm::amxRows);
        addTiles(held, rowTiles, column, width);
      }
      at[step] = first;
      auto *sum = held.begin();
      for (int64_t i = 0; i < rowTiles; ++i)
        for (int64_t j = 0; j < width; j += norm::amxRows)
          storeSum(*sum++, i, column + j);
    }
  }

  void addTiles(MutableArrayRef<Value> held, int64_t rowTiles, int64_t column,
                int64_t width) {
    SmallVector<Value> xs, ys;
    for (int64_t i = 0; i < rowTiles; ++i)
      xs.push_back(loadTile(lhs, getRowPlace(0, i), getStride(0, *loops.row)));
    for (int64_t j = 0; j < width; j += norm::amxRows) {
      SmallVector<Value> place = getIndices(op.getIndexingMapsArray()[1]);
      place.pop_back();
      place.back() = index((column + j) * group);
      ys.push_back(loadTile(rhs, place, index(columns * group)));
    }
    for (Value x : xs)
      for (Value y : ys) {
        held.front() = multiplyTiles(0, x, 1, y, held.front());
        held = held.drop_front();
      }
  }

  Value loadSum(int64_t rowTile, int64_t column) {
    return loadTile(dest, getSumPlace(rowTile, column),
                    getStride(2, *loops.row));
  }
  void storeSum(Value sum, int64_t rowTile, int64_t column) {
    amx::TileStoreOp::create(b, dest, getSumPlace(rowTile, column), sum,
                             getStride(2, *loops.row));
  }

  SmallVector<Value> getSumPlace(int64_t rowTile, int64_t column) {
    at[loops.column] = index(column);
    return getRowPlace(2, rowTile);
  }

  SmallVector<Value> getRowPlace(unsigned operand, int64_t rowTile) {
    return getRowIndices(op.getIndexingMapsArray()[operand],
                         rowTile * norm::amxRows);
  }

  int64_t group; // neighbors along the sum that are a word
  int64_t words, columns;
};

/// Builds the loops of a product of few rows, which takes as long as to read B:
/// in the order of memory, once.
class ThinBuilder : LoopBuilder {
public:
  ThinBuilder(OpBuilder &b, GenericOp op, ArrayRef<int64_t> tile)
      : LoopBuilder(b, op), product(*norm::matchMatrixProduct(op)),
        loops(product.loops),
        rows(loops.row ? *getConstantIntValue(extents[*loops.row]) : 1),
        lanes(tile[1] * 32 / product.sum.getIntOrFloatBitWidth()),
        registers(tile[0] * tile[1] / getLanesPerRegister(tile[1])),
        depth(tile[2]), kind(static_cast<norm::ProductKinds>(tile[3])) {}

  void run() {
    AffineMap map = getMap(product.rhs);
    SmallVector<unsigned> order;
    for (unsigned loop = 0, e = op.getNumLoops(); loop < e; ++loop)
      if (loop != loops.row && !map.isFunctionOfDim(loop))
        order.push_back(loop);
    for (AffineExpr expr : map.getResults())
      order.push_back(cast<AffineDimExpr>(expr).getPosition());
    readsColumns = order.back() == loops.column;
    buildInOrder(order, /*count=*/1);
  }

private:
  /// 16 registers of AVX2 and AArch64, or 32 of AVX-512, which are as wide as a
  /// fourth of the lanes.
  static int64_t getLanesPerRegister(int64_t lanes) {
    return lanes >= 64 ? lanes / 4 : lanes / 2;
  }

  /// Builds loops in the order of B in memory. That over depths, or over
  /// columns where depths are neighbors, takes several of them at once:
  /// `count`.
  void buildInOrder(ArrayRef<unsigned> order, int64_t count) {
    unsigned loop = order.front();
    ArrayRef<unsigned> inner = order.drop_front();
    if (inner.empty())
      return readsColumns                      ? buildStrips(count)
             : words && count == norm::amxRows ? addTiles()
                                               : addColumns(count);
    bool isBlocked = loop == (readsColumns ? loops.depth : loops.column);
    if (loop == loops.column && kind == norm::ProductKinds::Tiles)
      words = turnRows();
    int64_t streams =
        words ? norm::amxRows
              : std::clamp<int64_t>(registers / rows, 1, kMostStreams);
    int64_t step = !isBlocked ? 1 : readsColumns ? depth : streams;
    Value whole = floorTo(extents[loop], step);
    buildLoop(loop, index(0), whole, step,
              [&] { buildInOrder(inner, isBlocked ? step : count); });
    if (isBlocked)
      buildLoop(loop, whole, asValue(extents[loop]), 1,
                [&] { buildInOrder(inner, 1); });
  }

  AffineMap getMap(unsigned operand) {
    return op.getIndexingMapsArray()[operand];
  }
  Value getOperand(unsigned operand) { return op->getOperand(operand); }

  /// Loads neighbors, an element for a width of 0, and widens them.
  Value load(unsigned operand, int64_t width) {
    return widen(operand, loadNarrow(operand, width), width);
  }

  Value loadNarrow(unsigned operand, int64_t width) {
    Value buffer = getOperand(operand);
    Type element = getElementTypeOrSelf(buffer.getType());
    SmallVector<Value> indices = getIndices(getMap(operand));
    if (width == 0)
      return memref::LoadOp::create(b, buffer, indices);
    return vector::LoadOp::create(b, VectorType::get(width, element), buffer,
                                  indices);
  }

  Value widen(unsigned operand, Value v, int64_t width) {
    Type type = width == 0 ? product.sum : VectorType::get(width, product.sum);
    Operation *widening =
        operand == product.lhs ? product.widenLhs : product.widenRhs;
    if (!widening)
      return v;
    return b.create(b.getLoc(), widening->getName().getIdentifier(), v, type)
        ->getResult(0);
  }

  void setRow(int64_t row) {
    if (loops.row)
      at[*loops.row] = index(row);
  }

  //===--------------------------------------------------------------------===//
  // Columns that are neighbors: a few rows of B at once
  //===--------------------------------------------------------------------===//

  /// Adds `count` rows of B to the sums, strip by strip.
  void buildStrips(int64_t count) {
    int64_t widest = lanes;
    while (widest > 1 && rows * widest > registers * 16)
      widest /= 2;
    Value from = index(0);
    for (int64_t width : {widest, std::min<int64_t>(widest, 16), int64_t(1)}) {
      Value to = floorTo(extents[loops.column], width);
      buildLoop(loops.column, from, to, width, [&] { addRows(count, width); });
      from = to;
    }
  }

  void addRows(int64_t count, int64_t width) {
    unsigned result = op.getNumDpsInputs();
    auto type = VectorType::get(width, product.sum);
    Value dest = getOperand(result);
    SmallVector<Value> sums;
    for (int64_t row = 0; row < rows; ++row) {
      setRow(row);
      sums.push_back(
          vector::LoadOp::create(b, type, dest, getIndices(getMap(result))));
    }
    Value first = at[loops.depth];
    for (int64_t i = 0; i < count; ++i) {
      at[loops.depth] = add(first, i);
      Value y = load(product.rhs, width);
      for (int64_t row = 0; row < rows; ++row) {
        setRow(row);
        Value x = vector::BroadcastOp::create(b, type, load(product.lhs, 0));
        sums[row] = createSum(x, y, sums[row]);
      }
    }
    at[loops.depth] = first;
    for (int64_t row = 0; row < rows; ++row) {
      setRow(row);
      vector::StoreOp::create(b, sums[row], dest, getIndices(getMap(result)));
    }
  }

  //===--------------------------------------------------------------------===//
  // Depths that are neighbors: a few columns of B at once
  //===--------------------------------------------------------------------===//

  void addColumns(int64_t count) {
    int64_t width = getLanesPerRegister(lanes);
    auto type = VectorType::get(width, product.sum);
    Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(type));
    int64_t step = addsPairs() ? 2 * width : width;
    Value end = asValue(extents[loops.depth]),
          whole = floorTo(extents[loops.depth], step);
    SmallVector<Value> totals;
    for (Value v : buildSums(index(0), whole, step,
                             SmallVector<Value>(rows * count, zeros), count))
      totals.push_back(vector::ReductionOp::create(
          b, vector::CombiningKind::ADD, v, arith::FastMathFlags::reassoc));
    totals = buildSums(whole, end, 1, totals, count);
    unsigned result = op.getNumDpsInputs();
    forEachSum(count, [&](int64_t i) {
      SmallVector<Value> indices = getIndices(getMap(result));
      Value old = memref::LoadOp::create(b, getOperand(result), indices);
      Value sum = isa<IntegerType>(product.sum)
                      ? arith::AddIOp::create(b, old, totals[i]).getResult()
                      : arith::AddFOp::create(b, old, totals[i]).getResult();
      memref::StoreOp::create(b, sum, getOperand(result), indices);
    });
  }

  /// Calls `fn` at each row and each of `count` columns.
  void forEachSum(int64_t count, function_ref<void(int64_t)> fn) {
    Value first = at[loops.column];
    for (int64_t column = 0; column < count; ++column) {
      at[loops.column] = add(first, column);
      for (int64_t row = 0; row < rows; ++row) {
        setRow(row);
        fn(column * rows + row);
      }
    }
    at[loops.column] = first;
  }

  /// Adds products at depths [from, to), `width` at once, to `inits`.
  SmallVector<Value> buildSums(Value from, Value to, int64_t width,
                               ArrayRef<Value> inits, int64_t count) {
    auto loadOperand = [&](unsigned operand) {
      return width > 1 && addsPairs() ? loadNarrow(operand, width)
                                      : load(operand, width == 1 ? 0 : width);
    };
    auto loop = scf::ForOp::create(
        b, from, to, index(width), inits,
        [&](OpBuilder &, Location, Value k, ValueRange args) {
          at[loops.depth] = k;
          SmallVector<Value> sums(args), xs;
          for (int64_t row = 0; row < rows; ++row) {
            setRow(row);
            xs.push_back(loadOperand(product.lhs));
          }
          Value y;
          forEachSum(count, [&](int64_t i) {
            if (i % rows == 0)
              y = loadOperand(product.rhs);
            sums[i] = createSum(xs[i % rows], y, sums[i]);
          });
          scf::YieldOp::create(b, sums);
        });
    return loop.getResults();
  }

  bool addsPairs() { return kind == norm::ProductKinds::Pairs; }

  //===--------------------------------------------------------------------===//
  // 16 columns of B, which are rows in memory, as a tile of AMX
  //===--------------------------------------------------------------------===//

  /// Returns the words of A so that those of all rows are neighbors.
  Value turnRows() {
    Value lhs = getOperand(product.lhs);
    Type element = getElementTypeOrSelf(lhs.getType());
    int64_t group = norm::getAMXGroup(product), lanes = norm::amxRows * group;
    int64_t depths = *getConstantIntValue(extents[loops.depth]);
    auto type = VectorType::get(lanes, element),
         wordType = VectorType::get(norm::amxRows, b.getI32Type());
    Value turned = memref::AllocOp::create(
        b, MemRefType::get({depths / group, lanes}, element),
        b.getI64IntegerAttr(64));
    buildLoop(loops.depth, index(0), index(depths), lanes, [&] {
      SmallVector<Value> vectors;
      for (int64_t row = 0; row < rows; ++row) {
        setRow(row);
        vectors.push_back(vector::BitCastOp::create(
            b, wordType, loadNarrow(product.lhs, lanes)));
      }
      Value word =
          b.createOrFold<arith::DivUIOp>(at[loops.depth], index(group));
      for (auto [i, v] : llvm::enumerate(turn(vectors)))
        vector::StoreOp::create(b, vector::BitCastOp::create(b, type, v),
                                turned, ValueRange{add(word, i), index(0)});
    });
    return turned;
  }

  /// Computes the sums of 16 columns, turned, and adds them to the result.
  void addTiles() {
    int64_t group = norm::getAMXGroup(product);
    Value sums = memref::AllocOp::create(
        b, MemRefType::get({norm::amxRows, norm::amxRows}, product.sum),
        b.getI64IntegerAttr(64));
    Value zero = index(0), pitch = index(norm::amxRows);
    SmallVector<Value> corner = {zero, zero};
    amx::TileStoreOp::create(b, sums, corner,
                             amx::TileZeroOp::create(b, getTile(product.sum)),
                             pitch);
    int64_t words = *getConstantIntValue(extents[loops.depth]) / group;
    buildSteps(loops.depth, words, group, [&](int64_t steps) {
      Value sum = loadTile(sums, corner, pitch), first = at[loops.depth];
      for (int64_t i = 0; i < steps; ++i) {
        at[loops.depth] = add(first, i * norm::amxRows * group);
        sum = addStep(sum, group);
      }
      amx::TileStoreOp::create(b, sums, corner, sum, pitch);
    });
    addTurned(sums);
  }

  Value addStep(Value sum, int64_t group) {
    Value columns =
        loadTile(getOperand(product.rhs), getIndices(getMap(product.rhs)),
                 getStride(product.rhs, loops.column));
    Value word = b.createOrFold<arith::DivUIOp>(at[loops.depth], index(group));
    Value row = loadTile(words, {word, index(0)}, index(norm::amxRows * group));
    return multiplyTiles(product.rhs, columns, product.lhs, row, sum);
  }

  /// Adds sums whose rows are columns of the result.
  void addTurned(Value sums) {
    auto type = VectorType::get(norm::amxRows, product.sum);
    SmallVector<Value> columns;
    for (int64_t i = 0; i < norm::amxRows; ++i)
      columns.push_back(vector::LoadOp::create(b, type, sums,
                                               ValueRange{index(i), index(0)}));
    unsigned result = op.getNumDpsInputs();
    SmallVector<Value> turned = turn(columns);
    for (int64_t row = 0; row < rows; ++row) {
      setRow(row);
      SmallVector<Value> place = getIndices(getMap(result));
      Value old = vector::LoadOp::create(b, type, getOperand(result), place);
      Value sum = isa<IntegerType>(product.sum)
                      ? arith::AddIOp::create(b, old, turned[row]).getResult()
                      : arith::AddFOp::create(b, old, turned[row]).getResult();
      vector::StoreOp::create(b, sum, getOperand(result), place);
    }
  }

  static constexpr int64_t kMostStreams = 8;

  MatrixProduct product;
  norm::BlockLoops loops;
  int64_t rows, lanes, registers, depth;
  bool readsColumns = false; // which are neighbors in memory
  norm::ProductKinds kind;   // Pairs: of neighbors in bf16
  Value words;               // of A, a row for each word along the sum
};

/// Builds the copy of columns for a block: of columns that are no neighbors in
/// memory, squares are read along memory and turned in registers; of groups,
/// their rows are interleaved.
class PackBuilder : LoopBuilder {
public:
  PackBuilder(OpBuilder &b, GenericOp op)
      : LoopBuilder(b, op), from(op.getDpsInputs()[0]), to(op.getDpsInits()[0]),
        group(getGroup(getElementTypeOrSelf(to.getType()))),
        column(op.getNumLoops() - (group > 1 ? 2 : 1)) {
    ArrayRef<AffineExpr> read = getReadMap().getResults();
    if (group > 1 && read.back() == b.getAffineDimExpr(column + 1))
      read = read.drop_back();
    along = cast<AffineDimExpr>(read.back()).getPosition();
  }

  void run() {
    SmallVector<unsigned> outer;
    for (unsigned loop = 0; loop < column; ++loop)
      if (loop != along)
        outer.push_back(loop);
    buildLoops(outer, [&] {
      if (along == column)
        prefetch(outer.back());
      Value columns = floorTo(extents[column], kSquare),
            all = asValue(extents[column]);
      if (along == column) {
        buildLoop(column, index(0), columns, kSquare, [&] { copyNeighbors(); });
        return buildElements(column, columns, all);
      }
      Value depth = floorTo(extents[along], kSquare);
      buildLoop(column, index(0), columns, kSquare, [&] {
        buildLoop(along, index(0), depth, kSquare, [&] { buildSquare(); });
        buildElements(along, depth, asValue(extents[along]), kSquare);
      });
      buildLoop(column, columns, all, 1, [&] {
        buildElements(along, index(0), asValue(extents[along]));
      });
    });
  }

private:
  static constexpr int64_t kSquare = norm::amxRows;
  /// Rows of B from which on one is loaded ahead: each is in a page of its own.
  static constexpr int64_t kRowsAhead = 16;

  /// The sums' own elements are never as narrow.
  static int64_t getGroup(Type element) {
    return element.isBF16() ? 2 : element.isInteger(8) ? 4 : 1;
  }

  AffineMap getReadMap() { return op.getIndexingMapsArray()[0]; }
  AffineMap getWriteMap() { return op.getIndexingMapsArray()[1]; }

  /// Clones the body's one op, if there is one.
  Value convert(Value v, int64_t width) {
    Block &body = op.getRegion().front();
    if (body.without_terminator().empty())
      return v;
    Operation &bodyOp = body.front();
    if (width > 0)
      return norm::cloneAtWidth(b, &bodyOp, width, v)->getResult(0);
    IRMapping map;
    map.map(bodyOp.getOperand(0), v);
    return b.clone(bodyOp, map)->getResult(0);
  }

  /// Returns the current indices in a view without groups.
  SmallVector<Value> getFlatIndices(AffineMap map) {
    SmallVector<Value> indices = getIndices(map);
    indices.pop_back();
    indices.back() = arith::MulIOp::create(b, indices.back(), index(group));
    return indices;
  }

  /// Loads neighbors from `from`; groups are words.
  Value loadNeighbors() {
    Type element = getElementTypeOrSelf(from.getType());
    if (group == 1)
      return convert(vector::LoadOp::create(b,
                                            VectorType::get(kSquare, element),
                                            from, getIndices(getReadMap())),
                     kSquare);
    at[column + 1] = index(0);
    Value v = vector::LoadOp::create(
        b, VectorType::get(group * kSquare, element), flattenGroups(from),
        getFlatIndices(getReadMap()));
    return vector::BitCastOp::create(
        b, VectorType::get(kSquare, b.getI32Type()), v);
  }

  void storeNeighbors(Value v) {
    if (group == 1) {
      vector::StoreOp::create(b, v, to, getIndices(getWriteMap()));
      return;
    }
    at[column + 1] = index(0);
    auto groups =
        VectorType::get(group * kSquare, getElementTypeOrSelf(to.getType()));
    if (v.getType() != groups)
      v = vector::BitCastOp::create(b, groups, v);
    vector::StoreOp::create(b, v, flattenGroups(to),
                            getFlatIndices(getWriteMap()));
  }

  void buildSquare() {
    Value first = at[column];
    SmallVector<Value> rows;
    for (int64_t i = 0; i < kSquare; ++i) {
      at[column] = add(first, i);
      rows.push_back(loadNeighbors());
    }
    at[column] = first;
    Value begin = at[along];
    for (auto [i, v] : llvm::enumerate(turn(rows))) {
      at[along] = add(begin, i);
      storeNeighbors(v);
    }
    at[along] = begin;
  }

  /// Writes the groups of as many rows.
  void interleave() {
    auto type = VectorType::get(kSquare, getElementTypeOrSelf(from.getType()));
    SmallVector<Value> rows;
    for (int64_t i = 0; i < group; ++i) {
      at[column + 1] = index(i);
      rows.push_back(
          vector::LoadOp::create(b, type, from, getIndices(getReadMap())));
    }
    for (int64_t half = group / 2; half > 0; half /= 2)
      for (int64_t i = 0; i < half; ++i)
        rows[i] = vector::InterleaveOp::create(b, rows[i], rows[i + half]);
    storeNeighbors(rows[0]);
  }

  void copyNeighbors() {
    if (group > 1)
      return interleave();
    storeNeighbors(loadNeighbors());
  }

  /// Fetches the columns some rows, which `loop` goes over, ahead.
  void prefetch(unsigned loop) {
    Value row = at[loop],
          last =
              b.createOrFold<arith::SubIOp>(asValue(extents[loop]), index(1));
    at[loop] =
        b.createOrFold<arith::MinSIOp>(add(row, kRowsAhead / group), last);
    int64_t line =
        512 / getElementTypeOrSelf(from.getType()).getIntOrFloatBitWidth();
    for (int64_t i = 0; i < group; ++i) {
      if (group > 1)
        at[column + 1] = index(i);
      buildLoop(column, index(0), asValue(extents[column]), line, [&] {
        memref::PrefetchOp::create(b, from, getIndices(getReadMap()),
                                   /*isWrite=*/false, /*localityHint=*/3,
                                   /*isDataCache=*/true);
      });
    }
    at[loop] = row;
  }

  /// Copies elements one by one: of `loop` in [first, last), and of `columns`
  /// columns from the current one on.
  void buildElements(unsigned loop, Value first, Value last,
                     int64_t columns = 1) {
    buildLoop(loop, first, last, 1, [&] {
      Value begin = at[column];
      for (int64_t i = 0; i < columns * group; ++i) {
        at[column] = add(begin, i / group);
        if (group > 1)
          at[column + 1] = index(i % group);
        Value v = memref::LoadOp::create(b, from, getIndices(getReadMap()));
        memref::StoreOp::create(b, convert(v, 0), to,
                                getIndices(getWriteMap()));
      }
      at[column] = begin;
    });
  }

  Value from, to;
  int64_t group;              // elements that stay together
  unsigned column, along = 0; // loops: over columns, along memory
};

struct NormVectorizeProducts
    : norm::impl::NormVectorizeProductsBase<NormVectorizeProducts> {
  void runOnOperation() override {
    SmallVector<GenericOp> ops;
    getOperation().walk([&](GenericOp op) {
      if (op.hasPureBufferSemantics())
        ops.push_back(op);
    });
    for (GenericOp op : ops)
      if (failed(vectorize(op)))
        return signalPassFailure();
    SmallVector<Operation *> squares;
    getOperation().walk([&](vector::TransposeOp op) { squares.push_back(op); });
    RewritePatternSet patterns(&getContext());
    vector::populateVectorTransposeLoweringPatterns(
        patterns, vector::VectorTransposeLowering::Shuffle16x16);
    if (failed(applyOpPatternsGreedily(squares, std::move(patterns))))
      signalPassFailure();
  }

  static LogicalResult vectorize(GenericOp op) {
    OpBuilder b(op);
    if (op->hasAttr(norm::packAttrName))
      return vectorizeCopy(b, op);
    if (op->hasAttr(norm::tileAttrName)) {
      FailureOr<ArrayRef<int64_t>> tile =
          readTile(op, norm::tileAttrName, 3, isBlock);
      if (failed(tile))
        return failure();
      buildBlock(b, op, *tile);
      op.erase();
    } else if (op->hasAttr(norm::thinAttrName)) {
      FailureOr<ArrayRef<int64_t>> tile =
          readTile(op, norm::thinAttrName, 4, isThin);
      if (failed(tile))
        return failure();
      ThinBuilder(b, op, *tile).run();
      op.erase();
    }
    return success();
  }

  static void buildBlock(OpBuilder &b, GenericOp op, ArrayRef<int64_t> tile) {
    if (!op->hasAttr(norm::amxAttrName))
      return ProductBuilder(b, op, tile).run();
    unsigned row = *norm::getBlockLoops(op, /*lhs=*/0).row;
    int64_t rows = op.getStaticLoopRanges()[row];
    if (!ShapedType::isDynamic(rows))
      return rows < norm::amxRows ? buildFewRows(b, op)
                                  : AMXBuilder(b, op).run();
    Location loc = op.getLoc();
    Range range = cast<linalg::LinalgOp>(*op).createLoopRanges(b, loc)[row];
    Value hasTile = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::sge,
        getValueOrCreateConstantIndexOp(b, loc, range.size),
        arith::ConstantIndexOp::create(b, loc, norm::amxRows));
    auto choice = scf::IfOp::create(b, loc, hasTile, /*withElseRegion=*/true);
    OpBuilder tiles = choice.getThenBodyBuilder(),
              few = choice.getElseBodyBuilder();
    AMXBuilder(tiles, op).run();
    buildFewRows(few, op);
  }

  /// Computes fewer rows than a tile has in buffers of as many; what the other
  /// rows hold is not used.
  static void buildFewRows(OpBuilder &b, GenericOp op) {
    Location loc = op.getLoc();
    Value sums = op.getDpsInits()[0];
    auto [rows, wholeRows] = createRows(b, op, /*operand=*/0);
    auto [part, wholeSums] = createRows(b, op, /*operand=*/2);
    memref::CopyOp::create(b, loc, op.getDpsInputs()[0], rows);
    auto whole = cast<GenericOp>(mlir::clone(
        b, op, TypeRange(), {wholeRows, op.getDpsInputs()[1], wholeSums}));
    AMXBuilder(b, whole).run();
    whole.erase();
    memref::CopyOp::create(b, loc, part, sums);
  }

  /// Returns a buffer of an operand's shape but with the rows of a tile, behind
  /// its part for the operand.
  static std::pair<Value, Value> createRows(OpBuilder &b, GenericOp op,
                                            unsigned operand) {
    Location loc = op.getLoc();
    Value like = op->getOperand(operand);
    unsigned row = *norm::getBlockLoops(op, /*lhs=*/0).row;
    SmallVector<OpFoldResult> sizes = memref::getMixedSizes(b, loc, like),
                              whole = sizes;
    whole[*op.getIndexingMapsArray()[operand].getResultPosition(
        b.getAffineDimExpr(row))] = b.getIndexAttr(norm::amxRows);
    Value buffer = memref::AllocOp::create(
        b, loc, whole, getElementTypeOrSelf(like.getType()));
    SmallVector<OpFoldResult> zero(sizes.size(), b.getIndexAttr(0)),
        one(sizes.size(), b.getIndexAttr(1));
    Value part = memref::SubViewOp::create(b, loc, buffer, zero, sizes, one);
    return {part, buffer};
  }

  static LogicalResult vectorizeCopy(OpBuilder &b, GenericOp op) {
    bool isCopy =
        op.getNumDpsInputs() == 1 && op.getNumDpsInits() == 1 &&
        op.getNumReductionLoops() == 0 &&
        llvm::range_size(op.getBody()->without_terminator()) <= 1 &&
        isa<AffineDimExpr>(op.getIndexingMapsArray()[0].getResults().back());
    if (!isCopy)
      return op.emitError("norm-vectorize-products: expects a copy with '")
             << norm::packAttrName << "'";
    PackBuilder(b, op).run();
    op.erase();
    return success();
  }

  /// Loops over batches and other columns have one iteration in a block, and
  /// need not be those of a product. Tiles divide its columns.
  static bool isBlock(GenericOp op, ArrayRef<int64_t> tile) {
    bool isProduct =
        op.getNumDpsInputs() == 2 && op.getNumDpsInits() == 1 &&
        op.getNumReductionLoops() > 0 &&
        llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
          return map.isProjectedPermutation() && map.getNumResults() > 1;
        });
    if (!isProduct)
      return false;
    norm::BlockLoops loops = norm::getBlockLoops(op, /*lhs=*/0);
    Type element = getElementTypeOrSelf(op.getDpsInits()[0].getType());
    int64_t columns = op.getStaticLoopRanges()[loops.column],
            bits = tile[1] * 32;
    return loops.row && element.isIntOrFloat() &&
           bits % element.getIntOrFloatBitWidth() == 0 &&
           !ShapedType::isDynamic(columns) &&
           columns % (bits / element.getIntOrFloatBitWidth()) == 0 &&
           (!op->hasAttr(norm::amxAttrName) || hasAMXTiles(op));
  }

  /// Returns true if whole tiles hold the words of A.
  static bool hasAMXTiles(GenericOp op) {
    norm::BlockLoops loops = norm::getBlockLoops(op, /*lhs=*/0);
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    int64_t group = extents[loops.depth];
    Type a = getElementTypeOrSelf(op.getDpsInputs()[0].getType()),
         b = getElementTypeOrSelf(op.getDpsInputs()[1].getType()),
         sum = getElementTypeOrSelf(op.getDpsInits()[0].getType());
    bool hasWords =
        a == b && ((a.isBF16() && sum.isF32() && group == 2) ||
                   (a.isInteger(8) && sum.isInteger(32) && group == 4));
    auto isWhole = [&](unsigned loop) {
      return !ShapedType::isDynamic(extents[loop]) &&
             extents[loop] % norm::amxRows == 0;
    };
    return hasWords && op.getNumReductionLoops() > 1 && isWhole(loops.column) &&
           isWhole(getWordLoop(op));
  }

  /// The number of rows is known.
  static bool isThin(GenericOp op, ArrayRef<int64_t> tile) {
    std::optional<MatrixProduct> product = norm::matchMatrixProduct(op);
    if (!product)
      return false;
    auto kind = static_cast<norm::ProductKinds>(tile[3]);
    bool hasKind =
        kind == norm::ProductKinds::Elements ||
        (kind == norm::ProductKinds::Pairs &&
         norm::getAMXGroup(*product) == 2) ||
        (kind == norm::ProductKinds::Tiles && norm::hasThinTiles(*product));
    return hasKind && (!product->loops.row ||
                       !ShapedType::isDynamic(
                           op.getStaticLoopRanges()[*product->loops.row]));
  }

  /// Returns `count` numbers, of which the first three are positive, of an op
  /// that is a product for them.
  static FailureOr<ArrayRef<int64_t>>
  readTile(GenericOp op, StringRef name, size_t count,
           function_ref<bool(GenericOp, ArrayRef<int64_t>)> isProduct) {
    auto tile = op->getAttrOfType<DenseI64ArrayAttr>(name);
    if (!tile || tile.asArrayRef().size() != count ||
        llvm::any_of(tile.asArrayRef().take_front(3),
                     [](int64_t number) { return number <= 0; }))
      return op.emitError("norm-vectorize-products: expects a product with ")
             << count << " numbers in '" << name << "', from 1 on";
    if (!isProduct(op, tile.asArrayRef()))
      return op.emitError("norm-vectorize-products: '")
             << name << "' does not fit the op's loops or extents";
    return tile.asArrayRef();
  }
};
} // namespace
