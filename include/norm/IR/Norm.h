//===- Norm.h - the norm dialect --------------------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_IR_NORM_H
#define NORM_IR_NORM_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "norm/IR/RoundFloat.h"

#include "norm/IR/NormDialect.h.inc"
#include "norm/IR/NormEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "norm/IR/NormAttributes.h.inc"

#include "norm/IR/NormInterfaces.h.inc"

#define GET_OP_CLASSES
#include "norm/IR/NormOps.h.inc"

namespace mlir::norm {
/// Returns the wider of two float types (S5), with more mantissa and exponent
/// bits, or f32 for f16 and bf16, neither of which holds the other.
FloatType getWiderFloatType(FloatType a, FloatType b);

/// Lets --one-shot-bufferize rewrite norm ops on tensors to memrefs.
void registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry);

/// Lets --generate-runtime-verification check the rules that depend on dynamic
/// extents: S5, S6, S7 and S8.
void registerRuntimeVerifiableOpInterfaceExternalModels(
    DialectRegistry &registry);

/// The discardable attribute, a LoopAttr, of the loops of row code generation.
constexpr StringLiteral loopAttrName = "norm.loop";

/// The discardable attribute, a RowPlanAttr, of a linalg op or a loop over
/// rows.
constexpr StringLiteral planAttrName = "norm.plan";

/// The discardable attribute, a RowStreamsAttr, of a linalg op on buffers.
constexpr StringLiteral streamsAttrName = "norm.streams";

/// The discardable attribute, a unit, of an `scf.if` whose first region is a
/// version of the second one that passes the caches.
constexpr StringLiteral versionsAttrName = "norm.versions";

/// The discardable attribute, an integer, of a function whose sums are made of
/// that many parts; nothing may add them in another order.
constexpr StringLiteral sumPartsAttrName = "norm.sum_parts";

/// The discardable attribute, an integer, of a `shard.all_reduce`: the loop of
/// the sum before it that ranks have parts of.
constexpr StringLiteral splitDimAttrName = "norm.split_dim";

/// Discardable attributes of a function on parts of tensors: the extents of the
/// grid of ranks, and of each argument and result an array of the grid axes
/// that split each of its dimensions (norm-record-shardings).
constexpr StringLiteral gridAttrName = "norm.grid";
constexpr StringLiteral splitAxesAttrName = "norm.split_axes";

/// The attribute, an integer, of an argument of a function: the result that is
/// written over it (norm-results-to-out-params).
constexpr StringLiteral resultAttrName = "norm.result";

/// Returns the result that is written over an argument; nullopt for none.
std::optional<unsigned> getResultOver(FunctionOpInterface function,
                                      unsigned argument);

/// Returns the type by which a function is called: arguments that a result is
/// written over are buffers, and take the place of these results.
FunctionType getCallType(FunctionOpInterface function);

/// Returns true if `holds` is true of `op` or an op in it, of those that it
/// takes.
template <typename Predicate> bool anyIn(Operation *op, Predicate holds) {
  using Op = typename llvm::function_traits<Predicate>::template arg_t<0>;
  return op->walk([&](Op each) { return WalkResult(failure(holds(each))); })
      .wasInterrupted();
}

/// Returns each `Op`, be it `scope` or in it, for which `holds` is true, inner
/// ones first: these may be changed while others are looked at.
template <typename Op>
SmallVector<Op> collect(
    Operation *scope,
    llvm::function_ref<bool(Op)> holds = [](Op) { return true; }) {
  SmallVector<Op> found;
  scope->walk([&](Op op) {
    if (holds(op))
      found.push_back(op);
  });
  return found;
}

/// Returns the functions of a program that a caller can call.
SmallVector<func::FuncOp> getExports(ModuleOp module);

/// Returns a copy of a tensor that no pattern folds.
Value createCopy(OpBuilder &b, Location loc, Value tensor);

/// Records on `loop`, which the caller has built, what it iterates over.
void setRole(Operation *loop, LoopRole role, GPUScheduleAttr schedule = {});

/// Returns what `op` iterates over, or nullopt for any other operation.
std::optional<LoopRole> getRole(Operation *op);

/// Returns the schedule of a loop over rows; null where no threads share a row.
GPUScheduleAttr getSchedule(Operation *op);

/// Returns true for what is in a version that passes the caches, and for what
/// there is such a version of.
bool isStreamedVersion(Operation *op);
bool hasStreamedVersion(Operation *op);

/// Returns the plan of `op`, or else of the innermost op around it that has
/// one; one that says nothing if there is none.
RowPlanAttr findPlan(Operation *op);
} // namespace mlir::norm

#endif // NORM_IR_NORM_H
