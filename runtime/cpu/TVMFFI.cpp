//===- TVMFFI.cpp - functions that the TVM FFI calls ----------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file is linked into the output of norm-compile --entry=tvm-ffi, which
// needs no library but C's: whoever loads it has that of the TVM FFI.
//
//===----------------------------------------------------------------------===//

#include "TVMFFI.h"
#include "Assertions.h"
#include "Descriptor.h"
#include <alloca.h>
#include <stdarg.h>
#include <stdio.h>

using namespace norm::tvm_ffi;

#pragma weak TVMFFIErrorSetRaisedFromCStr

/// Sets the error of this thread; a loader that has no such function gets it on
/// standard error.
__attribute__((format(printf, 2, 3))) static int fail(const char *kind,
                                                      const char *format, ...) {
  char message[1200];
  va_list values;
  va_start(values, format);
  vsnprintf(message, sizeof(message), format, values);
  va_end(values);
  if (TVMFFIErrorSetRaisedFromCStr)
    TVMFFIErrorSetRaisedFromCStr(kind, message);
  else
    fprintf(stderr, "%s: %s\n", kind, message);
  return -1;
}

namespace {
/// The position of a parameter, for messages.
struct Place {
  const Function &function;
  int32_t position;

  bool isArgument() const { return position < function.numArguments; }
  const char *getKind() const { return isArgument() ? "argument" : "result"; }
  int getNumber() const {
    return isArgument() ? position : position - function.numArguments;
  }
};

/// A memref descriptor.
struct Descriptor {
  int64_t *words;
  int64_t bytes;

  int64_t *getSizes() { return words + 3; }
};
} // namespace

static int64_t countElements(const DLTensor &tensor) {
  int64_t elements = 1;
  for (int32_t d = 0; d < tensor.ndim; ++d)
    elements *= tensor.shape[d];
  return elements;
}

static bool isRowMajor(const DLTensor &tensor) {
  if (!tensor.strides || countElements(tensor) == 0)
    return true;
  int64_t stride = 1;
  for (int32_t d = tensor.ndim; d-- > 0;) {
    if (tensor.shape[d] != 1 && tensor.strides[d] != stride)
      return false;
    stride *= tensor.shape[d];
  }
  return true;
}

static const DLTensor *getTensor(const TVMFFIAny &any) {
  if (any.type_index == kTVMFFIDLTensorPtr)
    return static_cast<const DLTensor *>(any.v_ptr);
  if (any.type_index == kTVMFFITensor)
    return reinterpret_cast<const DLTensor *>(any.v_obj + 1);
  return nullptr;
}

/// Writes a shape as in "[2, ?]".
static void print(char *text, size_t size, const int64_t *shape, int32_t rank) {
  size_t used = snprintf(text, size, "[");
  for (int32_t d = 0; d < rank && used < size; ++d)
    used += snprintf(text + used, size - used, d ? ", %lld" : "%lld",
                     static_cast<long long>(shape[d]));
  if (used < size)
    snprintf(text + used, size - used, "]");
}

static int checkType(const DLTensor &tensor, const Parameter &type,
                     Place place) {
  if (tensor.dtype.code == type.typeCode &&
      tensor.dtype.bits == type.typeBits && tensor.dtype.lanes == 1)
    return 0;
  return fail("TypeError",
              "%s %d has DLPack's type code %d with %d bits and %d lanes, "
              "expected %s",
              place.getKind(), place.getNumber(), tensor.dtype.code,
              tensor.dtype.bits, tensor.dtype.lanes, type.text);
}

static int checkShape(const DLTensor &tensor, const Parameter &type,
                      Place place) {
  if (tensor.ndim != type.rank)
    return fail("ValueError", "%s %d has rank %d, expected %s", place.getKind(),
                place.getNumber(), tensor.ndim, type.text);
  for (int32_t d = 0; d < type.rank; ++d)
    if (tensor.shape[d] < 0 ||
        (type.shape[d] >= 0 && tensor.shape[d] != type.shape[d])) {
      char shape[256];
      print(shape, sizeof(shape), tensor.shape, tensor.ndim);
      return fail("ValueError", "%s %d has shape %s, expected %s",
                  place.getKind(), place.getNumber(), shape, type.text);
    }
  return 0;
}

static int checkMemory(const DLTensor &tensor, const char *data, Place place) {
  const char *problem = nullptr;
  if (tensor.device.device_type != kDLCPU)
    problem = "is not on the CPU";
  else if (!isRowMajor(tensor))
    problem = "is not contiguous";
  else if (!tensor.data && countElements(tensor) > 0)
    problem = "is a null pointer";
  else if (reinterpret_cast<uintptr_t>(data) % ((tensor.dtype.bits + 7) / 8))
    problem = "is not aligned to its elements";
  if (!problem)
    return 0;
  return fail("ValueError", "%s %d %s", place.getKind(), place.getNumber(),
              problem);
}

