//===- ExpandVectorMath.cpp - exp, log, tanh, erf of f32 vectors ----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function is a range reduction, a polynomial and selections for special
// values. The coefficients are minimax fits of this project, rounded to f32;
// test/Integration/CPU/vector-math.mlir measures the result.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "norm/Transforms/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMEXPANDVECTORMATH
#include "norm/Transforms/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using arith::CmpFPredicate;

namespace {
// ln 2 has two parts; products of the first with integers up to 511 are exact.
constexpr float kLog2E = 0x1.715476p+0f;
constexpr float kLn2High = 0x1.62e4p-1f;
constexpr float kLn2Low = 0x1.7f7d1cp-20f;
// Adding it rounds to an integer, which the lower bits then hold.
constexpr float kRound = 0x1.8p23f;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// Builds arithmetic on vectors of f32, and of i32 for their bits.
struct VectorMath {
  VectorMath(OpBuilder &builder, Location loc, VectorType floats, bool fma)
      : b(loc, builder), floats(floats),
        ints(floats.clone(builder.getI32Type())), fma(fma) {}

  Value cst(float value) {
    Attribute attr = b.getF32FloatAttr(value);
    return arith::ConstantOp::create(b, DenseElementsAttr::get(floats, attr));
  }
  Value bits(uint32_t value) {
    Attribute attr = b.getI32IntegerAttr(static_cast<int32_t>(value));
    return arith::ConstantOp::create(b, DenseElementsAttr::get(ints, attr));
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  /// Builds x y + z, and z - x y.
  Value mulAdd(Value x, Value y, Value z) {
    return fma ? math::FmaOp::create(b, x, y, z).getResult()
               : add(mul(x, y), z);
  }
  Value mulSub(Value x, Value y, Value z) {
    return fma ? mulAdd(arith::NegFOp::create(b, x), y, z) : sub(z, mul(x, y));
  }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value abs(Value x) { return math::AbsFOp::create(b, x); }
  Value withSign(Value x, Value sign) {
    return math::CopySignOp::create(b, x, sign);
  }
  Value cmp(CmpFPredicate predicate, Value x, float y) {
    return arith::CmpFOp::create(b, predicate, x, cst(y));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value toBits(Value x) { return arith::BitcastOp::create(b, ints, x); }
  Value toFloat(Value x) { return arith::BitcastOp::create(b, floats, x); }
  Value shiftLeft(Value x, uint32_t by) {
    return arith::ShLIOp::create(b, x, bits(by));
  }

  /// Limits x by one x86 instruction per bound, and keeps NaN.
  Value atMost(Value x, float bound) {
    return select(cmp(CmpFPredicate::OGT, x, bound), cst(bound), x);
  }
  Value atLeast(Value x, float bound) {
    return select(cmp(CmpFPredicate::OLT, x, bound), cst(bound), x);
  }

  /// Builds Horner's scheme from the highest power down.
  Value polynomial(Value x, ArrayRef<float> coefficients) {
    Value result = cst(coefficients.front());
    for (float coefficient : coefficients.drop_front())
      result = mulAdd(result, x, cst(coefficient));
    return result;
  }

  /// Builds (c0 + c1 x) + x^2 ((c2 + c3 x) + c4 x^2), half as long a chain.
  Value quartic(Value x, Value square, ArrayRef<float> c) {
    Value low = mulAdd(x, cst(c[3]), cst(c[4]));
    Value high = mulAdd(x, cst(c[1]), cst(c[2]));
    return mulAdd(mulAdd(square, cst(c[0]), high), square, low);
  }

  /// Builds x - n ln 2.
  Value reduce(Value x, Value n) {
    return mulSub(n, cst(kLn2Low), mulSub(n, cst(kLn2High), x));
  }

  /// Builds p 2^n for the n + 254 in the lower bits of `shifted`. It has two
  /// factors: subnormal results round once, and too large ones are infinite.
  Value scale(Value p, Value shifted) {
    Value n = toBits(shifted);
    Value half = arith::ShRUIOp::create(b, n, bits(1));
    Value rest = arith::SubIOp::create(b, n, half);
    return mul(mul(p, toFloat(shiftLeft(half, 23))),
               toFloat(shiftLeft(rest, 23)));
  }

  /// Builds 2^-n e^x for the integer n = x / ln 2, and n + `bias` in the lower
  /// bits of `shifted`.
  Value expOfRest(Value x, float bias, Value &shifted) {
    shifted = mulAdd(x, cst(kLog2E), cst(kRound + bias));
    Value r = reduce(x, sub(shifted, cst(kRound + bias)));
    Value square = mul(r, r);
    Value q = quartic(r, square,
                      {0x1.6ac6b2p-10f, 0x1.123de0p-7f, 0x1.555858p-5f,
                       0x1.55548cp-3f, 0x1.fffffcp-2f});
    return add(mulAdd(square, q, r), cst(1.0f));
  }

  Value exp(Value x) {
    x = atLeast(atMost(x, 89.0f), -104.0f);
    Value shifted;
    Value p = expOfRest(x, 254, shifted);
    return scale(p, shifted);
  }

  /// Builds exp(x) for sums with what is not tiny: e^-86, still normal, stands
  /// for all below it. 2^(n-1) is one factor, finite at n=128.
  Value expOfSummand(Value x) {
    x = atLeast(atMost(x, 89.0f), -86.0f);
    Value shifted;
    Value p = expOfRest(x, 126, shifted);
    Value half = mul(p, toFloat(shiftLeft(toBits(shifted), 23)));
    return add(half, half);
  }

  Value exp2(Value x) {
    x = atLeast(atMost(x, 129.0f), -151.0f);
    Value shifted = add(x, cst(kRound + 254));
    Value r = sub(x, sub(shifted, cst(kRound + 254)));
    Value q = polynomial(r, {0x1.179c34p-13f, 0x1.5ef4f6p-10f, 0x1.3b6816p-7f,
                             0x1.c6af9ep-5f, 0x1.ebfb94p-3f, 0x1.62e430p-1f});
    return scale(mulAdd(q, r, cst(1.0f)), shifted);
  }

  /// Builds 2 (h (e^r - 1) + (h - 1/2)) with h = 2^(n-1), finite at n=128.
  Value expm1(Value original) {
    Value x = atLeast(atMost(original, 89.0f), -18.0f);
    Value shifted = mulAdd(x, cst(kLog2E), cst(kRound + 126));
    Value r = reduce(x, sub(shifted, cst(kRound + 126)));
    Value square = mul(r, r);
    Value q = quartic(r, square,
                      {0x1.6cd790p-10f, 0x1.122c52p-7f, 0x1.555538p-5f,
                       0x1.5554aap-3f, 0.5f});
    Value p = mulAdd(square, q, r);
    Value h = toFloat(shiftLeft(toBits(shifted), 23));
    Value y = mulAdd(h, p, sub(h, cst(0.5f)));
    return withSign(add(y, y), original);
  }

  /// Builds log(u) + c + `exponent` ln 2 for a positive normal u and a c far
  /// below it.
  Value logOfNormal(Value u, Value exponent, Value c) {
    constexpr uint32_t sqrtHalf = 0x3f3504f3;
    Value offset = arith::SubIOp::create(b, toBits(u), bits(sqrtHalf));
    Value n = arith::SIToFPOp::create(
        b, floats, arith::ShRSIOp::create(b, offset, bits(23)));
    if (exponent)
      n = add(n, exponent);
    Value mantissa = arith::AddIOp::create(
        b, arith::AndIOp::create(b, offset, bits(0x7fffff)), bits(sqrtHalf));
    Value f = sub(toFloat(mantissa), cst(1.0f));
    Value p = polynomial(f, {-0x1.392f3cp-4f, 0x1.05b75ep-3f, -0x1.0d9a3ep-3f,
                             0x1.22cf4cp-3f, -0x1.546f2ap-3f, 0x1.99a060p-3f,
                             -0x1.000232p-2f, 0x1.555554p-2f});
    Value square = mul(f, f);
    Value low = mul(n, cst(kLn2Low));
    if (c)
      low = add(low, c);
    low = mulAdd(mul(f, square), p, low);
    low = mulSub(cst(0.5f), square, low);
    return mulAdd(n, cst(kLn2High), add(f, low));
  }

  /// Builds -inf at `zero` and NaN below it; keeps infinity and NaN.
  Value logSpecials(Value y, Value x, float zero) {
    y = select(cmp(CmpFPredicate::OLT, x, kInfinity), y, x);
    y = select(cmp(CmpFPredicate::OLT, x, zero), cst(kNaN), y);
    return select(cmp(CmpFPredicate::OEQ, x, zero), cst(-kInfinity), y);
  }

  Value log(Value x) {
    Value subnormal = cmp(CmpFPredicate::OLT, x, 0x1p-126f);
    Value u = select(subnormal, mul(x, cst(0x1p23f)), x);
    Value exponent = select(subnormal, cst(-23.0f), cst(0.0f));
    return logSpecials(logOfNormal(u, exponent, Value()), x, 0.0f);
  }

  /// Builds log(u) + c/u, where u + c = 1 + x exactly.
  Value log1p(Value x) {
    Value one = cst(1.0f);
    Value u = add(x, one);
    Value c = div(sub(x, sub(u, one)), u);
    c = select(cmp(CmpFPredicate::OLT, x, 0x1p25f), c, cst(0.0f));
    Value y = logSpecials(logOfNormal(u, Value(), c), x, -1.0f);
    return select(cmp(CmpFPredicate::OEQ, x, 0.0f), x, y);
  }

  /// Builds x + x^3 P(x^2), and 1 - 2 / (e^2x + 1) from 0.6 on.
  Value tanh(Value x) {
    Value a = abs(x), square = mul(x, x), one = cst(1.0f);
    Value p =
        polynomial(square, {-0x1.828776p-8f, 0x1.54c3c2p-6f, -0x1.b89abap-5f,
                            0x1.1109bep-3f, -0x1.55553ep-2f});
    Value small = mulAdd(x, mul(square, p), x);
    Value large = sub(one, div(cst(2.0f), add(expOfSummand(add(a, a)), one)));
    Value y = select(cmp(CmpFPredicate::OLT, a, 0.6f), small, large);
    return withSign(y, x); // also of zero
  }

  /// Builds x + x P(x^2), and 1 - e^-P(x) from 1 on.
  Value erf(Value x) {
    Value a = abs(x);
    Value p =
        polynomial(mul(x, x), {0x1.4771fep-14f, -0x1.a3515ep-11f,
                               0x1.53f224p-8f, -0x1.b7f71ap-6f, 0x1.ce2ce6p-4f,
                               -0x1.81273ep-2f, 0x1.06eba8p-3f});
    Value small = mulAdd(x, p, x);
    Value minusLog = polynomial(
        atMost(a, 3.95f),
        {-0x1.86dcb0p-13f, 0x1.825a5cp-9f, -0x1.65cb26p-6f, 0x1.a6531cp-4f,
         0x1.46baf0p-1f, 0x1.2088eap0f, 0x1.661cfep-12f});
    Value e = expOfSummand(arith::NegFOp::create(b, minusLog));
    Value large = withSign(sub(cst(1.0f), e), x);
    return select(cmp(CmpFPredicate::OLT, a, 1.0f), small, large);
  }

  ImplicitLocOpBuilder b;
  VectorType floats, ints;
  bool fma;
};

static bool isF32Vector(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getElementType().isF32();
}

template <typename OpTy, Value (VectorMath::*expand)(Value)>
struct ExpandOp : OpRewritePattern<OpTy> {
  ExpandOp(MLIRContext *context, bool fma)
      : OpRewritePattern<OpTy>(context), fma(fma) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!isF32Vector(op.getType()))
      return rewriter.notifyMatchFailure(op, "not a vector of f32");
    VectorMath math(rewriter, op.getLoc(), cast<VectorType>(op.getType()), fma);
    rewriter.replaceOp(op, (math.*expand)(op.getOperand()));
    return success();
  }

