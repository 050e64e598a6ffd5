/*===- HandOff.h - what norm-to-library calls -------------------*- C -*-===*\
|*                                                                            *|
|* Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.     *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/* This header for kernel libraries needs neither MLIR nor the rest of norm-c.
 * The labels S1 to S8 are those of docs/Norm.md; see also docs/Embedding.md. */

#ifndef NORM_C_HANDOFF_H
#define NORM_C_HANDOFF_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Memrefs of MLIR's C interface; offset and strides are in elements. */
#ifndef NORM_MEMREF_DESCRIPTORS
#define NORM_MEMREF_DESCRIPTORS
#define NORM_DECLARE_MEMREF(rank)                                              \
  typedef struct {                                                             \
    void *allocated;                                                           \
    void *aligned;                                                             \
    intptr_t offset;                                                           \
    intptr_t sizes[rank];                                                      \
    intptr_t strides[rank];                                                    \
  } norm_memref_##rank##d
typedef struct {
  void *allocated;
  void *aligned;
  intptr_t offset;
} norm_memref_0d;
NORM_DECLARE_MEMREF(1);
NORM_DECLARE_MEMREF(2);
NORM_DECLARE_MEMREF(3);
NORM_DECLARE_MEMREF(4);
NORM_DECLARE_MEMREF(5);
NORM_DECLARE_MEMREF(6);
#endif

/* S3 */
enum NormEpsilonMode {
  NORM_EPSILON_INSIDE = 0,
  NORM_EPSILON_OUTSIDE = 1,
  NORM_EPSILON_CLAMP = 2
};
typedef enum NormEpsilonMode NormEpsilonMode;

/* S3, S4 */
enum NormRootForm {
  NORM_ROOT_RECIPROCAL = 0,
  NORM_ROOT_RSQRT = 1,
  NORM_ROOT_QUOTIENT = 2
};
typedef enum NormRootForm NormRootForm;

/* A float type, or NORM_TYPE_NONE where the attribute is absent. */
enum NormFloatType {
  NORM_TYPE_NONE = 0,
  NORM_TYPE_F16 = 1,
  NORM_TYPE_BF16 = 2,
  NORM_TYPE_F32 = 3,
  NORM_TYPE_F64 = 4
};
typedef enum NormFloatType NormFloatType;

/* The operands of a gradient whose descriptors precede the scalars, in this
 * order (norm-to-library{backward-function}). */
enum NormBackwardOperand {
  NORM_BACKWARD_DY = 1,
  NORM_BACKWARD_X = 2,
  NORM_BACKWARD_WEIGHT = 4,
  NORM_BACKWARD_INV_RMS = 8, /* epsilon is not used */
  NORM_BACKWARD_RMS = 16,
  NORM_BACKWARD_DX = 32,
  NORM_BACKWARD_DW = 64
};
typedef enum NormBackwardOperand NormBackwardOperand;

/* The arguments that follow the descriptors in every call, in this order. */
#define NORM_HANDOFF_SCALARS                                                   \
  double epsilon,           /* S3 */                                           \
      int64_t count,        /* S7: first elements of a row; 0: all */          \
      int64_t dims,         /* S1: bit d is set where d is normalized */       \
      int64_t weight_dims,  /* S5: likewise; 0 without a weight */             \
      int32_t epsilon_mode, /* NormEpsilonMode */                              \
      int32_t root_form,    /* NormRootForm */                                 \
      int32_t compute_type, /* NormFloatType: C of S2, never NONE */           \
      int32_t sum_type, int32_t scale_type, int32_t normalized_type

#define NORM_HANDOFF_BACKWARD_SCALARS                                          \
  NORM_HANDOFF_SCALARS,                                                        \
      int32_t operands /* NormBackwardOperand, of those that are passed */

#ifdef __cplusplus
}
#endif
#endif /* NORM_C_HANDOFF_H */
