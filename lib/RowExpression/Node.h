//===- Node.h - what one element of a tensor is ------------------*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row expression says how one element of a tensor is computed from elements
// of other tensors: scalar arithmetic over leaves with affine indices, sums
// over named index variables, and every change of type as a node of its own.
// Nodes are what the program wrote: they are immutable, typed, and unique in
// their context, so that equal expressions are one pointer. What is equal as
// mathematics is said by NormalForm.h.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_ROWEXPRESSION_NODE_H
#define NORM_ROWEXPRESSION_NODE_H

#include "Extents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/FoldingSet.h"
#include <memory>
#include <vector>

namespace mlir::norm::row {

enum class Kind {
  Element,  ///< a value of the program at indices
  Constant, ///< a floating-point number
  Count,    ///< a product of extents, rounded to the type
  Position, ///< an index: an affine function of the index variables
  Neg,
  Abs,
  Sqrt,
  Rsqrt,
  Round,  ///< to a narrower type, to nearest even
  Extend, ///< to a wider type, exact
  Add,
  Mul,
  Div,
  Fma,   ///< a * b + c, rounded once
  Power, ///< to a rational exponent
  Max,
  Min,
  Sum,   ///< over index variables, from 0, in the type of the term
  Opaque ///< any other op without effects
};

class Node : public llvm::FastFoldingSetNode {
public:
  Kind getKind() const { return kind; }
  /// In the order in which the nodes were made.
  unsigned getNumber() const { return number; }
  Type getType() const { return type; }
  FloatType getFloatType() const { return cast<FloatType>(type); }
  unsigned getWidth() const { return type.getIntOrFloatBitWidth(); }
  ArrayRef<const Node *> getOperands() const { return operands; }
  const Node *getOperand(unsigned i) const { return operands[i]; }
  bool is(Kind other) const { return kind == other; }
  /// Whether a sum or another reduction is a part of it.
  bool hasReduction() const { return reduces; }
  /// Whether it is a function of reductions and constants alone.
  bool isStatistic() const { return reduces && !hasElement; }
  /// `names` saves numbering the whole program for each value.
  void print(llvm::raw_ostream &os, AsmState *names = nullptr) const;
  virtual ~Node() = default;

protected:
  friend class Context;
  Node(const llvm::FoldingSetNodeID &id, Kind kind, Type type,
       ArrayRef<const Node *> operands)
      : FastFoldingSetNode(id), kind(kind), type(type), operands(operands) {
    for (const Node *operand : operands) {
      reduces |= operand->reduces;
      hasElement |= operand->hasElement;
    }
  }
  bool reduces = false, hasElement = false;

private:
  unsigned number = 0;
  Kind kind;
  Type type;
  SmallVector<const Node *, 2> operands;
};

/// value[indices]: an element of a tensor, a scalar that is not read further
/// (no indices), or what a body computes in the iteration `indices`.
class ElementNode : public Node {
public:
  Value getValue() const { return value; }
  ArrayRef<AffineExpr> getIndices() const { return indices; }
  static bool classof(const Node *node) { return node->is(Kind::Element); }

private:
  friend class Context;
  using Node::Node;
  Value value;
  SmallVector<AffineExpr> indices;
};

class ConstantNode : public Node {
public:
  FloatAttr getAttr() const { return attr; }
  APFloat getValue() const { return attr.getValue(); }
  static bool classof(const Node *node) { return node->is(Kind::Constant); }

private:
  friend class Context;
  using Node::Node;
  FloatAttr attr;
};

class CountNode : public Node {
public:
  const SymbolicCount &getCount() const { return count; }
  static bool classof(const Node *node) { return node->is(Kind::Count); }

private:
  friend class Context;
  using Node::Node;
  SymbolicCount count;
};

class PositionNode : public Node {
public:
  AffineExpr getIndex() const { return index; }
  static bool classof(const Node *node) { return node->is(Kind::Position); }

private:
  friend class Context;
  using Node::Node;
  AffineExpr index;
};

/// base ^ (numerator / denominator); the denominator is 1, 2 or 4.
class PowerNode : public Node {
public:
  /// exp(c * log(x)) is no closer than |c * log(x)| ulp.
  enum class Spelling { Power, ExpOfLog };
  const Node *getBase() const { return getOperand(0); }
  int getNumerator() const { return numerator; }
  int getDenominator() const { return denominator; }
  Spelling getSpelling() const { return spelling; }
  static bool classof(const Node *node) { return node->is(Kind::Power); }

private:
  friend class Context;
  using Node::Node;
  int numerator = 1, denominator = 1;
  Spelling spelling = Spelling::Power;
};

/// The larger or smaller of two values. Two of them are one node only where
/// they are written alike, for the spellings differ in NaN and in -0.
class ExtremumNode : public Node {
public:
  enum class Spelling {
    Propagates, ///< maximumf: NaN of either operand gives NaN
    Ignores,    ///< maxnumf: the operand that is no NaN
    Select      ///< cmpf and select: `predicate` says
  };
  Spelling getSpelling() const { return spelling; }
  arith::CmpFPredicate getPredicate() const { return predicate; }
  /// Whether a NaN in operand `i` gives NaN, the other being a number.
  bool keepsNaN(unsigned i) const;
  static bool classof(const Node *node) {
    return node->is(Kind::Max) || node->is(Kind::Min);
  }

private:
  friend class Context;
  using Node::Node;
  Spelling spelling = Spelling::Propagates;
  arith::CmpFPredicate predicate = arith::CmpFPredicate::OGT;
};

class SumNode : public Node {
public:
  const Node *getTerm() const { return getOperand(0); }
  /// What it runs over: variables that nothing outside the term refers to.
  ArrayRef<unsigned> getVariables() const { return variables; }
  static bool classof(const Node *node) { return node->is(Kind::Sum); }

private:
  friend class Context;
  using Node::Node;
  SmallVector<unsigned> variables;
};

/// An op without effects, by its name and attributes; a reduction that is no
/// sum from 0 is one too, over `variables`.
class OpaqueNode : public Node {
public:
  StringRef getName() const { return name.getValue(); }
  DictionaryAttr getAttributes() const { return attributes; }
  ArrayRef<unsigned> getVariables() const { return variables; }
  bool isReduction() const { return !variables.empty(); }
  static bool classof(const Node *node) { return node->is(Kind::Opaque); }

private:
  friend class Context;
  using Node::Node;
  StringAttr name;
  DictionaryAttr attributes;
  SmallVector<unsigned> variables;
};

/// An index variable: its extent, and for a dynamic one every value of the
/// program that the extent is known to be.
struct Variable {
  int64_t extent; // or ShapedType::kDynamic
  SmallVector<SymbolicCount, 2> sources;
};

/// Owns the nodes of one program and the variables that they are indexed by.
class Context {
public:
  explicit Context(MLIRContext *context) : context(context) {}
  MLIRContext *getContext() const { return context; }
  Extents &getExtents() { return extents; }

