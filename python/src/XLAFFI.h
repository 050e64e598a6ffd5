//===- XLAFFI.h - the ABI of functions that XLA calls -----------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What this module reads of version 0.3 of XLA's FFI, whose C header is in
// jaxlib's wheel (xla/ffi/api/c_api.h). Fields are only ever appended to these
// structs, and XLA rejects a handler of a version that it does not support.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_PYTHON_XLAFFI_H
#define NORM_PYTHON_XLAFFI_H

#include <cstddef>
#include <cstdint>

namespace norm_python::xla {

constexpr int kMajor = 0, kMinor = 3;

struct Error;
struct Context;
struct Future;
struct InternalAPI;

enum ExtensionType { kMetadata = 1 };
struct Extension {
  size_t size;
  ExtensionType type;
  Extension *next;
};

struct Version {
  size_t size;
  Extension *extensions;
  int major, minor;
};

/// What a handler that is called with this extension describes itself by.
struct Metadata {
  size_t size;
  Version version;
  uint32_t traits;
};
struct MetadataExtension {
  Extension base;
  Metadata *metadata;
};

enum ErrorCode { kInvalidArgument = 3 };
struct ErrorArguments {
  size_t size;
  Extension *extensions;
  const char *message; ///< copied
  ErrorCode code;
};
struct API {
  size_t size;
  Extension *extensions;
  Version version;
  const InternalAPI *internal;
  Error *(*createError)(ErrorArguments *arguments);
};

enum DataType {
  kBool = 1,
  kI8 = 2,
  kI16 = 3,
  kI32 = 4,
  kI64 = 5,
  kU8 = 6,
  kU16 = 7,
  kU32 = 8,
  kU64 = 9,
  kF16 = 10,
  kF32 = 11,
  kF64 = 12,
  kC64 = 15,
  kBF16 = 16,
  kC128 = 18,
  kF8E5M2 = 19,
  kF8E4M3FN = 20
};
struct Buffer {
  size_t size;
  Extension *extensions;
  DataType type;
  void *data; ///< row-major
  int64_t rank;
  int64_t *shape;
};

enum ValueType { kBuffer = 1 };
struct Values {
  size_t size;
  Extension *extensions;
  int64_t count;
  ValueType *types;
  void **values;
};

enum AttributeType { kString = 4 };
struct Text {
  const char *data;
  size_t size;
};
struct Attributes {
  size_t size;
  Extension *extensions;
  int64_t count;
  AttributeType *types;
  Text **names;
  void **values;
};

enum Stage { kExecute = 3 };
struct CallFrame {
  size_t size;
  Extension *extensions;
  const API *api;
  Context *context;
  Stage stage;
  Values arguments, results;
  Attributes attributes;
};

/// A null error is success.
using Handler = Error *(CallFrame *frame);

} // namespace norm_python::xla

#endif // NORM_PYTHON_XLAFFI_H
