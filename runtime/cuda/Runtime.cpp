//===- Runtime.cpp - MLIR's GPU runtime functions on the driver API -------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These mgpu* functions are called by MLIR's host code. Nothing aborts: the
// first error of a call is kept for norm_gpu_end, and its later functions do
// nothing. All work goes to the caller's stream, so events order nothing, and
// the host waits only where it reads what the device wrote.
//
// The bitcode of this file is linked for other machines than the one that
// compiled it. It must not use types of the C library whose size differs
// between machines (pthread_mutex_t), or functions with a va_list.
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"
#include "Driver.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

using namespace norm::cuda;

namespace {
struct ThreadState {
  void *defaultStream;
  void *stream;
  int32_t code;
  bool hostReads; // a copy to the host is in progress
  char message[1024];
};

/// A kernel in a context. Its name is a constant of the artifact.
struct Kernel {
  const char *name;
  Function function;
  bool programmatic;
  Kernel *next;
};

/// The kernels' module in a context.
struct LoadedModule {
  unsigned long long context;
  Module module;
  Kernel *kernels;
  LoadedModule *next;
};
} // namespace

/// This variable is weak, so that objects linked into one program share it and
/// the norm_gpu_message of any of them covers all.
extern "C" __attribute__((weak)) __thread ThreadState norm_gpu_state = {};

namespace {
Driver driver;
bool driverFound;
const char *kernelText; // PTX; null: no kernel
LoadedModule *loadedModules;

/// Locks lookups and the loading of modules.
class Lock {
public:
  Lock() {
    while (__atomic_exchange_n(&held, 1, __ATOMIC_ACQUIRE))
      sched_yield();
  }
  ~Lock() { __atomic_store_n(&held, 0, __ATOMIC_RELEASE); }

private:
  static int held;
};
int Lock::held;

ThreadState &state() { return norm_gpu_state; }
bool hasFailed() { return state().code != NORM_GPU_SUCCESS; }

int32_t getCode(Result result, int32_t otherwise) {
  switch (result) {
  case kOutOfMemory:
    return NORM_GPU_OUT_OF_MEMORY;
  case kNoDevice:
  case kInvalidDevice:
    return NORM_GPU_NO_DEVICE;
  case kStubLibrary:
    return NORM_GPU_NO_DRIVER;
  case kInvalidContext:
  case kContextIsDestroyed:
    return NORM_GPU_NO_CONTEXT;
  default:
    return otherwise;
  }
}

/// Keeps the first error of a call as "what detail".
bool fail(int32_t code, const char *what, const char *detail = "") {
  if (hasFailed())
    return false;
  state().code = code;
  snprintf(state().message, sizeof(state().message), "%s%s", what, detail);
  return false;
}

/// Checks `result`; an error reads "call (subject): NAME: text".
bool check(Result result, const char *call, const char *subject = "",
           int32_t otherwise = NORM_GPU_FAILED) {
  if (result == kSuccess)
    return true;
  const char *name = "unknown error", *text = "";
  if (driver.getErrorName(result, &name) != kSuccess || !name)
    name = "unknown error";
  if (driver.getErrorString(result, &text) != kSuccess || !text)
    text = "";
  char message[sizeof(state().message)];
  snprintf(message, sizeof(message), "%s%s%s: %s (%d): %s", call,
           *subject ? " of " : "", subject, name, result, text);
  return fail(getCode(result, otherwise), message);
}

/// Finds the driver. A failure is not cached: one may be installed later.
bool findDriver() {
  Lock lock;
  if (driverFound)
    return true;
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *why = dlerror();
    return fail(NORM_GPU_NO_DRIVER, "no NVIDIA driver: ", why ? why : "");
  }
  if (const char *missing = findEntryPoints(library, driver))
    return fail(NORM_GPU_NO_DRIVER, "the NVIDIA driver is too old, it lacks ",
                missing);
  if (!check(driver.init(0), "cuInit"))
    return false;
  return driverFound = true;
}

/// Gets the id of the context. Ids are never reused, as addresses are after a
/// destruction; drivers before 12.0 have no ids.
bool getCurrentContext(unsigned long long &id) {
  Context context = nullptr;
  if (!check(driver.ctxGetCurrent(&context), "cuCtxGetCurrent"))
    return false;
  if (!context)
    return fail(NORM_GPU_NO_CONTEXT,
                "no CUDA context is current on this thread: call cudaSetDevice "
                "or cuCtxSetCurrent first");
  if (driver.ctxGetId)
    return check(driver.ctxGetId(context, &id), "cuCtxGetId");
  id = reinterpret_cast<uintptr_t>(context);
  return true;
}

