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
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"
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

/// Returns the type that holds `type`, an element or a vector of them, in
/// memory; null if it is kept.
static Type getStored(Type type) {
  IntegerType storage = norm::getStorageType(getElementTypeOrSelf(type));
  return storage ? norm::withElement(type, storage) : Type();
}

namespace {
/// Converts types of values in memory; vectors are registers.
struct StorageConverter : TypeConverter {
  StorageConverter() {
    addConversion([](Type type) { return type; });
    addConversion([](Type type) -> std::optional<Type> {
      if (!isa<TensorType, BaseMemRefType>(type))
        return std::nullopt;
      Type stored = getStored(type);
      return stored ? stored : type;
    });
    addConversion([this](FunctionType type) -> std::optional<Type> {
      SmallVector<Type> inputs, results;
      if (failed(convertTypes(type.getInputs(), inputs)) ||
          failed(convertTypes(type.getResults(), results)))
        return std::nullopt;
      return FunctionType::get(type.getContext(), inputs, results);
    });
  }
};
} // namespace

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
                         memref::MemRefDialect, scf::SCFDialect,
                         tensor::TensorDialect>(op->getDialect());
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

static bool isLegal(const TypeConverter &converter, Operation *op) {
  if (auto func = dyn_cast<FunctionOpInterface>(op))
    return llvm::all_of(func.getArgumentTypes(),
                        [&](Type type) { return converter.isLegal(type); }) &&
           llvm::all_of(func.getResultTypes(),
                        [&](Type type) { return converter.isLegal(type); });
  if (auto global = dyn_cast<memref::GlobalOp>(op))
    return converter.isLegal(global.getType());
  return converter.isLegal(op) &&
         llvm::all_of(op->getRegions(), [&](Region &region) {
           return llvm::all_of(region, [&](Block &block) {
             return converter.isLegal(block.getArgumentTypes());
           });
         });
}

//===----------------------------------------------------------------------===//
// Ops that compute nothing
//===----------------------------------------------------------------------===//

/// Rebuilds an op with other operands and results; its regions move.
static FailureOr<Operation *> rebuild(ConversionPatternRewriter &rewriter,
                                      const TypeConverter &converter,
                                      Operation *op, ValueRange operands,
                                      TypeRange results) {
  OperationState state(op->getLoc(), op->getName(), operands, results,
                       op->getAttrs(), op->getSuccessors());
  for (unsigned i = 0, e = op->getNumRegions(); i < e; ++i)
    state.addRegion();
  Operation *built = rewriter.create(state);
  for (auto [from, to] : llvm::zip(op->getRegions(), built->getRegions())) {
    rewriter.inlineRegionBefore(from, to, to.end());
    if (!to.empty() && failed(rewriter.convertRegionTypes(&to, converter)))
      return failure();
  }
  return built;
}

