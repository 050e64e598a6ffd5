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

#include "Codes.h"

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
}

#endif // NORM_RUNTIME_CUDA_RUNTIME_H
