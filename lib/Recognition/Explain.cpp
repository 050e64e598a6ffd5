//===- Explain.cpp - the text of a rejection ------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Match.h"

using namespace mlir;
using namespace mlir::norm;

static constexpr struct {
  RejectionReason reason;
  const char *text;
} rejections[] = {
#define REJECTION(name, reason, text) {RejectionReason::reason, text},
#include "Rejections.def"
};

RejectionReason Rejection::getReason() const { return rejections[*id].reason; }

const char *norm::getTemplate(Rejection::Id id) { return rejections[id].text; }

RejectionOr<PlannedNorm>
norm::decideWithinBounds(row::Context &context,
                         function_ref<RejectionOr<PlannedNorm>()> decide) {
  context.takeBeyondBound(); // of an earlier decision
  RejectionOr<PlannedNorm> norm = decide();
  if (norm || !context.takeBeyondBound())
    return norm;
  Rejection rejection = norm.takeRejection();
  // What was compared with a law was read as a whole.
  if (llvm::is_contained({RejectionReason::NotACandidate,
                          RejectionReason::RoundingNotRepresentable,
                          RejectionReason::RoundingNotExact,
                          RejectionReason::ExpressionTooLarge},
                         rejection.getReason()))
    return rejection;
  return reject(Rejection::TooLarge, int64_t(row::Correspondence::kMaxPairs),
                int64_t(row::Context::kMaxRead), rejection.explanation);
}

StringRef norm::stringifyRejectionReason(RejectionReason rejection) {
  static constexpr StringLiteral names[] = {"not-a-candidate",
                                            "not-a-sum",
                                            "not-a-square",
                                            "different-tensor",
                                            "wrong-divisor",
                                            "wrong-exponent",
                                            "epsilon-not-uniform",
                                            "epsilon-negative",
                                            "dims-not-broadcast",
                                            "dynamic-extent",
                                            "rounding-not-representable",
                                            "rounding-not-exact",
                                            "weight-not-representable",
                                            "weight-not-over-dims",
                                            "input-not-representable",
                                            "expression-too-large",
                                            "not-on-tensors",
                                            "not-a-gradient"};
  static_assert(std::size(names) ==
                static_cast<unsigned>(RejectionReason::NotAGradient) + 1);
  return names[static_cast<unsigned>(rejection)];
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

std::string norm::text(const row::Fraction &value) {
  std::string result;
  llvm::raw_string_ostream os(result);
  os << value.num;
  if (value.den != 1)
    os << '/' << value.den;
  return result;
}
