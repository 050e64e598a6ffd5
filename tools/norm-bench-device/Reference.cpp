//===- Reference.cpp - what results should be, in f64 ---------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reference.h"
#include "GPU.h"
#include <algorithm>
#include <cmath>
#include <cstring>

using namespace norm::bench;

/// Returns the type that a reference has in the place of `element`.
static Element getWide(Element element) {
  return element == Element::F32 ? Element::F64 : element;
}

static double load(const Bytes &bytes, int64_t position, Element element) {
  const char *at = bytes.data() + position * getBytes(element);
  // The parts of a narrow float: its sign, exponent and mantissa.
  auto assemble = [](uint32_t bits, int exponentBits, int mantissaBits) {
    int exponent = bits >> mantissaBits & ((1 << exponentBits) - 1);
    int mantissa = bits & ((1 << mantissaBits) - 1), hidden = 1 << mantissaBits;
    int least = 2 - (1 << (exponentBits - 1)) - mantissaBits;
    double value = exponent
                       ? std::ldexp(hidden + mantissa, least + exponent - 1)
                       : std::ldexp(mantissa, least);
    return bits >> (exponentBits + mantissaBits) & 1 ? -value : value;
  };
  auto read = [&](auto value) {
    std::memcpy(&value, at, sizeof(value));
    return value;
  };
  switch (element) {
  case Element::F64:
    return read(double());
  case Element::F32:
    return read(float());
  case Element::F16: {
    auto bits = read(uint16_t());
    if ((bits >> 10 & 31) == 31)
      return bits & 1023 ? NAN : bits >> 15 ? -INFINITY : INFINITY;
    return assemble(bits, 5, 10);
  }
  case Element::BF16: {
    uint32_t bits = uint32_t(read(uint16_t())) << 16;
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  case Element::I8:
    return read(int8_t());
  case Element::F8E4M3FN: {
    auto bits = read(uint8_t());
    return (bits & 127) == 127 ? NAN : assemble(bits, 4, 3);
  }
  }
  return NAN;
}

void norm::bench::store(Bytes &bytes, int64_t position, Element element,
                        float value) {
  char *at = bytes.data() + position * getBytes(element);
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  if (element == Element::F32) {
    std::memcpy(at, &bits, sizeof(bits));
    return;
  }
  uint16_t narrow = bits >> 16;
  if (element == Element::F16) {
    // Exponents are rebased from 127 to 15; smaller numbers become zeros.
    uint32_t rebased = (bits >> 13 & 0x3FFFF) - ((127 - 15) << 10);
    narrow = std::fabs(value) < 0x1p-14f ? 0 : (narrow & 0x8000) | rebased;
  }
  std::memcpy(at, &narrow, sizeof(narrow));
}

/// Returns a memref descriptor: two pointers, offset, extents and strides.
static std::vector<intptr_t> describe(Bytes &bytes, const TensorType &type,
                                      int64_t rows) {
  auto data = reinterpret_cast<intptr_t>(bytes.data());
  std::vector<intptr_t> words = {data, data, 0};
  size_t rank = type.extents.size();
  words.resize(3 + 2 * rank);
  intptr_t stride = 1;
  for (size_t i = rank; i-- > 0;) {
    words[3 + i] = type.extents[i] < 0 ? rows : type.extents[i];
    words[3 + rank + i] = stride;
    stride *= words[3 + i];
  }
  return words;
}

std::vector<Bytes>
norm::bench::runReference(const std::string &path, const std::string &function,
                          const Program &program,
                          const std::vector<Bytes> &arguments, int64_t rows) {
  constexpr size_t most = 8;
  void *entry = findFunction(path, function, "_mlir_ciface_" + function, "CPU");
  if (program.types.size() > most)
    fail(path + ": too many arguments");
  std::vector<Bytes> tensors;
  std::vector<std::vector<intptr_t>> descriptors;
  for (const TensorType &type : program.types) {
    size_t number = tensors.size();
    TensorType wide = {type.extents, getWide(type.element)};
    Bytes bytes(wide.countBytes(rows));
    if (number < arguments.size() && wide.element == type.element)
      bytes = arguments[number];
    else if (number < arguments.size())
      for (int64_t i = 0; i < type.count(rows); ++i) {
        double value = load(arguments[number], i, type.element);
        std::memcpy(&bytes[i * sizeof(value)], &value, sizeof(value));
      }
    tensors.push_back(std::move(bytes));
    descriptors.push_back(describe(tensors.back(), type, rows));
  }
  descriptors.resize(most);
  void *p[most];
  for (size_t i = 0; i < most; ++i)
    p[i] = descriptors[i].data();
  // Words beyond a function's parameters do not disturb it (Program::launch).
  using P = void *;
  reinterpret_cast<void (*)(P, P, P, P, P, P, P, P)>(entry)(
      p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]);
  auto first = tensors.begin() + static_cast<int64_t>(arguments.size());
  tensors.erase(tensors.begin(), first);
  return tensors;
}

