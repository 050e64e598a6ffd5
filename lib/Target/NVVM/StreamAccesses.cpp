//===- StreamAccesses.cpp - cache hints for what is used once -------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowAccess.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "norm/Target/NVVM/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMSTREAMGPUACCESSES
#define GEN_PASS_DEF_NORMLOWERNONTEMPORAL
#include "norm/Target/NVVM/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

/// An access in a loop may come again: rows in strips are read twice.
static bool happensOnce(Operation *op, gpu::LaunchOp launch) {
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  return !loop || !launch->isProperAncestor(loop);
}

/// The loads and stores of global memory that belong to one row alone.
static SmallVector<Operation *> findStreams(gpu::LaunchOp launch) {
  norm::RowDependence dependence(launch, norm::RowRemainder::IsShared);
  SmallVector<Operation *> streams;
  launch.walk([&](Operation *op) {
    if (isa<vector::LoadOp, vector::StoreOp>(op) && norm::getGlobalBuffer(op) &&
        happensOnce(op, launch) &&
        llvm::any_of(norm::getAccessIndices(op), [&](Value index) {
          return dependence.dependsOnRow(index);
        }))
      streams.push_back(op);
  });
  return streams;
}

namespace {
/// An access as words of a PTX vector instruction.
struct Words {
  int64_t bits;  // 16, 32
  int64_t count; // 1, 2, 4
};
} // namespace

/// Nothing where one instruction cannot do it.
static std::optional<Words> getWords(Type type, unsigned alignment) {
  auto vectorType = dyn_cast<VectorType>(type);
  Type element = vectorType ? vectorType.getElementType() : type;
  if (!element.isIntOrFloat() || (vectorType && vectorType.getRank() != 1))
    return std::nullopt;
  int64_t bits = element.getIntOrFloatBitWidth() *
                 (vectorType ? vectorType.getNumElements() : 1);
  if (bits == 16)
    return Words{16, 1};
  if ((bits != 32 && bits != 64 && bits != 128) || alignment * 8 < bits)
    return std::nullopt;
  return Words{32, bits / 32};
}

/// The instruction's operands: registers from `first` on, in braces if several.
static std::string getRegisters(int64_t first, int64_t count) {
  std::string text;
  for (int64_t i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return count == 1 ? text : "{" + text + "}";
}

/// `name` has the hint in it, such as "ld.global.cs".
static std::string getOpcode(StringRef name, Words words) {
  std::string vector =
      words.count == 1 ? "" : ".v" + std::to_string(words.count);
  return (name + vector + ".b" + Twine(words.bits)).str();
}

static Value toGlobal(OpBuilder &b, Location loc, Value pointer) {
  auto type = LLVM::LLVMPointerType::get(
      b.getContext(), unsigned(NVVM::NVVMMemorySpace::Global));
  return LLVM::AddrSpaceCastOp::create(b, loc, type, pointer);
}

static LLVM::InlineAsmOp createAsm(OpBuilder &b, Location loc, Type result,
                                   ValueRange operands, StringRef text,
                                   StringRef constraints) {
  return LLVM::InlineAsmOp::create(
      b, loc, result ? TypeRange(result) : TypeRange(), operands, text,
      constraints,
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
      /*operand_attrs=*/ArrayAttr());
}

static StringRef getConstraint(Words words) {
  return words.bits == 16 ? "h" : "r";
}

static void lowerLoad(IRRewriter &rewriter, LLVM::LoadOp op, Words words,
                      StringRef name) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  Type word = rewriter.getIntegerType(words.bits);
  std::string constraints;
  for (int64_t i = 0; i < words.count; ++i)
    constraints += ("=" + getConstraint(words) + ",").str();
  std::string text = getOpcode(name, words) + " " +
                     getRegisters(0, words.count) + ", [$" +
                     std::to_string(words.count) + "];";
  Type result = word;
  if (words.count > 1)
    result = LLVM::LLVMStructType::getLiteral(
        rewriter.getContext(), SmallVector<Type>(words.count, word));
  Value loaded =
      createAsm(rewriter, loc, result, toGlobal(rewriter, loc, op.getAddr()),
                text, constraints + "l")
          .getResult(0);
  if (words.count > 1) {
    Value packed = LLVM::PoisonOp::create(rewriter, loc,
                                          VectorType::get(words.count, word));
    for (int64_t i = 0; i < words.count; ++i) {
      Value part = LLVM::ExtractValueOp::create(rewriter, loc, loaded, i);
      Value at = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32Type(),
                                          rewriter.getI32IntegerAttr(i));
      packed = LLVM::InsertElementOp::create(rewriter, loc, packed, part, at);
    }
    loaded = packed;
  }
  rewriter.replaceOpWithNewOp<LLVM::BitcastOp>(op, op.getType(), loaded);
}

static void lowerStore(IRRewriter &rewriter, LLVM::StoreOp op, Words words) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  Type word = rewriter.getIntegerType(words.bits);
  Type packedType = word;
  if (words.count > 1)
    packedType = VectorType::get(words.count, word);
  Value packed =
      LLVM::BitcastOp::create(rewriter, loc, packedType, op.getValue());
  SmallVector<Value> operands = {toGlobal(rewriter, loc, op.getAddr())};
  std::string constraints = "l";
  for (int64_t i = 0; i < words.count; ++i) {
    Value part = packed;
    if (words.count > 1) {
      Value at = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32Type(),
                                          rewriter.getI32IntegerAttr(i));
      part = LLVM::ExtractElementOp::create(rewriter, loc, packed, at);
    }
    operands.push_back(part);
    constraints += ("," + getConstraint(words)).str();
  }
  std::string text = getOpcode("st.global.cs", words) + " [$0], " +
                     getRegisters(1, words.count) + ";";
  createAsm(rewriter, loc, Type(), operands, text, constraints);
  rewriter.eraseOp(op);
}

namespace {
struct NormStreamGPUAccesses
    : norm::impl::NormStreamGPUAccessesBase<NormStreamGPUAccesses> {
  using Base::Base;

  void runOnOperation() override {
    getOperation().walk([&](gpu::LaunchOp launch) {
      for (Operation *op : findStreams(launch)) {
        if (auto load = dyn_cast<vector::LoadOp>(op))
          load.setNontemporal(true);
        else if (!loadsOnly)
          cast<vector::StoreOp>(op).setNontemporal(true);
      }
    });
  }
};

struct NormLowerNontemporal
    : norm::impl::NormLowerNontemporalBase<NormLowerNontemporal> {
  using Base::Base;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    StringRef loadName = loads == norm::LoadHint::NoL1
                             ? "ld.global.L1::no_allocate"
                             : "ld.global.cs";
    getOperation().walk([&](LLVM::LoadOp op) {
      auto words = getWords(op.getType(), op.getAlignment().value_or(1));
      if (op.getNontemporal() && words)
        lowerLoad(rewriter, op, *words, loadName);
    });
    getOperation().walk([&](LLVM::StoreOp op) {
      auto words =
          getWords(op.getValue().getType(), op.getAlignment().value_or(1));
      if (op.getNontemporal() && words)
        lowerStore(rewriter, op, *words);
    });
  }
};
} // namespace
