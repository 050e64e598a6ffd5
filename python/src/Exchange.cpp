//===- Exchange.cpp - the exchange functions of DLPack --------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exchange.h"
#include "Array.h"
#include "llvm/ADT/SmallVector.h"

using namespace norm_python;
using namespace llvm;

/// Types are looked up once: a class that has them is a library's tensor and
/// lives as long as it does.
DLPackExchangeAPI *norm_python::getExchange(PyObject *type) {
  static PyObject *known = nullptr;
  static DLPackExchangeAPI *knownAPI = nullptr;
  if (type == known)
    return knownAPI;
  Reference capsule(PyObject_GetAttrString(type, "__dlpack_c_exchange_api__"));
  auto *api = capsule ? static_cast<DLPackExchangeAPI *>(PyCapsule_GetPointer(
                            capsule, "dlpack_exchange_api"))
                      : nullptr;
  PyErr_Clear();
  while (api && api->header.version.major != DLPACK_MAJOR_VERSION)
    api = reinterpret_cast<DLPackExchangeAPI *>(api->header.prev_api);
  if (!api || !api->dltensor_from_py_object_no_sync)
    return nullptr;
  Py_INCREF(type);
  Py_XDECREF(known);
  known = type;
  knownAPI = api;
  return api;
}

bool norm_python::findGPULibrary(PyObject *arguments, GPULibrary &library) {
  for (Py_ssize_t i = 0; i < PyTuple_Size(arguments); ++i) {
    PyObject *object = PyTuple_GetItem(arguments, i);
    DLPackExchangeAPI *api =
        getExchange(reinterpret_cast<PyObject *>(Py_TYPE(object)));
    if (!api)
      continue;
    DLTensor tensor;
    if (api->dltensor_from_py_object_no_sync(object, &tensor))
      return false;
    if (tensor.device.device_type != kDLCUDA)
      continue; // it is rejected with its number
    library.api = api;
    library.device = tensor.device;
    return !api->current_work_stream(tensor.device.device_type,
                                     tensor.device.device_id, &library.stream);
  }
  return true;
}

/// It may be called without Python's lock.
static void keepMessage(void *text, const char *, const char *message) {
  *static_cast<std::string *>(text) = message;
}

PyObject *norm_python::allocate(const GPULibrary &library,
                                ArrayRef<int64_t> shape, ElementType type) {
  if (!library.api) {
    setError("no argument has DLPack's exchange functions, which allocate "
             "results: pass out=");
    return nullptr;
  }
  SmallVector<int64_t> extents(shape);
  DLTensor prototype{};
  prototype.device = library.device;
  prototype.ndim = extents.size();
  prototype.dtype = getDLDataType(type);
  prototype.shape = extents.data();
  DLManagedTensorVersioned *tensor = nullptr;
  void *object = nullptr;
  std::string message = "it does not say why";
  if (library.api->managed_tensor_allocator(&prototype, &tensor, &message,
                                            keepMessage)) {
    if (!PyErr_Occurred())
      setError("the library of the arguments allocates no result: %s",
               message.c_str());
    return nullptr;
  }
  if (library.api->managed_tensor_to_py_object_no_sync(tensor, &object))
    return nullptr;
  return static_cast<PyObject *>(object);
}
