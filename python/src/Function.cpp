//===- Function.cpp - a compiled function as a Python callable ------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Function.h"
#include "Exchange.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace norm_python;
using namespace llvm;

namespace {
struct FunctionObject {
  PyObject base;
  Compiled *compiled;
};
} // namespace

/// Sets an exception; returns false if there was an error.
static bool succeeded(Error error) {
  if (!error)
    return true;
  setError("%s", toString(std::move(error)).c_str());
  return false;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
/// Who made an array: the caller's are checked for more.
enum class Origin { Caller, New };

/// The arguments and then the results of a call.
struct Arrays {
  explicit Arrays(const Place &place) : place(place) {}

  SmallVector<std::unique_ptr<Array>, 8> owned;
  SmallVector<const View *, 8> views;

  bool acquire(PyObject *object, const ParameterType &type, const char *kind,
               int number, Origin origin) {
    auto array = std::make_unique<Array>();
    bool isHeld = type.isScalar ? array->acquireScalar(object, type.element,
                                                       kind, number, Place())
                                : array->acquire(object, kind, number, place);
    if (!isHeld || (origin == Origin::Caller && !array->checkTorch(object)) ||
        !succeeded(check(*array, type, kind, number)))
      return false;
    if (type.isWritten && !array->isWritable) {
      setError("%s %d is read-only, and a result is written over it", kind,
               number);
      return false;
    }
    add(std::move(array));
    return true;
  }
  /// Adds a result that no one else sees yet.
  void addScalar(ElementType type) {
    auto array = std::make_unique<Array>();
    array->makeScalar(type);
    add(std::move(array));
  }

private:
  Place place;

  void add(std::unique_ptr<Array> array) {
    views.push_back(array.get());
    owned.push_back(std::move(array));
  }
};
} // namespace

/// Calls norm_mlir._arrays.empty(like, shape, type).
static PyObject *allocate(PyObject *like, ArrayRef<int64_t> shape,
                          ElementType type) {
  static PyObject *empty = nullptr;
  if (!empty) {
    Reference module(PyImport_ImportModule("norm_mlir._arrays"));
    empty = module ? PyObject_GetAttrString(module, "empty") : nullptr;
    if (!empty)
      return nullptr;
  }
  Reference extents(PyTuple_New(shape.size()));
  if (!extents)
    return nullptr;
  for (auto [d, extent] : enumerate(shape))
    PyTuple_SetItem(extents, d, PyLong_FromLongLong(extent));
  Reference name(PyUnicode_InternFromString(getName(type)));
  return PyObject_CallFunctionObjArgs(empty, like, extents.get(), name.get(),
                                      nullptr);
}

/// Returns a tuple of new results, with None for numbers.
static PyObject *allocateResults(const Signature &signature,
                                 ArrayRef<ParameterType> types,
                                 PyObject *arguments,
                                 const GPULibrary &library) {
  PyObject *like =
      PyTuple_Size(arguments) ? PyTuple_GetItem(arguments, 0) : Py_None;
  auto allocateOne = [&](const ParameterType &type) {
    return signature.isOnGPU ? allocate(library, type.shape, type.element)
                             : allocate(like, type.shape, type.element);
  };
  PyObject *results = PyTuple_New(types.size());
  for (auto [i, type] : enumerate(types)) {
    PyObject *result = type.isScalar ? Py_NewRef(Py_None) : allocateOne(type);
    if (!result) {
      Py_DECREF(results);
      return nullptr;
    }
    PyTuple_SetItem(results, i, result);
  }
  return results;
}

