//===- Program.cpp - unfused programs to measure --------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <numeric>

using namespace mlir;
using namespace mlir::norm;
using llvm::formatv;

static constexpr char kBlockMaps[] =
    "#elements = affine_map<(d0, d1, d2) -> (d0, d1, d2)>\n"
    "#blocks = affine_map<(d0, d1, d2) -> (d0, d1)>\n";

static constexpr char kScalarMap[] = "#scalar = affine_map<(d0, d1) -> ()>\n";

/// Elements of a block, by the OCP microscaling formats and by NVFP4.
static constexpr int64_t kMXBlock = 32, kNVBlock = 16;

/// Groups of a row that Mamba-2 normalizes alone.
static constexpr int64_t kGroups = 8;

static constexpr Variant kVariants[] = {
    {"llama", "weight after a rounding to the type of x"},
    {"gemma", "1 + weight in f32, one rounding at the end"},
    {"plain", "no weight"},
    {"residual", "llama of x + residual, the sum is a result too"},
    {"bias", "llama, then + bias"},
    {"gate", "llama, then * silu(z)"},
    {"gate-before", "llama of x * silu(z)"},
    {"group-gate", "llama of x * silu(z) in 8 groups a row (Mamba-2)"},
    {"modulation", "plain, then * (1 + scale) + shift"},
    {"two-consumers", "plain, modulated twice, into two results"},
    {"residuals", "llama of x + attention + mlp, the sum is a result too"},
    {"quantize", "llama, then int8 with one scale a row"},
    {"rotary", "llama per head of 128, then a rotary embedding by halves"},
    {"rotary-interleaved", "the same by pairs of neighbors"},
    {"fp8", "llama, then f8E4M3FN with one scale a row"},
    {"mxfp8", "llama, then f8E4M3FN with one power of two for 32 elements"},
    {"fp8-given", "llama, then f8E4M3FN with a given scale"},
    {"mxfp4", "llama, then two f4E2M1FN a byte with one power of two for 32"},
    {"nvfp4", "the same with one f8E4M3FN for 16"},
    {"columns", "sum of each column in f32, the rows outside"},
    {"columns-inside", "the same with the loop over the rows inside"},
    {"channels", "norm of each column, with one weight per row"},
    {"layernorm", "LayerNorm with weight and bias in f32"},
    {"softmax", "softmax over the row"},
    {"backward", "gradients of x and of the weight of a norm, in f32 inside"},
    {"backward-residual", "the same, with a gradient added to that of x"}};

ArrayRef<Variant> norm::getVariants() { return kVariants; }

std::string Program::getRowsText() const {
  return ShapedType::isDynamic(rows) ? "?" : std::to_string(rows);
}

std::string Program::getName() const {
  return formatv("{0} {1} {2}x{3}", variant, type, getRowsText(), cols);
}

namespace {
/// The loops by which an operand of a linalg.generic is indexed. With heads a
/// row is that of one head, a table has one for all heads, and a half is a part
/// of an element's row. A row may also be looked at as blocks. A scalar has
/// none.
enum class Index {
  Element,
  Row,
  Column,
  Table,
  Half,
  Block,
  BlockElement,
  Scalar
};

struct Operand {
  std::string name, element;
  Index index = Index::Element;
};

/// Prints a function statement by statement.
class Printer {
public:
  explicit Printer(const Program &program) : program(program), os(body) {}
  std::string print();

private:
  bool isNarrow() const { return program.type != "f32"; }
  int64_t getRowLength() const {
    return program.hasHeads() ? Program::kHeadLength : program.cols;
  }
  /// Returns the extents before those of a row.
  std::string getRowsText() const;
  std::string getType(const Operand &value) const;
  std::string getRowsSize() const;
  /// Returns the operand of tensor.empty.
  const char *getSize(const Operand &value) const;
  Operand argument(StringRef name, Index index = Index::Element);
  /// Prints an elementwise op; `steps` compute %v from %a, %b and %c.
  Operand map(StringRef name, StringRef element, ArrayRef<Operand> ins,
              StringRef steps, Index index = Index::Element);
  /// Prints a reduction of %a, %b and so on into %o along the row.
  Operand reduce(StringRef name, StringRef start, ArrayRef<Operand> ins,
                 StringRef steps, Index index = Index::Row);
  void generic(StringRef name, const Operand &result, ArrayRef<Operand> ins,
               StringRef init, StringRef steps, bool reduces);
  Operand widen(Operand v);
  Operand narrow(Operand v);

