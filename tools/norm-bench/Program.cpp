//===- Program.cpp - unfused programs to measure --------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::norm;

/// Elements of a block, by the OCP microscaling formats and by NVFP4.
static constexpr int64_t kMXBlock = 32, kNVBlock = 16;

/// Groups of a row that Mamba-2 normalizes alone.
static constexpr int64_t kGroups = 8;

/// The files of benchmarks/programs; parts.mlir says how they are read.
static constexpr unsigned char kTemplates[] = {
#include "Templates.inc"
};

namespace {
/// "//--- name: summary" or "//--- name if condition", and the lines after it.
struct Template {
  StringRef name, summary, condition, body;
};

using Replacements = SmallVector<std::pair<std::string, std::string>>;
} // namespace

static ArrayRef<Template> getTemplates() {
  static const SmallVector<Template> all = [] {
    SmallVector<Template> result;
    StringRef text(reinterpret_cast<const char *>(kTemplates),
                   sizeof(kTemplates));
    for (StringRef part : llvm::drop_begin(llvm::split(text, "\n//--- "))) {
      auto [header, body] = part.split('\n');
      auto [title, summary] = header.split(": ");
      auto [name, condition] = title.split(" if ");
      result.push_back({name, summary, condition, body.rtrim()});
    }
    return result;
  }();
  return all;
}

SmallVector<std::pair<StringRef, StringRef>> norm::getVariants() {
  SmallVector<std::pair<StringRef, StringRef>> variants;
  for (const Template &each : getTemplates())
    if (!each.summary.empty())
      variants.push_back({each.name, each.summary});
  return variants;
}

std::string BenchProgram::getRowsText() const {
  return ShapedType::isDynamic(rows) ? "?" : std::to_string(rows);
}

std::string BenchProgram::getName() const {
  return variant + " " + type + " " + getRowsText() + "x" +
         std::to_string(cols);
}

static bool isWord(char c) { return llvm::isAlnum(c) || c == '_'; }

/// Returns `text` with its names, which are a sigil and letters, replaced.
static std::string rename(StringRef text, const Replacements &names) {
  std::string result;
  while (!text.empty()) {
    size_t length = 1;
    if (StringRef("%!#$").contains(text.front()))
      length += text.drop_front().take_while(isWord).size();
    StringRef name = text.take_front(length);
    const auto *found = llvm::find_if(
        names, [&](const auto &pair) { return pair.first == name; });
    result += found == names.end() ? name.str() : found->second;
    text = text.drop_front(name.size());
  }
  return result;
}

/// Returns the lines of a template with those that it includes.
static std::string expand(const BenchProgram &program, StringRef name) {
  const auto *found = llvm::find_if(
      getTemplates(), [&](const Template &each) { return each.name == name; });
  assert(found != getTemplates().end() && "unknown template");
  if ((found->condition == "16 bits" && program.type == "f32") ||
      (found->condition == "dynamic" && !ShapedType::isDynamic(program.rows)))
    return "";
  std::string result;
  for (StringRef line : llvm::split(found->body, '\n')) {
    StringRef words = line.ltrim();
    if (!words.consume_front("// include ")) {
      result += (line + "\n").str();
      continue;
    }
    auto [included, arguments] = words.split(' ');
    Replacements names;
    for (StringRef argument : llvm::split(arguments, ' ')) {
      auto [from, to] = argument.split('=');
      names.push_back({from.str(), to.str()});
    }
    result += rename(expand(program, included), names);
  }
  return result;
}

/// Returns what the variables are, longer names before their beginnings.
static Replacements getVariables(const BenchProgram &p) {
  bool isDynamic = ShapedType::isDynamic(p.rows), isNarrow = p.type != "f32";
  int64_t block = std::gcd(p.cols, p.variant == "nvfp4" ? kNVBlock : kMXBlock);
  int64_t length = p.hasHeads() ? BenchProgram::kHeadLength : p.cols;
  int64_t count = length;
  if (p.variant == "group-gate")
    count = block = p.cols / std::gcd(p.cols, kGroups);
  if (p.variant == "channels")
    count = p.rows;
  return {{"$rows", p.getRowsText()},
          {"$cols", std::to_string(p.cols)},
          {"$type", p.type},
          {"$size", isDynamic ? "%rows" : ""},
          {"$extent", isDynamic ? "%rows" : std::to_string(p.rows)},
          {"$heads", std::to_string(p.cols / BenchProgram::kHeadLength)},
          {"$half", std::to_string(length / 2)},
          {"$blocks", std::to_string(p.cols / block)},
          {"$block", std::to_string(block)},
          {"$n", std::to_string(count)},
          {"$32", isNarrow ? "_f32" : ""},
          {"$16", isNarrow ? "_" + p.type : ""}};
}

std::string BenchProgram::print() const {
  std::string text = "// " + getName() + "\n" + expand(*this, variant);
  // A variable may be followed by the "x" of a shape.
  for (const auto &[name, value] : getVariables(*this))
    for (size_t at = 0; (at = text.find(name, at)) != std::string::npos;
         at += value.size())
      text.replace(at, name.size(), value);
  return text;
}
