//===- Print.cpp - row expressions for a person ---------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Node.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::norm::row;

static StringRef getSymbol(Kind kind) {
  switch (kind) {
  case Kind::Neg:
    return "-";
  case Kind::Abs:
    return "abs";
  case Kind::Sqrt:
    return "sqrt";
  case Kind::Rsqrt:
    return "rsqrt";
  case Kind::Round:
    return "round";
  case Kind::Extend:
    return "extend";
  case Kind::Add:
    return " + ";
  case Kind::Mul:
    return " * ";
  case Kind::Div:
    return " / ";
  case Kind::Fma:
    return "fma";
  case Kind::Max:
    return "max";
  case Kind::Min:
    return "min";
  default:
    return "";
  }
}

static void printVariables(llvm::raw_ostream &os,
                           ArrayRef<unsigned> variables) {
  os << '{';
  llvm::interleaveComma(variables, os,
                        [&](unsigned each) { os << 'd' << each; });
  os << '}';
}

static void printName(llvm::raw_ostream &os, Value value, AsmState *names) {
  if (names)
    value.printAsOperand(os, *names);
  else
    value.printAsOperand(os, OpPrintingFlags());
}

static void printLeaf(llvm::raw_ostream &os, const Node &node,
                      AsmState *names) {
  if (auto *element = dyn_cast<ElementNode>(&node)) {
    printName(os, element->getValue(), names);
    if (!element->getIndices().empty()) {
      os << '[';
      llvm::interleaveComma(element->getIndices(), os);
      os << ']';
    }
  } else if (auto *constant = dyn_cast<ConstantNode>(&node)) {
    SmallString<16> digits;
    constant->getValue().toString(digits, 9, 6);
    os << digits;
  } else if (auto *position = dyn_cast<PositionNode>(&node)) {
    os << '(' << position->getIndex() << ')';
  } else {
    const SymbolicCount &count = cast<CountNode>(&node)->getCount();
    os << "count(" << count.factor;
    for (auto [value, dim] : count.symbols) {
      os << " * ";
      printName(os, Value::getFromOpaquePointer(value), names);
      if (dim >= 0)
        os << '#' << dim;
    }
    os << ')';
  }
}

namespace {
/// A tree of up to kMaxDepth levels and kMaxNodes nodes; the rest is `...`.
struct Printer {
  static constexpr unsigned kMaxDepth = 16, kMaxNodes = 512;
  llvm::raw_ostream &os;
  AsmState *names;
  unsigned depth = 0, numNodes = 0;

  void printList(ArrayRef<const Node *> nodes, StringRef separator = ", ") {
    llvm::interleave(
        nodes, os, [&](const Node *node) { print(*node); }, separator);
  }
  void print(const Node &node);
  void printOperator(const Node &node);
};
} // namespace

void Printer::printOperator(const Node &node) {
  if (auto *sum = dyn_cast<SumNode>(&node)) {
    os << "sum";
    printVariables(os, sum->getVariables());
  } else if (auto *opaque = dyn_cast<OpaqueNode>(&node)) {
    os << '"' << opaque->getName() << '"';
    if (opaque->isReduction())
      printVariables(os, opaque->getVariables());
  } else {
    os << getSymbol(node.getKind());
    if (node.is(Kind::Round) || node.is(Kind::Extend))
      os << '<' << node.getType() << '>';
  }
}

void Printer::print(const Node &node) {
  if (node.getOperands().empty() && !node.is(Kind::Opaque))
    return printLeaf(os, node, names);
  if (depth == kMaxDepth || ++numNodes > kMaxNodes) {
    os << "...";
    return;
  }
  ++depth;
  bool isInfix = node.is(Kind::Add) || node.is(Kind::Mul) || node.is(Kind::Div);
  if (!isInfix && !node.is(Kind::Power))
    printOperator(node);
  os << '(';
  printList(node.getOperands(), isInfix ? getSymbol(node.getKind()) : ", ");
  os << ')';
  if (auto *power = dyn_cast<PowerNode>(&node)) {
    os << '^' << power->getNumerator();
    if (power->getDenominator() != 1)
      os << '/' << power->getDenominator();
  }
  --depth;
}

void Node::print(llvm::raw_ostream &os, AsmState *names) const {
  Printer{os, names}.print(*this);
}
