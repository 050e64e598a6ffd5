//===- Lanes.h - arithmetic on floats and on their bits ---------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_FLOATS_LANES_H
#define NORM_FLOATS_LANES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "norm/Floats/ValueOrigins.h"

namespace mlir::norm {

/// A scalar or a vector whose operators build ops. They are those of C, and
/// `>>` shifts zeros in. A number is a constant of the type of the left side;
/// an integer may have 53 bits, which a double holds.
class Lanes {
public:
  Lanes() = default;
  Lanes(ImplicitLocOpBuilder &b, Value v) : b(&b), v(v) {}
  operator Value() const { return v; }
  Type getElementType() const { return getElementTypeOrSelf(v); }
  ImplicitLocOpBuilder &getBuilder() const { return *b; }

  Lanes like(Value y) const { return Lanes(*b, y); }
  Lanes like(double y) const {
    Type type = getElementType();
    if (isa<FloatType>(type))
      return like(createScalarOrSplatConstant(*b, b->getLoc(), v.getType(),
                                              APFloat(float(y))));
    APInt bits(type.isIndex() ? IndexType::kInternalStorageBitWidth
                              : type.getIntOrFloatBitWidth(),
               int64_t(y), /*isSigned=*/true, /*implicitTrunc=*/true);
    TypedAttr constant = IntegerAttr::get(type, bits);
    if (auto vector = dyn_cast<VectorType>(v.getType()))
      constant = DenseElementsAttr::get(vector, Attribute(constant));
    return like(arith::ConstantOp::create(*b, constant));
  }

  Lanes bitcast(Type element) const {
    return change<arith::BitcastOp>(element);
  }
  Lanes bits() const { return bitcast(b->getI32Type()); }
  Lanes number() const { return bitcast(b->getF32Type()); }
  /// Converts between floats of which one holds the values of the other.
  Lanes convert(Type to) const {
    unsigned width = getElementType().getIntOrFloatBitWidth();
    if (width < to.getIntOrFloatBitWidth())
      return change<arith::ExtFOp>(to);
    return getElementType() == to ? *this : change<arith::TruncFOp>(to);
  }
  /// Builds a conversion to the same number of elements of another type.
  template <typename OpTy> Lanes change(Type element) const {
    return like(OpTy::create(*b, withElement(v.getType(), element), v));
  }

  template <typename OpTy, typename T> Lanes apply(T y) const {
    return like(OpTy::create(*b, v, like(y)));
  }
  template <typename T> Lanes operator+(T y) const {
    return isa<FloatType>(getElementType()) ? apply<arith::AddFOp>(y)
                                            : apply<arith::AddIOp>(y);
  }
  template <typename T> Lanes operator-(T y) const {
    return isa<FloatType>(getElementType()) ? apply<arith::SubFOp>(y)
                                            : apply<arith::SubIOp>(y);
  }
  template <typename T> Lanes operator*(T y) const {
    return isa<FloatType>(getElementType()) ? apply<arith::MulFOp>(y)
                                            : apply<arith::MulIOp>(y);
  }
  template <typename T> Lanes operator/(T y) const {
    return apply<arith::DivFOp>(y);
  }
  template <typename T> Lanes operator|(T y) const {
    return apply<arith::OrIOp>(y);
  }
  template <typename T> Lanes operator&(T y) const {
    return apply<arith::AndIOp>(y);
  }
  template <typename T> Lanes operator<<(T y) const {
    return apply<arith::ShLIOp>(y);
  }
  template <typename T> Lanes operator>>(T y) const {
    return apply<arith::ShRUIOp>(y);
  }
  template <typename T> Value is(arith::CmpFPredicate predicate, T y) const {
    return arith::CmpFOp::create(*b, predicate, v, like(y));
  }
  template <typename T> Value is(arith::CmpIPredicate predicate, T y) const {
    return arith::CmpIOp::create(*b, predicate, v, like(y));
  }

private:
  ImplicitLocOpBuilder *b = nullptr;
  Value v;
};

inline Lanes select(Value condition, Lanes yes, Lanes no) {
  return no.like(arith::SelectOp::create(no.getBuilder(), condition, yes, no));
}

/// Whether rounding has to look for NaNs.
enum class NaNs {
  Kept, ///< the lower half of a NaN may carry into its upper half
  Short ///< every NaN has a clear lower half, which carries nowhere
};

/// Rounds an f32 to bf16, ties to even, subnormals kept. Returns i32 words: the
/// upper half is the result, the lower half is garbage.
Lanes roundToUpperHalf(Lanes f32, NaNs nans);

/// Returns what roundToUpperHalf rounds to `sum`, without a look for NaNs, or
/// null.
Value matchRoundToUpperHalf(arith::AddIOp sum);

/// The elements of a vector at even and at odd places.
struct LanePair {
  Value even, odd;
};

/// Widens bf16 to f32 by words of two elements: the even one is the lower half.
/// A bf16 is the upper half of the f32 that equals it, NaNs included.
LanePair widenBF16Words(ImplicitLocOpBuilder &b, Value narrow);

/// Computes even and odd elements of bf16 vectors apart, which needs no shuffle
/// to widen and to round them. The machine must be little-endian.
void splitBF16Pairs(Operation *root);

} // namespace mlir::norm

#endif // NORM_FLOATS_LANES_H