  bool fma;
};

/// Returns true if `v` is only added to constants that hide all below e^-86.
static bool isSummand(Value v) {
  return llvm::all_of(v.getUsers(), [&](Operation *user) {
    DenseFPElementsAttr constant;
    if (!isa<arith::AddFOp>(user) || user->getOperand(0) == user->getOperand(1))
      return false;
    Value other = user->getOperand(user->getOperand(0) == v ? 1 : 0);
    return matchPattern(other, m_Constant(&constant)) && constant.isSplat() &&
           std::abs(constant.getSplatValue<float>()) >= 0x1p-90f;
  });
}

struct ExpandExp : OpRewritePattern<math::ExpOp> {
  ExpandExp(MLIRContext *context, bool fma)
      : OpRewritePattern(context), fma(fma) {}

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    if (!isF32Vector(op.getType()))
      return rewriter.notifyMatchFailure(op, "not a vector of f32");
    VectorMath math(rewriter, op.getLoc(), cast<VectorType>(op.getType()), fma);
    Value x = op.getOperand();
    rewriter.replaceOp(op, isSummand(op) ? math.expOfSummand(x) : math.exp(x));
    return success();
  }

  bool fma;
};

struct NormExpandVectorMath
    : norm::impl::NormExpandVectorMathBase<NormExpandVectorMath> {
  using NormExpandVectorMathBase::NormExpandVectorMathBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandExp, ExpandOp<math::Exp2Op, &VectorMath::exp2>,
                 ExpandOp<math::ExpM1Op, &VectorMath::expm1>,
                 ExpandOp<math::LogOp, &VectorMath::log>,
                 ExpandOp<math::Log1pOp, &VectorMath::log1p>,
                 ExpandOp<math::TanhOp, &VectorMath::tanh>,
                 ExpandOp<math::ErfOp, &VectorMath::erf>>(&getContext(), fma);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
