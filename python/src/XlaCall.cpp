//===- XlaCall.cpp - calls from XLA ---------------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// XLA calls a handler of its foreign function interface with the addresses of
// its buffers, from its own threads and without the GIL. The structures are
// those of version 0.3 of that interface, of which XLA keeps the layout
// (jaxlib/include/xla/ffi/api/c_api.h); only what is read here has names.
//
//===----------------------------------------------------------------------===//

#include "XlaCall.h"
#include "Function.h"

using namespace norm_python;

namespace {
struct Extension {
  size_t size;
  int type; // 1: metadata
  Extension *next;
};

struct Version {
  size_t size;
  Extension *extensions;
  int major, minor;
};

struct Metadata {
  size_t size;
  Version version;
  uint32_t traits;
};

struct MetadataExtension {
  Extension base;
  Metadata *metadata;
};

struct ErrorArguments {
  size_t size;
  Extension *extensions;
  const char *message;
  int code;
};

struct Api {
  size_t size;
  Extension *extensions;
  Version version;
  const void *internal;
  void *(*createError)(ErrorArguments *);
};

struct XlaBuffer {
  size_t size;
  Extension *extensions;
  int type;
  void *data;
  int64_t rank;
  int64_t *dims;
};

struct BufferList {
  size_t size;
  Extension *extensions;
  int64_t count;
  int *kinds; // 1: a buffer
  void **items;
};

struct Name {
  const char *text;
  size_t length;
};

struct Scalar {
  int type;
  void *value;
};

struct Attributes {
  size_t size;
  Extension *extensions;
  int64_t count;
  int *kinds; // 3: a scalar
  Name **names;
  void **items;
};

struct CallFrame {
  size_t size;
  Extension *extensions;
  const Api *api;
  void *context;
  int stage;
  BufferList arguments, results;
  Attributes attributes;
};

constexpr int kMetadataExtension = 1, kBuffer = 1, kScalar = 3, kInt64 = 5;
constexpr int kInvalidArgument = 3;
} // namespace

static ElementType getElement(int type) {
  switch (type) {
  case 1:
    return ElementType::Bool;
  case 2:
    return ElementType::I8;
  case 3:
    return ElementType::I16;
  case 4:
    return ElementType::I32;
  case kInt64:
    return ElementType::I64;
  case 10:
    return ElementType::F16;
  case 11:
    return ElementType::F32;
  case 12:
    return ElementType::F64;
  case 16:
    return ElementType::BF16;
  default:
    return ElementType::Unknown;
  }
}

/// XLA asks each handler once which version it was written for.
static bool answerMetadata(const CallFrame &frame) {
  for (Extension *e = frame.extensions; e; e = e->next)
    if (e->type == kMetadataExtension) {
      Metadata *metadata = reinterpret_cast<MetadataExtension *>(e)->metadata;
      metadata->version.major = 0;
      metadata->version.minor = 3;
      metadata->traits = 0;
      return true;
    }
  return false;
}

static uint64_t findFunction(const Attributes &attributes) {
  for (int64_t i = 0; i < attributes.count; ++i) {
    llvm::StringRef name(attributes.names[i]->text,
                         attributes.names[i]->length);
    auto *scalar = static_cast<Scalar *>(attributes.items[i]);
    if (name == "function" && attributes.kinds[i] == kScalar &&
        scalar->type == kInt64)
      return *static_cast<uint64_t *>(scalar->value);
  }
  return 0;
}

static void addBuffers(const BufferList &list,
                       llvm::SmallVectorImpl<Buffer> &buffers) {
  for (int64_t i = 0; i < list.count; ++i) {
    if (list.kinds[i] != kBuffer)
      continue;
    auto *buffer = static_cast<XlaBuffer *>(list.items[i]);
    buffers.push_back({getElement(buffer->type),
                       static_cast<char *>(buffer->data),
                       llvm::ArrayRef(buffer->dims, buffer->rank)});
  }
}

static void *handle(CallFrame *frame) {
  if (answerMetadata(*frame))
    return nullptr;
  llvm::SmallVector<Buffer, 8> buffers;
  addBuffers(frame->arguments, buffers);
  addBuffers(frame->results, buffers);
  uint64_t function = findFunction(frame->attributes);
  std::string failure = function ? callFunction(function, buffers)
                                 : "no attribute 'function' of type int64";
  if (failure.empty())
    return nullptr;
  ErrorArguments error{sizeof(ErrorArguments), nullptr, failure.c_str(),
                       kInvalidArgument};
  return frame->api->createError(&error);
}

PyObject *norm_python::getXlaHandler(PyObject *, PyObject *) {
  return PyCapsule_New(reinterpret_cast<void *>(handle),
                       "xla._CUSTOM_CALL_TARGET", nullptr);
}
