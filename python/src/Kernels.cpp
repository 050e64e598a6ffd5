//===- Kernels.cpp - kernels of a GPU and what launches them --------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "norm/Compiler/Codegen.h"
#include "llvm/Support/raw_ostream.h"
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace norm_python;
using namespace llvm;

Expected<std::unique_ptr<Kernels>> Kernels::load(StringRef sharedObject,
                                                 StringRef function) {
  std::unique_ptr<Kernels> kernels(new Kernels());
  kernels->file = memfd_create("norm-kernels", MFD_CLOEXEC);
  if (kernels->file < 0)
    return createStringError(Twine("no file in memory for kernels: ") +
                             strerror(errno));
  raw_fd_ostream(kernels->file, /*shouldClose=*/false) << sharedObject;
  std::string path = "/proc/self/fd/" + std::to_string(kernels->file);
  kernels->library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!kernels->library)
    return createStringError(Twine("loading kernels: ") + dlerror());
  auto find = [&](auto &pointer, const std::string &name) {
    pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(
        dlsym(kernels->library, name.c_str()));
    return pointer != nullptr;
  };
  if (!find(kernels->entry, (mlir::norm::kPackedPrefix + function).str()) ||
      !find(kernels->setStream, "norm_gpu_set_stream") ||
      !find(kernels->getCode, "norm_gpu_error") ||
      !find(kernels->getMessage, "norm_gpu_message"))
    return createStringError("the kernels lack a function of theirs");
  return kernels;
}

Kernels::~Kernels() {
  if (library)
    dlclose(library);
  if (file >= 0)
    close(file);
}

Error Kernels::launch(void **addresses, void *stream) const {
  setStream(stream);
  entry(addresses);
  return getCode() ? createStringError(getMessage()) : Error::success();
}

std::optional<int> norm_python::getCurrentGPU() {
  // Whoever made a context has opened it.
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (!driver)
    return std::nullopt;
  auto getContext =
      reinterpret_cast<int (*)(void **)>(dlsym(driver, "cuCtxGetCurrent"));
  auto getDevice =
      reinterpret_cast<int (*)(int *)>(dlsym(driver, "cuCtxGetDevice"));
  void *context = nullptr;
  int device = 0;
  bool isKnown = getContext && getDevice && getContext(&context) == 0 &&
                 context && getDevice(&device) == 0;
  dlclose(driver);
  return isKnown ? std::optional(device) : std::nullopt;
}
