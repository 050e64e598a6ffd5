//===- Recognize.cpp - apply recognition to a program ---------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Recognition/Recognize.h"
#include "Apply.h"
#include "Calls.h"
#include "Candidates.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::norm;

static std::string describe(const RMSNormMatch &match) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "found RMSNorm over dims [";
  llvm::interleaveComma(match.dims, os);
  SmallString<16> epsilon;
  match.epsilon.toString(epsilon, 6, 3);
  os << "], epsilon " << epsilon << ' ' << stringifyEpsilonMode(match.mode)
     << " the root, statistics in " << match.computeType;
  if (match.count)
    os << ", of the first " << *match.count << " elements";
  if (!match.weight && !match.weightExpr)
    os << ", no weight";
  else if (match.weightDims.empty())
    os << ", scalar weight";
  if (match.sumType)
    os << ", divided in " << match.sumType;
  if (match.rootForm != RootForm::Reciprocal)
    os << ", root form " << stringifyRootForm(match.rootForm);
  if (match.scaleType)
    os << ", reciprocal root rounded to " << match.scaleType;
  if (match.normalizedType)
    os << ", rounded to " << match.normalizedType << " before the weight";
  return text;
}

namespace {
/// Numbers for ops that outlive them: an address may be used again.
class OpNumbers : public RewriterBase::Listener {
public:
  unsigned get(Operation *op) {
    return numbers.try_emplace(op, ++last).first->second;
  }
  /// Whether `op` is still the one that got this number.
  bool isAlive(Operation *op, unsigned number) const {
    return numbers.lookup(op) == number;
  }
  bool isErased(Operation *op) const { return erased.contains(op); }
  void notifyOperationErased(Operation *op) override {
    numbers.erase(op);
    for (Value result : op->getResults())
      refused.erase(result);
    erased.insert(op);
  }
  /// Before a new walk, whose ops may stand where erased ones stood.
  void forgetErased() {
    erased.clear();
    refused.clear();
  }

  /// What this walk has refused: no part of a statistic after it.
  llvm::DenseSet<Value> refused;

private:
  llvm::DenseMap<Operation *, unsigned> numbers;
  llvm::DenseSet<Operation *> erased;
  unsigned last = 0;
};

/// What was found, and in which function. A refusal that is about the
/// statistic of a norm that is found in another op, or as a part of this one,
/// is none.
class Findings {
public:
  void refuse(Operation *op, Decision decision, unsigned statistic) {
    refused.insert(
        {statistic,
         {getFunction(op),
          {op->getLoc(), decision.refusal, std::move(decision.explanation)}}});
  }
  void forgetRefusals() { refused.clear(); }
  /// Before the rewrite, which may erase `op`.
  void find(Operation *op, const RMSNormMatch &match, unsigned statistic) {
    hasNorm.insert(statistic);
    found.push_back(
        {getFunction(op), {RMSNormOp(), op->getLoc(), describe(match)}});
  }
  /// The op of the last entry.
  void setOp(RMSNormOp op, unsigned number) {
    found.back().norm.op = op;
    found.back().number = number;
  }
  void replace(unsigned number, RMSNormOp op, unsigned newNumber) {
    for (Found &entry : found)
      if (entry.number == number) {
        entry.norm.op = op;
        entry.number = newNumber;
      }
  }
  /// Norms that a later one has made dead.
  void forgetErased(const OpNumbers &numbers) {
    llvm::erase_if(found, [&](const Found &entry) {
      return !numbers.isAlive(entry.norm.op, entry.number);
    });
  }

  void countByFunction(llvm::DenseMap<Operation *, unsigned> &counts) const {
    for (const Found &entry : found)
      ++counts[entry.function];
  }
  unsigned getNumFound() const { return found.size(); }

  void takeFound(const llvm::DenseSet<Operation *> &silent,
                 SmallVectorImpl<RecognizedNorm> &norms) {
    for (Found &entry : found)
      if (!silent.contains(entry.function))
        norms.push_back(std::move(entry.norm));
  }

