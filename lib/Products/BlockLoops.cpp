//===- BlockLoops.cpp - loops of vectors of blocks of products ------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NextColumns.h"
#include "ProductLoops.h"
#include "mlir/IR/Matchers.h"
#include "norm/Rows/Rows.h"

using namespace mlir;
using linalg::GenericOp;

namespace {
/// What the loops of one block share.
class BlockBuilder : protected norm::LoopBuilder {
protected:
  BlockBuilder(OpBuilder &b, GenericOp op)
      : LoopBuilder(b, op), loops(norm::getBlockLoops(op, /*lhs=*/0)),
        step(loops.depth), lhs(op.getDpsInputs()[0]), rhs(op.getDpsInputs()[1]),
        dest(op.getDpsInits()[0]),
        element(getElementTypeOrSelf(dest.getType())), next(this->b, op, rhs) {
    if (!isGrouped())
      return;
    rhs = flattenGroups(rhs);
    at[loops.depth] = index(0);
    step = norm::getWordLoop(op);
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

  /// Returns true if one pass of so many steps adds all products, to zeros.
  /// They need not be in memory: what writes them goes.
  bool takeZeros(int64_t steps) {
    std::optional<int64_t> all = getConstantIntValue(extents[step]);
    if (!all || *all > steps ||
        !getOuterLoops(utils::IteratorType::reduction).empty())
      return false;
    linalg::LinalgOp fill = norm::findFill(*op.getDpsInitOperand(0));
    Value start = fill ? norm::getFilled(fill) : Value();
    if (!start || !(matchPattern(start, m_PosZeroFloat()) ||
                    matchPattern(start, m_Zero())))
      return false;
    fill->erase();
    return true;
  }

  /// Returns the indices of the row `offset` below the current one.
  SmallVector<Value> getRowIndices(AffineMap map, int64_t offset) {
    Value first = at[*loops.row];
    at[*loops.row] = add(first, offset);
    SmallVector<Value> indices = getIndices(map);
    at[*loops.row] = first;
    return indices;
  }

  /// Returns the tiles of a block, of so many rows and columns.
  std::optional<int64_t> countTiles(int64_t height, int64_t width) {
    std::optional<int64_t> rows = getConstantIntValue(extents[*loops.row]);
    if (!rows)
      return std::nullopt;
    return llvm::divideCeil(*rows, height) * countTilesOfRow(width);
  }

  /// Returns the number of the current one.
  Value getTileNumber(int64_t height, int64_t width) {
    return mulAdd(divide(at[*loops.row], height), countTilesOfRow(width),
                  divide(at[loops.column], width));
  }

  int64_t countTilesOfRow(int64_t width) {
    return *getConstantIntValue(extents[loops.column]) / width;
  }

  Value divide(Value x, int64_t y) {
    return b.createOrFold<arith::DivUIOp>(x, index(y));
  }

  Value mulAdd(Value x, int64_t y, Value z) {
    return b.createOrFold<arith::AddIOp>(
        b.createOrFold<arith::MulIOp>(x, index(y)), z);
  }

  norm::BlockLoops loops;
  unsigned step; // the loop over depths, or over groups of them
  Value lhs, rhs, dest;
  Type element; // of the sums
  bool fromZeros = false;
  norm::NextColumns next;
};

/// Builds tiles of rows and of lanes, whose sums are in registers while
/// products of `depth` elements are added to them.
class ProductBuilder : BlockBuilder {
public:
  ProductBuilder(OpBuilder &b, GenericOp op)
      : BlockBuilder(b, op), rows(norm::getRowTarget(op).productRows),
        lanes(norm::getTileLanes(op,
                                 *getConstantIntValue(extents[loops.column]))),
        products(norm::getRowTarget(op).productDepth) {}

