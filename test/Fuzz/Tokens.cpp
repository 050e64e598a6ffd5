//===- Tokens.cpp - the words of MLIR's text ------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tokens.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace fuzz;

//===----------------------------------------------------------------------===//
// Known words
//===----------------------------------------------------------------------===//

static const StringRef kExtents[] = {"0",
                                     "1",
                                     "2",
                                     "3",
                                     "4",
                                     "5",
                                     "7",
                                     "8",
                                     "16",
                                     "63",
                                     "64",
                                     "128",
                                     "1000",
                                     "4096",
                                     "1048576",
                                     "2147483648",
                                     "4294967296",
                                     "4611686018427387904",
                                     "9223372036854775807",
                                     "?"};
static const StringRef kTypes[] = {
    "f16",  "bf16",     "f32",          "f64",           "f80",  "f128",
    "tf32", "f8E4M3FN", "f8E5M2",       "f4E2M1FN",      "i1",   "i4",
    "i8",   "i16",      "i32",          "i64",           "i128", "ui8",
    "si32", "index",    "complex<f32>", "vector<4xf32>", "none"};
static const StringRef kIntegers[] = {"0",
                                      "1",
                                      "2",
                                      "3",
                                      "4",
                                      "7",
                                      "-1",
                                      "-2",
                                      "100",
                                      "4095",
                                      "4096",
                                      "65536",
                                      "2147483647",
                                      "2147483648",
                                      "-9223372036854775808",
                                      "9223372036854775807",
                                      "18446744073709551616",
                                      "true",
                                      "false"};
static const StringRef kFloats[] = {"0.0",
                                    "-0.0",
                                    "1.0",
                                    "-1.0",
                                    "2.0",
                                    "0.5",
                                    "-0.5",
                                    "3.0",
                                    "4.096e+03",
                                    "1.0e-5",
                                    "9.99999997E-7",
                                    "1.0e-45",
                                    "1.0e+38",
                                    "1.0e+300",
                                    "1.0e-300",
                                    "0x7F800000",
                                    "0xFF800000",
                                    "0x7FC00000",
                                    "0x7FF0000000000000",
                                    "0x7FF8000000000000",
                                    "0x7C00",
                                    "0x7F80",
                                    "0.000244140625"};
static const StringRef kDims[] = {"d0", "d1", "d2", "d3", "s0", "0", "1", "7"};
static const StringRef kBinary[] = {
    "arith.addf",    "arith.subf",     "arith.mulf",     "arith.divf",
    "arith.remf",    "arith.maximumf", "arith.minimumf", "arith.maxnumf",
    "arith.minnumf", "math.powf",      "math.fpowi",     "math.copysign",
    "math.atan2",    "arith.addi",     "arith.muli",     "arith.divsi"};
static const StringRef kUnary[] = {"math.sqrt", "math.rsqrt", "math.absf",
                                   "math.exp",  "math.log",   "math.tanh",
                                   "math.cbrt", "math.erf",   "math.sin",
                                   "math.ceil", "arith.negf"};
static const StringRef kCasts[] = {
    "arith.extf",   "arith.truncf", "arith.bitcast",    "arith.sitofp",
    "arith.uitofp", "arith.fptosi", "arith.index_cast", "tensor.cast"};
static const StringRef kNamed[] = {
    "linalg.generic", "linalg.map",       "linalg.reduce",    "linalg.add",
    "linalg.sub",     "linalg.mul",       "linalg.div",       "linalg.square",
    "linalg.sqrt",    "linalg.rsqrt",     "linalg.powf",      "linalg.copy",
    "linalg.fill",    "linalg.broadcast", "linalg.transpose", "linalg.matmul",
    "linalg.softmax"};
static const StringRef kShapes[] = {
    "tensor.expand_shape", "tensor.collapse_shape", "tensor.extract_slice",
    "tensor.insert_slice", "tensor.cast",           "tensor.empty",
    "tensor.pad",          "tensor.reshape",        "tensor.dim",
    "tensor.splat",        "tensor.generate"};
static const StringRef kTosa[] = {
    "tosa.add",     "tosa.sub",        "tosa.mul",        "tosa.pow",
    "tosa.rsqrt",   "tosa.reciprocal", "tosa.reduce_sum", "tosa.reduce_max",
    "tosa.maximum", "tosa.cast",       "tosa.abs"};
