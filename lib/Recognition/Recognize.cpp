//===- Recognize.cpp - apply recognition to a program ---------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends outline parts of a norm (jnp.linalg.norm, jnp.mean). Recognition
// reads a copy of the caller with such calls inlined, and the program keeps its
// calls if that does not give more norms.
//
//===----------------------------------------------------------------------===//

#include "norm/Recognition/Recognize.h"
#include "Plan.h"
#include "mlir/Analysis/CallGraph.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/Inliner.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::norm;

static std::string describe(const PlannedNorm &norm) {
  std::string text;
  llvm::raw_string_ostream os(text);
  const auto &gradient = norm.gradient;
  os << "found "
     << (!gradient      ? ""
         : !norm.scalar ? "the gradient dw of "
         : gradient->dw ? "the gradients dx and dw of "
                        : "the gradient dx of ")
     << "RMSNorm over dims [";
  llvm::interleaveComma(norm.dims, os);
  SmallString<16> epsilon;
  norm.epsilon.toString(epsilon, 6, 3);
  if (gradient && gradient->root.exists() && !gradient->isRootBeforeEpsilon)
    os << "], a saved root, statistics in " << norm.computeType;
  else
    os << "], epsilon " << epsilon << ' ' << stringifyEpsilonMode(norm.mode)
       << " the root, statistics in " << norm.computeType;
  if (norm.count)
    os << ", of the first " << *norm.count << " elements";
  if (!norm.weight.exists())
    os << ", no weight";
  else if (norm.weightDims.empty())
    os << ", scalar weight";
  if (norm.sumType)
    os << ", divided in " << norm.sumType;
  if (norm.rootForm != RootForm::Reciprocal)
    os << ", root form " << stringifyRootForm(norm.rootForm);
  if (norm.scaleType)
    os << ", reciprocal root rounded to " << norm.scaleType;
  if (norm.normalizedType)
    os << ", rounded to " << norm.normalizedType << " before the weight";
  if (!norm.difference.rules.empty())
    llvm::interleaveComma(norm.difference.rules, os << "; differs by ");
  if (norm.difference.ulps)
    os << ": at most " << llvm::format("%g", *norm.difference.ulps)
       << " ulp of " << norm.computeType;
  return text;
}

static Operation *getFunction(Operation *op) {
  return op->getParentOfType<FunctionOpInterface>();
}

static Location getOrigin(Location loc) {
  while (auto call = dyn_cast<CallSiteLoc>(loc))
    loc = call.getCallee();
  return loc;
}

namespace {
/// A function, and a copy of it in which calls are inlined.
struct Caller {
  func::FuncOp original;
  OwningOpRef<func::FuncOp> copy;
  SmallVector<func::FuncOp> callees; // inlined callees, one per call
  Plan plan;                         // the plan of the copy
};

/// Plans a program and a copy of each function with its calls inlined, and
/// rewrites one of the two per function.
class Recognizer {
public:
  Recognizer(Operation *scope, Rounding rounding)
      : scope(scope), rounding(rounding), inliner(scope->getContext()),
        plan(makePlan(scope, rounding)) {}

  Recognition run();

private:
  void visitCallers();
  bool inlineInto(func::FuncOp function);
  void chooseBody(const Caller &caller);
  void eraseCallees();
  void carryOut();
  void reportRejected(ArrayRef<PlannedRejection> rejections);

  Operation *scope;
  Rounding rounding;
  InlinerInterface inliner;
  SymbolTableCollection tables;
  llvm::DenseMap<Operation *, Region *> inlinable; // regions that replace calls
  SmallVector<Caller> callers;    // in order after their callees
  Plan plan;                      // the plan of the original functions
  std::vector<PlannedNorm> norms; // the norms that remain
  llvm::DenseMap<Operation *, size_t> numNorms; // per function
  llvm::DenseSet<Operation *> replaced, gone;   // functions
  llvm::DenseSet<Location> said;
  Recognition result;
};
} // namespace

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// A larger callee stays a call, so that copies are linear in the program.
constexpr unsigned kMaxInlinedOps = 512;

/// Returns true if a caller may copy the body and it can be part of a norm.
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

/// Visits callees before callers, so that a body is inlined with its own calls.
/// Recursive functions and those without a body stay calls.
void Recognizer::visitCallers() {
  if (!scope->hasTrait<OpTrait::SymbolTable>())
    return;
  const CallGraph graph(scope);
  for (auto it = llvm::scc_begin(&graph); !it.isAtEnd(); ++it) {
    if (it.hasCycle() || it->front()->isExternal())
      continue;
    auto function =
        dyn_cast<func::FuncOp>(it->front()->getCallableRegion()->getParentOp());
    if (!function)
      continue;
    bool hasCopy = inlineInto(function);
    Region &body =
        hasCopy ? callers.back().copy->getBody() : function.getBody();
    if (function.isPrivate() && isInlinable(body))
      inlinable[function] = &body;
    if (hasCopy)
      chooseBody(callers.back());
  }
}

