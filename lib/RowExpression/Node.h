//===- Node.h - what one element of a tensor is ------------------*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row expression says how one element of a tensor is computed from elements
// of other tensors: scalar arithmetic over leaves with affine indices, sums
// over named index variables, and one node per change of type. Nodes describe
// what the program wrote: they are immutable, typed, and unique in their
// context, so that equal expressions are one pointer. NormalForm.h decides
// mathematical equality.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_ROWEXPRESSION_NODE_H
#define NORM_LIB_ROWEXPRESSION_NODE_H

#include "Extents.h"
#include "mlir/Analysis/Presburger/Fraction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/Allocator.h"
#include <vector>

namespace mlir::norm::row {

using presburger::Fraction;

enum class Kind {
  Element,  ///< a value of the program at indices
  Symbol,   ///< a leaf that only a name identifies, as x in a law
  Constant, ///< a floating-point number
  Number,   ///< an exact rational number, which no program has
  Count,    ///< a product of extents, rounded to the type
  Position, ///< an affine function of the index variables
  Neg,
  Abs,
  Sqrt,
  Rsqrt,
  Round,  ///< narrows, rounding to nearest even
  Extend, ///< widens, which is exact
  Add,
  Mul,
  Div,
  Fma,   ///< a * b + c, rounded once
  Power, ///< raises to a rational exponent
  Max,
  Min,
  Sum,   ///< adds over index variables, from 0, in the term's type
  Opaque ///< any other op without effects
};

/// The part of a node beside kind, type and operands; it depends on the kind.
struct Payload {
  Value value = {};
  ArrayRef<AffineExpr> indices = {};
  ArrayRef<unsigned> variables = {};
  StringAttr name = {};
  Attribute attribute = {}; // a constant, a spelling, or what an op has
  Fraction number{1};       // also an exponent, or the factor of a count
  ArrayRef<SymbolicCount::Symbol> extents = {};
  unsigned spelling = 0; // a Sign or a PowerNode::Spelling

  auto tie() const {
    return std::tie(value, indices, variables, name, attribute, number.num,
                    number.den, extents, spelling);
  }
};

class Node {
public:
  Kind getKind() const { return kind; }
  /// Returns the number in the order of creation.
  unsigned getNumber() const { return number; }
  Type getType() const { return type; }
  FloatType getFloatType() const { return cast<FloatType>(type); }
  unsigned getWidth() const { return type.getIntOrFloatBitWidth(); }
  ArrayRef<const Node *> getOperands() const { return operands; }
  const Node *getOperand(unsigned i) const { return operands[i]; }
  bool is(Kind other) const { return kind == other; }
  /// Returns the indices of an element, a symbol or a position.
  ArrayRef<AffineExpr> getIndices() const { return payload.indices; }
  /// Returns the variables of a sum or another reduction; nothing outside of it
  /// refers to them.
  ArrayRef<unsigned> getVariables() const { return payload.variables; }
  /// Returns the index variables that the value depends on, sorted.
  ArrayRef<unsigned> getDependentVariables() const { return dependent; }
  /// Returns true if the expression contains a sum or another reduction.
  bool hasReduction() const { return reduces; }
  /// Returns true if it depends only on reductions and constants.
  bool isStatistic() const { return reduces && !hasElement; }
  /// Returns true if the value is at least 0 or NaN for all elements; -0 counts
  /// as 0.
  bool isNonNegative() const { return nonNegative; }
  /// Returns true if it is no -0 either, so that |a|, a + 0 and max(a, 0) are
  /// a.
  bool isAboveNegativeZero() const { return nonNegative && noNegativeZero; }
  /// Returns true if two nodes differ at most in their operands.
  bool isAlike(const Node *other) const {
    return kind == other->kind && type == other->type &&
           payload.tie() == other->payload.tie();
  }
  /// Prints the expression; `names` saves numbering the program for each value.
  void print(llvm::raw_ostream &os, AsmState *names = nullptr) const;
  /// Returns a text that does not depend on the order of operands.
  std::string describe() const;

protected:
  Payload payload;

private:
  friend class Context;
  /// Two nodes are one if kinds, types, operands and payloads are equal.
  struct Info : llvm::DenseMapInfo<const Node *> {
    static unsigned getHashValue(const Node *node) { return node->hash; }
    static bool isEqual(const Node *a, const Node *b);
  };

