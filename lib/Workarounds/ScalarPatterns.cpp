//===- ScalarPatterns.cpp - arithmetic of elements ------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: arith.remsi and remui claim to be speculatable, and are
// hoisted out of loops that do not run; goes when they say what quotients do.
// Upstream: LLVM 22.1: no pass lowers math.isinf and isnormal, and ipowi
// becomes a call for each element; goes when convert-math-to-llvm has them.

#include "ScalarPatterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

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

/// Returns a constant of an element's type, or of a vector's.
static Value createConstant(ImplicitLocOpBuilder &b, Type type,
                            TypedAttr element) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    return arith::ConstantOp::create(
        b, cast<TypedAttr>(DenseElementsAttr::get(shaped, Attribute(element))));
  return arith::ConstantOp::create(b, element);
}

/// Compares the magnitude of `v` with a number.
static Value compareMagnitude(ImplicitLocOpBuilder &b, Value v,
                              arith::CmpFPredicate predicate,
                              const APFloat &number) {
  auto element = FloatAttr::get(getElementTypeOrSelf(v.getType()), number);
  return arith::CmpFOp::create(b, predicate, math::AbsFOp::create(b, v),
                               createConstant(b, v.getType(), element));
}

static const llvm::fltSemantics &getSemantics(Value v) {
  return cast<FloatType>(getElementTypeOrSelf(v.getType())).getFloatSemantics();
}

static LogicalResult expandIsInf(math::IsInfOp op, PatternRewriter &rewriter) {
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Value x = op.getOperand();
  rewriter.replaceOp(op, compareMagnitude(b, x, arith::CmpFPredicate::OEQ,
                                          APFloat::getInf(getSemantics(x))));
  return success();
}

static LogicalResult expandIsNormal(math::IsNormalOp op,
                                    PatternRewriter &rewriter) {
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Value x = op.getOperand();
  const llvm::fltSemantics &semantics = getSemantics(x);
  Value isAbove = compareMagnitude(b, x, arith::CmpFPredicate::OGE,
                                   APFloat::getSmallestNormalized(semantics));
  Value isBelow = compareMagnitude(b, x, arith::CmpFPredicate::OLT,
                                   APFloat::getInf(semantics));
  rewriter.replaceOpWithNewOp<arith::AndIOp>(op, isAbove, isBelow);
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
  Value x = op.getLhs(), exponent = op.getRhs();
  Type type = x.getType();
  Type element = getElementTypeOrSelf(type);
  unsigned width = element.isIndex() ? IndexType::kInternalStorageBitWidth
                                     : element.getIntOrFloatBitWidth();
  APInt known;
  bool isKnown = matchPattern(exponent, m_ConstantInt(&known));
  auto number = [&](int64_t v) {
    return createConstant(
        b, type, IntegerAttr::get(element, APInt(width, v, true, true)));
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value v, int64_t with) {
    return arith::CmpIOp::create(b, predicate, v, number(with));
  };
  Value zero = number(0), one = number(1), power = one, square = x;
  for (unsigned bit = 0; bit < width; ++bit) {
    if (isKnown && known.lshr(bit).isZero())
      break;
    if (!isKnown || known[bit]) {
      APInt mask = APInt::getOneBitSet(width, bit);
      Value isOn = arith::CmpIOp::create(
          b, arith::CmpIPredicate::ne,
          arith::AndIOp::create(
              b, exponent,
              createConstant(b, type, IntegerAttr::get(element, mask))),
          zero);
      power = arith::MulIOp::create(
          b, power, arith::SelectOp::create(b, isOn, square, one));
    }
    square = arith::MulIOp::create(b, square, square);
  }
  Value isOdd = compare(arith::CmpIPredicate::ne,
                        arith::AndIOp::create(b, exponent, one), 0);
  Value ofMinusOne = arith::SelectOp::create(b, isOdd, x, one);
  Value inverse = arith::SelectOp::create(
      b, compare(arith::CmpIPredicate::eq, x, -1), ofMinusOne,
      arith::SelectOp::create(b, compare(arith::CmpIPredicate::eq, x, 1), one,
                              zero));
  rewriter.replaceOpWithNewOp<arith::SelectOp>(
      op, compare(arith::CmpIPredicate::slt, exponent, 0), inverse, power);
  return success();
}

//===----------------------------------------------------------------------===//
// Integers and floats below 16 bits
//===----------------------------------------------------------------------===//

/// Returns the format if it has fewer than 16 bits, and no integer beyond those
/// that f32 holds.
static FloatType getSmallFormat(Type type) {
  auto format = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  if (!format || format.getWidth() >= 16 ||
      APFloat::getLargest(format.getFloatSemantics()).convertToDouble() >
          0x1p24)
    return {};
  return format;
}

static Type withF32(Type type) {
  Type f32 = Float32Type::get(type.getContext());
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? shaped.clone(f32) : f32;
}

template <typename ToInteger>
static LogicalResult convertThroughF32(ToInteger op,
                                       PatternRewriter &rewriter) {
  Type from = op.getIn().getType();
  if (!getSmallFormat(from))
    return failure();
  Value wide =
      arith::ExtFOp::create(rewriter, op.getLoc(), withF32(from), op.getIn());
  rewriter.replaceOpWithNewOp<ToInteger>(op, op.getType(), wide);
  return success();
}

template <typename ToFloat>
static LogicalResult roundFromF32(ToFloat op, PatternRewriter &rewriter) {
  if (!getSmallFormat(op.getType()))
    return failure();
  Value wide =
      ToFloat::create(rewriter, op.getLoc(), withF32(op.getType()), op.getIn());
  rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), wide);
  return success();
}

void norm::populateScalarPatterns(RewritePatternSet &patterns) {
  patterns.add(divideFirst<arith::RemSIOp, arith::DivSIOp>);
  patterns.add(divideFirst<arith::RemUIOp, arith::DivUIOp>);
  patterns.add(expandIsInf);
  patterns.add(expandIsNormal);
  patterns.add(expandIPowI);
  patterns.add(convertThroughF32<arith::FPToSIOp>);
  patterns.add(convertThroughF32<arith::FPToUIOp>);
  patterns.add(roundFromF32<arith::SIToFPOp>);
  patterns.add(roundFromF32<arith::UIToFPOp>);
  patterns.add(expandClamp);
}
