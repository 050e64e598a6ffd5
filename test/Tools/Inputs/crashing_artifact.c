// An artifact whose host code crashes.
const char main_signature[] =
    "(tensor<?x64xf16>, tensor<64xf16>) -> tensor<?x64xf16>";
const char *norm_gpu_message(void) { return ""; }
int main_launch(void) { __builtin_trap(); }
