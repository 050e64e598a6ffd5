//===- NormToLibrary.cpp - norm ops to calls of a library -----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "norm-c/HandOff.h"
#include "norm/Conversion/NormToLibrary/Passes.h"
#include "norm/IR/Norm.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMTOLIBRARY
#include "norm/Conversion/NormToLibrary/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using namespace mlir::norm;

static_assert(NORM_EPSILON_CLAMP == static_cast<int>(EpsilonMode::Clamp) &&
                  NORM_ROOT_QUOTIENT == static_cast<int>(RootForm::Quotient),
              "HandOff.h numbers the enums as NormOps.td does");

/// Returns `type` without static sizes, so that all ops call one function.
static MemRefType getParameterType(MemRefType type) {
  SmallVector<int64_t> dynamic(type.getRank(), ShapedType::kDynamic);
  auto layout =
      StridedLayoutAttr::get(type.getContext(), ShapedType::kDynamic, dynamic);
  return MemRefType::get(dynamic, type.getElementType(), layout);
}

static LogicalResult checkOperand(RMSNormOpInterface op, Value operand) {
  auto type = dyn_cast<MemRefType>(operand.getType());
  if (!type)
    return op->emitOpError("on tensors: norm-to-library calls functions on "
                           "memrefs, bufferize before");
  if (type.getMemorySpace())
    return op->emitOpError("norm-to-library: ")
           << type << " is in another memory space than the host's";
  if (!memref::CastOp::areCastCompatible(type, getParameterType(type)))
    return op->emitOpError("norm-to-library: no strides describe ") << type;
  return success();
}

static FunctionType getCalleeType(RMSNormOpInterface op) {
  Builder b(op.getContext());
  SmallVector<Type> types;
  for (Type type : op->getOperandTypes())
    types.push_back(getParameterType(cast<MemRefType>(type)));
  types.push_back(b.getF64Type());
  types.append(3, b.getI64Type());
  types.append(isa<RMSNormBackwardOp>(op) ? 7 : 6, b.getI32Type());
  return b.getFunctionType(types, {});
}

/// Returns the operands of norm.rmsnorm_backward, null where absent.
static SmallVector<std::pair<StringRef, Value>>
getOperands(RMSNormBackwardOp op) {
  return {{"dy", op.getDy()},         {"x", op.getInput()},
          {"weight", op.getWeight()}, {"inv_rms", op.getInvRms()},
          {"rms", op.getRms()},       {"dx", op.getDxInit()},
          {"dw", op.getDwInit()}};
}

/// Returns ranks and element types, as in _2df16_1df16_2df16, and the operands
/// that an op may lack where the types alone do not tell them.
static std::string getSuffix(RMSNormOpInterface op) {
  std::string suffix;
  llvm::raw_string_ostream os(suffix);
  for (Type type : op->getOperandTypes()) {
    auto memref = cast<MemRefType>(type);
    os << '_' << memref.getRank() << 'd' << memref.getElementType();
  }
  if (auto backward = dyn_cast<RMSNormBackwardOp>(*op)) {
    for (auto [name, operand] : ArrayRef(getOperands(backward)).drop_front(2))
      if (operand)
        os << '_' << name;
  } else if (cast<RMSNormOp>(*op).getInvRmsInit()) {
    os << "_inv_rms";
  }
  return suffix;
}

static int32_t getCode(Type type) {
  if (!type)
    return NORM_TYPE_NONE;
  if (type.isF16())
    return NORM_TYPE_F16;
  if (type.isBF16())
    return NORM_TYPE_BF16;
  return type.isF32() ? NORM_TYPE_F32 : NORM_TYPE_F64;
}

static int64_t getMask(ArrayRef<int64_t> dims) {
  int64_t mask = 0;
  for (int64_t dim : dims)
    mask |= int64_t(1) << dim;
  return mask;
}