namespace {
/// Rebuilds ops on tensors and buffers; elements that they access are cast.
struct RebuildOp : ConversionPattern {
  RebuildOp(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> converted,
                  ConversionPatternRewriter &rewriter) const override {
    bool accesses = accessesElements(op);
    if ((!accesses && !movesTensors(op)) ||
        isa<func::FuncOp, memref::GlobalOp>(op))
      return rewriter.notifyMatchFailure(op, "has another pattern");
    Location loc = op->getLoc();
    SmallVector<Value> operands(converted);
    for (auto [i, operand] : llvm::enumerate(operands))
      if (accesses && isElement(op, i))
        operand = extend(rewriter, loc, operand);
    SmallVector<Type> types;
    for (Type type : op->getResultTypes()) {
      Type stored = accesses ? getStored(type) : Type();
      types.push_back(stored ? stored : getTypeConverter()->convertType(type));
    }
    auto built = rebuild(rewriter, *getTypeConverter(), op, operands, types);
    if (failed(built))
      return failure();
    SmallVector<Value> results((*built)->getResults());
    if (accesses)
      castElements(rewriter, op, *built, results);
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  /// Excludes tensors and the mask of a transfer, which is its last operand.
  static bool isElement(Operation *op, unsigned number) {
    Type type = op->getOperand(number).getType();
    if (isa<TensorType, BaseMemRefType>(type) || !getStored(type))
      return false;
    auto transfer = dyn_cast<VectorTransferOpInterface>(op);
    return !transfer || !transfer.getMask() ||
           number + 1 < op->getNumOperands();
  }

  /// Casts what the regions yield, and the elements that `op` returns.
  static void castElements(ConversionPatternRewriter &rewriter, Operation *op,
                           Operation *built, MutableArrayRef<Value> results) {
    for (Region &region : built->getRegions())
      extendYielded(rewriter, region.front().getTerminator());
    rewriter.setInsertionPointAfter(built);
    for (auto [result, type] : llvm::zip(results, op->getResultTypes()))
      if (!isa<TensorType>(type) && getStored(type))
        result = truncate(rewriter, op->getLoc(), result, type);
  }

  static void extendYielded(ConversionPatternRewriter &rewriter,
                            Operation *yield) {
    rewriter.setInsertionPoint(yield);
    Value v = extend(rewriter, yield->getLoc(), yield->getOperand(0));
    rewriter.modifyOpInPlace(yield, [&] { yield->setOperand(0, v); });
  }
};

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Reads the elements of a blob, which has the layout of memory.
std::optional<SmallVector<APInt>> readBlob(DenseResourceElementsAttr blob) {
  ShapedType type = blob.getType();
  size_t bytes = norm::getElementBytes(type.getElementType());
  ArrayRef<char> data = blob.getData();
  if (!blob.getRawHandle().getBlob() ||
      data.size() != bytes * type.getNumElements())
    return std::nullopt;
  SmallVector<APInt> elements;
  for (; !data.empty(); data = data.drop_front(bytes)) {
    APInt element(8 * bytes, 0);
    for (auto [i, byte] : llvm::enumerate(data.take_front(bytes)))
      element.insertBits(static_cast<uint8_t>(byte), 8 * i, 8);
    elements.push_back(element.trunc(type.getElementTypeBitWidth()));
  }
  return elements;
}

std::optional<SmallVector<APInt>> readElements(ElementsAttr elements) {
  if (auto blob = dyn_cast<DenseResourceElementsAttr>(elements))
    return readBlob(blob);
  if (auto integers = elements.tryGetValues<APInt>())
    return llvm::to_vector(*integers);
  auto floats = elements.tryGetValues<APFloat>();
  if (!floats)
    return std::nullopt;
  return llvm::map_to_vector(
      *floats, [](const APFloat &f) { return f.bitcastToAPInt(); });
}

/// Stores the elements of a constant; returns null if they are not known.
DenseElementsAttr store(ElementsAttr value) {
  auto type = cast<ShapedType>(getStored(value.getShapedType()));
  unsigned width = type.getElementTypeBitWidth();
  auto extend = [&](const APInt &element) { return element.zext(width); };
  // These functions keep splats.
  if (auto integers = dyn_cast<DenseIntElementsAttr>(value))
    return integers.mapValues(type.getElementType(), extend);
  if (auto floats = dyn_cast<DenseFPElementsAttr>(value))
    return floats.mapValues(type.getElementType(), [&](const APFloat &f) {
      return extend(f.bitcastToAPInt());
    });
  auto elements = readElements(value);
  if (!elements)
    return {};
  return DenseElementsAttr::get(type, llvm::map_to_vector(*elements, extend));
}

ElementsAttr getElements(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return dyn_cast<ElementsAttr>(constant.getValue());
  auto global = dyn_cast<memref::GlobalOp>(op);
  return global ? dyn_cast_or_null<ElementsAttr>(global.getInitialValueAttr())
                : ElementsAttr();
}

struct StoreConstant : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, store(getElements(op)));
    return success();
  }
};

struct StoreGlobal : OpConversionPattern<memref::GlobalOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(memref::GlobalOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<MemRefType>(getTypeConverter()->convertType(op.getType()));
    rewriter.modifyOpInPlace(op, [&] {
      if (ElementsAttr value = getElements(op))
        op.setInitialValueAttr(store(value));
      op.setType(type);
    });
    return success();
  }
};
} // namespace

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