/// Returns a tuple of results with those of `out`, which has the tensors alone,
/// and None for numbers; null after an exception.
static PyObject *getGivenResults(const Compiled &compiled, PyObject *out) {
  Reference given(PyList_Check(out)    ? PyList_AsTuple(out)
                  : PyTuple_Check(out) ? Py_NewRef(out)
                                       : PyTuple_Pack(1, out));
  if (!given)
    return nullptr;
  ArrayRef<ParameterType> types = compiled.signature.results;
  SmallVector<std::string> tensors;
  for (const ParameterType &type : types)
    if (!type.isScalar)
      tensors.push_back(type.getText());
  if (size_t(PyTuple_Size(given)) != tensors.size()) {
    succeeded(makeCountError(PyTuple_Size(given), tensors, "results"));
    return nullptr;
  }
  PyObject *results = PyTuple_New(types.size());
  size_t position = 0;
  for (auto [i, type] : enumerate(types))
    PyTuple_SetItem(results, i,
                    Py_NewRef(type.isScalar
                                  ? Py_None
                                  : PyTuple_GetItem(given, position++)));
  return results;
}

static bool acquireResults(const Compiled &compiled, PyObject *results,
                           ArrayRef<ParameterType> types, Origin origin,
                           Arrays &arrays) {
  for (auto [i, type] : enumerate(types)) {
    if (type.isScalar) {
      arrays.addScalar(type.element);
      continue;
    }
    if (!arrays.acquire(PyTuple_GetItem(results, i), type, "result", i, origin))
      return false;
    if (!arrays.owned.back()->isWritable) {
      setError("result %d is read-only", int(i));
      return false;
    }
  }
  return succeeded(compiled.checkOverlaps(arrays.views)) &&
         (!compiled.signature.isOnGPU ||
          succeeded(compiled.checkDevices(arrays.views)));
}

/// Puts the numbers into the tuple of results.
static bool setNumbers(ArrayRef<ParameterType> types, PyObject *results,
                       ArrayRef<const View *> views) {
  for (auto [i, type] : enumerate(types)) {
    if (!type.isScalar)
      continue;
    PyObject *number = getNumber(*views[i]);
    if (!number || PyTuple_SetItem(results, i, number))
      return false;
  }
  return true;
}

/// Calls `function` while other threads of Python run.
static bool runReleased(function_ref<Error()> function) {
  Error error = [&] {
    WithoutGIL released;
    return function();
  }();
  return succeeded(std::move(error));
}

/// Returns the keyword `out`, a borrowed reference; null without one.
static bool getOut(PyObject *keywords, PyObject *&out) {
  out = nullptr;
  if (!keywords)
    return true;
  out = PyDict_GetItemString(keywords, "out");
  if (PyDict_Size(keywords) != (out ? 1 : 0)) {
    PyErr_SetString(PyExc_TypeError, "the only keyword argument is out");
    return false;
  }
  if (out == Py_None)
    out = nullptr;
  return true;
}

static PyObject *call(PyObject *self, PyObject *arguments, PyObject *keywords) {
  const Compiled &compiled =
      *reinterpret_cast<FunctionObject *>(self)->compiled;
  const Signature &signature = compiled.signature;
  PyObject *out;
  if (!getOut(keywords, out))
    return nullptr;
  if (size_t(PyTuple_Size(arguments)) != signature.arguments.size()) {
    Error error = makeCountError(PyTuple_Size(arguments),
                                 compiled.argumentTexts, "arguments");
    PyErr_SetString(PyExc_TypeError, toString(std::move(error)).c_str());
    return nullptr;
  }
  GPULibrary library;
  if (signature.isOnGPU && !findGPULibrary(arguments, library))
    return nullptr;
  Arrays arrays({signature.isOnGPU ? kDLCUDA : kDLCPU, library.stream});
  for (auto [i, type] : enumerate(signature.arguments))
    if (!arrays.acquire(PyTuple_GetItem(arguments, i), type, "argument", i,
                        Origin::Caller))
      return nullptr;
  SmallVector<int64_t, 8> extents;
  if (!runReleased(
          [&] { return compiled.computeExtents(arrays.views, extents); }))
    return nullptr;
  std::vector<ParameterType> types = compiled.getResultTypes(extents);
  Reference results(
      out ? getGivenResults(compiled, out)
          : allocateResults(signature, types, arguments, library));
  if (!results ||
      !acquireResults(compiled, results, types,
                      out ? Origin::Caller : Origin::New, arrays) ||
      !runReleased(
          [&] { return compiled.run(arrays.views, library.stream); }) ||
      !setNumbers(types, results,
                  ArrayRef(arrays.views).take_back(types.size())))
    return nullptr;
  return Py_NewRef(signature.results.size() == 1 ? PyTuple_GetItem(results, 0)
                                                 : results);
}

