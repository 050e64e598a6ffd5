/* Two artifacts in one program; their headers come by -include. There is no
 * driver: either one's message tells of the last call, whichever it was. */
#include <stdio.h>

int main(void) {
  static float x[64];
  int32_t code = first_launch(x, x, 0);
  printf("first %d %s\n", (int)code, norm_gpu_message());
  code = second_launch(x, -1, x, -1, 0);
  printf("second %d %s\n", (int)code, norm_gpu_message());
  norm_memref_1d m = {x, x, 0, {64}, {1}};
  norm_gpu_set_stream(0);
  _mlir_ciface_first(&m, &m);
  printf("ciface %d %d\n", (int)norm_gpu_error(),
         norm_gpu_error() == NORM_GPU_NO_DRIVER);
  printf("%s\n%s\n", first_signature, second_signature);
  return 0;
}
