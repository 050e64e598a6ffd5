//===- Buffers.cpp - a caller's strided memory ----------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include <cstring>

using namespace mlir;
using namespace norm_test;
using norm::HostTensor;

/// Elements before and behind those of the buffer.
constexpr int64_t kGuard = 64;

Type norm_test::getType(Float type, MLIRContext *context) {
  switch (type) {
  case Float::F16:
    return Float16Type::get(context);
  case Float::BF16:
    return BFloat16Type::get(context);
  case Float::F32:
    return Float32Type::get(context);
  case Float::F64:
    return Float64Type::get(context);
  case Float::F8E4M3FN:
  case Float::F8E5M2:
    // What a program returns for them.
    return IntegerType::get(context, 8);
  }
  return {};
}

Layout norm_test::contiguous(const std::vector<int64_t> &shape) {
  Layout layout;
  layout.strides.resize(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d])
    layout.strides[d] = stride;
  return layout;
}

/// Positions of the elements from the layout's first one.
static std::vector<int64_t> enumerate(const std::vector<int64_t> &shape,
                                      const std::vector<int64_t> &strides) {
  std::vector<int64_t> positions{0};
  for (size_t d = 0; d < shape.size(); ++d) {
    std::vector<int64_t> next;
    for (int64_t position : positions)
      for (int64_t i = 0; i < shape[d]; ++i)
        next.push_back(position + i * strides[d]);
    positions = std::move(next);
  }
  return positions;
}

Buffer::Buffer(Float type, std::vector<int64_t> shape, Layout layout,
               MLIRContext *context)
    : type(type), positions(enumerate(shape, layout.strides)) {
  int64_t first = kGuard + layout.start + layout.offset, last = first;
  for (int64_t &position : positions) {
    position += first;
    last = std::max(last, position);
  }
  memory = HostTensor(getType(type, context), {last + 1 + kGuard});
  std::memset(memory.getData(), 0x5A, memory.getNumBytes());
  int64_t bytes = HostTensor::getElementBytes(memory.getElementType());
  int64_t address = reinterpret_cast<intptr_t>(memory.getData()) +
                    (kGuard + layout.start) * bytes;
  descriptor = {address, address, layout.offset};
  descriptor.insert(descriptor.end(), shape.begin(), shape.end());
  descriptor.insert(descriptor.end(), layout.strides.begin(),
                    layout.strides.end());
}

double Buffer::get(size_t i) const {
  if (format(type).bytes > 1)
    return memory.getElement(positions[i]);
  const llvm::fltSemantics &semantics =
      type == Float::F8E4M3FN ? APFloat::Float8E4M3FN() : APFloat::Float8E5M2();
  uint8_t bits = memory.getData()[positions[i]];
  APFloat value(semantics, llvm::APInt(8, bits));
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

void Buffer::set(size_t i, double value) {
  memory.setElement(positions[i], value);
}

std::string Buffer::bytes() const {
  return std::string(memory.getData(), memory.getNumBytes());
}

void Buffer::keep() { kept = bytes(); }

void Buffer::restore() {
  std::memcpy(memory.getData(), kept.data(), kept.size());
}

bool Buffer::isAsKept() const { return bytes() == kept; }

bool Buffer::areGuardsAsKept() const {
  std::string now = bytes();
  size_t width = HostTensor::getElementBytes(memory.getElementType());
  for (int64_t position : positions)
    now.replace(position * width, width, kept, position * width, width);
  return now == kept;
}
