//===- VectorizeRows.cpp - strip-mined vector loops over rows -------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "norm/Transforms/Passes.h"
#include "norm/Transforms/Transforms.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMVECTORIZEROWS
#include "norm/Transforms/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using linalg::LinalgOp;

namespace {
/// A reduction over the innermost loop: the op that combines, the value that it
/// adds, and the element that changes nothing.
struct Reduction {
  Operation *combiner = nullptr;
  Value contribution;
  TypedAttr neutral;
};

/// What is known of an op before anything is built; a plan exists only for ops
/// that can be vectorised.
struct RowPlan {
  bool hasVectorLoop = false;        // else every extent of it is one
  SmallVector<Reduction> reductions; // one a result when the loop reduces
};
} // namespace

static bool isElementwise(Operation &op) {
  return isa<linalg::IndexOp>(op) ||
         (OpTrait::hasElementwiseMappableTraits(&op) &&
          isMemoryEffectFree(&op)) ||
         matchPattern(&op, m_Constant());
}

/// Every map: distinct dimensions or zeros; the innermost loop last, so that
/// its elements are contiguous.
static bool isContiguous(AffineMap map, unsigned innermost, bool hasVector) {
  llvm::SmallBitVector seen(map.getNumDims());
  for (auto [index, expr] : llvm::enumerate(map.getResults())) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
      if (constant.getValue() != 0)
        return false;
      continue;
    }
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || seen.test(dim.getPosition()))
      return false;
    seen.set(dim.getPosition());
    if (hasVector && dim.getPosition() == innermost &&
        index + 1 != map.getNumResults())
      return false;
  }
  return true;
}

static std::optional<Reduction> matchCombiner(LinalgOp op, unsigned result) {
  SmallVector<Operation *> combiners;
  Value contribution =
      matchReduction(op.getRegionOutputArgs(), result, combiners);
  if (!contribution || combiners.size() != 1)
    return std::nullopt;
  std::optional<TypedAttr> neutral = arith::getNeutralElement(combiners[0]);
  if (!neutral || !op.getRegionOutputArgs()[result].hasOneUse())
    return std::nullopt;
  return Reduction{combiners[0], contribution, *neutral};
}

static std::optional<RowPlan> planRow(LinalgOp op) {
  if (!op.hasPureTensorSemantics() || isa<linalg::ContractionOpInterface>(*op))
    return std::nullopt;
  for (Operation &bodyOp : op.getBlock()->without_terminator())
    if (!isElementwise(bodyOp))
      return std::nullopt;
  RowPlan plan;
  unsigned loops = op.getNumLoops();
  plan.hasVectorLoop = loops > 0 && op.getStaticLoopRanges().back() != 1;
  unsigned innermost = loops - 1;
  for (AffineMap map : op.getIndexingMapsArray())
    if (!isContiguous(map, innermost, plan.hasVectorLoop))
      return std::nullopt;
  // Scalar code for a reduction needs its combiner nowhere special.
  if (!plan.hasVectorLoop ||
      op.getIteratorTypesArray().back() == utils::IteratorType::parallel)
    return plan;
  for (unsigned i = 0, e = op.getNumDpsInits(); i < e; ++i) {
    std::optional<Reduction> reduction = matchCombiner(op, i);
    if (!reduction)
      return std::nullopt;
    plan.reductions.push_back(*reduction);
  }
  return plan;
}

/// A plan whose reductions `vector.reduction` can express.
static std::optional<RowPlan> planDistributedRow(LinalgOp op) {
  std::optional<RowPlan> plan = planRow(op);
  if (plan && llvm::all_of(plan->reductions, [](const Reduction &reduction) {
        return linalg::getCombinerOpKind(reduction.combiner).has_value();
      }))
    return plan;
  return std::nullopt;
}

bool norm::canVectorizeRow(LinalgOp op) {
  return planDistributedRow(op).has_value();
}

static std::optional<RowPlan> planFor(LinalgOp op) {
  auto lanes = op->getAttrOfType<IntegerAttr>(norm::rowLanesAttrName);
  if (!lanes)
    return planRow(op);
  return lanes.getInt() > 0 ? planDistributedRow(op) : std::nullopt;
}

namespace {
/// Builds the loops of one op.
class RowVectorizer {
public:
  RowVectorizer(IRRewriter &b, LinalgOp op, RowPlan plan, int64_t lanes,
                int64_t tail)
      : b(b), loc(op.getLoc()), op(op), plan(std::move(plan)), lanes(lanes),
        tail(tail) {
    if (auto attr = op->getAttrOfType<IntegerAttr>(norm::rowLanesAttrName)) {
      this->lanes = this->tail = attr.getInt();
      distributed = true;
    }
  }