/// Returns 90 for "sm_90a", or 0 for unknown names.
int getCapability(const char *chip) {
  return strncmp(chip, "sm_", 3) == 0 ? atoi(chip + 3) : 0;
}

/// Reports why the driver accepted neither the cubin nor the PTX.
bool failToLoad(Result result, const char *log) {
  Device device = 0;
  int major = 0, minor = 0;
  const char *chip = norm_gpu_description.chip;
  bool known =
      driver.ctxGetDevice(&device) == kSuccess &&
      driver.deviceGetAttribute(&major, kCapabilityMajor, device) == kSuccess &&
      driver.deviceGetAttribute(&minor, kCapabilityMinor, device) == kSuccess;
  int compiled = getCapability(chip), actual = major * 10 + minor;
  // PTX with features of one generation (sm_90a) runs only on that one.
  char last = *chip ? chip[strlen(chip) - 1] : '0';
  bool isSpecific = last == 'a' || last == 'f';
  if (known && getCode(result, 0) == 0 &&
      (actual < compiled || (isSpecific && actual != compiled))) {
    char message[128];
    snprintf(message, sizeof(message),
             "the kernels are compiled for %s, the GPU is sm_%d", chip, actual);
    return fail(NORM_GPU_WRONG_ARCHITECTURE, message);
  }
  check(result, "cuModuleLoadDataEx", "", NORM_GPU_BAD_IMAGE);
  size_t length = strlen(state().message);
  snprintf(state().message + length, sizeof(state().message) - length, "%s%s",
           *log ? "; " : "", log);
  return false;
}