  /// Sums stay in the cache while the outer loops over depths go on.
  void run() {
    fromZeros = takeZeros(products);
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
  /// LLVM has none whose length is no power of two.
  int64_t getWidth() { return isGrouped() ? kPairLanes : lanes & -lanes; }

  void buildTile(int64_t rowsOfTile, Value from, Value to) {
    auto type = VectorType::get(getWidth(), element);
    AffineMap map = op.getIndexingMapsArray()[2];
    SmallVector<Value> sums;
    SmallVector<SmallVector<Value>> places;
    for (int64_t i = 0; i < rowsOfTile; ++i)
      for (int64_t lane = 0; lane < lanes; lane += getWidth()) {
        places.push_back(getRowIndices(map, i));
        places.back().back() = add(places.back().back(), lane);
        sums.push_back(
            fromZeros ? createZeros(type)
                      : vector::LoadOp::create(b, type, dest, places.back()));
      }
    bool fetches = next && getConstantIntValue(extents[step]);
    SmallVector<Value> totals = fetches
                                    ? fetchAndAdd(rowsOfTile, from, to, sums)
                                    : addProducts(rowsOfTile, from, to, sums);
    for (auto [v, place] : llvm::zip(totals, places))
      vector::StoreOp::create(b, v, dest, place);
  }

  Value createZeros(VectorType type) {
    return arith::ConstantOp::create(b, b.getZeroAttr(type));
  }

  SmallVector<Value> addProducts(int64_t rowsOfTile, Value from, Value to,
                                 ValueRange sums) {
    auto loop = scf::ForOp::create(
        b, from, to, index(1), sums,
        [&](OpBuilder &, Location, Value k, ValueRange args) {
          at[step] = k;
          scf::YieldOp::create(b, addRows(rowsOfTile, args));
        });
    return loop.getResults();
  }

  /// The same, while columns that are packed next are fetched, at one place of
  /// the sum for as many products as there are tiles.
  SmallVector<Value> fetchAndAdd(int64_t rowsOfTile, Value from, Value to,
                                 ValueRange sums) {
    int64_t depth = *getConstantIntValue(extents[step]),
            lines = next.roundUp(llvm::divideCeil(next.getLines(), depth)),
            products = countTiles(rows, lanes)
                           .value_or(norm::getRowTarget(op).assumedTiles);
    auto loop = scf::ForOp::create(
        b, from, to, index(products), sums,
        [&](OpBuilder &, Location, Value begin, ValueRange args) {
          Value place = mulAdd(getTileNumber(rows, lanes),
                               llvm::divideCeil(depth, products),
                               divide(begin, products));
          next.fetch(place, lines);
          Value end = b.createOrFold<arith::MinUIOp>(add(begin, products), to);
          scf::YieldOp::create(b, addProducts(rowsOfTile, begin, end, args));
        });
    return loop.getResults();
  }

  /// Adds the products at the current depth to `sums`, row by row.
  SmallVector<Value> addRows(int64_t rowsOfTile, ValueRange sums) {
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
    int64_t group = 1;
    if (isGrouped()) { // Pairs of all columns are neighbors.
      at.pop_back();
      group = 2;
      at.back() = arith::MulIOp::create(b, at.back(), index(group));
    }
    Value first = at.back();
    auto type = VectorType::get(group * getWidth(), getElementTypeOrSelf(rhs));
    for (int64_t lane = 0; lane < lanes; lane += getWidth()) {
      at.back() = add(first, group * lane);
      columns.push_back(vector::LoadOp::create(b, type, rhs, at));
    }
    return columns;
  }

  /// Loads an element of A, or a pair, for all lanes of a vector.
  Value loadElement(ValueRange at) {
    if (!isGrouped())
      return vector::BroadcastOp::create(b,
                                         VectorType::get(getWidth(), element),
                                         memref::LoadOp::create(b, lhs, at));
    return loadPair(lhs, at);
  }

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
    fromZeros = takeZeros(norm::getRowTarget(op).tileSteps * norm::amxRows);
    buildLoops(getOuterLoops(utils::IteratorType::parallel),
               [&] { buildRows(); });
  }

private:
  void buildRows() {
    unsigned row = *loops.row;
    Value all = asValue(extents[row]),
          whole = floorTo(extents[row], 2 * norm::amxRows);
    buildLoop(row, index(0), whole, 2 * norm::amxRows,
              [&] { buildColumns(/*rowTiles=*/2); });
    buildLoop(row, whole, all, norm::amxRows,
              [&] { buildColumns(/*rowTiles=*/1); });
  }

