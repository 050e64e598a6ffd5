/* A host that has a main of its own; its header comes by -include. */
#include <stdio.h>

static float x[64 * 4096], y[64 * 4096];

static norm_memref_2d describe(float *data) {
  norm_memref_2d m = {data, data, 0, {64, 4096}, {4096, 1}};
  return m;
}

int main(void) {
  for (int i = 0; i < 64 * 4096; ++i)
    x[i] = i % 2 ? -3.0f : 3.0f;
  norm_memref_2d in = describe(x), out = describe(y);
  _mlir_ciface_main(&in, &out);
  printf("%f %f\n", y[0], y[64 * 4096 - 1]);
  return 0;
}
