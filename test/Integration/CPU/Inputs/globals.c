/* Calls the functions of globals.mlir, whose state the globals hold. The header
 * comes by -include.
 */
#include <stdio.h>

static norm_memref_1d describe(float *data) {
  norm_memref_1d m = {data, data, 0, {4}, {1}};
  return m;
}

static void print(const char *end, const float *v) {
  printf("%g %g %g %g%s", v[0], v[1], v[2], v[3], end);
}

int main(void) {
  int64_t seed = 0;
  norm_memref_0d scalar = {&seed, &seed, 0};
  printf("next:");
  for (int i = 0; i < 3; ++i) {
    _mlir_ciface_next(&scalar);
    printf(" %d", (int)seed);
  }
  float a[4] = {0, 1, 2, 3}, y[4];
  norm_memref_1d in = describe(a), out = describe(y);
  printf("\nadd: ");
  for (int i = 0; i < 3; ++i) {
    _mlir_ciface_add(&in, &out);
    print(i < 2 ? ", " : "\nswap: ", y);
  }
  for (int i = 0; i < 2; ++i) {
    _mlir_ciface_swap(&in, &out);
    print(i < 1 ? ", " : "\n", y);
  }
  return 0;
}
