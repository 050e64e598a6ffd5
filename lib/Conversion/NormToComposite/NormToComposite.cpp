//===- NormToComposite.cpp - norm ops to stablehlo.composite --------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decomposition.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "norm/Conversion/NormToComposite/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMTOCOMPOSITE
#include "norm/Conversion/NormToComposite/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using namespace mlir::norm;

static LogicalResult check(RMSNormOp op) {
  for (Type type : op->getOperandTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return op.emitOpError("on memrefs: StableHLO has tensors only");
    if (!tensor.hasStaticShape())
      return op.emitOpError("norm-to-composite: ")
             << type << " is dynamic; static shapes are written only";
  }
  return success();
}

/// Returns everything that S1 to S8 need, with defaults, as builtin attributes.
static DictionaryAttr getAttributes(RMSNormOp op) {
  Builder b(op.getContext());
  NamedAttrList list;
  list.append("dims", b.getDenseI64ArrayAttr(op.getDims()));
  list.append("epsilon", FloatAttr::get(op.getEffectiveComputeType(),
                                        op.getEpsilonInComputeType()));
  list.append("epsilon_mode",
              b.getStringAttr(stringifyEpsilonMode(op.getEpsilonMode())));
  list.append("root_form",
              b.getStringAttr(stringifyRootForm(op.getRootForm())));
  list.append("compute_type", TypeAttr::get(op.getEffectiveComputeType()));
  for (auto [name, type] :
       {std::pair("sum_type", op.getSumType()),
        std::pair("scale_type", op.getScaleType()),
        std::pair("normalized_type", op.getNormalizedType())})
    if (type)
      list.append(name, TypeAttr::get(*type));
  if (op.getWeight())
    list.append("weight_dims",
                b.getDenseI64ArrayAttr(op.getEffectiveWeightDims()));
  if (op.getCount())
    list.append("count", b.getI64IntegerAttr(*op.getCount()));
  return list.getDictionary(op.getContext());
}

static SmallVector<Value> getInputs(RMSNormOp op) {
  SmallVector<Value> inputs{op.getInput()};
  if (op.getWeight())
    inputs.push_back(op.getWeight());
  return inputs;
}

static func::FuncOp createDecomposition(RMSNormOp op, FunctionType type,
                                        SymbolTable &symbols) {
  auto function = func::FuncOp::create(op.getLoc(), "norm.rmsnorm.impl", type);
  function.setPrivate();
  OpBuilder b(op.getContext());
  b.setInsertionPointToStart(function.addEntryBlock());
  func::ReturnOp::create(b, op.getLoc(),
                         buildStableHLO(b, op, function.getArguments()));
  symbols.insert(function); // renames it where the name is taken
  return function;
}

static void replaceByComposite(RewriterBase &rewriter, RMSNormOp op,
                               DictionaryAttr attributes,
                               func::FuncOp decomposition) {
  rewriter.setInsertionPoint(op);
  OperationState state(op.getLoc(), "stablehlo.composite", getInputs(op),
                       op->getResultTypes());
  state.addAttribute("name", rewriter.getStringAttr("norm.rmsnorm"));
  state.addAttribute("composite_attributes", attributes);
  state.addAttribute("decomposition", SymbolRefAttr::get(decomposition));
  state.addAttribute("version", rewriter.getI32IntegerAttr(1));
  SmallVector<Operation *> inits;
  for (Value init : op.getDpsInits())
    if (Operation *producer = init.getDefiningOp())
      inits.push_back(producer);
  rewriter.replaceOp(op, rewriter.create(state));
  for (Operation *init : inits)
    if (isOpTriviallyDead(init))
      rewriter.eraseOp(init);
}

namespace {
struct NormToComposite : norm::impl::NormToCompositeBase<NormToComposite> {
  void runOnOperation() override {
    SmallVector<RMSNormOp> ops;
    bool hasGradient = false;
    getOperation()->walk([&](RMSNormOpInterface op) {
      if (auto forward = dyn_cast<RMSNormOp>(*op))
        return ops.push_back(forward);
      hasGradient = true;
      op->emitOpError("norm-to-composite: there is no composite of gradients; "
                      "norm-to-linalg decomposes them");
    });
    if (hasGradient)
      return signalPassFailure();
    if (ops.empty())
      return;
    if (!canCreate()) {
      getOperation()->emitError(
          "norm-to-composite: the context neither knows the dialect stablehlo "
          "nor allows unregistered ones (--allow-unregistered-dialect)");
      return signalPassFailure();
    }
    for (RMSNormOp op : ops)
      if (failed(check(op)))
        return signalPassFailure();
    SymbolTable symbols(getOperation());
    IRRewriter rewriter(&getContext());
    for (RMSNormOp op : ops) {
      auto type = rewriter.getFunctionType(ValueRange(getInputs(op)).getTypes(),
                                           op->getResultTypes());
      DictionaryAttr attributes = getAttributes(op);
      func::FuncOp &decomposition = decompositions[{type, attributes}];
      if (!decomposition)
        decomposition = createDecomposition(op, type, symbols);
      replaceByComposite(rewriter, op, attributes, decomposition);
    }
  }

  bool canCreate() {
    return getContext().allowsUnregisteredDialects() ||
           getContext().getLoadedDialect("stablehlo");
  }

  llvm::DenseMap<std::pair<FunctionType, DictionaryAttr>, func::FuncOp>
      decompositions;
};
} // namespace