  Operand multiplySilu(Operand v);
  /// Prints the sum over each column of %v, which `steps` compute from %a, %b
  /// and so on, or of %a where there are none.
  Operand sumColumns(ArrayRef<Operand> ins, StringRef steps);
  Operand channels(Operand x);
  /// Prints 1 / sqrt(mean + eps) of `count` squares.
  Operand inverseRoot(Operand sumOfSquares, int64_t count,
                      Index index = Index::Row);
  Operand normalize(Operand x);
  Operand modulate(Operand y, StringRef number = "");
  Operand add(StringRef name, Operand a, Operand b);
  Operand layerNorm(Operand x);
  Operand softmax(Operand x);
  /// Returns the steps that widen these operands to %a_f32 and so on; none for
  /// f32.
  std::string widenInBody(StringRef names);
  void backward(Operand x);
  Operand weight(Operand normalized);
  Operand half(StringRef name, Operand v, int64_t number);
  Operand join(Operand first, Operand second);
  Operand rotate(Operand n);
  void quantize(Operand y);
  void quantizeFP8(Operand y);
  void quantizeMXFP8(Operand y);
  void quantizeGivenFP8(Operand y);
  void quantizeMXFP4(Operand y);
  void quantizeNVFP4(Operand y);
  /// Prints the rounding of `scaled`, steps that compute %s, and the packing of
  /// two neighbors, the first one in the low bits.
  Operand packFP4(ArrayRef<Operand> ins, StringRef scaled);
  Operand everyOther(StringRef name, Operand v, int64_t first);
  Operand largest(Operand y, Index index);
  Operand toBlocks(Operand y);
  Operand fromBlocks(Operand q);
  int64_t getBlock() const {
    if (program.variant == "group-gate")
      return program.cols / std::gcd(program.cols, kGroups);
    return std::gcd(program.cols,
                    program.variant == "nvfp4" ? kNVBlock : kMXBlock);
  }
  void printResults();

  const Program &program;
  std::string body;
  llvm::raw_string_ostream os;
  SmallVector<Operand> arguments, results;
};
} // namespace

std::string Printer::getRowsText() const {
  std::string rows = program.getRowsText();
  if (program.hasHeads())
    rows += formatv("x{0}", program.cols / Program::kHeadLength);
  return rows;
}

std::string Printer::getType(const Operand &value) const {
  int64_t length = getRowLength();
  switch (value.index) {
  case Index::Element:
    return formatv("tensor<{0}x{1}x{2}>", getRowsText(), length, value.element);
  case Index::Row:
    return formatv("tensor<{0}x{1}>", getRowsText(), value.element);
  case Index::Column:
    return formatv("tensor<{0}x{1}>", length, value.element);
  case Index::Table:
    return formatv("tensor<{0}x{1}x{2}>", program.getRowsText(), length,
                   value.element);
  case Index::Half:
    return formatv("tensor<{0}x{1}x{2}>", getRowsText(), length / 2,
                   value.element);
  case Index::Block:
    return formatv("tensor<{0}x{1}x{2}>", program.getRowsText(),
                   program.cols / getBlock(), value.element);
  case Index::BlockElement:
    return formatv("tensor<{0}x{1}x{2}x{3}>", program.getRowsText(),
                   program.cols / getBlock(), getBlock(), value.element);
  case Index::Scalar:
    return formatv("tensor<{0}>", value.element);
  }
  llvm_unreachable("all indices are handled");
}

const char *Printer::getSize(const Operand &value) const {
  return ShapedType::isDynamic(program.rows) && value.index != Index::Column
             ? "%rows"
             : "";
}

std::string Printer::getRowsSize() const {
  return ShapedType::isDynamic(program.rows) ? "%rows"
                                             : std::to_string(program.rows);
}

Operand Printer::argument(StringRef name, Index index) {
  arguments.push_back({("%" + name).str(), program.type, index});
  return arguments.back();
}