  SmallVector<Value> run() {
    b.setInsertionPoint(op);
    for (Range range : cast<linalg::LinalgOp>(*op).createLoopRanges(b, loc))
      extents.push_back(range.size);
    SmallVector<Value> inits(op.getDpsInits());
    return buildOuterLoop(0, inits);
  }

private:
  int64_t numOuterLoops() {
    return op.getNumLoops() - (plan.hasVectorLoop ? 1 : 0);
  }
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value asValue(OpFoldResult v) {
    return getValueOrCreateConstantIndexOp(b, loc, v);
  }

  SmallVector<Value>
  buildLoop(Value lower, Value upper, Value step, ValueRange inits,
            function_ref<SmallVector<Value>(Value, ValueRange)> body) {
    auto loop = scf::ForOp::create(
        b, loc, lower, upper, step, inits,
        [&](OpBuilder &, Location, Value iv, ValueRange args) {
          scf::YieldOp::create(b, loc, body(iv, args));
        });
    return SmallVector<Value>(loop.getResults());
  }

  SmallVector<Value> buildOuterLoop(int64_t depth, ValueRange outs) {
    if (depth == numOuterLoops())
      return buildInnermost(outs);
    if (isOneInteger(extents[depth])) {
      indices.push_back(index(0));
      SmallVector<Value> results = buildOuterLoop(depth + 1, outs);
      indices.pop_back();
      return results;
    }
    return buildLoop(index(0), asValue(extents[depth]), index(1), outs,
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
    return plan.reductions.empty() ? buildParallelRow(outs)
                                   : buildReducedRow(outs);
  }

  //===--------------------------------------------------------------------===//
  // Operands
  //===--------------------------------------------------------------------===//

  bool isVector(AffineMap map) {
    return plan.hasVectorLoop && map.getNumResults() > 0 &&
           map.isFunctionOfDim(op.getNumLoops() - 1);
  }

  /// Element of an operand at the current indices; `column` on the vector loop.
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

  Value read(Value tensor, AffineMap map, Value column, int64_t width,
             Value mask) {
    SmallVector<Value> at = getIndices(map, column);
    if (!isVector(map))
      return tensor::ExtractOp::create(b, loc, tensor, at);
    Type element = getElementTypeOrSelf(tensor.getType());
    Value padding = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
    auto minor = AffineMap::getMinorIdentityMap(at.size(), 1, b.getContext());
    return vector::TransferReadOp::create(
        b, loc, VectorType::get(width, element), tensor, at,
        AffineMapAttr::get(minor), padding, mask, b.getBoolArrayAttr({true}));
  }

  Value write(Value value, Value tensor, AffineMap map, Value column,
              Value mask) {
    SmallVector<Value> at = getIndices(map, column);
    if (!isVector(map))
      return tensor::InsertOp::create(b, loc, value, tensor, at);
    auto minor = AffineMap::getMinorIdentityMap(at.size(), 1, b.getContext());
    return vector::TransferWriteOp::create(b, loc, value, tensor, at,
                                           AffineMapAttr::get(minor), mask,
                                           b.getBoolArrayAttr({true}))
        .getResult();
  }

  //===--------------------------------------------------------------------===//
  // Body
  //===--------------------------------------------------------------------===//

  Value broadcast(Value v, int64_t width) {
    if (isa<VectorType>(v.getType()))
      return v;
    return vector::BroadcastOp::create(b, loc,
                                       VectorType::get(width, v.getType()), v);
  }

  Value buildIndex(linalg::IndexOp indexOp, Value column, int64_t width) {
    uint64_t dim = indexOp.getDim();
    if (dim < indices.size())
      return indices[dim];
    if (width == 0)
      return column;
    auto type = VectorType::get(width, b.getIndexType());
    Value step = vector::StepOp::create(b, loc, type);
    return arith::AddIOp::create(b, loc, broadcast(column, width), step);
  }

  /// Clones one op; on vectors of `width` where any operand is one.
  void cloneBodyOp(Operation &bodyOp, IRMapping &map, Value column,
                   int64_t width) {
    if (auto indexOp = dyn_cast<linalg::IndexOp>(bodyOp)) {
      map.map(indexOp.getResult(), buildIndex(indexOp, column, width));
      return;
    }
    bool onVectors = llvm::any_of(bodyOp.getOperands(), [&](Value operand) {
      return isa<VectorType>(map.lookupOrDefault(operand).getType());
    });
    if (!onVectors) {
      b.clone(bodyOp, map);
      return;
    }
    SmallVector<Value> operands;
    for (Value operand : bodyOp.getOperands())
      operands.push_back(broadcast(map.lookupOrDefault(operand), width));
    SmallVector<Type> types;
    for (Type type : bodyOp.getResultTypes())
      types.push_back(VectorType::get(width, type));
    Operation *wide = b.create(loc, bodyOp.getName().getIdentifier(), operands,
                               types, bodyOp.getAttrs());
    map.map(bodyOp.getResults(), wide->getResults());
  }

  /// The body at one position, without the combiners of vector reductions.
  /// `outs` are read only where the body uses them.
  IRMapping buildBody(ValueRange outs, Value column, int64_t width,
                      Value mask) {
    IRMapping map;
    for (OpOperand *input : op.getDpsInputOperands()) {
      BlockArgument arg = op.getMatchingBlockArgument(input);
      if (arg.use_empty())
        continue;
      Value v = input->get();
      if (isa<ShapedType>(v.getType()))
        v = read(v, op.getMatchingIndexingMap(input), column, width, mask);
      map.map(arg, v);
    }
    if (plan.reductions.empty())
      for (auto [out, init, arg] :
           llvm::zip(outs, op.getDpsInitsMutable(), op.getRegionOutputArgs()))
        if (!arg.use_empty())
          map.map(arg, read(out, op.getMatchingIndexingMap(&init), column,
                            width, mask));
    for (Operation &bodyOp : op.getBlock()->without_terminator())
      if (llvm::none_of(plan.reductions, [&](const Reduction &reduction) {
            return reduction.combiner == &bodyOp;
          }))
        cloneBodyOp(bodyOp, map, column, width);
    return map;
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

  /// Runs `strip` over the row: `lanes` at a time, then `tail`, then a masked
  /// `tail`. `lanesState` and `tailState` are carried through the loops.
  void
  forEachStrip(SmallVector<Value> &lanesState, SmallVector<Value> &tailState,
               function_ref<SmallVector<Value>(Value column, int64_t width,
                                               Value mask, ValueRange state)>
                   strip) {
    OpFoldResult extent = extents.back();
    AffineExpr n = b.getAffineSymbolExpr(0);
    auto floorTo = [&](int64_t width) {
      return affine::makeComposedFoldedAffineApply(
          b, loc, n.floorDiv(width) * width, {extent});
    };
    OpFoldResult mainEnd = floorTo(lanes), tailEnd = floorTo(tail);
    auto loop = [&](OpFoldResult from, OpFoldResult to, int64_t width,
                    SmallVector<Value> &state) {
      if (isEqualConstantIntOrValue(from, to))
        return;
      state = buildLoop(asValue(from), asValue(to), index(width), state,
                        [&](Value column, ValueRange args) {
                          return strip(column, width, Value(), args);
                        });
    };
    loop(b.getIndexAttr(0), mainEnd, lanes, lanesState);
    loop(mainEnd, tailEnd, tail, tailState);
    if (isEqualConstantIntOrValue(tailEnd, extent))
      return;
    buildMaskedStrip(tailEnd, extent, tailState, strip);
  }

  void buildMaskedStrip(
      OpFoldResult from, OpFoldResult extent, SmallVector<Value> &state,
      function_ref<SmallVector<Value>(Value, int64_t, Value, ValueRange)>
          strip) {
    AffineExpr s0 = b.getAffineSymbolExpr(0), s1 = b.getAffineSymbolExpr(1);
    OpFoldResult rest =
        affine::makeComposedFoldedAffineApply(b, loc, s0 - s1, {extent, from});
    auto maskType = VectorType::get(tail, b.getI1Type());
    auto masked = [&](Value column, ValueRange args) {
      Value mask =
          vector::CreateMaskOp::create(b, loc, maskType, asValue(rest));
      return strip(column, tail, mask, args);
    };
    if (getConstantIntValue(rest)) {
      state = masked(asValue(from), state);
      return;
    }
    // A loop of at most one turn: nothing is read past a row that fits.
    state =
        buildLoop(asValue(from), asValue(extent), index(tail), state, masked);
  }

  SmallVector<Value> buildParallelRow(ValueRange outs) {
    SmallVector<Value> state(outs);
    // One chain of outputs: each strip writes into what the last one left.
    auto strip = [&](Value column, int64_t width, Value mask, ValueRange args) {
      IRMapping map = buildBody(args, column, width, mask);
      return writeResults(map, args, column, width, mask);
    };
    forEachStrip(state, state, strip);
    return state;
  }

  //===--------------------------------------------------------------------===//
  // Reductions
  //===--------------------------------------------------------------------===//

  Value combine(const Reduction &reduction, Value accumulator, Value value) {
    Operation *op = reduction.combiner;
    Type type = accumulator.getType();
    return b
        .create(loc, op->getName().getIdentifier(),
                ValueRange{accumulator, value}, TypeRange(type), op->getAttrs())
        ->getResult(0);
  }

  Value neutralVector(const Reduction &reduction, int64_t width) {
    auto type = VectorType::get(width, reduction.neutral.getType());
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, Attribute(reduction.neutral)));
  }

