//===- Chips.h - what each chip has -----------------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TARGET_NVVM_CHIPS_H
#define NORM_TARGET_NVVM_CHIPS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace mlir::norm {

/// Blocks of a cluster of `chip` ("sm_90"): 16 on data center chips from sm_90
/// on (above 8 the function needs CUDA's non-portable attribute), 8 on other
/// chips from sm_90 on, 1 before.
int64_t getMaxCluster(llvm::StringRef chip);

/// NVIDIA's data sheet of a GPU.
struct DataSheet {
  llvm::StringRef product;
  double gigabytesPerSecond, gigaflops; ///< f32, no tensor cores
};

/// The most common product that has `chip` ("sm_90", "sm_90a"); nullopt where
/// none is known.
std::optional<DataSheet> getDataSheet(llvm::StringRef chip);

/// Whether `chip` rounds f32 to 8-bit floats by an instruction that its least
/// PTX version has (sm_89 needs a later one than LLVM takes by default).
bool hasFP8Conversions(llvm::StringRef chip);

} // namespace mlir::norm

#endif // NORM_TARGET_NVVM_CHIPS_H
