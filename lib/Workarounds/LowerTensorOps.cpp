//===- LowerTensorOps.cpp - what tensors have no bufferization for --------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: convert-elementwise-to-linalg folds first, and arith's
// folders make constants of open extents; goes when they look at the shape.
// Upstream: LLVM 22.1: linalg.pack and unpack and Winograd's transforms have no
// bufferization, and no pass but the transform dialect lowers them; goes when
// one does.
// Upstream: LLVM 22.1: the lowering of a memref.global without dimensions looks
// for the element of a resource, and crashes; goes when it reads the bytes.
// Upstream: LLVM 22.1: bufferization does not see that a view of what an
// scf.index_switch yields may be a view of an argument, and writes there; goes
// when yields of switches alias its results.
// Upstream: LLVM 22.1: a negative amount of padding is bufferized to a view
// that begins before the buffer; goes when it removes elements.
// Upstream: LLVM 22.1: linalg-fold-unit-extent-dims takes 0 for an open extent
// of a result that an operand says is 1; goes when it asks the result.
// Upstream: StableHLO's conversion to linalg leaves casts from unsigned tensors
// to signless ones; goes when it converts functions too.
// Upstream: LLVM 22.1: a concat or a pad of an empty tensor is bufferized to a
// view that begins behind the end; goes when that is allowed or left out.
// Upstream: LLVM 22.1: arith.remsi and remui claim to be speculatable, and are
// hoisted out of loops that do not run; goes when they say what quotients do.
// Upstream: LLVM 22.1: no pass lowers math.isinf and isnormal, and ipowi
// becomes a call for each element; goes when convert-math-to-llvm has them.

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "norm/Floats/Lanes.h"
#include "norm/IR/KnownExtents.h"
#include "norm/IR/Norm.h"
#include "norm/Workarounds/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMLOWERTENSOROPS
#include "norm/Workarounds/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using arith::CmpIPredicate;
using norm::Lanes;

static LogicalResult lowerPack(linalg::PackOp op, PatternRewriter &rewriter) {
  return linalg::lowerPack(rewriter, op, /*lowerPadLikeWithInsertSlice=*/false);
}

static LogicalResult lowerUnPack(linalg::UnPackOp op,
                                 PatternRewriter &rewriter) {
  return linalg::lowerUnPack(rewriter, op,
                             /*lowerUnpadLikeWithExtractSlice=*/false);
}

/// Returns true for a tensor that is known to have no elements.
static bool isEmpty(Value v) {
  return llvm::is_contained(cast<RankedTensorType>(v.getType()).getShape(), 0);
}

static LogicalResult dropEmptyParts(tensor::ConcatOp op,
                                    PatternRewriter &rewriter) {
  SmallVector<Value> parts =
      llvm::filter_to_vector(op.getInputs(), std::not_fn(isEmpty));
  if (parts.size() == op.getInputs().size())
    return failure();
  Location loc = op.getLoc();
  Value joined;
  if (parts.empty()) {
    ReifiedRankedShapedTypeDims shapes;
    if (failed(reifyResultShapes(rewriter, op, shapes)))
      return failure();
    joined = tensor::EmptyOp::create(rewriter, loc, shapes.front(),
                                     op.getResultType().getElementType());
  } else {
    joined = tensor::ConcatOp::create(rewriter, loc, op.getDim(), parts);
  }
  rewriter.replaceOpWithNewOp<tensor::CastOp>(op, op.getType(), joined);
  return success();
}

/// Computes all elements by the padding.
static LogicalResult generateAll(tensor::PadOp op, PatternRewriter &rewriter) {
  SmallVector<Value> extents;
  ReifiedRankedShapedTypeDims shapes;
  if (failed(reifyResultShapes(rewriter, op, shapes)))
    return failure();
  for (OpFoldResult extent : shapes.front())
    if (auto value = dyn_cast<Value>(extent))
      extents.push_back(value);
  auto generate = tensor::GenerateOp::create(rewriter, op.getLoc(),
                                             op.getResultType(), extents);
  rewriter.inlineRegionBefore(op.getRegion(), generate.getBody(),
                              generate.getBody().begin());
  rewriter.replaceOp(op, generate);
  return success();
}