  /// What was refused in a function and again where it was inlined is said
  /// once: `said` holds where it stands in the program.
  void takeRefused(const llvm::DenseSet<Operation *> &silent,
                   llvm::DenseSet<Location> &said,
                   SmallVectorImpl<RefusedNorm> &norms) {
    SmallVector<Location> now; // two statistics may have one location
    for (auto &[statistic, entry] : refused) {
      Location origin = getOrigin(entry.norm.loc);
      if (hasNorm.contains(statistic) || silent.contains(entry.function) ||
          said.contains(origin))
        continue;
      now.push_back(origin);
      norms.push_back(std::move(entry.norm));
    }
    said.insert_range(now);
  }

private:
  static Location getOrigin(Location loc) {
    while (auto call = dyn_cast<CallSiteLoc>(loc))
      loc = call.getCallee();
    return loc;
  }
  static Operation *getFunction(Operation *op) {
    return op->getParentOfType<FunctionOpInterface>();
  }
  struct Found {
    Operation *function; // may be null
    RecognizedNorm norm;
    unsigned number = 0; // of its op
  };
  struct Refused {
    Operation *function; // may be null
    RefusedNorm norm;
  };
  SmallVector<Found> found;
  llvm::MapVector<unsigned, Refused> refused; // by statistic
  llvm::DenseSet<unsigned> hasNorm;
};

/// Walks a program and replaces what is an RMSNorm.
class Recognizer {
public:
  /// The functions `readAgain` are read once more with their calls inlined.
  Recognizer(Operation *scope, Rounding rounding,
             const llvm::DenseSet<Operation *> &readAgain)
      : scope(scope), rounding(rounding), readAgain(readAgain),
        rewriter(scope->getContext()) {
    rewriter.setListener(&numbers);
  }

  /// From the first norm on, so that those before are leaves, but of each from
  /// its last op: with its weight before its unweighted part. What is left may
  /// be a norm with a product of weights, or fused into a reduction after it:
  /// these come second, for alone they would take the norms of others for a
  /// part of their own.
  Findings run() {
    visit(/*leftovers=*/false);
    findings.forgetRefusals(); // what is still refused is refused again
    visit(/*leftovers=*/true);
    for (linalg::LinalgOp op : collectRootsOfOthers(scope))
      if (!readAgain.contains(op->getParentOfType<func::FuncOp>()))
        reportRootOfOther(op);
    scope->walk([&](linalg::LinalgOp op) {
      if (op.hasPureBufferSemantics())
        reportBuffers(op);
    });
    reuseStatistics();
    findings.forgetErased(numbers);
    return std::move(findings);
  }

private:
  /// Tensors that hold what could be the inv_rms of a norm.
  struct Statistic {
    Operation *norm;
    unsigned number;
    struct Held {
      Operation *producer;
      unsigned number, result;
    };
    SmallVector<Held> tensors;
  };

  void visit(bool leftovers) {
    numbers.forgetErased();
    for (linalg::LinalgOp op : collectCandidates(scope))
      if (!numbers.isErased(op))
        recognize(op, leftovers);
  }

  void recognize(linalg::LinalgOp op, bool leftovers) {
    if (!op.hasPureTensorSemantics())
      return;
    if (op.getNumReductionLoops() > 0 && !leftovers)
      return;
    // What is left of an op after a norm is taken out may hold another one.
    while (op)
      op = recognizeOnce(op, leftovers);
  }

  /// One norm of `op`; returns the rest of it, if any.
  linalg::LinalgOp recognizeOnce(linalg::LinalgOp op, bool leftovers) {
    for (OpResult result : op->getResults()) {
      if (result.use_empty() || refusedParts.contains(result) ||
          !isa<RankedTensorType>(result.getType()))
        continue;
      for (BodyCandidates &candidates : collectBodyCandidates(result))
        if (auto applied = recognizeOneOf(candidates, result, leftovers))
          return applied->rest;
    }
    return {};
  }

