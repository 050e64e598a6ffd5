//===- Specs.cpp - the combinations of S1 to S9 ---------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Specs.h"
#include <algorithm>
#include <random>
#include <sstream>

using namespace norm_test;

namespace {
struct TypePair {
  Float type, compute;
};
constexpr TypePair kTypePairs[] = {
    {Float::F16, Float::F32},  {Float::F16, Float::F16},
    {Float::BF16, Float::F32}, {Float::BF16, Float::BF16},
    {Float::F32, Float::F32},  {Float::F32, Float::F64},
    {Float::F64, Float::F64},  {Float::F64, Float::F32}};

/// S5: how the weight's dimensions relate to x's.
enum class Weight { None, Dims, Scalar, WithBatch };
constexpr Weight kWeights[] = {Weight::None, Weight::Dims, Weight::Scalar,
                               Weight::WithBatch};
constexpr Epsilon kModes[] = {Epsilon::Inside, Epsilon::Outside,
                              Epsilon::Clamp};
} // namespace

static std::vector<int64_t> chooseWeightDims(Weight form, const Case &c) {
  if (form == Weight::Scalar)
    return {};
  std::vector<int64_t> dims = c.dims;
  if (form == Weight::WithBatch) // per-head weights: one batch dim more
    for (int64_t d = 0; d < int64_t(c.shape.size()); ++d)
      if (!std::count(dims.begin(), dims.end(), d)) {
        dims.push_back(d);
        break;
      }
  std::sort(dims.begin(), dims.end());
  return dims;
}

/// A type narrower than C to round to, the input's own where it is 16 bits.
static Float narrowType(const Case &c) {
  if (format(c.type).bytes == 2)
    return c.type;
  return c.compute == Float::F64 && c.type == Float::F64 ? Float::F32
                                                         : Float::BF16;
}

static Case makeCase(TypePair types, std::vector<int64_t> shape,
                     std::vector<int64_t> dims, Epsilon mode, bool scale,
                     bool normalized, Weight weight, bool wideWeight,
                     bool count, bool invRms, bool dynamic) {
  Case c;
  c.shape = std::move(shape);
  c.dims = std::move(dims);
  c.type = c.resultType = types.type;
  c.compute = types.compute;
  c.mode = mode;
  c.epsilon = mode == Epsilon::Inside ? 1e-5 : 1e-3;
  c.withInvRms = invRms;
  c.dynamicShape = dynamic;
  if (scale)
    c.scaleType = narrowType(c);
  if (normalized)
    c.normalizedType = narrowType(c);
  if (weight != Weight::None)
    c.weightDims = chooseWeightDims(weight, c);
  c.weightType = wideWeight ? Float::F32 : c.type;
  if (count && c.dims.size() == 1 && c.shape[c.dims[0]] > 0)
    c.count = std::max<int64_t>(1, c.shape[c.dims[0]] / 4);
  return c;
}

std::vector<Case> norm_test::attributeProduct() {
  std::vector<Case> cases;
  for (TypePair types : kTypePairs)
    for (Epsilon mode : kModes)
      for (Weight weight : kWeights)
        for (unsigned bits = 0; bits < 32; ++bits) {
          if (weight == Weight::None && (bits & 4))
            continue; // no weight, so no type of one
          cases.push_back(makeCase(types, {2, 3, 37}, {2}, mode, bits & 1,
                                   bits & 2, weight, bits & 4, bits & 8,
                                   bits & 16, /*dynamic=*/false));
        }
  return cases;
}

