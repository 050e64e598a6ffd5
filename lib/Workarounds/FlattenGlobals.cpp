//===- FlattenGlobals.cpp - one flat array per constant -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: finalize-memref-to-llvm makes nested arrays of a
// constant, of which LLVM keeps one constant per innermost array; goes when it
// makes one flat array.

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "norm/Workarounds/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMFLATTENGLOBALS
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

namespace {
struct NormFlattenGlobals
    : norm::impl::NormFlattenGlobalsBase<NormFlattenGlobals> {
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
  }
};
} // namespace
