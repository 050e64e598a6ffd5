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

/* One candidate. Strings live for the time of the callback. */
struct NormFinding {
  bool recognized;
  MlirOperation op;      /* the norm.rmsnorm; null for a refusal */
  MlirLocation location; /* of the op that held the last step */
  MlirStringRef reason;  /* a refusal's, as docs/Recognition.md names them */
  MlirStringRef text;    /* which variant, or what was expected and found */
};
typedef struct NormFinding NormFinding;

/* Must not change the program. */
typedef void (*NormFindingCallback)(const NormFinding *finding, void *userData);

/* Raises what is an RMSNorm in `scope`, a module or a function, to
 * norm.rmsnorm, then calls `callback` for each match and each refusal.
 * `rounding` is "default", "exact" or "relaxed", or empty for the first.
 * NORM_NOT_FOUND when there was no match: the refusals were reported all the
 * same. The IR of what was refused is as it was. `callback` may be NULL. */
MLIR_CAPI_EXPORTED NormStatus normRecognize(MlirOperation scope,
                                            MlirStringRef rounding,
                                            NormFindingCallback callback,
                                            void *userData, NormError *error);

#ifdef __cplusplus
}
#endif
#endif /* NORM_C_RECOGNITION_H */
