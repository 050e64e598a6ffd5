//===- Runtime.h - what an artifact for NVIDIA GPUs exports -----*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This runtime is compiled to bitcode when norm-compile is built, and linked
// into every host object of --target=nvvm. --emit=header prints the codes too.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_RUNTIME_CUDA_RUNTIME_H
#define NORM_RUNTIME_CUDA_RUNTIME_H

#include <stdint.h>

extern "C" {

enum norm_gpu_code {
  NORM_GPU_SUCCESS = 0,
  NORM_GPU_NO_DRIVER = 1,          ///< libcuda.so.1 is missing or too old
  NORM_GPU_NO_DEVICE = 2,          ///< the driver finds no GPU
  NORM_GPU_NO_CONTEXT = 3,         ///< no CUDA context is current
  NORM_GPU_WRONG_ARCHITECTURE = 4, ///< the kernels are for another GPU
  NORM_GPU_BAD_IMAGE = 5,          ///< the driver does not take the kernels
  NORM_GPU_LAUNCH_FAILED = 6,      ///< of a kernel, or of an earlier one
  NORM_GPU_OUT_OF_MEMORY = 7,
  NORM_GPU_INVALID_ARGUMENT = 8, ///< a null, negative or odd argument
  NORM_GPU_FAILED = 9            ///< any other error of the driver
};

/// A tensor that was passed to a function.
struct norm_gpu_buffer {
  const void *data;
  int64_t elements;    ///< the product of its extents
  int64_t leastExtent; ///< negative: the caller's extents are invalid
  int64_t elementBytes;
};

/// The data of the kernels other than their PTX.
struct norm_gpu_image {
  const void *cubin; ///< null: none
  const char *chip;  ///< such as sm_90
};
extern const norm_gpu_image norm_gpu_description;

/// Starts a call on `stream`: checks its buffers, finds the driver and the
/// context, and loads the kernels if the context does not have them.
int32_t norm_gpu_begin(void *stream, const norm_gpu_buffer *buffers,
                       int32_t count);
/// Ends the call and returns its code.
int32_t norm_gpu_end();
/// Returns the stream of this thread's `_mlir_ciface_*` functions.
void *norm_gpu_stream();

// These functions are exported. The message is that of this thread's last call;
// it is empty after a success and lives until the next call.
int32_t norm_gpu_error();
const char *norm_gpu_message();
void norm_gpu_set_stream(void *stream);
}

#endif // NORM_RUNTIME_CUDA_RUNTIME_H
