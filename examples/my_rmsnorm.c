/* A kernel library for norm-to-library, f32 only: docs/Embedding.md. */
#include "norm-c/HandOff.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static float *at(const norm_memref_2d *m, intptr_t i, intptr_t j) {
  return (float *)m->aligned + m->offset + i * m->strides[0] +
         j * m->strides[1];
}

void _mlir_ciface_my_rmsnorm(const norm_memref_2d *x, const norm_memref_1d *w,
                             norm_memref_2d *y, NORM_HANDOFF_SCALARS) {
  /* What this library has no kernel for. */
  if (dims != 2 || weight_dims != 2 || epsilon_mode != NORM_EPSILON_INSIDE ||
      root_form == NORM_ROOT_QUOTIENT || compute_type != NORM_TYPE_F32 ||
      sum_type || scale_type || normalized_type) {
    fprintf(stderr, "my_rmsnorm: no such variant\n");
    abort();
  }
  intptr_t columns = x->sizes[1], counted = count ? count : columns;
  const float *weight = (const float *)w->aligned + w->offset;
  for (intptr_t i = 0; i < x->sizes[0]; ++i) {
    double sum = 0.0;
    for (intptr_t j = 0; j < counted; ++j)
      sum += (double)*at(x, i, j) * *at(x, i, j);
    float r = (float)(1.0 / sqrt(sum / (double)counted + epsilon));
    for (intptr_t j = 0; j < columns; ++j)
      *at(y, i, j) = *at(x, i, j) * r * weight[j * w->strides[0]];
  }
}
