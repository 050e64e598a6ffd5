//===- Recognize.cpp - apply recognition to a program ---------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Recognition/Recognize.h"
#include "Calls.h"
#include "Rewrite.h"
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
      : scope(scope), rewriter(scope->getContext()),
        inlined(inlineCalls(scope)), plan(makePlan(scope, rounding)) {
    for (InlinedFunction &function : inlined)
      copies.push_back(makePlan(*function.copy, rounding));
  }

  Recognition run();

private:
  void chooseCopies();
  void carryOut(Plan &each, Operation *only);
  void reportRefused(ArrayRef<PlannedRefusal> refusals);
  llvm::DenseSet<Operation *> eraseInlined();

  Operation *scope;
  IRRewriter rewriter;
  SmallVector<InlinedFunction> inlined;
  Plan plan;
  SmallVector<Plan> copies;
  llvm::DenseSet<Operation *> replaced, erased; // functions
  llvm::DenseSet<Location> said;
  SmallVector<std::pair<Operation *, RecognizedNorm>> found;
  Recognition result;
};
} // namespace

/// Takes the copies that have norms which neither the function nor what it
/// calls has.
void Recognizer::chooseCopies() {
  llvm::DenseMap<Operation *, size_t> counts;
  for (const PlannedNorm &norm : plan.norms)
    ++counts[getFunction(norm.op)];
  for (auto [function, copy] : llvm::zip_equal(inlined, copies)) {
    size_t known = counts.lookup(function.original);
    for (func::FuncOp callee : function.callees)
      known += counts.lookup(callee);
    // A caller of this function has what it has, also where it stays.
    counts[function.original] = std::max(known, copy.norms.size());
    if (copy.norms.size() > known)
      replaced.insert(function.original);
  }
}

/// `only`: the function that the norms are counted for; null: their own.
void Recognizer::carryOut(Plan &each, Operation *only) {
  std::vector<PlannedNorm> norms;
  SmallVector<std::pair<Operation *, RecognizedNorm>> entries;
  for (PlannedNorm &norm : each.norms) {
    Operation *function = only ? only : getFunction(norm.op);
    if (!only && replaced.contains(function))
      continue;
    entries.push_back(
        {function, {RMSNormOp(), norm.op->getLoc(), describe(norm)}});
    norms.push_back(std::move(norm));
  }
  for (auto [entry, op] : llvm::zip_equal(entries, rewrite(rewriter, norms))) {
    entry.second.op = op;
    if (op) // nobody uses what a dead op computed
      found.push_back(std::move(entry));
  }
}

/// What was refused in a function and again where it was inlined is said once.
void Recognizer::reportRefused(ArrayRef<PlannedRefusal> refusals) {
  SmallVector<Location> now; // two statistics may have one location
  for (const PlannedRefusal &refusal : refusals) {
    Location origin = getOrigin(refusal.norm.loc);
    if (replaced.contains(refusal.function) ||
        erased.contains(refusal.function) || said.contains(origin))
      continue;
    now.push_back(origin);
    result.refused.push_back(refusal.norm);
  }
  said.insert_range(now);
}

/// What was called by the functions that are replaced.
llvm::DenseSet<Operation *> Recognizer::eraseInlined() {
  SmallVector<func::FuncOp> callees;
  for (const InlinedFunction &function : inlined)
    if (replaced.contains(function.original))
      llvm::append_range(callees, function.callees);
  return callees.empty() ? llvm::DenseSet<Operation *>()
                         : eraseUnused(scope, callees);
}

Recognition Recognizer::run() {
  chooseCopies();
  carryOut(plan, nullptr);
  for (auto [function, copy] : llvm::zip_equal(inlined, copies))
    if (replaced.contains(function.original)) {
      carryOut(copy, function.original);
      function.original.getBody().takeBody(function.copy->getBody());
    }
  erased = eraseInlined();
  for (auto &[function, norm] : found)
    if (!erased.contains(function))
      result.recognized.push_back(std::move(norm));
  reportRefused(plan.refused);
  llvm::erase_if(plan.rootsOfOthers, [&](const PlannedRefusal &refusal) {
    return llvm::any_of(inlined, [&](const InlinedFunction &function) {
      return function.original == refusal.function;
    });
  });
  reportRefused(plan.rootsOfOthers);
  // Also of a function that keeps its calls: what was refused spans one.
  for (auto [function, copy] : llvm::zip_equal(inlined, copies))
    if (!erased.contains(function.original)) {
      reportRefused(copy.refused);
      reportRefused(copy.rootsOfOthers);
    }
  return std::move(result);
}

Recognition norm::recognizeRMSNorms(Operation *scope, Rounding rounding) {
  return Recognizer(scope, rounding).run();
}

void norm::registerRecognitionDependencies(DialectRegistry &registry) {
  registry.insert<NormDialect, math::MathDialect, tensor::TensorDialect>();
  func::registerInlinerExtension(registry);
}
