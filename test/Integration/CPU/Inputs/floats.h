/* Floats of `mantissa` bits as f64: 7 is bf16, 10 f16, 23 f32. For qemu-user,
 * so plain C without libraries of this host.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

static double widen(uint32_t bits, int mantissa) {
  if (mantissa == 23) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  int bias = mantissa == 10 ? 15 : 127;
  int exponent = (bits & 0x7FFF) >> mantissa;
  int fraction = bits & ((1 << mantissa) - 1);
  double size = exponent ? ldexp(fraction + (1 << mantissa), exponent - bias)
                         : ldexp(fraction, 1 - bias);
  size = ldexp(size, -mantissa);
  if (exponent == 2 * bias + 1)
    size = fraction ? NAN : INFINITY;
  return bits & 0x8000 ? -size : size;
}

static uint32_t getBits(const void *data, int64_t i, int mantissa) {
  return mantissa == 23 ? ((const uint32_t *)data)[i]
                        : ((const uint16_t *)data)[i];
}

/* The distance to the next value. */
static double getUlp(double value, int mantissa) {
  int exponent, least = mantissa == 10 ? -14 : -126;
  frexp(value, &exponent);
  return ldexp(1, (exponent - 1 < least ? least : exponent - 1) - mantissa);
}