  /// Refers to arrays of the caller; `derive` sets what follows from them.
  Node(Kind kind, Type type, ArrayRef<const Node *> operands,
       const Payload &payload);
  void derive(llvm::BumpPtrAllocator &arrays);
  bool isNeverNegative() const;
  bool isNeverNegativeZero() const;

  Kind kind;
  unsigned hash, number = 0;
  Type type;
  ArrayRef<const Node *> operands;
  ArrayRef<unsigned> dependent;
  bool reduces = false, hasElement = false;
  bool nonNegative = false, noNegativeZero = false;
};

/// A node that has one of certain kinds.
template <Kind... kinds> struct NodeOf : Node {
  static bool has(Kind kind) { return ((kind == kinds) || ...); }
  static bool classof(const Node *node) { return has(node->getKind()); }
};

/// A node value[indices]: an element of a tensor, a scalar that is not read
/// further (no indices), or a value of a body in the iteration `indices`.
struct ElementNode : NodeOf<Kind::Element> {
  Value getValue() const { return payload.value; }
};

/// Whether a symbol is known to be at least 0. A number, such as epsilon, is
/// one that every type holds.
enum class Sign { Any, NonNegative, Number };

/// A leaf of a law; x, dy and w have the index of the row in which they vary.
struct SymbolNode : NodeOf<Kind::Symbol> {
  StringRef getName() const { return payload.name.getValue(); }
  Sign getSign() const { return Sign(payload.spelling); }
};

struct NumberNode : NodeOf<Kind::Number> {
  const Fraction &getValue() const { return payload.number; }
};

struct ConstantNode : NodeOf<Kind::Constant> {
  FloatAttr getAttr() const { return cast<FloatAttr>(payload.attribute); }
  APFloat getValue() const { return getAttr().getValue(); }
};

struct CountNode : NodeOf<Kind::Count> {
  SymbolicCount getCount() const {
    return {int64_t(payload.number.num),
            SmallVector<SymbolicCount::Symbol, 2>(payload.extents)};
  }
};

struct PositionNode : NodeOf<Kind::Position> {
  AffineExpr getIndex() const { return payload.indices[0]; }
};

/// A node base ^ exponent, in lowest terms.
struct PowerNode : NodeOf<Kind::Power> {
  /// exp(c * log(x)) has an error of up to |c * log(x)| ulp.
  enum class Spelling { Power, ExpOfLog };
  const Node *getBase() const { return getOperand(0); }
  const Fraction &getExponent() const { return payload.number; }
  Spelling getSpelling() const { return Spelling(payload.spelling); }
  bool isOdd() const {
    return getExponent().den == 1 && getExponent().num % 2 != 0;
  }
};

/// The larger or smaller of two values. Nodes differ if their spellings do,
/// because these differ in NaN and -0: maximumf has no attribute and gives NaN
/// if either operand is NaN, maxnumf has a UnitAttr and gives the operand that
/// is not NaN, cmpf and select have the predicate.
struct ExtremumNode : NodeOf<Kind::Max, Kind::Min> {
  /// Returns true if a NaN in operand `i` and a number give NaN.
  bool keepsNaN(unsigned i) const;
  Attribute getSpelling() const { return payload.attribute; }
};

struct SumNode : NodeOf<Kind::Sum> {
  const Node *getTerm() const { return getOperand(0); }
};

/// An op without effects, described by its name and attributes; or, over its
/// variables, a reduction that is not a sum from 0.
struct OpaqueNode : NodeOf<Kind::Opaque> {
  StringRef getName() const { return payload.name.getValue(); }
  DictionaryAttr getAttributes() const {
    return cast_or_null<DictionaryAttr>(payload.attribute);
  }
  bool isReduction() const { return !getVariables().empty(); }
};

/// An index variable with its extent and, if that is dynamic, all values of the
/// program that are known to equal it.
struct Variable {
  int64_t extent; // or ShapedType::kDynamic
  SmallVector<SymbolicCount, 2> sources;
};

/// The owner of one program's nodes and of their index variables.
class Context {
public:
  explicit Context(MLIRContext *context) : context(context) {}
  MLIRContext *getContext() const { return context; }
  Extents &getExtents() { return extents; }

