//===- Level.cpp - the x86-64 level of this machine -----------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file is linked into the output of norm-compile --dispatch, which must
// not need a compiler's runtime: the data behind __builtin_cpu_supports differs
// between versions of libgcc.
//
//===----------------------------------------------------------------------===//

#include "Level.h"
#include <cpuid.h>

using namespace norm::cpu;

namespace {
struct Requirement {
  uint32_t basicECX, extendedEBX, amdECX, xcr0;
};
} // namespace

// Bits for SSE and AVX registers, and for the mask and 512-bit registers too.
static constexpr uint32_t kSavesAVX = 0x6, kSavesAVX512 = 0xe6;
static constexpr uint32_t kLAHF = 1 << 0; // in long mode, amdECX

static constexpr Requirement kLevels[] = {
    {bit_SSE3 | bit_SSSE3 | bit_SSE4_1 | bit_SSE4_2 | bit_POPCNT |
         bit_CMPXCHG16B,
     0, kLAHF, 0},
    {bit_AVX | bit_FMA | bit_F16C | bit_MOVBE | bit_OSXSAVE,
     bit_AVX2 | bit_BMI | bit_BMI2, bit_LZCNT, kSavesAVX},
    {0, bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL,
     0, kSavesAVX512}};

static bool has(uint32_t bits, uint32_t all) { return (bits & all) == all; }

int norm::cpu::getLevel(const Registers &registers) {
  int level = 1;
  for (const Requirement &next : kLevels) {
    if (!has(registers.basicECX, next.basicECX) ||
        !has(registers.extendedEBX, next.extendedEBX) ||
        !has(registers.amdECX, next.amdECX) || !has(registers.xcr0, next.xcr0))
      break;
    ++level;
  }
  return level;
}

static Registers readRegisters() {
  Registers result = {0, 0, 0, 0};
  uint32_t eax, ebx, ecx, edx;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx))
    result.basicECX = ecx;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx))
    result.extendedEBX = ebx;
  if (__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx))
    result.amdECX = ecx;
  if (result.basicECX & bit_OSXSAVE) // XGETBV traps otherwise
    __asm__("xgetbv" : "=a"(result.xcr0), "=d"(edx) : "c"(0));
  return result;
}

int norm_cpu_level(void) {
  // Concurrent threads compute the same value.
  static int known = 0;
  int level = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (level == 0) {
    level = getLevel(readRegisters());
    __atomic_store_n(&known, level, __ATOMIC_RELAXED);
  }
  return level;
}
