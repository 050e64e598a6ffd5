/* Compares the functions of vector-math.mlir with f64, in ulp of the result's
 * type: every STEP-th value of f32, all near what is special, all of f16 and
 * bf16. Plain C, for qemu-user. The header comes by -include.
 *
 *     vector-math STEP
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "floats.h"

enum { ROW = 65536 };

typedef void (*Function)(const norm_memref_2d *, norm_memref_2d *);

struct Subject {
  const char *name;
  Function function;
  double (*reference)(double);
  double limit; /* ulp */
  int mantissa; /* bits: 7 is bf16, 10 f16, 23 f32 */
};

static double worst;
static int64_t over, bad;

/* From here on a result rounds to infinity. */
static double getOverflow(int mantissa) {
  return ldexp(2 - ldexp(1, -mantissa - 1), mantissa == 10 ? 15 : 127);
}

static int isBadSpecial(double result, double expected) {
  if (isnan(expected) || isnan(result))
    return !isnan(expected) || !isnan(result);
  return result != expected || signbit(result) != signbit(expected);
}

static void compare(const struct Subject *s, const void *x, const void *y) {
  for (int i = 0; i < ROW; ++i) {
    double expected =
        s->reference(widen(getBits(x, i, s->mantissa), s->mantissa));
    double result = widen(getBits(y, i, s->mantissa), s->mantissa);
    int isLarge = fabs(expected) >= getOverflow(s->mantissa);
    if (isnan(expected) || isnan(result) || isLarge || expected == 0) {
      if (isLarge)
        expected = copysign(INFINITY, expected);
      bad += isBadSpecial(result, expected);
      continue;
    }
    double ulp = getUlp(expected, s->mantissa);
    /* A result may be infinite where the last finite value is as near. */
    if (isinf(result))
      result = copysign(ldexp(2, s->mantissa == 10 ? 15 : 127), result);
    double error = fabs(result - expected) / ulp;
    worst = error > worst ? error : worst;
    over += !(error <= s->limit);
    bad += signbit(result) != signbit(expected);
  }
}

static void runRow(const struct Subject *s, void *x, void *y) {
  norm_memref_2d in = {x, x, 0, {1, ROW}, {ROW, 1}};
  norm_memref_2d out = {y, y, 0, {1, ROW}, {ROW, 1}};
  s->function(&in, &out);
  compare(s, x, y);
}

/* Where a function overflows, underflows, changes its formula or its sign. */
static const float special[] = {
    0.0f,       0x1p-126f,  0.3465736f, 0.5f,      0.6f,
    0.7071068f, 1.0f,       1.4142135f, 3.95f,     9.01f,
    17.33f,     18.0f,      87.33654f,  88.72284f, 89.0f,
    103.2789f,  103.97208f, 104.0f,     126.0f,    128.0f,
    149.0f,     150.0f,     151.0f,     0x1p25f,   0x1.fffffep127f};

static void sweep(const struct Subject *s, uint32_t step) {
  static uint32_t x[ROW], y[ROW];
  for (uint64_t from = 0; from < (uint64_t)1 << 32;
       from += (uint64_t)ROW * step) {
    for (int i = 0; i < ROW; ++i)
      x[i] = (uint32_t)(from + (uint64_t)i * step);
    runRow(s, x, y);
  }
  enum { NEAR = 4096, CENTRES = 2 * sizeof special / sizeof *special };
  for (unsigned k = 0; k < CENTRES; k += ROW / NEAR) {
    for (unsigned i = 0; i < ROW; ++i) {
      unsigned at = (k + i / NEAR) % CENTRES;
      uint32_t center;
      memcpy(&center, &special[at / 2], sizeof center);
      x[i] = (center + i % NEAR - NEAR / 2) ^ (at % 2 ? 0x80000000u : 0);
    }
    runRow(s, x, y);
  }
}

static void runAll16(const struct Subject *s) {
  static uint16_t x[ROW], y[ROW];
  for (int i = 0; i < ROW; ++i)
    x[i] = i;
  runRow(s, x, y);
}

int main(int argc, char **argv) {
  const struct Subject subjects[] = {
      {"exp", _mlir_ciface_row_exp, exp, 1.05, 23},
      {"exp2", _mlir_ciface_row_exp2, exp2, 1.2, 23},
      {"expm1", _mlir_ciface_row_expm1, expm1, 1.8, 23},
      {"log", _mlir_ciface_row_log, log, 0.9, 23},
      {"log1p", _mlir_ciface_row_log1p, log1p, 0.9, 23},
      {"tanh", _mlir_ciface_row_tanh, tanh, 1.4, 23},
      {"erf", _mlir_ciface_row_erf, erf, 1.45, 23},
      {"exp of f16", _mlir_ciface_row_exp_f16, exp, 0.51, 10},
      {"exp of bf16", _mlir_ciface_row_exp_bf16, exp, 0.51, 7},
  };
  if (argc != 2 || atoi(argv[1]) <= 0) {
    fprintf(stderr, "usage: vector-math STEP\n");
    return 2;
  }
  for (unsigned i = 0; i < sizeof subjects / sizeof *subjects; ++i) {
    worst = 0;
    over = bad = 0;
    if (subjects[i].mantissa == 23)
      sweep(&subjects[i], atoi(argv[1]));
    else
      runAll16(&subjects[i]);
    printf("%s: max ulp %.3f, %lld over the limit, %lld bad specials\n",
           subjects[i].name, worst, (long long)over, (long long)bad);
  }
  return 0;
}