namespace {
/// Converts the body of an op, whose block `body` has arguments of storage
/// types.
class BodyConverter {
public:
  BodyConverter(ConversionPatternRewriter &rewriter, GenericOp from,
                GenericOp to)
      : rewriter(rewriter), from(from), to(to) {}

  void run() {
    Block *oldBody = from.getBody();
    matchReductions(); // before the body loses its arguments
    SmallVector<Type> types;
    for (Value operand : to->getOperands())
      types.push_back(getElementTypeOrSelf(operand.getType()));
    SmallVector<Location> locations(types.size(), to.getLoc());
    Block *body = rewriter.createBlock(&to.getRegion(), {}, types, locations);
    SmallVector<Value> elements;
    for (auto [argument, old] :
         llvm::zip(body->getArguments(), oldBody->getArguments())) {
      bool isNarrow = argument.getType() != old.getType();
      elements.push_back(
          isNarrow ? truncate(rewriter, to.getLoc(), argument, old.getType())
                   : Value(argument));
    }
    // A value that is yielded as it was read needs no conversion.
    SmallVector<Value> yielded = getYielded(body, oldBody);
    // The operand of a combiner may be an element too.
    for (Bitwise &each : bitwise)
      if (auto argument = dyn_cast_or_null<BlockArgument>(each.contribution))
        if (argument.getOwner() == oldBody)
          each.contribution = elements[argument.getArgNumber()];
    rewriter.mergeBlocks(oldBody, body, elements);
    convertYield(body, yielded);
  }

private:
  /// The combiner and the value it adds, if the sum can stay in storage.
  struct Bitwise {
    Operation *combiner = nullptr;
    Value contribution;
  };

  void matchReductions() {
    bitwise.resize(from.getNumDpsInits());
    if (from.getNumReductionLoops() == 0)
      return;
    for (auto [i, argument] : llvm::enumerate(from.getRegionOutputArgs())) {
      SmallVector<Operation *> combiners;
      if (!getStored(argument.getType()) || !argument.hasOneUse())
        continue;
      Value v = matchReduction(from.getRegionOutputArgs(), i, combiners);
      if (v && combiners.size() == 1 && !getBitwise(combiners[0]).empty())
        bitwise[i] = {combiners[0], v};
    }
  }

  SmallVector<Value> getYielded(Block *body, Block *oldBody) {
    SmallVector<Value> yielded;
    for (Value v : oldBody->getTerminator()->getOperands()) {
      auto argument = dyn_cast<BlockArgument>(v);
      bool isElement = argument && argument.getOwner() == oldBody;
      yielded.push_back(isElement ? body->getArgument(argument.getArgNumber())
                                  : Value());
    }
    return yielded;
  }

  void convertYield(Block *body, ArrayRef<Value> yielded) {
    Operation *yield = body->getTerminator();
    SmallVector<Value> results(yield->getOperands());
    for (auto [i, result] : llvm::enumerate(results)) {
      BlockArgument out = body->getArguments().take_back(bitwise.size())[i];
      rewriter.setInsertionPoint(yield);
      if (bitwise[i].combiner) {
        Value v = extend(rewriter, to.getLoc(), bitwise[i].contribution);
        StringAttr name =
            rewriter.getStringAttr(getBitwise(bitwise[i].combiner));
        result =
            rewriter.create(to.getLoc(), name, ValueRange{out, v}, v.getType())
                ->getResult(0);
        continue;
      }
      if (result.getType() == out.getType())
        continue;
      if (yielded[i] && yielded[i].getType() == out.getType()) {
        result = yielded[i];
        continue;
      }
      if (result.getParentBlock() != body)
        rewriter.setInsertionPoint(to); // one value for all elements
      result = extend(rewriter, to.getLoc(), result);
    }
    rewriter.modifyOpInPlace(yield, [&] { yield->setOperands(results); });
  }

