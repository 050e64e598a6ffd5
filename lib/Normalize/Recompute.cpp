//===- Recompute.cpp - what is cheaper to compute again -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Normalize/Recompute.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "norm/IR/RowTarget.h"
#include "norm/Normalize/ElementStorage.h"

using namespace mlir;
using linalg::LinalgOp;

/// Memory makes a loop wait for each tensor. So few instructions take no time
/// beside that of a tensor as large as the result.
static constexpr size_t kMostOpsInLoops = 4;

/// A row in the cache is written once and read by each reader, which takes as
/// long as so few instructions.
static constexpr size_t kMostOpsInRow = 3;

/// Tens of cycles.
static bool isSlow(Operation &op) {
  return isa<math::MathDialect>(op.getDialect()) ||
         isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemFOp,
             arith::RemSIOp, arith::RemUIOp>(op);
}

static bool isFastArith(Operation &op) {
  return isa<arith::ArithDialect>(op.getDialect()) && !isSlow(op);
}

/// Returns true if the op costs less than a store and a load. Casts do not:
/// 16-bit floats have a few instructions for each.
static bool isSumOrProduct(Operation &op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp>(op);
}

static bool isWide(Type type) {
  return type.isIntOrFloat() && type.getIntOrFloatBitWidth() >= 32;
}

/// The size of tensors: the power of unknown extents, and then the product of
/// known ones in bytes.
using Size = std::pair<int64_t, int64_t>;

static Size getSize(Type type) {
  auto shaped = dyn_cast<RankedTensorType>(type);
  if (!shaped)
    return {0, 1};
  int64_t bytes = norm::getElementBytes(shaped.getElementType());
  for (int64_t extent : shaped.getShape())
    if (!ShapedType::isDynamic(extent))
      bytes = llvm::SaturatingMultiply<uint64_t>(bytes, extent);
  return {shaped.getNumDynamicDims(), bytes};
}

/// Returns the size of all that computing the result reads.
static Size getSizeRead(LinalgOp op) {
  Size read = {0, 0};
  for (OpOperand &operand : op->getOpOperands()) {
    if (!op.payloadUsesValueFromOperand(&operand))
      continue;
    auto [unknown, bytes] = getSize(operand.get().getType());
    read = unknown == read.first ? Size(unknown, bytes + read.second)
                                 : std::max(read, Size(unknown, bytes));
  }
  return read;
}

llvm::DenseMap<Value, llvm::SmallBitVector>
norm::findLoopsOfValues(LinalgOp op) {
  llvm::DenseMap<Value, llvm::SmallBitVector> loops;
  for (OpOperand *input : op.getDpsInputOperands())
    loops[op.getMatchingBlockArgument(input)] =
        getUnusedDimsBitVector(op.getMatchingIndexingMap(input)).flip();
  for (Operation &each : op.getBlock()->without_terminator()) {
    if (each.getNumResults() != 1 || each.getNumRegions() != 0 ||
        !isMemoryEffectFree(&each) || isa<linalg::IndexOp>(each))
      continue;
    llvm::SmallBitVector all(op.getNumLoops());
    bool isKnown = llvm::all_of(each.getOperands(), [&](Value operand) {
      all |= loops.lookup(operand);
      return loops.contains(operand) ||
             operand.getParentBlock() != op.getBlock();
    });
    if (isKnown)
      loops[each.getResult(0)] = all;
  }
  return loops;
}

/// Returns the ops of the body that each element of a row repeats. The others
/// use values of the row alone, and loops over the row compute them once.
static SmallVector<Operation *> getOpsOfElements(LinalgOp op) {
  llvm::DenseMap<Value, llvm::SmallBitVector> loops =
      norm::findLoopsOfValues(op);
  return llvm::filter_to_vector(
      llvm::make_pointer_range(op.getBlock()->without_terminator()),
      [&](Operation *each) {
        if (each->getNumResults() != 1)
          return true;
        auto it = loops.find(each->getResult(0));
        return it == loops.end() || it->second.test(op.getNumLoops() - 1);
      });
}

