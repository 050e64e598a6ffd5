/* Calls the shared object that norm.c wrote. */
#include <stdint.h>
#include <stdio.h>

typedef struct {
  void *allocated, *aligned;
  intptr_t offset, sizes[3], strides[3];
} memref_3d;
typedef struct {
  void *allocated, *aligned;
  intptr_t offset, sizes[1], strides[1];
} memref_1d;

void _mlir_ciface_main(const memref_3d *x, const memref_1d *w, memref_3d *y);

int main(void) {
  static float x[2 * 5 * 64], w[64], y[2 * 5 * 64];
  for (int i = 0; i < 640; ++i)
    x[i] = i % 2 ? 3.0f : -3.0f;
  for (int i = 0; i < 64; ++i)
    w[i] = 2.0f;
  memref_3d xs = {x, x, 0, {2, 5, 64}, {320, 64, 1}};
  memref_1d ws = {w, w, 0, {64}, {1}};
  memref_3d ys = {y, y, 0, {2, 5, 64}, {320, 64, 1}};
  _mlir_ciface_main(&xs, &ws, &ys);
  printf("y = %.4f %.4f ... %.4f\n", y[0], y[1], y[639]);
  return 0;
}
