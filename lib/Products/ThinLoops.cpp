//===- ThinLoops.cpp - loops of vectors of products of few rows -----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductLoops.h"
#include "ProductTensors.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "norm/Products/Products.h"
#include "norm/Rows/Vectors.h"

using namespace mlir;
using linalg::GenericOp;
using norm::MatrixProduct;

namespace {
/// Builds the loops of a product of few rows, which takes as long as to read B:
/// in the order of memory, once.
class ThinBuilder : norm::LoopBuilder {
public:
  ThinBuilder(OpBuilder &b, GenericOp op)
      : LoopBuilder(b, op), product(*norm::matchMatrixProduct(op)),
        loops(product.loops), target(norm::getRowTarget(op)),
        rows(loops.row ? *getConstantIntValue(extents[*loops.row]) : 1),
        lanes(target.productLanes * 32 / product.sum.getIntOrFloatBitWidth()),
        registerLanes(lanes / getRegisters(target.productLanes)),
        registers(target.productRows * getRegisters(target.productLanes)),
        kind(static_cast<norm::ProductKinds>(
            op->getAttrOfType<IntegerAttr>(norm::thinAttrName).getInt())) {}

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
  /// Returns how many registers hold the lanes of a row: 2 of the 16 of AVX2
  /// and AArch64, or 4 of the 32 of AVX-512.
  static int64_t getRegisters(int64_t lanes) { return lanes >= 64 ? 4 : 2; }

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
    int64_t streams = words ? norm::amxRows : getColumnsAtOnce();
    int64_t step = !isBlocked ? 1 : readsColumns ? target.thinDepth : streams;
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
    return widen(operand, loadNarrow(operand, width), product.sum);
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

  Value widen(unsigned operand, Value v, Type element) {
    bool isLhs = operand == product.lhs;
    return norm::createWidened(b, isLhs ? product.widenLhs : product.widenRhs,
                               v, element);
  }

  void forEachRow(function_ref<void(int64_t)> body) {
    for (int64_t row = 0; row < rows; ++row) {
      if (loops.row)
        at[*loops.row] = index(firstRow + row);
      body(row);
    }
  }

  /// Returns true if level 2 does not keep B, all that this may be a part of.
  bool isLarge() {
    auto rhs = cast<MemrefValue>(getOperand(product.rhs));
    MemRefType type = cast<MemRefType>(memref::skipViewLikeOps(rhs).getType());
    return !type.hasStaticShape() ||
           type.getNumElements() * type.getElementTypeBitWidth() / 8 >
               target.largeBytes;
  }

  /// Fetches `width` neighbors of a large B that are `distance` iterations of
  /// `loop` ahead, where `count` of them are done at once: hardware fetches no
  /// further than to the end of a row in memory. A core whose work per line is
  /// one wide load and a sum reads that far ahead itself.
  void fetchAhead(unsigned loop, int64_t distance, int64_t count,
                  int64_t width) {
    Type element = getElementTypeOrSelf(getOperand(product.rhs).getType());
    int64_t bytes = width * element.getIntOrFloatBitWidth() / 8;
    bool readsAhead = loop == loops.column && rows == 1 && bytes >= kWideBytes;
    if (count == 1 || width == 1 || readsAhead || !isLarge())
      return;
    Value current = at[loop];
    at[loop] = add(current, distance);
    SmallVector<Value> place = getIndices(getMap(product.rhs));
    at[loop] = current;
    norm::createPrefetches(b, b.getLoc(), getOperand(product.rhs), place, width,
                           norm::CacheLevel::Second);
  }

  //===--------------------------------------------------------------------===//
  // Columns that are neighbors: a few rows of B at once
  //===--------------------------------------------------------------------===//

