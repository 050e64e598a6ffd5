//===- RowExpression.h - what one element of a tensor is --------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A RowExpression says how one element of a tensor is computed from elements of
// other tensors: scalar arithmetic over leaves with affine index expressions,
// reductions over named dimensions, and every rounding as a node of its own.
// It does not depend on how the program is cut into linalg ops: bodies are
// inlined, reshapes, broadcasts, transposes and slices only compose indices.
//
// Nodes are unique (equal expressions are one pointer), so comparison is cheap
// and the size is bounded by the IR that was read.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_RECOGNITION_ROWEXPRESSION_H
#define NORM_RECOGNITION_ROWEXPRESSION_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "norm/Recognition/Extent.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/MapVector.h"
#include <deque>
#include <map>
#include <string>
#include <unordered_map>

namespace mlir::norm {

struct Expr {
  enum class Kind {
    Element,  ///< tensor[indices]
    Constant, ///< value, exact in `type`
    Mul,      ///< operands[0] * operands[1], rounded to `type`
    Add,      ///< operands[0] + operands[1]
    Pow,      ///< operands[0] ^ (numerator/denominator)
    Abs,
    Neg,
    Max, ///< NaN of either operand gives NaN, unless `dropsNaN`
    Min,
    Count,  ///< `count`, a product of extents, rounded to `type`
    Round,  ///< operands[0] rounded to the narrower `type`
    Extend, ///< operands[0] in the wider `type`, exact
    Sum,    ///< operands[0] added up over `reduced`, from 0
    Opaque  ///< anything else: `name` says what
  };
  Kind kind = Kind::Opaque;
  Type type;
  SmallVector<const Expr *, 2> operands;
  Value tensor;                       // Element; Opaque: its value, if not pure
  SmallVector<AffineExpr> indices;    // Element, Opaque
  SmallVector<unsigned> reduced;      // Sum
  int numerator = 1, denominator = 1; // Pow
  std::optional<APFloat> value;       // Constant
  std::optional<SymbolicCount> count; // Count
  std::optional<arith::CmpFPredicate> comparison; // Opaque
  std::string name; // Opaque: what the program does there
  /// Pow: written as rsqrt or as a division; `exact` rounding cares.
  bool viaRsqrt = false;
  /// Pow in 16 bits: the reciprocal of a root that is an op of its own.
  bool inTwoSteps = false;
  bool divides = false;     // Pow: what is divided is not 1
  bool dropsNaN = false;    // Max
  bool isReduction = false; // Opaque
  /// Opaque: it depends on its position in a way that `indices` do not say.
  bool isLocal = false;
  // Of the whole expression, kept so that no search walks a shared node twice.
  bool hasReduction = false;
  bool hasRootOrSquares = false;
  bool hasLocal = false;
  /// A tensor in it was not read because it is beyond the bounds.
  bool isBeyondBound = false, hasBeyondBound = false;
};

Expr makeNode(Expr::Kind kind, Type type, ArrayRef<const Expr *> operands = {});

/// Whether the value is at least 0 or a NaN, whatever the elements are.
bool isNonNegative(const Expr *expr);

/// A position in the program that holds an expression.
struct Anchor {
  Value tensor;
  SmallVector<AffineExpr> indices;
};

/// A scalar of a linalg body that holds an expression, and where the loops of
/// its op are.
struct BodyAnchor {
  linalg::LinalgOp op;
  Value scalar;
  SmallVector<AffineExpr> loops;
};

/// Reads what one linalg op computes. The index dimensions 0 to rank-1 are
/// those of a tensor over the whole iteration space of the op: its result's
/// where all its loops are parallel, else the loops themselves, or some of
/// them. Those of other reductions follow.
class ExprReader {
public:
  /// Bounds on what is read for one op; beyond them a tensor is a leaf.
  static constexpr size_t kMaxNodes = 16384;
  static constexpr unsigned kMaxDepth = 20; // linalg ops behind one another
  static constexpr unsigned kMaxBody = kMaxNodes / 4; // ops of one linalg op
  static constexpr unsigned kMaxRecursion = 200;      // for the stack's sake
  static constexpr unsigned kMaxSources = 32;         // of one dynamic extent

