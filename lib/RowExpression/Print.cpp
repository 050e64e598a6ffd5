//===- Print.cpp - row expressions for a person ---------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Node.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::norm::row;

namespace {
/// Prints up to kMaxDepth levels and kMaxNodes nodes; the rest is `...`.
struct Printer {
  static constexpr unsigned kMaxDepth = 16, kMaxNodes = 512;
  llvm::raw_ostream *os;
  AsmState *names;
  bool sortsOperands = false; // so that equal expressions print alike
  unsigned depth = 0, numNodes = 0;

  void print(const Node &node);
  void printLeaf(const Node &node);
  void printName(Value value) {
    if (names)
      value.printAsOperand(*os, *names);
    else
      value.printAsOperand(*os, OpPrintingFlags());
  }
};
} // namespace

void Printer::printLeaf(const Node &node) {
  if (auto *element = dyn_cast<ElementNode>(&node)) {
    printName(element->getValue());
    if (!element->getIndices().empty())
      llvm::interleaveComma(element->getIndices(), *os << '[');
    *os << (element->getIndices().empty() ? "" : "]");
  } else if (auto *constant = dyn_cast<ConstantNode>(&node)) {
    SmallString<16> digits;
    constant->getValue().toString(digits, 9, 6);
    *os << digits;
  } else if (auto *position = dyn_cast<PositionNode>(&node)) {
    *os << '(' << position->getIndex() << ')';
  } else if (auto *symbol = dyn_cast<SymbolNode>(&node)) {
    *os << symbol->getName();
  } else if (auto *number = dyn_cast<NumberNode>(&node)) {
    *os << number->getValue().num << '/' << number->getValue().den;
  } else {
    const SymbolicCount &count = cast<CountNode>(&node)->getCount();
    *os << "count(" << count.factor;
    for (auto [value, dim] : count.symbols) {
      *os << " * ";
      printName(Value::getFromOpaquePointer(value));
      if (dim >= 0)
        *os << '#' << dim;
    }
    *os << ')';
  }
}

/// The symbols in the order of Kind.
static constexpr llvm::StringLiteral kSymbols[] = {
    "",      "",       "",    "",    "",    "",    "-", "abs", "sqrt", "rsqrt",
    "round", "extend", " + ", " * ", " / ", "fma", "",  "max", "min",  "sum"};

void Printer::print(const Node &node) {
  auto *opaque = dyn_cast<OpaqueNode>(&node);
  if (node.getOperands().empty() && !opaque)
    return printLeaf(node);
  if (depth == kMaxDepth || ++numNodes > kMaxNodes) {
    *os << "...";
    return;
  }
  StringRef symbol =
      opaque ? opaque->getName()
             : StringRef(kSymbols[static_cast<int>(node.getKind())]);
  bool isInfix = node.is(Kind::Add) || node.is(Kind::Mul) || node.is(Kind::Div);
  if (!isInfix)
    *os << (opaque ? "\"" : "") << symbol << (opaque ? "\"" : "");
  if (node.is(Kind::Round) || node.is(Kind::Extend))
    *os << '<' << node.getType() << '>';
  if (!node.getVariables().empty()) {
    llvm::interleaveComma(node.getVariables(), *os << '{',
                          [&](unsigned each) { *os << 'd' << each; });
    *os << '}';
  }
  // A node that is not a power itself is the base.
  auto *power = dyn_cast<PowerNode>(&node);
  bool isBare = power && !isa<PowerNode>(power->getBase());
  *os << (isBare ? "" : "(");
  ++depth;
  SmallVector<std::string, 3> operands;
  for (const Node *operand : node.getOperands()) {
    llvm::raw_string_ostream text(operands.emplace_back());
    llvm::SaveAndRestore redirected(os,
                                    static_cast<llvm::raw_ostream *>(&text));
    print(*operand);
  }
  if (sortsOperands && !node.is(Kind::Div))
    llvm::sort(operands);
  llvm::interleave(operands, *os, isInfix ? symbol : ", ");
  --depth;
  *os << (isBare ? "" : ")");
  if (power) {
    const auto &[numerator, denominator] = power->getExponent();
    *os << '^' << numerator;
    if (denominator != 1)
      *os << '/' << denominator;
  }
}

void Node::print(llvm::raw_ostream &os, AsmState *names) const {
  Printer{&os, names}.print(*this);
}

std::string Node::describe() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  Printer{&os, /*names=*/nullptr, /*sortsOperands=*/true}.print(*this);
  return text;
}
