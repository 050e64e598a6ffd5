//===- ElementType.h - element types and their names ------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_PYTHON_ELEMENTTYPE_H
#define NORM_PYTHON_ELEMENTTYPE_H

#include "llvm/ADT/StringRef.h"
#include <dlpack/dlpack.h>
#include <xla/ffi/api/c_api.h>

namespace norm_python {

/// The element types of arguments and results.
enum class ElementType : uint8_t {
  F64,
  F32,
  F16,
  BF16,
  F8E4M3FN,
  F8E5M2,
  C128,
  C64,
  I64,
  I32,
  I16,
  I8,
  U64,
  U32,
  U16,
  U8,
  Bool,
  Unknown
};

/// Returns the name that numpy, ml_dtypes and torch have for it.
const char *getName(ElementType type);
int64_t getBytes(ElementType type);
bool isComplex(ElementType type);
/// Returns the bytes of an element, or of a part of a complex one.
int64_t getAlignment(ElementType type);
/// Returns the names that MLIR has for all, in a list with commas.
std::string listMLIRNames();

/// These return Unknown for what has no counterpart here.
ElementType getElementType(llvm::StringRef name);
ElementType getElementTypeOfMLIR(llvm::StringRef name);
ElementType getElementType(DLDataType type);
ElementType getElementType(XLA_FFI_DataType type);
/// Returns DLPack's type of one that is known.
DLDataType getDLDataType(ElementType type);
/// Reads a format of Python's struct module.
ElementType getElementTypeOfFormat(const char *format, int64_t bytes);

} // namespace norm_python

#endif // NORM_PYTHON_ELEMENTTYPE_H