void Printer::generic(StringRef name, const Operand &result,
                      ArrayRef<Operand> ins, StringRef init, StringRef steps,
                      bool reduces) {
  // Of one value per row or per column.
  bool isVector =
      (result.index == Index::Row || result.index == Index::Column) && !reduces;
  bool isPerHead = isVector && result.index == Index::Row && program.hasHeads();
  auto hasBlocks = [](const Operand &value) {
    return value.index == Index::BlockElement;
  };
  bool isBlocked = hasBlocks(result) || llvm::any_of(ins, hasBlocks);
  auto getMap = [&](const Operand &value) {
    return isPerHead                            ? "#rows"
           : isVector                           ? "#vec"
           : value.index == Index::BlockElement ? "#elements"
           : isBlocked                          ? "#blocks"
           : value.index == Index::Row          ? "#row"
           : value.index == Index::Column       ? "#col"
           : value.index == Index::Table        ? "#table"
           : value.index == Index::Scalar       ? "#scalar"
                                                : "#id";
  };
  std::string maps, names, types, block;
  for (auto [i, value] : llvm::enumerate(ins)) {
    maps += getMap(value) + std::string(", ");
    names += (i ? ", " : "") + value.name;
    types += (i ? ", " : "") + getType(value);
    block += formatv("%{0}: {1}, ", static_cast<char>('a' + i), value.element);
  }
  bool hasOuter = isBlocked || (program.hasHeads() && (isPerHead || !isVector));
  std::string iterators = hasOuter ? "\"parallel\", " : "";
  iterators += isVector  ? "\"parallel\""
               : reduces ? "\"parallel\", \"reduction\""
                         : "\"parallel\", \"parallel\"";
  os << formatv("  {0} = linalg.generic {{indexing_maps = [{1}{2}], "
                "iterator_types = [{3}]} ins({4} : {5}) outs({6} : {7}) {{\n",
                name, maps, getMap(result), iterators, names, types, init,
                getType(result))
     << "  ^bb0(" << block << "%o: " << result.element << "):\n";
  for (StringRef step : llvm::split(steps, ';'))
    os << "    " << step.trim() << "\n";
  os << "    linalg.yield %v : " << result.element << "\n  } -> "
     << getType(result) << "\n";
}

Operand Printer::map(StringRef name, StringRef element, ArrayRef<Operand> ins,
                     StringRef steps, Index index) {
  Operand result{("%" + name).str(), element.str(), index};
  os << formatv("  {0}_init = tensor.empty({1}) : {2}\n", result.name,
                getSize(result), getType(result));
  generic(result.name, result, ins, result.name + "_init", steps, false);
  return result;
}

Operand Printer::reduce(StringRef name, StringRef start, ArrayRef<Operand> ins,
                        StringRef steps, Index index) {
  Operand result{("%" + name).str(), "f32", index};
  std::string type = getType(result);
  os << formatv("  {0}_start = arith.constant {1} : f32\n"
                "  {0}_init = tensor.empty({3}) : {2}\n"
                "  {0}_fill = linalg.fill ins({0}_start : f32) outs({0}_init : "
                "{2}) -> {2}\n",
                result.name, start, type, getSize(result));
  generic(result.name, result, ins, result.name + "_fill", steps, true);
  return result;
}

Operand Printer::widen(Operand v) {
  if (v.element == "f32")
    return v;
  return map(v.name.substr(1) + "_f32", "f32", {v},
             "%v = arith.extf %a : " + v.element + " to f32", v.index);
}

Operand Printer::narrow(Operand v) {
  if (!isNarrow())
    return v;
  return map(v.name.substr(1) + "_t", program.type, {v},
             "%v = arith.truncf %a : f32 to " + program.type, v.index);
}

/// Prints v * z / (1 + exp(-z)), with v and the result in f32.
Operand Printer::multiplySilu(Operand v) {
  Operand z = widen(argument("z"));
  return map("gated", "f32", {widen(v), z},
             "%one = arith.constant 1.0 : f32; %n = arith.negf %b : f32; "
             "%e = math.exp %n : f32; %d = arith.addf %e, %one : f32; "
             "%s = arith.divf %b, %d : f32; %v = arith.mulf %a, %s : f32");
}

Operand Printer::inverseRoot(Operand sumOfSquares, int64_t count, Index index) {
  return map("inv", "f32", {sumOfSquares},
             formatv("%n = arith.constant {0:e} : f32; %m = arith.divf %a, %n "
                     ": f32; %eps = arith.constant 1.0e-6 : f32; %t = "
                     "arith.addf %m, %eps : f32; %v = math.rsqrt %t : f32",
                     static_cast<double>(count))
                 .str(),
             index);
}

Operand Printer::sumColumns(ArrayRef<Operand> ins, StringRef steps) {
  Operand sum{"%sum", "f32", Index::Column};
  bool isInside = program.variant == "columns-inside";
  std::string type = getType(sum), maps, names, types, block;
  for (auto [i, in] : llvm::enumerate(ins)) {
    bool isElement = in.index == Index::Element;
    maps += isElement && isInside ? "affine_map<(d0, d1) -> (d1, d0)>, "
            : isElement           ? "#id, "
                                  : "#row, ";
    names += (i ? ", " : "") + in.name;
    types += (i ? ", " : "") + getType(in);
    block += formatv("%{0}: {1}, ", static_cast<char>('a' + i), in.element);
  }
  os << formatv(
      "  %start = arith.constant 0.0 : f32\n"
      "  %sum_init = tensor.empty() : {0}\n"
      "  %sum_fill = linalg.fill ins(%start : f32) outs(%sum_init : {0}) -> "
      "{0}\n"
      "  %sum = linalg.generic {{indexing_maps = [{1}{2}], iterator_types = "
      "[{3}]} ins({4} : {5}) outs(%sum_fill : {0}) {{\n"
      "  ^bb0({6}%o: f32):\n",
      type, maps, isInside ? "#row" : "#col",
      isInside ? "\"parallel\", \"reduction\"" : "\"reduction\", \"parallel\"",
      names, types, block);
  for (StringRef step : llvm::split(steps, ';'))
    os << "    " << step.trim() << "\n";
  os << formatv("    %s = arith.addf {0}, %o : f32\n    linalg.yield %s : f32\n"
                "  } -> {1}\n",
                steps.empty() ? "%a" : "%v", type);
  return sum;
}

