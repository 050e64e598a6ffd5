//===- Calls.cpp - norms that span a call ---------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calls.h"
#include "mlir/Analysis/CallGraph.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::norm;

/// Whether the body may be copied to a caller, and can be part of a norm.
static bool isInlinable(Region &body) {
  if (!body.hasOneBlock())
    return false;
  bool hasLinalg = false;
  unsigned size = 0;
  WalkResult result = body.walk([&](Operation *op) {
    hasLinalg |= isa<linalg::LinalgOp>(op);
    return ++size > kMaxInlinedOps ? WalkResult::interrupt()
                                   : WalkResult::advance();
  });
  return hasLinalg && !result.wasInterrupted() &&
         llvm::all_of(body.front().without_terminator(),
                      [](Operation &op) { return isMemoryEffectFree(&op); });
}

namespace {
/// Visits callees before their callers, so that a body is inlined with what it
/// calls itself.
class CallInliner {
public:
  explicit CallInliner(Operation *scope)
      : graph(scope), interface(scope->getContext()) {}

  SmallVector<InlinedFunction> run() {
    for (auto it = llvm::scc_begin(&std::as_const(graph)); !it.isAtEnd(); ++it)
      if (!it.hasCycle() && !it->front()->isExternal())
        if (auto function = dyn_cast<func::FuncOp>(
                it->front()->getCallableRegion()->getParentOp()))
          visit(function);
    return std::move(functions);
  }

private:
  void visit(func::FuncOp function) {
    if (function.isDeclaration())
      return;
    Region *body = &function.getBody();
    if (std::optional<InlinedFunction> inlined = inlineInto(function)) {
      body = &(*inlined->copy).getBody();
      functions.push_back(std::move(*inlined));
    }
    if (function.isPrivate() && isInlinable(*body))
      inlinable[function] = body;
  }

  func::FuncOp getCallee(func::CallOp call) {
    return tables.lookupNearestSymbolFrom<func::FuncOp>(call,
                                                        call.getCalleeAttr());
  }

  std::optional<InlinedFunction> inlineInto(func::FuncOp function) {
    SmallVector<func::FuncOp> callees;
    function.walk([&](func::CallOp call) {
      func::FuncOp callee = getCallee(call);
      callees.push_back(callee && inlinable.contains(callee) ? callee
                                                             : func::FuncOp());
    });
    if (llvm::none_of(callees, [](func::FuncOp callee) { return callee; }))
      return std::nullopt;
    InlinedFunction inlined;
    inlined.original = function;
    inlined.copy = function.clone();
    SmallVector<func::CallOp> calls;
    inlined.copy->walk([&](func::CallOp call) { calls.push_back(call); });
    for (auto [call, callee] : llvm::zip_equal(calls, callees))
      if (callee && inlineCallee(call, callee))
        inlined.callees.push_back(callee);
    if (inlined.callees.empty())
      return std::nullopt;
    return inlined;
  }

  bool inlineCallee(func::CallOp call, func::FuncOp callee) {
    InlinerInterface::CloneCallbackTy clone = [](OpBuilder &, Region *source,
                                                 Block *inlineBlock,
                                                 Block *next,
                                                 IRMapping &mapping, bool) {
      source->cloneInto(inlineBlock->getParent(), next->getIterator(), mapping);
    };
    if (!interface.isLegalToInline(call, callee, /*wouldBeCloned=*/true) ||
        failed(inlineCall(interface, clone, call, callee, inlinable[callee])))
      return false;
    call.erase();
    return true;
  }

  CallGraph graph;
  InlinerInterface interface;
  SymbolTableCollection tables;
  llvm::DenseMap<Operation *, Region *> inlinable;
  SmallVector<InlinedFunction> functions;
};
} // namespace

SmallVector<InlinedFunction> norm::inlineCalls(Operation *scope) {
  bool hasCalls =
      scope->walk([](func::CallOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (!hasCalls || !scope->hasTrait<OpTrait::SymbolTable>())
    return {};
  return CallInliner(scope).run();
}

llvm::DenseSet<Operation *>
norm::eraseUnused(Operation *scope, ArrayRef<func::FuncOp> candidates) {
  SymbolTableCollection tables;
  SymbolUserMap users(tables, scope);
  // The map has no attributes of the scope itself.
  llvm::DenseSet<StringAttr> named;
  scope->getAttrDictionary().walk(
      [&](SymbolRefAttr name) { named.insert(name.getLeafReference()); });
  llvm::SetVector<Operation *> worklist;
  for (func::FuncOp function : candidates)
    worklist.insert(function);
  // Users of each function that are erased.
  llvm::DenseMap<Operation *, llvm::SmallPtrSet<Operation *, 4>> gone;
  llvm::DenseSet<Operation *> erased;
  while (!worklist.empty()) {
    Operation *function = worklist.pop_back_val();
    bool isUsed = llvm::any_of(users.getUsers(function), [&](Operation *user) {
      return !gone[function].contains(user);
    });
    isUsed |= named.contains(SymbolTable::getSymbolName(function));
    if (isUsed || !erased.insert(function).second)
      continue;
    function->walk([&](func::CallOp call) {
      auto callee = tables.lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr());
      if (!callee || !callee.isPrivate())
        return;
      gone[callee].insert(call);
      worklist.insert(callee);
    });
  }
  for (Operation *function : erased)
    function->erase();
  return erased;
}
