//===- Recognize.h - recognition as a function ------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The recognizer returns matches and rejections as data. The pass
// norm-recognize calls it and emits one remark per entry.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_RECOGNITION_RECOGNIZE_H
#define NORM_RECOGNITION_RECOGNIZE_H

#include "norm/IR/Norm.h"
#include "llvm/Support/CommandLine.h"

namespace mlir {
class DialectRegistry;
namespace norm {

enum class Rounding { Default, Exact, Relaxed };
std::optional<Rounding> symbolizeRounding(StringRef name);

/// Returns the values of an option that takes a Rounding.
inline llvm::cl::ValuesClass getRoundingValues() {
  return llvm::cl::values(
      clEnumValN(Rounding::Default, "default", "a bounded difference"),
      clEnumValN(Rounding::Exact, "exact", "the program's own bits"),
      clEnumValN(Rounding::Relaxed, "relaxed",
                 "also what is more precise than the program"));
}

/// The reason why a candidate is not an RMSNorm. NotACandidate is not reported:
/// the expression has no reciprocal root of a reduction.
enum class RejectionReason {
  NotACandidate,
  NotASum,         ///< the reduction is a maximum, a product, ...
  NotASquare,      ///< the terms are |x|, x^3, x - mean, ...
  DifferentTensor, ///< the statistic is of another tensor or index map
  WrongDivisor,    ///< the sum is not divided by its number of terms
  WrongExponent,   ///< the root is not a reciprocal square root
  EpsilonNotUniform,
  EpsilonNegative,
  DimsNotBroadcast,         ///< the statistic depends on a dimension it reduced
  DynamicExtent,            ///< the divisor is not proved to be that extent
  RoundingNotRepresentable, ///< S2 to S6 cannot express the roundings
  RoundingNotExact,         ///< rounding=default would accept it
  WeightNotRepresentable,
  WeightNotOverDims,     ///< it spans only dimensions that are not normalized
  InputNotRepresentable, ///< no tensor holds x in the result's shape
  ExpressionTooLarge,    ///< the expression exceeds the bounds on comparison
  NotOnTensors,          ///< another op may write to the buffers in between
  NotAGradient           ///< a sum with a projection, but not dx of a norm
};
StringRef stringifyRejectionReason(RejectionReason rejection);

/// A norm or its gradients in the rewritten program. The operands and
/// attributes of `op` say which variant it is (docs/Norm.md, S1 to S8 and B1 to
/// B8).
struct RecognizedNorm {
  RMSNormOpInterface op;
  Location loc;            ///< the op that computed the norm's last step
  std::string description; ///< the text of the remark
};

/// A candidate that was rejected and left unchanged.
struct RejectedNorm {
  Location loc; ///< the rejected op; the call site where it spans one
  RejectionReason reason;
  std::string explanation; ///< what was expected and what was found
};

/// The results of recognition, in the order of the remarks.
struct Recognition {
  SmallVector<RecognizedNorm> recognized;
  SmallVector<RejectedNorm> rejected;
};

/// Replaces every RMSNorm in `scope`, a module or a function, by norm.rmsnorm,
/// and returns the matches and the rejections. A norm that spans a call is
/// found only where `scope` is a module.
Recognition recognizeRMSNorms(Operation *scope,
                              Rounding rounding = Rounding::Default);

/// Registers the dialects that a pass which calls recognizeRMSNorms depends on.
void registerRecognitionDependencies(DialectRegistry &registry);

} // namespace norm
} // namespace mlir

#endif // NORM_RECOGNITION_RECOGNIZE_H
