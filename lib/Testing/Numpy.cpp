//===- Numpy.cpp - .npy files ---------------------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See numpy.lib.format, "A Simple File Format for NumPy Arrays" (NEP 1).
//
//===----------------------------------------------------------------------===//

#include "norm/Testing/Numpy.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Support/DebugStringHelper.h"
#include "norm/Compiler/OutputFile.h"
#include "norm/Normalize/ElementStorage.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace mlir::norm;

namespace {
struct Header {
  std::string descr; // such as '<f4'
  SmallVector<int64_t> shape;
  size_t dataOffset = 0;
};
} // namespace

static constexpr llvm::StringLiteral kMagic("\x93NUMPY");
/// Headers of numpy have some hundred bytes.
static constexpr size_t kMostHeaderBytes = 1 << 20;

static llvm::Error fileError(StringRef file, const Twine &message) {
  return llvm::createStringError(file + ": " + message);
}

namespace {
/// The bytes of a file. A pipe is read only as far as they are asked for,
/// because it may have no end.
class Source {
public:
  ~Source() {
    if (pipe >= 0)
      llvm::sys::fs::closeFile(pipe);
  }

  llvm::Error open(StringRef file) {
    if (llvm::Error error = checkInputFile(file))
      return error;
    if (!llvm::sys::fs::is_regular_file(file)) {
      auto opened = llvm::sys::fs::openNativeFileForRead(file);
      if (!opened)
        return fileError(file,
                         llvm::errorToErrorCode(opened.takeError()).message());
      pipe = *opened;
      return llvm::Error::success();
    }
    auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/false,
                                              /*RequiresNullTerminator=*/false);
    if (!buffer)
      return fileError(file, buffer.getError().message());
    mapped = std::move(*buffer);
    return llvm::Error::success();
  }

  /// Returns all bytes of a file, and as many of a pipe if it has them.
  StringRef getBytes(size_t count) {
    if (mapped)
      return mapped->getBuffer();
    size_t size = read.size(), last = 1;
    while (size < count && last > 0) {
      read.resize_for_overwrite(size + std::min(count - size, kPiece));
      auto found = llvm::sys::fs::readNativeFile(
          pipe, llvm::MutableArrayRef(read).drop_front(size));
      last = found ? *found : 0;
      llvm::consumeError(found.takeError());
      size += last;
      read.truncate(size);
    }
    return StringRef(read.data(), size);
  }

private:
  static constexpr size_t kPiece = 1 << 20;
  std::unique_ptr<llvm::MemoryBuffer> mapped;
  SmallVector<char, 0> read;
  llvm::sys::fs::file_t pipe = -1;
};
} // namespace

static llvm::Expected<Header> readHeader(StringRef file, Source &source) {
  StringRef bytes = source.getBytes(12);
  if (!bytes.starts_with(kMagic) || bytes.size() < 10)
    return fileError(file, "not a .npy file");
  unsigned major = static_cast<uint8_t>(bytes[6]);
  if (major < 1 || major > 3)
    return fileError(file, "unknown .npy version " + Twine(major));
  size_t start = major == 1 ? 10 : 12, length = kMostHeaderBytes;
  if (bytes.size() >= start)
    length = major == 1 ? llvm::support::endian::read16le(bytes.data() + 8)
                        : llvm::support::endian::read32le(bytes.data() + 8);
  bytes = source.getBytes(start + std::min(length, kMostHeaderBytes));
  if (bytes.size() < start + length)
    return fileError(file, "truncated .npy header");
  StringRef dict = bytes.substr(start, length);

  Header header;
  header.dataOffset = start + length;
  SmallVector<StringRef> match;
  if (!llvm::Regex("'descr': *'([^']*)'").match(dict, &match))
    return fileError(file, ".npy header without a plain 'descr'");
  header.descr = match[1].str();
  if (!llvm::Regex("'fortran_order': *(True|False)").match(dict, &match))
    return fileError(file, ".npy header without 'fortran_order'");
  if (match[1] == "True")
    return fileError(file, "Fortran order is not supported; save it with "
                           "numpy.ascontiguousarray");
  if (!llvm::Regex("'shape': *\\(([0-9, ]*)\\)").match(dict, &match))
    return fileError(file, ".npy header without 'shape'");
  SmallVector<StringRef> parts;
  match[1].split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    int64_t extent;
    if (part.trim().empty())
      continue;
    if (part.trim().getAsInteger(10, extent))
      return fileError(file, "bad extent '" + part.trim() + "' in .npy header");
    header.shape.push_back(extent);
  }
  return header;
}