//===----------------------------------------------------------------------===//
// The class
//===----------------------------------------------------------------------===//

static PyTypeObject *functionClass = nullptr;

static void destroy(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  delete reinterpret_cast<FunctionObject *>(self)->compiled;
  auto free = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
  free(self);
  Py_DECREF(type);
}

const Compiled *norm_python::getCompiled(PyObject *object) {
  if (Py_TYPE(object) == functionClass)
    return reinterpret_cast<FunctionObject *>(object)->compiled;
  PyErr_SetString(PyExc_TypeError, "expected a norm_mlir.Function");
  return nullptr;
}

/// Returns a tuple of norm_mlir.TensorType.
static PyObject *getTypes(ArrayRef<ParameterType> types) {
  Reference module(PyImport_ImportModule("norm_mlir._types"));
  PyObject *tuple = module ? PyTuple_New(types.size()) : nullptr;
  for (size_t i = 0; tuple && i < types.size(); ++i) {
    Reference shape(types[i].isScalar ? Py_NewRef(Py_None)
                                      : PyTuple_New(types[i].shape.size()));
    for (auto [d, extent] : enumerate(types[i].shape))
      PyTuple_SetItem(shape, d,
                      extent < 0 ? Py_NewRef(Py_None)
                                 : PyLong_FromLongLong(extent));
    PyObject *type = PyObject_CallMethod(
        module, "TensorType", "sO", getName(types[i].element), shape.get());
    if (!type || PyTuple_SetItem(tuple, i, type))
      Py_CLEAR(tuple);
  }
  return tuple;
}

static PyObject *getFunctionName(PyObject *self, void *) {
  return PyUnicode_FromString(getCompiled(self)->signature.name.c_str());
}
static PyObject *getArguments(PyObject *self, void *) {
  return getTypes(getCompiled(self)->signature.arguments);
}
static PyObject *getResults(PyObject *self, void *) {
  return getTypes(getCompiled(self)->signature.results);
}

static PyObject *represent(PyObject *self) {
  auto join = [](ArrayRef<std::string> texts) {
    return llvm::join(texts.begin(), texts.end(), ", ");
  };
  const Compiled &compiled = *getCompiled(self);
  return PyUnicode_FromFormat(
      "<norm_mlir.Function %s(%s) -> (%s)>", compiled.signature.name.c_str(),
      join(compiled.argumentTexts).c_str(), join(compiled.resultTexts).c_str());
}

bool norm_python::addFunctionClass(PyObject *module) {
  static PyGetSetDef properties[] = {
      {"name", getFunctionName, nullptr, "the name in the program", nullptr},
      {"arguments", getArguments, nullptr,
       "the types of arguments, each a TensorType", nullptr},
      {"results", getResults, nullptr, "the types of results", nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr}};
  static PyType_Slot slots[] = {
      {Py_tp_call, reinterpret_cast<void *>(call)},
      {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
      {Py_tp_repr, reinterpret_cast<void *>(represent)},
      {Py_tp_getset, properties},
      {Py_tp_doc, const_cast<char *>("A compiled function.")},
      {0, nullptr}};
  static PyType_Spec spec = {
      "norm_mlir.Function", sizeof(FunctionObject), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  functionClass = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return functionClass &&
         !PyModule_AddObjectRef(module, "Function",
                                reinterpret_cast<PyObject *>(functionClass));
}

PyObject *norm_python::loadFunction(StringRef object, Signature signature,
                                    const std::string &openmpLibrary) {
  auto compiled = Compiled::load(object, std::move(signature), openmpLibrary);
  if (!succeeded(compiled.takeError()))
    return nullptr;
  auto *self = PyObject_New(FunctionObject, functionClass);
  if (!self)
    return nullptr;
  self->compiled = compiled->release();
  return reinterpret_cast<PyObject *>(self);
}
