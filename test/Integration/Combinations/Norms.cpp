//===- Norms.cpp - random norms, layouts and surroundings -----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Norms.h"
#include <algorithm>
#include <cmath>
#include <random>

using namespace norm_test;

/// An emulated GPU takes a second for so many elements.
constexpr int64_t kMaxElements = 12000;

namespace {
/// Choices from a seed, the same on every machine.
class Choice {
public:
  explicit Choice(unsigned seed) : random(seed) {}

  int64_t below(int64_t n) { return int64_t(random() % uint64_t(n)); }
  bool oneIn(int64_t n) { return below(n) == 0; }
  template <typename T, size_t N> T of(const T (&list)[N]) {
    return list[below(N)];
  }

private:
  std::mt19937 random;
};
} // namespace

const char *norm_test::getName(Values values) {
  static const char *names[] = {"normal",   "row scales", "large",
                                "tiny",     "outlier",    "positive",
                                "constant", "specials"};
  return names[static_cast<int>(values)];
}

static int64_t chooseLength(Choice &choose) {
  static const int64_t primes[] = {19,  31,  61,   67,   127,  131,  251, 257,
                                   509, 521, 1021, 1031, 2053, 4093, 4099};
  static const int64_t vectors[] = {8, 16, 64, 256, 1024};
  switch (choose.below(5)) {
  case 0:
    return 1 + choose.below(18);
  case 1:
    return choose.of(primes);
  case 2:
    return int64_t(1) << choose.below(13);
  case 3: // beside a multiple of a vector's or a block's length
    return choose.of(vectors) * (1 + choose.below(4)) + choose.below(3) - 1;
  default:
    return std::max<int64_t>(1,
                             std::lround(std::exp2(choose.below(120) / 10.)));
  }
}

/// Rank 1 to 4, any of the dimensions normalized.
static void chooseShape(Norm &norm, Choice &choose) {
  static const int64_t batch[] = {1, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33, 64};
  int64_t rank = 1 + choose.below(4);
  norm.shape.assign(rank, 1);
  for (int64_t d = 0; d < rank; ++d)
    if (choose.oneIn(4))
      norm.dims.push_back(d);
  // Mostly the last one, as models have it.
  if (norm.dims.empty() || !choose.oneIn(3))
    norm.dims = {rank - 1};
  int64_t longest = norm.dims[choose.below(norm.dims.size())];
  for (int64_t d = 0; d < rank; ++d)
    norm.shape[d] = choose.of(batch);
  norm.shape[longest] = chooseLength(choose);
  auto count = [&] {
    int64_t total = 1;
    for (int64_t extent : norm.shape)
      total *= extent;
    return total;
  };
  while (count() > kMaxElements) {
    int64_t d = choose.below(rank);
    if (d != longest || rank == 1)
      norm.shape[d] = (norm.shape[d] + 1) / 2;
  }
  if (choose.oneIn(64))
    norm.shape[choose.below(rank)] = 0;
  norm.dynamicShape = choose.oneIn(2);
  if (norm.dynamicShape)
    for (int64_t d = 0; d < rank; ++d)
      norm.dynamicDims.push_back(!choose.oneIn(3));
}

static void chooseTypes(Norm &norm, Choice &choose) {
  static const Float types[] = {Float::F16, Float::BF16, Float::F32,
                                Float::F64};
  static const Float common[] = {Float::F16, Float::BF16, Float::F32};
  norm.type = choose.oneIn(8) ? Float::F64 : choose.of(common);
  bool isNarrow = format(norm.type).bytes == 2;
  norm.compute = isNarrow ? Float::F32 : norm.type;
  if (choose.oneIn(4)) // a type's own 16-bit arithmetic, or the other wide one
    norm.compute = isNarrow                  ? norm.type
                   : norm.type == Float::F32 ? Float::F64
                                             : Float::F32;
  norm.resultType = choose.oneIn(8) ? choose.of(types) : norm.type;
  norm.weightType = choose.oneIn(4) ? choose.of(types) : norm.type;
}

