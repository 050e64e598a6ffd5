//===- RMSNormMatch.cpp - is this expression an RMSNorm?
//--------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Recognition/RMSNormMatch.h"
#include "Matcher.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::norm;
using Kind = Expr::Kind;

StringRef norm::stringifyRefusal(Refusal refusal) {
  switch (refusal) {
  case Refusal::NotACandidate:
    return "not-a-candidate";
  case Refusal::NotASum:
    return "not-a-sum";
  case Refusal::NotASquare:
    return "not-a-square";
  case Refusal::DifferentTensor:
    return "different-tensor";
  case Refusal::WrongDivisor:
    return "wrong-divisor";
  case Refusal::WrongExponent:
    return "wrong-exponent";
  case Refusal::EpsilonNotUniform:
    return "epsilon-not-uniform";
  case Refusal::EpsilonNegative:
    return "epsilon-negative";
  case Refusal::DimsNotBroadcast:
    return "dims-not-broadcast";
  case Refusal::DynamicExtent:
    return "dynamic-extent";
  case Refusal::RoundingNotRepresentable:
    return "rounding-not-representable";
  case Refusal::RoundingNotExact:
    return "rounding-not-exact";
  case Refusal::WeightNotRepresentable:
    return "weight-not-representable";
  case Refusal::WeightNotOverDims:
    return "weight-not-over-dims";
  case Refusal::InputNotRepresentable:
    return "input-not-representable";
  case Refusal::ExpressionTooLarge:
    return "expression-too-large";
  case Refusal::NotOnTensors:
    return "not-on-tensors";
  }
  llvm_unreachable("unknown refusal");
}

bool norm::isArithmeticType(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
}

std::string norm::text(Type type) {
  std::string result;
  llvm::raw_string_ostream(result) << type;
  return result;
}

std::string norm::text(ArrayRef<int64_t> values) {
  std::string result;
  llvm::raw_string_ostream os(result);
  os << '[';
  llvm::interleaveComma(values, os);
  os << ']';
  return result;
}

std::string norm::text(const APFloat &value) {
  SmallString<32> digits;
  value.toString(digits, 9, 6);
  return digits.str().str();
}

/// Anchors of the products and roundings that `expr` is made of.
static void collectParts(const Expr *expr, const ExprReader &reader,
                         llvm::DenseSet<const Expr *> &seen,
                         SmallVectorImpl<Value> &parts) {
  if ((expr->kind != Kind::Mul && expr->kind != Kind::Round &&
       expr->kind != Kind::Extend) ||
      !seen.insert(expr).second)
    return;
  for (const Anchor &anchor : reader.getAnchors(expr))
    parts.push_back(anchor.tensor);
  for (const Expr *operand : expr->operands)
    collectParts(operand, reader, seen, parts);
}

const Expr *norm::findReduction(const Expr *expr) {
  while (expr && expr->kind != Kind::Sum && !expr->isReduction) {
    const auto *it = llvm::find_if(expr->operands, [](const Expr *operand) {
      return operand->hasReduction;
    });
    expr = it == expr->operands.end() ? nullptr : *it;
  }
  return expr;
}

Decision Matcher::decide() {
  Decision decision;
  RMSNormMatch match;
  Check reason = run(match);
  if (const Expr *sum = inverse.sum ? inverse.sum : findReduction(rootFactor);
      sum && !reader.getAnchors(sum).empty())
    decision.statistic = reader.getAnchors(sum).front().tensor;
  if (!reason) {
    decision.match = std::move(match);
    return decision;
  }
  decision.refusal = reason->refusal;
  decision.explanation = reason->explanation;
  if (reason->refusal == Refusal::WeightNotOverDims) {
    llvm::DenseSet<const Expr *> seen;
    collectParts(root, reader, seen, decision.refusedParts);
  }
  return decision;
}

/// What the op takes: tensors of f16, bf16, f32 and f64 without an encoding,
/// for a sparse x would be read as a dense one.
Check Matcher::checkOperands(const RMSNormMatch &match) {
  for (Value operand : {match.input, match.weight}) {
    Type type = operand ? operand.getType() : root->type;
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor && tensor.getEncoding())
      return refuse(Refusal::InputNotRepresentable,
                    "a tensor with the encoding " + text(tensor));
    if (!isArithmeticType(getElementTypeOrSelf(type)))
      return refuse(Refusal::InputNotRepresentable,
                    "expected f16, bf16, f32 or f64 values, found " +
                        text(type));
  }
  for (Type type : {Type(root->type), Type(compute), Type(match.sumType),
                    Type(scaleType), Type(normalizedType),
                    match.weightExpr ? match.weightExpr->type : Type()})
    if (type && !isArithmeticType(type))
      return refuse(Refusal::RoundingNotRepresentable,
                    "expected arithmetic in f16, bf16, f32 or f64, found " +
                        text(type));
  return std::nullopt;
}

/// What the norm is comes first, how it is computed next, operands last.
Check Matcher::run(RMSNormMatch &match) {
  if (Check reason = findFactors())
    return reason;
  if (Check reason = checkSquare(match))
    return reason;
  if (Check reason = findInput(match))
    return reason;
  if (Check reason = checkDims(match))
    return reason;
  if (Check reason = checkDivisor(match))
    return reason;
  if (Check reason = checkTypes(match))
    return reason;
  if (Check reason = checkEpsilon(match))
    return reason;
  if (Check reason = checkRounding())
    return reason;
  if (Check reason = findWeight(match))
    return reason;
  if (Check reason = checkOperands(match))
    return reason;
  findInverseRoots(match);
  toInputSpace(match);
  return std::nullopt;
}

Decision norm::decideRMSNorm(const Expr *expr, ExprReader &reader,
                             Rounding rounding, bool joinsWeights) {
  Matcher strict(expr, reader, rounding, joinsWeights, /*raises=*/false);
  Decision decision = strict.decide();
  if (decision.match || decision.refusal == Refusal::NotACandidate ||
      !strict.hasNarrowStatistic())
    return decision;
  Matcher raising(expr, reader, rounding, joinsWeights, /*raises=*/true);
  Decision raised = raising.decide();
  if (!raised.match)
    return decision;
  if (rounding == Rounding::Relaxed)
    return raised;
  // With its roundings away it is a norm: they are the true reason.
  if (decision.refusal != Refusal::RoundingNotRepresentable)
    decision.explanation =
        "the statistic is rounded before the root: " + decision.explanation;
  decision.refusal = Refusal::RoundingNotRepresentable;
  decision.explanation += "; rounding=relaxed computes it in " +
                          text(raised.match->computeType) + " instead";
  return decision;
}
