//===- VectorizeRows.cpp - strip-mined vector loops over rows -------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowPlan.h"
#include "RowValues.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RowTarget.h"
#include "norm/Rows/Passes.h"
#include "norm/Rows/Rows.h"
#include "norm/Rows/Vectors.h"
#include "llvm/ADT/MapVector.h"
#include <deque>

namespace mlir::norm {
#define GEN_PASS_DEF_NORMVECTORIZEROWS
#include "norm/Rows/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using linalg::LinalgOp;
using norm::Reduction;
using norm::RowPlan;

std::optional<int64_t> norm::getUpperBound(OpFoldResult v) {
  if (std::optional<int64_t> constant = getConstantIntValue(v))
    return constant;
  FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB, v, /*stopCondition=*/nullptr,
      /*closedUB=*/true);
  return succeeded(bound) ? std::optional<int64_t>(*bound) : std::nullopt;
}

/// Returns the schedule of the loop around `op`; null if threads share none.
static norm::GPUScheduleAttr findSchedule(Operation *op) {
  norm::GPUScheduleAttr schedule;
  while (!schedule && (op = op->getParentOp()))
    schedule = norm::getSchedule(op);
  return schedule;
}

namespace {
/// Builds the loops of one op.
class RowVectorizer {
public:
  RowVectorizer(IRRewriter &b, LinalgOp op, RowPlan plan,
                norm::RowValues &values)
      : b(op.getLoc(), b), op(op), plan(std::move(plan)), values(values),
        target(norm::getRowTarget(op)) {
    if (norm::GPUScheduleAttr schedule = findSchedule(op)) {
      lanes = tail = schedule.getLanes();
      distributed = true;
    } else if (isShortRowOfColumns()) {
      lanes *= 2;
    }
  }

  /// The fills whose values reductions start from: nothing reads what they
  /// write.
  ArrayRef<Operation *> getForwarded() const { return forwarded; }

  /// Looks at the ops before, which must not have been rewritten.
  void prepare() {
    starts.assign(op.getNumDpsInits(), Value());
    // A row that threads share starts from memory, its columns do not.
    if (distributed ? !plan.columns.empty() : !plan.reductions.empty())
      forwardFills();
    if (!distributed)
      simplifyNeutrals();
  }

  LinalgOp getOp() { return op; }

  SmallVector<Value> run() {
    b.setInsertionPoint(op);
    if (norm::getRole(op->getParentOp()) == norm::LoopRole::Rows)
      outerRole = norm::LoopRole::Block;
    for (Range range :
         cast<linalg::LinalgOp>(*op).createLoopRanges(b, b.getLoc()))
      extents.push_back(range.size);
    if (!distributed)
      shortenStrips();
    SmallVector<Value> inits(op.getDpsInits());
    return buildOuterLoop(0, inits);
  }

private:
  /// A function that computes `width` elements of the row at `column`, under
  /// `mask` if there is one, with the state that the loop carries.
  using StripFn = function_ref<SmallVector<Value>(
      Value column, int64_t width, Value mask, ValueRange state)>;