  /// Adds the upper half of a vector to its lower half until `width` is left.
  Value foldHalves(const Reduction &reduction, Value v, int64_t width) {
    int64_t size = cast<VectorType>(v.getType()).getDimSize(0);
    while (size > width) {
      size /= 2;
      Value low =
          vector::ExtractStridedSliceOp::create(b, loc, v, {0}, {size}, {1});
      Value high =
          vector::ExtractStridedSliceOp::create(b, loc, v, {size}, {size}, {1});
      v = combine(reduction, low, high);
    }
    return v;
  }

  Value foldToScalar(const Reduction &reduction, Value wide, Value narrow) {
    Value total = combine(reduction, foldHalves(reduction, wide, tail), narrow);
    total = foldHalves(reduction, total, 1);
    return vector::ExtractOp::create(b, loc, total, ArrayRef<int64_t>{0});
  }

  /// The distribution chooses the order, which `reassoc` allows on this op.
  Value reduceWhole(const Reduction &reduction, Value v) {
    vector::CombiningKind kind = *linalg::getCombinerOpKind(reduction.combiner);
    return vector::ReductionOp::create(b, loc, kind, v,
                                       arith::FastMathFlags::reassoc);
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
          v = arith::SelectOp::create(b, loc, mask, v,
                                      neutralVector(reduction, width));
        results.push_back(combine(reduction, accumulator, v));
      }
      return results;
    };
    // One state is enough where both strips have the same width.
    if (distributed)
      forEachStrip(wide, wide, strip);
    else
      forEachStrip(wide, narrow, strip);

