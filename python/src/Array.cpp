//===- Array.cpp - the memory of a Python object --------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Array.h"
#include "Exchange.h"
#include <algorithm>
#include <cstdarg>
#include <cstring>
#include <iterator>

using namespace norm_python;

PyObject *norm_python::normError = nullptr;

void norm_python::setError(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  PyErr_FormatV(normError, format, arguments);
  va_end(arguments);
}

//===----------------------------------------------------------------------===//
// Protocols
//===----------------------------------------------------------------------===//

Array::Found Array::fail(const char *reason) const {
  setError("%s %d %s", kind, number, reason);
  return Found::Error;
}

Array::Found Array::checkRank(int64_t given) {
  if (given > kMaxRank)
    return fail("has more than 8 dimensions");
  rank = given;
  return Found::Yes;
}

Array::Found Array::failPlace() const {
  return fail(place.device == kDLCPU ? "is not on the CPU"
                                     : "is not on an NVIDIA GPU");
}

Array::Found Array::read(const DLTensor &tensor) {
  if (tensor.device.device_type != place.device)
    return failPlace();
  device = tensor.device.device_id;
  if (checkRank(tensor.ndim) == Found::Error)
    return Found::Error;
  type = getElementType(tensor.dtype);
  int64_t bytes = (int64_t(tensor.dtype.bits) * tensor.dtype.lanes + 7) / 8;
  if (type == ElementType::Unknown)
    typeName = "a DLPack type of code " + std::to_string(tensor.dtype.code) +
               " with " + std::to_string(tensor.dtype.bits) + " bits";
  int64_t stride = bytes;
  for (int d = rank; d-- > 0;) {
    shape[d] = tensor.shape[d];
    strides[d] = tensor.strides ? tensor.strides[d] * bytes : stride;
    stride *= shape[d];
  }
  data = static_cast<char *>(tensor.data);
  if (data)
    data += tensor.byte_offset;
  return Found::Yes;
}

Array::Found Array::acquireExchange(PyObject *object) {
  DLPackExchangeAPI *api =
      getExchange(reinterpret_cast<PyObject *>(Py_TYPE(object)));
  if (!api)
    return Found::No;
  DLTensor tensor;
  if (api->dltensor_from_py_object_no_sync(object, &tensor))
    return Found::Error;
  isWritable = true;
  return read(tensor);
}

/// After an exception of one protocol: forgets it and returns No if the object
/// has another one, `attribute`.
Array::Found Array::tryNext(PyObject *object, const char *attribute) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (!PyObject_HasAttrString(object, attribute)) {
    PyErr_Restore(type, value, traceback);
    return Found::Error;
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
  return Found::No;
}

Array::Found Array::acquireBuffer(PyObject *object) {
  if (place.device != kDLCPU || !PyObject_CheckBuffer(object))
    return Found::No;
  // numpy exports no bfloat16 this way, and jax only some types.
  if (PyObject_GetBuffer(object, &buffer, PyBUF_RECORDS_RO))
    return tryNext(object, "__dlpack__");
  hasBuffer = true;
  if (checkRank(buffer.ndim) == Found::Error)
    return Found::Error;
  type = getElementTypeOfFormat(buffer.format, buffer.itemsize);
  if (type == ElementType::Unknown)
    typeName = std::string("of the format '") +
               (buffer.format ? buffer.format : "B") + "'";
  isWritable = !buffer.readonly;
  data = static_cast<char *>(buffer.buf);
  for (int d = 0; d < rank; ++d) {
    shape[d] = buffer.shape[d];
    strides[d] = buffer.strides[d];
  }
  return Found::Yes;
}

/// Calls `object.__dlpack__`, asking for a version with flags where it can.
static PyObject *callDLPack(PyObject *object, const Place &place) {
  Reference method(PyObject_GetAttrString(object, "__dlpack__"));
  if (!method)
    return nullptr;
  Reference none(PyTuple_New(0)), keywords(PyDict_New());
  if (place.device != kDLCPU) {
    // Work of the exporter comes before ours; 1 is the default stream.
    Reference stream(PyLong_FromVoidPtr(
        place.stream ? place.stream : reinterpret_cast<void *>(1)));
    if (!stream || PyDict_SetItemString(keywords, "stream", stream))
      return nullptr;
  }
  Reference version(Py_BuildValue("(ii)", 1, 0));
  if (!version || PyDict_SetItemString(keywords, "max_version", version))
    return nullptr;
  PyObject *capsule = PyObject_Call(method, none, keywords);
  if (capsule || !PyErr_ExceptionMatches(PyExc_TypeError))
    return capsule;
  PyErr_Clear();
  if (PyDict_DelItemString(keywords, "max_version"))
    return nullptr;
  return PyObject_Call(method, none, keywords);
}

