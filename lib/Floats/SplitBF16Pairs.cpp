//===- SplitBF16Pairs.cpp - neighboring bf16 as halves of a word ----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "norm/Floats/Lanes.h"
#include "norm/IR/Norm.h"

using namespace mlir;
using namespace mlir::norm;

/// Shorter vectors do not fill two registers.
static constexpr int64_t kLeastLanes = 16;
static constexpr uint32_t kUpperHalf = 0xFFFF0000;

static bool isWideRow(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() == 1 && !vector.isScalable() &&
         vector.getElementType().isF32() &&
         vector.getDimSize(0) % kLeastLanes == 0;
}

static bool isBF16Vector(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getElementType().isBF16();
}

/// Returns true if all lanes of a vector have one value, which is a constant or
/// was broadcast.
static bool isUniform(Value v) {
  DenseElementsAttr constant;
  if (matchPattern(v, m_Constant(&constant)))
    return constant.isSplat();
  auto broadcast = v.getDefiningOp<vector::BroadcastOp>();
  return broadcast && !isa<VectorType>(broadcast.getSourceType());
}

static void addFloats(Operation *op, ValueOrigins &origins) {
  for (Value operand : op->getOperands())
    if (isa<FloatType>(getElementTypeOrSelf(operand.getType())))
      origins.add(operand);
}

namespace {
/// What a value is made of decides whether halves of it cost nothing.
class PairFinder {
public:
  bool isPair(Value v) {
    if (auto it = known.find(v); it != known.end())
      return it->second;
    bool found = find(v);
    return known[v] = found;
  }

  /// Taken as pairs while the loop that carries them is looked at.
  void assume(Value v) { known[v] = true; }
  void forget() { known.clear(); }

private:
  bool find(Value v) {
    Operation *op = v.getDefiningOp();
    if (!op || !isWideRow(v.getType()))
      return false;
    if (auto extend = dyn_cast<arith::ExtFOp>(op))
      return isBF16Vector(extend.getIn().getType());
    return isUniform(v) ||
           (isArithmetic(op) && llvm::all_of(op->getOperands(), [&](Value u) {
              return isPair(u);
            }));
  }

  static bool isArithmetic(Operation *op) {
    return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
               op->getDialect()) &&
           OpTrait::hasElementwiseMappableTraits(op) &&
           op->getNumResults() == 1 && isMemoryEffectFree(op) &&
           llvm::all_of(op->getOperandTypes(), isWideRow);
  }

  llvm::DenseMap<Value, bool> known;
};

} // namespace

static bool isNaNShort(Attribute constant) {
  auto holds = [](const APFloat &value) {
    return !value.isNaN() ||
           value.bitcastToAPInt().extractBitsAsZExtValue(16, 0) == 0;
  };
  if (auto scalar = dyn_cast<FloatAttr>(constant))
    return holds(scalar.getValue());
  auto splat = dyn_cast<SplatElementsAttr>(constant);
  return splat && isa<FloatType>(splat.getElementType()) &&
         holds(splat.getSplatValue<APFloat>());
}

/// Returns true for words that this pass has widened or rounded.
static bool hasClearLower(Value words) {
  Operation *op = words.getDefiningOp();
  APInt bits;
  if (!op || op->getNumOperands() != 2 ||
      !matchPattern(op->getOperand(1), m_ConstantInt(&bits)))
    return false;
  if (isa<arith::AndIOp>(op))
    return bits.countr_zero() >= 16;
  return isa<arith::ShLIOp>(op) && bits.uge(16);
}

/// Returns true if every float result's NaN is one of an operand's or the
/// preferred one. norm-expand-vector-math makes arithmetic of functions.
static bool passesOnNaNs(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
             arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxNumFOp, arith::MinNumFOp, arith::SelectOp, math::SqrtOp,
             math::FmaOp, math::AbsFOp, vector::BroadcastOp,
             vector::ReductionOp, vector::ExtractOp,
             vector::ExtractStridedSliceOp, vector::ShuffleOp,
             vector::InterleaveOp, vector::DeinterleaveOp>(op) ||
         (isa<math::ExpOp, math::Exp2Op, math::ExpM1Op, math::TanhOp,
              math::ErfOp>(op) &&
          isa<VectorType>(op->getResult(0).getType()));
}

/// Returns true if every NaN that `v` can be has a clear lower half, so that
/// rounding to bf16 in integers keeps it: arithmetic passes an operand's NaN on
/// or makes the preferred one, and NaNs come from bf16.
static bool haveShortNaNs(Value v) {
  return ValueOrigins::allHold(v, [](OpResult v, ValueOrigins &origins) {
    Operation *op = v.getOwner();
    if (auto extend = dyn_cast<arith::ExtFOp>(op))
      return getElementTypeOrSelf(extend.getIn()).isBF16();
    if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
      return true;
    if (auto bitcast = dyn_cast<arith::BitcastOp>(op))
      return hasClearLower(bitcast.getIn());
    if (Attribute constant; matchPattern(op, m_Constant(&constant)))
      return isNaNShort(constant);
    if (!getElementTypeOrSelf(v).isF32() || !passesOnNaNs(op))
      return false;
    addFloats(op, origins);
    return true;
  });
}