  int64_t numOuterLoops() {
    return op.getNumLoops() - (plan.hasVectorLoop ? 1 : 0);
  }
  /// Computes elementwise a short row, such as half of a block, as one vector
  /// of its own length.
  void shortenStrips() {
    bool isElementwise = plan.reductions.empty() && plan.columns.empty();
    std::optional<int64_t> extent =
        plan.hasVectorLoop ? getConstantIntValue(extents.back()) : std::nullopt;
    if (isElementwise && extent && *extent >= target.leastLanes &&
        *extent < tail && llvm::isPowerOf2_64(*extent))
      lanes = tail = *extent;
  }
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value asValue(OpFoldResult v) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), v);
  }

  /// Builds a loop over what is in `inits`. Buffers are written in place, so
  /// that the loop carries the others alone.
  SmallVector<Value>
  buildLoop(norm::LoopRole role, Value lower, Value upper, Value step,
            ValueRange inits,
            function_ref<SmallVector<Value>(Value, ValueRange)> body) {
    auto isCarried = [](Value v) { return !isa<MemRefType>(v.getType()); };
    auto drop = [&](ValueRange all) {
      return llvm::filter_to_vector(all, isCarried);
    };
    auto complete = [&](ValueRange carried) {
      SmallVector<Value> all(inits);
      for (Value &v : all)
        if (isCarried(v)) {
          v = carried.front();
          carried = carried.drop_front();
        }
      return all;
    };
    auto loop = scf::ForOp::create(
        b, lower, upper, step, drop(inits),
        [&](OpBuilder &, Location, Value iv, ValueRange args) {
          scf::YieldOp::create(b, drop(body(iv, complete(args))));
        });
    norm::setRole(loop, role);
    return complete(loop.getResults());
  }

  SmallVector<Value> buildOuterLoop(int64_t depth, ValueRange outs) {
    if (depth == numOuterLoops())
      return buildInnermost(outs);
    if (depth + 1 == numOuterLoops() && !plan.columns.empty())
      return distributed ? buildSharedColumns(outs) : buildColumns(outs);
    if (depth + 1 == numOuterLoops() && distributed && plan.hasVectorLoop &&
        plan.reductions.empty() && !isOneInteger(extents[depth]) &&
        isOneStrip())
      return buildParallelRows(outs);
    if (isOneInteger(extents[depth])) {
      indices.push_back(index(0));
      SmallVector<Value> results = buildOuterLoop(depth + 1, outs);
      indices.pop_back();
      return results;
    }
    // Only the outermost loop is over the rows of a block.
    return buildLoop(std::exchange(outerRole, norm::LoopRole::Rows), index(0),
                     asValue(extents[depth]), index(1), outs,
                     [&](Value iv, ValueRange args) {
                       indices.push_back(iv);
                       auto results = buildOuterLoop(depth + 1, args);
                       indices.pop_back();
                       return results;
                     });
  }

  SmallVector<Value> buildInnermost(ValueRange outs) {
    if (!plan.hasVectorLoop)
      return buildScalar(outs);
    loadRowScalars();
    return plan.reductions.empty() ? buildParallelRow(outs)
                                   : buildReducedRow(outs);
  }

  /// Loads what all strips of the row share, once.
  void loadRowScalars() {
    for (OpOperand *input : op.getDpsInputOperands()) {
      BlockArgument arg = op.getMatchingBlockArgument(input);
      AffineMap map = op.getMatchingIndexingMap(input);
      if (isBuffer(input->get()) && !arg.use_empty() && !isVector(map) &&
          !llvm::is_contained(op.getDpsInits(), input->get()))
        rowScalars[arg] = read(input->get(), map, Value(), 0, Value());
    }
  }

  //===--------------------------------------------------------------------===//
  // Operands
  //===--------------------------------------------------------------------===//

  bool isVector(AffineMap map) {
    return plan.hasVectorLoop && map.getNumResults() > 0 &&
           map.isFunctionOfDim(op.getNumLoops() - 1);
  }

  /// Returns an operand's current indices, with `column` for the vector loop.
  SmallVector<Value> getIndices(AffineMap map, Value column) {
    SmallVector<Value> result;
    for (AffineExpr expr : map.getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim)
        result.push_back(index(0));
      else if (dim.getPosition() < indices.size())
        result.push_back(indices[dim.getPosition()]);
      else
        result.push_back(column ? column : index(0));
    }
    return result;
  }

  static bool isBuffer(Value v) { return isa<MemRefType>(v.getType()); }

  /// Returns the place of an access, if its length is known.
  static std::optional<norm::Place> getPlace(Value buffer, ValueRange at,
                                             int64_t width, Value mask) {
    norm::Place place{buffer, getAsOpFoldResult(at), width, width};
    if (!mask)
      return place;
    std::optional<int64_t> length = norm::getMaskedLength(mask);
    place.length = length.value_or(0);
    return length ? std::optional(place) : std::nullopt;
  }

  /// Returns true where ops that follow in the block see what is built.
  bool isInBlock() { return b.getInsertionBlock() == op->getBlock(); }

  Value read(Value tensor, AffineMap map, Value column, int64_t width,
             Value mask) {
    SmallVector<Value> at = getIndices(map, column);
    if (!isBuffer(tensor))
      return isVector(map)
                 ? createRead(tensor, at, width, mask)
                 : tensor::ExtractOp::create(b, tensor, at).getResult();
    std::optional<norm::Place> place = isVector(map)
                                           ? getPlace(tensor, at, width, mask)
                                           : getPlace(tensor, at, 0, Value());
    if (Value v = place && (isInBlock() || !isWrittenHere(tensor))
                      ? values.lookup(*place)
                      : Value())
      return v;
    Value v = isVector(map) ? createRead(tensor, at, width, mask)
                            : memref::LoadOp::create(b, tensor, at).getResult();
    if (place && isInBlock())
      values.note(*place, v);
    return v;
  }

  /// Returns true if iterations of this op's loops may write `buffer`.
  bool isWrittenHere(Value buffer) {
    return llvm::any_of(op.getDpsInits(), [&](Value init) {
      return norm::mayOverlap(init, buffer);
    });
  }

  Value createRead(Value tensor, ValueRange at, int64_t width, Value mask) {
    Type element = getElementTypeOrSelf(tensor.getType());
    Value padding = arith::ConstantOp::create(b, b.getZeroAttr(element));
    auto minor = AffineMap::getMinorIdentityMap(at.size(), 1, b.getContext());
    return vector::TransferReadOp::create(
        b, VectorType::get(width, element), tensor, at,
        AffineMapAttr::get(minor), padding, mask, b.getBoolArrayAttr({true}));
  }

  Value write(Value value, Value tensor, AffineMap map, Value column,
              Value mask) {
    SmallVector<Value> at = getIndices(map, column);
    if (isBuffer(tensor))
      noteWrite(value, tensor, at, mask);
    if (!isVector(map) && !isBuffer(tensor))
      return tensor::InsertOp::create(b, value, tensor, at);
    if (!isVector(map)) {
      memref::StoreOp::create(b, value, tensor, at);
      return tensor;
    }
    auto minor = AffineMap::getMinorIdentityMap(at.size(), 1, b.getContext());
    auto write = vector::TransferWriteOp::create(
        b, value, tensor, at, AffineMapAttr::get(minor), mask,
        b.getBoolArrayAttr({true}));
    return isBuffer(tensor) ? tensor : write.getResult();
  }

  /// A read under the mask of the write would have zeros behind its end.
  void noteWrite(Value v, Value buffer, ValueRange at, Value mask) {
    values.forget(buffer);
    auto vector = dyn_cast<VectorType>(v.getType());
    int64_t width = vector ? vector.getDimSize(0) : 0;
    std::optional<norm::Place> place = getPlace(buffer, at, width, mask);
    if (!place || !isInBlock())
      return;
    if (mask) {
      Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(vector));
      v = arith::SelectOp::create(b, mask, v, zeros);
    }
    values.note(*place, v);
  }

  //===--------------------------------------------------------------------===//
  // Body
  //===--------------------------------------------------------------------===//

  Value broadcast(Value v, int64_t width) {
    if (isa<VectorType>(v.getType()))
      return v;
    return vector::BroadcastOp::create(b, VectorType::get(width, v.getType()),
                                       v);
  }

  Value buildIndex(linalg::IndexOp indexOp, Value column, int64_t width) {
    uint64_t dim = indexOp.getDim();
    if (dim < indices.size())
      return indices[dim];
    if (width == 0)
      return column;
    auto type = VectorType::get(width, b.getIndexType());
    Value step = vector::StepOp::create(b, type);
    return arith::AddIOp::create(b, broadcast(column, width), step);
  }

  /// Clones one op; on vectors of `width` if any operand is one.
  void cloneBodyOp(Operation &bodyOp, IRMapping &map, Value column,
                   int64_t width) {
    if (auto indexOp = dyn_cast<linalg::IndexOp>(bodyOp)) {
      map.map(indexOp.getResult(), buildIndex(indexOp, column, width));
      return;
    }
    auto operands = llvm::map_to_vector(
        bodyOp.getOperands(), [&](Value v) { return map.lookupOrDefault(v); });
    if (!llvm::any_of(ValueRange(operands).getTypes(),
                      llvm::IsaPred<VectorType>)) {
      b.clone(bodyOp, map);
      return;
    }
    for (Value &operand : operands)
      operand = broadcast(operand, width);
    Operation *wide = norm::cloneAtWidth(b, &bodyOp, width, operands);
    map.map(bodyOp.getResults(), wide->getResults());
  }

  /// Builds the body at one position without the combiners of vector
  /// reductions. `outs` are read only if the body uses them.
  IRMapping buildBody(ValueRange outs, Value column, int64_t width,
                      Value mask) {
    IRMapping map;
    for (OpOperand *input : op.getDpsInputOperands()) {
      BlockArgument arg = op.getMatchingBlockArgument(input);
      if (arg.use_empty())
        continue;
      Value v = rowScalars.lookup(arg);
      if (!v)
        v = input->get();
      if (isa<ShapedType>(v.getType()))
        v = read(v, op.getMatchingIndexingMap(input), column, width, mask);
      map.map(arg, v);
    }
    if (plan.reductions.empty() && plan.columns.empty())
      for (auto [out, init, arg] :
           llvm::zip(outs, op.getDpsInitsMutable(), op.getRegionOutputArgs()))
        if (!arg.use_empty())
          map.map(arg, read(out, op.getMatchingIndexingMap(&init), column,
                            width, mask));
    for (Operation &bodyOp : op.getBlock()->without_terminator())
      if (!isCombiner(bodyOp))
        cloneBodyOp(bodyOp, map, column, width);
    return map;
  }

  bool isCombiner(Operation &bodyOp) {
    auto combines = [&](const Reduction &reduction) {
      return reduction.combiner == &bodyOp;
    };
    return llvm::any_of(plan.reductions, combines) ||
           llvm::any_of(plan.columns, combines);
  }

  SmallVector<Value> writeResults(const IRMapping &map, ValueRange outs,
                                  Value column, int64_t width, Value mask) {
    SmallVector<Value> results;
    Operation *yield = op.getBlock()->getTerminator();
    for (auto [value, out, init] :
         llvm::zip(yield->getOperands(), outs, op.getDpsInitsMutable())) {
      AffineMap outMap = op.getMatchingIndexingMap(&init);
      Value v = map.lookupOrDefault(value);
      if (isVector(outMap))
        v = broadcast(v, width);
      results.push_back(write(v, out, outMap, column, mask));
    }
    return results;
  }

  SmallVector<Value> buildScalar(ValueRange outs) {
    // A unit innermost loop was an outer one: its index is on the stack.
    IRMapping map = buildBody(outs, Value(), 0, Value());
    return writeResults(map, outs, Value(), 0, Value());
  }

  //===--------------------------------------------------------------------===//
  // Strips
  //===--------------------------------------------------------------------===//

  norm::LoopRole getStripRole() {
    return plan.reductions.empty() ? norm::LoopRole::Strips
                                   : norm::LoopRole::Statistic;
  }

  /// Builds whole strips of `width` elements in [from, to).
  SmallVector<Value> buildStrips(Value from, Value to, int64_t width,
                                 ValueRange inits, StripFn strip) {
    std::optional<int64_t> first = getConstantIntValue(from),
                           end = getConstantIntValue(to);
    if (!distributed && first && end && *end - *first == width)
      return strip(from, width, Value(), inits);
    return buildLoop(getStripRole(), from, to, index(width), inits,
                     [&](Value column, ValueRange args) {
                       return strip(column, width, Value(), args);
                     });
  }

  /// Runs `strip` over the row: `lanes` at a time, then `tail`, then a masked
  /// `tail`. The loops carry `lanesState` and `tailState`, and the first one
  /// has `levels` of blocks (see buildBlocks).
  void forEachStrip(SmallVector<Value> &lanesState,
                    SmallVector<Value> &tailState, StripFn strip,
                    int64_t levels = 0) {
    OpFoldResult extent = extents.back();
    AffineExpr n = b.getAffineSymbolExpr(0);
    auto floorTo = [&](int64_t width) {
      return affine::makeComposedFoldedAffineApply(
          b, b.getLoc(), n.floorDiv(width) * width, {extent});
    };
    OpFoldResult mainEnd = floorTo(lanes), tailEnd = floorTo(tail);
    if (!isZeroInteger(mainEnd))
      lanesState =
          buildBlocks(levels, index(0), asValue(mainEnd), lanesState, strip);
    if (!isEqualConstantIntOrValue(mainEnd, tailEnd))
      tailState = buildStrips(asValue(mainEnd), asValue(tailEnd), tail,
                              tailState, strip);
    if (isEqualConstantIntOrValue(tailEnd, extent))
      return;
    buildMaskedStrip(tailEnd, extent, tailState, strip);
  }

  void buildMaskedStrip(OpFoldResult from, OpFoldResult extent,
                        SmallVector<Value> &state, StripFn strip) {
    AffineExpr s0 = b.getAffineSymbolExpr(0), s1 = b.getAffineSymbolExpr(1);
    OpFoldResult rest = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), s0 - s1, {extent, from});
    auto maskType = VectorType::get(tail, b.getI1Type());
    auto masked = [&](Value column, ValueRange args) {
      Value mask = vector::CreateMaskOp::create(b, maskType, asValue(rest));
      return strip(column, tail, mask, args);
    };
    if (getConstantIntValue(rest)) {
      state = masked(asValue(from), state);
      return;
    }
    // This loop has at most one iteration, so nothing is read past a row.
    state = buildLoop(getStripRole(), asValue(from), asValue(extent),
                      index(tail), state, masked);
  }

  SmallVector<Value> buildParallelRow(ValueRange outs) {
    SmallVector<Value> state(outs);
    // The outputs form a chain: each strip writes into the last one's result.
    auto strip = [&](Value column, int64_t width, Value mask, ValueRange args) {
      IRMapping map = buildBody(args, column, width, mask);
      return writeResults(map, args, column, width, mask);
    };
    return buildWholeRow(state, strip);
  }

  /// Builds strips of one state; a row that threads share may be one vector.
  SmallVector<Value> buildWholeRow(SmallVector<Value> &state, StripFn strip) {
    if (distributed && isOneStrip())
      return buildOneStrip(state, strip);
    forEachStrip(state, state, strip);
    return state;
  }

  /// Rows of an elementwise op that the same threads share, one strip each:
  /// several are loaded before the first of them is written.
  SmallVector<Value> buildParallelRows(ValueRange outs) {
    Value extent = asValue(extents[numOuterLoops() - 1]);
    std::optional<int64_t> rows = getConstantIntValue(extent);
    Value full = extent;
    if (!rows || *rows % target.rowsAhead != 0) {
      Value rest = arith::RemUIOp::create(b, extent, index(target.rowsAhead));
      full = arith::SubIOp::create(b, extent, rest);
    }
    auto build = [&](int64_t step) {
      return [this, step](Value begin, ValueRange args) {
        return buildOneStrip(args, [&](Value column, int64_t width, Value mask,
                                       ValueRange outs) {
          return buildRowsAt(begin, step, column, width, mask, outs);
        });
      };
    };
    SmallVector<Value> state =
        buildLoop(norm::LoopRole::Block, index(0), full,
                  index(target.rowsAhead), outs, build(target.rowsAhead));
    if (full == extent)
      return state;
    return buildLoop(norm::LoopRole::Block, full, extent, index(1), state,
                     build(1));
  }

  SmallVector<Value> buildRowsAt(Value begin, int64_t count, Value column,
                                 int64_t width, Value mask, ValueRange outs) {
    SmallVector<Value> rows;
    SmallVector<IRMapping> maps;
    for (int64_t i = 0; i < count; ++i) {
      rows.push_back(i == 0 ? begin
                            : arith::AddIOp::create(b, begin, index(i)));
      indices.push_back(rows.back());
      maps.push_back(buildBody(outs, column, width, mask));
      indices.pop_back();
    }
    SmallVector<Value> state(outs);
    for (auto [row, map] : llvm::zip(rows, maps)) {
      indices.push_back(row);
      state = writeResults(map, state, column, width, mask);
      indices.pop_back();
    }
    return state;
  }

  //===--------------------------------------------------------------------===//
  // Reductions
  //===--------------------------------------------------------------------===//

  Value combine(const Reduction &reduction, Value accumulator, Value value) {
    return norm::createCombined(b, b.getLoc(), reduction, accumulator, value);
  }

  Value neutralVector(const Reduction &reduction, int64_t width) {
    auto type = VectorType::get(width, reduction.neutral.getType());
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(type, Attribute(reduction.neutral)));
  }

  /// Adds the upper half of a vector to its lower half until `width` is left.
  Value foldHalves(const Reduction &reduction, Value v, int64_t width) {
    int64_t size = cast<VectorType>(v.getType()).getDimSize(0);
    while (size > width) {
      size /= 2;
      Value low = vector::ExtractStridedSliceOp::create(b, v, {0}, {size}, {1});
      Value high =
          vector::ExtractStridedSliceOp::create(b, v, {size}, {size}, {1});
      v = combine(reduction, low, high);
    }
    return v;
  }

  Value foldToScalar(const Reduction &reduction, Value wide, Value narrow) {
    Value total = combine(reduction, foldHalves(reduction, wide, tail), narrow);
    total = foldHalves(reduction, total, 1);
    return vector::ExtractOp::create(b, total, ArrayRef<int64_t>{0});
  }

  /// The distribution chooses the order, which `reassoc` allows on this op.
  Value reduceWhole(const Reduction &reduction, Value v) {
    vector::CombiningKind kind = *linalg::getCombinerOpKind(reduction.combiner);
    return vector::ReductionOp::create(b, kind, v,
                                       arith::FastMathFlags::reassoc);
  }

  /// Returns true if the error of a sum grows with each addition.
  static bool hasRoundedSum(ArrayRef<Reduction> reductions) {
    return llvm::any_of(reductions, [](const Reduction &reduction) {
      return isa<arith::AddFOp, arith::MulFOp>(reduction.combiner);
    });
  }

  /// Returns the levels of blocks above the strips, 0 for rows of one block.
  int64_t getBlockLevels() {
    if (distributed || !hasRoundedSum(plan.reductions))
      return 0;
    std::optional<int64_t> extent = getConstantIntValue(extents.back());
    return extent ? countLevels(*extent / lanes) : target.sumLevels;
  }

  /// Returns the levels of blocks above `count` strips or blocks.
  int64_t countLevels(int64_t count) {
    int64_t levels = 0;
    for (; count > target.stripsPerSum && levels < target.sumLevels;
         count /= target.stripsPerSum)
      ++levels;
    return levels;
  }

  /// Returns the size of a block of this level, which has `count` elements on
  /// level 0.
  int64_t getBlockSize(int64_t count, int64_t level) {
    while (level-- > 0)
      count *= target.stripsPerSum;
    return count;
  }

  /// Reduces [from, to) into `inits` by blocks of strips or blocks, each of
  /// which starts with the neutral elements.
  SmallVector<Value> buildBlocks(int64_t level, Value from, Value to,
                                 ValueRange inits, StripFn strip) {
    if (level == 0)
      return buildStrips(from, to, lanes, inits, strip);
    int64_t step = getBlockSize(lanes, level);
    return buildLoop(
        norm::LoopRole::Statistic, from, to, index(step), inits,
        [&](Value begin, ValueRange args) {
          Value end = createBlockEnd(begin, step, to, getConstantIntValue(to));
          SmallVector<Value> results;
          for (const Reduction &reduction : plan.reductions)
            results.push_back(neutralVector(reduction, lanes));
          results = buildBlocks(level - 1, begin, end, results, strip);
          for (auto [reduction, arg, result] :
               llvm::zip(plan.reductions, args, results))
            result = combine(reduction, arg, result);
          return results;
        });
  }

  //===--------------------------------------------------------------------===//
  // Sums over rows
  //===--------------------------------------------------------------------===//

  /// Rows that sums are added to: the op's results or temporaries.
  struct SumRows {
    SmallVector<Value> rows;
    SmallVector<AffineMap> maps;
  };

  /// Adds the rows of the loop around the innermost one to `outs`.
  SmallVector<Value> buildColumns(ValueRange outs) {
    OpFoldResult extent = extents[numOuterLoops() - 1];
    SumRows results{SmallVector<Value>(outs), {}};
    for (OpOperand &init : op.getDpsInitsMutable())
      results.maps.push_back(op.getMatchingIndexingMap(&init));
    return buildRowBlocks(getRowBlockLevels(extent), index(0), asValue(extent),
                          results);
  }

  /// Whether rows that are added to each other are two strips long: as one
  /// strip they are read from end to end, which memory is faster at.
  bool isShortRowOfColumns() {
    return !plan.columns.empty() &&
           op.getStaticLoopRanges().back() == 2 * lanes;
  }

  /// Returns the levels of blocks of rows, 1 for blocks that are added to the
  /// result itself. Like a row's sum, each level adds few numbers.
  int64_t getRowBlockLevels(OpFoldResult extent) {
    if (!hasRoundedSum(plan.columns))
      return 1;
    std::optional<int64_t> rows = getConstantIntValue(extent);
    return rows ? std::min(1 + countLevels(*rows / target.stripsPerSum),
                           target.sumLevels)
                : target.sumLevels;
  }

  SmallVector<Value> buildRowBlocks(int64_t level, Value from, Value to,
                                    const SumRows &outs) {
    int64_t step = getBlockSize(1, level);
    // Blocks of blocks end where blocks do.
    std::optional<int64_t> rows =
        getConstantIntValue(extents[numOuterLoops() - 1]);
    return buildLoop(std::exchange(outerRole, norm::LoopRole::Rows), from, to,
                     index(step), outs.rows, [&](Value begin, ValueRange args) {
                       Value end = createBlockEnd(begin, step, to, rows);
                       SumRows carried{SmallVector<Value>(args), outs.maps};
                       if (level == 1)
                         return addRows(begin, end, carried);
                       SumRows partial = createNeutralRows();
                       partial.rows =
                           buildRowBlocks(level - 1, begin, end, partial);
                       return addSums(carried, partial);
                     });
  }

  Value createRow(Type element) {
    if (!op.hasPureBufferSemantics())
      return tensor::EmptyOp::create(b, {extents.back()}, element);
    SmallVector<Value> dynamic;
    SmallVector<int64_t> shape;
    dispatchIndexOpFoldResults({extents.back()}, dynamic, shape);
    return memref::AllocOp::create(b, MemRefType::get(shape, element), dynamic,
                                   b.getI64IntegerAttr(target.lineBytes));
  }

  /// Returns a row of neutral elements per reduction.
  SumRows createNeutralRows() {
    unsigned loops = op.getNumLoops();
    AffineMap map =
        AffineMap::get(loops, 0, b.getAffineDimExpr(loops - 1), b.getContext());
    SumRows neutral;
    for (const Reduction &reduction : plan.columns) {
      Value empty = createRow(reduction.neutral.getType());
      SmallVector<Value> row = {empty};
      forEachStrip(row, row,
                   [&](Value column, int64_t width, Value mask,
                       ValueRange args) -> SmallVector<Value> {
                     return {write(neutralVector(reduction, width), args[0],
                                   map, column, mask)};
                   });
      neutral.rows.push_back(row[0]);
      neutral.maps.push_back(map);
    }
    return neutral;
  }

  /// Adds rows [from, to) to `outs` strip by strip.
  SmallVector<Value> addRows(Value from, Value to, const SumRows &outs) {
    return addStrips(outs, [&](Value column, int64_t width, Value mask) {
      return sumRows(from, to, /*step=*/1, column, width, mask);
    });
  }

  SmallVector<Value> createNeutralSums(int64_t width) {
    return llvm::map_to_vector(plan.columns, [&](const Reduction &reduction) {
      return neutralVector(reduction, width);
    });
  }

  /// Adds one row at one strip of columns to `sums`.
  SmallVector<Value> addRow(Value row, Value column, int64_t width, Value mask,
                            ValueRange sums) {
    indices.push_back(row);
    IRMapping map = buildBody({}, column, width, mask);
    indices.pop_back();
    SmallVector<Value> results;
    for (auto [reduction, sum] : llvm::zip(plan.columns, sums)) {
      Value v = map.lookupOrDefault(reduction.contribution);
      results.push_back(combine(reduction, sum, broadcast(v, width)));
    }
    return results;
  }

  /// Returns the sums of rows [from, to), a multiple of `step` rows, at one
  /// strip of columns. The loads of `step` rows do not wait for each other.
  SmallVector<Value> sumRows(Value from, Value to, int64_t step, Value column,
                             int64_t width, Value mask) {
    return buildLoop(
        norm::LoopRole::Statistic, from, to, index(step),
        createNeutralSums(width), [&](Value begin, ValueRange args) {
          SmallVector<Value> sums(args);
          for (int64_t i = 0; i < step; ++i) {
            Value row =
                i == 0 ? begin : arith::AddIOp::create(b, begin, index(i));
            sums = addRow(row, column, width, mask, sums);
          }
          return sums;
        });
  }

  SmallVector<Value> combineAll(ValueRange sums, ValueRange values) {
    SmallVector<Value> results;
    for (auto [reduction, sum, value] : llvm::zip(plan.columns, sums, values))
      results.push_back(combine(reduction, sum, value));
    return results;
  }

  /// The same by `level` levels of blocks, all of whose sums are in registers.
  /// Rows that fill no block are added last, one after another.
  SmallVector<Value> sumRowBlocks(int64_t level, Value from, Value to,
                                  Value column, int64_t width, Value mask) {
    std::optional<int64_t> rows =
        getConstantIntValue(extents[numOuterLoops() - 1]);
    int64_t step = getBlockSize(1, level);
    bool isLowest = level == 1,
         isWhole = rows && *rows % target.stripsPerSum == 0;
    Value full = isLowest && !isWhole ? roundDownToBlocks(from, to) : to;
    // A load under a mask is a branch, which others do not pass.
    int64_t ahead = mask ? 1 : target.rowsAhead;
    auto build = [&](Value begin, ValueRange args) {
      Value end = isLowest ? arith::AddIOp::create(b, begin, index(step))
                           : createBlockEnd(begin, step, to, rows);
      return combineAll(
          args, isLowest
                    ? sumRows(begin, end, ahead, column, width, mask)
                    : sumRowBlocks(level - 1, begin, end, column, width, mask));
    };
    SmallVector<Value> sums =
        buildLoop(norm::LoopRole::Statistic, from, full, index(step),
                  createNeutralSums(width), build);
    if (full == to)
      return sums;
    return combineAll(sums, sumRows(full, to, /*step=*/1, column, width, mask));
  }

  /// Returns where the last whole block of rows of [from, to) ends.
  Value roundDownToBlocks(Value from, Value to) {
    Value count = arith::SubIOp::create(b, to, from);
    Value rest = arith::RemUIOp::create(b, count, index(target.stripsPerSum));
    return arith::SubIOp::create(b, to, rest);
  }

  /// Sums over rows where threads share the columns: each column's sum stays
  /// with its thread, and the destination is touched once.
  SmallVector<Value> buildSharedColumns(ValueRange outs) {
    OpFoldResult rows = extents[numOuterLoops() - 1];
    std::optional<int64_t> most = norm::getUpperBound(rows);
    int64_t levels =
        getRowBlockLevels(most ? OpFoldResult(b.getIndexAttr(*most)) : rows);
    auto strip = [&](Value column, int64_t width, Value mask, ValueRange args) {
      SmallVector<Value> results =
          sumRowBlocks(levels, index(0), asValue(rows), column, width, mask);
      for (auto [i, reduction] : llvm::enumerate(plan.columns)) {
        AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(i));
        Value sum = results[i];
        if (!isNeutral(starts[i], reduction)) {
          Value old = starts[i] ? broadcast(starts[i], width)
                                : read(args[i], map, column, width, mask);
          sum = combine(reduction, old, sum);
        }
        results[i] = write(sum, args[i], map, column, mask);
      }
      return results;
    };
    SmallVector<Value> state(outs);
    return buildWholeRow(state, strip);
  }

  bool isOneStrip() {
    std::optional<int64_t> columns = norm::getUpperBound(extents.back());
    return columns && *columns <= lanes;
  }

  /// A row that one vector holds: nothing has to ask whether there is a strip.
  SmallVector<Value> buildOneStrip(ValueRange state, StripFn strip) {
    OpFoldResult extent = extents.back();
    Value mask;
    if (getConstantIntValue(extent) != lanes)
      mask = vector::CreateMaskOp::create(
          b, VectorType::get(lanes, b.getI1Type()), asValue(extent));
    return strip(index(0), lanes, mask, state);
  }

  static bool isNeutral(Value start, const Reduction &reduction) {
    Attribute constant;
    return start && matchPattern(start, m_Constant(&constant)) &&
           constant == reduction.neutral;
  }

  /// Adds the rows `sums` to `outs`.
  SmallVector<Value> addSums(const SumRows &outs, const SumRows &sums) {
    return addStrips(outs, [&](Value column, int64_t width, Value mask) {
      SmallVector<Value> values;
      for (auto [row, map] : llvm::zip(sums.rows, sums.maps))
        values.push_back(read(row, map, column, width, mask));
      return values;
    });
  }

  /// Combines each strip of `outs` with what `compute` returns for it.
  SmallVector<Value> addStrips(
      const SumRows &outs,
      function_ref<SmallVector<Value>(Value column, int64_t width, Value mask)>
          compute) {
    SmallVector<Value> state = outs.rows;
    auto strip = [&](Value column, int64_t width, Value mask, ValueRange args) {
      SmallVector<Value> results;
      for (auto [reduction, value, arg, map] : llvm::zip(
               plan.columns, compute(column, width, mask), args, outs.maps)) {
        Value old = read(arg, map, column, width, mask);
        results.push_back(
            write(combine(reduction, old, value), arg, map, column, mask));
      }
      return results;
    };
    forEachStrip(state, state, strip);
    return state;
  }

  /// Affine ops cannot be used, because the new loop has no parent yet.
  Value createBlockEnd(Value begin, int64_t step, Value to,
                       std::optional<int64_t> extent) {
    Value end = arith::AddIOp::create(b, begin, index(step));
    return extent && *extent % step == 0
               ? end
               : arith::MinSIOp::create(b, end, to).getResult();
  }

  /// Returns the op that wrote the whole of a destination, and that nothing
  /// else has read.
  LinalgOp findFill(OpOperand &init) {
    Value buffer = init.get();
    if (!isBuffer(buffer))
      return buffer.getDefiningOp<LinalgOp>();
    if (!op.getMatchingIndexingMap(&init).isProjectedPermutation())
      return {};
    auto maySee = [&](Value v) { return norm::mayOverlap(v, buffer); };
    for (Operation *before = op->getPrevNode(); before;
         before = before->getPrevNode()) {
      if (isMemoryEffectFree(before) || isa<memref::AllocOp>(before))
        continue;
      auto fill = dyn_cast<LinalgOp>(before);
      if (!fill || !fill.hasPureBufferSemantics())
        return {};
      if (llvm::none_of(fill->getOperands(), maySee))
        continue;
      return llvm::is_contained(fill.getDpsInits(), buffer) ? fill : LinalgOp();
    }
    return {};
  }

  /// Drops reads of a destination that was filled with a known value.
  void forwardFills() {
    // An outer reduction's iterations continue from the last one's result.
    if (op.getNumReductionLoops() != 1)
      return;
    for (auto [start, init] : llvm::zip(starts, op.getDpsInitsMutable())) {
      LinalgOp fill = findFill(init);
      start = fill ? norm::getFilled(fill) : Value();
      if (start && isBuffer(init.get()))
        forwarded.push_back(fill);
      else if (start)
        init.set(fill.getDpsInits().front());
    }
  }

  /// Replaces -0, which is a constant in memory, by +0, which a register can
  /// make. Neither changes a sum that starts from another number than -0.
  void simplifyNeutrals() {
    for (auto [reduction, start] : llvm::zip(plan.reductions, starts)) {
      APFloat constant(0.0);
      if (isa<arith::AddFOp>(reduction.combiner) && start &&
          matchPattern(start, m_ConstantFloat(&constant)) &&
          !constant.isNegZero())
        reduction.neutral = b.getZeroAttr(reduction.neutral.getType());
    }
  }

  SmallVector<Value> buildReducedRow(ValueRange outs) {
    SmallVector<Value> wide, narrow;
    for (const Reduction &reduction : plan.reductions) {
      wide.push_back(neutralVector(reduction, lanes));
      narrow.push_back(neutralVector(reduction, tail));
    }
    auto strip = [&](Value column, int64_t width, Value mask,
                     ValueRange accumulators) {
      IRMapping map = buildBody(outs, column, width, mask);
      SmallVector<Value> results;
      for (auto [reduction, accumulator] :
           llvm::zip(plan.reductions, accumulators)) {
        Value v = broadcast(map.lookupOrDefault(reduction.contribution), width);
        if (mask)
          v = arith::SelectOp::create(b, mask, v,
                                      neutralVector(reduction, width));
        results.push_back(combine(reduction, accumulator, v));
      }
      return results;
    };
    // One state is enough if both strips have the same width.
    if (distributed)
      forEachStrip(wide, wide, strip);
    else
      forEachStrip(wide, narrow, strip, getBlockLevels());

    SmallVector<Value> results;
    for (auto [i, reduction] : llvm::enumerate(plan.reductions)) {
      Value total = distributed ? reduceWhole(reduction, wide[i])
                                : foldToScalar(reduction, wide[i], narrow[i]);
      AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(i));
      Value init = distributed || !starts[i]
                       ? read(outs[i], map, Value(), 0, Value())
                       : starts[i];
      results.push_back(write(combine(reduction, init, total), outs[i], map,
                              Value(), Value()));
    }
    return results;
  }

  ImplicitLocOpBuilder b;
  LinalgOp op;
  RowPlan plan;
  norm::RowValues &values;
  norm::RowTarget target;
  int64_t lanes = target.lanes, tail = target.tailLanes;
  norm::LoopRole outerRole = norm::LoopRole::Rows;
  bool distributed = false;  // lanes are those of a later distribution
  SmallVector<Value> starts; // of reductions whose destination was filled
  SmallVector<Operation *> forwarded;
  llvm::DenseMap<Value, Value> rowScalars; // of the row that is open
  SmallVector<OpFoldResult> extents;
  SmallVector<Value> indices; // of the open loops
};
} // namespace

