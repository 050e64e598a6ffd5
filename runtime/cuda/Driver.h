//===- Driver.h - the part of the CUDA driver API that is used --*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These declarations follow NVIDIA's "CUDA Driver API" reference manual (12.x),
// so that the build needs no CUDA header. The library is found at run time, and
// names have the version suffixes of its ABI. Only C headers are included,
// because artifacts must not need a C++ runtime.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_RUNTIME_CUDA_DRIVER_H
#define NORM_RUNTIME_CUDA_DRIVER_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

namespace norm::cuda {

using Result = int;       // CUresult
using DevicePtr = void *; // CUdeviceptr, an integer of the same size
using Context = void *;
using Module = void *;
using Function = void *;
using Stream = void *;
using Event = void *;
using Graph = void *;
using GraphExec = void *;
using Device = int;

enum : Result {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kStubLibrary = 34,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidContext = 201,
  kContextIsDestroyed = 709
};

enum { // CUdevice_attribute
  kL2CacheSize = 38,
  kCapabilityMajor = 75,
  kCapabilityMinor = 76,
  kMaxSharedMemoryOptin = 97
};
enum { // CUfunction_attribute
  kMaxDynamicSharedBytes = 8,
  kNonPortableClusterSize = 14
};
enum { kPointerMemoryType = 2, kMemoryTypeHost = 1 };
enum { kJitErrorLogBuffer = 5, kJitErrorLogBytes = 6 };
enum { // CUlaunchAttributeID
  kClusterDimension = 4,
  kProgrammaticStreamSerialization = 6
};

struct LaunchAttribute { // CUlaunchAttribute
  int id;
  int pad;
  union {
    char bytes[64];
    unsigned clusterDim[3];
    int allowed;
  } value;
};
static_assert(sizeof(LaunchAttribute) == 72, "the driver's layout");

struct LaunchConfig { // CUlaunchConfig
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};
static_assert(sizeof(LaunchConfig) == 56, "the driver's layout");

/// The entry points that every artifact needs: X(member, symbol, parameters).
#define NORM_CUDA_REQUIRED(X)                                                  \
  X(init, cuInit, (unsigned))                                                  \
  X(getErrorName, cuGetErrorName, (Result, const char **))                     \
  X(getErrorString, cuGetErrorString, (Result, const char **))                 \
  X(ctxGetCurrent, cuCtxGetCurrent, (Context *))                               \
  X(ctxGetDevice, cuCtxGetDevice, (Device *))                                  \
  X(deviceGetAttribute, cuDeviceGetAttribute, (int *, int, Device))            \
  X(moduleLoadDataEx, cuModuleLoadDataEx,                                      \
    (Module *, const void *, unsigned, int *, void **))                        \
  X(moduleGetFunction, cuModuleGetFunction,                                    \
    (Function *, Module, const char *))                                        \
  X(funcSetAttribute, cuFuncSetAttribute, (Function, int, int))                \
  X(launchKernel, cuLaunchKernel,                                              \
    (Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,     \
     unsigned, Stream, void **, void **))                                      \
  X(memAllocAsync, cuMemAllocAsync, (DevicePtr *, size_t, Stream))             \
  X(memFreeAsync, cuMemFreeAsync, (DevicePtr, Stream))                         \
  X(memcpyAsync, cuMemcpyAsync, (DevicePtr, DevicePtr, size_t, Stream))        \
  X(memsetD16Async, cuMemsetD16Async, (DevicePtr, uint16_t, size_t, Stream))   \
  X(memsetD32Async, cuMemsetD32Async, (DevicePtr, uint32_t, size_t, Stream))   \
  X(pointerGetAttribute, cuPointerGetAttribute, (void *, int, DevicePtr))      \
  X(streamSynchronize, cuStreamSynchronize, (Stream))

/// Entry points of drivers since 11.8 and 12.0; null if they are missing.
#define NORM_CUDA_OPTIONAL(X)                                                  \
  X(launchKernelEx, cuLaunchKernelEx,                                          \
    (const LaunchConfig *, Function, void **, void **))                        \
  X(ctxGetId, cuCtxGetId, (Context, unsigned long long *))

#define NORM_CUDA_MEMBER(member, symbol, parameters)                           \
  Result(*member) parameters = nullptr;

/// The entry points that were found.
struct Driver {
  NORM_CUDA_REQUIRED(NORM_CUDA_MEMBER)
  NORM_CUDA_OPTIONAL(NORM_CUDA_MEMBER)
};

/// Fills `driver` from the library. Returns the first missing symbol or null.
inline const char *findEntryPoints(void *library, Driver &driver) {
#define NORM_CUDA_FIND(member, symbol, parameters)                             \
  driver.member =                                                              \
      reinterpret_cast<Result(*) parameters>(dlsym(library, #symbol));
#define NORM_CUDA_REQUIRE(member, symbol, parameters)                          \
  NORM_CUDA_FIND(member, symbol, parameters)                                   \
  if (!driver.member)                                                          \
    return #symbol;
  NORM_CUDA_REQUIRED(NORM_CUDA_REQUIRE)
  NORM_CUDA_OPTIONAL(NORM_CUDA_FIND)
#undef NORM_CUDA_REQUIRE
#undef NORM_CUDA_FIND
  return nullptr;
}

} // namespace norm::cuda

#endif // NORM_RUNTIME_CUDA_DRIVER_H
