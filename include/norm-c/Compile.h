/*===- Compile.h - C API of the compiler -------------------------*- C -*-===*\
|*                                                                            *|
|* Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.     *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef NORM_C_COMPILE_H
#define NORM_C_COMPILE_H

#include "norm-c/Norm.h"

#ifdef __cplusplus
extern "C" {
#endif

enum NormOutput {
  NORM_OUTPUT_OBJECT = 0,
  NORM_OUTPUT_SHARED = 1, /* the bytes of a shared object; needs cc on PATH */
  NORM_OUTPUT_ASSEMBLY = 2,
  NORM_OUTPUT_LLVM_IR = 3,
  NORM_OUTPUT_HEADER = 4, /* C declarations of the functions */
  NORM_OUTPUT_PTX = 5     /* the kernels; needs the target nvvm */
};
typedef enum NormOutput NormOutput;

/* The options of norm-compile. Empty strings and zeros are its defaults, so
 * `NormCompileOptions options = {0}` asks for an object for x86-64-v3. */
struct NormCompileOptions {
  NormOutput output;
  MlirStringRef target;   /* "cpu" or "nvvm"; empty: "cpu" */
  MlirStringRef triple;   /* empty: this host */
  MlirStringRef cpu;      /* "native": this machine */
  MlirStringRef features; /* such as "+bf16" */
  MlirStringRef chip;     /* empty: "sm_90" */
  MlirStringRef cudaPath; /* empty: CUDA_PATH, ptxas in PATH, /usr/local/cuda */
  MlirStringRef rounding; /* of recognition; empty: "default" */
  unsigned threads;       /* up to 1024; 0 and 1: no OpenMP */
  bool dispatch;          /* code for x86-64-v2, v3 and v4; cpu must be empty */
};
typedef struct NormCompileOptions NormCompileOptions;

struct NormBuffer {
  void *data; /* a zero byte follows, which size does not count */
  size_t size;
};
typedef struct NormBuffer NormBuffer;

/* Compiles a copy of `module`; on an error *buffer is empty. The context gets
 * what normRegisterCompiler registers. During the call, a file in the
 * temporary directory holds the output. */
MLIR_CAPI_EXPORTED NormStatus normCompile(MlirModule module,
                                          const NormCompileOptions *options,
                                          NormBuffer *buffer, NormError *error);

MLIR_CAPI_EXPORTED void normBufferDestroy(NormBuffer *buffer);

#ifdef __cplusplus
}
#endif
#endif /* NORM_C_COMPILE_H */