static const StringRef kIterators[] = {"\"parallel\"", "\"reduction\""};
static const StringRef kModes[] = {"inside", "outside", "clamp"};
static const StringRef kAttributes[] = {
    "dims",         "weight_dims", "epsilon",    "epsilon_mode",    "root_form",
    "compute_type", "sum_type",    "scale_type", "normalized_type", "count"};
static const StringRef kContainers[] = {"tensor", "memref", "vector"};

static const ArrayRef<StringRef> kFamilies[] = {
    kBinary, kUnary,     kCasts, kNamed,      kShapes,
    kTosa,   kIterators, kModes, kAttributes, kContainers};

ArrayRef<StringRef> fuzz::getWords(const Token &token) {
  switch (token.kind) {
  case Token::Extent:
    return kExtents;
  case Token::Type:
    return kTypes;
  case Token::Integer:
    return kIntegers;
  case Token::Float:
    return kFloats;
  case Token::Dim:
    return kDims;
  case Token::Value:
  case Token::Symbol:
    return {};
  case Token::Op:
  case Token::Keyword:
    for (ArrayRef<StringRef> family : kFamilies)
      if (is_contained(family, token.text))
        return family;
    return {};
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Tokens of a text
//===----------------------------------------------------------------------===//

static bool isWord(char c) { return isAlnum(c) || c == '_' || c == '.'; }

static StringRef takeWord(StringRef rest) { return rest.take_while(isWord); }

/// 4096 before an x, or a number with its point and exponent.
static Token takeNumber(StringRef rest) {
  StringRef digits = rest.take_while(isDigit);
  StringRef after = rest.drop_front(digits.size());
  if (digits == "0" && after.consume_front("x")) {
    StringRef hex = after.take_while(isHexDigit);
    if (hex.size() >= 4 && !hex.contains('f')) // not 0x4xf32
      return {Token::Float, rest.take_front(2 + hex.size())};
    after = rest.drop_front(1);
  }
  if (after.starts_with("x"))
    return {Token::Extent, digits};
  size_t end = digits.size();
  auto takeDigits = [&] {
    while (end < rest.size() && isDigit(rest[end]))
      ++end;
  };
  if (!after.starts_with("."))
    return {Token::Integer, digits};
  ++end;
  takeDigits();
  if (end < rest.size() && toLower(rest[end]) == 'e') {
    ++end;
    end += end < rest.size() && (rest[end] == '+' || rest[end] == '-');
    takeDigits();
  }
  return {Token::Float, rest.take_front(end)};
}

static bool isTypeName(StringRef word) {
  if (is_contained(kTypes, word))
    return true;
  return word.consume_front("i") && !word.empty() && all_of(word, isDigit);
}

static Token takeName(StringRef rest) {
  StringRef word = takeWord(rest);
  bool isIndexed = word.size() >= 2 && all_of(word.drop_front(), isDigit);
  if (isIndexed && (word[0] == 'd' || word[0] == 's'))
    return {Token::Dim, word};
  if (isTypeName(word))
    return {Token::Type, word};
  return {word.contains('.') ? Token::Op : Token::Keyword, word};
}

static Token takeToken(StringRef rest) {
  char c = rest[0];
  if (c == '%')
    return {Token::Value,
            rest.take_front(1 + takeWord(rest.drop_front()).size())};
  if (c == '@' || c == '#')
    return {Token::Symbol,
            rest.take_front(1 + takeWord(rest.drop_front()).size())};
  if (c == '?')
    return {Token::Extent, rest.take_front(1)};
  if (isDigit(c))
    return takeNumber(rest);
  if (c == '"') // of iterator types; the quotes stay in the word
    return {Token::Keyword, rest.take_front(rest.find('"', 1) == StringRef::npos
                                                ? 1
                                                : rest.find('"', 1) + 1)};
  return takeName(rest);
}

SmallVector<Token> fuzz::tokenize(StringRef text) {
  SmallVector<Token> tokens;
  for (size_t at = 0; at < text.size();) {
    StringRef rest = text.drop_front(at);
    if (rest.starts_with("//")) {
      at += std::min(rest.find('\n'), rest.size());
      continue;
    }
    bool afterExtent = !tokens.empty() && rest[0] == 'x' &&
                       tokens.back().kind == Token::Extent &&
                       tokens.back().text.end() == rest.data();
    bool starts = isWord(rest[0]) || StringRef("%@#?\"").contains(rest[0]);
    if (!starts || rest[0] == '.' || afterExtent) {
      ++at;
      continue;
    }
    Token token = takeToken(rest);
    tokens.push_back(token);
    at += token.text.size();
  }
  return tokens;
}
