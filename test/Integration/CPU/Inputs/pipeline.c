/* Compares a streamed norm with a plain one, bit by bit, at offsets of its
 * buffers from a cache line, for row counts and lengths; guards around the
 * output stay. The header comes by -include.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMaxRows = 150, kMaxCols = 1300, kGuard = 64 };

void _mlir_ciface_plain(norm_memref_2d *x, norm_memref_1d *w,
                        norm_memref_2d *y);

static int failures;

static norm_memref_2d describe(float *data, int64_t rows, int64_t cols) {
  norm_memref_2d m = {data, data, 0, {rows, cols}, {cols, 1}};
  return m;
}

static void fill(float *x, int64_t n, float value) {
  for (int64_t i = 0; i < n; ++i)
    x[i] = value != 0 ? value : (float)(rand() % 2001 - 1000) / 128.0f;
}

static void check(float *x, float *w, float *y, float *plain, int64_t rows,
                  int64_t cols) {
  int64_t n = rows * cols;
  fill(x, n, 0);
  norm_memref_2d in = describe(x, rows, cols);
  norm_memref_2d expected = describe(plain, rows, cols);
  norm_memref_1d weight = {w, w, 0, {cols}, {1}};
  _mlir_ciface_plain(&in, &weight, &expected);
  if (x != y)
    fill(y - kGuard, n + 2 * kGuard, 7);
  norm_memref_2d out = describe(y, rows, cols);
  _mlir_ciface_norm(&in, &weight, &out);
  int wrong = memcmp(y, plain, n * sizeof(float)) != 0;
  for (int64_t i = 1; x != y && i <= kGuard; ++i)
    wrong |= y[-i] != 7.0f || y[n - 1 + i] != 7.0f;
  if (wrong && ++failures < 10)
    printf("%ld rows, %ld columns%s\n", (long)rows, (long)cols,
           x == y ? ", in place" : "");
}

int main(void) {
  size_t count = kMaxRows * kMaxCols + 4 * kGuard;
  float *x = aligned_alloc(64, count * sizeof(float));
  float *y = aligned_alloc(64, count * sizeof(float));
  float *plain = aligned_alloc(64, count * sizeof(float));
  float *w = aligned_alloc(64, kMaxCols * sizeof(float));
  fill(w, kMaxCols, 0);
  int64_t rows[] = {0, 1, 2, 9, 150};
  int64_t cols[] = {64, 511, 512, 513, 575, 640, 1024, 1300};
  int calls = 0;
  for (unsigned r = 0; r < sizeof(rows) / sizeof(*rows); ++r)
    for (unsigned c = 0; c < sizeof(cols) / sizeof(*cols); ++c)
      for (int offset = 0; offset < 16; offset += 2, ++calls) {
        check(x + kGuard + offset % 3, w, y + kGuard + offset, plain, rows[r],
              cols[c]);
        float *both = y + kGuard + offset;
        check(both, w, both, plain, rows[r], cols[c]);
      }
  printf("%d pairs of calls, %d wrong\n", calls, failures);
  return failures != 0;
}
