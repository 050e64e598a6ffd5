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
#include "mlir/Transforms/Inliner.h"
#include "llvm/ADT/SCCIterator.h"

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
struct CallInliner {
  explicit CallInliner(MLIRContext *context) : interface(context) {}

  InlinerInterface interface;
  SymbolTableCollection tables;
  llvm::DenseMap<Operation *, Region *> inlinable;
  SmallVector<InlinedFunction> functions;

  void visit(func::FuncOp function);
  bool inlineInto(func::FuncOp function);
};
} // namespace

void CallInliner::visit(func::FuncOp function) {
  Region *body = &function.getBody();
  if (inlineInto(function))
    body = &(*functions.back().copy).getBody();
  if (function.isPrivate() && isInlinable(*body))
    inlinable[function] = body;
}

/// Whether there is a copy with calls inlined now.
bool CallInliner::inlineInto(func::FuncOp function) {
  // Also of a call in the copy, which no symbol table holds.
  auto getCallee = [&](func::CallOp call) {
    auto callee = tables.lookupNearestSymbolFrom<func::FuncOp>(
        function, call.getCalleeAttr());
    return callee && inlinable.contains(callee) ? callee : func::FuncOp();
  };
  auto isInlined = [&](func::CallOp call) {
    return getCallee(call) ? WalkResult::interrupt() : WalkResult::advance();
  };
  if (!function.walk(isInlined).wasInterrupted())
    return false;
  InlinedFunction inlined{function, function.clone(), {}, {}};
  SmallVector<func::CallOp> calls;
  inlined.copy->walk([&](func::CallOp call) { calls.push_back(call); });
  for (func::CallOp call : calls) {
    func::FuncOp callee = getCallee(call);
    if (!callee ||
        !interface.isLegalToInline(call, callee, /*wouldBeCloned=*/true) ||
        failed(inlineCall(interface, InlinerConfig().getCloneCallback(), call,
                          callee, inlinable[callee])))
      continue;
    call.erase();
    inlined.callees.push_back(callee);
  }
  if (inlined.callees.empty())
    return false;
  functions.push_back(std::move(inlined));
  return true;
}

SmallVector<InlinedFunction> norm::inlineCalls(Operation *scope) {
  bool hasCalls =
      scope->walk([](func::CallOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (!hasCalls || !scope->hasTrait<OpTrait::SymbolTable>())
    return {};
  const CallGraph graph(scope);
  CallInliner inliner(scope->getContext());
  for (auto it = llvm::scc_begin(&graph); !it.isAtEnd(); ++it)
    if (!it.hasCycle() && !it->front()->isExternal())
      if (auto function = dyn_cast<func::FuncOp>(
              it->front()->getCallableRegion()->getParentOp()))
        inliner.visit(function);
  return std::move(inliner.functions);
}

llvm::SetVector<Operation *>
norm::findUnused(Operation *scope, ArrayRef<func::FuncOp> candidates) {
  SymbolTableCollection tables;
  SymbolUserMap users(tables, scope);
  // The map has no attributes of the scope itself.
  llvm::DenseSet<StringAttr> named;
  scope->getAttrDictionary().walk(
      [&](SymbolRefAttr name) { named.insert(name.getLeafReference()); });
  llvm::SetVector<Operation *> worklist, unused;
  worklist.insert_range(candidates);
  while (!worklist.empty()) {
    Operation *function = worklist.pop_back_val();
    auto isLeft = [&](Operation *user) {
      return !unused.contains(user->getParentOfType<func::FuncOp>());
    };
    if (named.contains(SymbolTable::getSymbolName(function)) ||
        llvm::any_of(users.getUsers(function), isLeft) ||
        !unused.insert(function))
      continue;
    function->walk([&](func::CallOp call) {
      auto callee = tables.lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr());
      if (callee && callee.isPrivate())
        worklist.insert(callee);
    });
  }
  return unused;
}