/// Returns true where some ops are computed once per row, which is most of the
/// work of a short one: rows that norm-tile-rows puts into blocks lie in level
/// 1 with their temporaries.
static bool hasCostlyRows(LinalgOp op, size_t opsOfElements) {
  size_t ops =
      llvm::count_if(op.getBlock()->without_terminator(), [](Operation &each) {
        return !isa<arith::ConstantOp>(each);
      });
  int64_t length = op.getStaticLoopRanges().back();
  return ops > opsOfElements && !ShapedType::isDynamic(length) &&
         length <= norm::getRowTarget(op).getShortRow();
}

static bool isCheapInRow(LinalgOp op) {
  if (op.getNumLoops() == 0 ||
      !llvm::all_of(op.getBlock()->getArgumentTypes(), isWide))
    return false;
  SmallVector<Operation *> ops = getOpsOfElements(op);
  return ops.size() <= kMostOpsInRow && !hasCostlyRows(op, ops.size()) &&
         llvm::all_of(llvm::make_pointee_range(ops), isSumOrProduct);
}

bool norm::isWidening(Operation *op) {
  if (!isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    return isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(op);
  Type from = op->getOperand(0).getType();
  auto to = dyn_cast<FloatType>(op->getResult(0).getType());
  return to && (from.isInteger(8) || from.isInteger(16)) &&
         from.getIntOrFloatBitWidth() <= to.getFPMantissaWidth();
}

bool norm::isCheaperToRecompute(LinalgOp op, KeptFor readers) {
  if (op.getNumReductionLoops() > 0 || op->getNumResults() != 1)
    return false;
  auto body = op.getBlock()->without_terminator();
  Size read = getSizeRead(op), kept = getSize(op->getResult(0).getType());
  switch (readers) {
  case KeptFor::Loops:
    return static_cast<size_t>(llvm::range_size(body)) <= kMostOpsInLoops &&
           llvm::all_of(body, isFastArith) && read <= kept;
  case KeptFor::Row:
    return isCheapInRow(op);
  case KeptFor::Product:
    // Widening, dequantization and changes of layout, which products read many
    // times over: rounding is not little work.
    return body.empty() ||
           (read < kept && llvm::none_of(
                               body,
                               [](Operation &each) {
                                 return isSlow(each) ||
                                        isa<arith::TruncFOp>(each);
                               }));
  }
  llvm_unreachable("unknown reader");
}

Operation *norm::fuseCopyOfProducer(IRRewriter &rewriter, OpOperand &use) {
  Operation *user = use.getOwner();
  auto result = cast<OpResult>(use.get());
  rewriter.setInsertionPoint(user);
  // A producer with other users would stay a second result of the fusion.
  Operation *copy = rewriter.clone(*result.getOwner());
  rewriter.modifyOpInPlace(
      user, [&] { use.set(copy->getResult(result.getResultNumber())); });
  FailureOr<linalg::ElementwiseOpFusionResult> fused =
      linalg::fuseElementwiseOps(rewriter, &use);
  if (failed(fused))
    return nullptr;
  for (auto [from, to] : fused->replacements)
    rewriter.replaceAllUsesWith(from, to);
  rewriter.eraseOp(user);
  rewriter.eraseOp(copy);
  return fused->fusedOp;
}

void norm::fuseIntoReaders(IRRewriter &rewriter, LinalgOp op) {
  auto findUse = [&] {
    return llvm::find_if(op->getUses(), [](OpOperand &use) {
      return linalg::areElementwiseOpsFusable(&use);
    });
  };
  for (auto use = findUse(); use != op->use_end(); use = findUse())
    fuseCopyOfProducer(rewriter, *use);
  if (op->use_empty())
    rewriter.eraseOp(op);
}