/// Returns true if `v` can only be values of bf16, which need no rounding.
static bool areBF16(Value v) {
  return ValueOrigins::allHold(v, [](OpResult v, ValueOrigins &origins) {
    Operation *op = v.getOwner();
    if (auto extend = dyn_cast<arith::ExtFOp>(op))
      return getElementTypeOrSelf(extend.getIn()).isBF16();
    if (!getElementTypeOrSelf(v).isF32() ||
        !isa<arith::NegFOp, math::AbsFOp, arith::SelectOp>(op))
      return false;
    addFloats(op, origins);
    return true;
  });
}

LanePair norm::widenBF16Words(ImplicitLocOpBuilder &b, Value narrow) {
  int64_t lanes = cast<VectorType>(narrow.getType()).getDimSize(0);
  auto type = VectorType::get(lanes / 2, b.getI32Type());
  Lanes words(b, vector::BitCastOp::create(b, type, narrow));
  Lanes even = (words << 16).number();
  return {even, (words & kUpperHalf).number()};
}

namespace {
class PairSplitter {
public:
  PairSplitter(IRRewriter &b, PairFinder &finder) : b(b), finder(finder) {}

  /// The halves of `v`, built after it; `v` is a pair by PairFinder.
  LanePair split(Value v) {
    if (auto it = pairs.find(v); it != pairs.end())
      return it->second;
    Operation *op = v.getDefiningOp();
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfter(op);
    LanePair pair;
    if (auto extend = dyn_cast<arith::ExtFOp>(op)) {
      auto rounding = extend.getIn().getDefiningOp<arith::TruncFOp>();
      ImplicitLocOpBuilder at(op->getLoc(), b);
      pair = rounding && finder.isPair(rounding.getIn())
                 ? roundInPlace(rounding)
                 : widenBF16Words(at, extend.getIn());
    } else {
      SmallVector<Value> even, odd;
      for (Value operand : op->getOperands()) {
        if (!isa<VectorType>(operand.getType())) {
          even.push_back(operand);
          odd.push_back(operand);
          continue;
        }
        LanePair halves = split(operand);
        even.push_back(halves.even);
        odd.push_back(halves.odd);
      }
      // After the operands' halves, which may stand after `op`'s operands.
      b.setInsertionPointAfter(op);
      auto cloneHalf = [&](ValueRange operands) {
        int64_t lanes = cast<VectorType>(v.getType()).getDimSize(0) / 2;
        return norm::cloneAtWidth(b, op, lanes, operands)->getResult(0);
      };
      pair = {cloneHalf(even), cloneHalf(odd)};
    }
    pairs[v] = pair;
    return pair;
  }

  void set(Value v, LanePair pair) { pairs[v] = pair; }

  bool isSplit(Value v) { return pairs.contains(v); }

  /// Rounds to bf16 and puts the halves of a word together.
  void round(arith::TruncFOp op) {
    b.setInsertionPoint(op);
    LanePair pair = roundHalves(op);
    ImplicitLocOpBuilder at(op.getLoc(), b);
    Lanes even = Lanes(at, pair.even) >> 16;
    b.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(),
                                           interleave(at, even, pair.odd));
  }

private:
  /// Words whose upper halves are the rounded values.
  LanePair roundHalves(arith::TruncFOp op) {
    LanePair pair = split(op.getIn());
    ImplicitLocOpBuilder at(op.getLoc(), b);
    Lanes even(at, pair.even), odd(at, pair.odd);
    if (areBF16(op.getIn()))
      return {even.bits(), odd.bits()};
    NaNs nans = haveShortNaNs(op.getIn()) ? NaNs::Short : NaNs::Kept;
    return {roundToUpperHalf(even, nans), roundToUpperHalf(odd, nans)};
  }

  /// The rounded values as f32: packing them would only be undone.
  LanePair roundInPlace(arith::TruncFOp op) {
    LanePair words = roundHalves(op);
    ImplicitLocOpBuilder at(op.getLoc(), b);
    return {(Lanes(at, words.even) & kUpperHalf).number(),
            (Lanes(at, words.odd) & kUpperHalf).number()};
  }

  /// The lower halves of `even` beside the upper halves of `odd`.
  static Value interleave(ImplicitLocOpBuilder &b, Value even, Value odd) {
    int64_t lanes = cast<VectorType>(even.getType()).getDimSize(0) * 2;
    auto halves = VectorType::get(lanes, b.getI16Type());
    SmallVector<bool> places;
    for (int64_t i = 0; i < lanes; ++i)
      places.push_back(i % 2);
    Value isOdd = arith::ConstantOp::create(
        b,
        DenseElementsAttr::get(halves.clone(b.getI1Type()), ArrayRef(places)));
    return arith::SelectOp::create(b, isOdd,
                                   vector::BitCastOp::create(b, halves, odd),
                                   vector::BitCastOp::create(b, halves, even));
  }

  IRRewriter &b;
  PairFinder &finder;
  llvm::DenseMap<Value, LanePair> pairs;
};
} // namespace