/// Reads an argument of the call into a descriptor.
static int read(const TVMFFIAny &argument, Place place,
                Descriptor &descriptor) {
  const Parameter &type = place.function.parameters[place.position];
  const DLTensor *tensor = getTensor(argument);
  if (!tensor)
    return fail("TypeError", "%s %d is not a tensor, expected %s",
                place.getKind(), place.getNumber(), type.text);
  char *data = static_cast<char *>(tensor->data);
  if (data)
    data += tensor->byte_offset;
  if (checkType(*tensor, type, place) || checkShape(*tensor, type, place) ||
      checkMemory(*tensor, data, place))
    return -1;
  norm::cpu::writeDescriptor(descriptor.words, data, tensor->shape,
                             tensor->ndim);
  descriptor.bytes = countElements(*tensor) * ((tensor->dtype.bits + 7) / 8);
  return 0;
}

static bool overlap(const Descriptor &x, const Descriptor &y) {
  return x.words[0] < y.words[0] + y.bytes && y.words[0] < x.words[0] + x.bytes;
}

/// A result may be written before the last read of an argument.
static int checkOverlaps(const Function &function,
                         const Descriptor *descriptors) {
  int32_t count = function.numArguments + function.numResults;
  for (int32_t i = function.numArguments; i < count; ++i)
    for (int32_t j = 0; j < i; ++j)
      if (overlap(descriptors[i], descriptors[j])) {
        Place other{function, j};
        return fail("ValueError", "result %d overlaps %s %d",
                    i - function.numArguments, other.getKind(),
                    other.getNumber());
      }
  return 0;
}

/// Calls compiled code.
static int run(void (*entry)(void **), void **addresses) {
  norm::cpu::AssertedCall call;
  const char *message = norm::cpu::runAsserted(entry, addresses, call);
  return message ? fail("ValueError", "%s", message) : 0;
}

/// Compares the results with the extents that the function gives them.
static int checkExtents(const Function &function, Descriptor *descriptors,
                        const int64_t *extents) {
  for (int32_t i = 0; i < function.numResults; ++i) {
    const Parameter &type = function.parameters[function.numArguments + i];
    Descriptor &result = descriptors[function.numArguments + i];
    for (int32_t d = 0; d < type.rank; ++d) {
      if (type.shape[d] >= 0)
        continue;
      int64_t expected = *extents++;
      if (result.getSizes()[d] != expected)
        return fail("ValueError",
                    "result %d has %lld elements in dimension %d, expected "
                    "%lld",
                    i, static_cast<long long>(result.getSizes()[d]), d,
                    static_cast<long long>(expected));
    }
  }
  return 0;
}

/// Checks that dynamic extents fit each other.
static int checkExtents(const Function &function, Descriptor *descriptors) {
  if (!function.getExtents)
    return 0;
  size_t bytes = sizeof(int64_t) * function.numExtents;
  auto *extents = static_cast<int64_t *>(alloca(bytes));
  auto **addresses = static_cast<void **>(
      alloca(sizeof(void *) * (function.numArguments + 1)));
  for (int32_t i = 0; i < function.numArguments; ++i)
    addresses[i] = descriptors[i].words;
  int64_t words[5];
  norm::cpu::writeDescriptor(words, extents, &function.numExtents, 1);
  addresses[function.numArguments] = words;
  if (run(function.getExtents, addresses))
    return -1;
  return checkExtents(function, descriptors, extents);
}

int norm_tvm_ffi_call(const Function *function, const TVMFFIAny *arguments,
                      int32_t count) {
  if (count != function->numArguments + function->numResults)
    return fail("TypeError",
                "%d arguments, expected %d and %d results to write", count,
                function->numArguments, function->numResults);
  auto *descriptors =
      static_cast<Descriptor *>(alloca(sizeof(Descriptor) * (count + 1)));
  auto **addresses = static_cast<void **>(alloca(sizeof(void *) * (count + 1)));
  for (int32_t i = 0; i < count; ++i) {
    int32_t rank = function->parameters[i].rank;
    descriptors[i].words = static_cast<int64_t *>(
        alloca(sizeof(int64_t) * norm::cpu::getDescriptorWords(rank)));
    if (read(arguments[i], {*function, i}, descriptors[i]))
      return -1;
    addresses[i] = descriptors[i].words;
  }
  if (checkExtents(*function, descriptors) ||
      checkOverlaps(*function, descriptors))
    return -1;
  return run(function->entry, addresses);
}

long norm_tvm_ffi_write(int file, const void *data, unsigned long size) {
  return norm::cpu::writeMessage(file, data, size);
}

void norm_tvm_ffi_leave(void) { norm::cpu::leave(); }