/// Prints x / sqrt(mean over the rows of x^2 + eps) * w.
Operand Printer::channels(Operand x) {
  Operand wide = widen(x);
  Operand sum = sumColumns(wide, "%v = arith.mulf %a, %a : f32");
  Operand normalized =
      map("normalized", "f32",
          {wide, inverseRoot(sum, program.rows, Index::Column)},
          "%v = arith.mulf %a, %b : f32");
  return map("y", program.type, {narrow(normalized), argument("w", Index::Row)},
             "%v = arith.mulf %a, %b : " + program.type);
}

/// Prints x / sqrt(mean(x^2) + eps) in f32, of each row or of each block.
Operand Printer::normalize(Operand x) {
  x = widen(x);
  bool isBlocked = x.index == Index::BlockElement;
  Operand square =
      map("square", "f32", {x}, "%v = arith.mulf %a, %a : f32", x.index);
  Operand sum = reduce("sum", "0.0", square, "%v = arith.addf %a, %o : f32",
                       isBlocked ? Index::Block : Index::Row);
  int64_t count = isBlocked ? getBlock() : getRowLength();
  return map("normalized", "f32", {x, inverseRoot(sum, count, sum.index)},
             "%v = arith.mulf %a, %b : f32", x.index);
}

/// Prints a + b in the type of x.
Operand Printer::add(StringRef name, Operand a, Operand b) {
  return map(name, program.type, {a, b},
             "%v = arith.addf %a, %b : " + program.type);
}

/// Prints y * (1 + scale) + shift in the type of x.
Operand Printer::modulate(Operand y, StringRef number) {
  auto name = [&](const char *text) { return text + number.str(); };
  Operand scale = argument(name("scale"), Index::Column);
  Operand offset = map(name("offset"), program.type, {scale},
                       "%one = arith.constant 1.0 : " + program.type +
                           "; %v = arith.addf %a, %one : " + program.type,
                       Index::Column);
  Operand scaled = map(name("scaled"), program.type, {y, offset},
                       "%v = arith.mulf %a, %b : " + program.type);
  return add(name("y"), scaled, argument(name("shift"), Index::Column));
}

Operand Printer::layerNorm(Operand x) {
  x = widen(x);
  Operand total = reduce("total", "0.0", x, "%v = arith.addf %a, %o : f32");
  Operand mean = map("mean", "f32", {total},
                     formatv("%n = arith.constant {0:e} : f32; "
                             "%v = arith.divf %a, %n : f32",
                             static_cast<double>(program.cols))
                         .str(),
                     Index::Row);
  Operand centered =
      map("centered", "f32", {x, mean}, "%v = arith.subf %a, %b : f32");
  Operand square =
      map("square", "f32", {centered}, "%v = arith.mulf %a, %a : f32");
  Operand sum = reduce("sum", "0.0", square, "%v = arith.addf %a, %o : f32");
  Operand scaled =
      map("scaled", "f32", {centered, inverseRoot(sum, program.cols)},
          "%v = arith.mulf %a, %b : f32");
  Operand w = widen(argument("w", Index::Column));
  Operand weighted =
      map("weighted", "f32", {scaled, w}, "%v = arith.mulf %a, %b : f32");
  Operand b = widen(argument("bias", Index::Column));
  return narrow(
      map("biased", "f32", {weighted, b}, "%v = arith.addf %a, %b : f32"));
}

Operand Printer::softmax(Operand x) {
  x = widen(x);
  Operand top = reduce("top", "0xFF800000", x,
                       "%v = arith.maximumf %a, %o : f32"); // minus infinity
  Operand below = map("below", "f32", {x, top}, "%v = arith.subf %a, %b : f32");
  Operand power = map("power", "f32", {below}, "%v = math.exp %a : f32");
  Operand sum = reduce("sum", "0.0", power, "%v = arith.addf %a, %o : f32");
  return narrow(
      map("quotient", "f32", {power, sum}, "%v = arith.divf %a, %b : f32"));
}