  ConversionPatternRewriter &rewriter;
  GenericOp from, to;
  SmallVector<Bitwise> bitwise; // one per output
};

struct ConvertGeneric : OpConversionPattern<GenericOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(GenericOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op.getResultTypes(), types)))
      return failure();
    SmallVector<Value> inputs(adaptor.getInputs());
    storeScalars(rewriter, op, inputs);
    auto converted = GenericOp::create(
        rewriter, op.getLoc(), types, inputs, adaptor.getOutputs(),
        op.getIndexingMaps(), op.getIteratorTypes(), op.getDocAttr(),
        op.getLibraryCallAttr());
    converted->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    BodyConverter(rewriter, op, converted).run();
    rewriter.replaceOp(op, converted);
    return success();
  }

private:
  /// Extends a scalar that fills the result once.
  static void storeScalars(ConversionPatternRewriter &rewriter, GenericOp op,
                           MutableArrayRef<Value> inputs) {
    auto yielded = op.getBody()->getTerminator()->getOperands();
    for (auto [input, argument] : llvm::zip(inputs, op.getRegionInputArgs()))
      if (!isa<ShapedType>(input.getType()) && getStored(input.getType()) &&
          llvm::is_contained(yielded, Value(argument)))
        input = extend(rewriter, op.getLoc(), input);
  }
};

struct GeneralizeNamed : OpInterfaceConversionPattern<linalg::LinalgOp> {
  using OpInterfaceConversionPattern::OpInterfaceConversionPattern;

  LogicalResult
  matchAndRewrite(linalg::LinalgOp op, ArrayRef<Value>,
                  ConversionPatternRewriter &rewriter) const override {
    return linalg::generalizeNamedOp(rewriter, op);
  }
};

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

struct NormStoreWholeBytes
    : norm::impl::NormStoreWholeBytesBase<NormStoreWholeBytes> {
  void runOnOperation() override {
    StorageConverter converter;
    bool found = false;
    WalkResult result = getOperation().walk([&](Operation *op) {
      if (failed(verifyTypes(op)))
        return WalkResult::interrupt();
      if (isLegal(converter, op))
        return WalkResult::advance();
      found = true;
      if (isKnown(op))
        return WalkResult(verifyElements(op));
      op->emitError("norm-store-whole-bytes: '")
          << op->getName() << "' on elements that are not whole bytes is not "
          << "supported";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    if (!found)
      return;
    if (failed(convert(converter)))
      return signalPassFailure();
    getOperation().walk([](GenericOp op) { eraseDeadOps(*op.getBody()); });
  }

  /// Erases truncations of values that are only stored, and replaced combiners,
  /// because an analysis of reductions counts uses.
  static void eraseDeadOps(Block &body) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

  /// Rejects types that LLVM lacks, or reads and writes wrongly.
  static LogicalResult verifyTypes(Operation *op) {
    for (Type type : llvm::concat<const Type>(op->getOperandTypes(),
                                              op->getResultTypes())) {
      if (!isa<TensorType, BaseMemRefType>(type))
        continue;
      Type element = getElementTypeOrSelf(type);
      bool isLong = isa<IntegerType>(element) &&
                    element.getIntOrFloatBitWidth() > norm::kMostStoredBits;
      if (isLong || element.isTF32())
        return op->emitError("norm-store-whole-bytes: elements of ")
               << element << " are not supported in memory, "
               << (isLong ? "integers have 128 bits at most"
                          : "LLVM has no such type");
    }
    return success();
  }

  /// Checks that the elements of a constant are known.
  static LogicalResult verifyElements(Operation *op) {
    ElementsAttr elements = getElements(op);
    if (!elements || isa<DenseElementsAttr>(elements) || readElements(elements))
      return success();
    return op->emitError("norm-store-whole-bytes: elements of ")
           << elements.getType() << " cannot be read; write them as dense<...>";
  }

  LogicalResult convert(StorageConverter &converter) {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<RebuildOp, StoreConstant, StoreGlobal, ConvertGeneric,
                 GeneralizeNamed>(converter, context);
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                   converter);
    ConversionTarget target(*context);
    target.markUnknownOpDynamicallyLegal(
        [&](Operation *op) { return isLegal(converter, op); });
    return applyPartialConversion(getOperation(), target, std::move(patterns));
  }
};
} // namespace