  std::optional<Applied> recognizeOneOf(BodyCandidates &candidates,
                                        OpResult result, bool leftovers) {
    auto op = cast<linalg::LinalgOp>(result.getOwner());
    unsigned resultNumber = result.getResultNumber();
    ExprReader reader(op, resultNumber, candidates.loops, numbers.refused);
    if (candidates.scalars.empty() || !reader.read())
      return std::nullopt;
    Value yielded = op.getBlock()->getTerminator()->getOperand(resultNumber);
    for (Value scalar : candidates.scalars) {
      const Expr *expr = reader.getExpr(scalar);
      // Null: a value from outside, or one that the result does not need.
      if (!expr || !expr->hasReduction)
        continue;
      Decision decision = decideRMSNorm(expr, reader, rounding, leftovers);
      if (decision.match)
        return applyMatch(result, scalar, reader, decision);
      if (decision.refusal == Refusal::NotACandidate)
        continue;
      if (expr->hasBeyondBound && mayBeDueToBound(decision.refusal))
        decision = refuseTooLarge(std::move(decision));
      if (scalar == yielded)
        numbers.refused.insert(result);
      note(op, decision);
      for (Value part : decision.refusedParts)
        if (part.getDefiningOp() != op)
          refusedParts.insert(part);
      // A part of it would be another function of x than the whole.
      if (decision.refusal == Refusal::WeightNotOverDims)
        break;
    }
    return std::nullopt;
  }

  Applied applyMatch(OpResult result, Value scalar, const ExprReader &reader,
                     const Decision &decision) {
    auto op = cast<linalg::LinalgOp>(result.getOwner());
    note(op, decision);
    SmallVector<Statistic::Held> holders = getHolders(*decision.match);
    Applied applied = apply(rewriter, op, result.getResultNumber(), scalar,
                            reader, *decision.match);
    findings.setOp(applied.norm, numbers.get(applied.norm));
    if (!holders.empty())
      statistics.push_back({applied.norm, numbers.get(applied.norm), holders});
    return applied;
  }

  /// Whether what was not read could have been what was not found.
  static bool mayBeDueToBound(Refusal refusal) {
    switch (refusal) {
    case Refusal::NotASum:
    case Refusal::NotASquare:
    case Refusal::DifferentTensor:
    case Refusal::WrongExponent:
    case Refusal::EpsilonNotUniform:
    case Refusal::DynamicExtent:
    case Refusal::InputNotRepresentable:
    case Refusal::WeightNotRepresentable:
      return true;
    default:
      return false;
    }
  }

  static Decision refuseTooLarge(Decision decision) {
    decision.refusal = Refusal::ExpressionTooLarge;
    decision.explanation = "beyond " + std::to_string(ExprReader::kMaxNodes) +
                           " nodes in all or " +
                           std::to_string(ExprReader::kMaxBody) +
                           " ops in one body nothing is read; without that, " +
                           decision.explanation;
    return decision;
  }

  void note(linalg::LinalgOp op, const Decision &decision) {
    Operation *reduction = decision.statistic
                               ? decision.statistic.getDefiningOp()
                               : op.getOperation();
    unsigned statistic = numbers.get(reduction);
    if (!decision.match)
      return findings.refuse(op, decision, statistic);
    findings.find(op, *decision.match, statistic);
  }

  /// Before the rewrite, which may erase them.
  SmallVector<Statistic::Held> getHolders(const RMSNormMatch &match) {
    SmallVector<Statistic::Held> holders;
    for (Value tensor : match.inverseRoots) {
      auto result = cast<OpResult>(tensor);
      Operation *owner = result.getOwner();
      holders.push_back({owner, numbers.get(owner), result.getResultNumber()});
    }
    return holders;
  }

  /// Last, for a norm that is found later may be another user of the statistic.
  void reuseStatistics() {
    for (Statistic &statistic : statistics) {
      if (!numbers.isAlive(statistic.norm, statistic.number))
        continue;
      SmallVector<Value> tensors;
      for (auto [producer, number, result] : statistic.tensors)
        if (numbers.isAlive(producer, number) &&
            !producer->getResult(result).use_empty())
          tensors.push_back(producer->getResult(result));
      if (tensors.empty())
        continue;
      auto norm = cast<RMSNormOp>(statistic.norm);
      RMSNormOp reused = reuseStatistic(rewriter, norm, tensors);
      findings.replace(statistic.number, reused, numbers.get(reused));
    }
  }