Array::Found Array::acquireCapsule(PyObject *object) {
  if (!PyObject_HasAttrString(object, "__dlpack_device__"))
    return Found::No;
  Reference device(PyObject_CallMethod(object, "__dlpack_device__", nullptr));
  long deviceType = 0;
  if (device && PyTuple_Check(device) && PyTuple_Size(device) == 2) {
    // It may be an enum of the library.
    Reference first(PyNumber_Long(PyTuple_GetItem(device, 0)));
    deviceType = first ? PyLong_AsLong(first) : 0;
  }
  if (PyErr_Occurred())
    return Found::Error;
  if (deviceType != place.device)
    return failPlace();
  owner = callDLPack(object, place);
  // numpy's bfloat16 is only in its own interface.
  if (!owner)
    return tryNext(object, "__array_interface__");
  // The capsule stays ours and unused, so that its destructor frees it.
  if (PyCapsule_IsValid(owner, "dltensor_versioned")) {
    auto *managed = static_cast<DLManagedTensorVersioned *>(
        PyCapsule_GetPointer(owner, "dltensor_versioned"));
    if (managed->version.major != DLPACK_MAJOR_VERSION)
      return fail("has a version of DLPack other than 1");
    isWritable = !(managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY);
    return read(managed->dl_tensor);
  }
  if (!PyCapsule_IsValid(owner, "dltensor"))
    return fail("has a __dlpack__ that gives no tensor");
  // It cannot say whether it may be written.
  isWritable = false;
  return read(
      static_cast<DLManagedTensor *>(PyCapsule_GetPointer(owner, "dltensor"))
          ->dl_tensor);
}

/// Reads a tuple of integers.
static bool readTuple(PyObject *tuple, int64_t *values, int rank) {
  if (!tuple || !PyTuple_Check(tuple) || PyTuple_Size(tuple) != rank)
    return false;
  for (int d = 0; d < rank; ++d)
    values[d] = PyLong_AsLongLong(PyTuple_GetItem(tuple, d));
  return !PyErr_Occurred();
}

/// Returns str(object.dtype), which ml_dtypes names bfloat16 by.
static std::string getDTypeName(PyObject *object) {
  Reference dtype(PyObject_GetAttrString(object, "dtype"));
  Reference text(dtype ? PyObject_Str(dtype) : nullptr);
  const char *name = text ? PyUnicode_AsUTF8AndSize(text, nullptr) : nullptr;
  PyErr_Clear();
  return name ? name : "";
}

Array::Found Array::acquireInterface(PyObject *object) {
  if (place.device != kDLCPU)
    return Found::No;
  PyObject *interface = PyObject_GetAttrString(object, "__array_interface__");
  if (!interface || !PyDict_Check(interface)) {
    PyErr_Clear();
    Py_XDECREF(interface);
    return Found::No;
  }
  owner = interface;
  PyObject *shapes = PyDict_GetItemString(interface, "shape");
  PyObject *steps = PyDict_GetItemString(interface, "strides");
  PyObject *memory = PyDict_GetItemString(interface, "data");
  if (!shapes || !PyTuple_Check(shapes) || !memory || !PyTuple_Check(memory) ||
      PyTuple_Size(memory) != 2)
    return Found::No;
  if (checkRank(PyTuple_Size(shapes)) == Found::Error)
    return Found::Error;
  typeName = getDTypeName(object);
  type = getElementType(typeName);
  data = static_cast<char *>(PyLong_AsVoidPtr(PyTuple_GetItem(memory, 0)));
  isWritable = PyObject_IsTrue(PyTuple_GetItem(memory, 1)) == 0;
  if (!readTuple(shapes, shape, rank))
    return fail("has no shape");
  bool hasSteps = steps && steps != Py_None;
  int64_t stride = getBytes(type);
  for (int d = rank; d-- > 0;) {
    strides[d] = stride;
    stride *= shape[d];
  }
  if (hasSteps && !readTuple(steps, strides, rank))
    return fail("has no strides");
  return Found::Yes;
}

bool Array::acquire(PyObject *object, const char *what, int index,
                    const Place &wanted) {
  kind = what;
  number = index;
  place = wanted;
  using Protocol = Found (Array::*)(PyObject *);
  static constexpr Protocol protocols[] = {
      &Array::acquireBuffer, &Array::acquireExchange, &Array::acquireCapsule,
      &Array::acquireInterface};
  for (Protocol protocol : protocols) {
    Found found = (this->*protocol)(object);
    if (found != Found::No)
      return found == Found::Yes;
  }
  Reference name(PyObject_GetAttrString(
      reinterpret_cast<PyObject *>(Py_TYPE(object)), "__name__"));
  PyErr_Format(
      PyExc_TypeError,
      "%s %d is a %S, which has neither DLPack nor the buffer protocol", kind,
      number, name ? name.get() : Py_None);
  return false;
}

void Array::makeScalar(ElementType element) {
  type = element;
  rank = 0;
  data = scalar;
  isWritable = true;
}