std::string Printer::widenInBody(StringRef names) {
  std::string steps;
  if (isNarrow())
    for (char name : names)
      steps += formatv("%{0}_f32 = arith.extf %{0} : {1} to f32; ", name,
                       program.type);
  return steps;
}

/// Prints, with z = x * r, r = 1 / sqrt(mean(x^2) + eps) and g = dy * w, the
/// gradients r * (g - z * mean(z * g)) of x and sum(dy * z) of w: few ops of
/// many operands, as norm ops are decomposed.
void Printer::backward(Operand x) {
  const char *f32 = isNarrow() ? "_f32" : "";
  Operand dy = argument("dy"), w = argument("w", Index::Column);
  Operand squares = reduce("squares", "0.0", {x},
                           formatv("{0}%q = arith.mulf %a{1}, %a{1} : f32; "
                                   "%v = arith.addf %q, %o : f32",
                                   widenInBody("a"), f32)
                               .str());
  Operand inverse = inverseRoot(squares, program.cols);
  std::string factors = formatv("{0}%z = arith.mulf %a{1}, %b : f32; "
                                "%g = arith.mulf %c{1}, %d{1} : f32; ",
                                widenInBody("acd"), f32);
  Operand dot = reduce("dot", "0.0", {x, inverse, dy, w},
                       factors + "%p = arith.mulf %z, %g : f32; "
                                 "%v = arith.addf %p, %o : f32");
  Operand mean = map("mean", "f32", {dot},
                     formatv("%n = arith.constant {0:e} : f32; "
                             "%v = arith.divf %a, %n : f32",
                             static_cast<double>(program.cols))
                         .str(),
                     Index::Row);
  SmallVector<Operand> ins = {x, inverse, dy, w, mean};
  std::string steps = factors + "%t = arith.mulf %z, %e : f32; "
                                "%u = arith.subf %g, %t : f32; ";
  bool hasResidual = program.variant == "backward-residual";
  std::string last = "arith.mulf %b, %u : f32";
  if (hasResidual) {
    ins.push_back(argument("residual"));
    steps += widenInBody("f") + "%y = " + last + "; ";
    last = formatv("arith.addf %y, %f{0} : f32", f32);
  }
  steps += isNarrow() ? "%s = " + last + "; %v = arith.truncf %s : f32 to " +
                            program.type
                      : "%v = " + last;
  Operand dx = map("dx", program.type, ins, steps);
  Operand sum = sumColumns({x, inverse, dy},
                           formatv("{0}%z = arith.mulf %a{1}, %b : f32; "
                                   "%v = arith.mulf %c{1}, %z : f32",
                                   widenInBody("ac"), f32)
                               .str());
  results = {dx, narrow(sum)};
}

Operand Printer::weight(Operand normalized) {
  if (program.variant == "plain" || program.variant == "modulation" ||
      program.variant == "two-consumers")
    return narrow(normalized);
  Operand w = argument("w", Index::Column);
  if (program.variant != "gemma")
    return map("weighted", program.type, {narrow(normalized), w},
               "%v = arith.mulf %a, %b : " + program.type);
  Operand offset = map("w_1", "f32", {widen(w)},
                       "%one = arith.constant 1.0 : f32; "
                       "%v = arith.addf %a, %one : f32",
                       Index::Column);
  return narrow(map("weighted", "f32", {normalized, offset},
                    "%v = arith.mulf %a, %b : f32"));
}

/// Prints a slice of the rows, or their concatenation.
Operand Printer::half(StringRef name, Operand v, int64_t number) {
  Operand result{("%" + name).str(), v.element, Index::Half};
  int64_t length = getRowLength() / 2;
  bool isInterleaved = program.variant == "rotary-interleaved";
  os << formatv("  {0} = tensor.extract_slice {1}[0, 0, {2}] [{3}, {4}, {5}] "
                "[1, 1, {6}] : {7} to {8}\n",
                result.name, v.name, isInterleaved ? number : number * length,
                getRowsSize(), program.cols / Program::kHeadLength, length,
                isInterleaved ? 2 : 1, getType(v), getType(result));
  return result;
}