    SmallVector<Value> results;
    for (auto [i, reduction] : llvm::enumerate(plan.reductions)) {
      Value total = distributed ? reduceWhole(reduction, wide[i])
                                : foldToScalar(reduction, wide[i], narrow[i]);
      AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(i));
      Value init = read(outs[i], map, Value(), 0, Value());
      results.push_back(write(combine(reduction, init, total), outs[i], map,
                              Value(), Value()));
    }
    return results;
  }

  IRRewriter &b;
  Location loc;
  LinalgOp op;
  RowPlan plan;
  int64_t lanes, tail;
  bool distributed = false; // lanes are those of a later distribution
  SmallVector<OpFoldResult> extents;
  SmallVector<Value> indices; // of the loops that are open
};

/// A row that one op writes under a mask and the next reads under the same mask
/// stays a vector; upstream folds this only without masks.
struct ForwardMaskedRow : OpRewritePattern<vector::TransferReadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::TransferReadOp read,
                                PatternRewriter &rewriter) const override {
    auto write = read.getBase().getDefiningOp<vector::TransferWriteOp>();
    if (!write || !read.getMask() || read.getMask() != write.getMask() ||
        read.getIndices() != write.getIndices() ||
        read.getVectorType() != write.getVectorType() ||
        read.getPermutationMap() != write.getPermutationMap() ||
        !isa<RankedTensorType>(read.getBase().getType()))
      return failure();
    Value padding = vector::BroadcastOp::create(
        rewriter, read.getLoc(), read.getVectorType(), read.getPadding());
    rewriter.replaceOpWithNewOp<arith::SelectOp>(read, read.getMask(),
                                                 write.getVector(), padding);
    return success();
  }
};

struct NormVectorizeRows
    : norm::impl::NormVectorizeRowsBase<NormVectorizeRows> {
  using NormVectorizeRowsBase::NormVectorizeRowsBase;

  void runOnOperation() override {
    if (tail <= 0 || !llvm::isPowerOf2_64(tail) || lanes < tail ||
        !llvm::isPowerOf2_64(lanes)) {
      getOperation().emitError("norm-vectorize-rows: lanes and tail must be "
                               "powers of two with lanes >= tail, got ")
          << int64_t(lanes) << " and " << int64_t(tail);
      return signalPassFailure();
    }
    SmallVector<LinalgOp> ops;
    getOperation().walk([&](LinalgOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (LinalgOp op : ops)
      if (std::optional<RowPlan> plan = planFor(op))
        rewriter.replaceOp(
            op, RowVectorizer(rewriter, op, *plan, lanes, tail).run());
    forwardMaskedRows();
  }

  void forwardMaskedRows() {
    RewritePatternSet patterns(&getContext());
    patterns.add<ForwardMaskedRow>(&getContext());
    vector::CreateMaskOp::getCanonicalizationPatterns(patterns, &getContext());
    // Equal masks must be one value first.
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};
} // namespace
