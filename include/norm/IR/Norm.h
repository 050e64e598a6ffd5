//===- Norm.h - the norm dialect --------------------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_IR_NORM_H
#define NORM_IR_NORM_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"

#include "norm/IR/NormDialect.h.inc"
#include "norm/IR/NormEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "norm/IR/NormAttributes.h.inc"

#define GET_OP_CLASSES
#include "norm/IR/NormOps.h.inc"

namespace mlir::norm {
/// The wider of two float types as S5 means it: more mantissa and exponent
/// bits; f32 for f16 with bf16, of which neither holds the other.
FloatType getWiderFloatType(FloatType a, FloatType b);

/// The discardable attribute of the loops of row code generation, a LoopAttr.
constexpr StringLiteral loopAttrName = "norm.loop";

/// Says of `loop`, which the caller has built, what it goes over.
void setRole(Operation *loop, LoopRole role, GPUScheduleAttr schedule = {});

/// What `op` goes over; nothing where it is no loop of row code generation.
std::optional<LoopRole> getRole(Operation *op);

/// The schedule of a loop over rows; null where threads do not share its rows.
GPUScheduleAttr getSchedule(Operation *op);
} // namespace mlir::norm

#endif // NORM_IR_NORM_H
