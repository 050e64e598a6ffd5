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
#include "XLAFFI.h"
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

/// Reads a buffer and compares it with the type.
static Error read(const xla::Values &values, size_t number, const char *kind,
                  const ParameterType &type, View &view) {
  if (values.types[number] != xla::kBuffer)
    return createStringError(Twine(kind) + " " + Twine(number) +
                             " is not a buffer");
  const auto &buffer = *static_cast<const xla::Buffer *>(values.values[number]);
  view.type = getElementType(buffer.type);
  if (view.type == ElementType::Unknown)
    view.typeName = "of XLA's type " + std::to_string(buffer.type);
  if (buffer.rank > kMaxRank)
    return createStringError(Twine(kind) + " " + Twine(number) +
                             " has more than 8 dimensions");
  view.data = static_cast<char *>(buffer.data);
  view.rank = buffer.rank;
  int64_t stride = getBytes(view.type);
  for (int d = view.rank; d-- > 0;) {
    view.shape[d] = buffer.shape[d];
    view.strides[d] = stride;
    stride *= view.shape[d];
  }
  return check(view, type, kind, number);
}

static Error call(const Compiled &compiled, const xla::Values &arguments,
                  const xla::Values &results) {
  if (size_t(arguments.count) != compiled.argumentTexts.size())
    return makeCountError(arguments.count, compiled.argumentTexts, "arguments");
  if (size_t(results.count) != compiled.resultTexts.size())
    return makeCountError(results.count, compiled.resultTexts, "results");
  SmallVector<View, 8> views(arguments.count + results.count);
  SmallVector<const View *, 8> addresses;
  for (const View &view : views)
    addresses.push_back(&view);
  for (auto [i, type] : enumerate(compiled.signature.arguments))
    if (Error error = read(arguments, i, "argument", type, views[i]))
      return error;
  SmallVector<int64_t, 8> extents;
  if (Error error = compiled.computeExtents(
          ArrayRef(addresses).take_front(arguments.count), extents))
    return error;
  for (auto [i, type] : enumerate(compiled.getResultTypes(extents)))
    if (Error error =
            read(results, i, "result", type, views[arguments.count + i]))
      return error;
  if (Error error = compiled.checkOverlaps(addresses))
    return error;
  return compiled.run(addresses);
}

/// Returns the attribute "function".
static Expected<StringRef> getKey(const xla::Attributes &attributes) {
  for (int64_t i = 0; i < attributes.count; ++i) {
    const xla::Text &name = *attributes.names[i];
    if (StringRef(name.data, name.size) != "function" ||
        attributes.types[i] != xla::kString)
      continue;
    const auto &text = *static_cast<const xla::Text *>(attributes.values[i]);
    return StringRef(text.data, text.size);
  }
  return createStringError("the custom call names no function");
}

static Error call(const xla::CallFrame &frame) {
  auto key = getKey(frame.attributes);
  if (!key)
    return key.takeError();
  auto compiled = findFunction(*key);
  if (!compiled)
    return compiled.takeError();
  return call(**compiled, frame.arguments, frame.results);
}

/// Answers XLA's question for the version; returns false if it did not ask.
static bool describeHandler(const xla::CallFrame &frame) {
  for (xla::Extension *extension = frame.extensions; extension;
       extension = extension->next)
    if (extension->type == xla::kMetadata) {
      xla::Metadata &metadata =
          *reinterpret_cast<xla::MetadataExtension *>(extension)->metadata;
      metadata.version.major = xla::kMajor;
      metadata.version.minor = xla::kMinor;
      metadata.traits = 0;
      return true;
    }
  return false;
}

static xla::Error *handle(xla::CallFrame *frame) {
  if (describeHandler(*frame))
    return nullptr;
  Error error = call(*frame);
  if (!error)
    return nullptr;
  std::string message = toString(std::move(error));
  xla::ErrorArguments arguments{sizeof(xla::ErrorArguments), nullptr,
                                message.c_str(), xla::kInvalidArgument};
  return frame->api->createError(&arguments);
}

PyObject *norm_python::getXLAHandler(PyObject *, PyObject *) {
  xla::Handler *handler = handle;
  return PyCapsule_New(reinterpret_cast<void *>(handler), nullptr, nullptr);
}