/// Returns true if there is a copy now in which calls are inlined.
bool Recognizer::inlineInto(func::FuncOp function) {
  // No symbol table contains the copy, so callees are looked up here.
  auto getCallee = [&](func::CallOp call) {
    auto callee = tables.lookupNearestSymbolFrom<func::FuncOp>(
        function, call.getCalleeAttr());
    return callee && inlinable.contains(callee) ? callee : func::FuncOp();
  };
  SmallVector<func::CallOp> calls;
  auto collect = [&](func::CallOp call) {
    if (getCallee(call))
      calls.push_back(call);
  };
  function.walk(collect);
  if (calls.empty())
    return false;
  calls.clear();
  Caller caller{function, function.clone(), {}, {}};
  caller.copy->walk(collect);
  for (func::CallOp call : calls) {
    func::FuncOp callee = getCallee(call);
    if (!inliner.isLegalToInline(call, callee, /*wouldBeCloned=*/true) ||
        failed(inlineCall(inliner, InlinerConfig().getCloneCallback(), call,
                          callee, inlinable[callee])))
      continue;
    call.erase();
    caller.callees.push_back(callee);
  }
  if (caller.callees.empty())
    return false;
  caller.plan = makePlan(*caller.copy, rounding);
  callers.push_back(std::move(caller));
  return true;
}

/// Replaces the function's body by a copy that has more norms than the function
/// and its callees have.
void Recognizer::chooseBody(const Caller &caller) {
  size_t known = numNorms.lookup(caller.original);
  for (func::FuncOp callee : caller.callees)
    known += numNorms.lookup(callee);
  size_t found = caller.plan.norms.size();
  // Callers count these norms even if this function keeps its body.
  numNorms[caller.original] = std::max(known, found);
  if (found > known)
    replaced.insert(caller.original);
}

/// Erases functions that only replaced functions called, transitively.
void Recognizer::eraseCallees() {
  llvm::SetVector<Operation *> worklist;
  for (const Caller &caller : callers)
    if (replaced.contains(caller.original))
      worklist.insert_range(caller.callees);
  if (worklist.empty())
    return;
  SymbolUserMap users(tables, scope);
  // The map has no attributes of the scope itself.
  llvm::DenseSet<StringAttr> named;
  scope->getAttrDictionary().walk(
      [&](SymbolRefAttr name) { named.insert(name.getLeafReference()); });
  while (!worklist.empty()) {
    Operation *function = worklist.pop_back_val();
    auto isLeft = [&](Operation *user) {
      return !gone.contains(user->getParentOfType<func::FuncOp>());
    };
    if (named.contains(SymbolTable::getSymbolName(function)) ||
        llvm::any_of(users.getUsers(function), isLeft) ||
        !gone.insert(function).second)
      continue;
    function->walk([&](func::CallOp call) {
      auto callee = tables.lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr());
      if (callee && callee.isPrivate())
        worklist.insert(callee);
    });
  }
  llvm::erase_if(norms, [&](const PlannedNorm &norm) {
    return gone.contains(getFunction(norm.op));
  });
  for (Operation *function : gone)
    function->erase();
}

//===----------------------------------------------------------------------===//
// Outcomes
//===----------------------------------------------------------------------===//

void Recognizer::carryOut() {
  for (const PlannedNorm &norm : norms)
    result.recognized.push_back({{}, norm.op->getLoc(), describe(norm)});
  IRRewriter rewriter(scope->getContext());
  SmallVector<RMSNormOpInterface> ops = rewrite(rewriter, scope, norms);
  for (auto [norm, op] : llvm::zip_equal(result.recognized, ops))
    norm.op = op;
  // The results of dead ops have no users.
  llvm::erase_if(result.recognized,
                 [](const RecognizedNorm &norm) { return !norm.op; });
}

/// Reports a rejection once if it repeats where a function was inlined.
void Recognizer::reportRejected(ArrayRef<PlannedRejection> rejections) {
  SmallVector<Location> now; // two statistics may have one location
  for (const PlannedRejection &rejection : rejections) {
    Location origin = getOrigin(rejection.norm.loc);
    if (replaced.contains(rejection.function) ||
        gone.contains(rejection.function) || said.contains(origin))
      continue;
    now.push_back(origin);
    result.rejected.push_back(rejection.norm);
  }
  said.insert_range(now);
}

Recognition Recognizer::run() {
  for (const PlannedNorm &norm : plan.norms)
    ++numNorms[getFunction(norm.op)];
  visitCallers();
  norms = std::move(plan.norms);
  llvm::erase_if(norms, [&](const PlannedNorm &norm) {
    return replaced.contains(getFunction(norm.op));
  });
  for (Caller &caller : callers)
    if (replaced.contains(caller.original)) {
      llvm::move(caller.plan.norms, std::back_inserter(norms));
      caller.original.getBody().takeBody(caller.copy->getBody());
    }
  eraseCallees();
  carryOut();
  reportRejected(plan.rejected);
  llvm::erase_if(plan.rootsOfOthers, [&](const PlannedRejection &rejection) {
    return llvm::any_of(callers, [&](const Caller &caller) {
      return caller.original == rejection.function;
    });
  });
  reportRejected(plan.rootsOfOthers);
  // Functions that keep their calls report rejections that span a call, too.
  for (const Caller &caller : callers)
    if (!gone.contains(caller.original)) {
      reportRejected(caller.plan.rejected);
      reportRejected(caller.plan.rootsOfOthers);
    }
  return std::move(result);
}

Recognition norm::recognizeRMSNorms(Operation *scope, Rounding rounding) {
  return Recognizer(scope, rounding).run();
}

std::optional<Rounding> norm::symbolizeRounding(StringRef name) {
  return llvm::StringSwitch<std::optional<Rounding>>(name)
      .Case("default", Rounding::Default)
      .Case("exact", Rounding::Exact)
      .Case("relaxed", Rounding::Relaxed)
      .Default(std::nullopt);
}

void norm::registerRecognitionDependencies(DialectRegistry &registry) {
  registry.insert<NormDialect, math::MathDialect, tensor::TensorDialect>();
  func::registerInlinerExtension(registry);
}
