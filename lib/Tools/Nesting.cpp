//===- Nesting.cpp - programs too deep for a recursive parser -------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: the parser recurses without a limit and overflows the
// stack; goes when it has one.

#include "norm/Tools/Driver.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace {
/// The open brackets. A `<` may be a comparison, which nothing closes; it is
/// dropped with the bracket around it.
class Brackets {
public:
  void open(char c) { opened.push_back(c); }

  void close(char c) {
    char opener = c == ')' ? '(' : c == ']' ? '[' : c == '}' ? '{' : '<';
    if (opener == '<') {
      if (!opened.empty() && opened.back() == '<')
        opened.pop_back();
      return;
    }
    size_t depth = opened.size();
    while (depth > 0 && opened[depth - 1] != opener)
      --depth;
    if (depth > 0)
      opened.truncate(depth - 1);
  }

  size_t getDepth() const { return opened.size(); }

private:
  llvm::SmallVector<char, 64> opened;
};
} // namespace

/// Returns the end of a string or a comment that starts at `at`, or `at`.
static size_t skipUnread(StringRef text, size_t at) {
  if (text.substr(at).starts_with("//"))
    return std::min(text.find('\n', at), text.size());
  if (text[at] != '"')
    return at;
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\')
      ++at;
  return std::min(at + 1, text.size());
}

std::optional<std::pair<unsigned, unsigned>>
norm::findDeepNesting(StringRef text) {
  constexpr StringLiteral bytecode = "ML\xEFR";
  if (text.starts_with(bytecode))
    return std::nullopt;
  Brackets brackets;
  for (size_t at = 0; at < text.size(); ++at) {
    if (size_t next = skipUnread(text, at); next != at) {
      at = next - 1;
      continue;
    }
    char c = text[at];
    bool isArrow = c == '>' && at > 0 && text[at - 1] == '-';
    if (StringRef("([{<").contains(c))
      brackets.open(c);
    else if (StringRef(")]}>").contains(c) && !isArrow)
      brackets.close(c);
    if (brackets.getDepth() > kMaxNesting) {
      StringRef before = text.take_front(at);
      size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0
      return std::pair<unsigned, unsigned>(before.count('\n') + 1,
                                           at - lineStart + 1);
    }
  }
  return std::nullopt;
}

LogicalResult norm::checkNesting(llvm::MemoryBufferRef buffer) {
  auto place = findDeepNesting(buffer.getBuffer());
  if (!place)
    return success();
  llvm::errs() << buffer.getBufferIdentifier() << ':' << place->first << ':'
               << place->second << ": error: " << kDeepNestingMessage << '\n';
  return failure();
}
