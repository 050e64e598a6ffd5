#ifndef NORM_GPU_RUNTIME
#define NORM_GPU_RUNTIME
enum norm_gpu_code {
  NORM_GPU_SUCCESS = 0,
  NORM_GPU_NO_DRIVER = 1,          /* libcuda.so.1 is missing or too old */
  NORM_GPU_NO_DEVICE = 2,          /* the driver finds no GPU */
  NORM_GPU_NO_CONTEXT = 3,         /* no CUDA context is current */
  NORM_GPU_WRONG_ARCHITECTURE = 4, /* the kernels are for another GPU */
  NORM_GPU_BAD_IMAGE = 5,          /* the driver does not take the kernels */
  NORM_GPU_LAUNCH_FAILED = 6,      /* of a kernel, or of an earlier one */
  NORM_GPU_OUT_OF_MEMORY = 7,
  NORM_GPU_INVALID_ARGUMENT = 8, /* a null, negative or odd argument */
  NORM_GPU_FAILED = 9            /* any other error of the driver */
};

/* Code and message of the last call on this thread. The message is empty after
   a success, and lives until the next call. */
int32_t norm_gpu_error(void);
const char *norm_gpu_message(void);
/* The CUstream of this thread's _mlir_ciface_ calls; NULL is the default. */
void norm_gpu_set_stream(void *stream);
#endif
