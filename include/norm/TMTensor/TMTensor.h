//===- TMTensor.h - torch-mlir's dialect tm_tensor --------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TMTENSOR_TMTENSOR_H
#define NORM_TMTENSOR_TMTENSOR_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "norm/TMTensor/TMTensorDialect.h.inc"

#define GET_OP_CLASSES
#include "norm/TMTensor/TMTensorOps.h.inc"

#endif // NORM_TMTENSOR_TMTENSOR_H
