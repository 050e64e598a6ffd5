//===- Reader.h - read a program into row expressions ------------*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reader reads each value once per tuple of indices. An element of a tensor
// is a leaf until a caller opens it, so only requested parts are read and the
// cost is that of the parts.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_ROWEXPRESSION_READER_H
#define NORM_LIB_ROWEXPRESSION_READER_H

#include "Node.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/SaveAndRestore.h"
#include <functional>
#include <map>

namespace mlir::norm::row {

/// The values of one linalg body in the iteration `loops`.
struct Body {
  linalg::LinalgOp op;
  SmallVector<AffineExpr> loops;
  llvm::SmallDenseMap<Value, const Node *, 8> values{};
};

/// What a linalg op says of its loops. Named ops compute it, and generic ones
/// make an attribute, for each question.
struct Loops {
  SmallVector<AffineMap> maps; // of the operands
  SmallVector<int64_t> ranges;
  unsigned numInputs; // the other operands are inits
  SmallVector<unsigned> reduced;

  AffineMap getMap(OpResult result) const {
    return maps[numInputs + result.getResultNumber()];
  }
  OpOperand &getInit(OpResult result) const {
    return result.getOwner()->getOpOperand(numInputs +
                                           result.getResultNumber());
  }
};

/// A scalar of a body that holds an expression.
struct BodyOccurrence {
  const Body *body;
  Value scalar;
};

/// Returns true if `op` reshapes its operand or takes elements of it.
bool isView(Operation *op);
/// Returns x of x == 1, or null for another condition.
Value getComparedWithOne(Value condition);

class Reader {
public:
  /// A predicate for the tensors that are never left as leaves.
  using Opens = std::function<bool(Value)>;
  Reader(Context &context, Opens opens)
      : context(context), opens(std::move(opens)) {}

  Context &getContext() { return context; }

  /// Reads the element of `tensor` at `indices`.
  const Node *read(Value tensor, SmallVector<AffineExpr> indices);
  /// Returns the expression that defines an element; null if it is a leaf.
  const Node *open(const ElementNode *element);
  /// Leaves elements of `tensors` as leaves while the returned object lives.
  llvm::SaveAndRestore<const llvm::DenseSet<Value> *>
  close(const llvm::DenseSet<Value> &tensors) {
    return {closed, &tensors};
  }
  /// Reads all scalars of a body, with a variable of its own for each loop.
  const Body *readBody(linalg::LinalgOp op);
  /// Reads a scalar that no body computes.
  const Node *readScalar(Value scalar);

  /// Returns the elements that are `node`: itself if it is one, the elements it
  /// opens to, and those already found to open to it.
  SmallVector<const ElementNode *> getOccurrences(const Node *node);
  ArrayRef<BodyOccurrence> getBodyOccurrences(const Node *node) const;

private:
  const Node *openUncached(const ElementNode *element);
  const Node *openLinalg(OpResult result, ArrayRef<AffineExpr> indices);
  const Node *readReduction(OpResult result, const Body &body,
                            ArrayRef<AffineExpr> loops);
  const Node *readInit(OpResult result, const Body &body);
  std::pair<const Node *, StringRef> readTerm(OpResult result,
                                              const Body &body);
  const Node *joinParts(OpResult result, ArrayRef<AffineExpr> indices);
  const Body *readBody(linalg::LinalgOp op, ArrayRef<AffineExpr> loops);
  void readOperands(Body &body);
  const Loops &getLoops(linalg::LinalgOp op);
  SmallVector<AffineExpr> getIndicesAt(OpOperand &operand, const Body &body);
  std::optional<SmallVector<AffineExpr>>
  enterLoops(OpResult result, ArrayRef<AffineExpr> indices);
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
  const llvm::DenseSet<Value> *closed = nullptr;
  unsigned depth = 0;
  llvm::DenseMap<Operation *, std::unique_ptr<Loops>> nests;
  using Iteration = std::pair<Operation *, ArrayRef<AffineExpr>>;
  llvm::DenseMap<Iteration, std::unique_ptr<Body>> bodies;
  llvm::DenseMap<const Node *, const Node *> opened;
  llvm::DenseMap<std::pair<Operation *, unsigned>, unsigned> loopVariables;
  llvm::DenseMap<Value, const Node *> scalars;
  llvm::DenseSet<Value> pending; // scalars whose operands come first
  llvm::DenseMap<const Node *, SmallVector<const ElementNode *, 1>> holders;
  llvm::DenseMap<const Node *, SmallVector<BodyOccurrence, 1>> inBodies;
};

} // namespace mlir::norm::row

#endif // NORM_LIB_ROWEXPRESSION_READER_H