/// Returns max(v, 0), of a negative amount what it removes.
static OpFoldResult getPositive(OpBuilder &b, Location loc, OpFoldResult v,
                                int64_t sign) {
  AffineExpr amount = b.getAffineSymbolExpr(0) * sign;
  AffineMap map = AffineMap::get(0, 1, {amount, b.getAffineConstantExpr(0)},
                                 b.getContext());
  return affine::makeComposedFoldedAffineMax(b, loc, map, v);
}

/// Takes away what negative amounts of padding remove, before the rest is
/// padded, and computes what is around nothing.
static LogicalResult lowerPad(tensor::PadOp op, PatternRewriter &rewriter) {
  if (isEmpty(op.getSource()))
    return generateAll(op, rewriter);
  // The pass has made max(v, 0) of some before.
  auto mayBeNegative = [&](OpFoldResult amount) {
    return !ValueBoundsConstraintSet::compare(
        amount, ValueBoundsConstraintSet::GE,
        OpFoldResult(rewriter.getIndexAttr(0)));
  };
  SmallVector<OpFoldResult> low = op.getMixedLowPad(),
                            high = op.getMixedHighPad();
  if (llvm::none_of(low, mayBeNegative) && llvm::none_of(high, mayBeNegative))
    return failure();
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> offsets, sizes,
      strides(low.size(), rewriter.getIndexAttr(1));
  AffineExpr size, removedLow, removedHigh;
  bindSymbols(rewriter.getContext(), size, removedLow, removedHigh);
  for (auto [dim, before, after] : llvm::enumerate(low, high)) {
    OpFoldResult extent =
        tensor::getMixedSize(rewriter, loc, op.getSource(), dim);
    offsets.push_back(getPositive(rewriter, loc, before, -1));
    sizes.push_back(affine::makeComposedFoldedAffineApply(
        rewriter, loc, size - removedLow - removedHigh,
        {extent, offsets.back(), getPositive(rewriter, loc, after, -1)}));
    std::optional<int64_t> known = getConstantIntValue(sizes.back());
    if (known && *known <= 0)
      return generateAll(op, rewriter);
    before = getPositive(rewriter, loc, before, 1);
    after = getPositive(rewriter, loc, after, 1);
  }
  Value rest = tensor::ExtractSliceOp::create(rewriter, loc, op.getSource(),
                                              offsets, sizes, strides);
  auto padded = tensor::PadOp::create(rewriter, loc, op.getResultType(), rest,
                                      low, high, op.getNofold());
  rewriter.inlineRegionBefore(op.getRegion(), padded.getRegion(),
                              padded.getRegion().begin());
  rewriter.replaceOp(op, padded);
  return success();
}

/// Makes a number of a resource without dimensions.
static void unpackScalar(Operation *op) {
  StringRef name = isa<memref::GlobalOp>(op) ? "initial_value" : "value";
  auto resource = op->getAttrOfType<DenseResourceElementsAttr>(name);
  if (!resource || resource.getType().getRank() != 0 ||
      !resource.getRawHandle().getBlob())
    return;
  bool isSplat;
  if (DenseElementsAttr::isValidRawBuffer(resource.getType(),
                                          resource.getData(), isSplat))
    op->setAttr(name, DenseElementsAttr::getFromRawBuffer(resource.getType(),
                                                          resource.getData()));
}

