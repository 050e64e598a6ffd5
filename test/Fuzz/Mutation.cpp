//===- Mutation.cpp - changes to the text of a program --------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutation.h"
#include "Tokens.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace fuzz;

static size_t below(Random &random, size_t limit) { return random() % limit; }

static bool oneIn(Random &random, size_t n) { return below(random, n) == 0; }

template <typename Range> static auto &pick(Random &random, Range &&range) {
  return range[below(random, range.size())];
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

static SmallVector<StringRef> getLines(StringRef text) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  return lines;
}

static std::string changeLines(StringRef text, Random &random) {
  SmallVector<StringRef> lines = getLines(text);
  size_t at = below(random, lines.size()), other = below(random, lines.size());
  switch (below(random, 4)) {
  case 0:
    lines.erase(lines.begin() + at);
    break;
  case 1: {
    StringRef line = lines[at];
    lines.insert(lines.begin() + other, line);
    break;
  }
  case 2:
    std::swap(lines[at], lines[other]);
    break;
  default: // neighbors: often still in the order of definitions and uses
    if (at + 1 < lines.size())
      std::swap(lines[at], lines[at + 1]);
  }
  return llvm::join(lines, "\n");
}

/// Without what is between two braces, or without the end.
static std::string cut(StringRef text, Random &random) {
  size_t start = text.find('{', below(random, text.size()));
  if (start == StringRef::npos || oneIn(random, 8))
    return text.take_front(below(random, text.size())).str();
  int depth = 0;
  size_t end = start;
  for (; end < text.size(); ++end) {
    depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
    if (depth == 0)
      break;
  }
  return (text.take_front(start + 1) + text.drop_front(end)).str();
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

static std::string replace(StringRef text, const Token &token, StringRef with) {
  size_t start = token.text.data() - text.data();
  return (text.take_front(start) + with +
          text.drop_front(start + token.text.size()))
      .str();
}

static std::string replaceAll(StringRef text, ArrayRef<Token> tokens,
                              const Token &old, StringRef with) {
  std::string result;
  size_t done = 0;
  for (const Token &token : tokens) {
    if (token.text != old.text || token.kind != old.kind)
      continue;
    size_t start = token.text.data() - text.data();
    result += text.slice(done, start);
    result += with;
    done = start + token.text.size();
  }
  return result + text.drop_front(done).str();
}

/// A token of a kind: fair to the kinds, of which operands would be the most.
static const Token *pickToken(ArrayRef<Token> tokens, Random &random) {
  auto kind = static_cast<Token::Kind>(below(random, Token::kNumKinds));
  SmallVector<const Token *> candidates;
  for (const Token &token : tokens)
    if (token.kind == kind)
      candidates.push_back(&token);
  return candidates.empty() ? nullptr : pick(random, candidates);
}

/// What may stand for `token`: a known word, or one of the program's own.
static StringRef pickOther(ArrayRef<Token> tokens, const Token &token,
                           Random &random) {
  ArrayRef<StringRef> words = getWords(token);
  if (!words.empty() && !oneIn(random, 3))
    return pick(random, words);
  // A value from above: most that are named before their definition are wrong.
  if (token.kind == Token::Value)
    tokens = tokens.take_front(&token - tokens.data() + 1);
  for (int attempt = 0; attempt < 16; ++attempt) {
    const Token &other = pick(random, tokens);
    if (other.kind == token.kind && other.text != token.text)
      return other.text;
  }
  return words.empty() ? token.text : pick(random, words);
}

static std::string changeTokens(StringRef text, Random &random) {
  SmallVector<Token> tokens = tokenize(text);
  const Token *token = nullptr;
  for (int attempt = 0; attempt < 8 && !token; ++attempt)
    token = pickToken(tokens, random);
  if (!token)
    return changeLines(text, random);
  StringRef other = pickOther(tokens, *token, random);
  if (token->kind == Token::Dim && oneIn(random, 2)) {
    static const StringRef tails[] = {" + 1",       " * 2",        " mod 3",
                                      " ceildiv 2", " floordiv 4", " - 1"};
    return replace(text, *token,
                   token->text.str() + pick(random, ArrayRef(tails)).str());
  }
  // Both ways round for a value: its definition is renamed as well.
  bool everywhere = token->kind == Token::Extent || token->kind == Token::Type
                        ? !oneIn(random, 4)
                        : oneIn(random, 4);
  return everywhere ? replaceAll(text, tokens, *token, other)
                    : replace(text, *token, other);
}

/// Two tokens of a kind in one line change places.
static std::string swapTokens(StringRef text, Random &random) {
  SmallVector<Token> tokens = tokenize(text);
  for (int attempt = 0; attempt < 8 && !tokens.empty(); ++attempt) {
    const Token &first = pick(random, tokens);
    const char *lineEnd = std::find(first.text.end(), text.end(), '\n');
    SmallVector<const Token *> others;
    for (const Token &token : tokens)
      if (token.kind == first.kind && token.text.data() >= first.text.end() &&
          token.text.data() < lineEnd)
        others.push_back(&token);
    if (others.empty())
      continue;
    const Token *second = pick(random, others);
    StringRef before(text.data(), first.text.data() - text.data());
    StringRef between(first.text.end(), second->text.data() - first.text.end());
    StringRef after(second->text.end(), text.end() - second->text.end());
    return (before + second->text + between + first.text + after).str();
  }
  return text.str();
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// `text` with its own symbols and aliases, so that it can stand beside
/// another.
static std::string renameSymbols(StringRef text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    bool isName = (text[i] == '@' || text[i] == '#') && i + 1 < text.size() &&
                  isAlpha(text[i + 1]);
    // #norm.epsilon_mode is no alias.
    if (isName &&
        !text.substr(i + 1)
             .take_while([](char c) { return isAlnum(c) || c == '.'; })
             .contains('.'))
      result += "b_";
  }
  return result;
}

std::string fuzz::join(StringRef text, StringRef other, Random &random) {
  if (oneIn(random, 8))
    return text.str() + "\n" + renameSymbols(other);
  SmallVector<StringRef> lines = getLines(text), from = getLines(other);
  size_t start = below(random, from.size());
  size_t count = 1 + below(random, std::min<size_t>(8, from.size() - start));
  lines.insert(lines.begin() + below(random, lines.size()),
               from.begin() + start, from.begin() + start + count);
  return llvm::join(lines, "\n");
}

std::string fuzz::mutate(StringRef text, Random &random) {
  if (text.empty())
    return "module {\n}\n";
  size_t choice = below(random, 32);
  if (choice < 5)
    return changeLines(text, random);
  if (choice < 6)
    return cut(text, random);
  if (choice < 9)
    return swapTokens(text, random);
  return changeTokens(text, random);
}
