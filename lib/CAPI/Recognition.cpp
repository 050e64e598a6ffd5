//===- Recognition.cpp - C API of the recognizer --------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm-c/Recognition.h"
#include "Status.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Verifier.h"
#include "norm/Recognition/Recognize.h"

using namespace mlir;
using namespace mlir::norm;

static void loadDependencies(MLIRContext *context) {
  DialectRegistry registry;
  registerRecognitionDependencies(registry);
  context->appendDialectRegistry(registry);
  for (StringRef name : registry.getDialectNames())
    context->getOrLoadDialect(name);
}

static void report(const Recognition &found, NormFindingCallback callback,
                   void *userData) {
  if (!callback)
    return;
  for (const RecognizedNorm &norm : found.recognized) {
    NormFinding finding = {
        true, wrap(RMSNormOpInterface(norm.op).getOperation()), wrap(norm.loc),
        wrap(StringRef("")), wrap(StringRef(norm.description))};
    callback(&finding, userData);
  }
  for (const RejectedNorm &norm : found.rejected) {
    NormFinding finding = {false, MlirOperation{nullptr}, wrap(norm.loc),
                           wrap(stringifyRejectionReason(norm.reason)),
                           wrap(StringRef(norm.explanation))};
    callback(&finding, userData);
  }
}

NormStatus normRecognize(MlirOperation scope, MlirStringRef rounding,
                         NormFindingCallback callback, void *userData,
                         NormError *error) {
  Operation *root = unwrap(scope);
  if (!root || !root->hasTrait<OpTrait::IsIsolatedFromAbove>())
    return finish(error, NORM_INVALID_ARGUMENT,
                  "scope must be a module or a function");
  auto mode = parseRounding(rounding);
  if (!mode)
    return finish(error, NORM_INVALID_ARGUMENT,
                  llvm::toString(mode.takeError()));
  ErrorCollector errors(root->getContext());
  if (failed(verify(root)))
    return errors.finish(error, NORM_INVALID_IR);
  loadDependencies(root->getContext());
  Recognition found = recognizeRMSNorms(root, *mode);
  report(found, callback, userData);
  if (found.recognized.empty())
    return finish(error, NORM_NOT_FOUND, "no RMSNorm was recognized");
  return finish(error, NORM_SUCCESS);
}