/// Returns numpy's code for an element type; bf16 is stored as uint16.
static std::string getDescr(Type type) {
  if (type.isBF16())
    return "<u2";
  size_t bytes = HostTensor::getElementBytes(type);
  if (type.isInteger(1))
    return "|b1";
  char kind = isa<FloatType>(type) ? 'f' : type.isUnsignedInteger() ? 'u' : 'i';
  return (Twine(bytes == 1 ? "|" : "<") + Twine(kind) + Twine(bytes)).str();
}

static bool describes(StringRef descr, Type type) {
  if (descr == getDescr(type))
    return true;
  // MLIR's integers are signless, so numpy's signed and unsigned ones match.
  std::string other = getDescr(type);
  if (!isa<FloatType>(type) && other[1] == 'i')
    other[1] = 'u';
  return descr == other || (type.isBF16() && descr == "<i2");
}

static llvm::Expected<HostTensor> load(StringRef file, ShapedType type,
                                       bool allowF64) {
  Source source;
  if (llvm::Error error = source.open(file))
    return std::move(error);
  llvm::Expected<Header> header = readHeader(file, source);
  if (!header)
    return header.takeError();

  Type element = type.getElementType();
  Type f64 = Float64Type::get(type.getContext());
  if (allowF64 && isa<FloatType>(element) && header->descr == getDescr(f64))
    element = f64;
  if (!isNativeElement(element))
    return fileError(file, "numpy has no type for " + debugString(type));
  if (!describes(header->descr, element))
    return fileError(file, "has type '" + header->descr + "', expected '" +
                               getDescr(element) + "' for " +
                               debugString(type));
  if (failed(verifyCompatibleShape(header->shape, type.getShape())))
    return fileError(file, "has shape [" + HostTensor::getText(header->shape) +
                               "], expected " + debugString(type));
  if (!HostTensor::isAddressable(element, header->shape))
    return fileError(file, "shape is too large");
  uint64_t expected = HostTensor::getElementBytes(element);
  for (int64_t extent : header->shape)
    expected *= extent;
  // One byte more shows a pipe that goes on.
  StringRef data = source.getBytes(header->dataOffset + expected + 1)
                       .drop_front(header->dataOffset);
  if (data.size() != expected)
    return fileError(file, "has " + Twine(data.size()) +
                               " bytes of data, its " + "header says " +
                               Twine(expected));
  HostTensor tensor(element, header->shape);
  std::memcpy(tensor.getData(), data.data(), data.size());
  return tensor;
}

llvm::Expected<HostTensor> norm::loadNumpy(StringRef file, ShapedType type) {
  return load(file, type, /*allowF64=*/false);
}

llvm::Expected<HostTensor> norm::loadNumpyReference(StringRef file,
                                                    ShapedType type) {
  return load(file, type, /*allowF64=*/true);
}

llvm::Error norm::saveNumpy(StringRef file, const HostTensor &tensor) {
  if (!isNativeElement(tensor.getElementType()))
    return fileError(file, "numpy has no type for " +
                               debugString(tensor.getElementType()));
  std::string dict = "{'descr': '" + getDescr(tensor.getElementType()) +
                     "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : tensor.getShape())
    dict += std::to_string(extent) + ",";
  dict += "), }";
  // The data starts at a multiple of 64 bytes.
  dict.append(63 - (10 + dict.size()) % 64, ' ');
  dict += '\n';
  char length[2];
  llvm::support::endian::write16le(length, dict.size());
  std::string content("\x93NUMPY\x01\x00", 8);
  content.reserve(10 + dict.size() + tensor.getNumBytes());
  content.append(length, 2).append(dict);
  content.append(tensor.getData(), tensor.getNumBytes());
  return writeOutputFile(file, content);
}
