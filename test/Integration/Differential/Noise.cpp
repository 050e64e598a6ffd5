//===- Noise.cpp - how far a result depends on rounding -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Noise.h"
#include <cmath>
#include <cstring>
#include <type_traits>

using namespace norm_test;

/// A value moves by at most so many units in its last place.
constexpr int kSteps = 2;

Noise norm_test::noise;

void norm_test::startNoise(int32_t kinds, uint64_t seed) {
  noise = {kinds, seed * 0x9E3779B97F4A7C15u + 1, 0, seed % 2 == 0};
}

void norm_test::stopNoise() { noise.kinds = 0; }

/// xorshift64*.
static uint64_t draw() {
  uint64_t &x = noise.state;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  return (x * 0x2545F4914F6CDD1Du) >> 32;
}

/// The bits of a float, moved within its sign; infinities and NaN begin at
/// `infinity`. Zeros, infinities and NaN stay.
template <typename Bits>
static Bits disturb(Bits bits, Bits infinity, int32_t kind) {
  if (!(noise.kinds & kind & 7))
    return bits;
  using Signed = std::make_signed_t<Bits>;
  Bits sign = Bits(1) << (8 * sizeof(Bits) - 1);
  // In another order the sum may leave the range, stay at its end, or never
  // come near it, for its terms cancel.
  if (kind & Overflowed) {
    ++noise.disturbed;
    // No later term takes an infinity back: often in one run, rarely in the
    // next, so that both ends are seen.
    uint64_t choice = draw() % 64;
    uint64_t infinite = noise.isWild ? 16 : 1;
    Bits moved = choice < infinite ? infinity
                 : choice < 32     ? infinity - 1
                                   : infinity / 2;
    return Bits(bits & sign) | moved;
  }
  Signed magnitude = bits & Bits(~sign);
  if (magnitude == 0 || magnitude >= Signed(infinity))
    return bits;
  ++noise.disturbed;
  Signed moved = magnitude + Signed(draw() % (2 * kSteps + 1)) - kSteps;
  moved = moved < 0 ? Signed(0) : moved;
  return Bits(bits & sign) |
         Bits(moved > Signed(infinity) ? Signed(infinity) : moved);
}

// Called by the reference's machine code, through MLIR's C wrappers or not.
#define NORM_TEST_EXPORT(TYPE, NAME, PARAMETERS, ARGUMENTS)                    \
  extern "C" __attribute__((visibility("default"),                             \
                            used)) TYPE _mlir_ciface_##NAME PARAMETERS {       \
    return NAME ARGUMENTS;                                                     \
  }
#define NORM_TEST_VISIBLE                                                      \
  extern "C" __attribute__((visibility("default"), used))

// 16 bits in 32: how smaller ones are extended differs between compilers.
NORM_TEST_VISIBLE uint32_t norm_test_noise_f16(uint32_t bits, int32_t kind) {
  return disturb<uint16_t>(bits, 0x7C00, kind);
}
NORM_TEST_VISIBLE uint32_t norm_test_noise_bf16(uint32_t bits, int32_t kind) {
  return disturb<uint16_t>(bits, 0x7F80, kind);
}
NORM_TEST_VISIBLE uint32_t norm_test_noise_f32(uint32_t bits, int32_t kind) {
  return disturb<uint32_t>(bits, 0x7F800000, kind);
}
NORM_TEST_VISIBLE uint64_t norm_test_noise_f64(uint64_t bits, int32_t kind) {
  return disturb<uint64_t>(bits, 0x7FF0000000000000, kind);
}

/// The integer that `value` became: arbitrary where the conversion has no
/// defined result, which is where the truncated value is not in the range.
NORM_TEST_VISIBLE uint64_t norm_test_converted(double value, uint64_t integer,
                                               double least, double greatest) {
  double whole = std::trunc(value);
  if (noise.kinds == 0 || (whole >= least && whole <= greatest))
    return integer;
  // The farther end of the range, so that what varies covers all of it.
  double found = least < 0 ? static_cast<double>(static_cast<int64_t>(integer))
                           : static_cast<double>(integer);
  double end = found - least < greatest - found ? greatest : least;
  return end < 0 ? static_cast<uint64_t>(static_cast<int64_t>(end))
                 : static_cast<uint64_t>(end);
}

/// A shifted integer: arbitrary where `amount` is not less than `width`.
NORM_TEST_VISIBLE uint64_t norm_test_shifted(uint64_t integer, uint64_t amount,
                                             uint64_t width) {
  if (noise.kinds == 0 || amount < width)
    return integer;
  return draw() << 32 | draw();
}

/// maxnumf and minnumf: of zeros, either.
NORM_TEST_VISIBLE uint64_t norm_test_zero(uint64_t bits, uint64_t sign) {
  if (noise.kinds == 0 || (bits & ~sign) != 0)
    return bits;
  return draw() & 1 ? sign : 0;
}

/// A clamp that made a number of a NaN, which recognition may keep.
NORM_TEST_VISIBLE uint64_t norm_test_clamped(uint64_t bits, uint64_t nan) {
  return noise.kinds & Rewritten && draw() & 1 ? nan : bits;
}

NORM_TEST_EXPORT(uint64_t, norm_test_clamped, (uint64_t a, uint64_t b), (a, b))
NORM_TEST_EXPORT(uint32_t, norm_test_noise_f16, (uint32_t a, int32_t b), (a, b))
NORM_TEST_EXPORT(uint32_t, norm_test_noise_bf16, (uint32_t a, int32_t b),
                 (a, b))
NORM_TEST_EXPORT(uint32_t, norm_test_noise_f32, (uint32_t a, int32_t b), (a, b))
NORM_TEST_EXPORT(uint64_t, norm_test_noise_f64, (uint64_t a, int32_t b), (a, b))
NORM_TEST_EXPORT(uint64_t, norm_test_converted,
                 (double a, uint64_t b, double c, double d), (a, b, c, d))
NORM_TEST_EXPORT(uint64_t, norm_test_shifted,
                 (uint64_t a, uint64_t b, uint64_t c), (a, b, c))
NORM_TEST_EXPORT(uint64_t, norm_test_zero, (uint64_t a, uint64_t b), (a, b))