/// Chooses between tensors by branches.
static LogicalResult lowerSwitch(scf::IndexSwitchOp op,
                                 PatternRewriter &rewriter) {
  if (llvm::none_of(op.getResultTypes(), llvm::IsaPred<TensorType>))
    return failure();
  Location loc = op.getLoc();
  scf::IfOp first;
  for (auto [number, region] : llvm::zip(op.getCases(), op.getCaseRegions())) {
    Value value = arith::ConstantIndexOp::create(rewriter, loc, number);
    Value isCase = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::eq, op.getArg(), value);
    auto branch = scf::IfOp::create(rewriter, loc, op.getResultTypes(), isCase,
                                    /*withElseRegion=*/true);
    if (first)
      scf::YieldOp::create(rewriter, loc, branch.getResults());
    else
      first = branch;
    rewriter.inlineBlockBefore(&region.front(), branch.thenBlock(),
                               branch.thenBlock()->end());
    rewriter.setInsertionPointToEnd(branch.elseBlock());
  }
  if (!first)
    return failure();
  Block *rest = rewriter.getInsertionBlock();
  rewriter.inlineBlockBefore(&op.getDefaultBlock(), rest, rest->end());
  rewriter.replaceOp(op, first);
  return success();
}

/// Chooses between two tensors of open extents by a branch: one value decides,
/// and the tensors may differ in size.
// Upstream: LLVM 22.1: convert-elementwise-to-linalg takes the extents of the
// first one for both; goes when it looks at the condition.
static LogicalResult lowerSelect(arith::SelectOp op,
                                 PatternRewriter &rewriter) {
  auto type = dyn_cast<TensorType>(op.getType());
  if (!type || type.hasStaticShape() ||
      isa<ShapedType>(op.getCondition().getType()))
    return failure();
  auto yield = [](Value value) {
    return [value](OpBuilder &b, Location loc) {
      scf::YieldOp::create(b, loc, value);
    };
  };
  rewriter.replaceOpWithNewOp<scf::IfOp>(op, op.getCondition(),
                                         yield(op.getTrueValue()),
                                         yield(op.getFalseValue()));
  return success();
}

/// Copies what is read from a global that may change, and what is written to
/// it, so that no tensor is in its memory.
// Upstream: LLVM 22.1: bufferization takes ml_program.global_store for an op
// that does not read its operand, and a load for memory that no store writes;
// goes when MLProgram's bufferization says both.
static void copyGlobal(Operation *op) {
  OpBuilder b(op);
  if (auto store = dyn_cast<ml_program::GlobalStoreOp>(op)) {
    store.getValueMutable().assign(
        norm::createCopy(b, op->getLoc(), store.getValue()));
    return;
  }
  auto load = cast<ml_program::GlobalLoadOp>(op);
  auto global = SymbolTable::lookupNearestSymbolFrom<ml_program::GlobalOp>(
      op, load.getGlobalAttr());
  if (global && !global.getIsMutable())
    return;
  b.setInsertionPointAfter(op);
  Value own = norm::createCopy(b, op->getLoc(), load.getResult());
  load.getResult().replaceAllUsesExcept(own, own.getDefiningOp());
}

/// Makes all integers signless where a program has casts between such types:
/// ops say what is unsigned.
static void dropSignedness(Operation *root) {
  AttrTypeReplacer signless;
  signless.addReplacement([](IntegerType type) -> std::optional<Type> {
    return IntegerType::get(type.getContext(), type.getWidth());
  });
  auto casts = norm::collect<UnrealizedConversionCastOp>(
      root, [&](UnrealizedConversionCastOp op) {
        return op->getNumOperands() == 1 && op->getNumResults() == 1 &&
               signless.replace(op.getOperand(0).getType()) ==
                   signless.replace(op.getResult(0).getType());
      });
  if (casts.empty())
    return;
  signless.recursivelyReplaceElementsIn(root, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  for (UnrealizedConversionCastOp op : casts) {
    op.getResult(0).replaceAllUsesWith(op.getOperand(0));
    op.erase();
  }
}

/// Returns true if an operand, a tensor, leaves an extent open that another
/// has.
static bool hidesExtent(linalg::LinalgOp op) {
  SmallVector<int64_t> extents = norm::getKnownExtents(op);
  return op.hasPureTensorSemantics() &&
         llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
           return norm::getRefinedType(op, operand, extents) !=
                  operand.get().getType();
         });
}

