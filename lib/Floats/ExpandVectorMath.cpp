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

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "norm/Floats/Lanes.h"
#include "norm/Floats/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMEXPANDVECTORMATH
#include "norm/Floats/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using arith::CmpFPredicate;
using norm::Lanes;

namespace {
// ln 2 has two parts; products of the first with integers up to 511 are exact.
constexpr float kLog2E = 0x1.715476p+0f;
constexpr float kLn2High = 0x1.62e4p-1f;
constexpr float kLn2Low = 0x1.7f7d1cp-20f;
// Adding it rounds to an integer, which the lower bits then hold.
constexpr float kRound = 0x1.8p23f;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// Builds functions of vectors of f32.
struct VectorMath {
  /// Builds x y + z, and z - x y.
  template <typename T, typename U> Lanes mulAdd(Lanes x, T y, U z) {
    Lanes factor = x.like(y), summand = x.like(z);
    return fma ? x.like(math::FmaOp::create(b, x, factor, summand))
               : x * factor + summand;
  }
  template <typename T> Lanes mulSub(Lanes x, T y, Lanes z) {
    Lanes factor = x.like(y);
    return fma ? mulAdd(negate(x), factor, z) : z - x * factor;
  }
  Lanes negate(Lanes x) { return x.like(arith::NegFOp::create(b, x)); }
  Lanes abs(Lanes x) { return x.like(math::AbsFOp::create(b, x)); }
  Lanes withSign(Lanes x, Lanes sign) {
    return x.like(math::CopySignOp::create(b, x, sign));
  }

  /// Limits x by one x86 instruction per bound, and keeps NaN.
  Lanes atMost(Lanes x, float bound) {
    return select(x.is(CmpFPredicate::OGT, bound), x.like(bound), x);
  }
  Lanes atLeast(Lanes x, float bound) {
    return select(x.is(CmpFPredicate::OLT, bound), x.like(bound), x);
  }

  /// Builds Horner's scheme from the highest power down.
  Lanes polynomial(Lanes x, ArrayRef<float> coefficients) {
    Lanes result = x.like(coefficients.front());
    for (float coefficient : coefficients.drop_front())
      result = mulAdd(result, x, coefficient);
    return result;
  }

  /// Builds (c0 + c1 x) + x^2 ((c2 + c3 x) + c4 x^2), half as long a chain.
  Lanes quartic(Lanes x, Lanes square, ArrayRef<float> c) {
    Lanes low = mulAdd(x, c[3], c[4]);
    Lanes high = mulAdd(x, c[1], c[2]);
    return mulAdd(mulAdd(square, c[0], high), square, low);
  }

  /// Builds x - n ln 2.
  Lanes reduce(Lanes x, Lanes n) {
    Lanes low = n.like(kLn2Low);
    return mulSub(n, low, mulSub(n, kLn2High, x));
  }

  /// Builds p 2^n for the n + 254 in the lower bits of `shifted`. It has two
  /// factors: subnormal results round once, and too large ones are infinite.
  /// Both are zero for n = -254, the bound of what is masked: a product that
  /// underflows takes 150 cycles on Intel's CPUs.
  Lanes scale(Lanes p, Lanes shifted) {
    Lanes n = shifted.bits();
    Lanes half = n >> 1;
    Lanes rest = n - half;
    return p * (half << 23).number() * (rest << 23).number();
  }

  /// Builds 2^-n e^x for the integer n = x / ln 2, and a value with n + `bias`
  /// in its lower bits.
  std::pair<Lanes, Lanes> expOfRest(Lanes x, float bias) {
    Lanes shifted = mulAdd(x, kLog2E, kRound + bias);
    Lanes r = reduce(x, shifted - (kRound + bias));
    Lanes square = r * r;
    Lanes q = quartic(r, square,
                      {0x1.6ac6b2p-10f, 0x1.123de0p-7f, 0x1.555858p-5f,
                       0x1.55548cp-3f, 0x1.fffffcp-2f});
    return {mulAdd(square, q, r) + 1.0f, shifted};
  }

