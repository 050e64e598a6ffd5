//===- ReverseStrips.cpp - rows read from the end that is in the cache ----===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RowTarget.h"
#include "norm/Rows/Vectors.h"
#include "norm/Target/CPU/Buffers.h"
#include "norm/Target/CPU/Streams/Passes.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMREVERSESTRIPS
#include "norm/Target/CPU/Streams/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using norm::LoopRole;
using norm::RowAccess;

namespace {
struct Strips {
  int64_t first, last; // columns where the first and the last strip begin
  int64_t step;

  int64_t getCount() const { return (last - first) / step + 1; }
};

enum class Direction { Up, Down };
} // namespace

static std::optional<Strips> getStrips(scf::ForOp loop) {
  std::optional<int64_t> from = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> to = getConstantIntValue(loop.getUpperBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!from || !to || !step || *step <= 0 || *to <= *from ||
      loop.getUnsignedCmp())
    return std::nullopt;
  int64_t count = llvm::divideCeil(*to - *from, *step);
  return Strips{*from, *from + (count - 1) * *step, *step};
}

/// How far `index` is from the strip's first column, if that is a constant.
static std::optional<int64_t> getOffset(Value index, scf::ForOp loop) {
  if (index == loop.getInductionVar())
    return 0;
  auto add = index.getDefiningOp<arith::AddIOp>();
  if (!add || add.getLhs() != loop.getInductionVar())
    return std::nullopt;
  return getConstantIntValue(add.getRhs());
}

/// Returns true if `access` keeps to the columns of its own strip.
static bool staysInStrip(const RowAccess &access, scf::ForOp loop,
                         const Strips &strips) {
  std::optional<int64_t> offset = getOffset(access.indices.back(), loop);
  return norm::hasCountableBytes(access.base) && offset && *offset >= 0 &&
         *offset + access.vector.getNumElements() <= strips.step &&
         llvm::all_of(access.indices.drop_back(), [&](Value index) {
           return loop.isDefinedOutsideOfLoop(index);
         });
}

/// Two views of one buffer may have different columns where they overlap;
/// other buffers overlap as a whole or not at all.
static bool overlapsInPart(const RowAccess &a, const RowAccess &b) {
  return (a.isWrite || b.isWrite) && a.base != b.base &&
         memref::skipViewLikeOps(cast<MemrefValue>(a.base)) ==
             memref::skipViewLikeOps(cast<MemrefValue>(b.base));
}

/// The vector reads and writes of `loop`, if its strips can be done in any
/// order: what one of them writes no other one reads or writes.
static std::optional<SmallVector<RowAccess>>
getIndependentAccesses(scf::ForOp loop, const Strips &strips) {
  SmallVector<RowAccess> accesses;
  for (Operation &op : loop.getBody()->without_terminator()) {
    std::optional<RowAccess> access = norm::getWholeRowAccess(&op);
    bool isFine = access
                      ? staysInStrip(*access, loop, strips)
                      : isMemoryEffectFree(&op) || isa<memref::PrefetchOp>(op);
    if (!isFine)
      return std::nullopt;
    if (access)
      accesses.push_back(*access);
  }
  for (const RowAccess &a : accesses)
    for (const RowAccess &b : accesses)
      if (overlapsInPart(a, b))
        return std::nullopt;
  return accesses;
}

static int64_t countBytesRead(ArrayRef<RowAccess> accesses) {
  int64_t bytes = 0;
  for (const RowAccess &access : accesses)
    if (!access.isWrite)
      bytes +=
          access.vector.getNumElements() * norm::getElementBytes(access.base);
  return bytes;
}

static bool readsOneOf(ArrayRef<RowAccess> accesses,
                       const llvm::SetVector<Value> &buffers) {
  return llvm::any_of(accesses, [&](const RowAccess &access) {
    return !access.isWrite && buffers.contains(access.base);
  });
}

/// The loop stays the same; its iterations get their columns from the other
/// end.
static void reverse(scf::ForOp loop, const Strips &strips) {
  LDBG("norm-reverse-strips", 1) << "reverses " << loop;
  OpBuilder b = OpBuilder::atBlockBegin(loop.getBody());
  Location loc = loop.getLoc();
  Value ends =
      arith::ConstantIndexOp::create(b, loc, strips.first + strips.last);
  Value column = arith::SubIOp::create(b, loc, ends, loop.getInductionVar());
  loop.getInductionVar().replaceAllUsesExcept(column, column.getDefiningOp());
}

namespace {
struct NormReverseStrips
    : norm::impl::NormReverseStripsBase<NormReverseStrips> {
  void runOnOperation() override {
    getOperation().walk([&](Block *block) { runOnBlock(*block); });
  }

  /// Every long loop over strips goes against the loop before it.
  void runOnBlock(Block &block) {
    scf::ForOp before;
    Direction direction = Direction::Up;
    for (auto loop : block.getOps<scf::ForOp>()) {
      std::optional<LoopRole> role = norm::getRole(loop);
      if (role != LoopRole::Statistic && role != LoopRole::Strips)
        continue;
      bool reverses = role == LoopRole::Strips && before &&
                      direction == Direction::Up &&
                      isWorthReversing(loop, before);
      if (reverses)
        reverse(loop, *getStrips(loop));
      direction = reverses ? Direction::Down : Direction::Up;
      before = loop;
    }
  }

  /// Whether `loop` reads again what `before` read, but too much of it for the
  /// level 1 cache, and may start at the end.
  bool isWorthReversing(scf::ForOp loop, scf::ForOp before) {
    std::optional<Strips> strips = getStrips(loop);
    if (!strips || loop.getNumResults() != 0)
      return false;
    auto accesses = getIndependentAccesses(loop, *strips);
    return accesses && readsOneOf(*accesses, norm::getOuterBuffers(before)) &&
           countBytesRead(*accesses) * strips->getCount() >
               norm::getRowTarget(loop).level1Bytes;
  }
};
} // namespace