  /// Four tiles of sums are held while products are added to them.
  void buildColumns(int64_t rowTiles) {
    int64_t width = std::min(4 / rowTiles * norm::amxRows, columns);
    buildLoop(loops.column, index(0), index(columns), width, [&] {
      buildLoops(getOuterLoops(utils::IteratorType::reduction), [&] {
        buildSteps(step, words, /*group=*/1,
                   [&](int64_t steps) { addSteps(steps, rowTiles, width); });
      });
    });
  }

  /// Adds so many products of tiles to the sums.
  void addSteps(int64_t steps, int64_t rowTiles, int64_t width) {
    SmallVector<Value> held;
    for (int64_t i = 0; i < rowTiles; ++i)
      for (int64_t j = 0; j < width; j += norm::amxRows)
        held.push_back(
            fromZeros ? amx::TileZeroOp::create(b, getTile(element)).getResult()
                      : loadTile(dest, getSumPlace(i, j), getSumStride()));
    forEach(step, steps, norm::amxRows, [&](int64_t) {
      fetchNext(width);
      addTiles(held, rowTiles, width);
    });
    auto *sum = held.begin();
    for (int64_t i = 0; i < rowTiles; ++i)
      for (int64_t j = 0; j < width; j += norm::amxRows)
        amx::TileStoreOp::create(b, dest, getSumPlace(i, j), *sum++,
                                 getSumStride());
  }

  /// Fetches as much of what is packed next as all steps share, or as one has
  /// time for: not if that is less than half.
  void fetchNext(int64_t width) {
    std::optional<int64_t> tiles = countTiles(2 * norm::amxRows, width);
    if (!next || !tiles)
      return;
    int64_t steps = words / norm::amxRows,
            share = llvm::divideCeil(next.getLines(), *tiles * steps),
            most = norm::getRowTarget(op).tileLines;
    if (share > 2 * most)
      return;
    Value number = mulAdd(getTileNumber(2 * norm::amxRows, width), steps,
                          divide(at[step], norm::amxRows));
    next.fetch(number, next.roundUp(std::min(share, most)));
  }

  void addTiles(MutableArrayRef<Value> held, int64_t rowTiles, int64_t width) {
    SmallVector<Value> xs, ys;
    for (int64_t i = 0; i < rowTiles; ++i)
      xs.push_back(loadTile(lhs, getRowPlace(0, i), getStride(0, *loops.row)));
    for (int64_t j = 0; j < width; j += norm::amxRows) {
      SmallVector<Value> place = getIndices(op.getIndexingMapsArray()[1]);
      place.pop_back();
      place.back() =
          b.createOrFold<arith::MulIOp>(add(at[loops.column], j), index(group));
      ys.push_back(loadTile(rhs, place, index(columns * group)));
    }
    for (Value x : xs)
      for (Value y : ys) {
        held.front() = multiplyTiles(0, x, 1, y, held.front());
        held = held.drop_front();
      }
  }

  Value getSumStride() { return getStride(2, *loops.row); }

  SmallVector<Value> getSumPlace(int64_t rowTile, int64_t column) {
    SmallVector<Value> place = getRowPlace(2, rowTile);
    place.back() = add(place.back(), column);
    return place;
  }

  SmallVector<Value> getRowPlace(unsigned operand, int64_t rowTile) {
    return getRowIndices(op.getIndexingMapsArray()[operand],
                         rowTile * norm::amxRows);
  }

  int64_t group; // neighbors along the sum that are a word
  int64_t words, columns;
};
} // namespace

int64_t norm::getTileLanes(GenericOp op, int64_t columns) {
  Type sum = getElementTypeOrSelf(op.getDpsInits()[0].getType());
  return std::min(getRowTarget(op).productLanes, columns) * 32 /
         sum.getIntOrFloatBitWidth();
}

void norm::buildBlockLoops(OpBuilder &b, GenericOp op) {
  if (op->hasAttr(norm::amxAttrName))
    AMXBuilder(b, op).run();
  else
    ProductBuilder(b, op).run();
}
