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
#include <unordered_map>
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

/// What a node says beside its kind, type and operands; each kind has a part.
struct Payload {
  Value value;
  SmallVector<AffineExpr, 2> indices;
  SymbolicCount count;
  Attribute attribute; // a constant, the spelling of an extremum, or what an
                       // op has
  StringAttr name;
  SmallVector<unsigned, 2> variables;
  int numerator = 1, denominator = 1;
  unsigned spelling = 0;

  bool operator==(const Payload &other) const;
};

class Node {
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
  /// Of an element or a position.
  ArrayRef<AffineExpr> getIndices() const { return payload.indices; }
  /// What a sum or another reduction runs over: variables that nothing outside
  /// it refers to.
  ArrayRef<unsigned> getVariables() const { return payload.variables; }
  /// Whether a sum or another reduction is a part of it.
  bool hasReduction() const { return reduces; }
  /// Whether it is a function of reductions and constants alone.
  bool isStatistic() const { return reduces && !hasElement; }
  /// Whether two nodes differ at most in their operands.
  bool isAlike(const Node *other) const {
    return kind == other->kind && type == other->type &&
           payload == other->payload;
  }
  /// `names` saves numbering the whole program for each value.
  void print(llvm::raw_ostream &os, AsmState *names = nullptr) const;

protected:
  Payload payload;

private:
  friend class Context;
  Node(unsigned number, Kind kind, Type type, ArrayRef<const Node *> operands,
       const Payload &payload);

  unsigned number;
  Kind kind;
  Type type;
  SmallVector<const Node *, 2> operands;
  bool reduces, hasElement;
};

/// A node seen as one of certain kinds.
template <Kind... kinds> struct NodeOf : Node {
  static bool classof(const Node *node) { return (node->is(kinds) || ...); }
};

/// value[indices]: an element of a tensor, a scalar that is not read further
/// (no indices), or what a body computes in the iteration `indices`.
struct ElementNode : NodeOf<Kind::Element> {
  Value getValue() const { return payload.value; }
};

struct ConstantNode : NodeOf<Kind::Constant> {
  FloatAttr getAttr() const { return cast<FloatAttr>(payload.attribute); }
  APFloat getValue() const { return getAttr().getValue(); }
};

struct CountNode : NodeOf<Kind::Count> {
  const SymbolicCount &getCount() const { return payload.count; }
};

struct PositionNode : NodeOf<Kind::Position> {
  AffineExpr getIndex() const { return payload.indices[0]; }
};

/// base ^ (numerator / denominator), in lowest terms.
struct PowerNode : NodeOf<Kind::Power> {
  /// exp(c * log(x)) is no closer than |c * log(x)| ulp.
  enum class Spelling { Power, ExpOfLog };
  const Node *getBase() const { return getOperand(0); }
  int getNumerator() const { return payload.numerator; }
  int getDenominator() const { return payload.denominator; }
  Spelling getSpelling() const { return Spelling(payload.spelling); }
  bool isOdd() const { return getDenominator() == 1 && getNumerator() % 2; }
};

/// The larger or smaller of two values. Two of them are one node only where
/// they are written alike, for the spellings differ in NaN and in -0: maximumf
/// has no attribute and gives NaN for NaN of either operand, maxnumf a UnitAttr
/// and the operand that is no NaN, cmpf and select the predicate.
struct ExtremumNode : NodeOf<Kind::Max, Kind::Min> {
  /// Whether a NaN in operand `i` gives NaN, the other being a number.
  bool keepsNaN(unsigned i) const;
};

struct SumNode : NodeOf<Kind::Sum> {
  const Node *getTerm() const { return getOperand(0); }
};

/// An op without effects, by its name and attributes; a reduction that is no
/// sum from 0 is one too, over its variables.
struct OpaqueNode : NodeOf<Kind::Opaque> {
  StringRef getName() const { return payload.name.getValue(); }
  DictionaryAttr getAttributes() const {
    return cast_or_null<DictionaryAttr>(payload.attribute);
  }
  bool isReduction() const { return !getVariables().empty(); }
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
  const Node *getExtremum(Kind kind, const Node *a, const Node *b,
                          Attribute spelling);
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

  /// What the extent of a variable is known to be: one constant, or the
  /// sources.
  SmallVector<SymbolicCount, 2> getSources(unsigned variable) const;
  /// Whether two variables, or a variable and a dimension, have one extent.
  bool haveSameExtent(unsigned a, unsigned b) const;
  bool isExtentOf(unsigned variable, Value tensor, int64_t dim);
  /// Whether `count` is the product of the extents of `variables`.
  bool isProductOfExtents(const SymbolicCount &count,
                          ArrayRef<unsigned> variables) const;

private:
  const Node *unique(Kind kind, Type type, ArrayRef<const Node *> operands,
                     const Payload &payload);
  const Node *fold(Kind kind, Type type, ArrayRef<const Node *> operands);

  MLIRContext *context;
  Extents extents;
  std::unordered_multimap<size_t, Node> nodes; // by their hashes
  std::vector<Variable> variables;
  llvm::DenseMap<std::pair<unsigned, int64_t>, unsigned> byPosition;
  llvm::DenseMap<Value, unsigned> symbols;
};

/// Rounded to nearest even.
APFloat convert(APFloat value, const llvm::fltSemantics &semantics);
inline const Node *stripExtend(const Node *node) {
  return node->is(Kind::Extend) ? node->getOperand(0) : node;
}
bool isConstant(const Node *node, double value);
/// Whether the value is at least 0 or a NaN, whatever the elements are; -0
/// counts as 0.
bool isNonNegative(const Node *node);
/// The index variables that the value depends on, sorted.
SmallVector<unsigned> getDependentVariables(const Node *node);

} // namespace mlir::norm::row

#endif // NORM_ROWEXPRESSION_NODE_H