std::vector<Case> norm_test::randomCases(unsigned seed, unsigned count) {
  static const std::pair<std::vector<int64_t>, std::vector<int64_t>> shapes[] =
      {{{3, 37}, {1}},         {{1, 1}, {1}},       {{5, 1}, {1}},
       {{2, 3, 64}, {2}},      {{16, 3}, {0}},      {{2, 24, 5}, {1}},
       {{2, 4, 10}, {1, 2}},   {{4, 3, 9}, {0, 2}}, {{7}, {0}},
       {{2, 3}, {0, 1}},       {{1, 2, 3, 4}, {3}}, {{2, 3, 1000}, {2}},
       {{2, 2, 4, 8}, {2}},    {{3, 130}, {1}},     {{4, 257}, {1}},
       {{2, 5, 4, 6}, {1, 3}}, {{0, 8}, {1}},       {{2, 0}, {1}},
       {{0, 3, 4}, {0, 2}},    {{3, 0, 4}, {1}},    {{2, 3, 0}, {0}}};
  std::mt19937 random(seed);
  auto pick = [&](size_t n) { return size_t(random() % n); };
  std::vector<Case> cases;
  for (unsigned i = 0; i < count; ++i) {
    const auto &[shape, dims] = shapes[pick(std::size(shapes))];
    unsigned bits = random();
    Case c = makeCase(kTypePairs[pick(std::size(kTypePairs))], shape, dims,
                      kModes[pick(3)], bits & 1, bits & 2,
                      kWeights[pick(std::size(kWeights))], bits & 4, bits & 8,
                      bits & 16, bits & 32);
    if ((bits & 192) == 0) // S6: a result type that is not the input's
      c.resultType = c.type == Float::F32 ? Float::BF16 : Float::F32;
    if ((bits & 768) == 0) // S5: f16 beside bf16 multiply in f32
      c.weightType = c.type == Float::F16 ? Float::BF16 : Float::F16;
    if ((bits & 7168) == 0) // S9: 0 / 0 in the row of zeros
      c.epsilon = 0;
    cases.push_back(c);
  }
  return cases;
}

std::vector<Case> norm_test::rowCases() {
  static constexpr int64_t lengths[] = {1,    3,    31,    32,   33,   64,
                                        111,  128,  1000,  1024, 1152, 4095,
                                        4096, 4097, 16384, 40000};
  static constexpr std::pair<Float, bool> roundings[] = {{Float::F32, false},
                                                         {Float::F16, true},
                                                         {Float::F16, false},
                                                         {Float::BF16, true},
                                                         {Float::BF16, false}};
  std::vector<Case> cases;
  for (bool dynamic : {false, true})
    for (auto [type, normalized] : roundings)
      for (int64_t length : lengths) {
        int64_t rows = length <= 128 ? 7 : length <= 4097 ? 3 : 2;
        cases.push_back(makeCase({type, Float::F32}, {rows, length}, {1},
                                 Epsilon::Inside, /*scale=*/false, normalized,
                                 Weight::Dims, /*wideWeight=*/false,
                                 /*count=*/false, /*invRms=*/false, dynamic));
      }
  return cases;
}