/// A type that C may be rounded to on the way.
static Float chooseNarrow(const Norm &norm, Choice &choose) {
  if (format(norm.type).bytes == 2)
    return norm.type;
  return choose.oneIn(2) ? Float::BF16 : Float::F16;
}

static void chooseAttributes(Norm &norm, Choice &choose) {
  static const double epsilons[] = {1e-5, 1e-6, 1e-5, 1e-6, 1e-12, 1e-3, 1, 0};
  norm.epsilon = choose.of(epsilons);
  norm.mode = choose.oneIn(2) ? Epsilon::Inside : Epsilon(choose.below(3));
  if (choose.oneIn(4))
    norm.root = Root(choose.below(3));
  if (choose.oneIn(8) && norm.compute != Float::F64)
    norm.sumType =
        norm.compute == Float::F32 || choose.oneIn(3) ? Float::F64 : Float::F32;
  if (choose.oneIn(8) && norm.root != Root::Quotient)
    norm.scaleType = chooseNarrow(norm, choose);
  if (choose.oneIn(3))
    norm.normalizedType = chooseNarrow(norm, choose);
  int64_t extent = norm.shape[norm.dims[0]];
  if (choose.oneIn(6) && norm.dims.size() == 1 && extent > 0)
    norm.count = 1 + choose.below(extent);
  norm.withInvRms = choose.oneIn(8);
}

/// None, of the normalized dimensions, per head (a batch dimension more), or a
/// scalar; now and then 1 + w.
static void chooseWeight(Norm &norm, Choice &choose) {
  int64_t form = choose.below(6);
  if (form == 0)
    return;
  norm.weightDims = norm.dims;
  std::vector<int64_t> batch = batchDims(norm);
  if (form == 1)
    norm.weightDims->clear();
  if (form == 2 && !batch.empty())
    norm.weightDims->push_back(batch[choose.below(batch.size())]);
  std::sort(norm.weightDims->begin(), norm.weightDims->end());
  norm.onePlusWeight = choose.oneIn(4);
}

static Layout chooseLayout(const Norm &norm, std::vector<int64_t> shape,
                           Choice &choose) {
  static const int64_t steps[] = {1, 1, 1, 2, 3};
  static const int64_t pads[] = {0, 0, 0, 1, 3, 8, 64};
  Layout layout = contiguous(shape);
  if (norm.views) {
    std::vector<int64_t> order;
    for (size_t d = 0; d < shape.size(); ++d)
      order.push_back(d);
    if (choose.oneIn(6)) // transposed
      std::reverse(order.begin(), order.end());
    int64_t stride = choose.of(steps);
    for (size_t i = order.size(); i-- > 0;) {
      layout.strides[order[i]] = stride;
      stride = stride * std::max<int64_t>(1, shape[order[i]]) + choose.of(pads);
    }
    layout.offset = choose.oneIn(2) ? choose.below(20) : 0;
  }
  layout.start = choose.oneIn(2) ? choose.below(33) : 0;
  return layout;
}

static void chooseBuffers(Norm &norm, Choice &choose) {
  auto select = [&](const std::vector<int64_t> &dims) {
    std::vector<int64_t> shape;
    for (int64_t dim : dims)
      shape.push_back(norm.shape[dim]);
    return shape;
  };
  norm.views = choose.oneIn(3);
  norm.x = chooseLayout(norm, norm.shape, choose);
  norm.h = chooseLayout(norm, norm.shape, choose);
  if (norm.weightDims)
    norm.w = chooseLayout(norm, select(*norm.weightDims), choose);
  norm.g = chooseLayout(norm, norm.shape, choose);
  norm.y = chooseLayout(norm, norm.shape, choose);
  norm.r = chooseLayout(norm, select(batchDims(norm)), choose);
  norm.dynamicLayout = choose.below(64);
  norm.inPlace =
      !norm.views && norm.outputType() == norm.type && choose.oneIn(3);
  // All threads of a row would read the one element that one of them writes.
  if (norm.count == 1)
    norm.inPlace = false;
  if (norm.inPlace)
    norm.y = norm.x;
  norm.cacheBytes = choose.below(2);
}

