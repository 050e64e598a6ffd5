//===- Function.cpp - a compiled function as a Python callable ------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Function.h"
#include "Assertions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace norm_python;
using namespace llvm;

namespace {
struct Compiled {
  Signature signature;
  std::unique_ptr<mlir::norm::HostCode> code;
  void (*entry)(void **) = nullptr;
  void (*getExtents)(void **) = nullptr; ///< null: there is no such function
  std::vector<std::string> argumentTexts, resultTexts;
  int64_t numDynamic = 0; ///< dynamic extents of results
};

struct FunctionObject {
  PyObject base;
  Compiled *compiled;
};

/// A reference that is dropped at the end of the scope.
struct Reference {
  explicit Reference(PyObject *object = nullptr) : object(object) {}
  ~Reference() { Py_XDECREF(object); }
  Reference(const Reference &) = delete;
  Reference &operator=(const Reference &) = delete;
  PyObject *object;
};
} // namespace

std::string ParameterType::getText() const {
  std::string text = getName(element) + std::string("[");
  for (auto [d, extent] : enumerate(shape))
    text += (d ? ", " : "") + (extent < 0 ? "?" : std::to_string(extent));
  return text + "]";
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// The ranks are the same.
static bool hasShape(ArrayRef<int64_t> shape, const ParameterType &type) {
  for (auto [d, extent] : enumerate(type.shape))
    if (extent >= 0 && shape[d] != extent)
      return false;
  return true;
}

/// Returns whether the array fits; sets an error that names it otherwise.
static bool check(const Array &array, const ParameterType &type,
                  const char *kind, int number) {
  auto fail = [&](const std::string &problem) {
    setError("%s %d %s, expected %s", kind, number, problem.c_str(),
             type.getText().c_str());
    return false;
  };
  if (array.type != type.element)
    return fail("is " + (array.type == ElementType::Unknown
                             ? array.typeName
                             : std::string(getName(array.type))));
  if (size_t(array.rank) != type.shape.size())
    return fail("has rank " + std::to_string(array.rank));
  if (!hasShape(ArrayRef(array.shape, array.rank), type))
    return fail("has shape " + array.getShapeText());
  if (!array.isRowMajor()) {
    setError("%s %d is not contiguous; copy it with .contiguous() or "
             "numpy.ascontiguousarray",
             kind, number);
    return false;
  }
  if (!array.data && array.getNumBytes() > 0) {
    setError("%s %d is a null pointer: its memory was freed", kind, number);
    return false;
  }
  if (reinterpret_cast<uintptr_t>(array.data) % getBytes(array.type)) {
    setError("%s %d is not aligned to its elements of %d bytes", kind, number,
             int(getBytes(array.type)));
    return false;
  }
  return true;
}

static bool overlaps(const Array &x, const Array &y) {
  return x.data < y.data + y.getNumBytes() && y.data < x.data + x.getNumBytes();
}

/// Rejects results that share memory with an argument or another result: a
/// result may be written before the last read of an argument.
static bool checkOverlaps(ArrayRef<std::unique_ptr<Array>> arrays,
                          size_t numArguments) {
  for (size_t i = numArguments; i < arrays.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (overlaps(*arrays[i], *arrays[j])) {
        bool isArgument = j < numArguments;
        setError("result %d overlaps %s %d", int(i - numArguments),
                 isArgument ? "argument" : "result",
                 int(isArgument ? j : j - numArguments));
        return false;
      }
  return true;
}

static bool acquire(SmallVectorImpl<std::unique_ptr<Array>> &arrays,
                    PyObject *object, const ParameterType &type,
                    const char *kind, int number) {
  auto array = std::make_unique<Array>();
  if (!array->acquire(object, kind, number) ||
      !check(*array, type, kind, number))
    return false;
  arrays.push_back(std::move(array));
  return true;
}

static void setCountError(size_t given, ArrayRef<std::string> expected,
                          const char *kind) {
  std::string texts;
  for (const std::string &text : expected)
    texts += (texts.empty() ? "" : ", ") + text;
  setError("%d %s, expected %d: %s", int(given), kind, int(expected.size()),
           texts.c_str());
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
/// The addresses of memref descriptors: allocated, aligned, offset, sizes and
/// strides, all of them words.
class Descriptors {
public:
  void add(char *data, ArrayRef<int64_t> shape) {
    starts.push_back(words.size());
    words.append({reinterpret_cast<intptr_t>(data),
                  reinterpret_cast<intptr_t>(data), 0});
    words.append(shape.begin(), shape.end());
    size_t strides = words.size();
    words.resize(strides + shape.size());
    int64_t stride = 1;
    for (size_t d = shape.size(); d-- > 0;) {
      words[strides + d] = stride;
      stride *= shape[d];
    }
  }
  void add(const Array &array) {
    add(array.data, ArrayRef(array.shape, array.rank));
  }
  void **getAddresses() {
    addresses.clear();
    for (size_t start : starts)
      addresses.push_back(&words[start]);
    return addresses.data();
  }

private:
  SmallVector<int64_t, 64> words;
  SmallVector<size_t, 8> starts;
  SmallVector<void *, 8> addresses;
};
} // namespace

static bool run(void (*entry)(void **), Descriptors &descriptors) {
  void **addresses = descriptors.getAddresses();
  std::string failure;
  {
    WithoutGIL released;
    failure = runAsserted(entry, addresses);
  }
  if (!failure.empty())
    setError("%s", failure.c_str());
  return failure.empty();
}

/// Computes the dynamic extents of results, and checks those of arguments.
static bool computeExtents(const Compiled &compiled,
                           ArrayRef<std::unique_ptr<Array>> arguments,
                           SmallVectorImpl<int64_t> &extents) {
  extents.assign(std::max<int64_t>(compiled.numDynamic, 1), 0);
  if (!compiled.getExtents)
    return true;
  Descriptors descriptors;
  for (const auto &argument : arguments)
    descriptors.add(*argument);
  descriptors.add(reinterpret_cast<char *>(extents.data()),
                  {int64_t(extents.size())});
  return run(compiled.getExtents, descriptors);
}

/// Calls norm_mlir._arrays.empty(like, shape, type).
static PyObject *allocate(PyObject *like, ArrayRef<int64_t> shape,
                          ElementType type) {
  static PyObject *empty = nullptr;
  if (!empty) {
    Reference module(PyImport_ImportModule("norm_mlir._arrays"));
    empty = module.object ? PyObject_GetAttrString(module.object, "empty")
                          : nullptr;
    if (!empty)
      return nullptr;
  }
  Reference extents(PyTuple_New(shape.size()));
  if (!extents.object)
    return nullptr;
  for (auto [d, extent] : enumerate(shape))
    PyTuple_SetItem(extents.object, d, PyLong_FromLongLong(extent));
  Reference name(PyUnicode_InternFromString(getName(type)));
  return PyObject_CallFunctionObjArgs(empty, like, extents.object, name.object,
                                      nullptr);
}

/// Returns a tuple of new results for these extents.
static PyObject *allocateResults(const Compiled &compiled, PyObject *arguments,
                                 ArrayRef<int64_t> extents) {
  ArrayRef<ParameterType> types = compiled.signature.results;
  PyObject *like =
      PyTuple_Size(arguments) ? PyTuple_GetItem(arguments, 0) : Py_None;
  PyObject *results = PyTuple_New(types.size());
  const int64_t *next = extents.data();
  for (auto [i, type] : enumerate(types)) {
    SmallVector<int64_t, 8> shape;
    for (int64_t extent : type.shape)
      shape.push_back(extent < 0 ? *next++ : extent);
    PyObject *result = allocate(like, shape, type.element);
    if (!result) {
      Py_DECREF(results);
      return nullptr;
    }
    PyTuple_SetItem(results, i, result);
  }
  return results;
}

/// Returns `out` as a tuple of the right size, or null after an exception.
static PyObject *getGivenResults(const Compiled &compiled, PyObject *out) {
  PyObject *tuple;
  if (PyList_Check(out))
    tuple = PyList_AsTuple(out);
  else if (PyTuple_Check(out))
    tuple = Py_NewRef(out);
  else
    tuple = PyTuple_Pack(1, out);
  if (!tuple)
    return nullptr;
  if (size_t(PyTuple_Size(tuple)) != compiled.resultTexts.size()) {
    setCountError(PyTuple_Size(tuple), compiled.resultTexts, "results");
    Py_DECREF(tuple);
    return nullptr;
  }
  return tuple;
}

/// Checks the extents of a result that the caller gave.
static bool checkExtents(const Array &array, const ParameterType &type,
                         const int64_t *&next, int number) {
  ParameterType exact = type;
  for (int64_t &extent : exact.shape)
    if (extent < 0)
      extent = *next++;
  return check(array, exact, "result", number);
}

static bool acquireResults(const Compiled &compiled, PyObject *results,
                           ArrayRef<int64_t> extents,
                           SmallVectorImpl<std::unique_ptr<Array>> &arrays) {
  size_t numArguments = arrays.size();
  const int64_t *next = extents.data();
  for (auto [i, type] : enumerate(compiled.signature.results)) {
    if (!acquire(arrays, PyTuple_GetItem(results, i), type, "result", i) ||
        !checkExtents(*arrays.back(), type, next, i))
      return false;
    if (!arrays.back()->isWritable) {
      setError("result %d is read-only", int(i));
      return false;
    }
  }
  return checkOverlaps(arrays, numArguments);
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
    setCountError(PyTuple_Size(arguments), compiled.argumentTexts, "arguments");
    return nullptr;
  }
  SmallVector<std::unique_ptr<Array>, 8> arrays;
  for (auto [i, type] : enumerate(signature.arguments))
    if (!acquire(arrays, PyTuple_GetItem(arguments, i), type, "argument", i))
      return nullptr;
  SmallVector<int64_t, 8> extents;
  if (!computeExtents(compiled, arrays, extents))
    return nullptr;
  Reference results(out ? getGivenResults(compiled, out)
                        : allocateResults(compiled, arguments, extents));
  if (!results.object ||
      !acquireResults(compiled, results.object, extents, arrays))
    return nullptr;
  Descriptors descriptors;
  for (const auto &array : arrays)
    descriptors.add(*array);
  if (!run(compiled.entry, descriptors))
    return nullptr;
  return Py_NewRef(signature.results.size() == 1
                       ? PyTuple_GetItem(results.object, 0)
                       : results.object);
}

//===----------------------------------------------------------------------===//
// Calls without Python
//===----------------------------------------------------------------------===//

static bool fits(const Buffer &buffer, const ParameterType &type) {
  return buffer.element == type.element &&
         buffer.shape.size() == type.shape.size() &&
         hasShape(buffer.shape, type);
}

std::string norm_python::callFunction(uint64_t address,
                                      ArrayRef<Buffer> buffers) {
  const auto &compiled = *reinterpret_cast<const Compiled *>(address);
  const Signature &signature = compiled.signature;
  size_t numArguments = signature.arguments.size();
  if (buffers.size() != numArguments + signature.results.size())
    return std::to_string(buffers.size()) +
           " arguments and results, expected " +
           std::to_string(numArguments + signature.results.size());
  Descriptors all, arguments;
  SmallVector<int64_t, 8> given;
  for (auto [i, buffer] : enumerate(buffers)) {
    bool isArgument = i < numArguments;
    size_t number = isArgument ? i : i - numArguments;
    const ParameterType &type =
        (isArgument ? signature.arguments : signature.results)[number];
    if (!fits(buffer, type))
      return (isArgument ? "argument " : "result ") + std::to_string(number) +
             " is not " + type.getText();
    all.add(buffer.data, buffer.shape);
    if (isArgument)
      arguments.add(buffer.data, buffer.shape);
    else
      for (auto [extent, expected] : zip(buffer.shape, type.shape))
        if (expected < 0)
          given.push_back(extent);
  }
  if (compiled.getExtents) {
    SmallVector<int64_t, 8> extents(std::max<size_t>(given.size(), 1), 0);
    arguments.add(reinterpret_cast<char *>(extents.data()),
                  {int64_t(extents.size())});
    std::string failure =
        runAsserted(compiled.getExtents, arguments.getAddresses());
    if (!failure.empty())
      return failure;
    if (ArrayRef(extents).take_front(given.size()) != ArrayRef(given))
      return "a result has other extents than the function returns";
  }
  return runAsserted(compiled.entry, all.getAddresses());
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

static const Compiled &getCompiled(PyObject *self) {
  return *reinterpret_cast<FunctionObject *>(self)->compiled;
}

static PyObject *getTexts(ArrayRef<std::string> texts) {
  PyObject *tuple = PyTuple_New(texts.size());
  for (auto [i, text] : enumerate(texts))
    PyTuple_SetItem(tuple, i, PyUnicode_FromString(text.c_str()));
  return tuple;
}

static PyObject *getFunctionName(PyObject *self, void *) {
  return PyUnicode_FromString(getCompiled(self).signature.name.c_str());
}
static PyObject *getArguments(PyObject *self, void *) {
  return getTexts(getCompiled(self).argumentTexts);
}
static PyObject *getResults(PyObject *self, void *) {
  return getTexts(getCompiled(self).resultTexts);
}

static PyObject *getAddress(PyObject *self, void *) {
  return PyLong_FromUnsignedLongLong(
      reinterpret_cast<uintptr_t>(&getCompiled(self)));
}

static PyObject *represent(PyObject *self) {
  auto join = [](ArrayRef<std::string> texts) {
    return llvm::join(texts.begin(), texts.end(), ", ");
  };
  const Compiled &compiled = getCompiled(self);
  return PyUnicode_FromFormat(
      "<norm_mlir.Function %s(%s) -> (%s)>", compiled.signature.name.c_str(),
      join(compiled.argumentTexts).c_str(), join(compiled.resultTexts).c_str());
}

bool norm_python::addFunctionClass(PyObject *module) {
  static PyGetSetDef properties[] = {
      {"name", getFunctionName, nullptr, "the name in the program", nullptr},
      {"arguments", getArguments, nullptr,
       "the types of arguments, such as float32[?, 4096]", nullptr},
      {"results", getResults, nullptr, "the types of results", nullptr},
      {"address", getAddress, nullptr,
       "what calls without Python know it by, as long as it lives", nullptr},
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

static PyObject *raise(Error error) {
  setError("%s", toString(std::move(error)).c_str());
  return nullptr;
}

PyObject *norm_python::loadFunction(StringRef object, Signature signature,
                                    const std::string &openmpLibrary) {
  auto compiled = std::make_unique<Compiled>();
  mlir::norm::HostCode::Environment environment;
  environment.symbols = getAssertionSymbols();
  environment.openmpLibrary = openmpLibrary;
  auto code = mlir::norm::HostCode::load(object, environment);
  if (!code)
    return raise(code.takeError());
  auto entry = (*code)->lookup(signature.name);
  if (!entry)
    return raise(entry.takeError());
  compiled->entry = *entry;
  if (signature.hasShapeFunction) {
    auto getExtents = (*code)->lookup(
        (signature.name + mlir::norm::kShapeFunctionSuffix).str());
    if (!getExtents)
      return raise(getExtents.takeError());
    compiled->getExtents = *getExtents;
  }
  compiled->code = std::move(*code);
  for (const ParameterType &type : signature.arguments)
    compiled->argumentTexts.push_back(type.getText());
  for (const ParameterType &type : signature.results) {
    compiled->resultTexts.push_back(type.getText());
    compiled->numDynamic += count(type.shape, -1);
  }
  compiled->signature = std::move(signature);
  auto *self = PyObject_New(FunctionObject, functionClass);
  if (!self)
    return nullptr;
  self->compiled = compiled.release();
  return reinterpret_cast<PyObject *>(self);
}
