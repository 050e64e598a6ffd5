//===- Inputs.cpp - what programs are called with -------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>

using namespace mlir;
using namespace norm_test;
using norm::HostTensor;

StringRef norm_test::getName(Values values) {
  static constexpr StringRef kNames[] = {"ordinary", "small", "zeros", "nan",
                                         "infinite", "huge",  "mixed"};
  return kNames[static_cast<int>(values)];
}

StringRef norm_test::getName(Extents extents) {
  static constexpr StringRef kNames[] = {"7", "by-place", "70", "1", "0"};
  return kNames[static_cast<int>(extents)];
}

std::string InputSet::getName() const {
  return (norm_test::getName(values) + (onlyFirst ? "-first" : "") + "/" +
          norm_test::getName(extents))
      .str();
}

/// The extent of dimension `dim` of `rank` ones where it is dynamic.
static int64_t getExtent(Extents extents, int64_t dim, int64_t rank) {
  switch (extents) {
  case Extents::Sevens:
    return 7;
  case Extents::ByPlace: {
    static constexpr int64_t kFromTheLast[] = {20, 3, 2};
    int64_t place = rank - 1 - dim;
    return place < 3 ? kFromTheLast[place] : 2;
  }
  case Extents::Seventies:
    return 70;
  case Extents::Ones:
    return 1;
  case Extents::Zeros:
    return 0;
  }
  return 0;
}

namespace {
/// Values of one float type.
class Drawer {
public:
  Drawer(const llvm::fltSemantics &semantics, std::mt19937 &random)
      : random(random) {
    least = APFloat::getSmallestNormalized(semantics).convertToDouble();
    subnormal = APFloat::getSmallest(semantics).convertToDouble();
    largest = APFloat::getLargest(semantics).convertToDouble();
  }

  /// `row` decides what a row is made of, so that some stay without a special
  /// value.
  double draw(Values values, int64_t row) {
    switch (values) {
    case Values::Ordinary:
      return normal();
    case Values::Small:
      return drawSmall(row);
    case Values::Zeros:
      return drawZero(row);
    case Values::NaN:
      return row % 3 != 1 && oneIn(8) ? NAN : normal();
    case Values::Infinite:
      return drawInfinite(row);
    case Values::Huge:
      return drawHuge(row);
    case Values::Mixed:
      return drawMixed();
    }
    return 0;
  }

private:
  double normal() { return distribution(random); }
  bool oneIn(unsigned n) { return random() % n == 0; }
  double sign() { return oneIn(2) ? -1 : 1; }

  double drawSmall(int64_t row) {
    if (row % 4 == 0) // subnormal numbers
      return sign() * subnormal * double(random() % 64);
    if (row % 4 == 1) // about the least normal number
      return normal() * least * 2;
    if (row % 4 == 2) // squares vanish
      return normal() * std::sqrt(least) / 8;
    return normal() * std::pow(least, 0.53); // 1e-20 in f32
  }

  double drawZero(int64_t row) {
    if (row % 4 == 0)
      return -0.0;
    if (row % 4 == 1)
      return 0.0;
    if (row % 4 == 2)
      return oneIn(2) ? -0.0 : 0.0;
    return oneIn(3) ? normal() : oneIn(2) ? -0.0 : 0.0;
  }

  double drawInfinite(int64_t row) {
    if (row % 4 == 1 || !oneIn(8))
      return normal();
    return (row % 4 == 2 ? 1 : row % 4 == 3 ? -1 : sign()) * INFINITY;
  }

  /// No sum of fewer than 1000 elements overflows and comes back, for that is a
  /// matter of its order; their squares, products and exponentials overflow.
  double drawHuge(int64_t row) {
    if (row % 4 == 0)
      return std::fabs(normal()) * largest / 0x1p9;
    if (row % 4 == 1)
      return normal() * largest / 0x1p12;
    if (row % 4 == 2)
      return normal() * std::sqrt(largest) * 4;
    return normal() * std::sqrt(largest) / 16;
  }

  double drawMixed() {
    switch (random() % 16) {
    case 0:
      return NAN;
    case 1:
      return sign() * INFINITY;
    case 2:
    case 3:
      return sign() * 0.0;
    case 4:
      return sign() * subnormal * double(random() % 64);
    case 5:
      return normal() * largest / 0x1p12;
    case 6:
      return normal() * least;
    default:
      return normal();
    }
  }

  std::mt19937 &random;
  std::normal_distribution<double> distribution{0, 1};
  double least, subnormal, largest;
};
} // namespace

static double drawInteger(Type type, Values values, bool isIndex,
                          std::mt19937 &random) {
  if (type.isInteger(1))
    return random() % 2;
  if (isIndex)
    return random() % 4;
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  if (values == Values::Ordinary)
    return double(random() % 8) - (type.isUnsignedInteger() ? 0 : 3);
  // Of the whole range, which a double holds for 32 bits.
  int64_t any = int64_t(uint64_t(random()) << 32 | random());
  if (values == Values::Mixed || values == Values::Huge)
    return double(any >> (64 - std::min(width, 32u)));
  return double(any >> (64 - std::min(width, 7u)));
}

HostTensor norm_test::makeInput(Type type, const InputSet &set, bool isHostile,
                                bool isIndex, std::mt19937 &random) {
  Values values = isHostile ? set.values : Values::Ordinary;
  auto shaped = dyn_cast<ShapedType>(type);
  SmallVector<int64_t> shape;
  if (shaped)
    for (auto [dim, extent] : llvm::enumerate(shaped.getShape()))
      shape.push_back(ShapedType::isDynamic(extent)
                          ? getExtent(set.extents, dim, shaped.getRank())
                          : extent);
  Type element = getElementTypeOrSelf(type);
  HostTensor tensor(element, shape);
  int64_t rowLength = shape.empty() ? 1 : std::max<int64_t>(1, shape.back());
  if (auto floatType = dyn_cast<FloatType>(element)) {
    Drawer drawer(floatType.getFloatSemantics(), random);
    for (int64_t i = 0; i < tensor.getNumElements(); ++i)
      tensor.setElement(i, drawer.draw(values, i / rowLength));
    return tensor;
  }
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    tensor.setElement(i, shaped ? drawInteger(element, values, isIndex, random)
                                : double(getExtent(set.extents, 0, 1)));
  return tensor;
}
