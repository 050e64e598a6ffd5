//===- GPU.cpp - device memory, kernels and times -------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPU.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>
#include <stdexcept>
#include <utility>

using namespace norm::bench;

static const char kCopy[] = {
#embed "../../benchmarks/copy.ptx"
    , 0};

void norm::bench::fail(const llvm::Twine &message) {
  throw std::runtime_error(message.str());
}

void *GPU::find(const char *symbol) {
  void *entry = dlsym(library, symbol);
  if (!entry)
    fail(llvm::Twine("the NVIDIA driver is too old, it lacks ") + symbol);
  return entry;
}

void GPU::check(int result, const char *symbol) {
  if (result == cuda::kSuccess)
    return;
  const char *text = nullptr;
  reinterpret_cast<int (*)(int, const char **)>(find("cuGetErrorName"))(result,
                                                                        &text);
  fail(llvm::Twine(symbol) + ": " + (text ? text : "unknown error") + " (" +
       llvm::Twine(result) + ")");
}

GPU::GPU() : library(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {
  if (!library)
    fail(llvm::Twine("no NVIDIA driver: ") + dlerror());
  call("cuInit", 0u);
  int device = 0, version = 0;
  void *context = nullptr;
  call("cuDeviceGet", &device, 0);
  call("cuDevicePrimaryCtxRetain", &context, device);
  call("cuCtxSetCurrent", context);
  call("cuStreamCreate", &stream, /*CU_STREAM_NON_BLOCKING=*/1u);
  call("cuEventCreate", &start, 0u);
  call("cuEventCreate", &stop, 0u);
  char text[128] = "";
  call("cuDeviceGetName", &text[0], int(sizeof(text)), device);
  call("cuDriverGetVersion", &version);
  auto get = [&](int attribute) {
    int value = 0;
    call("cuDeviceGetAttribute", &value, attribute, device);
    return value;
  };
  l2Bytes = get(cuda::kL2CacheSize);
  name = llvm::formatv("{0}, sm_{1}{2}, driver {3}.{4}", text,
                       get(cuda::kCapabilityMajor), get(cuda::kCapabilityMinor),
                       version / 1000, version % 1000 / 10);
  loadCopyKernel();
}

void GPU::loadCopyKernel() {
  void *module = nullptr;
  call("cuModuleLoadDataEx", &module, kCopy, 0u, nullptr, nullptr);
  call("cuModuleGetFunction", &copyKernel, module, "norm_copy");
  // The copy that others are compared with must itself be right.
  char pattern[48], result[48] = {};
  for (int i = 0; i < 48; ++i)
    pattern[i] = static_cast<char>(i + 1);
  char *from = allocate(96), *to = from + 48;
  upload(from, pattern, 48);
  upload(to, result, 48);
  copyByKernel(to, from, 32);
  download(result, to, 48);
  if (std::memcmp(result, pattern, 32) != 0 || result[32] != 0)
    fail("the kernel that copies does not");
}

char *GPU::allocate(size_t bytes) {
  if (void *old = std::exchange(memory, nullptr))
    call("cuMemFree_v2", old);
  call("cuMemAlloc_v2", &memory, bytes ? bytes : 1);
  return memory;
}

void GPU::upload(void *to, const void *from, size_t bytes) {
  call("cuMemcpyHtoD_v2", to, from, bytes);
  // It may return while the last bytes are in flight, and this stream does not
  // wait for the default one.
  call("cuStreamSynchronize", nullptr);
}

void GPU::copyByKernel(void *to, void *from, size_t bytes) {
  constexpr unsigned threads = 256;
  uint64_t count = bytes / 16;
  if (count == 0)
    return;
  void *parameters[] = {&to, &from, &count};
  unsigned blocks = static_cast<unsigned>((count + threads - 1) / threads);
  call("cuLaunchKernel", copyKernel, blocks, 1u, 1u, threads, 1u, 1u, 0u,
       stream, &parameters[0], nullptr);
}

std::function<double()> GPU::record(const std::function<void(int64_t)> &work,
                                    int64_t calls, bool useGraph) {
  std::function<void()> run = [work, calls] {
    for (int64_t call = 0; call < calls; ++call)
      work(call);
  };
  if (useGraph) {
    void *captured = nullptr, *graph = nullptr;
    call("cuStreamBeginCapture_v2", stream, /*thread local=*/1);
    run();
    call("cuStreamEndCapture", stream, &captured);
    call("cuGraphInstantiateWithFlags", &graph, captured, 0ull);
    call("cuGraphDestroy", captured);
    std::shared_ptr<void> owned(
        graph, reinterpret_cast<int (*)(void *)>(find("cuGraphExecDestroy")));
    run = [this, owned] { call("cuGraphLaunch", owned.get(), stream); };
  }
  return [this, run, calls] {
    call("cuEventRecord", start, stream);
    run();
    call("cuEventRecord", stop, stream);
    call("cuEventSynchronize", stop);
    float milliseconds = 0;
    call("cuEventElapsedTime", &milliseconds, start, stop);
    return milliseconds * 1e-3 / static_cast<double>(calls);
  };
}