/// Loads the cubin if it fits the GPU, else the PTX, which the driver compiles.
bool loadImage(Module &module) {
  if (norm_gpu_description.cubin &&
      driver.moduleLoadDataEx(&module, norm_gpu_description.cubin, 0, nullptr,
                              nullptr) == kSuccess)
    return true;
  char log[512] = "";
  int options[] = {kJitErrorLogBuffer, kJitErrorLogBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
  Result result =
      driver.moduleLoadDataEx(&module, kernelText, 2, options, values);
  log[sizeof(log) - 1] = '\0';
  return result == kSuccess || failToLoad(result, log);
}

/// Returns the module in the current context, which loads it on first use.
/// Modules belong to their contexts and are destroyed with them.
LoadedModule *getModule() {
  unsigned long long context = 0;
  if (!getCurrentContext(context))
    return nullptr;
  Lock lock;
  for (LoadedModule *m = loadedModules; m; m = m->next)
    if (m->context == context)
      return m;
  auto *loaded = static_cast<LoadedModule *>(calloc(1, sizeof(LoadedModule)));
  if (!loaded) {
    fail(NORM_GPU_OUT_OF_MEMORY, "no host memory for a module");
    return nullptr;
  }
  if (!loadImage(loaded->module)) {
    free(loaded);
    return nullptr;
  }
  loaded->context = context;
  loaded->next = loadedModules;
  return loadedModules = loaded;
}

/// Returns true if the kernel itself waits for its predecessor, so that it can
/// start before that ends (programmatic dependent launch).
bool waitsItself(const char *kernel) {
  char entry[256];
  snprintf(entry, sizeof(entry), ".entry %s(", kernel);
  const char *begin = strstr(kernelText, entry);
  if (!begin)
    return false;
  const char *end = strstr(begin + 1, ".entry ");
  const char *wait = strstr(begin, "griddepcontrol.wait");
  return wait && (!end || wait < end);
}

Kernel *getKernel(LoadedModule &module, const char *name) {
  Lock lock;
  for (Kernel *k = module.kernels; k; k = k->next)
    if (strcmp(k->name, name) == 0)
      return k;
  auto *kernel = static_cast<Kernel *>(calloc(1, sizeof(Kernel)));
  if (!kernel) {
    fail(NORM_GPU_OUT_OF_MEMORY, "no host memory for a kernel");
    return nullptr;
  }
  if (!check(driver.moduleGetFunction(&kernel->function, module.module, name),
             "cuModuleGetFunction", name, NORM_GPU_BAD_IMAGE)) {
    free(kernel);
    return nullptr;
  }
  kernel->name = name;
  kernel->programmatic = waitsItself(name);
  kernel->next = module.kernels;
  return module.kernels = kernel;
}

bool checkBuffer(const norm_gpu_buffer &buffer, int32_t position) {
  const char *what =
      buffer.leastExtent < 0                ? "has a negative extent"
      : buffer.elements > 0 && !buffer.data ? "is a null pointer"
      : reinterpret_cast<uintptr_t>(buffer.data) % buffer.elementBytes
          ? "is not aligned to its elements"
          : nullptr;
  if (!what)
    return true;
  char message[96];
  snprintf(message, sizeof(message), "tensor %d of the call %s", position,
           what);
  return fail(NORM_GPU_INVALID_ARGUMENT, message);
}

/// Converts sizes for the driver. A launch without blocks is skipped.
bool getLaunchSize(const intptr_t *sizes, unsigned *narrow, bool &isEmpty) {
  for (int i = 0; i < 3; ++i) {
    if (sizes[i] < 0 || sizes[i] > INT32_MAX)
      return fail(NORM_GPU_INVALID_ARGUMENT,
                  "a launch has more than 2147483647 blocks in a dimension");
    narrow[i] = static_cast<unsigned>(sizes[i]);
    isEmpty |= sizes[i] == 0;
  }
  return true;
}

/// Requests shared memory, which a kernel must do above 48 KiB per block.
bool reserveShared(const Kernel &kernel, int32_t bytes) {
  if (bytes <= 48 * 1024)
    return true;
  Device device = 0;
  int most = 0;
  if (driver.ctxGetDevice(&device) == kSuccess &&
      driver.deviceGetAttribute(&most, kMaxSharedMemoryOptin, device) ==
          kSuccess &&
      bytes > most) {
    char message[160];
    snprintf(message, sizeof(message),
             "%.64s needs %d bytes of shared memory a block, the GPU has %d",
             kernel.name, bytes, most);
    return fail(NORM_GPU_LAUNCH_FAILED, message);
  }
  return check(
      driver.funcSetAttribute(kernel.function, kMaxDynamicSharedBytes, bytes),
      "cuFuncSetAttribute", kernel.name, NORM_GPU_LAUNCH_FAILED);
}

/// Launches a kernel; `cluster` may be null.
void launch(const Kernel *kernel, const intptr_t *cluster, const intptr_t *grid,
            const intptr_t *block, int32_t shared, void **params) {
  if (hasFailed() || !kernel)
    return;
  LaunchConfig config = {};
  bool isEmpty = false;
  if (!getLaunchSize(grid, config.grid, isEmpty) ||
      !getLaunchSize(block, config.block, isEmpty) || isEmpty ||
      !reserveShared(*kernel, shared))
    return;
  LaunchAttribute attributes[2] = {};
  if (cluster) {
    LaunchAttribute &attribute = attributes[config.numAttributes++];
    attribute.id = kClusterDimension;
    if (!getLaunchSize(cluster, attribute.value.clusterDim, isEmpty))
      return;
    // The GPU may reject clusters of more than 8 blocks at the launch.
    if (cluster[0] * cluster[1] * cluster[2] > 8)
      driver.funcSetAttribute(kernel->function, kNonPortableClusterSize, 1);
  }
  if (kernel->programmatic && driver.launchKernelEx) {
    LaunchAttribute &attribute = attributes[config.numAttributes++];
    attribute.id = kProgrammaticStreamSerialization;
    attribute.value.allowed = 1;
  }
  config.sharedBytes = static_cast<unsigned>(shared);
  config.stream = state().stream;
  config.attributes = attributes;
  if (config.numAttributes == 0) {
    check(driver.launchKernel(kernel->function, config.grid[0], config.grid[1],
                              config.grid[2], config.block[0], config.block[1],
                              config.block[2], config.sharedBytes,
                              config.stream, params, nullptr),
          "cuLaunchKernel", kernel->name, NORM_GPU_LAUNCH_FAILED);
    return;
  }
  if (!driver.launchKernelEx) {
    fail(NORM_GPU_NO_DRIVER,
         "the NVIDIA driver is too old for clusters, it lacks ",
         "cuLaunchKernelEx");
    return;
  }
  check(driver.launchKernelEx(&config, kernel->function, params, nullptr),
        "cuLaunchKernelEx", kernel->name, NORM_GPU_LAUNCH_FAILED);
}

/// Returns true for host memory, which the driver does not know. After any
/// other error the memory is unknown and must not be touched.
bool isHost(void *pointer) {
  unsigned type = 0;
  Result result =
      driver.pointerGetAttribute(&type, kPointerMemoryType, pointer);
  return result == kInvalidValue ||
         (result == kSuccess && type == kMemoryTypeHost);
}

void synchronize() {
  if (!state().hostReads)
    return;
  state().hostReads = false;
  check(driver.streamSynchronize(state().stream), "cuStreamSynchronize", "",
        NORM_GPU_LAUNCH_FAILED);
}
} // namespace

#define NORM_EXPORT extern "C" __attribute__((weak))

