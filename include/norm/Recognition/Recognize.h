//===- Recognize.h - recognition as a function ------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What norm-recognize does, for a compiler that wants the matches and refusals
// as data: the pass is this function and a remark for each entry.
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

/// The values of an option that takes a Rounding.
inline llvm::cl::ValuesClass getRoundingValues() {
  return llvm::cl::values(
      clEnumValN(Rounding::Default, "default", "a bounded difference"),
      clEnumValN(Rounding::Exact, "exact", "the program's own bits"),
      clEnumValN(Rounding::Relaxed, "relaxed",
                 "also what is more precise than the program"));
}

/// Why a candidate is not an RMSNorm. NotACandidate is not reported: there is
/// no reciprocal root of a reduction in the expression.
enum class Refusal {
  NotACandidate,
  NotASum,         ///< the reduction is a max, a product, ...
  NotASquare,      ///< of |x|, x^3, x - mean, ...
  DifferentTensor, ///< the statistic is of another tensor or index map
  WrongDivisor,    ///< the sum is not divided by its number of terms
  WrongExponent,   ///< not the reciprocal of a square root
  EpsilonNotUniform,
  EpsilonNegative,
  DimsNotBroadcast,         ///< the statistic depends on a dimension it reduced
  DynamicExtent,            ///< the divisor is not proved to be that extent
  RoundingNotRepresentable, ///< roundings that S2 to S6 cannot state
  RoundingNotExact,         ///< accepted by default, refused by rounding=exact
  WeightNotRepresentable,
  WeightNotOverDims,     ///< it spans only dimensions that are not normalized
  InputNotRepresentable, ///< no tensor holds x in the result's shape
  ExpressionTooLarge,    ///< beyond what is compared
  NotOnTensors           ///< buffers: another op may write in between
};
StringRef stringifyRefusal(Refusal refusal);

/// A norm that is in the program now. The op says which variant it is: its
/// operands and attributes are S1 to S8 of docs/Norm.md.
struct RecognizedNorm {
  RMSNormOp op;
  Location loc;            ///< of the op that held the norm's last step
  std::string description; ///< for a person, as in the remark
};

/// A candidate that stays as it was.
struct RefusedNorm {
  Location loc; ///< of the op that was refused; a call site where it spans one
  Refusal reason;
  std::string explanation; ///< what was expected and what was found
};

/// In the order of the remarks.
struct Recognition {
  SmallVector<RecognizedNorm> recognized;
  SmallVector<RefusedNorm> refused;
};

/// Raises what is an RMSNorm in `scope`, a module or a function, to
/// norm.rmsnorm, and says what was refused. A norm that spans a call is found
/// where `scope` is a module.
Recognition recognizeRMSNorms(Operation *scope,
                              Rounding rounding = Rounding::Default);

/// What a pass that calls recognizeRMSNorms puts into getDependentDialects.
void registerRecognitionDependencies(DialectRegistry &registry);

} // namespace norm
} // namespace mlir

#endif // NORM_RECOGNITION_RECOGNIZE_H