/// Prints the rows that consist of two halves, or of columns from them in turn.
Operand Printer::join(Operand first, Operand second) {
  Operand result{"%turned", first.element, Index::Element};
  if (program.variant == "rotary") {
    os << formatv("  {0} = tensor.concat dim(2) {1}, {2} : ({3}, {3}) -> {4}\n",
                  result.name, first.name, second.name, getType(first),
                  getType(result));
    return result;
  }
  std::string shape = formatv("{0}x{1}", getRowsText(), getRowLength() / 2),
              column = formatv("tensor<{0}x1x{1}>", shape, first.element),
              pair = formatv("tensor<{0}x2x{1}>", shape, first.element);
  for (const Operand &each : {first, second})
    os << formatv("  {0}_column = tensor.expand_shape {0} [[0], [1], [2, 3]] "
                  "output_shape [{1}, {2}, {3}, 1] : {4} into {5}\n",
                  each.name, getRowsSize(), program.cols / Program::kHeadLength,
                  getRowLength() / 2, getType(each), column);
  os << formatv(
      "  %pairs = tensor.concat dim(3) {0}_column, {1}_column : ({2}, "
      "{2}) -> {3}\n  {4} = tensor.collapse_shape %pairs [[0], [1], "
      "[2, 3]] : {3} into {5}\n",
      first.name, second.name, column, pair, result.name, getType(result));
  return result;
}

/// Prints n * cos + (-n1, n0) * sin.
Operand Printer::rotate(Operand n) {
  Operand first = half("first", n, 0), second = half("second", n, 1);
  Operand minus = map("minus", n.element, {second},
                      "%v = arith.negf %a : " + n.element, Index::Half);
  Operand turned = join(minus, first);
  std::string product = "%v = arith.mulf %a, %b : " + n.element;
  Operand straight =
      map("straight", n.element, {n, argument("cos", Index::Table)}, product);
  Operand crossed = map("crossed", n.element,
                        {turned, argument("sin", Index::Table)}, product);
  return map("rotated", n.element, {straight, crossed},
             "%v = arith.addf %a, %b : " + n.element);
}

/// Prints the largest magnitude of each row, or block.
Operand Printer::largest(Operand y, Index index) {
  Operand magnitude =
      map("magnitude", "f32", {y}, "%v = math.absf %a : f32", y.index);
  return reduce("top", "0.0", magnitude, "%v = arith.maximumf %o, %a : f32",
                index);
}

void Printer::quantize(Operand y) {
  y = widen(y);
  Operand top = largest(y, Index::Row);
  Operand scale = map("scale", "f32", {top},
                      "%most = arith.constant 127.0 : f32; "
                      "%d = arith.divf %a, %most : f32; "
                      "%least = arith.constant 1.0e-30 : f32; "
                      "%v = arith.maximumf %d, %least : f32",
                      Index::Row);
  Operand q = map("q", "i8", {y, scale},
                  "%d = arith.divf %a, %b : f32; %r = math.roundeven %d : f32; "
                  "%most = arith.constant 127.0 : f32; "
                  "%u = arith.minimumf %r, %most : f32; "
                  "%least = arith.constant -127.0 : f32; "
                  "%k = arith.maximumf %u, %least : f32; "
                  "%v = arith.fptosi %k : f32 to i8");
  results = {q, scale};
}

void Printer::quantizeFP8(Operand y) {
  y = widen(y);
  Operand scale = map("scale", "f32", {largest(y, Index::Row)},
                      "%most = arith.constant 448.0 : f32; "
                      "%d = arith.divf %a, %most : f32; "
                      "%least = arith.constant 1.0e-30 : f32; "
                      "%v = arith.maximumf %d, %least : f32",
                      Index::Row);
  Operand q = map("q", "f8E4M3FN", {y, scale},
                  "%d = arith.divf %a, %b : f32; "
                  "%v = arith.truncf %d : f32 to f8E4M3FN");
  results = {q, scale};
}

Operand Printer::toBlocks(Operand y) {
  Operand blocks{y.name + "_blocks", y.element, Index::BlockElement};
  bool isDynamic = ShapedType::isDynamic(program.rows);
  os << formatv(
      "  {0} = tensor.expand_shape {1} [[0], [1, 2]] output_shape "
      "[{2}, {3}, {4}] : {5} into {6}\n",
      blocks.name, y.name, isDynamic ? "%rows" : program.getRowsText(),
      program.cols / getBlock(), getBlock(), getType(y), getType(blocks));
  return blocks;
}

Operand Printer::fromBlocks(Operand q) {
  Operand row{q.name + "_row", q.element};
  os << formatv("  {0} = tensor.collapse_shape {1} [[0], [1, 2]] : {2} into "
                "{3}\n",
                row.name, q.name, getType(q), getType(row));
  return row;
}