  Lanes exp(Lanes x) {
    auto [p, shifted] = expOfRest(atLeast(atMost(x, 89.0f), -176.0f), 254);
    return scale(p, shifted);
  }

  /// Builds exp(x) for sums with what is not tiny: e^-86, still normal, stands
  /// for all below it. 2^(n-1) is one factor, finite at n=128.
  Lanes expOfSummand(Lanes x) {
    auto [p, shifted] = expOfRest(atLeast(atMost(x, 89.0f), -86.0f), 126);
    Lanes half = p * (shifted.bits() << 23).number();
    return half + half;
  }

  Lanes exp2(Lanes x) {
    x = atLeast(atMost(x, 129.0f), -254.0f);
    Lanes shifted = x + (kRound + 254);
    Lanes r = x - (shifted - (kRound + 254));
    Lanes q = polynomial(r, {0x1.179c34p-13f, 0x1.5ef4f6p-10f, 0x1.3b6816p-7f,
                             0x1.c6af9ep-5f, 0x1.ebfb94p-3f, 0x1.62e430p-1f});
    return scale(mulAdd(q, r, 1.0f), shifted);
  }

  /// Builds 2 (h (e^r - 1) + (h - 1/2)) with h = 2^(n-1), finite at n=128.
  Lanes expm1(Lanes original) {
    Lanes x = atLeast(atMost(original, 89.0f), -18.0f);
    Lanes shifted = mulAdd(x, kLog2E, kRound + 126);
    Lanes r = reduce(x, shifted - (kRound + 126));
    Lanes square = r * r;
    Lanes q = quartic(r, square,
                      {0x1.6cd790p-10f, 0x1.122c52p-7f, 0x1.555538p-5f,
                       0x1.5554aap-3f, 0.5f});
    Lanes p = mulAdd(square, q, r);
    Lanes h = (shifted.bits() << 23).number();
    Lanes y = mulAdd(h, p, h - 0.5f);
    return withSign(y + y, original);
  }

  /// Builds log(u) + c + `exponent` ln 2 for a positive normal u and a c far
  /// below it; the last two may be null.
  Lanes logOfNormal(Lanes u, Value exponent, Value c) {
    constexpr uint32_t sqrtHalf = 0x3f3504f3;
    Lanes offset = u.bits() - sqrtHalf;
    Lanes shifted = offset.apply<arith::ShRSIOp>(23);
    Lanes n = shifted.change<arith::SIToFPOp>(u.getElementType());
    if (exponent)
      n = n + exponent;
    Lanes mantissa = (offset & 0x7fffff) + sqrtHalf;
    Lanes f = mantissa.number() - 1.0f;
    Lanes p = polynomial(f, {-0x1.392f3cp-4f, 0x1.05b75ep-3f, -0x1.0d9a3ep-3f,
                             0x1.22cf4cp-3f, -0x1.546f2ap-3f, 0x1.99a060p-3f,
                             -0x1.000232p-2f, 0x1.555554p-2f});
    Lanes square = f * f;
    Lanes low = n * kLn2Low;
    if (c)
      low = low + c;
    low = mulAdd(f * square, p, low);
    low = mulSub(f.like(0.5f), square, low);
    Lanes high = n.like(kLn2High);
    return mulAdd(n, high, f + low);
  }

  /// Builds -inf at `zero` and NaN below it; keeps infinity and NaN.
  Lanes logSpecials(Lanes y, Lanes x, float zero) {
    y = select(x.is(CmpFPredicate::OLT, kInfinity), y, x);
    y = select(x.is(CmpFPredicate::OLT, zero), y.like(kNaN), y);
    return select(x.is(CmpFPredicate::OEQ, zero), y.like(-kInfinity), y);
  }

  Lanes log(Lanes x) {
    Value subnormal = x.is(CmpFPredicate::OLT, 0x1p-126f);
    Lanes u = select(subnormal, x * 0x1p23f, x);
    Lanes exponent = select(subnormal, x.like(-23.0f), x.like(0.0f));
    return logSpecials(logOfNormal(u, exponent, Value()), x, 0.0f);
  }

