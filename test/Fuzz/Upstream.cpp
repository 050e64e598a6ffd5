//===- Upstream.cpp - programs that upstream crashes on -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Upstream.h"
#include "Tokens.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Regex.h"

using namespace mlir;

/// Dimensions that are out of bounds or named twice.
static bool isBadBroadcast(linalg::BroadcastOp op) {
  auto init = dyn_cast<ShapedType>(op.getInit().getType());
  llvm::SmallSet<int64_t, 4> seen;
  for (int64_t dim : op.getDimensions())
    if (!init || !init.hasRank() || dim < 0 || dim >= init.getRank() ||
        !seen.insert(dim).second)
      return true;
  return false;
}

static bool anyLine(StringRef text,
                    llvm::function_ref<bool(StringRef)> predicate) {
  return llvm::any_of(llvm::split(text, '\n'), predicate);
}

/// Upstream takes a list that has errors for a null attribute, and reads it.
static bool hasBadDimensions(StringRef text) {
  static const llvm::Regex op("linalg\\.(broadcast|transpose|reduce)");
  static const llvm::Regex list("(dimensions|permutation) = "
                                "\\[ *([0-9]{1,18} *(, *[0-9]{1,18} *)*)?\\]");
  return anyLine(
      text, [](StringRef line) { return op.match(line) && !list.match(line); });
}

/// Upstream's message about another iterator type reads a dead temporary.
static bool hasBadIterator(StringRef text) {
  static const llvm::Regex list("iterator_types *= *\\[([^]]*)\\]");
  static const llvm::Regex good("^ *((\"parallel\"|\"reduction\") *,? *)*$");
  SmallVector<StringRef> match;
  while (list.match(text, &match)) {
    if (!good.match(match[1]))
      return true;
    text = text.drop_front(match[0].end() - text.begin());
  }
  return text.contains("iterator_types");
}

/// Upstream builds the body of a named op for numbers alone, and calls what is
/// none a place that is never reached.
static bool hasNamedOpOnNoNumbers(StringRef text) {
  static const llvm::Regex named("linalg\\.[a-z0-9_]+");
  static const llvm::Regex noNumber("[x<](index|none|vector<|complex<|tuple<)");
  SmallVector<StringRef> match;
  return anyLine(text, [&](StringRef line) {
    return named.match(line, &match) && match[0] != "linalg.generic" &&
           match[0] != "linalg.yield" && match[0] != "linalg.index" &&
           noNumber.match(line);
  });
}

/// Upstream makes a list as long as the tensor before it counts the elements.
static bool hasHugeList(StringRef text) {
  static const llvm::Regex huge("tensor\\.from_elements.*[0-9]{7}x");
  return anyLine(text, [](StringRef line) { return huge.match(line); });
}

namespace {
/// Which values a program's text names where they are not defined, by its
/// brackets.
class Scopes {
public:
  void enter(char c) {
    if (c == '(')
      ++parentheses;
    else if (c == ')')
      --parentheses;
    else if (c == '^')
      labelAt = parentheses;
    else if ((c == ':' || c == '\n') && parentheses == labelAt)
      labelAt = kNoLabel;
    else if (c == '{')
      scopes.push_back(parentheses == 0 ? std::exchange(arguments, {})
                                        : llvm::StringSet<>());
    else if (c == '}' && scopes.size() > 1)
      scopes.pop_back();
  }

  /// Of a block, or of the op whose region follows.
  void define(StringRef name, bool isResult) {
    bool isOfBlock = isResult || labelAt != kNoLabel;
    (isOfBlock ? scopes.back() : arguments).insert(name);
  }

  bool sees(StringRef name) const {
    return llvm::any_of(scopes, [&](const llvm::StringSet<> &scope) {
      return scope.contains(name);
    });
  }

private:
  SmallVector<llvm::StringSet<>> scopes = {{}};
  llvm::StringSet<> arguments;
  static constexpr int kNoLabel = -1;
  int parentheses = 0;
  int labelAt = kNoLabel; // how many are open around the label
};
} // namespace

/// Upstream resolves a value that is named above its block by an argument of
/// that block, and writes to it after the block's op has failed to parse.
static bool namesUnknownValue(StringRef text) {
  Scopes scopes;
  const char *done = text.begin();
  for (const fuzz::Token &token : fuzz::tokenize(text)) {
    for (; done < token.text.begin(); ++done)
      scopes.enter(*done);
    done = token.text.end();
    if (token.kind != fuzz::Token::Value)
      continue;
    StringRef line(text.begin(), token.text.begin() - text.begin());
    line = line.drop_front(line.rfind('\n') + 1).trim();
    StringRef after(token.text.end(), text.end() - token.text.end());
    bool isResult =
        line.empty() || (line.starts_with("%") && !line.contains('='));
    // `%x: f32` of an argument; a use has a space before its colon.
    if (isResult || after.starts_with(":") || after.ltrim().starts_with("="))
      scopes.define(token.text, isResult);
    else if (!scopes.sees(token.text))
      return true;
  }
  return false;
}

bool fuzz::crashesParser(StringRef text) {
  return hasBadDimensions(text) || hasBadIterator(text) ||
         hasNamedOpOnNoNumbers(text) || hasHugeList(text) ||
         namesUnknownValue(text);
}

/// gpu.alloc's canonicalization looks the dimension up.
static bool isBadDim(tensor::DimOp op) {
  std::optional<int64_t> index = op.getConstantIndex();
  auto type = dyn_cast<RankedTensorType>(op.getSource().getType());
  return index && type && (*index < 0 || *index >= type.getRank());
}

/// Elementwise lowerings unroll vectors: not a crash, but the whole memory.
static bool isHugeVector(Type type) {
  constexpr int64_t kLargest = 1 << 16;
  auto shaped = dyn_cast<ShapedType>(type);
  if (shaped && isa<VectorType>(shaped.getElementType()))
    return isHugeVector(shaped.getElementType());
  if (!isa<VectorType>(type))
    return false;
  int64_t elements = 1;
  for (int64_t extent : shaped.getShape())
    if (extent > kLargest || (elements *= extent) > kLargest)
      return true;
  return false;
}

bool fuzz::crashesUpstream(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        auto broadcast = dyn_cast<linalg::BroadcastOp>(op);
        auto dim = dyn_cast<tensor::DimOp>(op);
        bool isBad = (broadcast && isBadBroadcast(broadcast)) ||
                     (dim && isBadDim(dim)) ||
                     llvm::any_of(op->getOperandTypes(), isHugeVector) ||
                     llvm::any_of(op->getResultTypes(), isHugeVector);
        return isBad ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}
