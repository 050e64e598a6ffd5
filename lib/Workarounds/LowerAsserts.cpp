//===- LowerAsserts.cpp - failed assertions end the program loudly --------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: convert-cf-to-llvm prints a failed assertion by puts,
// whose buffer abort discards; goes when it writes to standard error.

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"
#include "norm/Workarounds/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMLOWERASSERTS
#include "norm/Workarounds/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

static constexpr int kStandardError = 2;

namespace {
/// Stores messages of assertions as data; equal ones share it.
class Messages {
public:
  explicit Messages(ModuleOp module) : module(module), symbols(module) {}

  LLVM::GlobalOp get(StringRef text) {
    LLVM::GlobalOp &message = known[text];
    if (!message) {
      auto b = OpBuilder::atBlockBegin(module.getBody());
      auto type = LLVM::LLVMArrayType::get(b.getI8Type(), text.size());
      message =
          LLVM::GlobalOp::create(b, module.getLoc(), type, /*isConstant=*/true,
                                 LLVM::Linkage::Internal, "norm_assert_message",
                                 b.getStringAttr(text));
      symbols.insert(message);
    }
    return message;
  }

private:
  ModuleOp module;
  SymbolTable symbols;
  llvm::StringMap<LLVM::GlobalOp> known;
};

struct NormLowerAsserts : norm::impl::NormLowerAssertsBase<NormLowerAsserts> {
  /// Builds `write(2, text, size); abort();` at the end of a block.
  LogicalResult buildFailure(ImplicitLocOpBuilder &b, LLVM::GlobalOp message) {
    Type pointer = LLVM::LLVMPointerType::get(&getContext());
    Type i32 = b.getI32Type(), i64 = b.getI64Type();
    auto write = LLVM::lookupOrCreateFn(b, getOperation(), "write",
                                        {i32, pointer, i64}, i64);
    auto abort = LLVM::lookupOrCreateFn(b, getOperation(), "abort", {},
                                        LLVM::LLVMVoidType::get(&getContext()));
    if (failed(write) || failed(abort))
      return failure();
    int64_t size = cast<StringAttr>(message.getValueAttr()).size();
    Value text = LLVM::AddressOfOp::create(b, message);
    Value file = LLVM::ConstantOp::create(b, i32, kStandardError);
    Value bytes = LLVM::ConstantOp::create(b, i64, size);
    LLVM::CallOp::create(b, *write, ValueRange{file, text, bytes});
    LLVM::CallOp::create(b, *abort, ValueRange());
    LLVM::UnreachableOp::create(b);
    return success();
  }

  LogicalResult lower(cf::AssertOp op, Messages &messages) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Block *before = op->getBlock();
    Block *after = before->splitBlock(op);
    Block *fails = b.createBlock(after->getParent(), after->getParent()->end());
    LLVM::GlobalOp message = messages.get((op.getMsg() + "\n").str());
    if (failed(buildFailure(b, message)))
      return failure();
    b.setInsertionPointToEnd(before);
    cf::CondBranchOp::create(b, op.getArg(), after, fails);
    op.erase();
    return success();
  }

  void runOnOperation() override {
    SmallVector<cf::AssertOp> asserts;
    for (auto func : getOperation().getOps<func::FuncOp>())
      func.walk([&](cf::AssertOp op) { asserts.push_back(op); });
    for (cf::AssertOp op : asserts)
      if (!isa<func::FuncOp>(op->getParentOp())) {
        op.emitError("norm-lower-asserts: needs convert-scf-to-cf first");
        return signalPassFailure();
      }
    Messages messages(getOperation());
    for (cf::AssertOp op : asserts)
      if (failed(lower(op, messages)))
        return signalPassFailure();
  }
};
} // namespace
