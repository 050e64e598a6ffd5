//===- XLA.cpp - compiled functions in programs of XLA --------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One handler serves all functions: a custom call names its function by a hash
// of the code. An address or a number would be wrong in a program that jax has
// taken from its cache on disk, which another process wrote.
//
//===----------------------------------------------------------------------===//

#include "XLA.h"
#include "Function.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include <mutex>
#include <shared_mutex>

using namespace norm_python;
using namespace llvm;

//===----------------------------------------------------------------------===//
// Published functions
//===----------------------------------------------------------------------===//

namespace {
struct Published {
  std::shared_mutex mutex;
  StringMap<const Compiled *> functions;
};
} // namespace

/// Never destroyed: a thread of XLA may outlive this module's destructors.
static Published &getPublished() {
  static auto *published = new Published;
  return *published;
}

PyObject *norm_python::publish(PyObject *, PyObject *function) {
  const Compiled *compiled = getCompiled(function);
  if (!compiled)
    return nullptr;
  if (compiled->signature.isOnGPU) {
    setError("a function of kernels is for arrays of a GPU, not for XLA's CPU");
    return nullptr;
  }
  for (auto [i, type] : enumerate(compiled->signature.arguments))
    if (type.isWritten) {
      setError("a result is written over argument %d, which no array of jax "
               "allows",
               int(i));
      return nullptr;
    }
  Published &published = getPublished();
  std::unique_lock<std::shared_mutex> lock(published.mutex);
  // A program that jax keeps may call it at any time, so it is never freed.
  if (published.functions.try_emplace(compiled->key, compiled).second)
    Py_INCREF(function);
  return PyUnicode_FromString(compiled->key.c_str());
}

static Expected<const Compiled *> findFunction(StringRef key) {
  Published &published = getPublished();
  std::shared_lock<std::shared_mutex> lock(published.mutex);
  if (const Compiled *compiled = published.functions.lookup(key))
    return compiled;
  return createStringError(
      "this process has not compiled the function of norm_mlir that the "
      "program calls; was the program made by another one?");
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Reads a buffer, null for another value, and compares it with the type.
static Error read(const void *value, const char *kind, size_t number,
                  const ParameterType &type, View &view) {
  if (!value)
    return createStringError(Twine(kind) + " " + Twine(number) +
                             " is not a buffer");
  const auto &buffer = *static_cast<const XLA_FFI_Buffer *>(value);
  view.type = getElementType(buffer.dtype);
  if (view.type == ElementType::Unknown)
    view.typeName = "of XLA's type " + std::to_string(buffer.dtype);
  if (buffer.rank > kMaxRank)
    return createStringError(Twine(kind) + " " + Twine(number) +
                             " has more than 8 dimensions");
  view.data = static_cast<char *>(buffer.data);
  view.rank = buffer.rank;
  int64_t stride = getBytes(view.type);
  for (int d = view.rank; d-- > 0;) {
    view.shape[d] = buffer.dims[d];
    view.strides[d] = stride;
    stride *= view.shape[d];
  }
  return check(view, type, kind, number);
}

static Error call(const Compiled &compiled, const XLA_FFI_Args &arguments,
                  const XLA_FFI_Rets &results) {
  if (size_t(arguments.size) != compiled.argumentTexts.size())
    return makeCountError(arguments.size, compiled.argumentTexts, "arguments");
  if (size_t(results.size) != compiled.resultTexts.size())
    return makeCountError(results.size, compiled.resultTexts, "results");
  SmallVector<View, 8> views(arguments.size + results.size);
  SmallVector<const View *, 8> addresses;
  for (const View &view : views)
    addresses.push_back(&view);
  for (auto [i, type] : enumerate(compiled.signature.arguments))
    if (Error error = read(arguments.types[i] == XLA_FFI_ArgType_BUFFER
                               ? arguments.args[i]
                               : nullptr,
                           "argument", i, type, views[i]))
      return error;
  SmallVector<int64_t, 8> extents;
  if (Error error = compiled.computeExtents(
          ArrayRef(addresses).take_front(arguments.size), extents))
    return error;
  for (auto [i, type] : enumerate(compiled.getResultTypes(extents)))
    if (Error error =
            read(results.types[i] == XLA_FFI_RetType_BUFFER ? results.rets[i]
                                                            : nullptr,
                 "result", i, type, views[arguments.size + i]))
      return error;
  if (Error error = compiled.checkOverlaps(addresses))
    return error;
  return compiled.run(addresses);
}

/// Returns the attribute "function".
static Expected<StringRef> getKey(const XLA_FFI_Attrs &attributes) {
  for (int64_t i = 0; i < attributes.size; ++i) {
    const XLA_FFI_ByteSpan &name = *attributes.names[i];
    if (StringRef(name.ptr, name.len) != "function" ||
        attributes.types[i] != XLA_FFI_AttrType_STRING)
      continue;
    const auto &text =
        *static_cast<const XLA_FFI_ByteSpan *>(attributes.attrs[i]);
    return StringRef(text.ptr, text.len);
  }
  return createStringError("the custom call names no function");
}

static Error call(const XLA_FFI_CallFrame &frame) {
  auto key = getKey(frame.attrs);
  if (!key)
    return key.takeError();
  auto compiled = findFunction(*key);
  if (!compiled)
    return compiled.takeError();
  return call(**compiled, frame.args, frame.rets);
}

/// Answers XLA's question for the version; returns false if it did not ask.
static bool describeHandler(const XLA_FFI_CallFrame &frame) {
  for (auto *extension = frame.extension_start; extension;
       extension = extension->next)
    if (extension->type == XLA_FFI_Extension_Metadata) {
      XLA_FFI_Metadata &metadata =
          *reinterpret_cast<XLA_FFI_Metadata_Extension *>(extension)->metadata;
      metadata.api_version.major_version = XLA_FFI_API_MAJOR;
      metadata.api_version.minor_version = XLA_FFI_API_MINOR;
      metadata.traits = 0;
      return true;
    }
  return false;
}

static XLA_FFI_Error *handle(XLA_FFI_CallFrame *frame) {
  if (describeHandler(*frame))
    return nullptr;
  Error error = call(*frame);
  if (!error)
    return nullptr;
  std::string message = toString(std::move(error));
  XLA_FFI_Error_Create_Args arguments{XLA_FFI_Error_Create_Args_STRUCT_SIZE,
                                      nullptr, message.c_str(),
                                      XLA_FFI_Error_Code_INVALID_ARGUMENT};
  return frame->api->XLA_FFI_Error_Create(&arguments);
}

PyObject *norm_python::getXLAHandler(PyObject *, PyObject *) {
  return PyCapsule_New(reinterpret_cast<void *>(handle), nullptr, nullptr);
}
