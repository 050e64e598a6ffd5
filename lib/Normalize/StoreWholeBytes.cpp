//===- StoreWholeBytes.cpp - booleans and i4 as bytes in memory -----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"
#include "norm/Floats/ValueOrigins.h"
#include "norm/Normalize/ElementStorage.h"
#include "norm/Normalize/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMSTOREWHOLEBYTES
#include "norm/Normalize/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using linalg::GenericOp;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The widest integer in memory, in bits: LLVM's loads and stores of wider ones
/// disagree with its arrays.
static constexpr unsigned kMostStoredBits = 128;

/// Returns the type that holds `type`, an element or a vector of them, in
/// memory; null if it is kept.
static Type getStored(Type type) {
  Type element = getElementTypeOrSelf(type);
  // Arithmetic, and so truncation, is of signless integers.
  bool isBits =
      element.isSignlessInteger() ||
      isa<Float4E2M1FNType, Float6E2M3FNType, Float6E3M2FNType>(element);
  if (!isBits || element.getIntOrFloatBitWidth() > kMostStoredBits ||
      norm::isStoredWhole(element))
    return {};
  return norm::withElement(
      type,
      IntegerType::get(type.getContext(), norm::getElementBytes(element) * 8));
}

/// Returns true for tensors and buffers; vectors are registers.
static bool isStoredOtherwise(Type type) {
  return isa<TensorType, BaseMemRefType>(type) && getStored(type);
}

/// Returns the bits of an element, which may be a float, zero-extended.
static Value extend(OpBuilder &b, Location loc, Value v) {
  Type stored = getStored(v.getType());
  if (isa<FloatType>(getElementTypeOrSelf(v.getType()))) {
    unsigned width = getElementTypeOrSelf(v.getType()).getIntOrFloatBitWidth();
    v = arith::BitcastOp::create(
        b, loc, norm::withElement(v.getType(), b.getIntegerType(width)), v);
  }
  return arith::ExtUIOp::create(b, loc, stored, v);
}

/// Returns the element in its storage `v`; the bits above it are ignored.
static Value truncate(OpBuilder &b, Location loc, Value v, Type type) {
  Type element = getElementTypeOrSelf(type);
  Type bits = norm::withElement(
      type, b.getIntegerType(element.getIntOrFloatBitWidth()));
  v = arith::TruncIOp::create(b, loc, bits, v);
  return bits == type ? v : arith::BitcastOp::create(b, loc, type, v);
}

//===----------------------------------------------------------------------===//
// Which ops
//===----------------------------------------------------------------------===//

/// Returns true for ops that move tensors and buffers of any element. Their
/// scalars are conditions.
static bool movesTensors(Operation *op) {
  if (isa<memref::AtomicRMWOp, memref::GenericAtomicRMWOp>(op))
    return false;
  if (isa<arith::SelectOp, linalg::UnPackOp, ub::PoisonOp, affine::AffineForOp,
          affine::AffineIfOp, affine::AffineYieldOp, affine::AffineParallelOp>(
          op))
    return true;
  return isa_and_nonnull<bufferization::BufferizationDialect,
                         cf::ControlFlowDialect, func::FuncDialect,
                         memref::MemRefDialect, ml_program::MLProgramDialect,
                         scf::SCFDialect, tensor::TensorDialect>(
      op->getDialect());
}

/// Returns true for ops whose scalars of the element type are elements.
static bool accessesElements(Operation *op) {
  return isa<affine::AffineLoadOp, affine::AffineStoreOp, linalg::PackOp,
             memref::LoadOp, memref::StoreOp, tensor::ExtractOp,
             tensor::FromElementsOp, tensor::GenerateOp, tensor::InsertOp,
             tensor::PadOp, tensor::SplatOp, vector::TransferReadOp,
             vector::TransferWriteOp>(op);
}

static bool isKnown(Operation *op) {
  return movesTensors(op) || accessesElements(op) ||
         isa<arith::ConstantOp, linalg::LinalgOp>(op);
}

/// Returns true if the op has tensors or buffers whose elements change.
static bool holdsStored(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), isStoredOtherwise) ||
         llvm::any_of(op->getResultTypes(), isStoredOtherwise);
}

//===----------------------------------------------------------------------===//
// Ops that compute nothing
//===----------------------------------------------------------------------===//

/// Excludes tensors and the mask of a transfer, which is its last operand.
static bool isElement(OpOperand &operand) {
  Type type = operand.get().getType();
  if (isa<TensorType, BaseMemRefType>(type) || !getStored(type))
    return false;
  auto transfer = dyn_cast<VectorTransferOpInterface>(operand.getOwner());
  return !transfer || !transfer.getMask() ||
         operand.getOperandNumber() + 1 < transfer->getNumOperands();
}