/// Keeps a row as a vector if one op writes it and the next one reads it under
/// the same mask.
// Upstream: LLVM 22.1: transfer_read folds so only without masks; goes when it
// compares masks.
static LogicalResult forwardMaskedRow(vector::TransferReadOp read,
                                      PatternRewriter &rewriter) {
  auto write = read.getBase().getDefiningOp<vector::TransferWriteOp>();
  if (!write || !read.getMask() || read.getMask() != write.getMask() ||
      read.getIndices() != write.getIndices() ||
      read.getVectorType() != write.getVectorType() ||
      read.getPermutationMap() != write.getPermutationMap() ||
      !isa<RankedTensorType>(read.getBase().getType()))
    return rewriter.notifyMatchFailure(read, "not of what was written");
  Value padding = vector::BroadcastOp::create(
      rewriter, read.getLoc(), read.getVectorType(), read.getPadding());
  rewriter.replaceOpWithNewOp<arith::SelectOp>(read, read.getMask(),
                                               write.getVector(), padding);
  return success();
}

void norm::populateForwardMaskedRows(RewritePatternSet &patterns) {
  patterns.add(forwardMaskedRow);
}

namespace {
struct NormVectorizeRows
    : norm::impl::NormVectorizeRowsBase<NormVectorizeRows> {
  using NormVectorizeRowsBase::NormVectorizeRowsBase;

  void runOnOperation() override {
    llvm::MapVector<Block *, SmallVector<LinalgOp>> ops;
    getOperation().walk([&](LinalgOp op) {
      if (!scheduled || findSchedule(op))
        ops[op->getBlock()].push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (auto &[block, opsOfBlock] : ops)
      vectorize(rewriter, *block, opsOfBlock);
    getOperation().walk([](scf::ForOp loop) { hoistReads(loop); });
    forwardMaskedRows();
  }

  static void vectorize(IRRewriter &rewriter, Block &block,
                        ArrayRef<LinalgOp> ops) {
    norm::RowValues values(block);
    std::deque<RowVectorizer> vectorizers;
    llvm::SmallPtrSet<Operation *, 8> dead;
    for (LinalgOp op : ops)
      if (std::optional<RowPlan> plan = norm::planRowOf(op)) {
        vectorizers.emplace_back(rewriter, op, std::move(*plan), values);
        vectorizers.back().prepare();
        dead.insert_range(vectorizers.back().getForwarded());
      }
    Operation *next = &block.front();
    for (RowVectorizer &vectorizer : vectorizers) {
      LinalgOp op = vectorizer.getOp();
      for (; next != op; next = next->getNextNode())
        values.forgetWrites(next);
      next = op->getNextNode();
      if (!dead.contains(op))
        replace(rewriter, op, vectorizer.run());
      else
        rewriter.eraseOp(op);
    }
    values.eraseUnread(rewriter);
  }

  /// Hoists what all rows read in one piece, such as a weight, out of loops
  /// over rows that do not write it. Tensors that the loop writes are others.
  static void hoistReads(scf::ForOp loop) {
    std::optional<norm::LoopRole> role = norm::getRole(loop);
    if (role != norm::LoopRole::Rows && role != norm::LoopRole::Block)
      return;
    moveLoopInvariantCode(
        {&loop.getRegion()},
        [&](Value v, Region *) { return loop.isDefinedOutsideOfLoop(v); },
        [&](Operation *op, Region *) {
          if (auto read = dyn_cast<vector::TransferReadOp>(op))
            return norm::isNotWritten(read.getBase(), loop);
          if (auto load = dyn_cast<memref::LoadOp>(op))
            return norm::isNotWritten(load.getMemRef(), loop);
          return isMemoryEffectFree(op) && isSpeculatable(op);
        },
        [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
  }

  static void replace(RewriterBase &rewriter, LinalgOp op, ValueRange results) {
    if (op.hasPureBufferSemantics())
      rewriter.eraseOp(op);
    else
      rewriter.replaceOp(op, results);
  }

  void forwardMaskedRows() {
    RewritePatternSet patterns(&getContext());
    norm::populateForwardMaskedRows(patterns);
    vector::CreateMaskOp::getCanonicalizationPatterns(patterns, &getContext());
    // Equal masks must become one value before.
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
