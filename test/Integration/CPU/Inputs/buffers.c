/* Calls a compiled copy of rows at every offset of its buffers from a cache
 * line, with a shared buffer and with buffers that overlap in place, and checks
 * each element and the guards around the output. The header comes by -include.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kRows = 9, kGuard = 64 };

static int failures;

static norm_memref_2d describe(float *data, int64_t cols) {
  norm_memref_2d m = {data, data, 0, {kRows, cols}, {cols, 1}};
  return m;
}

static float valueAt(int64_t i) { return (float)(i % 251) - 125.0f; }

/* y = 2 * x - x * x is exact here. */
static float expected(int64_t i) {
  return 2.0f * valueAt(i) - valueAt(i) * valueAt(i);
}

static void check(float *x, float *y, int64_t cols, const char *what) {
  int64_t n = kRows * cols;
  for (int64_t i = 0; i < n; ++i)
    x[i] = valueAt(i);
  if (x != y)
    for (int64_t i = -kGuard; i < n + kGuard; ++i)
      y[i] = 7.0f;
  norm_memref_2d in = describe(x, cols), out = describe(y, cols);
  _mlir_ciface_poly(&in, &out);
  for (int64_t i = 0; i < n; ++i)
    if (y[i] != expected(i)) {
      if (++failures < 10)
        printf("%s: %ld columns, element %ld is %g\n", what, (long)cols,
               (long)i, (double)y[i]);
      return;
    }
  if (x == y)
    return;
  for (int64_t i = 1; i <= kGuard; ++i)
    if (y[-i] != 7.0f || y[n - 1 + i] != 7.0f) {
      if (++failures < 10)
        printf("%s: %ld columns, written outside\n", what, (long)cols);
      return;
    }
}

int main(void) {
  size_t bytes = sizeof(float) * (kRows * 1200 + 4 * kGuard);
  float *x = aligned_alloc(64, (bytes + 63) / 64 * 64);
  float *y = aligned_alloc(64, (bytes + 63) / 64 * 64);
  int64_t cols[] = {1, 15, 16, 63, 64, 65, 111, 128, 130, 191, 1024, 1031};
  int calls = 0;
  for (unsigned c = 0; c < sizeof(cols) / sizeof(*cols); ++c)
    for (int offset = 0; offset < 17; ++offset, ++calls) {
      check(x + kGuard + offset % 3, y + kGuard + offset, cols[c], "apart");
      check(y + kGuard + offset, y + kGuard + offset, cols[c], "in place");
    }
  printf("%d pairs of calls, %d wrong\n", calls, failures);
  return failures != 0;
}