/// The scale of a block, f8E8M0, is the exponent of its largest magnitude less
/// that of the format's largest number, 2^8; numbers beyond 448 saturate.
void Printer::quantizeMXFP8(Operand y) {
  y = toBlocks(widen(y));
  Operand scale = map("scale", "i8", {largest(y, Index::Block)},
                      "%i = arith.bitcast %a : f32 to i32; "
                      "%c23 = arith.constant 23 : i32; "
                      "%e = arith.shrui %i, %c23 : i32; "
                      "%c8 = arith.constant 8 : i32; "
                      "%d = arith.subi %e, %c8 : i32; "
                      "%c0 = arith.constant 0 : i32; "
                      "%k = arith.maxsi %d, %c0 : i32; "
                      "%v = arith.trunci %k : i32 to i8",
                      Index::Block);
  Operand factor = map("factor", "f32", {scale},
                       "%e = arith.extui %a : i8 to i32; "
                       "%c254 = arith.constant 254 : i32; "
                       "%d = arith.subi %c254, %e : i32; "
                       "%c23 = arith.constant 23 : i32; "
                       "%i = arith.shli %d, %c23 : i32; "
                       "%v = arith.bitcast %i : i32 to f32",
                       Index::Block);
  Operand q = map("q", "f8E4M3FN", {y, factor},
                  "%d = arith.mulf %a, %b : f32; "
                  "%most = arith.constant 448.0 : f32; "
                  "%u = arith.minimumf %d, %most : f32; "
                  "%least = arith.constant -448.0 : f32; "
                  "%k = arith.maximumf %u, %least : f32; "
                  "%v = arith.truncf %k : f32 to f8E4M3FN",
                  Index::BlockElement);
  results = {fromBlocks(q), scale};
}

/// The scale is one for all rows, from a calibration.
void Printer::quantizeGivenFP8(Operand y) {
  arguments.push_back({"%given", "f32", Index::Scalar});
  Operand q = map("q", "f8E4M3FN", {widen(y), arguments.back()},
                  "%one = arith.constant 1.0 : f32; "
                  "%i = arith.divf %one, %b : f32; "
                  "%d = arith.mulf %a, %i : f32; "
                  "%most = arith.constant 448.0 : f32; "
                  "%u = arith.minimumf %d, %most : f32; "
                  "%least = arith.constant -448.0 : f32; "
                  "%k = arith.maximumf %u, %least : f32; "
                  "%v = arith.truncf %k : f32 to f8E4M3FN");
  results = {q};
}

Operand Printer::everyOther(StringRef name, Operand v, int64_t first) {
  Operand result{("%" + name).str(), v.element, Index::Half};
  os << formatv("  {0} = tensor.extract_slice {1}[0, {2}] [{3}, {4}] [1, 2] : "
                "{5} to {6}\n",
                result.name, v.name, first, getRowsSize(), program.cols / 2,
                getType(v), getType(result));
  return result;
}

Operand Printer::packFP4(ArrayRef<Operand> ins, StringRef scaled) {
  Operand codes = fromBlocks(map("codes", "i8", ins,
                                 (scaled + "; %q = arith.truncf %s : f32 to "
                                           "f4E2M1FN; %n = arith.bitcast %q : "
                                           "f4E2M1FN to i4; %v = arith.extui "
                                           "%n : i4 to i8")
                                     .str(),
                                 Index::BlockElement));
  return map("q", "i8",
             {everyOther("low", codes, 0), everyOther("high", codes, 1)},
             "%c4 = arith.constant 4 : i8; %h = arith.shli %b, %c4 : i8; "
             "%v = arith.ori %a, %h : i8",
             Index::Half);
}

/// As for MXFP8; the largest number is 6, of the exponent 2.
void Printer::quantizeMXFP4(Operand y) {
  y = toBlocks(widen(y));
  Operand scale = map("scale", "i8", {largest(y, Index::Block)},
                      "%q = arith.truncf %a toward_zero : f32 to f8E8M0FNU; "
                      "%b = arith.bitcast %q : f8E8M0FNU to i8; "
                      "%e = arith.extui %b : i8 to i32; "
                      "%c2 = arith.constant 2 : i32; "
                      "%d = arith.subi %e, %c2 : i32; "
                      "%c0 = arith.constant 0 : i32; "
                      "%k = arith.maxsi %d, %c0 : i32; "
                      "%v = arith.trunci %k : i32 to i8",
                      Index::Block);
  results = {packFP4({y, scale}, "%e = arith.bitcast %b : i8 to f8E8M0FNU; "
                                 "%f = arith.extf %e : f8E8M0FNU to f32; "
                                 "%s = arith.divf %a, %f : f32"),
             scale};
}