  /// Adds `count` rows of B to the sums, strip by strip.
  void buildStrips(int64_t count) {
    int64_t widest = addsHalves() ? kPairLanes : lanes;
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
    forEachRow([&](int64_t) {
      sums.push_back(
          vector::LoadOp::create(b, type, dest, getIndices(getMap(result))));
    });
    bool arePairs = addsHalves() && width == kPairLanes && count % 2 == 0;
    int64_t step = arePairs ? 2 : 1;
    forEach(loops.depth, count / step, step, [&](int64_t) {
      fetchAhead(loops.depth, count, count, width);
      if (arePairs)
        fetchAhead(loops.depth, count + 1, count, width);
      Value y = arePairs ? loadRowsOfPairs() : load(product.rhs, width);
      forEachRow([&](int64_t row) {
        Value x = arePairs ? loadPair(getOperand(product.lhs),
                                      getIndices(getMap(product.lhs)))
                           : vector::BroadcastOp::create(b, type,
                                                         load(product.lhs, 0));
        sums[row] = createSum(x, y, sums[row]);
      });
    });
    forEachRow([&](int64_t row) {
      vector::StoreOp::create(b, sums[row], dest, getIndices(getMap(result)));
    });
  }

  /// Returns the current row of B and the next, whose elements become halves of
  /// words.
  Value loadRowsOfPairs() {
    SmallVector<Value> halves;
    forEach(loops.depth, /*count=*/2, /*step=*/1, [&](int64_t) {
      halves.push_back(loadHalves(product.rhs, kPairLanes));
    });
    return vector::InterleaveOp::create(b, halves[0], halves[1]);
  }

  //===--------------------------------------------------------------------===//
  // Depths that are neighbors: a few columns of B at once
  //===--------------------------------------------------------------------===//

  /// Returns how many rows have registers for several columns each, which then
  /// read the rows as often as there are such columns.
  int64_t getRowsAtOnce() {
    if (2 * rows <= registers)
      return rows;
    int64_t most = std::max<int64_t>(registers / 3, 1);
    return llvm::divideCeil(rows, llvm::divideCeil(rows, most));
  }

  /// Returns for how many columns registers hold the sums of these rows, where
  /// columns are fewer beside what is loaded of them, a row, and what is being
  /// widened.
  int64_t getColumnsAtOnce() {
    int64_t rows = getRowsAtOnce(),
            columns = std::clamp<int64_t>(registers / rows, 1, kMostStreams),
            left = registers + registers / 3 - rows * columns,
            used = columns + (!addsPairs() && product.widenRhs ? 2 : 1);
    bool fit = rows <= columns || used <= left;
    return fit ? columns : std::max<int64_t>(columns - 1, 1);
  }

  void addColumns(int64_t count) {
    int64_t all = rows, most = count == 1 ? rows : getRowsAtOnce();
    for (firstRow = 0; firstRow < all; firstRow += rows) {
      rows = std::min(most, all - firstRow);
      addColumnsOfRows(count);
    }
    firstRow = 0;
    rows = all;
  }

