//===- GPU.cpp - device memory, kernels and times -------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPU.h"
#include <cstring>
#include <stdexcept>

using namespace norm::bench;

/// A copy by 16-byte accesses, which is the best that a kernel can reach.
static const char kCopy[] = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry norm_copy(
	.param .u64 norm_copy_to,
	.param .u64 norm_copy_from,
	.param .u64 norm_copy_count
)
{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<8>;
	.reg .b64 	%rd<10>;
	mov.u32 	%r1, %ctaid.x;
	mov.u32 	%r2, %ntid.x;
	mov.u32 	%r3, %tid.x;
	mul.wide.u32 	%rd1, %r1, %r2;
	cvt.u64.u32 	%rd2, %r3;
	add.s64 	%rd3, %rd1, %rd2;
	ld.param.b64 	%rd4, [norm_copy_count];
	setp.ge.u64 	%p1, %rd3, %rd4;
	@%p1 bra 	$DONE;
	ld.param.b64 	%rd5, [norm_copy_to];
	ld.param.b64 	%rd6, [norm_copy_from];
	shl.b64 	%rd7, %rd3, 4;
	add.s64 	%rd8, %rd6, %rd7;
	add.s64 	%rd9, %rd5, %rd7;
	ld.global.v4.b32 	{%r4, %r5, %r6, %r7}, [%rd8];
	st.global.v4.b32 	[%rd9], {%r4, %r5, %r6, %r7};
$DONE:
	ret;
}
)";

void norm::bench::fail(const std::string &message) {
  throw std::runtime_error(message);
}

void GPU::check(Result result, const char *what) {
  if (result == kSuccess)
    return;
  const char *name = nullptr;
  driver.getErrorName(result, &name);
  fail(std::string(what) + ": " + (name ? name : "unknown error") + " (" +
       std::to_string(result) + ")");
}

GPU::GPU() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fail(std::string("no NVIDIA driver: ") + dlerror());
  const char *missing = findEntryPoints(library, driver);
