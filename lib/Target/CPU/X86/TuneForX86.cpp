//===- TuneForX86.cpp - what LLVM's x86 back end has to be told -----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: LLVM has no non-temporal store of vectors of f16 with
// AVX512-FP16; goes when it has.

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "norm/Target/CPU/X86/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMTUNEFORX86
#include "norm/Target/CPU/X86/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

/// The f16 vector whose bits `store` streams, or null.
static Value getStreamedFloats(LLVM::StoreOp store) {
  if (!store.getNontemporal())
    return nullptr;
  Value value = store.getValue();
  if (auto bits = value.getDefiningOp<LLVM::BitcastOp>())
    value = bits.getArg();
  auto type = dyn_cast<VectorType>(value.getType());
  bool isWhole = type && type.getRank() == 1 && !type.isScalable() &&
                 type.getElementType().isF16() && type.getDimSize(0) % 2 == 0;
  return isWhole ? value : nullptr;
}

static void streamAsF32(LLVM::StoreOp store) {
  Value floats = getStreamedFloats(store);
  if (!floats)
    return;
  OpBuilder b(store);
  Location loc = store.getLoc();
  auto words = VectorType::get(
      cast<VectorType>(floats.getType()).getDimSize(0) / 2, b.getF32Type());
  Value bits = LLVM::BitcastOp::create(b, loc, words, floats);
  auto fenced = LLVM::CallIntrinsicOp::create(
      b, loc, words, b.getStringAttr("llvm.arithmetic.fence"), bits);
  store.getValueMutable().assign(fenced.getResult(0));
}

namespace {
struct NormTuneForX86 : norm::impl::NormTuneForX86Base<NormTuneForX86> {
  using NormTuneForX86Base::NormTuneForX86Base;

  void runOnOperation() override {
    LLVM::LLVMFuncOp function = getOperation();
    if (!function.isExternal() && !function.getPreferVectorWidth())
      function.setPreferVectorWidth("512");
    if (f16Vectors)
      function.walk(streamAsF32);
  }
};
} // namespace
