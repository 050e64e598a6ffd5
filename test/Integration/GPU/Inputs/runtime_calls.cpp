// Calls the runtime of artifacts as host code would, for what no program of the
// pipeline needs so far: clusters, kernels that wait themselves, large shared
// memory, fills.
#include "../../../../runtime/cuda/Runtime.h"
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern "C" {
const norm_gpu_image norm_gpu_description = {nullptr, "sm_90a"};
void *mgpuModuleLoadJIT(void *, int);
void *mgpuModuleGetFunction(void *, const char *);
void mgpuModuleUnload(void *);
void mgpuLaunchKernel(void *, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t,
                      intptr_t, int32_t, void *, void **, void **, size_t);
void mgpuLaunchClusterKernel(void *, intptr_t, intptr_t, intptr_t, intptr_t,
                             intptr_t, intptr_t, intptr_t, intptr_t, intptr_t,
                             int32_t, void *, void **, void **);
void *mgpuMemAlloc(uint64_t, void *, bool);
void mgpuMemFree(void *, void *);
void mgpuMemcpy(void *, void *, size_t, void *);
void mgpuMemset32(void *, unsigned, size_t, void *);
void mgpuMemset16(void *, unsigned short, size_t, void *);
void mgpuStreamSynchronize(void *);
}

static char text[] = R"(
.version 8.0
.target sm_90a
.visible .entry plain()
{
	ret;
}
.visible .entry waits()
{
	bra 	$DONE;
	griddepcontrol.wait;
$DONE:
	ret;
}
)";

static void begin() { norm_gpu_begin(reinterpret_cast<void *>(7), nullptr, 0); }
static void end(const char *what) {
  int code = norm_gpu_end();
  printf("%s: %d %s\n", what, code, norm_gpu_message());
}

static void createContext() {
  void *cuda = dlopen("libcuda.so.1", RTLD_NOW);
  auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(cuda, "cuInit"));
  auto create = reinterpret_cast<int (*)(void **, unsigned, int)>(
      dlsym(cuda, "cuCtxCreate_v2"));
  void *context = nullptr;
  if (init(0) || create(&context, 0, 0))
    exit(1);
}

static void launch(const char *kernel, int32_t shared) {
  mgpuLaunchKernel(mgpuModuleGetFunction(text, kernel), 2, 1, 1, 32, 1, 1,
                   shared, nullptr, nullptr, nullptr, 0);
}

static void launchCluster(const char *kernel, intptr_t blocks) {
  mgpuLaunchClusterKernel(mgpuModuleGetFunction(text, kernel), blocks, 1, 1, 16,
                          1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr);
}

int main() {
  mgpuModuleLoadJIT(text, 3);
  createContext();
  begin();
  launch("plain", 0);
  launch("waits", 0);
  launchCluster("plain", 2);
  launchCluster("waits", 16);
  launch("plain", 100 * 1024);
  end("launches");
  begin();
  launch("plain", 300 * 1024);
  end("shared");
  begin();
  launch("absent", 0);
  end("absent");
  begin();
  auto *words = mgpuMemAlloc(16, nullptr, false);
  unsigned result[4] = {};
  mgpuMemset32(words, 0x01020304, 4, nullptr);
  mgpuMemset16(words, 0x0506, 2, nullptr);
  mgpuMemcpy(result, words, 16, nullptr);
  mgpuStreamSynchronize(nullptr);
  mgpuMemFree(words, nullptr);
  printf("%08x %08x\n", result[0], result[3]);
  end("fills");
  mgpuModuleUnload(text);
}
