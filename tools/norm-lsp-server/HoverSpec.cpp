//===- HoverSpec.cpp - the specification in an editor's hover -------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR keeps no op descriptions at run time, and its server has no hook for
// hovers. So the output of mlir-tblgen -gen-op-doc is built in and inserted
// into the server's replies.
//
//===----------------------------------------------------------------------===//

#include "HoverSpec.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>
#include <optional>

using namespace mlir;
using llvm::StringRef;

static const unsigned char opDocs[] = {
#include "OpDocs.inc"
};

/// Returns the section of an op, from its heading to its syntax table or the
/// next op; empty for other ops.
static StringRef findSpec(StringRef opName) {
  StringRef docs(reinterpret_cast<const char *>(opDocs), sizeof(opDocs));
  size_t begin = docs.find(("### `" + opName + "`").str());
  if (begin == StringRef::npos)
    return {};
  StringRef section = docs.drop_front(begin);
  section = section.drop_front(section.find('\n') + 1);
  section = section.take_front(section.find("\n### `"));
  // Traits and tables belong into the reference manual.
  return section.take_front(section.find("\nTraits:")).trim();
}

/// Upstream's text of a hover over an op begins with its name in quotes.
static std::optional<std::string> addSpec(StringRef hover) {
  StringRef rest = hover;
  if (!rest.consume_front("\""))
    return std::nullopt;
  StringRef spec = findSpec(rest.take_until([](char c) { return c == '"'; }));
  if (spec.empty())
    return std::nullopt;
  auto [title, body] = hover.split("\n\n");
  return (title + "\n\n" + spec + "\n\n" + body).str();
}

std::string norm::addSpecToHover(StringRef message) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(message);
  if (!value) {
    llvm::consumeError(value.takeError());
    return message.str();
  }
  llvm::json::Object *reply = value->getAsObject();
  llvm::json::Object *result = reply ? reply->getObject("result") : nullptr;
  auto *contents = result ? result->getObject("contents") : nullptr;
  auto text = contents ? contents->getString("value") : std::nullopt;
  auto extended = text ? addSpec(*text) : std::nullopt;
  if (!extended)
    return message.str();
  (*contents)["value"] = *extended;
  // The format is the server's: several lines with --pretty and --lit-test.
  bool isPretty = message.contains('\n');
  return isPretty ? llvm::formatv("{0:2}\n", *value).str()
                  : llvm::formatv("{0}", *value).str();
}

/// Reads the next message's content after its headers; nullopt at the end.
static std::optional<std::string> readMessage(std::FILE *in) {
  size_t length = 0;
  char line[256];
  while (std::fgets(line, sizeof(line), in)) {
    StringRef header = StringRef(line).trim();
    if (header.consume_front("Content-Length:"))
      header.trim().getAsInteger(10, length);
    else if (header.empty() && length > 0) {
      std::string content(length, '\0');
      content.resize(std::fread(content.data(), 1, length, in));
      return content;
    }
  }
  return std::nullopt;
}

void norm::forwardMessages(int from, int to) {
  std::FILE *in = fdopen(from, "r");
  llvm::raw_fd_ostream out(to, /*shouldClose=*/false);
  while (std::optional<std::string> message = readMessage(in)) {
    std::string content = addSpecToHover(*message);
    out << "Content-Length: " << content.size() << "\r\n\r\n" << content;
    out.flush();
  }
  std::fclose(in);
}
