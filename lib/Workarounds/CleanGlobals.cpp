//===- CleanGlobals.cpp - data as upstream should have made it ------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: finalize-memref-to-llvm makes nested arrays of a
// constant, of which LLVM keeps one constant per innermost array; goes when it
// makes one flat array.
// Upstream: LLVM 22.1: gpu-module-to-binary writes compile times into its
// result; goes when an option leaves them out.

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "norm/Workarounds/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMCLEANGLOBALS
#include "norm/Workarounds/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

/// Returns the elements as one row, or null if they have no such form.
static ElementsAttr flatten(Attribute value) {
  auto elements = dyn_cast_if_present<ElementsAttr>(value);
  if (!elements || elements.getShapedType().getRank() < 2 ||
      !elements.getElementType().isIntOrIndexOrFloat())
    return {};
  auto type = RankedTensorType::get(elements.getNumElements(),
                                    elements.getElementType());
  if (auto dense = dyn_cast<DenseElementsAttr>(elements))
    return dense.reshape(type);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  return {};
}

static gpu::ObjectAttr dropTimings(gpu::ObjectAttr object) {
  if (!object.getProperties())
    return object;
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
struct NormCleanGlobals : norm::impl::NormCleanGlobalsBase<NormCleanGlobals> {
  void runOnOperation() override {
    for (auto global : getOperation().getOps<LLVM::GlobalOp>()) {
      ElementsAttr row = flatten(global.getValueOrNull());
      if (!row)
        continue;
      Type element = global.getType();
      while (auto array = dyn_cast<LLVM::LLVMArrayType>(element))
        element = array.getElementType();
      global.setGlobalType(
          LLVM::LLVMArrayType::get(element, row.getNumElements()));
      global.setValueAttr(row);
    }
    for (auto binary : getOperation().getOps<gpu::BinaryOp>()) {
      auto objects = llvm::map_to_vector(
          binary.getObjects(), [](Attribute object) -> Attribute {
            return dropTimings(cast<gpu::ObjectAttr>(object));
          });
      binary.setObjectsAttr(ArrayAttr::get(&getContext(), objects));
    }
  }
};
} // namespace
