//===- Status.cpp - diagnostics as a status and a message -----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Status.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace mlir;
using namespace mlir::norm;

NormStatus norm::finish(NormError *error, NormStatus status,
                        const Twine &message) {
  if (error)
    error->message =
        status == NORM_SUCCESS ? nullptr : strdup(message.str().c_str());
  return status;
}

static void print(Diagnostic &diagnostic, StringRef kind, raw_ostream &os) {
  if (!isa<UnknownLoc>(diagnostic.getLocation()))
    os << diagnostic.getLocation() << ": ";
  os << kind << ": " << diagnostic.str() << "\n";
}

ErrorCollector::ErrorCollector(MLIRContext *context)
    : context(context), printedOps(context->shouldPrintOpOnDiagnostic()),
      handler(context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return failure();
        llvm::raw_string_ostream os(text);
        print(diagnostic, "error", os);
        for (Diagnostic &note : diagnostic.getNotes())
          print(note, "note", os);
        return success();
      }) {
  context->printOpOnDiagnostic(false);
}

ErrorCollector::~ErrorCollector() { context->printOpOnDiagnostic(printedOps); }

NormStatus ErrorCollector::finish(NormError *error, NormStatus status) const {
  return norm::finish(error, status, StringRef(text).rtrim());
}

void normErrorDestroy(NormError *error) {
  if (!error)
    return;
  free(error->message);
  error->message = nullptr;
}

llvm::Expected<Rounding> norm::parseRounding(MlirStringRef name) {
  if (name.length == 0)
    return Rounding::Default;
  if (std::optional<Rounding> rounding = symbolizeRounding(unwrap(name)))
    return *rounding;
  return llvm::createStringError(
      "rounding must be default, exact or relaxed, got '" + unwrap(name) + "'");
}