  const Node *getElement(Value value, ArrayRef<AffineExpr> indices);
  const Node *getConstant(const APFloat &value, Type type);
  const Node *getCount(const SymbolicCount &count, Type type);
  const Node *getPosition(AffineExpr index);
  /// Neg to Fma. Folds only what is the same bits for every value.
  const Node *get(Kind kind, Type type, ArrayRef<const Node *> operands);
  const Node *getPower(const Node *base, int numerator, int denominator,
                       PowerNode::Spelling spelling, Type type);
  const Node *
  getExtremum(Kind kind, const Node *a, const Node *b,
              ExtremumNode::Spelling spelling,
              arith::CmpFPredicate predicate = arith::CmpFPredicate::OGT);
  const Node *getSum(const Node *term, ArrayRef<unsigned> variables);
  const Node *getOpaque(StringRef name, DictionaryAttr attributes, Type type,
                        ArrayRef<const Node *> operands,
                        ArrayRef<unsigned> variables = {});

  /// A new variable d<id>, and that of loop position `position` of a static
  /// `extent`, which is one for all ops.
  unsigned addVariable(int64_t extent);
  unsigned getVariable(unsigned position, int64_t extent);
  AffineExpr getIndex(unsigned variable) const {
    return getAffineDimExpr(variable, context);
  }
  Variable &getInfo(unsigned variable) { return variables[variable]; }
  int64_t getExtent(unsigned variable) const {
    return variables[variable].extent;
  }
  /// s<id>, for an index that only the program knows.
  AffineExpr getSymbol(Value value);

  /// Whether two variables, or a variable and a dimension, have one extent.
  bool haveSameExtent(unsigned a, unsigned b) const;
  bool isExtentOf(unsigned variable, Value tensor, int64_t dim);
  /// Whether `count` is the product of the extents of `variables`.
  bool isProductOfExtents(const SymbolicCount &count,
                          ArrayRef<unsigned> variables) const;

private:
  template <typename NodeT, typename Fill>
  const NodeT *unique(Kind kind, Type type, ArrayRef<const Node *> operands,
                      llvm::FoldingSetNodeID &id, Fill fill);
  const Node *fold(Kind kind, Type type, ArrayRef<const Node *> operands);

  MLIRContext *context;
  Extents extents;
  std::vector<std::unique_ptr<Node>> nodes;
  llvm::FoldingSet<Node> uniqueNodes;
  std::vector<Variable> variables;
  llvm::DenseMap<std::pair<unsigned, int64_t>, unsigned> byPosition;
  llvm::DenseMap<Value, unsigned> symbols;
};

inline const Node *stripExtend(const Node *node) {
  return node->is(Kind::Extend) ? node->getOperand(0) : node;
}
bool isConstant(const Node *node, double value);
/// Whether two nodes differ at most in their operands, or in what leaf they
/// are.
bool isAlike(const Node *a, const Node *b);
/// Whether the value is at least 0 or a NaN, whatever the elements are; -0
/// counts as 0.
bool isNonNegative(const Node *node);
/// The index variables that the value depends on, sorted.
SmallVector<unsigned> getDependentVariables(const Node *node);

inline llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Node &node) {
  node.print(os);
  return os;
}

} // namespace mlir::norm::row

#endif // NORM_ROWEXPRESSION_NODE_H