#define NORM_BENCH_FIND(member, symbol, parameters)                            \
  member = reinterpret_cast<Result(*) parameters>(dlsym(library, #symbol));    \
  if (!member && !missing)                                                     \
    missing = #symbol;
  NORM_BENCH_ENTRY_POINTS(NORM_BENCH_FIND)
  if (missing)
    fail(std::string("the NVIDIA driver is too old, it lacks ") + missing);
#undef NORM_BENCH_FIND
  check(driver.init(0), "cuInit");
  Device device = 0;
  Context context = nullptr;
  check(deviceGet(&device, 0), "cuDeviceGet");
  check(primaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  check(ctxSetCurrent(context), "cuCtxSetCurrent");
  check(streamCreate(&stream, /*CU_STREAM_NON_BLOCKING=*/1), "cuStreamCreate");
  check(eventCreate(&start, 0), "cuEventCreate");
  check(eventCreate(&stop, 0), "cuEventCreate");
  char text[128] = "";
  int version = 0, major = 0, minor = 0, l2 = 0;
  check(deviceGetName(text, sizeof(text), device), "cuDeviceGetName");
  check(driverGetVersion(&version), "cuDriverGetVersion");
  auto get = [&](int *value, int attribute) {
    check(driver.deviceGetAttribute(value, attribute, device),
          "cuDeviceGetAttribute");
  };
  get(&major, kCapabilityMajor);
  get(&minor, kCapabilityMinor);
  get(&l2, kL2CacheSize);
  l2Bytes = l2;
  name = std::string(text) + ", sm_" + std::to_string(major * 10 + minor) +
         ", driver " + std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
  loadCopyKernel();
}

void GPU::loadCopyKernel() {
  Module module = nullptr;
  check(driver.moduleLoadDataEx(&module, kCopy, 0, nullptr, nullptr),
        "cuModuleLoadDataEx of the copy");
  check(driver.moduleGetFunction(&copyKernel, module, "norm_copy"),
        "cuModuleGetFunction");
  // The copy that others are compared with must itself be right.
  char pattern[48], result[48] = {};
  for (int i = 0; i < 48; ++i)
    pattern[i] = static_cast<char>(i + 1);
  DevicePtr from = allocate(48), to = allocate(48);
  upload(from, pattern, 48);
  upload(to, result, 48);
  copyByKernel(to, from, 32);
  synchronize();
  download(result, to, 48);
  if (std::memcmp(result, pattern, 32) != 0 || result[32] != 0)
    fail("the kernel that copies does not");
  freeAll();
}

DevicePtr GPU::allocate(size_t bytes) {
  DevicePtr pointer = nullptr;
  check(memAlloc(&pointer, bytes ? bytes : 1), "cuMemAlloc");
  allocated.push_back(pointer);
  return pointer;
}

void GPU::freeAll() {
  std::vector<DevicePtr> pointers = std::move(allocated);
  allocated.clear();
  for (DevicePtr pointer : pointers)
    check(memFree(pointer), "cuMemFree");
}

void GPU::upload(DevicePtr to, const void *from, size_t bytes) {
  check(memcpyHtoD(to, from, bytes), "cuMemcpyHtoD");
  // It may return while the last bytes are in flight, and this stream does not
  // wait for the default one.
  check(driver.streamSynchronize(nullptr), "cuStreamSynchronize");
}
void GPU::download(void *to, DevicePtr from, size_t bytes) {
  check(memcpyDtoH(to, from, bytes), "cuMemcpyDtoH");
}
void GPU::copy(DevicePtr to, DevicePtr from, size_t bytes) {
  check(memcpyDtoDAsync(to, from, bytes, stream), "cuMemcpyDtoDAsync");
}

void GPU::copyByKernel(DevicePtr to, DevicePtr from, size_t bytes) {
  constexpr unsigned threads = 256;
  uint64_t count = bytes / 16;
  if (count == 0)
    return;
  void *parameters[] = {&to, &from, &count};
  unsigned blocks = static_cast<unsigned>((count + threads - 1) / threads);
  check(driver.launchKernel(copyKernel, blocks, 1, 1, threads, 1, 1, 0, stream,
                            parameters, nullptr),
        "cuLaunchKernel of the copy");
}

void GPU::synchronize() {
  check(driver.streamSynchronize(stream), "cuStreamSynchronize");
}

GPU::Recording::Recording(GPU &gpu, Work work, int64_t calls, bool useGraph)
    : gpu(gpu), work(std::move(work)), calls(calls) {
  if (!useGraph)
    return;
  Graph captured = nullptr;
  gpu.check(gpu.beginCapture(gpu.stream, /*thread local=*/1),
            "cuStreamBeginCapture");
  run();
  gpu.check(gpu.endCapture(gpu.stream, &captured), "cuStreamEndCapture");
  gpu.check(gpu.graphInstantiate(&graph, captured, 0), "cuGraphInstantiate");
  gpu.check(gpu.graphDestroy(captured), "cuGraphDestroy");
}

GPU::Recording::~Recording() {
  if (graph)
    gpu.check(gpu.graphExecDestroy(graph), "cuGraphExecDestroy");
}

void GPU::Recording::run() {
  if (graph)
    return gpu.check(gpu.graphLaunch(graph, gpu.stream), "cuGraphLaunch");
  for (int64_t call = 0; call < calls; ++call)
    work(call);
}

double GPU::Recording::measure() {
  gpu.check(gpu.eventRecord(gpu.start, gpu.stream), "cuEventRecord");
  run();
  gpu.check(gpu.eventRecord(gpu.stop, gpu.stream), "cuEventRecord");
  gpu.check(gpu.eventSynchronize(gpu.stop), "cuEventSynchronize");
  float milliseconds = 0;
  gpu.check(gpu.eventElapsedTime(&milliseconds, gpu.start, gpu.stop),
            "cuEventElapsedTime");
  return milliseconds * 1e-3 / static_cast<double>(calls);
}