namespace {
/// Casts operands to the extents that others have; upstream's pattern does that
/// for maps of loops alone.
struct RefineOperands : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (!hidesExtent(op))
      return failure();
    SmallVector<int64_t> extents = norm::getKnownExtents(op);
    for (OpOperand &operand : op->getOpOperands()) {
      Type open = operand.get().getType(),
           type = norm::getRefinedType(op, operand, extents);
      if (type == open)
        continue;
      rewriter.setInsertionPoint(op);
      Value known =
          tensor::CastOp::create(rewriter, op.getLoc(), type, operand.get());
      rewriter.modifyOpInPlace(op, [&] { operand.set(known); });
      if (!op.isDpsInit(&operand))
        continue;
      Value result = op.getTiedOpResult(&operand);
      result.setType(type);
      rewriter.setInsertionPointAfter(op);
      auto cast = tensor::CastOp::create(rewriter, op.getLoc(), open, result);
      rewriter.replaceAllUsesExcept(result, cast, cast);
    }
    return success();
  }
};
} // namespace

/// Casts operands to the extents that others have, and follows these, where a
/// program leaves some open. Slices that drop dimensions must not be made of
/// extents which are found later to be 1.
static LogicalResult inferExtents(Operation *root) {
  if (!norm::anyIn(root, hidesExtent))
    return success();
  MLIRContext *context = root->getContext();
  // Their verifiers reject an input whose extent the result alone has.
  IRRewriter rewriter(context);
  root->walk([&](linalg::LinalgOp op) {
    rewriter.setInsertionPoint(op);
    if (isa<linalg::BroadcastOp, linalg::TransposeOp>(op))
      (void)linalg::generalizeNamedOp(rewriter, op);
  });
  RewritePatternSet patterns(context);
  patterns.add<RefineOperands>(context);
  context->getLoadedDialect<linalg::LinalgDialect>()
      ->getCanonicalizationPatterns(patterns);
  tensor::CastOp::getCanonicalizationPatterns(patterns, context);
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::DimOp::getCanonicalizationPatterns(patterns, context);
  tensor::EmptyOp::getCanonicalizationPatterns(patterns, context);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::ExtractSliceOp::getCanonicalizationPatterns(patterns, context);
  tensor::InsertSliceOp::getCanonicalizationPatterns(patterns, context);
  tensor::PadOp::getCanonicalizationPatterns(patterns, context);
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  return applyPatternsGreedily(root, std::move(patterns));
}

//===----------------------------------------------------------------------===//
// Arithmetic of elements
//===----------------------------------------------------------------------===//

/// Computes a remainder by the quotient, which stays where it is.
template <typename Remainder, typename Quotient>
static LogicalResult divideFirst(Remainder op, PatternRewriter &rewriter) {
  if (matchPattern(op.getRhs(), m_Constant()))
    return failure();
  Location loc = op.getLoc();
  Value quotient = Quotient::create(rewriter, loc, op.getLhs(), op.getRhs());
  Value multiple = arith::MulIOp::create(rewriter, loc, quotient, op.getRhs());
  rewriter.replaceOpWithNewOp<arith::SubIOp>(op, op.getLhs(), multiple);
  return success();
}

//===----------------------------------------------------------------------===//
// Classes of floats
//===----------------------------------------------------------------------===//

/// Returns |v| >= `getNumber()` of its format; false for NaN.
static Value isAtLeast(ImplicitLocOpBuilder &b, Value v,
                       APFloat (&getNumber)(const llvm::fltSemantics &, bool)) {
  auto format = cast<FloatType>(getElementTypeOrSelf(v));
  Value number = createScalarOrSplatConstant(
      b, b.getLoc(), v.getType(),
      getNumber(format.getFloatSemantics(), /*Negative=*/false));
  return arith::CmpFOp::create(b, arith::CmpFPredicate::OGE,
                               math::AbsFOp::create(b, v), number);
}

static LogicalResult expandIsInf(math::IsInfOp op, PatternRewriter &rewriter) {
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  rewriter.replaceOp(op, isAtLeast(b, op.getOperand(), APFloat::getInf));
  return success();
}