  /// What no decision was taken about.
  void refuse(linalg::LinalgOp op, Refusal refusal, StringRef explanation) {
    Decision decision;
    decision.refusal = refusal;
    decision.explanation = explanation.str();
    note(op, decision);
  }

  /// As in the inference of a batch norm, whose variance is an argument.
  void reportRootOfOther(linalg::LinalgOp op) {
    refuse(op, Refusal::NotASum,
           "the root of a value that no sum in the function computes");
  }

  /// Buffers are not read: another op may write x between its two uses.
  void reportBuffers(linalg::LinalgOp op) {
    if (hasRoot(op))
      refuse(op, Refusal::NotOnTensors,
             "a root on buffers; recognition reads linalg on tensors, before "
             "bufferization");
  }

  Operation *scope;
  Rounding rounding;
  const llvm::DenseSet<Operation *> &readAgain;
  SmallVector<Statistic> statistics;
  IRRewriter rewriter;
  OpNumbers numbers;
  Findings findings;
  llvm::DenseSet<Value> refusedParts;
};
} // namespace

/// Takes the copies that have norms which neither the function nor what it
/// calls has.
static llvm::DenseSet<Operation *>
replace(MutableArrayRef<InlinedFunction> inlined, const Findings &findings,
        ArrayRef<Findings> across) {
  llvm::DenseMap<Operation *, unsigned> counts;
  findings.countByFunction(counts);
  llvm::DenseSet<Operation *> replaced;
  for (auto [function, ofCopy] : llvm::zip_equal(inlined, across)) {
    unsigned known = counts.lookup(function.original);
    for (func::FuncOp callee : function.callees)
      known += counts.lookup(callee);
    // A caller of this function has what it has, also where it stays.
    counts[function.original] = std::max(known, ofCopy.getNumFound());
    if (ofCopy.getNumFound() <= known)
      continue;
    function.original.getBody().takeBody(function.copy->getBody());
    replaced.insert(function.original);
  }
  return replaced;
}

/// What was called by the functions that are replaced.
static llvm::DenseSet<Operation *>
eraseInlined(Operation *scope, ArrayRef<InlinedFunction> inlined,
             const llvm::DenseSet<Operation *> &replaced) {
  if (replaced.empty())
    return {};
  SmallVector<func::FuncOp> callees;
  for (const InlinedFunction &function : inlined)
    if (replaced.contains(function.original))
      llvm::append_range(callees, function.callees);
  return eraseUnused(scope, callees);
}

Recognition norm::recognizeRMSNorms(Operation *scope, Rounding rounding) {
  SmallVector<InlinedFunction> inlined = inlineCalls(scope);
  llvm::DenseSet<Operation *> readAgain, none;
  for (InlinedFunction &function : inlined)
    readAgain.insert(function.original);
  Findings findings = Recognizer(scope, rounding, readAgain).run();
  SmallVector<Findings> across;
  for (InlinedFunction &function : inlined)
    across.push_back(Recognizer(*function.copy, rounding, none).run());
  llvm::DenseSet<Operation *> replaced = replace(inlined, findings, across);
  llvm::DenseSet<Operation *> erased = eraseInlined(scope, inlined, replaced);

  Recognition result;
  llvm::DenseSet<Operation *> silent = erased;
  silent.insert_range(replaced);
  llvm::DenseSet<Location> said;
  findings.takeFound(silent, result.recognized);
  for (auto [function, each] : llvm::zip_equal(inlined, across))
    if (replaced.contains(function.original) &&
        !erased.contains(function.original))
      each.takeFound({}, result.recognized);
  findings.takeRefused(silent, said, result.refused);
  // Also of a function that keeps its calls: what was refused spans one.
  for (auto [function, each] : llvm::zip_equal(inlined, across))
    if (!erased.contains(function.original))
      each.takeRefused({}, said, result.refused);
  return result;
}

void norm::registerRecognitionDependencies(DialectRegistry &registry) {
  registry.insert<NormDialect, tensor::TensorDialect>();
  func::registerInlinerExtension(registry);
}