/// Accumulators of bf16 values: only combined in the loop, in pairs.
static SmallVector<unsigned> findAccumulators(scf::ForOp loop,
                                              PairFinder &finder) {
  SmallVector<unsigned> found;
  for (auto [i, arg] : llvm::enumerate(loop.getRegionIterArgs()))
    if (isWideRow(arg.getType()))
      found.push_back(i);
  auto isOther = [&](unsigned i) {
    Value next = loop.getYieldedValues()[i];
    return next == loop.getRegionIterArgs()[i] || !finder.isPair(next);
  };
  // Removing one may make another impossible.
  size_t before;
  do {
    before = found.size();
    finder.forget();
    for (unsigned i : found)
      finder.assume(loop.getRegionIterArgs()[i]);
    llvm::erase_if(found, isOther);
  } while (found.size() != before);
  return found;
}

static void joinHalves(IRRewriter &b, Value whole, ValueRange halves) {
  whole.replaceAllUsesWith(vector::InterleaveOp::create(
      b, whole.getLoc(), halves.front(), halves.back()));
}

/// Carries the halves of accumulators beside the whole ones, whose loop results
/// become dead, and joins them after the loop and where its body reads them
/// whole.
static void splitAccumulators(IRRewriter &b, PairSplitter splitter,
                              scf::ForOp loop,
                              ArrayRef<unsigned> accumulators) {
  Location loc = loop.getLoc();
  b.setInsertionPoint(loop);
  SmallVector<Value> inits;
  for (unsigned i : accumulators) {
    auto init = vector::DeinterleaveOp::create(b, loc, loop.getInitArgs()[i]);
    inits.append({init.getRes1(), init.getRes2()});
  }
  unsigned before = loop.getNumResults();
  auto wider = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      b, inits, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument> halves) {
        // The body is still that of the old loop.
        for (auto [n, i] : llvm::enumerate(accumulators))
          splitter.set(loop.getRegionIterArgs()[i],
                       {halves[2 * n], halves[2 * n + 1]});
        SmallVector<Value> yields;
        for (unsigned i : accumulators) {
          LanePair next = splitter.split(loop.getYieldedValues()[i]);
          yields.append({next.even, next.odd});
        }
        return yields;
      }));
  for (auto [n, i] : llvm::enumerate(accumulators)) {
    Value whole = wider.getRegionIterArgs()[i];
    unsigned even = before + 2 * n;
    b.setInsertionPointAfter(wider);
    joinHalves(b, wider.getResult(i), wider.getResults().slice(even, 2));
    b.setInsertionPointToStart(wider.getBody());
    joinHalves(b, whole, wider.getRegionIterArgs().slice(even, 2));
    // The whole accumulator is carried no further.
    wider.getBody()->getTerminator()->setOperand(i, whole);
  }
}

/// Whether the halves of all that `op` computes with are there, those of values
/// that all lanes share aside.
static bool hasSplitOperands(Operation *op, PairSplitter &splitter) {
  return op->getNumOperands() > 0 && !isa<arith::ExtFOp>(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return splitter.isSplit(operand) || isUniform(operand);
         });
}

/// Puts values together from halves where only a store or the like needs them
/// whole, rather than computing both. Users come before what they use.
static void joinWholeUses(IRRewriter &b, Operation *root, PairFinder &finder,
                          PairSplitter &splitter) {
  SmallVector<Operation *> ops = collect<Operation *>(root, [&](Operation *op) {
    return op->getNumResults() == 1 && finder.isPair(op->getResult(0)) &&
           !isUniform(op->getResult(0));
  });
  SmallVector<std::pair<Operation *, LanePair>> joined;
  for (Operation *op : ops)
    if (hasSplitOperands(op, splitter))
      joined.push_back({op, splitter.split(op->getResult(0))});
  for (auto [op, pair] : llvm::reverse(joined)) {
    if (op->use_empty()) {
      b.eraseOp(op);
      continue;
    }
    b.setInsertionPointAfterValue(pair.odd);
    b.replaceOpWithNewOp<vector::InterleaveOp>(op, pair.even, pair.odd);
  }
}

static void splitRoundings(IRRewriter &b, Operation *root) {
  auto roundings = collect<arith::TruncFOp>(root, [](arith::TruncFOp op) {
    return isWideRow(op.getIn().getType()) && isBF16Vector(op.getType());
  });
  PairFinder finder;
  PairSplitter splitter(b, finder);
  // From the last one on: one that is only widened again is then dead.
  for (arith::TruncFOp op : llvm::reverse(roundings)) {
    if (op->use_empty())
      b.eraseOp(op);
    else if (finder.isPair(op.getIn()))
      splitter.round(op);
  }
  joinWholeUses(b, root, finder, splitter);
}

void norm::splitBF16Pairs(Operation *root) {
  IRRewriter b(root->getContext());
  for (auto loop : collect<scf::ForOp>(root)) {
    PairFinder finder;
    SmallVector<unsigned> accumulators = findAccumulators(loop, finder);
    if (!accumulators.empty())
      splitAccumulators(b, PairSplitter(b, finder), loop, accumulators);
  }
  splitRoundings(b, root);
}