static void extendOperand(OpBuilder &b, OpOperand &operand) {
  b.setInsertionPoint(operand.getOwner());
  operand.set(extend(b, operand.getOwner()->getLoc(), operand.get()));
}

/// Casts the elements that an op takes, yields and returns.
static void castElements(OpBuilder &b, Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (isElement(operand))
      extendOperand(b, operand);
  for (Region &region : op->getRegions())
    extendOperand(b, region.front().getTerminator()->getOpOperand(0));
  b.setInsertionPointAfter(op);
  for (OpResult result : op->getResults()) {
    Type type = result.getType();
    if (isa<TensorType>(type) || !getStored(type))
      continue;
    result.setType(getStored(type));
    Value element = truncate(b, op->getLoc(), result, type);
    result.replaceAllUsesExcept(element, op->getNextNode());
  }
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Returns the elements of a constant, those of a blob as they are in memory;
/// null if they are not known.
static DenseElementsAttr readElements(ElementsAttr value) {
  ShapedType type = value.getShapedType();
  if (auto dense = dyn_cast<DenseElementsAttr>(value))
    return dense;
  if (auto blob = dyn_cast<DenseResourceElementsAttr>(value)) {
    size_t bytes = norm::getElementBytes(type.getElementType());
    bool isWhole = blob.getRawHandle().getBlob() &&
                   blob.getData().size() == bytes * type.getNumElements();
    return isWhole ? DenseElementsAttr::getFromRawBuffer(
                         cast<ShapedType>(getStored(type)), blob.getData())
                   : DenseElementsAttr();
  }
  auto elements = value.tryGetValues<Attribute>();
  return elements ? DenseElementsAttr::get(type, llvm::to_vector(*elements))
                  : DenseElementsAttr();
}

/// Stores the elements of a constant; returns null if they are not known.
static DenseElementsAttr store(ElementsAttr value) {
  DenseElementsAttr elements = readElements(value);
  if (!elements)
    return {};
  Type storage = getStored(value.getElementType());
  Type bits = IntegerType::get(
      value.getContext(), elements.getElementType().getIntOrFloatBitWidth());
  // This keeps splats.
  return cast<DenseIntElementsAttr>(elements.bitcast(bits))
      .mapValues(storage, [&](const APInt &element) {
        return element.trunc(value.getElementType().getIntOrFloatBitWidth())
            .zext(storage.getIntOrFloatBitWidth());
      });
}

static ElementsAttr getElements(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return dyn_cast<ElementsAttr>(constant.getValue());
  auto global = dyn_cast<memref::GlobalOp>(op);
  return global ? dyn_cast_or_null<ElementsAttr>(global.getInitialValueAttr())
                : ElementsAttr();
}

//===----------------------------------------------------------------------===//
// Linalg
//===----------------------------------------------------------------------===//

/// Returns the op that combines i1 stored as 0 or 1; for other widths, one that
/// works bit by bit. Empty: there is none.
static StringRef getBitwise(Operation *combiner) {
  bool isBool = combiner->getResult(0).getType().isInteger(1);
  if (isa<arith::OrIOp>(combiner) ||
      (isBool && isa<arith::MaxUIOp, arith::MinSIOp>(combiner)))
    return arith::OrIOp::getOperationName();
  if (isa<arith::AndIOp>(combiner) ||
      (isBool && isa<arith::MinUIOp, arith::MaxSIOp, arith::MulIOp>(combiner)))
    return arith::AndIOp::getOperationName();
  if (isa<arith::XOrIOp>(combiner) || (isBool && isa<arith::AddIOp>(combiner)))
    return arith::XOrIOp::getOperationName();
  return {};
}

/// Combines one sum in the type in memory, if an op does that.
static bool combineStored(OpBuilder &b, GenericOp op, unsigned number) {
  BlockArgument sum = op.getRegionOutputArgs()[number];
  SmallVector<Operation *> combiners;
  if (op.getNumReductionLoops() == 0 || !sum.hasOneUse())
    return false;
  Value v = matchReduction(op.getRegionOutputArgs(), number, combiners);
  if (!v || combiners.size() != 1 || getBitwise(combiners[0]).empty())
    return false;
  Operation *yield = op.getBody()->getTerminator();
  b.setInsertionPoint(yield);
  v = extend(b, op.getLoc(), v);
  sum.setType(v.getType());
  StringAttr name = b.getStringAttr(getBitwise(combiners[0]));
  Operation *combined =
      b.create(op.getLoc(), name, ValueRange{sum, v}, v.getType());
  yield->setOperand(number, combined->getResult(0));
  combiners[0]->erase();
  return true;
}

/// Extends what the body yields. A value that is yielded as it was read needs
/// no conversion.
static void extendYielded(OpBuilder &b, GenericOp op) {
  Block *body = op.getBody();
  for (OpOperand &yielded : body->getTerminator()->getOpOperands()) {
    Value v = yielded.get();
    if (!getStored(v.getType()) ||
        combineStored(b, op, yielded.getOperandNumber()))
      continue;
    bool isWithin = v.getParentBlock() == body;
    if (isWithin && isa<BlockArgument>(v))
      continue;
    // One value for all elements.
    b.setInsertionPoint(isWithin ? yielded.getOwner() : op);
    yielded.set(extend(b, op.getLoc(), v));
  }
}

/// Truncates the elements that the body computes with. A scalar is extended if
/// it fills the result.
static void truncateElements(OpBuilder &b, GenericOp op) {
  Operation *yield = op.getBody()->getTerminator();
  b.setInsertionPointToStart(op.getBody());
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument element = op.getMatchingBlockArgument(&operand);
    Type type = element.getType();
    if (!getStored(type))
      continue;
    if (!isa<ShapedType>(operand.get().getType())) {
      if (!llvm::is_contained(yield->getOperands(), element))
        continue;
      OpBuilder::InsertionGuard guard(b);
      extendOperand(b, operand);
    }
    element.setType(getStored(type));
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : element.getUses())
      if (use.getOwner() != yield)
        uses.push_back(&use);
    if (uses.empty())
      continue;
    Value v = truncate(b, op.getLoc(), element, type);
    for (OpOperand *use : uses)
      use->set(v);
  }
}