Norm norm_test::randomNorm(unsigned seed) {
  static const Values values[] = {
      Values::Normal, Values::Normal,   Values::RowScales, Values::Large,
      Values::Tiny,   Values::Outlier,  Values::Positive,  Values::Constant,
      Values::Normal, Values::Specials, Values::Outlier,   Values::RowScales};
  Choice choose(seed);
  Norm norm;
  norm.seed = seed;
  chooseShape(norm, choose);
  chooseTypes(norm, choose);
  chooseAttributes(norm, choose);
  chooseWeight(norm, choose);
  norm.residual = choose.oneIn(5);
  norm.gate = choose.oneIn(6);
  // No program casts f64 to 8 bits in one rounding.
  if (choose.oneIn(10) && norm.resultType != Float::F64)
    norm.quantizedType = choose.oneIn(2) ? Float::F8E4M3FN : Float::F8E5M2;
  chooseBuffers(norm, choose);
  norm.values = choose.of(values);
  return norm;
}

/// Of a row, so that its squares come near both ends of the type's range.
static double chooseScale(const Norm &norm, std::mt19937 &random) {
  static const double f16[] = {0x1p-20, 0x1p-10, 0x1p4, 0x1p10};
  static const double wide[] = {0x1p-140, 0x1p-64, 0x1p60, 0x1p66};
  static const double f64[] = {0x1p-1040, 0x1p-512, 0x1p500, 0x1p515};
  const double *scales = norm.type == Float::F64   ? f64
                         : norm.type == Float::F16 ? f16
                                                   : wide;
  switch (norm.values) {
  case Values::RowScales:
    return std::ldexp(1, int(random() % 16) - 10);
  case Values::Tiny:
    return scales[random() % 2];
  case Values::Large:
    return scales[2 + random() % 2];
  default:
    return 1;
  }
}

/// One element of a row that is like the others but for special ones.
static double chooseElement(const Norm &norm, int64_t row, double normal,
                            double constant) {
  switch (norm.values) {
  case Values::Positive:
    return 1 + std::abs(std::remainder(normal, 1.0)); // [1, 1.5]
  case Values::Constant:
    return constant;
  case Values::Specials:
    return row % 5 == 0 ? 0 : row % 5 == 1 ? -0.0 : normal;
  default:
    return normal;
  }
}

void norm_test::fillInput(const Norm &norm, Buffer &x, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 1);
  std::vector<int64_t> rows = rowOfElement(norm);
  int64_t count = 0;
  for (int64_t row : rows)
    count = std::max(count, row + 1);
  std::vector<double> scales, constants;
  for (int64_t row = 0; row < count; ++row) {
    scales.push_back(chooseScale(norm, random));
    constants.push_back(normal(random));
  }
  for (size_t i = 0; i < rows.size(); ++i)
    x.set(i, chooseElement(norm, rows[i], normal(random), constants[rows[i]]) *
                 scales[rows[i]]);
  // Elements that are not like the others, the last ones of their rows.
  std::vector<size_t> last(count);
  for (size_t i = 0; i < rows.size(); ++i)
    if (random() % 8 == 0 || last[rows[i]] == 0)
      last[rows[i]] = i;
  for (int64_t row = 0; row < count; ++row) {
    if (norm.values == Values::Outlier)
      x.set(last[row], 1000);
    if (norm.values == Values::Specials && row % 5 == 2)
      x.set(last[row], NAN);
    if (norm.values == Values::Specials && row % 5 == 3)
      x.set(last[row], INFINITY);
  }
}
