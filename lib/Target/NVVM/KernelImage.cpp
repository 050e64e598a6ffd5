//===- KernelImage.cpp - the image in a compiled GPU module ---------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Target/NVVM/KernelImage.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

FailureOr<std::string> norm::getKernelImage(ModuleOp module) {
  auto binaries = llvm::to_vector(module.getOps<gpu::BinaryOp>());
  if (binaries.size() != 1)
    return module.emitError("expects one GPU kernel module, found ")
           << binaries.size();
  ArrayAttr objects = binaries.front().getObjects();
  if (objects.size() != 1)
    return binaries.front().emitOpError("expects one object, found ")
           << objects.size();
  auto object = cast<gpu::ObjectAttr>(objects[0]);
  StringRef image = object.getObject().getValue();
  // PTX is stored with the terminating zero that the driver wants.
  if (object.getFormat() == gpu::CompilationTarget::Assembly)
    image = image.rtrim('\0');
  return image.str();
}