static std::string list(const std::vector<int64_t> &values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

std::string norm_test::printExtents(const Case &c,
                                    const std::vector<int64_t> &dims) {
  std::string text;
  for (int64_t dim : dims)
    text += (c.isDynamic(dim) ? "?" : std::to_string(c.shape[dim])) + "x";
  return text;
}

std::string norm_test::tensorType(const Case &c,
                                  const std::vector<int64_t> &dims,
                                  Float type) {
  return "tensor<" + printExtents(c, dims) + format(type).name + ">";
}

std::vector<int64_t> norm_test::allDims(const Case &c) {
  std::vector<int64_t> all;
  for (size_t d = 0; d < c.shape.size(); ++d)
    all.push_back(d);
  return all;
}

static std::string attributes(const Case &c) {
  static const char *modes[] = {"inside", "outside", "clamp"};
  std::ostringstream os;
  os << "dims = " << list(c.dims) << " epsilon = " << std::scientific
     << c.epsilon << " : f64 epsilon_mode = " << modes[int(c.mode)]
     << " compute_type = " << format(c.compute).name;
  if (c.root != Root::Reciprocal)
    os << " root_form = " << (c.root == Root::Rsqrt ? "rsqrt" : "quotient");
  if (c.sumType)
    os << " sum_type = " << format(*c.sumType).name;
  if (c.scaleType)
    os << " scale_type = " << format(*c.scaleType).name;
  if (c.normalizedType)
    os << " normalized_type = " << format(*c.normalizedType).name;
  if (c.weightDims)
    os << " weight_dims = " << list(*c.weightDims);
  if (c.count)
    os << " count = " << *c.count;
  return os.str();
}

std::string norm_test::describe(const Case &c) {
  Case fixed = c;
  fixed.dynamicShape = false;
  return tensorType(fixed, allDims(c), c.type) + " -> " +
         format(c.resultType).name +
         (c.weightDims ? std::string(" weight ") + format(c.weightType).name
                       : "") +
         " " + attributes(c) + (c.withInvRms ? " inv_rms" : "") +
         (c.dynamicShape ? " dynamic" : "");
}

/// `result` = tensor.empty of x's `dims`.
std::string norm_test::printEmpty(const Case &c, const std::string &result,
                                  const std::vector<int64_t> &dims,
                                  const std::string &type) {
  std::ostringstream os;
  os << "  " << result << " = tensor.empty(";
  const char *separator = "";
  for (int64_t dim : dims)
    if (c.isDynamic(dim)) {
      os << separator << "%d" << dim;
      separator = ", ";
    }
  os << ") : " << type << "\n";
  return os.str();
}

std::string norm_test::printDims(const Case &c, const std::string &value) {
  std::ostringstream os;
  for (int64_t d : allDims(c))
    if (c.isDynamic(d))
      os << "  %c" << d << " = arith.constant " << d << " : index\n  %d" << d
         << " = tensor.dim " << value << ", %c" << d << " : "
         << tensorType(c, allDims(c), c.type) << "\n";
  return os.str();
}

namespace {
/// Of x, y and inv_rms, and of the weight where there is one.
struct Types {
  std::string x, y, r, w;
};
} // namespace

static Types getTypes(const Case &c) {
  return {tensorType(c, allDims(c), c.type),
          tensorType(c, allDims(c), c.resultType),
          tensorType(c, batchDims(c), c.compute),
          c.weightDims ? tensorType(c, *c.weightDims, c.weightType) : ""};
}

std::string norm_test::printNorm(const Case &c) {
  auto [x, y, r, w] = getTypes(c);
  std::ostringstream os;
  os << printEmpty(c, "%init", allDims(c), y);
  if (c.withInvRms)
    os << printEmpty(c, "%rinit", batchDims(c), r);
  os << "  %y" << (c.withInvRms ? ":2" : "") << " = norm.rmsnorm ins(%x"
     << (w.empty() ? "" : ", %w") << " : " << x << (w.empty() ? "" : ", " + w)
     << ") outs(%init" << (c.withInvRms ? ", %rinit" : "") << " : " << y
     << (c.withInvRms ? ", " + r : "") << ")\n      " << attributes(c) << " -> "
     << y << (c.withInvRms ? ", " + r : "") << "\n";
  return os.str();
}

std::string norm_test::printFunction(const Case &c, const std::string &name) {
  auto [x, y, r, w] = getTypes(c);
  std::ostringstream os;
  os << "func.func @" << name << "(%x: " << x << (w.empty() ? "" : ", %w: " + w)
     << ") -> " << (c.withInvRms ? "(" + y + ", " + r + ")" : y) << " {\n"
     << printDims(c, "%x") << printNorm(c) << "  return "
     << (c.withInvRms ? "%y#0, %y#1 : " + y + ", " + r : "%y : " + y)
     << "\n}\n";
  return os.str();
}

std::optional<Spec> norm_test::mutate(const Case &c, llvm::StringRef name) {
  Spec other = c;
  if (name == "epsilon_mode")
    other.mode = Epsilon((int(c.mode) + 1) % 3);
  else if (name == "scale_type" && c.scaleType)
    other.scaleType.reset();
  else if (name == "normalized_type" && c.normalizedType)
    other.normalizedType.reset();
  else if (name == "weight_dims" && c.weightDims)
    other.weightDims.reset();
  else if (name == "compute_type" && format(c.compute).bytes == 2)
    other.compute = Float::F32;
  else if (name == "count" && c.count)
    other.count.reset();
  else
    return std::nullopt;
  return other;
}