/// Returns the distance from `value` to the next number; integers are numbers
/// below 2^8 without a fraction.
static double getUnit(double value, Element element) {
  static constexpr struct {
    int mantissa, least; // bits, and the exponent of the smallest normal number
  } formats[] = {{52, -1022}, {23, -126}, {10, -14},
                 {7, -126},   {7, 7},     {3, -6}};
  auto [mantissa, least] = formats[static_cast<int>(element)];
  int exponent = least;
  if (value != 0 && std::isfinite(value))
    exponent = std::max(std::ilogb(value), least);
  return std::ldexp(1.0, exponent - mantissa);
}

/// Returns the type of x, to which a program may round before it writes wider
/// scales; one that writes f32 alone, a sum, has no reason to.
static Element getRoundedType(const Program &program) {
  for (size_t i = program.numArguments; i < program.types.size(); ++i)
    if (program.types[i].element != Element::F32)
      return program.types[0].element;
  return Element::F32;
}

/// Most units that a result may be off. A narrow norm may be off by one of the
/// value before the weight, at most two of its own. Where terms cancel, as in a
/// rotation, each has the error of the norm before, times the weight; sums of
/// columns add thousands of numbers in f32. On the CPU f32 is off by 1, 6 and
/// 10 of f64 for ten million numbers of each class.
static double getLimit(Element element, Element rounded, bool strict) {
  bool isWide = element == Element::F32 && rounded == Element::F32;
  if (strict)
    return isWide ? 4 : 2;
  return getBytes(element) == 1 ? 2 : isWide ? 32 : 8;
}

Difference norm::bench::compare(const Program &program, size_t i,
                                const Bytes &actual, const Bytes &expected,
                                bool strict) {
  Element element = program.types[program.numArguments + i].element;
  Element wide = getWide(element), rounded = getRoundedType(program);
  auto count = static_cast<int64_t>(actual.size() / getBytes(element));
  double squares = 0;
  for (int64_t k = 0; k < count; ++k) {
    double value = load(expected, k, wide);
    squares += std::isfinite(value) ? value * value : 0;
  }
  auto getLastPlace = [&](double value) {
    return std::max(getUnit(value, element), getUnit(value, rounded));
  };
  double typical = std::sqrt(squares / static_cast<double>(count));
  double least = strict ? 0 : getLastPlace(typical);
  Difference difference;
  for (int64_t k = 0; k < count; ++k) {
    double got = load(actual, k, element), value = load(expected, k, wide);
    if (got == value || (std::isnan(got) && std::isnan(value)))
      continue;
    double ulp = std::fabs(got - value) / std::max(getLastPlace(value), least);
    difference.maxUlp =
        std::max(difference.maxUlp, std::isnan(ulp) ? INFINITY : ulp);
  }
  difference.isRight = difference.maxUlp <= getLimit(element, rounded, strict);
  return difference;
}