  void addColumnsOfRows(int64_t count) {
    int64_t width = addsHalves() ? kPairLanes : registerLanes;
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
      Value sum = norm::Lanes(b, old) + totals[i];
      memref::StoreOp::create(b, sum, getOperand(result), indices);
    });
  }

  /// Calls `fn` at each row and each of `count` columns.
  void forEachSum(int64_t count, function_ref<void(int64_t)> fn) {
    forEach(loops.column, count, /*step=*/1, [&](int64_t column) {
      forEachRow([&](int64_t row) { fn(column * rows + row); });
    });
  }

  /// Adds products at depths [from, to), `width` at once, to `inits`.
  SmallVector<Value> buildSums(Value from, Value to, int64_t width,
                               ArrayRef<Value> inits, int64_t count) {
    auto loop = scf::ForOp::create(
        b, from, to, index(width), inits,
        [&](OpBuilder &, Location, Value k, ValueRange args) {
          at[loops.depth] = k;
          SmallVector<Value> sums(args);
          addProducts(sums, count, width);
          if (firstRow == 0)
            forEach(loops.column, count, /*step=*/1, [&](int64_t) {
              fetchAhead(loops.column, count, count, width);
            });
          scf::YieldOp::create(b, sums);
        });
    return loop.getResults();
  }

  /// Adds products of each row and each of `count` columns to `sums`. Registers
  /// hold the rows, or columns that are fewer, and of the others one at a time.
  void addProducts(MutableArrayRef<Value> sums, int64_t count, int64_t width) {
    auto loadOperand = [&](unsigned operand) {
      return width > 1 && addsPairs() ? loadHalves(operand, width)
                                      : load(operand, width == 1 ? 0 : width);
    };
    SmallVector<Value> xs, ys;
    auto loadRow = [&] { xs.push_back(loadOperand(product.lhs)); };
    auto loadColumn = [&] { ys.push_back(loadOperand(product.rhs)); };
    auto addProduct = [&](int64_t row, int64_t column) {
      Value &sum = sums[column * rows + row];
      sum = createSum(xs[row], ys[column], sum);
    };
    if (rows > count) {
      forEach(loops.column, count, /*step=*/1, [&](int64_t) { loadColumn(); });
      return forEachRow([&](int64_t row) {
        loadRow();
        for (int64_t column = 0; column < count; ++column)
          addProduct(row, column);
      });
    }
    forEachRow([&](int64_t) { loadRow(); });
    forEach(loops.column, count, /*step=*/1, [&](int64_t column) {
      loadColumn();
      for (int64_t row = 0; row < rows; ++row)
        addProduct(row, column);
    });
  }

  bool addsPairs() { return kind == norm::ProductKinds::Pairs; }
  bool addsHalves() { return addsPairs() && !isa<FloatType>(product.sum); }

  /// Loads neighbors, each as half a word: bf16, or i16 that i8 become.
  Value loadHalves(unsigned operand, int64_t width) {
    Value v = loadNarrow(operand, width);
    return addsHalves() ? widen(operand, v, b.getI16Type()) : v;
  }

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
        b, MemRefType::get({countTiles() * depths / group, lanes}, element),
        b.getI64IntegerAttr(64));
    forEachTile([&](Value first, int64_t count) {
      buildLoop(loops.depth, index(0), index(depths), lanes, [&] {
        SmallVector<Value> vectors;
        for (int64_t row = 0; row < count; ++row) {
          at[*loops.row] = add(first, row);
          vectors.push_back(vector::BitCastOp::create(
              b, wordType, loadNarrow(product.lhs, lanes)));
        }
        Value word = getWord(first);
        for (auto [i, v] : llvm::enumerate(turn(vectors)))
          vector::StoreOp::create(b, vector::BitCastOp::create(b, type, v),
                                  turned, ValueRange{add(word, i), index(0)});
      });
    });
    return turned;
  }

  int64_t countTiles() { return llvm::divideCeil(rows, norm::amxRows); }

  /// Goes over the tiles of A by their first rows, and how many they have.
  void forEachTile(function_ref<void(Value first, int64_t count)> body) {
    int64_t whole = rows / norm::amxRows * norm::amxRows;
    buildLoop(*loops.row, index(0), index(whole), norm::amxRows,
              [&] { body(at[*loops.row], norm::amxRows); });
    if (whole < rows)
      body(index(whole), rows - whole);
  }

  /// Returns where `words` has those of a tile at this depth.
  Value getWord(Value firstRow) {
    int64_t group = norm::getAMXGroup(product),
            depths = *getConstantIntValue(extents[loops.depth]);
    Value word = b.createOrFold<arith::DivUIOp>(at[loops.depth], index(group));
    Value before = b.createOrFold<arith::MulIOp>(
        firstRow, index(depths / (group * norm::amxRows)));
    return b.createOrFold<arith::AddIOp>(word, before);
  }

  /// Computes the sums of 16 columns, turned, and adds them to the result: of
  /// so many rows at once that AMX has tiles for them beside one of each
  /// operand.
  void addTiles() {
    Value sums = memref::AllocOp::create(
        b,
        MemRefType::get({countTiles() * norm::amxRows, norm::amxRows},
                        product.sum),
        b.getI64IntegerAttr(64));
    for (int64_t tile = 0; tile < countTiles(); tile += kMostTiles)
      addTilesTo(sums, tile, std::min(tile + kMostTiles, countTiles()));
    forEachTile(
        [&](Value first, int64_t count) { addTurned(sums, first, count); });
  }

  void addTilesTo(Value sums, int64_t first, int64_t end) {
    int64_t group = norm::getAMXGroup(product);
    Value pitch = index(norm::amxRows);
    auto getCorner = [&](int64_t tile) {
      return SmallVector<Value>{index(tile * norm::amxRows), index(0)};
    };
    Value zeros = amx::TileZeroOp::create(b, getTile(product.sum));
    for (int64_t tile = first; tile < end; ++tile)
      amx::TileStoreOp::create(b, sums, getCorner(tile), zeros, pitch);
    int64_t words = *getConstantIntValue(extents[loops.depth]) / group;
    buildSteps(loops.depth, words, group, [&](int64_t steps) {
      SmallVector<Value> tiles;
      for (int64_t tile = first; tile < end; ++tile)
        tiles.push_back(loadTile(sums, getCorner(tile), pitch));
      forEach(loops.depth, steps, norm::amxRows * group,
              [&](int64_t) { addStep(first, tiles); });
      for (auto [i, tile] : llvm::enumerate(tiles))
        amx::TileStoreOp::create(b, sums, getCorner(first + i), tile, pitch);
    });
  }

  /// Adds the product of a tile of B and those of A from `first` on.
  void addStep(int64_t first, MutableArrayRef<Value> sums) {
    Value pitch = index(norm::amxRows * norm::getAMXGroup(product));
    Value columns =
        loadTile(getOperand(product.rhs), getIndices(getMap(product.rhs)),
                 getStride(product.rhs, loops.column));
    for (auto [i, sum] : llvm::enumerate(sums)) {
      Value word = getWord(index((first + i) * norm::amxRows));
      Value row = loadTile(words, {word, index(0)}, pitch);
      sum = multiplyTiles(product.rhs, columns, product.lhs, row, sum);
    }
  }

  /// Adds sums of `count` rows, which are columns of `sums`.
  void addTurned(Value sums, Value first, int64_t count) {
    auto type = VectorType::get(norm::amxRows, product.sum);
    SmallVector<Value> columns;
    for (int64_t i = 0; i < norm::amxRows; ++i)
      columns.push_back(vector::LoadOp::create(
          b, type, sums, ValueRange{add(first, i), index(0)}));
    unsigned result = op.getNumDpsInputs();
    SmallVector<Value> turned = turn(columns);
    for (int64_t row = 0; row < count; ++row) {
      at[*loops.row] = add(first, row);
      SmallVector<Value> place = getIndices(getMap(result));
      Value old = vector::LoadOp::create(b, type, getOperand(result), place);
      vector::StoreOp::create(b, norm::Lanes(b, old) + turned[row],
                              getOperand(result), place);
    }
  }

  static constexpr int64_t kMostTiles = 6;
  static constexpr int64_t kMostStreams = 8;
  static constexpr int64_t kWideBytes = 32; // measured on Zen 5

  MatrixProduct product;
  norm::BlockLoops loops;
  norm::RowTarget target;
  int64_t rows, lanes, registerLanes, registers, firstRow = 0;
  bool readsColumns = false; // which are neighbors in memory
  norm::ProductKinds kind;   // Pairs: of neighbors in bf16
  Value words;               // of A, a row for each word along the sum
};
} // namespace

void norm::buildThinLoops(OpBuilder &b, GenericOp op) {
  ThinBuilder(b, op).run();
}
