// An artifact whose host code crashes or, with -DHANGS, never returns.
#include <unistd.h>
const char main_signature[] =
    "(tensor<?x64xf16>, tensor<64xf16>) -> tensor<?x64xf16>";
const char *norm_gpu_message(void) { return ""; }
int main_launch(void) {
#ifdef HANGS
  for (;;)
    pause();
#endif
  __builtin_trap();
}
