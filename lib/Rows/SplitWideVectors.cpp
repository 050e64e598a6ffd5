//===- SplitWideVectors.cpp - strips that need few registers --------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "norm/Floats/ValueOrigins.h"
#include "norm/IR/Missed.h"
#include "norm/IR/RowTarget.h"
#include "norm/Rows/Passes.h"
#include "norm/Rows/Vectors.h"
#include <map>

namespace mlir::norm {
#define GEN_PASS_DEF_NORMSPLITWIDEVECTORS
#include "norm/Rows/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

static VectorType getVector(Value v) {
  return dyn_cast<VectorType>(v.getType());
}

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

/// Returns true if part j of the results only needs part j of the operands.
static bool isPartWise(Operation &op) {
  if (isa<vector::BitCastOp, vector::InterleaveOp, vector::DeinterleaveOp>(op))
    return true;
  if (op.getNumResults() == 1 && norm::getUniform(op.getResult(0)))
    return true;
  return OpTrait::hasElementwiseMappableTraits(&op) && isMemoryEffectFree(&op);
}

static bool canDivide(Value v, int64_t parts) {
  VectorType type = getVector(v);
  return !type || (type.getRank() == 1 && !type.isScalable() &&
                   type.getDimSize(0) % parts == 0);
}

namespace {
/// A column as a value, null for zero, and a constant behind it.
struct Column {
  Value from;
  int64_t offset = 0;
};
} // namespace

static Column getColumn(Value index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return {Value(), *constant};
  if (auto add = index.getDefiningOp<arith::AddIOp>())
    if (std::optional<int64_t> offset = getConstantIntValue(add.getRhs()))
      return {add.getLhs(), *offset};
  if (auto apply = index.getDefiningOp<affine::AffineApplyOp>()) {
    auto sum = dyn_cast<AffineBinaryOpExpr>(apply.getAffineMap().getResult(0));
    if (sum && sum.getKind() == AffineExprKind::Add &&
        apply->getNumOperands() == 1 &&
        isa<AffineDimExpr, AffineSymbolExpr>(sum.getLHS()))
      if (auto offset = dyn_cast<AffineConstantExpr>(sum.getRHS()))
        return {apply->getOperand(0), offset.getValue()};
  }
  return {index, 0};
}

/// Returns true if `lanes` elements at both columns are the same ones or all
/// different.
static bool areSameOrApart(Column x, Column y, int64_t lanes) {
  int64_t distance = std::abs(x.offset - y.offset);
  return x.from == y.from && (distance == 0 || distance >= lanes);
}

/// Returns true if strips are read and written at one place each, or at places
/// that share no element, so that a part never reads what an earlier part
/// wrote; explains what prevents it.
static bool canSplit(scf::ForOp loop, int64_t parts, int64_t widest) {
  SmallVector<Column> columns;
  bool hasWrites = false;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (!norm::hasVectors(&op)) {
      if (op.getNumRegions() != 0 ||
          !(isMemoryEffectFree(&op) || isa<memref::PrefetchOp>(op)))
        return norm::missed(&op, norm::Missed::OtherEffects), false;
      continue;
    }
    if (auto access = norm::getWholeRowAccess(&op)) {
      columns.push_back(getColumn(access->indices.back()));
      hasWrites |= access->isWrite;
    } else if (!isPartWise(op)) {
      return norm::missed(&op, norm::Missed::NotPartWise), false;
    }
    auto divides = [&](Value v) { return canDivide(v, parts); };
    if (!llvm::all_of(op.getOperands(), divides) ||
        !llvm::all_of(op.getResults(), divides))
      return norm::missed(&op, norm::Missed::NotDivisible), false;
  }
  bool mayOverlap = llvm::any_of(columns, [&](const Column &column) {
    return llvm::any_of(columns, [&](const Column &other) {
      return !areSameOrApart(column, other, widest);
    });
  });
  if (hasWrites && mayOverlap)
    return norm::missed(loop, norm::Missed::MayOverlap), false;
  bool divides = llvm::all_of(loop.getRegionIterArgs(),
                              [&](Value v) { return canDivide(v, parts); });
  return divides || (norm::missed(loop, norm::Missed::NotDivisible), false);
}

