//===- ElementType.cpp - element types and their names --------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementType.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace norm_python;
using namespace llvm;

namespace {
struct Description {
  const char *name, *mlirName;
  /// Characters of Python's struct module; of a complex one, those behind Z.
  const char *formats;
  int bytes;
  DLDataTypeCode dlpackCode;
  XLA_FFI_DataType xlaType;
};
} // namespace

/// In the order of ElementType. The size of a format's `l` is the host's.
static constexpr Description kDescriptions[] = {
    {"float64", "f64", "d", 8, kDLFloat, XLA_FFI_DataType_F64},
    {"float32", "f32", "f", 4, kDLFloat, XLA_FFI_DataType_F32},
    {"float16", "f16", "e", 2, kDLFloat, XLA_FFI_DataType_F16},
    {"bfloat16", "bf16", "", 2, kDLBfloat, XLA_FFI_DataType_BF16},
    {"float8_e4m3fn", "f8E4M3FN", "", 1, kDLFloat8_e4m3fn,
     XLA_FFI_DataType_F8E4M3FN},
    {"float8_e5m2", "f8E5M2", "", 1, kDLFloat8_e5m2, XLA_FFI_DataType_F8E5M2},
    {"complex128", "complex<f64>", "d", 16, kDLComplex, XLA_FFI_DataType_C128},
    {"complex64", "complex<f32>", "f", 8, kDLComplex, XLA_FFI_DataType_C64},
    {"int64", "i64", "ql", 8, kDLInt, XLA_FFI_DataType_S64},
    {"int32", "i32", "il", 4, kDLInt, XLA_FFI_DataType_S32},
    {"int16", "i16", "h", 2, kDLInt, XLA_FFI_DataType_S16},
    {"int8", "i8", "b", 1, kDLInt, XLA_FFI_DataType_S8},
    {"uint64", "ui64", "QL", 8, kDLUInt, XLA_FFI_DataType_U64},
    {"uint32", "ui32", "IL", 4, kDLUInt, XLA_FFI_DataType_U32},
    {"uint16", "ui16", "H", 2, kDLUInt, XLA_FFI_DataType_U16},
    {"uint8", "ui8", "B", 1, kDLUInt, XLA_FFI_DataType_U8},
    {"bool", "i1", "?", 1, kDLBool, XLA_FFI_DataType_PRED}};
static_assert(std::size(kDescriptions) == size_t(ElementType::Unknown));

static ElementType find(function_ref<bool(const Description &)> isMeant) {
  return ElementType(find_if(kDescriptions, isMeant) - kDescriptions);
}

const char *norm_python::getName(ElementType type) {
  return type == ElementType::Unknown ? "of an unknown type"
                                      : kDescriptions[size_t(type)].name;
}

int64_t norm_python::getBytes(ElementType type) {
  return type == ElementType::Unknown ? 1 : kDescriptions[size_t(type)].bytes;
}

bool norm_python::isComplex(ElementType type) {
  return type == ElementType::C64 || type == ElementType::C128;
}

int64_t norm_python::getAlignment(ElementType type) {
  return isComplex(type) ? getBytes(type) / 2 : getBytes(type);
}

std::string norm_python::listMLIRNames() {
  return join(
      map_range(kDescriptions, [](const Description &d) { return d.mlirName; }),
      ", ");
}

ElementType norm_python::getElementType(StringRef name) {
  return find([&](const Description &d) { return name == d.name; });
}

ElementType norm_python::getElementTypeOfMLIR(StringRef name) {
  return find([&](const Description &d) { return name == d.mlirName; });
}

ElementType norm_python::getElementType(DLDataType type) {
  return find([&](const Description &d) {
    return type.lanes == 1 && type.code == d.dlpackCode &&
           type.bits == 8 * d.bytes;
  });
}

DLDataType norm_python::getDLDataType(ElementType type) {
  const Description &description = kDescriptions[size_t(type)];
  return {uint8_t(description.dlpackCode), uint8_t(8 * description.bytes), 1};
}

ElementType norm_python::getElementType(XLA_FFI_DataType type) {
  return find([&](const Description &d) { return type == d.xlaType; });
}

ElementType norm_python::getElementTypeOfFormat(const char *format,
                                                int64_t bytes) {
  // The order of the host's bytes; every supported host has the low one first.
  StringRef text = StringRef(format ? format : "");
  if (text.starts_with("@") || text.starts_with("=") || text.starts_with("<"))
    text = text.drop_front();
  bool isPair = text.consume_front("Z");
  return find([&](const Description &d) {
    return text.size() == 1 && StringRef(d.formats).contains(text[0]) &&
           bytes == d.bytes && isPair == (d.dlpackCode == kDLComplex);
  });
}
