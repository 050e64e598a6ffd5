//===- Reader.h - read a program into row expressions ------------*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each value is read once at its indices, whoever asks. An element of a tensor
// is a leaf until somebody opens it, so that what is read is what is asked for
// and a program costs as much as its parts.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_ROWEXPRESSION_READER_H
#define NORM_ROWEXPRESSION_READER_H

#include "Node.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <functional>
#include <map>

namespace mlir::norm::row {

/// The values of one linalg body in the iteration `loops`.
struct Body {
  linalg::LinalgOp op;
  SmallVector<AffineExpr> loops;
  llvm::DenseMap<Value, const Node *> values;
};

/// A scalar of a body that holds an expression.
struct BodyOccurrence {
  const Body *body;
  Value scalar;
};

/// Whether `op` gives the same elements in another shape, or some of them.
bool isView(Operation *op);

class Reader {
public:
  /// `opens` says which tensors are never left as leaves.
  using Opens = std::function<bool(Value)>;
  Reader(Context &context, Opens opens)
      : context(context), opens(std::move(opens)) {}

  Context &getContext() { return context; }

  /// The element of `tensor` at `indices`.
  const Node *read(Value tensor, SmallVector<AffineExpr> indices);
  /// What the op that defines an element computes there; null: it is a leaf.
  const Node *open(const ElementNode *element);
  /// All scalars of a body, at variables of its own for each loop.
  const Body *readBody(linalg::LinalgOp op);
  /// A scalar that no body computes.
  const Node *readScalar(Value scalar);

  /// Elements that are `node`: itself if it is one, what it opens to, and those
  /// that were found to open to it until now.
  SmallVector<const ElementNode *> getOccurrences(const Node *node);
  ArrayRef<BodyOccurrence> getBodyOccurrences(const Node *node) const;
  /// Whether reading ended somewhere because of the depth of what lies behind.
  bool isBeyondBound(const Node *node) const { return beyond.contains(node); }

private:
  using Key = SmallVector<void *, 8>;
  static constexpr unsigned kMaxDepth = 64; // of tensors opened by `opens`

  const Node *openUncached(const ElementNode *element);
  const Node *openLinalg(OpResult result, ArrayRef<AffineExpr> indices);
  const Node *readReduction(OpResult result, const Body &body,
                            ArrayRef<unsigned> reduced);
  const Node *readInit(OpResult result, const Body &body);
  std::pair<const Node *, StringRef> readTerm(OpResult result,
                                              const Body &body);
  const Node *joinParts(OpResult result, ArrayRef<AffineExpr> indices);
  const Body *readBody(linalg::LinalgOp op, ArrayRef<AffineExpr> loops);
  void readOperands(Body &body);
  bool enterLoops(OpResult result, ArrayRef<AffineExpr> indices,
                  SmallVectorImpl<AffineExpr> &loops,
                  SmallVectorImpl<unsigned> &reduced);
  AffineExpr getLoopIndex(linalg::LinalgOp op, unsigned loop);
  void addSources(linalg::LinalgOp op, unsigned loop, unsigned variable);
  void addSources(OpResult result, ArrayRef<AffineExpr> indices);
  std::optional<SmallVector<AffineExpr>> reindex(Operation *view,
                                                 ArrayRef<AffineExpr> indices);
  const Node *openBroadcast(scf::IfOp branch, OpResult result,
                            ArrayRef<AffineExpr> indices);

  const Node *readOp(Operation &op, Value scalar, const Body *body);
  const Node *readOperand(Value scalar, const Body *body);
  const Node *readArithmetic(Operation *op, ArrayRef<const Node *> operands);
  const Node *readInteger(Operation *op, ArrayRef<const Node *> operands);
  const Node *readExtract(Operation *extract, const Body *body);
  std::optional<AffineExpr> readIndex(Value index, const Body *body);

  Context &context;
  Opens opens;
  unsigned depth = 0;
  std::map<Key, std::unique_ptr<Body>> bodies;
  llvm::DenseMap<const Node *, const Node *> opened;
  llvm::DenseMap<std::pair<Operation *, unsigned>, unsigned> loopVariables;
  llvm::DenseMap<Value, const Node *> scalars;
  llvm::DenseSet<Value> pending; // scalars whose operands come first
  llvm::DenseMap<const Node *, SmallVector<const ElementNode *, 1>> holders;
  llvm::DenseMap<const Node *, SmallVector<BodyOccurrence, 1>> inBodies;
  llvm::DenseSet<const Node *> beyond;
};

} // namespace mlir::norm::row

#endif // NORM_ROWEXPRESSION_READER_H
