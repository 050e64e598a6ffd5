//===- Status.h - diagnostics as a status and a message ---------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This header is private to this folder.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_CAPI_STATUS_H
#define NORM_LIB_CAPI_STATUS_H

#include "mlir/IR/Diagnostics.h"
#include "norm-c/Norm.h"
#include "norm/Recognition/Recognize.h"
#include "llvm/Support/Error.h"
#include <cstring>

namespace mlir::norm {

/// Fills `error`, if there is one, and returns `status`.
NormStatus finish(NormError *error, NormStatus status,
                  const Twine &message = "");

/// Returns the rounding of that name, or the default for an empty name; other
/// names are errors.
llvm::Expected<Rounding> parseRounding(MlirStringRef name);

/// Returns an enum from C as a number. C may store any value in it, which C++
/// must not load as the enum.
template <typename Enum> unsigned getNumber(const Enum &value) {
  unsigned number;
  static_assert(sizeof(number) == sizeof(value));
  std::memcpy(&number, &value, sizeof(number));
  return number;
}

/// Catches the errors of a context, without the op that each is about, while it
/// lives; warnings and remarks go on to the other handlers.
class ErrorCollector {
public:
  explicit ErrorCollector(MLIRContext *context);
  ~ErrorCollector();
  /// Returns the errors so far as a status, or `status` if there are none.
  NormStatus finish(NormError *error, NormStatus status) const;

private:
  MLIRContext *context;
  bool printedOps;
  std::string text;
  ScopedDiagnosticHandler handler;
};

} // namespace mlir::norm

#endif // NORM_LIB_CAPI_STATUS_H
