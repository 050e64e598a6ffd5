//===- HostTensor.cpp - tensors in host memory ----------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/ExecutionEngine/HostTensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Support/DebugStringHelper.h"
#include "norm/IR/RoundFloat.h"
#include "norm/Normalize/ElementStorage.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace mlir::norm;

void HostTensor::Free::operator()(char *p) const { std::free(p); }

bool HostTensor::isSupported(Type type) {
  if (type.isF16() || type.isBF16() || type.isF32() || type.isF64() ||
      type.isIndex())
    return true;
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.getWidth() <= 64;
}

size_t HostTensor::getElementBytes(Type type) {
  return norm::getElementBytes(type);
}

bool HostTensor::allocate() {
  // If one extent is 0, the product of the others may overflow.
  numElements = llvm::is_contained(shape, 0) ? 0 : 1;
  if (numElements != 0)
    for (int64_t extent : shape)
      numElements *= extent;
  // The size is never 0, so that an empty tensor has an address too.
  size_t bytes = (getNumBytes() / 64 + 1) * 64;
  data.reset(static_cast<char *>(std::aligned_alloc(64, bytes)));
  if (data)
    std::memset(data.get(), 0, bytes);
  return data != nullptr;
}

HostTensor::HostTensor(Type elementType, ArrayRef<int64_t> shape)
    : elementType(elementType), shape(shape) {
  if (!allocate())
    llvm::report_bad_alloc_error("no memory for a tensor");
}

std::string HostTensor::getText(ArrayRef<int64_t> shape) {
  return llvm::join(
      llvm::map_range(shape, [](int64_t d) { return std::to_string(d); }), "x");
}

bool HostTensor::isAddressable(Type elementType, ArrayRef<int64_t> shape) {
  constexpr uint64_t kAddressSpace = uint64_t(1) << 47;
  if (llvm::is_contained(shape, 0))
    return true; // whatever the other extents are
  uint64_t bytes = getElementBytes(elementType);
  for (int64_t extent : shape) {
    if (bytes > kAddressSpace / extent)
      return false;
    bytes *= extent;
  }
  return true;
}

llvm::Expected<HostTensor> HostTensor::create(Type elementType,
                                              ArrayRef<int64_t> shape) {
  auto error = [&](const char *message) {
    return llvm::createStringError(std::string(message) + " a tensor of [" +
                                   getText(shape) + "] of " +
                                   debugString(elementType));
  };
  if (llvm::any_of(shape, [](int64_t extent) { return extent < 0; }))
    return error("there cannot be");
  HostTensor tensor;
  tensor.elementType = elementType;
  llvm::append_range(tensor.shape, shape);
  if (!isAddressable(elementType, shape) || !tensor.allocate())
    return error("no memory for");
  return tensor;
}

template <typename T> static T loadAs(const char *p) {
  T value;
  std::memcpy(&value, p, sizeof(T));
  return value;
}

double HostTensor::getElement(int64_t position) const {
  const char *p = data.get() + position * getElementBytes(elementType);
  if (auto type = dyn_cast<FloatType>(elementType)) {
    if (type.isF32())
      return loadAs<float>(p);
    if (type.isF64())
      return loadAs<double>(p);
    return APFloat(type.getFloatSemantics(), APInt(16, loadAs<uint16_t>(p)))
        .convertToDouble();
  }
  APSInt integer = getInteger(position);
  return integer.roundToDouble(integer.isSigned());
}

APSInt HostTensor::getInteger(int64_t position) const {
  size_t bytes = getElementBytes(elementType);
  uint64_t bits = 0;
  std::memcpy(&bits, data.get() + position * bytes, bytes);
  // An i1 is the caller's byte.
  bool isByte = elementType.isInteger(1);
  unsigned width = isByte ? 8
                   : elementType.isIndex()
                       ? 64
                       : elementType.getIntOrFloatBitWidth();
  return APSInt(APInt(64, bits).trunc(width),
                isByte || elementType.isUnsignedInteger());
}

void HostTensor::setElement(int64_t position, double value) {
  size_t bytes = getElementBytes(elementType);
  char *p = data.get() + position * bytes;
  if (auto type = dyn_cast<FloatType>(elementType)) {
    APFloat rounded = roundTo(APFloat(value), type.getFloatSemantics());
    uint64_t bits = rounded.bitcastToAPInt().getZExtValue();
    std::memcpy(p, &bits, bytes);
    return;
  }
  setInteger(position, static_cast<int64_t>(value));
}

void HostTensor::setInteger(int64_t position, uint64_t integer) {
  size_t bytes = getElementBytes(elementType);
  char *p = data.get() + position * bytes;
  // Values are stored as LLVM stores them; an i1 is the caller's byte.
  if (!norm::isStoredWhole(elementType) && !elementType.isInteger(1))
    integer &=
        llvm::maskTrailingOnes<uint64_t>(elementType.getIntOrFloatBitWidth());
  std::memcpy(p, &integer, bytes);
}

