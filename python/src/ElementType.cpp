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
  dlpack::TypeCode dlpackCode;
  xla::DataType xlaType;
};
} // namespace

/// In the order of ElementType. The size of a format's `l` is the host's.
static constexpr Description kDescriptions[] = {
    {"float64", "f64", "d", 8, dlpack::Float, xla::kF64},
    {"float32", "f32", "f", 4, dlpack::Float, xla::kF32},
    {"float16", "f16", "e", 2, dlpack::Float, xla::kF16},
    {"bfloat16", "bf16", "", 2, dlpack::BFloat, xla::kBF16},
    {"float8_e4m3fn", "f8E4M3FN", "", 1, dlpack::F8E4M3FN, xla::kF8E4M3FN},
    {"float8_e5m2", "f8E5M2", "", 1, dlpack::F8E5M2, xla::kF8E5M2},
    {"complex128", "complex<f64>", "d", 16, dlpack::Complex, xla::kC128},
    {"complex64", "complex<f32>", "f", 8, dlpack::Complex, xla::kC64},
    {"int64", "i64", "ql", 8, dlpack::Int, xla::kI64},
    {"int32", "i32", "il", 4, dlpack::Int, xla::kI32},
    {"int16", "i16", "h", 2, dlpack::Int, xla::kI16},
    {"int8", "i8", "b", 1, dlpack::Int, xla::kI8},
    {"uint64", "ui64", "QL", 8, dlpack::UInt, xla::kU64},
    {"uint32", "ui32", "IL", 4, dlpack::UInt, xla::kU32},
    {"uint16", "ui16", "H", 2, dlpack::UInt, xla::kU16},
    {"uint8", "ui8", "B", 1, dlpack::UInt, xla::kU8},
    {"bool", "i1", "?", 1, dlpack::Bool, xla::kBool}};
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

ElementType norm_python::getElementType(dlpack::DataType type) {
  return find([&](const Description &d) {
    return type.lanes == 1 && type.code == d.dlpackCode &&
           type.bits == 8 * d.bytes;
  });
}

ElementType norm_python::getElementType(xla::DataType type) {
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
           bytes == d.bytes && isPair == (d.dlpackCode == dlpack::Complex);
  });
}