  /// Behind a reduction, `leaves` are not read further. Of a root that reduces,
  /// only what depends on no other than `rootLoops` is read rightly.
  ExprReader(linalg::LinalgOp root, unsigned resultNumber,
             const llvm::SmallBitVector &rootLoops,
             const llvm::DenseSet<Value> &leaves);

  /// Reads the body; false where the op has no such iteration space.
  bool read();

  /// What an op of the body computes.
  const Expr *getExpr(Value scalar) const { return body.lookup(scalar); }

  unsigned getRank() const { return rank; }
  ArrayRef<int64_t> getShape() const {
    return ArrayRef<int64_t>(extents).take_front(rank);
  }
  /// From the loops of the op to the index dimensions.
  AffineMap getSpaceMap() const { return spaceMap; }

  /// Static extent of an index dimension, or ShapedType::kDynamic.
  int64_t getExtent(unsigned dim) const { return extents[dim]; }
  /// Whether two index dimensions, or a dimension of a tensor, have one extent.
  bool haveSameExtent(unsigned a, unsigned b) const;
  bool isExtentOf(unsigned dim, Value tensor, int64_t tensorDim) const;

  /// Whether `count` is the product of the extents of `dims`, as any operand
  /// that they walk along tells them.
  bool isProductOfExtents(const SymbolicCount &count,
                          ArrayRef<int64_t> dims) const;

  /// Values that hold `expr`, in the order in which they were read.
  ArrayRef<Anchor> getAnchors(const Expr *expr) const;
  /// A tensor that holds `element` at single ones of `dims`, each as long as
  /// the tensor's, or at constants: one that an op over `dims` can read.
  const Anchor *findReadable(const Expr *element, ArrayRef<int64_t> dims) const;
  /// Scalars that hold `expr`, those of the root first.
  SmallVector<BodyAnchor> getBodyAnchors(const Expr *expr) const;
  /// From the loops of the anchor's op to the index dimensions of the root;
  /// nothing where these are not loops of it, or others have several turns.
  std::optional<AffineMap> getSpaceMap(const BodyAnchor &anchor) const;
  /// A tensor in front of the root, not read for it, that holds `expr` at (d0,
  /// d1, ...): what `anchor` computes once more. Null where there is none.
  Value findTensor(const Expr *expr, const BodyAnchor &anchor);

  const Expr *makeProduct(const Expr *a, const Expr *b, Type type) {
    return makeBinary(Expr::Kind::Mul, a, b, type);
  }

private:
  using Scalars = llvm::DenseMap<Value, const Expr *>;
  void reset();
  bool readRoot();
  void measureDistances();
  bool isWithinReach(OpResult tensor) const;
  const Expr *readBody(Value yield, Scalars &known);
  const Expr *read(Value tensor, SmallVector<AffineExpr> indices);
  const Expr *readUncached(Value tensor, ArrayRef<AffineExpr> indices);
  const Expr *readLinalg(OpResult result, ArrayRef<AffineExpr> indices);
  const Expr *readReduction(OpResult result, ArrayRef<AffineExpr> indices,
                            ArrayRef<unsigned> reduced, Scalars &known);
  Scalars readOperands(linalg::LinalgOp op, ArrayRef<AffineExpr> loops,
                       bool skipInits);
  bool enterLoops(OpResult result, ArrayRef<AffineExpr> indices,
                  SmallVectorImpl<AffineExpr> &loops,
                  SmallVectorImpl<unsigned> &reduced);
  AffineExpr addDim(linalg::LinalgOp op, unsigned loop);
  void addExtentSources(linalg::LinalgOp op, unsigned loop, unsigned dim);
  void addExtentSources(OpResult result, ArrayRef<AffineExpr> indices);
  const Expr *readScalar(Value scalar, Scalars &known);
  const Expr *readScalarUncached(Value scalar, Scalars &known);
  const Expr *readArithmetic(Operation *op, ArrayRef<const Expr *> operands,
                             Value scalar);
  const Expr *readInteger(Operation *op, ArrayRef<const Expr *> operands,
                          Value scalar);
  std::optional<SmallVector<AffineExpr>> reindex(Operation *reshape,
                                                 ArrayRef<AffineExpr> indices);