void Printer::quantizeNVFP4(Operand y) {
  y = toBlocks(widen(y));
  Operand scale = map("scale", "i8", {largest(y, Index::Block)},
                      "%six = arith.constant 6.0 : f32; "
                      "%d = arith.divf %a, %six : f32; "
                      "%least = arith.constant 0.001953125 : f32; "
                      "%u = arith.maximumf %d, %least : f32; "
                      "%most = arith.constant 448.0 : f32; "
                      "%k = arith.minimumf %u, %most : f32; "
                      "%q = arith.truncf %k : f32 to f8E4M3FN; "
                      "%v = arith.bitcast %q : f8E4M3FN to i8",
                      Index::Block);
  Operand factor = map("factor", "f32", {scale},
                       "%one = arith.constant 1.0 : f32; "
                       "%q = arith.bitcast %a : i8 to f8E4M3FN; "
                       "%f = arith.extf %q : f8E4M3FN to f32; "
                       "%v = arith.divf %one, %f : f32",
                       Index::Block);
  results = {packFP4({y, factor}, "%s = arith.mulf %a, %b : f32"), scale};
}

void Printer::printResults() {
  Operand x = argument("x");
  StringRef variant = program.variant;
  if (variant == "columns" || variant == "columns-inside") {
    results = {sumColumns(
        x,
        isNarrow() ? "%v = arith.extf %a : " + program.type + " to f32" : "")};
    return;
  }
  if (variant == "channels") {
    results = {channels(x)};
    return;
  }
  if (variant == "layernorm" || variant == "softmax") {
    results = {variant == "softmax" ? softmax(x) : layerNorm(x)};
    return;
  }
  if (variant == "backward" || variant == "backward-residual")
    return backward(x);
  if (variant == "residual") {
    x = add("h", x, argument("residual"));
    results.push_back(x);
  }
  if (variant == "residuals") {
    x = add("h_1", x, argument("attention"));
    x = add("h", x, argument("mlp"));
    results.push_back(x);
  }
  if (variant == "gate-before")
    x = narrow(multiplySilu(x));
  if (variant == "group-gate") {
    Operand gated = toBlocks(multiplySilu(x));
    results.push_back(weight(fromBlocks(normalize(gated))));
    return;
  }
  Operand y = weight(normalize(x));
  if (variant == "modulation")
    y = modulate(y);
  if (variant == "two-consumers") {
    results = {modulate(y, "_1"), modulate(y, "_2")};
    return;
  }
  if (variant == "quantize")
    return quantize(y);
  if (program.hasHeads())
    y = rotate(y);
  if (variant == "fp8")
    return quantizeFP8(y);
  if (variant == "mxfp8")
    return quantizeMXFP8(y);
  if (variant == "fp8-given")
    return quantizeGivenFP8(y);
  if (variant == "mxfp4")
    return quantizeMXFP4(y);
  if (variant == "nvfp4")
    return quantizeNVFP4(y);
  if (variant == "gate")
    y = narrow(multiplySilu(y));
  if (variant == "bias")
    y = add("y", y, argument("bias", Index::Column));
  results.push_back(y);
}

std::string Printer::print() {
  printResults();
  std::string prologue;
  if (ShapedType::isDynamic(program.rows))
    prologue = formatv("  %zero = arith.constant 0 : index\n  %rows = "
                       "tensor.dim %x, %zero : {0}\n",
                       getType(arguments[0]));
  auto list = [&](auto &values, auto print) {
    return llvm::join(llvm::map_range(values, print), ", ");
  };
  auto name = [](const Operand &v) { return v.name; };
  auto type = [&](const Operand &v) { return getType(v); };
  auto both = [&](const Operand &v) { return v.name + ": " + getType(v); };
  StringRef maps = program.hasHeads()
                       ? "#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>\n"
                         "#row = affine_map<(d0, d1, d2) -> (d0, d1)>\n"
                         "#col = affine_map<(d0, d1, d2) -> (d2)>\n"
                         "#table = affine_map<(d0, d1, d2) -> (d0, d2)>\n"
                         "#rows = affine_map<(d0, d1) -> (d0, d1)>\n"
                       : "#id = affine_map<(d0, d1) -> (d0, d1)>\n"
                         "#row = affine_map<(d0, d1) -> (d0)>\n"
                         "#col = affine_map<(d0, d1) -> (d1)>\n";
  return formatv(
      "// {0}\n{6}"
      "#vec = affine_map<(d0) -> (d0)>\n"
      "{7}"
      "func.func @main({1}) -> ({2}) {{\n{3}{4}  return {5} : {2}\n}\n",
      program.getName(), list(arguments, both), list(results, type), prologue,
      body, list(results, name), maps,
      program.variant == "mxfp8" || program.variant == "group-gate" ||
              program.hasPairs()
          ? kBlockMaps
      : program.variant == "fp8-given" ? kScalarMap
                                       : "");
}

std::string Program::print() const { return Printer(*this).print(); }