NORM_EXPORT int32_t norm_gpu_error() { return state().code; }
NORM_EXPORT const char *norm_gpu_message() { return state().message; }
NORM_EXPORT void norm_gpu_set_stream(void *stream) {
  state().defaultStream = stream;
}

extern "C" {
void *norm_gpu_stream() { return state().defaultStream; }

int32_t norm_gpu_begin(void *stream, const norm_gpu_buffer *buffers,
                       int32_t count) {
  ThreadState &thread = state();
  thread.stream = stream;
  thread.code = NORM_GPU_SUCCESS;
  thread.hostReads = false;
  thread.message[0] = '\0';
  for (int32_t i = 0; i < count; ++i)
    if (!checkBuffer(buffers[i], i))
      return thread.code;
  unsigned long long context = 0;
  if (findDriver() && getCurrentContext(context) && kernelText)
    getModule();
  return thread.code;
}

int32_t norm_gpu_end() { return state().code; }

// Host code calls these functions of MLIR's CudaRuntimeWrappers.cpp.

// It is called when the object is loaded, and only records the module.
void *mgpuModuleLoadJIT(void *data, int) {
  kernelText = static_cast<const char *>(data);
  return data;
}
void mgpuModuleUnload(void *) {
  while (LoadedModule *module = loadedModules) {
    loadedModules = module->next;
    while (Kernel *kernel = module->kernels) {
      module->kernels = kernel->next;
      free(kernel);
    }
    free(module);
  }
}

void *mgpuModuleGetFunction(void *, const char *name) {
  if (hasFailed())
    return nullptr;
  LoadedModule *module = getModule();
  return module ? getKernel(*module, name) : nullptr;
}

void mgpuLaunchKernel(void *kernel, intptr_t gridX, intptr_t gridY,
                      intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                      intptr_t blockZ, int32_t shared, void *, void **params,
                      void **, size_t) {
  intptr_t grid[] = {gridX, gridY, gridZ}, block[] = {blockX, blockY, blockZ};
  launch(static_cast<Kernel *>(kernel), nullptr, grid, block, shared, params);
}

void mgpuLaunchClusterKernel(void *kernel, intptr_t clusterX, intptr_t clusterY,
                             intptr_t clusterZ, intptr_t gridX, intptr_t gridY,
                             intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                             intptr_t blockZ, int32_t shared, void *,
                             void **params, void **) {
  intptr_t cluster[] = {clusterX, clusterY, clusterZ};
  intptr_t grid[] = {gridX, gridY, gridZ}, block[] = {blockX, blockY, blockZ};
  launch(static_cast<Kernel *>(kernel), cluster, grid, block, shared, params);
}

void *mgpuStreamCreate() { return state().stream; }
void mgpuStreamDestroy(void *) {}
void mgpuStreamSynchronize(void *) { synchronize(); }
void mgpuStreamWaitEvent(void *, void *) {}
void *mgpuEventCreate() { return nullptr; }
void mgpuEventDestroy(void *) {}
void mgpuEventRecord(void *, void *) {}
void mgpuEventSynchronize(void *) { synchronize(); }

void *mgpuMemAlloc(uint64_t bytes, void *, bool) {
  DevicePtr pointer = nullptr;
  // The driver reports an error for an allocation of no bytes.
  if (!hasFailed() && bytes != 0)
    check(driver.memAllocAsync(&pointer, bytes, state().stream),
          "cuMemAllocAsync");
  return pointer;
}

// Memory is freed after an error too, so that nothing leaks.
void mgpuMemFree(void *pointer, void *) {
  if (pointer)
    check(driver.memFreeAsync(pointer, state().stream), "cuMemFreeAsync");
}

void mgpuMemcpy(void *to, void *from, size_t bytes, void *) {
  if (bytes == 0 || !to)
    return;
  bool toHost = isHost(to);
  if (!hasFailed() && check(driver.memcpyAsync(to, from, bytes, state().stream),
                            "cuMemcpyAsync", "", NORM_GPU_LAUNCH_FAILED)) {
    state().hostReads |= toHost;
    return;
  }
  // The host reads this memory next, for example a loop bound.
  if (toHost)
    memset(to, 0, bytes);
}

void mgpuMemset32(void *to, unsigned value, size_t count, void *) {
  if (!hasFailed() && count != 0)
    check(driver.memsetD32Async(to, value, count, state().stream),
          "cuMemsetD32Async");
}
void mgpuMemset16(void *to, unsigned short value, size_t count, void *) {
  if (!hasFailed() && count != 0)
    check(driver.memsetD16Async(to, value, count, state().stream),
          "cuMemsetD16Async");
}
}
