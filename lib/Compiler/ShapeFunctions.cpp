//===- ShapeFunctions.cpp - functions of the extents of results -----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Compiler/ShapeFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "norm/IR/Norm.h"
#include "norm/Pipelines/Pipelines.h"
#include "norm/Workarounds/Passes.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace mlir::norm;

static bool hasDynamicTensor(TypeRange types) {
  return llvm::any_of(types, [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped && !shaped.hasStaticShape();
  });
}

bool norm::hasShapeFunction(FunctionType type, ExtentChecks checks) {
  return hasDynamicTensor(type.getResults()) ||
         (checks == ExtentChecks::Assert && hasDynamicTensor(type.getInputs()));
}

/// Asserts that a result has the extents of the argument that it is written
/// over.
static void checkExtentsOver(OpBuilder &b, func::FuncOp function,
                             unsigned argument, unsigned number,
                             func::ReturnOp ret) {
  Location loc = ret.getLoc();
  Value buffer = ret->getParentOfType<func::FuncOp>().getArgument(argument);
  auto type = cast<RankedTensorType>(buffer.getType());
  for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
    if (!ShapedType::isDynamic(extent))
      continue;
    Value size = tensor::DimOp::create(b, loc, buffer, dim);
    Value needed = tensor::DimOp::create(b, loc, ret.getOperand(number), dim);
    Value equal =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, size, needed);
    cf::AssertOp::create(b, loc, equal,
                         (function.getName() + ": argument " + Twine(argument) +
                          " has not the extents of result " + Twine(number) +
                          ", which is written over it")
                             .str());
  }
}

/// Adds a copy of `function` that returns the dynamic extents of its results as
/// one tensor, because C would return several scalars as a struct. A result
/// that is written over an argument has the extents of that.
static void addShapeFunction(func::FuncOp function, ExtentChecks checks) {
  OpBuilder b(function);
  func::FuncOp copy = function.clone();
  copy.setName((function.getName() + kShapeFunctionSuffix).str());
  b.insert(copy);
  auto ret = dyn_cast<func::ReturnOp>(copy.getBody().front().getTerminator());
  if (!ret)
    return copy.erase();
  b.setInsertionPoint(ret);
  llvm::BitVector isWrittenOver(function.getNumResults());
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (std::optional<unsigned> result = getResultOver(function, i)) {
      isWrittenOver.set(*result);
      if (checks == ExtentChecks::Assert)
        checkExtentsOver(b, function, i, *result, ret);
    }
  SmallVector<Value> extents;
  for (auto [i, result] : llvm::enumerate(ret.getOperands()))
    if (auto tensor = dyn_cast<RankedTensorType>(result.getType());
        tensor && !isWrittenOver[i])
      for (auto [dim, extent] : llvm::enumerate(tensor.getShape()))
        if (ShapedType::isDynamic(extent))
          extents.push_back(
              tensor::DimOp::create(b, ret.getLoc(), result, dim));
  // Where the function only checks, it returns one extent that no one reads.
  if (extents.empty())
    extents.push_back(arith::ConstantIndexOp::create(b, ret.getLoc(), 0));
  Value all = tensor::FromElementsOp::create(b, ret.getLoc(), extents);
  ret.getOperandsMutable().assign(all);
  copy.setFunctionType(FunctionType::get(
      copy.getContext(), copy.getArgumentTypes(), all.getType()));
  copy.removeArgAttrsAttr();
  copy.removeResAttrsAttr();
}

/// Leaves out assertions on elements, which the function itself makes: tensors
/// would be computed for them.
static void dropElementAssertions(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function.getName().ends_with(kShapeFunctionSuffix))
      function.walk([](cf::AssertOp op) {
        if (op->getParentOfType<linalg::LinalgOp>())
          op.erase();
      });
}

/// Adds assertions that the extents of each op's operands fit each other to the
/// functions of shapes, from which all else of the ops then disappears.
static LogicalResult checkExtents(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.getName().ends_with(kShapeFunctionSuffix))
      continue;
    PassManager pm(module.getContext(), func::FuncOp::getOperationName());
    pm.addPass(createGenerateRuntimeVerificationPass());
    if (failed(pm.run(function)))
      return failure();
  }
  return success();
}

/// Makes linalg ops of arithmetic on tensors, whose extents are checked like
/// all others, and which canonicalization would fold.
static LogicalResult lowerTensorOps(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.addPass(createNormLowerTensorOps());
  return pm.run(module);
}

static LogicalResult simplify(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
  pm.addPass(createExactCanonicalizer());
  return pm.run(module);
}

LogicalResult norm::addShapeFunctions(ModuleOp module, ExtentChecks checks) {
  // The functions of shapes need it, even if the program has no such op.
  module.getContext()
      ->loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                    tensor::TensorDialect>();
  if (failed(lowerTensorOps(module)))
    return failure();
  for (func::FuncOp function : getExports(module))
    if (hasShapeFunction(getCallType(function), checks))
      addShapeFunction(function, checks);
  if (checks == ExtentChecks::Assert && failed(checkExtents(module)))
    return failure();
  dropElementAssertions(module);
  return simplify(module);
}
