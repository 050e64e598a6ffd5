//===- Status.h - diagnostics as a status and a message ---------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_CAPI_STATUS_H
#define NORM_CAPI_STATUS_H

#include "mlir/IR/Diagnostics.h"
#include "norm-c/Norm.h"
#include "norm/Recognition/Recognize.h"
#include "llvm/Support/Error.h"
#include <cstring>

namespace mlir::norm {

/// Fills `error`, if there is one, and returns `status`.
NormStatus finish(NormError *error, NormStatus status,
                  const Twine &message = "");

/// The rounding of that name, by default where it is empty; an error for
/// others.
llvm::Expected<Rounding> parseRounding(MlirStringRef name);

/// An enum of the caller's as a number: C may put any into it, which C++ must
/// not load as the enum.
template <typename Enum> unsigned getNumber(const Enum &value) {
  unsigned number;
  static_assert(sizeof(number) == sizeof(value));
  std::memcpy(&number, &value, sizeof(number));
  return number;
}

/// While it lives, keeps the errors of a context from other handlers, without
/// the op that each is about; warnings and remarks go on to these.
class ErrorCollector {
public:
  explicit ErrorCollector(MLIRContext *context);
  ~ErrorCollector();
  /// The errors so far, or `status` without one.
  NormStatus finish(NormError *error, NormStatus status) const;

private:
  MLIRContext *context;
  bool printedOps;
  std::string text;
  ScopedDiagnosticHandler handler;
};

} // namespace mlir::norm

#endif // NORM_CAPI_STATUS_H
