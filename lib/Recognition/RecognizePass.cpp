//===- RecognizePass.cpp - recognition with remarks -----------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "norm/Recognition/Passes.h"
#include "norm/Recognition/Recognize.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMRECOGNIZE
#include "norm/Recognition/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using namespace mlir::norm;

static remark::RemarkOpts getRemarkOptions() {
  return remark::RemarkOpts::name("RMSNorm").category("norm-recognize");
}

static void report(const Recognition &recognition) {
  for (const RecognizedNorm &norm : recognition.recognized)
    remark::passed(norm.loc, getRemarkOptions()) << norm.description;
  for (const RefusedNorm &norm : recognition.refused)
    remark::missed(norm.loc, getRemarkOptions())
        << ("not an RMSNorm (" + stringifyRefusal(norm.reason) +
            "): " + norm.explanation)
               .str();
}

namespace {
struct NormRecognize : norm::impl::NormRecognizeBase<NormRecognize> {
  using NormRecognizeBase::NormRecognizeBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registerRecognitionDependencies(registry);
  }

  void runOnOperation() override {
    std::optional<Rounding> mode =
        llvm::StringSwitch<std::optional<Rounding>>(rounding)
            .Case("default", Rounding::Default)
            .Case("exact", Rounding::Exact)
            .Case("relaxed", Rounding::Relaxed)
            .Default(std::nullopt);
    if (!mode) {
      getOperation()->emitError("norm-recognize: rounding must be default, "
                                "exact or relaxed, got '")
          << rounding << "'";
      return signalPassFailure();
    }
    report(recognizeRMSNorms(getOperation(), *mode));
  }
};
} // namespace
