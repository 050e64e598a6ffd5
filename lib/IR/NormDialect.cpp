//===- NormDialect.cpp - registration of the norm dialect -----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RowTarget.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::norm;

#include "norm/IR/NormDialect.cpp.inc"
#include "norm/IR/NormEnums.cpp.inc"
#include "norm/IR/NormInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "norm/IR/NormAttributes.cpp.inc"

void NormDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "norm/IR/NormAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "norm/IR/NormOps.cpp.inc"
      >();
  attachTiling();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

LogicalResult
GPUScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        int64_t threads, int64_t vector, int64_t lanes,
                        int64_t registers, int64_t cluster, bool shifted) {
  if (std::min({threads, vector, lanes, registers, cluster}) < 1)
    return emitError() << "expects a schedule of positive numbers";
  return success();
}

LogicalResult LoopAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               LoopRole role, GPUScheduleAttr schedule) {
  if (schedule && role != LoopRole::Rows)
    return emitError() << "expects a schedule on a loop over rows alone, got "
                       << stringifyLoopRole(role);
  return success();
}

/// Rows of an iteration, each of which may have code of its own.
static constexpr int64_t kMostRowsPerBlock = 1024;

LogicalResult RowPlanAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t rowsPerBlock, int64_t rowsPerPart,
                                  int64_t lanes, int64_t tailLanes,
                                  bool parallel, bool stream, bool pipeline) {
  auto verifyNumber = [&](StringRef name, int64_t value) {
    return value == 0 ? success() : verifyRowNumber(emitError, name, value);
  };
  if (rowsPerBlock < 0 || rowsPerBlock > kMostRowsPerBlock)
    return emitError() << "expects 'rows_per_block' to be from 1 to "
                       << kMostRowsPerBlock << ", got " << rowsPerBlock;
  if (failed(verifyNumber("rows_per_part", rowsPerPart)) ||
      failed(verifyNumber("lanes", lanes)) ||
      failed(verifyNumber("tail_lanes", tailLanes)))
    return failure();
  if (lanes != 0 && tailLanes > lanes)
    return emitError() << "expects 'tail_lanes' to be at most 'lanes', got "
                       << tailLanes << " and " << lanes;
  return success();
}

RowPlanAttr RowPlanAttr::completeBy(RowPlanAttr other) {
  auto choose = [](int64_t own, int64_t others) { return own ? own : others; };
  int64_t lanes = getLanes(), tailLanes = getTailLanes();
  if (lanes == 0 && other.getLanes() != 0)
    lanes = std::max(other.getLanes(), tailLanes);
  if (tailLanes == 0)
    tailLanes =
        lanes ? std::min(other.getTailLanes(), lanes) : other.getTailLanes();
  return get(getContext(), choose(getRowsPerBlock(), other.getRowsPerBlock()),
             choose(getRowsPerPart(), other.getRowsPerPart()), lanes, tailLanes,
             getParallel() && other.getParallel(),
             getStream() && other.getStream(),
             getPipeline() && other.getPipeline());
}

RowPlanAttr RowPlanAttr::getOfLoop() {
  return get(getContext(), /*rows_per_block=*/0, /*rows_per_part=*/0,
             getLanes(), getTailLanes(), /*parallel=*/true, getStream(),
             getPipeline());
}

static LogicalResult verifyPlan(Operation *op, Attribute attr) {
  auto plan = dyn_cast<RowPlanAttr>(attr);
  bool isLoop = getRole(op) == LoopRole::Rows;
  if (!plan || !(isLoop || isa<linalg::LinalgOp>(op)))
    return op->emitOpError("expects '")
           << planAttrName
           << "' to be a #norm.row_plan on a linalg op or a loop over rows";
  if (isLoop && plan != plan.getOfLoop())
    return op->emitOpError("expects the plan of a loop to have no "
                           "'rows_per_block', 'rows_per_part' or 'parallel'");
  return success();
}

static LogicalResult verifyStreams(Operation *op, Attribute attr) {
  auto streams = dyn_cast<RowStreamsAttr>(attr);
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  auto isResult = [&](int64_t number) {
    return number >= 0 && number < linalgOp.getNumDpsInits();
  };
  if (streams && linalgOp && linalgOp.hasPureBufferSemantics() &&
      llvm::all_of(streams.getResults().asArrayRef(), isResult) &&
      streams.getFetched() >= 0 &&
      streams.getFetched() <= linalgOp.getNumDpsInputs())
    return success();
  return op->emitOpError("expects '")
         << streamsAttrName
         << "' to be a #norm.row_streams of results and inputs of a linalg op "
            "on buffers";
}

static LogicalResult verifySumParts(Operation *op, Attribute attr) {
  auto parts = dyn_cast<IntegerAttr>(attr);
  if (parts && parts.getValue().isStrictlyPositive() &&
      isa<FunctionOpInterface>(op))
    return success();
  return op->emitOpError("expects '")
         << sumPartsAttrName << "' to be a positive integer on a function";
}

