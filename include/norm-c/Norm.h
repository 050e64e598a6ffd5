/*===- Norm.h - C API of the norm dialect ------------------------*- C -*-===*\
|*                                                                            *|
|* Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.     *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/* This API extends mlir-c, whose functions libNormMLIR-C also contains.
 * Nothing here aborts or prints: a function that can fail returns a NormStatus
 * and puts the message into its NormError. docs/Embedding.md is the tour. */

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
  NORM_INVALID_ARGUMENT = 1, /* a null, or an unknown name */
  NORM_INVALID_IR = 2,       /* it does not parse or does not verify */
  NORM_NOT_FOUND = 3,        /* nothing was recognized */
  NORM_FAILED = 4            /* a pass, code generation or the linker failed */
};
typedef enum NormStatus NormStatus;

/* The error diagnostics with their notes, one per line, each with its
 * location. Every function that takes a NormError also accepts NULL for it. */
struct NormError {
  char *message; /* NULL after a success */
};
typedef struct NormError NormError;

MLIR_CAPI_EXPORTED void normErrorDestroy(NormError *error);

/*===----------------------------------------------------------------------===*\
|* Registration                                                               *|
\*===----------------------------------------------------------------------===*/

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Norm, norm);

/* Registers the norm dialect and the models of its interfaces, which
 * bufferization and transform scripts need, but no upstream dialect. */
MLIR_CAPI_EXPORTED void normRegisterAllDialects(MlirDialectRegistry registry);

/* Registers all dialects and extensions, and translations to LLVM IR. */
MLIR_CAPI_EXPORTED void normRegisterCompiler(MlirDialectRegistry registry);

/* Registers all passes; calling it again is harmless. */
MLIR_CAPI_EXPORTED void normRegisterAllPasses(void);

/*===----------------------------------------------------------------------===*\
|* norm.rmsnorm and norm.rmsnorm_backward                                     *|
\*===----------------------------------------------------------------------===*/

/* The attributes, labeled as in docs/Norm.md. A null MlirType means that the
 * attribute is absent. normRMSNormAttributesInit sets the defaults. */
struct NormRMSNormAttributes {
  const int64_t *dims; /* S1 */
  intptr_t numDims;
  double epsilon; /* S3 */
  NormEpsilonMode epsilonMode;
  NormRootForm rootForm;
  MlirType computeType; /* S2; null: f32 for a 16-bit x, else x's type */
  MlirType sumType;
  MlirType scaleType;        /* S3 */
  MlirType normalizedType;   /* S4 */
  const int64_t *weightDims; /* S5; NULL: dims */
  intptr_t numWeightDims; /* 0 with a weightDims that is not NULL: a scalar */
  int64_t count;          /* S7; 0: all elements */
};
typedef struct NormRMSNormAttributes NormRMSNormAttributes;

/* Sets the defaults. `dims` must live as long as the attributes do. */
MLIR_CAPI_EXPORTED NormRMSNormAttributes normRMSNormAttributesInit(
    const int64_t *dims, intptr_t numDims, double epsilon);

/* Creates a verified op outside of any block, owned by the caller; on an error
 * *op is null. `weight` and `invRmsInit` may be null. When the operands are
 * tensors, the results are y and, with `invRmsInit`, inv_rms. */
MLIR_CAPI_EXPORTED NormStatus normRMSNormCreate(
    MlirLocation location, MlirValue input, MlirValue weight, MlirValue init,
    MlirValue invRmsInit, const NormRMSNormAttributes *attributes,
    MlirOperation *op, NormError *error);

MLIR_CAPI_EXPORTED bool normOperationIsARMSNorm(MlirOperation op);

/* The operands of a norm.rmsnorm_backward, null where absent. At most one of
 * invRms, for which epsilon is not used, and rms is given (B3). */
struct NormRMSNormBackwardOperands {
  MlirValue dy, input, weight, invRms, rms, dxInit, dwInit;
};
typedef struct NormRMSNormBackwardOperands NormRMSNormBackwardOperands;

/* Creates norm.rmsnorm_backward as normRMSNormCreate does norm.rmsnorm. When
 * the operands are tensors, the results are dx and dw, of the given inits. */
MLIR_CAPI_EXPORTED NormStatus normRMSNormBackwardCreate(
    MlirLocation location, const NormRMSNormBackwardOperands *operands,
    const NormRMSNormAttributes *attributes, MlirOperation *op,
    NormError *error);

MLIR_CAPI_EXPORTED bool normOperationIsARMSNormBackward(MlirOperation op);

/* Gets the attributes of either op. The pointers live as long as its context.
 * computeType is never null; an absent attribute weightDims gives the default
 * of S5, and an absent epsilon 0. */
MLIR_CAPI_EXPORTED NormStatus normRMSNormGetAttributes(
    MlirOperation op, NormRMSNormAttributes *attributes, NormError *error);
/* The getters return null for an absent operand or another op; input and weight
 * are those of either op. */
MLIR_CAPI_EXPORTED MlirValue normRMSNormGetInput(MlirOperation op);
MLIR_CAPI_EXPORTED MlirValue normRMSNormGetWeight(MlirOperation op);
MLIR_CAPI_EXPORTED MlirValue normRMSNormGetInit(MlirOperation op);
MLIR_CAPI_EXPORTED MlirValue normRMSNormGetInvRmsInit(MlirOperation op);
MLIR_CAPI_EXPORTED NormRMSNormBackwardOperands
normRMSNormBackwardGetOperands(MlirOperation op);

/*===----------------------------------------------------------------------===*\
|* Programs                                                                   *|
\*===----------------------------------------------------------------------===*/

/* Parses a verified module, owned by the caller; null on an error. */
MLIR_CAPI_EXPORTED NormStatus normModuleParse(MlirContext context,
                                              MlirStringRef text,
                                              MlirModule *module,
                                              NormError *error);

/* Runs a pipeline such as "norm-recognize{rounding=exact},norm-to-linalg" on
 * `op`. Passes on another op are nested, as in "func.func(norm-tile-rows)".
 * After an error the IR may be partly rewritten. */
MLIR_CAPI_EXPORTED NormStatus normRunPipeline(MlirOperation op,
                                              MlirStringRef pipeline,
                                              NormError *error);

#ifdef __cplusplus
}
#endif
#endif /* NORM_C_NORM_H */