/// Returns the lanes of the widest vector.
static int64_t getWidest(scf::ForOp loop) {
  int64_t widest = 0;
  for (Operation &op : loop.getBody()->without_terminator())
    for (Value result : op.getResults())
      if (VectorType type = getVector(result))
        if (type.getRank() == 1 && !type.getElementType().isIndex())
          widest = std::max(widest, type.getDimSize(0));
  return widest;
}

/// Returns true if the body writes elements of less than a word, which are
/// rounded in words that hold two of them.
static bool writesHalfWords(scf::ForOp loop) {
  return llvm::any_of(*loop.getBody(), [](Operation &op) {
    auto access = norm::getRowAccess(&op);
    return access && access->isWrite && access->vector &&
           access->vector.getElementTypeBitWidth() < 32;
  });
}

/// Returns the lanes of vectors of words: the widest ones, or where halves of
/// words are written the most frequent ones, and the wider of two.
static int64_t getWordLanes(scf::ForOp loop) {
  std::map<int64_t, int64_t> counts;
  for (Operation &op : loop.getBody()->without_terminator())
    for (Value result : op.getResults())
      if (VectorType type = getVector(result))
        if (type.getRank() == 1 && !type.getElementType().isIndex() &&
            type.getElementTypeBitWidth() >= 32 && !norm::getUniform(result))
          ++counts[type.getDimSize(0)];
  if (counts.empty())
    return 0;
  if (!writesHalfWords(loop))
    return counts.rbegin()->first;
  int64_t usual = 0, most = 0;
  for (auto [lanes, count] : counts)
    if (count >= most)
      std::tie(usual, most) = std::pair(lanes, count);
  return usual;
}

/// Returns the maximum number of lanes in the body that are live at once.
static int64_t getLiveLanes(scf::ForOp loop) {
  llvm::DenseMap<Operation *, SmallVector<Value>> lastUses;
  Block *body = loop.getBody();
  for (Operation &op : *body)
    for (Value result : op.getResults()) {
      if (!getVector(result) || norm::getUniform(result))
        continue;
      Operation *last = nullptr;
      for (Operation *user : result.getUsers()) {
        Operation *inBody = body->findAncestorOpInBlock(*user);
        if (!last || last->isBeforeInBlock(inBody))
          last = inBody;
      }
      if (last)
        lastUses[last].push_back(result);
    }
  auto lanes = [](Value v) { return getVector(v).getNumElements(); };
  int64_t live = 0, most = 0;
  for (Operation &op : *body) {
    for (Value v : lastUses.lookup(&op))
      live -= lanes(v);
    for (Value result : op.getResults())
      if (getVector(result) && !result.use_empty() && !norm::getUniform(result))
        live += lanes(result);
    most = std::max(most, live);
  }
  return most;
}

//===----------------------------------------------------------------------===//
// Rewrite
//===----------------------------------------------------------------------===//

namespace {
class LoopSplitter {
public:
  LoopSplitter(RewriterBase &b, scf::ForOp loop, int64_t parts)
      : b(b), loc(loop.getLoc()), loop(loop), parts(parts), values(parts) {}

  void run() {
    b.setInsertionPoint(loop);
    SmallVector<Value> inits;
    for (Value init : loop.getInitArgs())
      for (int64_t part = 0; part < getParts(init); ++part)
        inits.push_back(getPart(init, part));
    auto split = scf::ForOp::create(b, loc, loop.getLowerBound(),
                                    loop.getUpperBound(), loop.getStep(), inits,
                                    nullptr, loop.getUnsignedCmp());
    split->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    if (inits.empty())
      split.getBody()->getTerminator()->erase();
    mapArguments(split);
    b.setInsertionPointToEnd(split.getBody());
    buildBody();
    b.setInsertionPointAfter(split);
    b.replaceOp(loop, joinResults(split));
  }

private:
  /// Scalars and other values without lanes are not split.
  int64_t getParts(Value v) { return getVector(v) ? parts : 1; }

  void mapArguments(scf::ForOp split) {
    whole.map(loop.getInductionVar(), split.getInductionVar());
    unsigned next = 0;
    for (BlockArgument arg : loop.getRegionIterArgs())
      for (int64_t part = 0; part < getParts(arg); ++part) {
        Value v = split.getRegionIterArg(next++);
        IRMapping &mapping = getVector(arg) ? values[part] : whole;
        mapping.map(arg, v);
      }
  }

  VectorType getPartType(Type type) {
    auto vector = cast<VectorType>(type);
    return VectorType::get(vector.getDimSize(0) / parts,
                           vector.getElementType());
  }