  /// The bound on what one search reads: tensors, levels or operands.
  static constexpr size_t kMaxRead = 64;
  /// Returns true if a search that has read `count` may go on, and notes a
  /// search that ends at its bound.
  bool mayRead(size_t count, size_t bound = kMaxRead) {
    beyondBound |= count >= bound;
    return count < bound;
  }
  /// Returns true if a search has ended at its bound since the last call.
  bool takeBeyondBound() { return std::exchange(beyondBound, false); }

  const Node *getElement(Value value, ArrayRef<AffineExpr> indices);
  const Node *getSymbol(StringRef name, Type type, Sign sign,
                        ArrayRef<AffineExpr> indices = {});
  const Node *getConstant(const APFloat &value, Type type);
  const Node *getNumber(const Fraction &value, Type type);
  const Node *getCount(const SymbolicCount &count, Type type);
  const Node *getPosition(AffineExpr index);
  /// Returns a Neg to Fma node. A fold keeps the bits of every value.
  const Node *get(Kind kind, Type type, ArrayRef<const Node *> operands);
  const Node *
  getPower(const Node *base, const Fraction &exponent, Type type,
           PowerNode::Spelling spelling = PowerNode::Spelling::Power);
  const Node *getExtremum(Kind kind, const Node *a, const Node *b,
                          Attribute spelling);
  const Node *getSum(const Node *term, ArrayRef<unsigned> variables);
  const Node *getOpaque(StringRef name, DictionaryAttr attributes, Type type,
                        ArrayRef<const Node *> operands,
                        ArrayRef<unsigned> variables = {});
  /// Returns `node` with other operands, in its own type if none is given. A
  /// sum and an extremum have the type of what they are of.
  const Node *rebuild(const Node *node, ArrayRef<const Node *> operands,
                      Type type = nullptr);
  /// Returns a symbol or arithmetic in another type, any other node as it is.
  const Node *retype(const Node *node, Type type);
  /// Returns `node` on operands of which every rounding is a node, and which
  /// are in the canonical order: arithmetic in 16 bits is that in f32, rounded.
  const Node *rebuildRounded(const Node *node, ArrayRef<const Node *> operands);

  /// Creates a variable d<id>. The second one returns the variable of loop
  /// position `position` with a static `extent`, which all ops share.
  unsigned addVariable(int64_t extent);
  unsigned getVariable(unsigned position, int64_t extent);
  AffineExpr getIndex(unsigned variable) const {
    return getAffineDimExpr(variable, context);
  }
  Variable &getInfo(unsigned variable) { return variables[variable]; }
  int64_t getExtent(unsigned variable) const {
    return variables[variable].extent;
  }
  /// Returns s<id>, an index whose value only the program knows.
  AffineExpr getSymbol(Value value);

  /// Returns what is known of the variable's extent: one constant, or its
  /// sources.
  SmallVector<SymbolicCount, 2> getSources(unsigned variable) const;
  /// Returns true if two variables, or a variable and a dimension, are equal.
  bool haveSameExtent(unsigned a, unsigned b) const;
  bool isExtentOf(unsigned variable, Value tensor, int64_t dim);
  /// Returns true if `count` is the product of the extents of `variables`.
  bool isProductOfExtents(const SymbolicCount &count,
                          ArrayRef<unsigned> variables) const;

private:
  const Node *unique(Kind kind, Type type, ArrayRef<const Node *> operands,
                     const Payload &payload);
  const Node *fold(Kind kind, Type type, ArrayRef<const Node *> operands);

  MLIRContext *context;
  bool beyondBound = false;
  Extents extents;
  llvm::SpecificBumpPtrAllocator<Node> memory;
  llvm::BumpPtrAllocator arrays; // that nodes refer to
  llvm::DenseSet<const Node *, Node::Info> nodes;
  std::vector<Variable> variables;
  llvm::DenseMap<std::pair<unsigned, int64_t>, unsigned> byPosition;
  llvm::DenseMap<Value, unsigned> symbols;
};

inline const Node *stripExtend(const Node *node) {
  return node->is(Kind::Extend) ? node->getOperand(0) : node;
}
bool isConstant(const Node *node, double value);
/// Returns true for a symbol of a number, which is exact in every type.
bool isNumberSymbol(const Node *node);
inline bool isNonNegative(const Node *node) { return node->isNonNegative(); }
inline ArrayRef<unsigned> getDependentVariables(const Node *node) {
  return node->getDependentVariables();
}

} // namespace mlir::norm::row

#endif // NORM_LIB_ROWEXPRESSION_NODE_H