static LogicalResult convertBody(IRRewriter &rewriter, linalg::LinalgOp op) {
  rewriter.setInsertionPoint(op);
  auto generic = dyn_cast<GenericOp>(*op);
  FailureOr<GenericOp> general =
      generic ? generic : linalg::generalizeNamedOp(rewriter, op);
  if (failed(general))
    return op.emitError("norm-store-whole-bytes: cannot make this a "
                        "linalg.generic");
  extendYielded(rewriter, *general);
  truncateElements(rewriter, *general);
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// Rejects types that LLVM lacks, or reads and writes wrongly.
static LogicalResult verifyTypes(Operation *op) {
  for (Type type :
       llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes())) {
    if (!isa<TensorType, BaseMemRefType>(type))
      continue;
    Type element = getElementTypeOrSelf(type);
    bool isLong = isa<IntegerType>(element) &&
                  element.getIntOrFloatBitWidth() > kMostStoredBits;
    if (isLong || element.isTF32())
      return op->emitError("norm-store-whole-bytes: elements of ")
             << element << " are not supported in memory, "
             << (isLong ? "integers have 128 bits at most"
                        : "LLVM has no such type");
  }
  return success();
}

/// Checks that an op and the elements of a constant are known.
static LogicalResult verify(Operation *op) {
  if (failed(verifyTypes(op)))
    return failure();
  if (holdsStored(op) && !isKnown(op))
    return op->emitError("norm-store-whole-bytes: '")
           << op->getName() << "' on elements that are not whole bytes is not "
           << "supported";
  ElementsAttr elements = getElements(op);
  if (!elements || !isStoredOtherwise(elements.getType()) ||
      isa<DenseElementsAttr>(elements) || readElements(elements))
    return success();
  return op->emitError("norm-store-whole-bytes: elements of ")
         << elements.getType() << " cannot be read; write them as dense<...>";
}

namespace {
struct NormStoreWholeBytes
    : norm::impl::NormStoreWholeBytesBase<NormStoreWholeBytes> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    WalkResult result = getOperation().walk([&](Operation *op) {
      if (holdsStored(op))
        ops.push_back(op);
      return WalkResult(verify(op));
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (Operation *op : ops) {
      if (accessesElements(op))
        castElements(rewriter, op);
      if (auto named = dyn_cast<linalg::LinalgOp>(op))
        if (failed(convertBody(rewriter, named)))
          return signalPassFailure();
    }
    // What is left differs in types alone.
    AttrTypeReplacer replacer;
    replacer.addReplacement([](Type type) -> std::optional<Type> {
      return isStoredOtherwise(type) ? std::optional(getStored(type))
                                     : std::nullopt;
    });
    replacer.addReplacement([](ElementsAttr value) -> std::optional<Attribute> {
      return isStoredOtherwise(value.getType())
                 ? std::optional<Attribute>(store(value))
                 : std::nullopt;
    });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
  }
};
} // namespace
