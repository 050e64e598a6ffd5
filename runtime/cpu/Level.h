//===- Level.h - the x86-64 level of this machine ---------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_RUNTIME_CPU_LEVEL_H
#define NORM_RUNTIME_CPU_LEVEL_H

#include <stdint.h>

namespace norm::cpu {

/// The results of CPUID and XGETBV on a machine.
struct Registers {
  uint32_t basicECX;    ///< leaf 1
  uint32_t extendedEBX; ///< leaf 7, subleaf 0
  uint32_t amdECX;      ///< leaf 0x80000001
  uint32_t xcr0;        ///< 0 if the system has not enabled XSAVE
};

/// Returns the microarchitecture level, 1 to 4, of the x86-64 psABI (version
/// 1.0, table 3.1), from the processor's instructions and the registers that
/// the system saves.
int getLevel(const Registers &registers);

} // namespace norm::cpu

/// Returns the level of this machine, cached because CPUID traps in VMs.
extern "C" int norm_cpu_level(void);

#endif // NORM_RUNTIME_CPU_LEVEL_H