/// Stores one of ml_dtypes' scalars, which show no memory, as setNumber does.
static int setSmallFloat(PyObject *object, ElementType type, char *scalar) {
  if (PyObject_HasAttrString(object, "__dlpack__") ||
      getDTypeName(object) != getName(type))
    return 0;
  Reference number(PyNumber_Float(object));
  return number ? setNumber(number, type, scalar) : -1;
}

bool Array::acquireScalar(PyObject *object, ElementType element,
                          const char *what, int index, const Place &wanted) {
  int set = setNumber(object, element, scalar);
  if (set == 0 && (PyLong_Check(object) || PyFloat_Check(object) ||
                   PyComplex_Check(object))) {
    PyErr_Format(PyExc_TypeError, "%s %d is %S, expected a number of %s", what,
                 index, object, getName(element));
    return false;
  }
  if (set == 0 &&
      (element == ElementType::BF16 || element == ElementType::F8E4M3FN ||
       element == ElementType::F8E5M2))
    set = setSmallFloat(object, element, scalar);
  if (set == 0)
    return acquire(object, what, index, wanted);
  makeScalar(element);
  return set > 0;
}

/// Returns the truth of a value: -1 after an exception.
static int getTruth(const Reference &value) {
  return value ? PyObject_IsTrue(value) : -1;
}

/// Returns whether torch records what happens to `tensor`: -1 after an
/// exception.
static int isRecorded(PyObject *tensor) {
  static PyObject *gradient = PyUnicode_InternFromString("requires_grad");
  int isNeeded = getTruth(Reference(PyObject_GetAttr(tensor, gradient)));
  if (isNeeded != 1)
    return isNeeded;
  Reference torch(PyImport_ImportModule("torch"));
  return getTruth(
      Reference(torch ? PyObject_CallMethod(torch, "is_grad_enabled", nullptr)
                      : nullptr));
}

/// Returns whether torch differentiates `tensor` forward: -1 after an
/// exception.
static int hasTangent(PyObject *tensor) {
  static PyObject *forward = PyImport_ImportModule("torch.autograd.forward_ad");
  Reference level(forward ? PyObject_GetAttrString(forward, "_current_level")
                          : nullptr);
  if (!level)
    return -1;
  if (PyLong_AsLong(level) < 0)
    return PyErr_Occurred() ? -1 : 0;
  Reference dual(PyObject_CallMethod(forward, "unpack_dual", "O", tensor));
  Reference tangent(dual ? PyObject_GetAttrString(dual, "tangent") : nullptr);
  return tangent ? tangent != Py_None : -1;
}

bool Array::checkTorch(PyObject *object) const {
  if (hasBuffer || data == scalar)
    return true;
  static PyObject *negation = PyUnicode_InternFromString("is_neg");
  int isNegation = getTruth(
      Reference(PyObject_CallMethodObjArgs(object, negation, nullptr)));
  if (isNegation < 0 && PyErr_ExceptionMatches(PyExc_AttributeError)) {
    PyErr_Clear();
    return true;
  }
  int isConjugate =
      isNegation == 0 && isComplex(type)
          ? getTruth(Reference(PyObject_CallMethod(object, "is_conj", nullptr)))
          : 0;
  int isInGraph = isNegation == 0 && isConjugate == 0 ? isRecorded(object) : 0;
  if (isNegation == 1)
    fail("is a lazy negation; copy it with .resolve_neg()");
  if (isConjugate == 1)
    fail("is a lazy conjugate; copy it with .resolve_conj()");
  if (isInGraph == 1)
    fail("requires a gradient, which a call does not record: call under "
         "torch.no_grad(), or pass .detach()");
  bool isPlain = isNegation == 0 && isConjugate == 0 && isInGraph == 0;
  int isDual = isPlain ? hasTangent(object) : 0;
  if (isDual == 1)
    fail("has a tangent, which a call does not compute; pass .detach()");
  return isPlain && isDual == 0;
}

void Array::release() {
  if (hasBuffer)
    PyBuffer_Release(&buffer);
  hasBuffer = false;
  Py_XDECREF(owner);
  owner = nullptr;
}

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

bool View::isRowMajor() const {
  int64_t stride = getBytes(type);
  if (std::find(shape, shape + rank, 0) != shape + rank)
    return true;
  for (int d = rank; d-- > 0;) {
    if (shape[d] != 1 && strides[d] != stride)
      return false;
    stride *= shape[d];
  }
  return true;
}

int64_t View::getNumBytes() const {
  int64_t bytes = getBytes(type);
  for (int d = 0; d < rank; ++d)
    bytes *= shape[d];
  return bytes;
}

std::string View::getShapeText() const {
  std::string text = "[";
  for (int d = 0; d < rank; ++d)
    text += (d ? ", " : "") + std::to_string(shape[d]);
  return text + "]";
}
