//===- PackConstant.cpp - weights that are packed when compiled -----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

/// Returns the bytes of a constant's elements, none for a splat: it stays one
/// number.
static ArrayRef<char> getBytes(Attribute attr) {
  if (auto dense = dyn_cast<DenseElementsAttr>(attr))
    return dense.isSplat() ? ArrayRef<char>() : dense.getRawData();
  auto resource = dyn_cast<DenseResourceElementsAttr>(attr);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  return blob ? blob->getData() : ArrayRef<char>();
}

/// Returns the constant that `v` views; other shapes have the same bytes.
static Attribute getConstant(Value v) {
  while (auto view = v.getDefiningOp<tensor::ExpandShapeOp>())
    v = view.getSrc();
  auto constant = v.getDefiningOp<arith::ConstantOp>();
  return constant ? constant.getValue() : Attribute();
}

/// Copies an element, which f32 may have been stored as bf16.
static void copyElement(const char *from, int64_t fromBytes, char *to,
                        int64_t toBytes) {
  static_assert(llvm::endianness::native == llvm::endianness::little);
  std::memset(to, 0, toBytes - fromBytes);
  std::memcpy(to + (toBytes - fromBytes), from, fromBytes);
}

DenseElementsAttr norm::packConstant(Value matrix, ArrayRef<unsigned> dims,
                                     unsigned column, int64_t columns,
                                     Type element) {
  auto type = cast<RankedTensorType>(matrix.getType());
  Attribute constant = getConstant(matrix);
  Type stored = type.getElementType();
  bool isCopied = stored == element || (stored.isBF16() && element.isF32());
  if (!constant || !isCopied || !type.hasStaticShape() ||
      stored.getIntOrFloatBitWidth() % 8 != 0)
    return {};
  int64_t fromBytes = stored.getIntOrFloatBitWidth() / 8,
          toBytes = element.getIntOrFloatBitWidth() / 8;
  ArrayRef<char> bytes = getBytes(constant);
  if (static_cast<int64_t>(bytes.size()) != type.getNumElements() * fromBytes)
    return {};
  // A block per `columns` columns; what the last one lacks is zero.
  SmallVector<int64_t> shape = {
      llvm::divideCeilSigned(type.getDimSize(dims[column]), columns)};
  for (unsigned dim : dims)
    shape.push_back(type.getDimSize(dim));
  shape[1 + column] = columns;
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  auto packed = RankedTensorType::get(shape, element);
  std::vector<char> result(packed.getNumElements() * toBytes);
  SmallVector<int64_t> at(shape.size());
  for (int64_t i = 0, e = packed.getNumElements(); i < e; ++i) {
    int64_t from = at[0] * columns * strides[dims[column]];
    for (auto [loop, dim] : llvm::enumerate(dims))
      from += at[1 + loop] * strides[dim];
    if (at[0] * columns + at[1 + column] < type.getDimSize(dims[column]))
      copyElement(&bytes[from * fromBytes], fromBytes, &result[i * toBytes],
                  toBytes);
    for (int64_t loop = shape.size() - 1; loop >= 0; --loop) {
      if (++at[loop] < shape[loop])
        break;
      at[loop] = 0;
    }
  }
  return DenseElementsAttr::getFromRawBuffer(packed, result);
}