  /// Returns a part of a vector: an existing one, a uniform value, or an
  /// extract of a vector from outside of the loop.
  Value getPart(Value v, int64_t part) {
    if (!getVector(v))
      return whole.lookupOrDefault(v);
    if (Value known = values[part].lookupOrNull(v))
      return known;
    int64_t lanes = getPartType(v.getType()).getDimSize(0);
    if (norm::getUniform(v))
      return norm::createUniform(b, v, lanes, whole);
    return vector::ExtractStridedSliceOp::create(b, loc, v, {part * lanes},
                                                 {lanes}, {1});
  }

  void buildBody() {
    // Values without lanes come first: they never depend on a vector.
    for (Operation &op : loop.getBody()->without_terminator())
      if (!norm::hasVectors(&op))
        b.clone(op, whole);
    for (int64_t part = 0; part < parts; ++part)
      for (Operation &op : loop.getBody()->without_terminator())
        if (norm::hasVectors(&op))
          buildPart(op, part);
    SmallVector<Value> yielded;
    for (Value v : loop.getBody()->getTerminator()->getOperands())
      for (int64_t part = 0; part < getParts(v); ++part)
        yielded.push_back(getPart(v, part));
    scf::YieldOp::create(b, loc, yielded);
  }

  void buildPart(Operation &op, int64_t part) {
    if (op.getNumResults() == 1 && norm::getUniform(op.getResult(0)))
      return; // built where it is used
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(getPart(operand, part));
    SmallVector<Type> types;
    for (Type type : op.getResultTypes())
      types.push_back(getPartType(type));
    Operation *built = clone(b, &op, types, operands);
    if (auto access = norm::getRowAccess(built))
      moveAccess(*access, part);
    values[part].map(op.getResults(), built->getResults());
  }

  /// Offsets an access by the columns of the parts before.
  void moveAccess(const norm::RowAccess &access, int64_t part) {
    VectorType type = access.vector;
    int64_t first = part * type.getDimSize(0);
    int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
    if (auto store = dyn_cast<vector::StoreOp>(access.op))
      if (llvm::MaybeAlign alignment = store.getMaybeAlign())
        store.setAlignment(llvm::MinAlign(alignment->value(), bytes));
    if (auto load = dyn_cast<vector::LoadOp>(access.op))
      if (llvm::MaybeAlign alignment = load.getMaybeAlign())
        load.setAlignment(llvm::MinAlign(alignment->value(), bytes));
    if (first == 0)
      return;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(access.op);
    OperandRange indices = access.indices;
    Value by = arith::ConstantIndexOp::create(b, loc, first);
    Value column = arith::AddIOp::create(b, loc, indices.back(), by);
    access.op->setOperand(indices.getBeginOperandIndex() + indices.size() - 1,
                          column);
  }

  SmallVector<Value> joinResults(scf::ForOp split) {
    SmallVector<Value> results;
    unsigned next = 0;
    for (Value old : loop.getResults()) {
      if (!getVector(old)) {
        results.push_back(split.getResult(next++));
        continue;
      }
      Value joined =
          arith::ConstantOp::create(b, loc, b.getZeroAttr(old.getType()));
      int64_t lanes = getPartType(old.getType()).getDimSize(0);
      for (int64_t part = 0; part < parts; ++part)
        joined = vector::InsertStridedSliceOp::create(
            b, loc, split.getResult(next++), joined, {part * lanes}, {1});
      results.push_back(joined);
    }
    return results;
  }

  RewriterBase &b;
  Location loc;
  scf::ForOp loop;
  int64_t parts;
  IRMapping whole;               // values without lanes
  SmallVector<IRMapping> values; // vectors, by part
};

struct NormSplitWideVectors
    : norm::impl::NormSplitWideVectorsBase<NormSplitWideVectors> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    norm::RowTarget target = norm::getRowTarget(getOperation());
    IRRewriter b(&getContext());
    for (scf::ForOp loop : loops) {
      // Narrower elements are mostly halves of words.
      int64_t words = getWordLanes(loop);
      if (words <= target.partLanes || words % target.partLanes != 0 ||
          getLiveLanes(loop) <= target.liveLanes ||
          !canSplit(loop, words / target.partLanes, getWidest(loop)))
        continue;
      LoopSplitter(b, loop, words / target.partLanes).run();
    }
  }
};
} // namespace
