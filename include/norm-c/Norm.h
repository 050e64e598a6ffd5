/*===- Norm.h - C API of the norm dialect ------------------------*- C -*-===*\
|*                                                                            *|
|* Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.     *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/* Beside mlir-c, whose functions libNormMLIR-C has too. Nothing here aborts or
 * prints: a function that can fail returns a NormStatus, and its NormError gets
 * the message. docs/CAPI.md is the tour. */

#ifndef NORM_C_NORM_H
#define NORM_C_NORM_H

#include "mlir-c/IR.h"
#include "norm-c/HandOff.h"

#ifdef __cplusplus
extern "C" {
#endif

/*===----------------------------------------------------------------------===*\
|* Errors                                                                     *|
\*===----------------------------------------------------------------------===*/

enum NormStatus {
  NORM_SUCCESS = 0,
  NORM_INVALID_ARGUMENT = 1, /* a null, or a name that nothing has */
  NORM_INVALID_IR = 2,       /* does not parse or does not verify */
  NORM_NOT_FOUND = 3,        /* nothing was recognized */
  NORM_FAILED = 4            /* a pass, code generation or the linker */
};
typedef enum NormStatus NormStatus;

/* Diagnostics of severity error with their notes, one a line, each with its
 * location. Any function that takes a NormError also takes NULL for it. */
struct NormError {
  char *message; /* NULL after a success */
};
typedef struct NormError NormError;

MLIR_CAPI_EXPORTED void normErrorDestroy(NormError *error);

/*===----------------------------------------------------------------------===*\
|* Registration                                                               *|
\*===----------------------------------------------------------------------===*/

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Norm, norm);

/* Ours with the models of its interfaces, which bufferization and transform
 * scripts need; upstream's dialects are the caller's. */
MLIR_CAPI_EXPORTED void normRegisterAllDialects(MlirDialectRegistry registry);

/* Upstream's dialects and extensions, ours, and translations to LLVM IR. */
MLIR_CAPI_EXPORTED void normRegisterCompiler(MlirDialectRegistry registry);

/* Upstream's passes and ours; again is harmless. */
MLIR_CAPI_EXPORTED void normRegisterAllPasses(void);

/*===----------------------------------------------------------------------===*\
|* norm.rmsnorm                                                               *|
\*===----------------------------------------------------------------------===*/

/* The attributes, labeled as in docs/Norm.md. A null MlirType is an absent
 * type. normRMSNormAttributesInit gives the defaults. */
struct NormRMSNormAttributes {
  const int64_t *dims; /* S1 */
  intptr_t numDims;
  double epsilon; /* S3 */
  NormEpsilonMode epsilonMode;
  NormRootForm rootForm;
  MlirType computeType; /* S2; null: f32 for 16-bit x, else x's */
  MlirType sumType;
  MlirType scaleType;        /* S3 */
  MlirType normalizedType;   /* S4 */
  const int64_t *weightDims; /* S5; NULL: dims */
  intptr_t numWeightDims;    /* 0 with a weightDims not NULL: a scalar */
  int64_t count;             /* S7; 0: all elements */
};
typedef struct NormRMSNormAttributes NormRMSNormAttributes;

/* Over `dims`, which must live as long as the attributes do. */
MLIR_CAPI_EXPORTED NormRMSNormAttributes normRMSNormAttributesInit(
    const int64_t *dims, intptr_t numDims, double epsilon);

/* A verified op without a place in a block, owned by the caller; on an error
 * *op is null. `weight` and `invRmsInit` may be null. Results are there when
 * the operands are tensors: y, then inv_rms if there is an init for it. */
MLIR_CAPI_EXPORTED NormStatus normRMSNormCreate(
    MlirLocation location, MlirValue input, MlirValue weight, MlirValue init,
    MlirValue invRmsInit, const NormRMSNormAttributes *attributes,
    MlirOperation *op, NormError *error);

MLIR_CAPI_EXPORTED bool normOperationIsARMSNorm(MlirOperation op);

/* Of an op that is one. The pointers live as long as its context. computeType
 * is never null, and weightDims are what S5 says where the attribute is absent.
 */
MLIR_CAPI_EXPORTED NormStatus normRMSNormGetAttributes(
    MlirOperation op, NormRMSNormAttributes *attributes, NormError *error);
/* Null where there is none, or where the op is no norm.rmsnorm. */
MLIR_CAPI_EXPORTED MlirValue normRMSNormGetInput(MlirOperation op);
MLIR_CAPI_EXPORTED MlirValue normRMSNormGetWeight(MlirOperation op);
MLIR_CAPI_EXPORTED MlirValue normRMSNormGetInit(MlirOperation op);
MLIR_CAPI_EXPORTED MlirValue normRMSNormGetInvRmsInit(MlirOperation op);

/*===----------------------------------------------------------------------===*\
|* Programs                                                                   *|
\*===----------------------------------------------------------------------===*/

/* A verified module, owned by the caller; on an error *module is null. */
MLIR_CAPI_EXPORTED NormStatus normModuleParse(MlirContext context,
                                              MlirStringRef text,
                                              MlirModule *module,
                                              NormError *error);

/* Runs a pipeline such as "norm-recognize{rounding=exact},norm-to-linalg" on
 * `op`. What is anchored on another op is nested, as in
 * "func.func(norm-tile-rows)". After an error the IR may be half rewritten. */
MLIR_CAPI_EXPORTED NormStatus normRunPipeline(MlirOperation op,
                                              MlirStringRef pipeline,
                                              NormError *error);

#ifdef __cplusplus
}
#endif
#endif /* NORM_C_NORM_H */
