//===- Recognize.cpp - apply recognition to a program ---------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Recognition/Recognize.h"
#include "Calls.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::norm;

static std::string describe(const PlannedNorm &norm) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "found RMSNorm over dims [";
  llvm::interleaveComma(norm.dims, os);
  SmallString<16> epsilon;
  norm.epsilon.toString(epsilon, 6, 3);
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
/// A program with its calls, and a copy of each function that makes some with
/// them inlined: each is planned, and one of both is carried out.
class Recognizer {
public:
  Recognizer(Operation *scope, Rounding rounding)
      : scope(scope), inlined(inlineCalls(scope)),
        plan(makePlan(scope, rounding)) {
    for (InlinedFunction &function : inlined)
      function.plan = makePlan(*function.copy, rounding);
  }

  Recognition run();

private:
  void takeCopies();
  void eraseCallees();
  void carryOut();
  void reportRefused(ArrayRef<PlannedRefusal> refusals);

  Operation *scope;
  SmallVector<InlinedFunction> inlined;
  Plan plan;
  std::vector<PlannedNorm> norms;             // of what is left
  llvm::DenseSet<Operation *> replaced, gone; // functions
  llvm::DenseSet<Location> said;
  Recognition result;
};
} // namespace

/// A copy that has norms which neither the function nor what it calls has takes
/// the place of the function's body.
void Recognizer::takeCopies() {
  llvm::DenseMap<Operation *, size_t> counts;
  for (const PlannedNorm &norm : plan.norms)
    ++counts[getFunction(norm.op)];
  for (const InlinedFunction &function : inlined) {
    size_t known = counts.lookup(function.original);
    for (func::FuncOp callee : function.callees)
      known += counts.lookup(callee);
    size_t found = function.plan.norms.size();
    // A caller of this function has what it has, also where it stays.
    counts[function.original] = std::max(known, found);
    if (found > known)
      replaced.insert(function.original);
  }
  auto take = [&](std::vector<PlannedNorm> &found) {
    for (PlannedNorm &norm : found)
      if (!replaced.contains(getFunction(norm.op)))
        norms.push_back(std::move(norm));
  };
  take(plan.norms);
  for (InlinedFunction &function : inlined)
    if (replaced.contains(function.original)) {
      take(function.plan.norms);
      function.original.getBody().takeBody(function.copy->getBody());
    }
}

/// What only functions that are replaced have called.
void Recognizer::eraseCallees() {
  SmallVector<func::FuncOp> callees;
  for (const InlinedFunction &function : inlined)
    if (replaced.contains(function.original))
      llvm::append_range(callees, function.callees);
  if (callees.empty())
    return;
  llvm::SetVector<Operation *> unused = findUnused(scope, callees);
  gone.insert_range(unused);
  llvm::erase_if(norms, [&](const PlannedNorm &norm) {
    return gone.contains(getFunction(norm.op));
  });
  for (Operation *function : unused)
    function->erase();
}

void Recognizer::carryOut() {
  for (const PlannedNorm &norm : norms)
    result.recognized.push_back({{}, norm.op->getLoc(), describe(norm)});
  IRRewriter rewriter(scope->getContext());
  SmallVector<RMSNormOp> ops = rewrite(rewriter, norms);
  for (auto [norm, op] : llvm::zip_equal(result.recognized, ops))
    norm.op = op;
  // Nobody uses what a dead op computed.
  llvm::erase_if(result.recognized,
                 [](const RecognizedNorm &norm) { return !norm.op; });
}

/// What was refused in a function and again where it was inlined is said once.
void Recognizer::reportRefused(ArrayRef<PlannedRefusal> refusals) {
  SmallVector<Location> now; // two statistics may have one location
  for (const PlannedRefusal &refusal : refusals) {
    Location origin = getOrigin(refusal.norm.loc);
    if (replaced.contains(refusal.function) ||
        gone.contains(refusal.function) || said.contains(origin))
      continue;
    now.push_back(origin);
    result.refused.push_back(refusal.norm);
  }
  said.insert_range(now);
}

Recognition Recognizer::run() {
  takeCopies();
  eraseCallees();
  carryOut();
  reportRefused(plan.refused);
  llvm::erase_if(plan.rootsOfOthers, [&](const PlannedRefusal &refusal) {
    return llvm::any_of(inlined, [&](const InlinedFunction &function) {
      return function.original == refusal.function;
    });
  });
  reportRefused(plan.rootsOfOthers);
  // Also of a function that keeps its calls: what was refused spans one.
  for (const InlinedFunction &function : inlined)
    if (!gone.contains(function.original)) {
      reportRefused(function.plan.refused);
      reportRefused(function.plan.rootsOfOthers);
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
