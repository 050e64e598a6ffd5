//===- Passes.h - NVVM passes -----------------------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TARGET_NVVM_PASSES_H
#define NORM_TARGET_NVVM_PASSES_H

#include "mlir/Pass/Pass.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::norm {

/// What PTX says of a load whose values are used once.
enum class LoadHint {
  EvictFirst, ///< .cs: its lines leave the caches first
  NoL1        ///< .L1::no_allocate: it gets no line of L1
};

inline llvm::cl::ValuesClass getLoadHintValues() {
  return llvm::cl::values(
      clEnumValN(LoadHint::EvictFirst, "cs", "Lines that leave first"),
      clEnumValN(LoadHint::NoL1, "l1-no-allocate", "No line of L1"));
}

#define GEN_PASS_DECL
#include "norm/Target/NVVM/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "norm/Target/NVVM/Passes.h.inc"

/// Lets norm-distribute-rows-to-gpu share rows among the blocks of a cluster,
/// by ops of NVVM.
void registerNVVMClusters(DialectRegistry &registry);

} // namespace mlir::norm

#endif // NORM_TARGET_NVVM_PASSES_H
