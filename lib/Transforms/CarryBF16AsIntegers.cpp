//===- CarryBF16AsIntegers.cpp - bf16 values that only move ---------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "norm/Transforms/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMCARRYBF16ASINTEGERS
#include "norm/Transforms/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

static bool isBF16(Type type) { return getElementTypeOrSelf(type).isBF16(); }

/// i16, or a vector of it as long as `type`.
static Type getIntegerType(Type type) {
  Type i16 = IntegerType::get(type.getContext(), 16);
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(i16);
  return i16;
}

/// The integers that `value` is a bitcast of, or null.
static Value getIntegers(Value value) {
  auto cast = value.getDefiningOp<LLVM::BitcastOp>();
  if (cast && cast.getArg().getType() == getIntegerType(value.getType()))
    return cast.getArg();
  return nullptr;
}

static Value toIntegers(OpBuilder &b, Value value) {
  if (Value known = getIntegers(value))
    return known;
  return LLVM::BitcastOp::create(b, value.getLoc(),
                                 getIntegerType(value.getType()), value);
}

/// Makes `value` integers, which its users see through a bitcast at `b`.
static void retype(OpBuilder &b, Value value) {
  Type type = value.getType();
  value.setType(getIntegerType(type));
  auto back = LLVM::BitcastOp::create(b, value.getLoc(), type, value);
  value.replaceAllUsesExcept(back, back);
}

static bool onlyMoves(Operation *op) {
  return isa<LLVM::LoadOp, LLVM::StoreOp, LLVM::SelectOp, LLVM::FreezeOp,
             LLVM::InsertElementOp, LLVM::ExtractElementOp,
             LLVM::ShuffleVectorOp, LLVM::vector_insert, LLVM::vector_extract,
             LLVM::MaskedLoadOp, LLVM::MaskedStoreOp, LLVM::masked_gather,
             LLVM::masked_scatter, LLVM::masked_expandload,
             LLVM::masked_compressstore>(op);
}

static void moveAsIntegers(Operation *op) {
  OpBuilder b(op);
  for (OpOperand &operand : op->getOpOperands())
    if (isBF16(operand.get().getType()))
      operand.set(toIntegers(b, operand.get()));
  b.setInsertionPointAfter(op);
  for (Value result : op->getResults())
    if (isBF16(result.getType()))
      retype(b, result);
}

static void retypeArguments(Block &block) {
  auto b = OpBuilder::atBlockBegin(&block);
  for (BlockArgument argument : block.getArguments())
    if (isBF16(argument.getType()))
      retype(b, argument);
}

static void forwardIntegers(BranchOpInterface branch) {
  OpBuilder b(branch);
  for (unsigned i = 0, e = branch->getNumSuccessors(); i < e; ++i)
    for (OpOperand &operand :
         branch.getSuccessorOperands(i).getMutableForwardedOperands())
      if (isBF16(operand.get().getType()))
        operand.set(toIntegers(b, operand.get()));
}

/// Every block but that of `value` makes it of integers again.
static void rebuildInUsers(Value value) {
  Operation *def = value.getDefiningOp();
  if (def && def->hasTrait<OpTrait::ConstantLike>())
    return;
  Block *home = value.getParentBlock();
  Value integers;
  for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
    Operation *user = use.getOwner();
    if (user->getBlock() == home)
      continue;
    if (!integers) {
      OpBuilder b = def ? OpBuilder(def->getBlock(), ++Block::iterator(def))
                        : OpBuilder::atBlockBegin(home);
      integers = toIntegers(b, value);
    }
    OpBuilder b(user);
    use.set(
        LLVM::BitcastOp::create(b, user->getLoc(), value.getType(), integers));
  }
}

/// A bitcast of a bitcast is one; what is left of it is erased.
static void foldCasts(Operation *function) {
  SmallVector<LLVM::BitcastOp> casts;
  function->walk([&](LLVM::BitcastOp cast) { casts.push_back(cast); });
  for (LLVM::BitcastOp cast : casts) {
    if (Value integers = isBF16(cast.getArg().getType())
                             ? getIntegers(cast.getArg())
                             : Value())
      cast.getArgMutable().set(integers);
    if (cast.getArg().getType() == cast.getType())
      cast.replaceAllUsesWith(cast.getArg());
  }
  for (LLVM::BitcastOp cast : llvm::reverse(casts))
    if (cast.use_empty())
      cast.erase();
}

namespace {
struct NormCarryBF16AsIntegers
    : norm::impl::NormCarryBF16AsIntegersBase<NormCarryBF16AsIntegers> {
  void runOnOperation() override {
    LLVM::LLVMFuncOp function = getOperation();
    SmallVector<Operation *> moves, branches;
    SmallVector<Block *> blocks;
    function->walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      for (Operation &op : *block) {
        if (onlyMoves(&op))
          moves.push_back(&op);
        if (isa<BranchOpInterface>(op))
          branches.push_back(&op);
      }
    for (Operation *move : moves)
      moveAsIntegers(move);
    for (Block *block : blocks)
      if (!block->isEntryBlock())
        retypeArguments(*block);
    for (Operation *branch : branches)
      forwardIntegers(cast<BranchOpInterface>(branch));
    for (Block *block : blocks)
      rebuildAcrossBlocks(*block);
    foldCasts(function);
  }

  static void rebuildAcrossBlocks(Block &block) {
    SmallVector<Value> values;
    auto add = [&](ValueRange range) {
      llvm::copy_if(range, std::back_inserter(values),
                    [](Value value) { return isBF16(value.getType()); });
    };
    add(block.getArguments());
    for (Operation &op : block)
      add(op.getResults());
    for (Value value : values)
      rebuildInUsers(value);
  }
};
} // namespace
