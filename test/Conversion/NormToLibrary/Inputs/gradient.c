/* A library's kernel of dx, and a program that calls it. */
#include "norm-c/HandOff.h"
#include <math.h>
#include <stdio.h>

void _mlir_ciface_my_gradient(const norm_memref_2d *dy, const norm_memref_2d *x,
                              const norm_memref_2d *dx,
                              NORM_HANDOFF_BACKWARD_SCALARS) {
  printf(
      "count %d dims %d weight %d mode %d form %d C %d others %d operands %d\n",
      (int)count, (int)dims, (int)weight_dims, epsilon_mode, root_form,
      compute_type, sum_type + scale_type + normalized_type, operands);
  int64_t n = x->sizes[1];
  for (int64_t row = 0; row < x->sizes[0]; ++row) {
    const float *d = (float *)dy->aligned + row * dy->strides[0];
    const float *in = (float *)x->aligned + row * x->strides[0];
    float *out = (float *)dx->aligned + row * dx->strides[0];
    double squares = 0, mean = 0;
    for (int64_t i = 0; i < n; ++i)
      squares += (double)in[i] * in[i];
    double r = 1 / sqrt(squares / n + epsilon);
    for (int64_t i = 0; i < n; ++i)
      mean += in[i] * r * d[i] / n;
    for (int64_t i = 0; i < n; ++i)
      out[i] = r * (d[i] - in[i] * r * mean);
  }
}

void _mlir_ciface_gradient(norm_memref_2d *, norm_memref_2d *,
                           norm_memref_2d *);

int main(void) {
  float values[3][4] = {{1, 0, 0, 0}, {1, 2, 3, 4}, {0}};
  norm_memref_2d memrefs[3];
  for (int i = 0; i < 3; ++i) {
    norm_memref_2d memref = {values[i], values[i], 0, {1, 4}, {4, 1}};
    memrefs[i] = memref;
  }
  _mlir_ciface_gradient(&memrefs[0], &memrefs[1], &memrefs[2]);
  for (int i = 0; i < 4; ++i)
    printf("%.4f ", values[2][i]);
  return 0;
}
