//===- Passes.cpp - recognition with remarks, and what it reads -----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Recognition/Passes.h"
#include "../RowExpression/NormalForm.h"
#include "../RowExpression/Reader.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Remarks.h"
#include "norm/Recognition/Recognize.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMRECOGNIZE
#define GEN_PASS_DEF_NORMPRINTROWEXPRESSIONS
#include "norm/Recognition/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::row;

static void report(const Recognition &recognition) {
  auto options = remark::RemarkOpts::name("RMSNorm").category("norm-recognize");
  for (const RecognizedNorm &norm : recognition.recognized)
    remark::passed(norm.loc, options) << norm.description;
  for (const RejectedNorm &norm : recognition.rejected)
    remark::missed(norm.loc, options)
        << ("not an RMSNorm (" + stringifyRejectionReason(norm.reason) +
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
    report(recognizeRMSNorms(getOperation(), rounding));
  }
};
} // namespace

static std::string toText(const Node &node, AsmState &names) {
  std::string text;
  llvm::raw_string_ostream os(text);
  node.print(os, &names);
  return text;
}

/// Numbers the variables of each op from d0, so that each line stands alone.
static void printResults(linalg::LinalgOp op, AsmState &names) {
  Context context(op->getContext());
  Reader reader(context, [](Value) { return false; });
  const Body *body = reader.readBody(op);
  for (OpResult result : op->getResults()) {
    SmallVector<AffineExpr> indices;
    AffineMap map = op.getIndexingMapMatchingResult(result);
    for (AffineExpr expr : map.getResults())
      indices.push_back(expr.replaceDims(body->loops));
    auto *element = cast<ElementNode>(context.getElement(result, indices));
    const Node *opened = reader.open(element);
    const Node *node = opened ? opened : element;
    std::string form = toText(*normalize(context, node).node, names);
    std::string text = toText(*node, names);
    llvm::outs() << toText(*element, names) << " = " << text << '\n';
    if (form != text)
      llvm::outs() << "  normal form: " << form << '\n';
  }
}

namespace {
struct NormPrintRowExpressions
    : norm::impl::NormPrintRowExpressionsBase<NormPrintRowExpressions> {
  void runOnOperation() override {
    AsmState names(getOperation());
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op.hasPureTensorSemantics())
        printResults(op, names);
    });
    markAllAnalysesPreserved();
  }
};
} // namespace
