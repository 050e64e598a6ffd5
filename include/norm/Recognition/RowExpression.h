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

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/DenseMap.h"
#include <deque>
#include <map>
#include <string>

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
    Max,    ///< NaN of either operand gives NaN
    Round,  ///< operands[0] rounded to the narrower `type`
    Extend, ///< operands[0] in the wider `type`, exact
    Sum,    ///< operands[0] added up over `reduced`, from 0
    Opaque  ///< anything else: `op` names it
  };
  Kind kind = Kind::Opaque;
  Type type;
  SmallVector<const Expr *, 2> operands;
  Value tensor;                    // Element; Opaque: the value it stands for
  SmallVector<AffineExpr> indices; // Element, Opaque
  SmallVector<unsigned> reduced;   // Sum
  int numerator = 1, denominator = 1; // Pow
  std::optional<APFloat> value;       // Constant
  std::string name;                   // Opaque: what the program does there
  /// Pow: written as rsqrt or as a division; `exact` rounding cares.
  bool viaRsqrt = false;
};

/// A position in the program that holds an expression.
struct Anchor {
  Value tensor;
  SmallVector<AffineExpr> indices;
};

/// Reads expressions for one root value. Dimensions 0 to rank-1 of the index
/// expressions are the root's; those of reductions follow.
class ExprReader {
public:
  /// At most this many nodes are made a root; reading more gives up.
  static constexpr size_t kMaxNodes = 4096;

  explicit ExprReader(Value root);

  /// The element of the root at (d0, d1, ...); null when over the bound.
  const Expr *readRoot();

  /// Static extent of an index dimension, or ShapedType::kDynamic.
  int64_t getExtent(unsigned dim) const { return extents[dim]; }
  unsigned getRank() const { return rank; }
  bool isRootDim(unsigned dim) const { return dim < rank; }

  /// Values that hold `expr`, in the order in which they were read.
  ArrayRef<Anchor> getAnchors(const Expr *expr) const;

private:
  const Expr *read(Value tensor, SmallVector<AffineExpr> indices);
  const Expr *readUncached(Value tensor, ArrayRef<AffineExpr> indices);
  const Expr *readLinalg(OpResult result, ArrayRef<AffineExpr> indices);
  const Expr *readScalar(Value scalar,
                         llvm::DenseMap<Value, const Expr *> &known);
  const Expr *readArithmetic(Operation *op, ArrayRef<const Expr *> operands,
                             Value scalar);
  std::optional<SmallVector<AffineExpr>> reindex(Operation *reshape,
                                                 ArrayRef<AffineExpr> indices);

  const Expr *unique(Expr expr);
  const Expr *makeElement(Value tensor, ArrayRef<AffineExpr> indices);
  const Expr *makeOpaque(Value value, ArrayRef<AffineExpr> indices,
                         ArrayRef<const Expr *> operands, StringRef name);
  const Expr *makeConstant(APFloat value, Type type);
  const Expr *makeBinary(Expr::Kind kind, const Expr *a, const Expr *b,
                         Type type);
  const Expr *makePow(const Expr *base, int numerator, int denominator,
                      Type type, bool viaRsqrt = false);
  const Expr *makeUnary(Expr::Kind kind, const Expr *a, Type type);

  Value root;
  unsigned rank;
  SmallVector<int64_t> extents;
  std::deque<Expr> nodes;
  std::map<std::string, const Expr *> uniqueNodes;
  std::map<std::string, const Expr *> readValues;
  llvm::DenseMap<const Expr *, SmallVector<Anchor, 1>> anchors;
  bool overBound = false;
};

/// Computes `expr`, made of constants, elements, sums, products and roundings,
/// as one linalg.generic over the root dimensions `dims` of a tensor of
/// `shape`; elements are indexed by single dimensions or constants.
Value materialize(OpBuilder &b, Location loc, const Expr *expr,
                  ArrayRef<int64_t> dims, Value shape);

/// The index dimensions that an expression's value depends on.
llvm::SmallBitVector getDependentDims(const Expr *expr, unsigned numDims);

} // namespace mlir::norm

#endif // NORM_RECOGNITION_ROWEXPRESSION_H