/// Parses an integer that `type` has, with or without a sign; false otherwise.
static bool parseInteger(StringRef token, Type type, uint64_t &integer) {
  // An i1 is the caller's byte.
  unsigned width = std::max<unsigned>(8 * HostTensor::getElementBytes(type), 8);
  if (type.isIntOrIndex() && !type.isIndex() && !type.isInteger(1))
    width = type.getIntOrFloatBitWidth();
  int64_t value;
  double real;
  if (token.getAsInteger(10, value)) {
    if (width == 64 && !token.getAsInteger(10, integer))
      return true;
    // The limit is exact in both types.
    if (token.getAsDouble(real) || !(std::abs(real) < 0x1p63) ||
        std::trunc(real) != real)
      return false;
    value = static_cast<int64_t>(real);
  }
  integer = value;
  return width == 64 || (value >= -(int64_t(1) << (width - 1)) &&
                         value < (int64_t(1) << width));
}

/// Parses an element and stores it; false if the type has no such value.
static bool parseElement(StringRef token, HostTensor &tensor,
                         int64_t position) {
  uint64_t integer;
  double value;
  if (!isa<FloatType>(tensor.getElementType())) {
    if (!parseInteger(token, tensor.getElementType(), integer))
      return false;
    tensor.setInteger(position, integer);
    return true;
  }
  // LLVM reads an exponent without digits as 0.
  if (StringRef("eE+-").contains(token.back()) || token.getAsDouble(value))
    return false;
  tensor.setElement(position, value);
  return true;
}

/// Whether each bracket that opens is closed: a shell may have cut the text.
static bool hasClosedBrackets(StringRef text) {
  int64_t depth = 0;
  for (char c : text) {
    depth += (c == '[') - (c == ']');
    if (depth < 0)
      return false;
  }
  return depth == 0;
}

llvm::Expected<HostTensor> norm::parseTensor(StringRef text, ShapedType type,
                                             StringRef what) {
  auto [typeText, values] = text.split('=');
  auto fail = [&, shown = typeText](const Twine &problem) {
    return llvm::createStringError(what + " '" + shown + "'" + problem);
  };
  if (!text.contains('='))
    return fail(" is neither @file.npy nor SHAPExTYPE=VALUES");
  // The x of `index` separates nothing.
  std::string element = debugString(type.getElementType());
  StringRef extents = typeText;
  if (!extents.consume_back(element) ||
      !(extents.empty() || extents.consume_back("x")))
    return fail(" has element type '" +
                typeText.substr(typeText.rfind('x') + 1) +
                "', the function takes '" + element + "'");
  SmallVector<StringRef> parts;
  if (!extents.empty())
    extents.split(parts, 'x');
  SmallVector<int64_t> shape;
  for (StringRef part : parts) {
    int64_t extent;
    if (part.getAsInteger(10, extent) || extent < 0)
      return fail(": bad extent '" + part + "'");
    shape.push_back(extent);
  }
  if (failed(verifyCompatibleShape(shape, type.getShape())))
    return fail(" does not fit " + debugString(type));
  auto created = HostTensor::create(type.getElementType(), shape);
  if (!created)
    return created.takeError();
  HostTensor tensor = std::move(*created);
  if (!hasClosedBrackets(values))
    return fail(": brackets do not match");
  std::string flat = values.str();
  for (char &c : flat)
    if (StringRef(",[]").contains(c))
      c = ' ';
  SmallVector<StringRef> tokens;
  StringRef(flat).split(tokens, ' ', -1, /*KeepEmpty=*/false);
  int64_t count = tokens.size();
  if (count != 1 && count != tensor.getNumElements())
    return fail(" has " + Twine(tensor.getNumElements()) + " elements, got " +
                Twine(count) + " values");
  for (int64_t i = 0; i < tensor.getNumElements(); ++i) {
    StringRef token = tokens[count == 1 ? 0 : i];
    if (!parseElement(token, tensor, i))
      return fail(": bad value '" + token + "'");
  }
  return tensor;
}

void norm::printElement(raw_ostream &os, const HostTensor &tensor,
                        int64_t position, int digits) {
  if (isa<FloatType>(tensor.getElementType()))
    os << llvm::format("%.*g", digits, tensor.getElement(position));
  else
    os << tensor.getInteger(position);
}

static void printRow(raw_ostream &os, const HostTensor &tensor, int64_t start,
                     int64_t count, int digits) {
  for (int64_t i = start; i < start + count; ++i) {
    if (i > start)
      os << ' ';
    printElement(os, tensor, i, digits);
  }
}

/// Prints brackets around every dimension but the outermost, as IREE does.
static void printNested(raw_ostream &os, const HostTensor &tensor, size_t dim,
                        int64_t &position, int digits) {
  ArrayRef<int64_t> shape = tensor.getShape();
  if (dim + 1 >= shape.size()) {
    int64_t count = shape.empty() ? 1 : shape.back();
    printRow(os, tensor, position, count, digits);
    position += count;
    return;
  }
  for (int64_t i = 0; i < shape[dim]; ++i) {
    os << '[';
    printNested(os, tensor, dim + 1, position, digits);
    os << ']';
  }
}

void norm::printTensor(raw_ostream &os, const HostTensor &tensor, int digits) {
  for (int64_t extent : tensor.getShape())
    os << extent << 'x';
  os << tensor.getElementType() << '=';
  int64_t position = 0;
  if (tensor.getNumElements() > 0)
    printNested(os, tensor, 0, position, digits);
}
