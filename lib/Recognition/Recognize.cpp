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
#include "mlir/IR/IRMapping.h"
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
    os << "], a saved root";
  else
    os << "], epsilon " << epsilon << ' ' << stringifyEpsilonMode(norm.mode)
       << " the root";
  os << ", statistics in " << norm.computeType;
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

namespace {
using Functions = llvm::SetVector<Operation *>;

/// A copy of a function in which calls are inlined.
struct Copy {
  func::FuncOp original;
  OwningOpRef<func::FuncOp> function;
  SmallVector<func::FuncOp> callees; // inlined callees, one per call
  Plan plan;                         // of the copy
};

/// Inlines calls into copies of their callers, and plans these.
class Copier {
public:
  Copier(Operation *scope, Rounding rounding)
      : inliner(scope->getContext()), scope(scope), rounding(rounding) {}

  std::vector<Copy> run();

private:
  void copy(func::FuncOp function);

  InlinerInterface inliner;
  SymbolTableCollection tables;
  llvm::DenseMap<Operation *, Region *> inlinable; // regions that replace calls
  std::vector<Copy> copies;
  Operation *scope;
  Rounding rounding;
};
} // namespace

/// Copies a function if calls can be inlined.
void Copier::copy(func::FuncOp function) {
  SmallVector<std::pair<func::CallOp, func::FuncOp>> calls;
  function.walk([&](func::CallOp call) {
    auto callee = tables.lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    if (callee && inlinable.contains(callee))
      calls.push_back({call, callee});
  });
  if (calls.empty())
    return;
  IRMapping mapping;
  Copy copy{function, function.clone(mapping), {}, {}};
  for (auto [original, callee] : calls) {
    auto call = cast<func::CallOp>(mapping.lookup(original.getOperation()));
    if (!inliner.isLegalToInline(call, callee, /*wouldBeCloned=*/true) ||
        failed(inlineCall(inliner, InlinerConfig().getCloneCallback(), call,
                          callee, inlinable[callee])))
      continue;
    call.erase();
    copy.callees.push_back(callee);
  }
  if (copy.callees.empty())
    return;
  copy.plan = makePlan(*copy.function, rounding);
  copies.push_back(std::move(copy));
}

/// Visits callees before callers, so that a body is inlined with its own calls.
/// Recursive functions and those without a body stay calls.
std::vector<Copy> Copier::run() {
  if (!scope->hasTrait<OpTrait::SymbolTable>())
    return {};
  const CallGraph graph(scope);
  for (auto it = llvm::scc_begin(&graph); !it.isAtEnd(); ++it) {
    if (it.hasCycle() || it->front()->isExternal())
      continue;
    auto function =
        dyn_cast<func::FuncOp>(it->front()->getCallableRegion()->getParentOp());
    if (!function)
      continue;
    copy(function);
    bool hasCopy = !copies.empty() && copies.back().original == function;
    Region &body =
        hasCopy ? copies.back().function->getBody() : function.getBody();
    if (function.isPrivate() && isInlinable(body))
      inlinable[function] = &body;
  }
  return std::move(copies);
}

/// Returns the functions whose copies have more norms than they and their
/// callees have.
static Functions findReplaced(const Plan &plan, ArrayRef<Copy> copies) {
  Functions replaced;
  llvm::DenseMap<Operation *, size_t> numNorms;
  for (const PlannedNorm &norm : plan.norms)
    ++numNorms[getFunction(norm.op)];
  for (const Copy &copy : copies) {
    size_t known = numNorms.lookup(copy.original);
    for (func::FuncOp callee : copy.callees)
      known += numNorms.lookup(callee);
    size_t found = copy.plan.norms.size();
    // Callers count these norms even if this function keeps its body.
    numNorms[copy.original] = std::max(known, found);
    if (found > known)
      replaced.insert(copy.original);
  }
  return replaced;
}

static void dropNorms(Plan &plan, const Functions &functions) {
  llvm::erase_if(plan.norms, [&](const PlannedNorm &norm) {
    return functions.contains(getFunction(norm.op));
  });
}

