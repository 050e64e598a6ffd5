//===- Passes.h - lowering of tm_tensor -------------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TMTENSOR_PASSES_H
#define NORM_TMTENSOR_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::norm {

#define GEN_PASS_DECL
#include "norm/TMTensor/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "norm/TMTensor/Passes.h.inc"

} // namespace mlir::norm

#endif // NORM_TMTENSOR_PASSES_H
