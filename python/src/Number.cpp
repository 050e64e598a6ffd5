//===- Number.cpp - numbers of Python and of programs ---------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Array.h"
#include "llvm/ADT/APFloat.h"
#include <cstring>

using namespace norm_python;

static const llvm::fltSemantics *getSemantics(ElementType type) {
  switch (type) {
  case ElementType::F64:
  case ElementType::C128:
    return &llvm::APFloat::IEEEdouble();
  case ElementType::F32:
  case ElementType::C64:
    return &llvm::APFloat::IEEEsingle();
  case ElementType::F16:
    return &llvm::APFloat::IEEEhalf();
  case ElementType::BF16:
    return &llvm::APFloat::BFloat();
  case ElementType::F8E4M3FN:
    return &llvm::APFloat::Float8E4M3FN();
  case ElementType::F8E5M2:
    return &llvm::APFloat::Float8E5M2();
  default:
    return nullptr;
  }
}

static bool isUnsigned(ElementType type) {
  return type == ElementType::U64 || type == ElementType::U32 ||
         type == ElementType::U16 || type == ElementType::U8;
}

/// Rounds to nearest, ties to even.
static void store(double value, const llvm::fltSemantics &semantics,
                  char *place) {
  llvm::APFloat rounded(value);
  bool losesInfo;
  rounded.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  uint64_t bits = rounded.bitcastToAPInt().getZExtValue();
  std::memcpy(place, &bits, llvm::APFloat::getSizeInBits(semantics) / 8);
}

static double load(const char *place, const llvm::fltSemantics &semantics) {
  unsigned width = llvm::APFloat::getSizeInBits(semantics);
  uint64_t bits = 0;
  std::memcpy(&bits, place, width / 8);
  llvm::APFloat value(semantics, llvm::APInt(width, bits));
  bool losesInfo;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

PyObject *norm_python::getNumber(const View &scalar) {
  if (scalar.type == ElementType::Bool)
    return PyBool_FromLong(*scalar.data & 1);
  int64_t bytes = getBytes(scalar.type);
  if (const llvm::fltSemantics *semantics = getSemantics(scalar.type)) {
    double real = load(scalar.data, *semantics);
    return isComplex(scalar.type)
               ? PyComplex_FromDoubles(
                     real, load(scalar.data + bytes / 2, *semantics))
               : PyFloat_FromDouble(real);
  }
  uint64_t bits = 0;
  std::memcpy(&bits, scalar.data, bytes);
  llvm::APInt value(8 * bytes, bits);
  return isUnsigned(scalar.type)
             ? PyLong_FromUnsignedLongLong(value.getZExtValue())
             : PyLong_FromLongLong(value.getSExtValue());
}

/// Stores an integer, if it is in the range of the type.
static int setInteger(PyObject *number, ElementType type, char *scalar) {
  int64_t width = 8 * getBytes(type);
  uint64_t bits;
  bool fits;
  if (isUnsigned(type)) {
    bits = PyLong_AsUnsignedLongLong(number);
    fits = width == 64 || bits >> width == 0;
  } else {
    int64_t value = PyLong_AsLongLong(number);
    bits = value;
    fits = width == 64 || value >> (width - 1) == value >> 63;
  }
  if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_OverflowError)) {
    PyErr_Clear();
    fits = false;
  }
  if (!fits)
    setError("%S is out of the range of %s", number, getName(type));
  if (PyErr_Occurred())
    return -1;
  std::memcpy(scalar, &bits, width / 8);
  return 1;
}

int norm_python::setNumber(PyObject *number, ElementType type, char *scalar) {
  bool isInteger = PyLong_Check(number);
  bool isReal = isInteger || PyFloat_Check(number);
  if (type == ElementType::Bool) {
    *scalar = number == Py_True;
    return PyBool_Check(number);
  }
  const llvm::fltSemantics *semantics = getSemantics(type);
  if (!semantics)
    return isInteger ? setInteger(number, type, scalar) : 0;
  if (!isReal && !(isComplex(type) && PyComplex_Check(number)))
    return 0;
  bool isPair = PyComplex_Check(number);
  store(isPair ? PyComplex_RealAsDouble(number) : PyFloat_AsDouble(number),
        *semantics, scalar);
  if (isComplex(type))
    store(isPair ? PyComplex_ImagAsDouble(number) : 0, *semantics,
          scalar + getBytes(type) / 2);
  return PyErr_Occurred() ? -1 : 1;
}