LogicalResult NormDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attr) {
  if (attr.getName() == sumPartsAttrName)
    return verifySumParts(op, attr.getValue());
  if (attr.getName() == rowTargetAttrName)
    return verifyRowTarget(op, attr.getValue());
  if (attr.getName() == planAttrName)
    return verifyPlan(op, attr.getValue());
  if (attr.getName() == streamsAttrName)
    return verifyStreams(op, attr.getValue());
  if (attr.getName() != loopAttrName)
    return success();
  auto loop = dyn_cast<LoopAttr>(attr.getValue());
  if (!loop || !isa<LoopLikeOpInterface>(op))
    return op->emitOpError("expects '")
           << loopAttrName << "' to be a #norm.loop on a loop";
  if (loop.getRole() != LoopRole::Rows && loop.getRole() != LoopRole::Product &&
      !isa<scf::ForOp>(op))
    return op->emitOpError("expects a parallel loop to go over rows, got ")
           << stringifyLoopRole(loop.getRole());
  return success();
}

//===----------------------------------------------------------------------===//
// Results over arguments
//===----------------------------------------------------------------------===//

/// Returns true if `number` is the argument's own, and no other argument's.
static bool isOneArgumentsAlone(FunctionOpInterface function, int64_t number) {
  unsigned count = 0;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto other = function.getArgAttrOfType<IntegerAttr>(i, resultAttrName))
      count += other.getInt() == number;
  return count == 1;
}

LogicalResult NormDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned argument,
                                                    NamedAttribute attr) {
  if (attr.getName() != resultAttrName)
    return success();
  auto function = dyn_cast<FunctionOpInterface>(op);
  auto number = dyn_cast<IntegerAttr>(attr.getValue());
  if (!function || !number || !number.getType().isInteger(64))
    return op->emitOpError("expects '")
           << resultAttrName << "' to be an i64 on an argument of a function";
  TypeRange results = function.getResultTypes();
  int64_t result = number.getInt();
  if (result < 0 || result >= int64_t(results.size()))
    return op->emitOpError("has no result ")
           << result << " to write over argument " << argument;
  Type type = function.getArgumentTypes()[argument];
  if (!isa<RankedTensorType>(type) || type != results[result])
    return op->emitOpError("cannot write result ")
           << result << " of type " << results[result] << " over argument "
           << argument << " of type " << type;
  if (!isOneArgumentsAlone(function, result))
    return op->emitOpError("writes result ")
           << result << " over more than one argument";
  return success();
}

std::optional<unsigned> norm::getResultOver(FunctionOpInterface function,
                                            unsigned argument) {
  auto number =
      function.getArgAttrOfType<IntegerAttr>(argument, resultAttrName);
  return number ? std::optional<unsigned>(number.getInt()) : std::nullopt;
}

FunctionType norm::getCallType(FunctionOpInterface function) {
  SmallVector<Type> inputs(function.getArgumentTypes());
  llvm::BitVector isWrittenOver(function.getNumResults());
  for (auto [i, type] : llvm::enumerate(inputs))
    if (std::optional<unsigned> result = getResultOver(function, i)) {
      auto tensor = cast<RankedTensorType>(type);
      type = MemRefType::get(tensor.getShape(), tensor.getElementType());
      isWrittenOver.set(*result);
    }
  SmallVector<Type> results;
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    if (!isWrittenOver[i])
      results.push_back(type);
  return FunctionType::get(function.getContext(), inputs, results);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

SmallVector<func::FuncOp> norm::getExports(ModuleOp module) {
  return llvm::filter_to_vector(
      module.getOps<func::FuncOp>(), [](func::FuncOp function) {
        return function.isPublic() && !function.isExternal();
      });
}

Value norm::createCopy(OpBuilder &b, Location loc, Value tensor) {
  return bufferization::AllocTensorOp::create(
      b, loc, cast<RankedTensorType>(tensor.getType()), ValueRange(), tensor);
}

//===----------------------------------------------------------------------===//
// Roles and plans
//===----------------------------------------------------------------------===//

void norm::setRole(Operation *loop, LoopRole role, GPUScheduleAttr schedule) {
  loop->setAttr(loopAttrName,
                LoopAttr::get(loop->getContext(), role, schedule));
}

std::optional<LoopRole> norm::getRole(Operation *op) {
  auto loop = op->getAttrOfType<LoopAttr>(loopAttrName);
  return loop ? std::optional(loop.getRole()) : std::nullopt;
}

GPUScheduleAttr norm::getSchedule(Operation *op) {
  auto loop = op->getAttrOfType<LoopAttr>(loopAttrName);
  return loop ? loop.getSchedule() : nullptr;
}

/// Returns true if `op` is in this region of an op with versions.
static bool isInVersion(Operation *op, unsigned region) {
  Region *in = op->getParentRegion();
  for (; in; in = in->getParentRegion())
    if (in->getParentOp()->hasAttr(norm::versionsAttrName) &&
        in->getRegionNumber() == region)
      return true;
  return false;
}

bool norm::isStreamedVersion(Operation *op) { return isInVersion(op, 0); }
bool norm::hasStreamedVersion(Operation *op) { return isInVersion(op, 1); }

RowPlanAttr norm::findPlan(Operation *op) {
  for (Operation *at = op; at; at = at->getParentOp())
    if (auto plan = at->getAttrOfType<RowPlanAttr>(planAttrName))
      return plan;
  return RowPlanAttr::get(op->getContext());
}
