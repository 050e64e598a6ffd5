/* Calls each function of targets.mlir, one a type, at a number of rows and
 * columns and compares with f64 in ulp of the result's type. Plain C, so that
 * it runs under qemu-user without libraries of this host. The header comes by
 * -include.
 *
 * short: without the buffers beyond the caches, which take long in qemu.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "floats.h"

static uint64_t state = 88172645463325252u;
/* xorshift: the same values on every machine. */
static uint32_t next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state >> 32;
}

static double load(const void *data, int64_t i, int mantissa) {
  return widen(getBits(data, i, mantissa), mantissa);
}

/* The float of an exponent and the upper bits of a fraction. */
static void store(void *data, int64_t i, bool negative, int exponent,
                  uint32_t fraction, int mantissa) {
  int width = mantissa == 23 ? 32 : 16;
  int bias = mantissa == 10 ? 15 : 127;
  uint32_t bits = (uint32_t)negative << (width - 1) |
                  (uint32_t)(exponent + bias) << mantissa |
                  fraction >> (32 - mantissa);
  if (mantissa == 23)
    ((uint32_t *)data)[i] = bits;
  else
    ((uint16_t *)data)[i] = bits;
}

static double worst;
static int64_t wrong;

static void compare(const void *x, const void *w, const void *y, int64_t rows,
                    int64_t n, int mantissa, double limit) {
  for (int64_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < n; ++j)
      sum += load(x, i * n + j, mantissa) * load(x, i * n + j, mantissa);
    double r = 1 / sqrt(sum / n + (double)1.0e-6f);
    for (int64_t j = 0; j < n; ++j) {
      double expected = load(x, i * n + j, mantissa) * r * load(w, j, mantissa);
      double error = fabs(load(y, i * n + j, mantissa) - expected) /
                     getUlp(expected, mantissa);
      worst = error > worst ? error : worst;
      wrong += !(error <= limit);
    }
  }
}

typedef void (*Function)(const norm_memref_2d *, const norm_memref_1d *,
                         norm_memref_2d *);

static void run(Function function, int64_t rows, int64_t n, int mantissa,
                double limit) {
  size_t bytes = (mantissa == 23 ? 4 : 2) * (rows * n + 1);
  void *x = malloc(bytes), *w = malloc(bytes), *y = malloc(bytes);
  memset(y, 0xFF, bytes);
  for (int64_t i = 0; i < rows * n; ++i)
    store(x, i, next() & 1, (int)(next() % 3) - 1, next(), mantissa);
  for (int64_t i = 0; i < n; ++i)
    store(w, i, false, (int)(next() % 2) - 1, next(), mantissa);
  norm_memref_2d in = {x, x, 0, {rows, n}, {n, 1}};
  norm_memref_1d weight = {w, w, 0, {n}, {1}};
  norm_memref_2d out = {y, y, 0, {rows, n}, {n, 1}};
  function(&in, &weight, &out);
  compare(x, w, y, rows, n, mantissa, limit);
  free(x);
  free(w);
  free(y);
}

/* A NaN stays in its row, and an infinity's row is 0 but for the NaN in its
 * place. */
static int64_t countBadSpecials(Function function, int mantissa) {
  enum { kRows = 3, kCols = 80 };
  static uint32_t x[kRows * kCols], w[kCols], y[kRows * kCols];
  for (int i = 0; i < kRows * kCols; ++i)
    store(x, i, false, 0, 0, mantissa);
  for (int i = 0; i < kCols; ++i)
    store(w, i, false, 0, 0, mantissa);
  uint32_t nan = (0x7FC00000u >> 16), infinity = 0x7F80;
  if (mantissa == 10)
    nan = 0x7E00, infinity = 0x7C00;
  if (mantissa == 23)
    x[70] = 0x7FC00000u, x[kCols + 70] = 0x7F800000u;
  else
    ((uint16_t *)x)[70] = nan, ((uint16_t *)x)[kCols + 70] = infinity;
  norm_memref_2d in = {x, x, 0, {kRows, kCols}, {kCols, 1}};
  norm_memref_1d weight = {w, w, 0, {kCols}, {1}};
  norm_memref_2d out = {y, y, 0, {kRows, kCols}, {kCols, 1}};
  function(&in, &weight, &out);
  int64_t bad = 0;
  for (int i = 0; i < kRows * kCols; ++i) {
    uint32_t bits = mantissa == 23 ? y[i] : ((uint16_t *)y)[i];
    uint32_t top = mantissa == 23 ? 0x7F800000u : infinity;
    bool isNaN = (bits & 0x7FFFFFFF & (mantissa == 23 ? ~0u : 0x7FFFu)) > top;
    if (i < kCols || i == kCols + 70)
      bad += !isNaN;
    else if (i < 2 * kCols)
      bad += bits != 0;
    else
      bad += isNaN || fabs(load(y, i, mantissa) - 1) > 0.01;
  }
  return bad;
}

int main(int argc, char **argv) {
  bool isShort = argc > 1 && !strcmp(argv[1], "short");
  static const int64_t columns[] = {1, 7, 16, 63, 64, 100, 257, 1152, 4095};
  /* One rounding of a result that f32 gives to 4 ulp. */
  struct {
    const char *name;
    Function function;
    int mantissa;
    double limit;
  } types[] = {{"f32", _mlir_ciface_f32, 23, 4},
               {"f16", _mlir_ciface_f16, 10, 0.51},
               {"bf16", _mlir_ciface_bf16, 7, 0.51}};
  int64_t failed = 0;
  for (int t = 0; t < 3; ++t) {
    worst = wrong = 0;
    for (unsigned c = 0; c < sizeof(columns) / sizeof(*columns); ++c)
      run(types[t].function, 5, columns[c], types[t].mantissa, types[t].limit);
    /* Over 16 MiB of x and y: streamed. */
    if (!isShort)
      run(types[t].function, types[t].mantissa == 23 ? 512 : 1024, 4100,
          types[t].mantissa, types[t].limit);
    int64_t bad = countBadSpecials(types[t].function, types[t].mantissa);
    printf("%s: max ulp %.3f, %ld over the limit, %ld bad specials\n",
           types[t].name, worst, (long)wrong, (long)bad);
    failed += wrong + bad;
  }
  return failed != 0;
}
