//===- PackLoops.cpp - loops of vectors that pack columns of a matrix -----===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductLoops.h"
#include "ProductTensors.h"

using namespace mlir;
using linalg::GenericOp;

namespace {
/// Builds the copy of columns for a block: of columns that are no neighbors in
/// memory, squares are read along memory and turned in registers; of groups,
/// their rows are interleaved. Where none of the loops goes along memory,
/// elements are copied one by one.
class PackBuilder : norm::LoopBuilder {
public:
  PackBuilder(OpBuilder &b, GenericOp op)
      : LoopBuilder(b, op), from(op.getDpsInputs()[0]), to(op.getDpsInits()[0]),
        group(getGroup()), column(op.getNumLoops() - (group > 1 ? 2 : 1)) {
    ArrayRef<AffineExpr> read = getReadMap().getResults();
    hasWords = group > 1 && read.back() == b.getAffineDimExpr(column + 1);
    if (hasWords)
      read = read.drop_back();
    auto dim = dyn_cast<AffineDimExpr>(read.back());
    bool areApart = group > 1 && !hasWords && dim &&
                    dim.getPosition() != column; // the elements of a group
    if (dim && !areApart && hasNeighbors(from) && hasNeighbors(to))
      along = dim.getPosition();
  }

  void run() {
    SmallVector<unsigned> outer;
    for (unsigned loop = 0; loop < column; ++loop)
      if (loop != along)
        outer.push_back(loop);
    buildLoops(outer, [&] {
      if (!along)
        return buildElements(column, index(0), asValue(extents[column]));
      if (along == column && !hasWords)
        prefetch(outer.back());
      Value columns = floorTo(extents[column], kSquare),
            all = asValue(extents[column]);
      if (along == column) {
        buildLoop(column, index(0), columns, kSquare, [&] { copyNeighbors(); });
        return buildElements(column, columns, all);
      }
      Value depths = asValue(extents[*along]),
            depth = floorTo(extents[*along], kSquare);
      buildLoop(column, index(0), columns, kSquare, [&] {
        buildLoop(*along, index(0), depth, kSquare, [&] { buildSquare(); });
        buildElements(*along, depth, depths, kSquare);
      });
      buildLoop(column, columns, all, 1,
                [&] { buildElements(*along, index(0), depths); });
    });
  }

private:
  static constexpr int64_t kSquare = norm::amxRows;

  /// Returns how many elements the innermost loop keeps together as a word: the
  /// sums' own elements are never as narrow.
  int64_t getGroup() {
    Type element = getElementTypeOrSelf(to.getType());
    bool arePairs = element.isBF16() || element.isInteger(16);
    int64_t group = arePairs ? 2 : element.isInteger(8) ? 4 : 1;
    return isConstantIntValue(extents.back(), group) ? group : 1;
  }

  /// Vectors need neighbors in memory, which the buffers of what a branch or a
  /// loop yields may not have.
  static bool hasNeighbors(Value buffer) {
    return cast<MemRefType>(buffer.getType()).isLastDimUnitStride();
  }

  AffineMap getReadMap() { return op.getIndexingMapsArray()[0]; }
  AffineMap getWriteMap() { return op.getIndexingMapsArray()[1]; }

  /// Widens to the elements of `to` as the body's first op does.
  Value convert(Value v) {
    return norm::createWidened(b, &op.getBody()->front(), v,
                               getElementTypeOrSelf(to));
  }

  /// Returns `buffer` and the current indices without groups, which neighbors
  /// are loaded and stored with.
  std::pair<Value, SmallVector<Value>> flatten(Value buffer, AffineMap map) {
    SmallVector<Value> indices = getIndices(map);
    if (group == 1)
      return {buffer, indices};
    indices.pop_back();
    indices.back() = arith::MulIOp::create(b, indices.back(), index(group));
    return {flattenGroups(buffer), indices};
  }

  VectorType getNeighbors(Value buffer) {
    return VectorType::get(group * kSquare, getElementTypeOrSelf(buffer));
  }

  /// Loads neighbors from `from`; groups are words.
  Value loadNeighbors() {
    auto [buffer, place] = flatten(from, getReadMap());
    Value v =
        convert(vector::LoadOp::create(b, getNeighbors(from), buffer, place));
    auto words = VectorType::get(kSquare, b.getI32Type());
    return group == 1 ? v : vector::BitCastOp::create(b, words, v);
  }

  void storeNeighbors(Value v) {
    auto [buffer, place] = flatten(to, getWriteMap());
    if (v.getType() != getNeighbors(to))
      v = vector::BitCastOp::create(b, getNeighbors(to), v);
    vector::StoreOp::create(b, v, buffer, place);
  }

  void buildSquare() {
    SmallVector<Value> rows;
    forEach(column, kSquare, /*step=*/1,
            [&](int64_t) { rows.push_back(loadNeighbors()); });
    SmallVector<Value> turned = turn(rows);
    forEach(*along, kSquare, /*step=*/1,
            [&](int64_t i) { storeNeighbors(turned[i]); });
  }

  /// Writes the groups of as many rows.
  void interleave() {
    auto type = VectorType::get(kSquare, getElementTypeOrSelf(from.getType()));
    SmallVector<Value> rows;
    for (int64_t i = 0; i < group; ++i) {
      at[column + 1] = index(i);
      Value row =
          vector::LoadOp::create(b, type, from, getIndices(getReadMap()));
      rows.push_back(convert(row));
    }
    for (int64_t half = group / 2; half > 0; half /= 2)
      for (int64_t i = 0; i < half; ++i)
        rows[i] = vector::InterleaveOp::create(b, rows[i], rows[i + half]);
    storeNeighbors(rows[0]);
  }

  void copyNeighbors() {
    if (group > 1 && !hasWords)
      return interleave();
    storeNeighbors(loadNeighbors());
  }

  /// Fetches the columns some rows, which `loop` goes over, ahead.
  void prefetch(unsigned loop) {
    Value row = at[loop],
          last =
              b.createOrFold<arith::SubIOp>(asValue(extents[loop]), index(1));
    at[loop] = b.createOrFold<arith::MinSIOp>(
        add(row, norm::getRowTarget(op).packedAhead / group), last);
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
      forEach(column, columns, /*step=*/1, [&](int64_t) {
        for (int64_t i = 0; i < group; ++i) {
          if (group > 1)
            at[column + 1] = index(i);
          Value v = memref::LoadOp::create(b, from, getIndices(getReadMap()));
          memref::StoreOp::create(b, convert(v), to, getIndices(getWriteMap()));
        }
      });
    });
  }

  Value from, to;
  int64_t group;                 // elements that stay together
  bool hasWords;                 // which they do where they are read
  unsigned column;               // the loop over columns
  std::optional<unsigned> along; // the one along memory, if there is one
};
} // namespace

void norm::buildPackLoops(OpBuilder &b, GenericOp op) {
  PackBuilder(b, op).run();
}