static void replaceByCall(RewriterBase &rewriter, RMSNormOpInterface op,
                          func::FuncOp callee) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  SmallVector<Value> arguments;
  for (auto [operand, type] :
       llvm::zip(op->getOperands(), callee.getArgumentTypes()))
    arguments.push_back(
        operand.getType() == type
            ? operand
            : memref::CastOp::create(rewriter, loc, type, operand));
  auto add = [&](TypedAttr value) {
    arguments.push_back(arith::ConstantOp::create(rewriter, loc, value));
  };
  add(rewriter.getF64FloatAttr(op.getEpsilonInComputeType().convertToDouble()));
  for (int64_t value :
       {int64_t(op.getCount().value_or(0)), getMask(op.getDims()),
        getMask(op.getEffectiveWeightDims())})
    add(rewriter.getI64IntegerAttr(value));
  for (int32_t value : {static_cast<int32_t>(op.getEpsilonMode()),
                        static_cast<int32_t>(op.getRootForm()),
                        getCode(op.getEffectiveComputeType()),
                        getCode(op.getSumType().value_or(Type())),
                        getCode(op.getScaleType().value_or(Type())),
                        getCode(op.getNormalizedType().value_or(Type()))})
    add(rewriter.getI32IntegerAttr(value));
  if (auto backward = dyn_cast<RMSNormBackwardOp>(*op)) {
    int32_t mask = 0;
    for (auto [i, operand] : llvm::enumerate(getOperands(backward)))
      mask |= operand.second ? 1 << i : 0;
    add(rewriter.getI32IntegerAttr(mask));
  }
  func::CallOp::create(rewriter, loc, callee, arguments);
  rewriter.eraseOp(op);
}

namespace {
struct NormToLibrary : norm::impl::NormToLibraryBase<NormToLibrary> {
  using NormToLibraryBase::NormToLibraryBase;

  void runOnOperation() override {
    if (function.empty() && backwardFunction.empty()) {
      getOperation()->emitError("norm-to-library: function or "
                                "backward-function must name the C function "
                                "to call");
      return signalPassFailure();
    }
    auto ops = collect<RMSNormOpInterface>(getOperation());
    for (RMSNormOpInterface op : ops)
      if (failed(plan(op)))
        return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (RMSNormOpInterface op : ops)
      replaceByCall(rewriter, op, getCallee(rewriter, op));
  }

  std::string getCalleeName(RMSNormOpInterface op) {
    const std::string &name =
        isa<RMSNormBackwardOp>(op) ? backwardFunction : function;
    return suffix ? name + getSuffix(op) : name;
  }

  using Key = std::pair<Operation *, StringAttr>;
  Key getKey(RMSNormOpInterface op) {
    return {SymbolTable::getNearestSymbolTable(op),
            StringAttr::get(&getContext(), getCalleeName(op))};
  }

  /// Plans the declaration that `op` needs, or emits why there can be none.
  LogicalResult plan(RMSNormOpInterface op) {
    bool isBackward = isa<RMSNormBackwardOp>(op);
    if ((isBackward ? backwardFunction : function).empty())
      return op->emitOpError("norm-to-library: ")
             << (isBackward ? "backward-function" : "function")
             << " names no C function for it";
    for (Value operand : op->getOperands())
      if (failed(checkOperand(op, operand)))
        return failure();
    Key key = getKey(op);
    // A pass on functions must not change the module, which others change too.
    if (!key.first || !getOperation()->isAncestor(key.first))
      return op->emitOpError("norm-to-library must run on the module that the "
                             "function is declared in");
    FunctionType type = getCalleeType(op);
    auto [known, isNew] = callees.try_emplace(key, type);
    if (!isNew && known->second != type)
      return conflict(op, known->second);
    Operation *symbol = SymbolTable::lookupSymbolIn(key.first, key.second);
    if (!symbol)
      return success();
    auto declared = dyn_cast<func::FuncOp>(symbol);
    if (!declared)
      return op->emitOpError("norm-to-library: @")
             << key.second.getValue() << " is not a function";
    return declared.getFunctionType() == type
               ? success()
               : conflict(op, declared.getFunctionType());
  }

  LogicalResult conflict(RMSNormOpInterface op, FunctionType other) {
    return op->emitOpError("norm-to-library: '")
           << getCalleeName(op) << "' would be called with "
           << getCalleeType(op) << ", and is a function of type " << other
           << "; suffix=true names "
           << "one function per signature";
  }

  func::FuncOp getCallee(RewriterBase &rewriter, RMSNormOpInterface op) {
    auto [table, name] = getKey(op);
    if (Operation *symbol = SymbolTable::lookupSymbolIn(table, name))
      return cast<func::FuncOp>(symbol);
    rewriter.setInsertionPointToStart(&table->getRegion(0).front());
    auto callee = func::FuncOp::create(rewriter, op.getLoc(), name.getValue(),
                                       getCalleeType(op));
    callee.setPrivate();
    callee->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                    rewriter.getUnitAttr());
    return callee;
  }

  llvm::DenseMap<Key, FunctionType> callees;
};
} // namespace
