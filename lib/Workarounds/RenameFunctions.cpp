//===- RenameFunctions.cpp - a program's functions beside those of C ------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: conversions call what has the name of C's function, be
// it the program's, and so does machine code; goes when func-to-llvm can name
// interfaces otherwise than functions.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "norm/Workarounds/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMRENAMEFUNCTIONS
#include "norm/Workarounds/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

/// No name of C has a dot.
static constexpr llvm::StringLiteral kPrefix = "program.";
static constexpr llvm::StringLiteral kInterface = "_mlir_ciface_";

/// Returns the new name of a function of the program or of its interface; empty
/// for others. C defines a declared function unless it asks for an interface.
static std::string getNewName(Operation *op) {
  if (auto function = dyn_cast<func::FuncOp>(op);
      function &&
      (!function.isExternal() ||
       function->hasAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName())))
    return (kPrefix + function.getName()).str();
  auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
  StringRef name = function ? function.getName() : StringRef();
  if (name.consume_front(kInterface) && name.consume_front(kPrefix))
    return (kInterface + name).str();
  return {};
}

namespace {
struct NormRenameFunctions
    : norm::impl::NormRenameFunctionsBase<NormRenameFunctions> {
  void runOnOperation() override {
    llvm::DenseMap<StringAttr, FlatSymbolRefAttr> renamed;
    for (Operation &op : getOperation().getOps())
      if (std::string name = getNewName(&op); !name.empty()) {
        auto reference = FlatSymbolRefAttr::get(&getContext(), name);
        renamed[SymbolTable::getSymbolName(&op)] = reference;
        SymbolTable::setSymbolName(&op, reference.getAttr());
      }
    if (!renamed.empty())
      renameReferences(renamed);
  }

  /// All at once, because a new name may be another one's old name.
  void renameReferences(
      const llvm::DenseMap<StringAttr, FlatSymbolRefAttr> &renamed) {
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](SymbolRefAttr reference) {
      Attribute found = renamed.lookup(reference.getRootReference());
      return std::pair(found ? found : reference, WalkResult::skip());
    });
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op == getOperation())
        return WalkResult::advance();
      replacer.replaceElementsIn(op);
      // What is in another module, such as kernels, has its own names.
      return op->hasTrait<OpTrait::SymbolTable>() ? WalkResult::skip()
                                                  : WalkResult::advance();
    });
  }
};
} // namespace