static LogicalResult expandIsNormal(math::IsNormalOp op,
                                    PatternRewriter &rewriter) {
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Value isInf = isAtLeast(b, op.getOperand(), APFloat::getInf);
  Value isNormalOrInf =
      isAtLeast(b, op.getOperand(), APFloat::getSmallestNormalized);
  rewriter.replaceOpWithNewOp<arith::XOrIOp>(op, isNormalOrInf, isInf);
  return success();
}

static LogicalResult expandClamp(math::ClampFOp op, PatternRewriter &rewriter) {
  Value above = arith::MaximumFOp::create(rewriter, op.getLoc(), op.getValue(),
                                          op.getMin(), op.getFastmathAttr());
  rewriter.replaceOpWithNewOp<arith::MinimumFOp>(op, above, op.getMax(),
                                                 op.getFastmathAttr());
  return success();
}

//===----------------------------------------------------------------------===//
// Powers of integers
//===----------------------------------------------------------------------===//

/// Multiplies the squares x^1, x^2, x^4, .. whose bits the exponent has. A
/// negative one gives 0, but for x = 1 and x = -1.
static LogicalResult expandIPowI(math::IPowIOp op, PatternRewriter &rewriter) {
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Lanes x(b, op.getLhs()), exponent(b, op.getRhs());
  Type element = x.getElementType();
  unsigned width = element.isIndex() ? IndexType::kInternalStorageBitWidth
                                     : element.getIntOrFloatBitWidth();
  APInt known;
  bool isKnown = matchPattern(op.getRhs(), m_ConstantInt(&known));
  Lanes zero = x.like(0), one = x.like(1), power = one, square = x;
  for (unsigned bit = 0; bit < width; ++bit) {
    if (isKnown && known.lshr(bit).isZero())
      break;
    if (!isKnown || known[bit]) {
      Value mask = createScalarOrSplatConstant(b, b.getLoc(), op.getType(),
                                               APInt::getOneBitSet(width, bit));
      Value isOn = (exponent & mask).is(CmpIPredicate::ne, zero);
      power = power * select(isOn, square, one);
    }
    square = square * square;
  }
  Value isOdd = (exponent & one).is(CmpIPredicate::ne, zero);
  Lanes ofMinusOne = select(isOdd, x, one);
  Lanes inverse = select(x.is(CmpIPredicate::eq, -1), ofMinusOne,
                         select(x.is(CmpIPredicate::eq, 1), one, zero));
  rewriter.replaceOp(
      op, Value(select(exponent.is(CmpIPredicate::slt, 0), inverse, power)));
  return success();
}

namespace {
struct NormLowerTensorOps
    : norm::impl::NormLowerTensorOpsBase<NormLowerTensorOps> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (isa<arith::ConstantOp, memref::GlobalOp>(op))
        unpackScalar(op);
      if (isa<ml_program::GlobalLoadOp, ml_program::GlobalStoreOp>(op))
        copyGlobal(op);
    });
    dropSignedness(getOperation());
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseToLinalgConversionPatterns(patterns);
    linalg::populateDecomposeWinogradOpsPatterns(patterns);
    patterns.add(lowerPack);
    patterns.add(lowerUnPack);
    patterns.add(dropEmptyParts);
    patterns.add(lowerPad);
    patterns.add(lowerSwitch);
    patterns.add(lowerSelect, /*benefit=*/2);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    if (failed(inferExtents(getOperation())))
      return signalPassFailure();
    // Also in the bodies that the others have made.
    RewritePatternSet scalars(&getContext());
    scalars.add(divideFirst<arith::RemSIOp, arith::DivSIOp>);
    scalars.add(divideFirst<arith::RemUIOp, arith::DivUIOp>);
    scalars.add(expandIsInf);
    scalars.add(expandIsNormal);
    scalars.add(expandIPowI);
    scalars.add(expandClamp);
    walkAndApplyPatterns(getOperation(), std::move(scalars));
  }
};
} // namespace
