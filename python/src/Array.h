//===- Array.h - the memory of a Python object ------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_PYTHON_ARRAY_H
#define NORM_PYTHON_ARRAY_H

#include "ElementType.h"
#include <Python.h>
#include <string>

namespace norm_python {

constexpr int kMaxRank = 8;

/// A reference that is dropped at the end of the scope.
class Reference {
public:
  explicit Reference(PyObject *object = nullptr) : object(object) {}
  ~Reference() { Py_XDECREF(object); }
  Reference(const Reference &) = delete;
  Reference &operator=(const Reference &) = delete;
  operator PyObject *() const { return object; }
  PyObject *get() const { return object; }

private:
  PyObject *object;
};

/// Where memory must be: on the CPU, or on a GPU, where a stream uses it.
struct Place {
  DLDeviceType device = kDLCPU;
  void *stream = nullptr; ///< null: the default one
};

/// The memory of an argument or a result.
struct View {
  bool isRowMajor() const;
  int64_t getNumBytes() const;
  std::string getShapeText() const;

  char *data = nullptr;
  int rank = 0;
  ElementType type = ElementType::Unknown;
  std::string typeName; ///< of an unknown type
  int64_t shape[kMaxRank];
  int64_t strides[kMaxRank]; ///< in bytes
  int device = 0;            ///< which of the GPUs
};

/// The memory of a numpy array, a tensor or another exporter, held until this
/// object dies.
class Array : public View {
public:
  Array() = default;
  ~Array() { release(); }
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;

  /// Reads `object`, by the buffer protocol, the exchange functions of DLPack,
  /// `__dlpack__` or numpy's `__array_interface__`, whichever it has first.
  /// Memory of a GPU has DLPack alone. Returns false after a Python exception,
  /// which names `what`.
  bool acquire(PyObject *object, const char *kind, int number,
               const Place &place);

  /// Checks what torch says of the object and DLPack does not: the elements of
  /// a lazy negation have the other sign, and a call that is no part of the
  /// graph would silently change gradients. Returns false after an exception.
  bool checkTorch(PyObject *object) const;

  /// Reads `object` as a number of that type: Python's, if it loses no more
  /// than rounding does, or an array of rank 0. Returns false after an
  /// exception.
  bool acquireScalar(PyObject *object, ElementType type, const char *kind,
                     int number, const Place &place);
  /// Makes this a number of its own, which is 0.
  void makeScalar(ElementType type);

  bool isWritable = false;

private:
  enum class Found { Yes, No, Error };
  Found acquireExchange(PyObject *object);
  Found acquireBuffer(PyObject *object);
  Found acquireCapsule(PyObject *object);
  Found acquireInterface(PyObject *object);
  static Found tryNext(PyObject *object, const char *attribute);
  Found read(const DLTensor &tensor);
  Found fail(const char *reason) const;
  Found checkRank(int64_t rank);
  Found failPlace() const;
  void release();

  const char *kind = "";
  int number = 0;
  Place place;
  Py_buffer buffer{};
  bool hasBuffer = false;
  PyObject *owner = nullptr; ///< a capsule
  alignas(16) char scalar[16] = {};
};

/// Returns a number as one of Python's; null after an exception.
PyObject *getNumber(const View &scalar);
/// Stores a number of Python's. Returns 1, or 0 if it is of another kind, and
/// -1 after an exception.
int setNumber(PyObject *number, ElementType type, char *scalar);

/// Lets other threads of Python run while it lives.
class WithoutGIL {
public:
  WithoutGIL() : state(PyEval_SaveThread()) {}
  ~WithoutGIL() { PyEval_RestoreThread(state); }

private:
  PyThreadState *state;
};

/// Sets norm_mlir.NormError, from a printf format of Python's.
void setError(const char *format, ...);
/// The class that setError raises; set once by the module.
extern PyObject *normError;

} // namespace norm_python

#endif // NORM_PYTHON_ARRAY_H
