//===- DropTimings.cpp - compile times out of gpu.binary ------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: gpu-module-to-binary writes compile times into its
// result; goes when an option leaves them out.

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "norm/Workarounds/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMDROPGPUTIMINGS
#include "norm/Workarounds/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

static gpu::ObjectAttr dropTimings(gpu::ObjectAttr object) {
  NamedAttrList properties(object.getProperties());
  // Names as in upstream's lib/Target/LLVM/NVVM/Target.cpp.
  properties.erase("LLVMIRToISATimeInMs");
  properties.erase("ISAToBinaryTimeInMs");
  return gpu::ObjectAttr::get(object.getContext(), object.getTarget(),
                              object.getFormat(), object.getObject(),
                              properties.getDictionary(object.getContext()),
                              object.getKernels());
}

namespace {
struct NormDropGPUTimings
    : norm::impl::NormDropGPUTimingsBase<NormDropGPUTimings> {
  void runOnOperation() override {
    getOperation().walk([&](gpu::BinaryOp binary) {
      SmallVector<Attribute> objects;
      for (Attribute attribute : binary.getObjects()) {
        auto object = cast<gpu::ObjectAttr>(attribute);
        objects.push_back(object.getProperties() ? dropTimings(object)
                                                 : object);
      }
      binary.setObjectsAttr(ArrayAttr::get(&getContext(), objects));
    });
  }
};
} // namespace
