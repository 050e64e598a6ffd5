//===- GPUImage.cpp - the kernels of a compiled module --------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPUImage.h"
#include "../ScratchFile.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace mlir::norm;

FailureOr<StringRef> norm::getKernelImage(ModuleOp module) {
  SmallVector<gpu::ObjectAttr> objects;
  module.walk([&](gpu::BinaryOp binary) {
    for (Attribute object : binary.getObjects())
      objects.push_back(cast<gpu::ObjectAttr>(object));
  });
  if (objects.empty())
    return StringRef();
  if (objects.size() > 1)
    return module.emitError("several GPU modules: norm-to-nvvm makes one, and "
                            "functions may not bring their own");
  StringRef image = objects.front().getObject().getValue();
  // For a cubin, ptxas reports unresolved functions.
  for (StringRef rest = image.split(".extern .func").second; !rest.empty();
       rest = rest.split(".extern .func").second) {
    auto [declaration, name] = rest.split(';').first.split("__nv_");
    if (!name.empty())
      return module.emitError("a kernel calls '")
             << name.take_while(llvm::isAlnum)
             << "' of libdevice, which was not found: give --cuda-path or set "
                "CUDA_PATH";
  }
  // PTX text ends with the zero that the driver's loader needs; the zeros of a
  // cubin are its own.
  bool isText = objects.front().getFormat() == gpu::CompilationTarget::Assembly;
  return isText ? image.rtrim('\0') : image;
}

std::string norm::assembleKernels(ModuleOp module, StringRef ptx,
                                  StringRef chip, StringRef toolkit) {
  std::string ptxas = (toolkit + "/bin/ptxas").str();
  if (!llvm::sys::fs::can_execute(ptxas))
    return {};
  SmallString<128> input, output;
  int descriptor;
  auto warn = [&](const Twine &message) {
    module.emitWarning("no cubin beside the PTX: ") << message;
    return std::string();
  };
  if (auto error =
          llvm::sys::fs::createTemporaryFile("norm", "ptx", descriptor, input))
    return warn(error.message());
  ScratchFile removeInput(input);
  llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true) << ptx;
  if (auto error = llvm::sys::fs::createTemporaryFile("norm", "cubin", output))
    return warn(error.message());
  ScratchFile removeOutput(output);
  std::string architecture = ("-arch=" + chip).str(), message;
  int code = llvm::sys::ExecuteAndWait(
      ptxas, {ptxas, architecture, "-O3", input, "-o", output}, std::nullopt,
      {}, 0, 0, &message);
  if (code != 0)
    return warn(ptxas + " failed " + message);
  auto cubin = llvm::MemoryBuffer::getFile(output);
  if (!cubin)
    return warn(cubin.getError().message());
  return (*cubin)->getBuffer().str();
}
