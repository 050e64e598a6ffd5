/*===- Recognition.h - C API of the recognizer -------------------*- C -*-===*\
|*                                                                            *|
|* Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.     *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef NORM_C_RECOGNITION_H
#define NORM_C_RECOGNITION_H

#include "norm-c/Norm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One candidate. The strings are valid during the callback. */
struct NormFinding {
  bool recognized;
  MlirOperation op;      /* the norm op; null for a rejection */
  MlirLocation location; /* the op that computed the last step */
  MlirStringRef reason;  /* for a rejection: see docs/Recognition.md */
  MlirStringRef text;    /* the variant, or what was expected and found */
};
typedef struct NormFinding NormFinding;

/* A callback, which must not change the program. */
typedef void (*NormFindingCallback)(const NormFinding *finding, void *userData);

/* Replaces every RMSNorm in `scope`, a module or a function, by norm.rmsnorm,
 * and its gradients by norm.rmsnorm_backward, then calls `callback`, which may
 * be NULL, for each match and each rejection. `rounding` is "default", "exact"
 * or "relaxed"; empty is "default". Returns NORM_NOT_FOUND when there was no
 * match, after reporting the rejections. The IR of a rejected candidate is
 * unchanged. */
MLIR_CAPI_EXPORTED NormStatus normRecognize(MlirOperation scope,
                                            MlirStringRef rounding,
                                            NormFindingCallback callback,
                                            void *userData, NormError *error);

#ifdef __cplusplus
}
#endif
#endif /* NORM_C_RECOGNITION_H */