  const Expr *unique(Expr expr);
  const Expr *makeElement(Value tensor, ArrayRef<AffineExpr> indices);
  const Expr *makeBeyondBound(Value tensor, ArrayRef<AffineExpr> indices);
  const Expr *makeOpaque(Value value, ArrayRef<AffineExpr> indices,
                         ArrayRef<const Expr *> operands, StringRef name,
                         bool isReduction = false);
  const Expr *makeLocal(Value scalar);
  std::optional<AffineExpr> readIndex(Value index, Scalars &known);
  const Expr *makePure(Operation *op, ArrayRef<const Expr *> operands);
  const Expr *makeConstant(APFloat value, Type type);
  const Expr *makeCount(SymbolicCount count, Type type);
  const Expr *makeSum(const Expr *term, ArrayRef<unsigned> reduced);
  const Expr *makeMax(const Expr *a, const Expr *b, Type type, bool dropsNaN);
  const Expr *makeBinary(Expr::Kind kind, const Expr *a, const Expr *b,
                         Type type);
  const Expr *makePow(const Expr *base, int numerator, int denominator,
                      Type type, bool viaRsqrt = false, bool divides = false,
                      bool inTwoSteps = false);
  const Expr *makeUnary(Expr::Kind kind, const Expr *a, Type type);

  linalg::LinalgOp root;
  unsigned resultNumber;
  llvm::SmallBitVector rootLoops;
  const llvm::DenseSet<Value> &leaves;
  MLIRContext *context;
  AffineMap spaceMap;
  unsigned rank = 0;
  unsigned depth = 0;         // tensors that are being read
  unsigned reach = kMaxDepth; // distance from which on tensors are leaves
  bool isBehindReduction = false;
  /// Of each tensor, in front of every reduction and behind one: the fewest
  /// linalg ops between it and the root. What is read depends on nothing else.
  llvm::DenseMap<Value, unsigned> distances[2];
  linalg::LinalgOp current;   // whose body is being read
  ArrayRef<AffineExpr> loops; // of `current`
  llvm::DenseMap<Value, const Expr *> body;
  SmallVector<int64_t> extents;
  /// What each extent is where it is dynamic; loops know it from any operand.
  SmallVector<SmallVector<SymbolicCount, 2>> extentSources;
  std::deque<Expr> nodes;
  /// What a node or a read value is, as words.
  using Key = SmallVector<uint64_t, 16>;
  struct KeyHash {
    size_t operator()(const Key &key) const {
      return llvm::hash_combine_range(key);
    }
  };
  std::unordered_map<Key, const Expr *, KeyHash> uniqueNodes, readValues;
  llvm::DenseMap<const Expr *, SmallVector<Anchor, 1>> anchors;
  llvm::DenseMap<const Expr *, SmallVector<BodyAnchor, 1>> bodyAnchors;
  bool overBound = false;
};

/// Whether a reader reads what `op` computes, apart from its bounds.
bool isReadable(linalg::LinalgOp op);

/// Computes `expr`, made of constants, elements, sums, products and roundings,
/// as one linalg.generic over the index dimensions `dims`, of `sizes`; `reader`
/// finds a readable tensor for each element.
Value materialize(OpBuilder &b, Location loc, const Expr *expr,
                  const ExprReader &reader, ArrayRef<int64_t> dims,
                  ArrayRef<OpFoldResult> sizes);

/// The index dimensions that an expression's value depends on.
llvm::SmallBitVector getDependentDims(const Expr *expr, unsigned numDims);

} // namespace mlir::norm

#endif // NORM_RECOGNITION_ROWEXPRESSION_H
