//===- ElementStorage.cpp - elements of tensors in memory -----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Normalize/ElementStorage.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/bit.h"

using namespace mlir;

int64_t norm::getElementBytes(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isIndex())
    return IndexType::kInternalStorageBitWidth / 8;
  // f80 has 128 bits in LLVM's arrays on every target.
  return element.isIntOrFloat()
             ? std::max(8u, llvm::bit_ceil(element.getIntOrFloatBitWidth())) / 8
             : 0;
}

bool norm::isStoredWhole(Type element) {
  return element.isIndex() ||
         (element.isIntOrFloat() &&
          getElementBytes(element) * 8 == element.getIntOrFloatBitWidth());
}

bool norm::isNativeElement(Type element) {
  if (isa<FloatType>(element))
    return element.isF16() || element.isBF16() || element.isF32() ||
           element.isF64();
  return element.isInteger(1) ||
         (element.isIntOrIndex() && isStoredWhole(element) &&
          getElementBytes(element) <= 8);
}