  /// Builds log(u) + c/u, where u + c = 1 + x exactly.
  Lanes log1p(Lanes x) {
    Lanes one = x.like(1.0f);
    Lanes u = x + one;
    Lanes c = (x - (u - one)) / u;
    c = select(x.is(CmpFPredicate::OLT, 0x1p25f), c, x.like(0.0f));
    Lanes y = logSpecials(logOfNormal(u, Value(), c), x, -1.0f);
    return select(x.is(CmpFPredicate::OEQ, 0.0f), x, y);
  }

  /// Builds x + x^3 P(x^2), and 1 - 2 / (e^2x + 1) from 0.6 on.
  Lanes tanh(Lanes x) {
    Lanes a = abs(x), square = x * x, one = x.like(1.0f);
    Lanes p =
        polynomial(square, {-0x1.828776p-8f, 0x1.54c3c2p-6f, -0x1.b89abap-5f,
                            0x1.1109bep-3f, -0x1.55553ep-2f});
    Lanes small = mulAdd(x, square * p, x);
    Lanes two = x.like(2.0f);
    Lanes large = one - two / (expOfSummand(a + a) + one);
    Lanes y = select(a.is(CmpFPredicate::OLT, 0.6f), small, large);
    return withSign(y, x); // also of zero
  }

  /// Builds x + x P(x^2), and 1 - e^-P(x) from 1 on.
  Lanes erf(Lanes x) {
    Lanes a = abs(x);
    Lanes p =
        polynomial(x * x, {0x1.4771fep-14f, -0x1.a3515ep-11f, 0x1.53f224p-8f,
                           -0x1.b7f71ap-6f, 0x1.ce2ce6p-4f, -0x1.81273ep-2f,
                           0x1.06eba8p-3f});
    Lanes small = mulAdd(x, p, x);
    Lanes minusLog = polynomial(
        atMost(a, 3.95f),
        {-0x1.86dcb0p-13f, 0x1.825a5cp-9f, -0x1.65cb26p-6f, 0x1.a6531cp-4f,
         0x1.46baf0p-1f, 0x1.2088eap0f, 0x1.661cfep-12f});
    Lanes e = expOfSummand(negate(minusLog));
    Lanes large = withSign(x.like(1.0f) - e, x);
    return select(a.is(CmpFPredicate::OLT, 1.0f), small, large);
  }

  ImplicitLocOpBuilder &b;
  bool fma;
};
} // namespace

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

/// Builds what `op`, one of the functions, computes on a vector of f32.
static Value expand(ImplicitLocOpBuilder &b, Operation *op, bool fma) {
  VectorMath math{b, fma};
  Lanes x(b, op->getOperand(0));
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::ExpOp exp) {
        return isSummand(exp) ? math.expOfSummand(x) : math.exp(x);
      })
      .Case([&](math::Exp2Op) { return math.exp2(x); })
      .Case([&](math::ExpM1Op) { return math.expm1(x); })
      .Case([&](math::LogOp) { return math.log(x); })
      .Case([&](math::Log1pOp) { return math.log1p(x); })
      .Case([&](math::TanhOp) { return math.tanh(x); })
      .Case([&](math::ErfOp) { return math.erf(x); })
      .DefaultUnreachable("a function of isVectorFunction");
}

namespace {
struct NormExpandVectorMath
    : norm::impl::NormExpandVectorMathBase<NormExpandVectorMath> {
  using NormExpandVectorMathBase::NormExpandVectorMathBase;

  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      auto type = op->getNumOperands() == 1
                      ? dyn_cast<VectorType>(op->getOperand(0).getType())
                      : VectorType();
      if (!type || !type.getElementType().isF32() ||
          !norm::isVectorFunction(*op))
        return;
      ImplicitLocOpBuilder b(op->getLoc(), op);
      Value expanded = expand(b, op, fma);
      op->replaceAllUsesWith(ValueRange(expanded));
      op->erase();
    });
  }
};
} // namespace
