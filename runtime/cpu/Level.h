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

/// What CPUID and XGETBV say of a machine.
struct Registers {
  uint32_t basicECX;    ///< leaf 1
  uint32_t extendedEBX; ///< leaf 7, subleaf 0
  uint32_t amdECX;      ///< leaf 0x80000001
  uint32_t xcr0;        ///< 0 where the system has not enabled XSAVE
};

/// The microarchitecture level, 1 to 4, of the x86-64 psABI (version 1.0, table
/// 3.1): instructions that the processor has and registers that the system
/// saves.
int getLevel(const Registers &registers);

} // namespace norm::cpu

/// The level of this machine. Asked for once: CPUID traps in virtual machines.
extern "C" int norm_cpu_level(void);

#endif // NORM_RUNTIME_CPU_LEVEL_H
