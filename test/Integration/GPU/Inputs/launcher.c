// The mgpu* functions that MLIR's host code calls, for a machine without a GPU:
// modules are kept as text, and launches and allocations go to the emulator
// through three function pointers. "Device" memory is memory of the process.
#include <stdint.h>
#include <stdlib.h>

typedef struct {
  const char *ptx;
  const char *name;
} Function;

void (*emulator_launch)(const char *ptx, const char *name,
                        const int64_t *grid_block_cluster, void **params);
void (*emulator_alloc)(void *buffer, int64_t bytes);
void (*emulator_free)(void *buffer);

void *mgpuModuleLoadJIT(void *data, int level) { return data; }
void mgpuModuleUnload(void *module) {}

void *mgpuModuleGetFunction(void *module, const char *name) {
  Function *function = malloc(sizeof(Function));
  function->ptx = module;
  function->name = name;
  return function;
}

void mgpuLaunchClusterKernel(Function *function, int64_t cx, int64_t cy,
                             int64_t cz, int64_t gx, int64_t gy, int64_t gz,
                             int64_t bx, int64_t by, int64_t bz, int32_t shared,
                             void *stream, void **params, void **extra) {
  int64_t sizes[9] = {gx, gy, gz, bx, by, bz, cx, cy, cz};
  emulator_launch(function->ptx, function->name, sizes, params);
  free(function);
}

void mgpuLaunchKernel(Function *function, int64_t gx, int64_t gy, int64_t gz,
                      int64_t bx, int64_t by, int64_t bz, int32_t shared,
                      void *stream, void **params, void **extra,
                      uint64_t count) {
  mgpuLaunchClusterKernel(function, 1, 1, 1, gx, gy, gz, bx, by, bz, shared,
                          stream, params, extra);
}

void *mgpuStreamCreate(void) { return 0; }
void mgpuStreamDestroy(void *stream) {}
void mgpuStreamSynchronize(void *stream) {}
void *mgpuEventCreate(void) { return 0; }
void mgpuEventDestroy(void *event) {}
void mgpuEventRecord(void *event, void *stream) {}
void mgpuEventSynchronize(void *event) {}
void mgpuStreamWaitEvent(void *stream, void *event) {}

void *mgpuMemAlloc(uint64_t bytes, void *stream, _Bool shared) {
  // 16 bytes that stay unused, so that an access past the end is outside.
  void *buffer = aligned_alloc(256, (bytes + 16 + 255) / 256 * 256);
  emulator_alloc(buffer, bytes);
  return buffer;
}
void mgpuMemFree(void *buffer, void *stream) {
  emulator_free(buffer);
  free(buffer);
}
void mgpuMemcpy(void *to, void *from, size_t bytes, void *stream) {
  __builtin_memcpy(to, from, bytes);
}