/// Gives functions the bodies of their copies, and the plan their norms.
static void takeBodies(Plan &plan, MutableArrayRef<Copy> copies,
                       const Functions &replaced) {
  dropNorms(plan, replaced);
  for (Copy &copy : copies)
    if (replaced.contains(copy.original)) {
      copy.original.getBody().takeBody(copy.function->getBody());
      llvm::move(copy.plan.norms, std::back_inserter(plan.norms));
    }
}

/// Returns the functions that only replaced functions called, transitively.
static Functions findUnused(Operation *scope, ArrayRef<Copy> copies,
                            const Functions &replaced) {
  Functions callees, unused;
  for (const Copy &copy : copies)
    if (replaced.contains(copy.original))
      callees.insert_range(copy.callees);
  if (callees.empty())
    return unused;
  SymbolTableCollection tables;
  SymbolUserMap users(tables, scope);
  // The map has no attributes of the scope itself.
  llvm::DenseSet<StringAttr> named;
  scope->getAttrDictionary().walk(
      [&](SymbolRefAttr name) { named.insert(name.getLeafReference()); });
  while (!callees.empty()) {
    Operation *function = callees.pop_back_val();
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
        callees.insert(callee);
    });
  }
  return unused;
}

//===----------------------------------------------------------------------===//
// Outcomes
//===----------------------------------------------------------------------===//

/// Creates the norms and describes them; those of dead ops are left out.
static SmallVector<RecognizedNorm> carryOut(Operation *scope,
                                            ArrayRef<PlannedNorm> norms) {
  SmallVector<RecognizedNorm> recognized;
  for (const PlannedNorm &norm : norms)
    recognized.push_back({{}, norm.op->getLoc(), describe(norm)});
  IRRewriter rewriter(scope->getContext());
  SmallVector<RMSNormOpInterface> ops = rewrite(rewriter, scope, norms);
  for (auto [norm, op] : llvm::zip_equal(recognized, ops))
    norm.op = op;
  llvm::erase_if(recognized,
                 [](const RecognizedNorm &norm) { return !norm.op; });
  return recognized;
}

/// Adds the rejections in functions that remain; one that repeats where a
/// function was inlined is reported once.
static void addRejections(ArrayRef<PlannedRejection> added,
                          const Functions &dropped,
                          llvm::DenseSet<Location> &said,
                          SmallVector<RejectedNorm> &rejected) {
  SmallVector<Location> now; // two statistics may have one location
  for (const PlannedRejection &rejection : added) {
    Location origin = getOrigin(rejection.norm.loc);
    if (dropped.contains(rejection.function) || said.contains(origin))
      continue;
    now.push_back(origin);
    rejected.push_back(rejection.norm);
  }
  said.insert_range(now);
}

static SmallVector<RejectedNorm> collectRejections(const Plan &plan,
                                                   ArrayRef<Copy> copies,
                                                   const Functions &replaced,
                                                   const Functions &unused) {
  SmallVector<RejectedNorm> rejected;
  llvm::DenseSet<Location> said;
  Functions dropped = replaced;
  dropped.insert_range(unused);
  addRejections(plan.rejected, dropped, said, rejected);
  // A callee may compute what a root is taken of, as the copy tells.
  for (const Copy &copy : copies)
    dropped.insert(copy.original);
  addRejections(plan.rootsOfOthers, dropped, said, rejected);
  // Functions that keep their calls report rejections that span a call, too.
  for (const Copy &copy : copies)
    if (!unused.contains(copy.original)) {
      addRejections(copy.plan.rejected, {}, said, rejected);
      addRejections(copy.plan.rootsOfOthers, {}, said, rejected);
    }
  return rejected;
}

Recognition norm::recognizeRMSNorms(Operation *scope, Rounding rounding) {
  Plan plan = makePlan(scope, rounding);
  std::vector<Copy> copies = Copier(scope, rounding).run();
  Functions replaced = findReplaced(plan, copies);
  takeBodies(plan, copies, replaced);
  Functions unused = findUnused(scope, copies, replaced);
  dropNorms(plan, unused);
  Recognition result;
  result.rejected = collectRejections(plan, copies, replaced, unused);
  for (Operation *function : unused)
    function->erase();
  result.recognized = carryOut(scope, plan.norms);
  return result;
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
