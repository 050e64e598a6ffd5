/* Calls a program whose norms call my_rmsnorm. */
#include "norm-c/HandOff.h"
#include <stdio.h>

void _mlir_ciface_norm(const norm_memref_2d *x, const norm_memref_1d *w,
                       norm_memref_2d *y);

int main(void) {
  float x[] = {1, 2, 3, 4, 0.5f, -1, 2, 8}, w[] = {1, 1, 2, 2}, y[8];
  norm_memref_2d xs = {x, x, 0, {2, 4}, {4, 1}}, ys = {y, y, 0, {2, 4}, {4, 1}};
  norm_memref_1d ws = {w, w, 0, {4}, {1}};
  _mlir_ciface_norm(&xs, &ws, &ys);
  for (int i = 0; i < 8; ++i)
    printf("%.4f ", y[i]);
  printf("\n");
  return 0;
}
