//===- RowExpression.cpp - read linalg into row expressions ---------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Recognition/RowExpression.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallBitVector.h"
#include <numeric>

using namespace mlir;
using namespace mlir::norm;
using Kind = Expr::Kind;

ExprReader::ExprReader(Value root) : root(root) {
  auto type = cast<RankedTensorType>(root.getType());
  rank = type.getRank();
  llvm::append_range(extents, type.getShape());
}

const Expr *ExprReader::readRoot() {
  SmallVector<AffineExpr> indices;
  for (unsigned i = 0; i < rank; ++i)
    indices.push_back(getAffineDimExpr(i, root.getContext()));
  const Expr *expr = read(root, indices);
  return overBound ? nullptr : expr;
}

ArrayRef<Anchor> ExprReader::getAnchors(const Expr *expr) const {
  auto it = anchors.find(expr);
  return it == anchors.end() ? ArrayRef<Anchor>() : ArrayRef(it->second);
}

llvm::SmallBitVector norm::getDependentDims(const Expr *expr,
                                            unsigned numDims) {
  llvm::SmallBitVector dims(numDims);
  llvm::DenseSet<const Expr *> seen;
  SmallVector<const Expr *> worklist{expr};
  while (!worklist.empty()) {
    const Expr *next = worklist.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    for (AffineExpr index : next->indices)
      index.walk([&](AffineExpr e) {
        if (auto dim = dyn_cast<AffineDimExpr>(e))
          if (dim.getPosition() < numDims)
            dims.set(dim.getPosition());
      });
    // A sum does not depend on what it runs over; those are fresh dimensions,
    // which no root dimension is.
    llvm::append_range(worklist, next->operands);
  }
  return dims;
}

//===----------------------------------------------------------------------===//
// Unique nodes
//===----------------------------------------------------------------------===//

static Expr makeNode(Kind kind, Type type,
                     ArrayRef<const Expr *> operands = {}) {
  Expr expr;
  expr.kind = kind;
  expr.type = type;
  expr.operands.assign(operands.begin(), operands.end());
  return expr;
}

const Expr *ExprReader::unique(Expr expr) {
  std::string key;
  llvm::raw_string_ostream os(key);
  os << static_cast<int>(expr.kind) << '|' << expr.type.getAsOpaquePointer()
     << '|';
  for (const Expr *operand : expr.operands)
    os << operand << ',';
  os << '|' << expr.tensor.getAsOpaquePointer() << '|';
  for (AffineExpr index : expr.indices)
    os << index.getAsOpaquePointer() << ',';
  for (unsigned dim : expr.reduced)
    os << 'r' << dim;
  os << '|' << expr.name << '|' << expr.numerator << '/' << expr.denominator
     << expr.viaRsqrt;
  if (expr.value) {
    SmallString<32> digits;
    expr.value->bitcastToAPInt().toString(digits, 16, /*Signed=*/false);
    os << '|' << digits;
  }
  auto [it, inserted] = uniqueNodes.try_emplace(std::move(key), nullptr);
  if (inserted) {
    overBound |= nodes.size() >= kMaxNodes;
    nodes.push_back(std::move(expr));
    it->second = &nodes.back();
  }
  return it->second;
}

const Expr *ExprReader::makeElement(Value tensor,
                                    ArrayRef<AffineExpr> indices) {
  Expr expr = makeNode(Kind::Element, getElementTypeOrSelf(tensor.getType()));
  expr.tensor = tensor;
  expr.indices.assign(indices.begin(), indices.end());
  return unique(std::move(expr));
}

const Expr *ExprReader::makeOpaque(Value value, ArrayRef<AffineExpr> indices,
                                   ArrayRef<const Expr *> operands,
                                   StringRef name) {
  Expr expr =
      makeNode(Kind::Opaque, getElementTypeOrSelf(value.getType()), operands);
  expr.tensor = value;
  expr.indices.assign(indices.begin(), indices.end());
  expr.name = name.str();
  return unique(std::move(expr));
}

const Expr *ExprReader::makeConstant(APFloat value, Type type) {
  Expr expr = makeNode(Kind::Constant, type);
  expr.value = std::move(value);
  return unique(std::move(expr));
}

const Expr *ExprReader::makeUnary(Kind kind, const Expr *a, Type type) {
  if (a->kind == Kind::Constant &&
      (kind == Kind::Round || kind == Kind::Extend)) {
    APFloat value = *a->value;
    bool losesInfo;
    value.convert(cast<FloatType>(type).getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &losesInfo);
    return makeConstant(value, type);
  }
  // Widening is exact, so narrowing back gives the value itself.
  if (kind == Kind::Round && a->kind == Kind::Extend &&
      a->operands[0]->type == type)
    return a->operands[0];
  if (kind == Kind::Extend && a->kind == Kind::Extend)
    a = a->operands[0];
  return unique(makeNode(kind, type, {a}));
}

const Expr *ExprReader::makeBinary(Kind kind, const Expr *a, const Expr *b,
                                   Type type) {
  if (kind == Kind::Mul && a == b)
    return makePow(a, 2, 1, type);
  if (kind == Kind::Mul)
    for (auto [one, other] : {std::pair(a, b), std::pair(b, a)})
      if (one->kind == Kind::Constant && one->value->isExactlyValue(1.0))
        return other;
  // x + 0 is x but for the sign of zero, which no square or root sees.
  if (kind == Kind::Add)
    for (auto [zero, other] : {std::pair(a, b), std::pair(b, a)})
      if (zero->kind == Kind::Constant && zero->value->isZero())
        return other;
  return unique(makeNode(kind, type, {a, b}));
}

const Expr *ExprReader::makePow(const Expr *base, int numerator,
                                int denominator, Type type, bool viaRsqrt) {
  if (base->kind == Kind::Abs && denominator == 1 && numerator % 2 == 0)
    base = base->operands[0];
  if (base->kind == Kind::Pow) {
    int p = base->numerator * numerator, q = base->denominator * denominator;
    int divisor = std::gcd(p, q);
    p /= divisor;
    q /= divisor;
    // (x^2)^(1/2) is |x|, not x.
    bool even = base->denominator == 1 && base->numerator % 2 == 0;
    if (!even || (q == 1 && p % 2 == 0))
      return makePow(base->operands[0], p, q, type, viaRsqrt || base->viaRsqrt);
  }
  if (numerator == 1 && denominator == 1)
    return base;
  Expr expr = makeNode(Kind::Pow, type, {base});
  expr.numerator = numerator;
  expr.denominator = denominator;
  expr.viaRsqrt = viaRsqrt;
  return unique(std::move(expr));
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

const Expr *ExprReader::read(Value tensor, SmallVector<AffineExpr> indices) {
  AffineExpr zero = getAffineConstantExpr(0, root.getContext());
  auto type = cast<RankedTensorType>(tensor.getType());
  for (auto [index, extent] : llvm::zip(indices, type.getShape())) {
    if (extent == 1)
      index = zero;
    else if (auto dim = dyn_cast<AffineDimExpr>(index))
      if (extents[dim.getPosition()] == 1)
        index = zero;
  }
  std::string key;
  llvm::raw_string_ostream os(key);
  os << tensor.getAsOpaquePointer();
  for (AffineExpr index : indices)
    os << ',' << index.getAsOpaquePointer();
  auto [it, inserted] = readValues.try_emplace(key, nullptr);
  if (!inserted && it->second)
    return it->second;
  const Expr *expr =
      overBound ? makeElement(tensor, indices) : readUncached(tensor, indices);
  readValues[key] = expr;
  anchors[expr].push_back({tensor, indices});
  return expr;
}

/// A contraction of two different tensors: no sum of squares, and what lies
/// behind it does not matter to a norm after it.
static bool isProductOfTwo(linalg::LinalgOp op) {
  if (!linalg::isaContractionOpInterface(op))
    return false;
  return op.getDpsInputOperand(0)->get() != op.getDpsInputOperand(1)->get();
}

const Expr *ExprReader::readUncached(Value tensor,
                                     ArrayRef<AffineExpr> indices) {
  DenseElementsAttr dense;
  if (matchPattern(tensor, m_Constant(&dense)) && dense.isSplat() &&
      isa<FloatType>(dense.getElementType()))
    return makeConstant(dense.getSplatValue<APFloat>(), dense.getElementType());
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return makeElement(tensor, indices);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    if (linalgOp.hasPureTensorSemantics() && !isProductOfTwo(linalgOp))
      return readLinalg(cast<OpResult>(tensor), indices);
  if (auto source = reindex(op, indices))
    return read(op->getOperand(0), *source);
  return makeElement(tensor, indices);
}

/// Indices of a reshape group's several dimensions from the one of its product,
/// or the other way round; nothing when extents are unknown.
static bool splitIndex(AffineExpr index, ArrayRef<int64_t> shape,
                       MutableArrayRef<AffineExpr> parts) {
  AffineExpr zero = getAffineConstantExpr(0, index.getContext());
  int64_t nonUnit = llvm::count_if(shape, [](int64_t d) { return d != 1; });
  if (nonUnit <= 1) {
    for (auto [extent, part] : llvm::zip(shape, parts))
      part = extent == 1 ? zero : index;
    return true;
  }
  if (llvm::any_of(shape.drop_front(), ShapedType::isDynamic))
    return false;
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    parts[i] = index.floorDiv(stride);
    if (i > 0)
      parts[i] = parts[i] % shape[i];
    stride *= shape[i];
  }
  return true;
}

static std::optional<AffineExpr> joinIndex(ArrayRef<AffineExpr> parts,
                                           ArrayRef<int64_t> shape) {
  AffineExpr index = getAffineConstantExpr(0, parts[0].getContext());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == 1)
      continue;
    if (ShapedType::isDynamic(stride))
      return std::nullopt;
    index = parts[i] * stride + index;
    stride = ShapedType::isDynamic(shape[i]) ? shape[i] : stride * shape[i];
  }
  return index;
}

std::optional<SmallVector<AffineExpr>>
ExprReader::reindex(Operation *op, ArrayRef<AffineExpr> indices) {
  if (isa<tensor::CastOp>(op))
    return SmallVector<AffineExpr>(indices);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    SmallVector<AffineExpr> source;
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    unsigned next = 0;
    for (auto [dim, offset, stride] :
         llvm::enumerate(slice.getStaticOffsets(), slice.getStaticStrides())) {
      if (ShapedType::isDynamic(offset) || ShapedType::isDynamic(stride))
        return std::nullopt;
      AffineExpr index = dropped.test(dim)
                             ? getAffineConstantExpr(0, op->getContext())
                             : indices[next++];
      source.push_back(index * stride + offset);
    }
    return source;
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    ArrayRef<int64_t> shape = collapse.getSrcType().getShape();
    SmallVector<AffineExpr> source(shape.size());
    MutableArrayRef<AffineExpr> parts(source);
    for (auto [index, group] :
         llvm::zip(indices, collapse.getReassociationIndices()))
      if (!splitIndex(index, shape.slice(group.front(), group.size()),
                      parts.slice(group.front(), group.size())))
        return std::nullopt;
    // A collapse to rank 0 has no groups: every dimension is a unit one.
    for (AffineExpr &part : source)
      if (!part)
        part = getAffineConstantExpr(0, op->getContext());
    return source;
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    ArrayRef<int64_t> shape = expand.getResultType().getShape();
    SmallVector<AffineExpr> source;
    for (const auto &group : expand.getReassociationIndices()) {
      auto index = joinIndex(indices.slice(group.front(), group.size()),
                             shape.slice(group.front(), group.size()));
      if (!index)
        return std::nullopt;
      source.push_back(*index);
    }
    return source;
  }
  return std::nullopt;
}

const Expr *ExprReader::readLinalg(OpResult result,
                                   ArrayRef<AffineExpr> indices) {
  auto op = cast<linalg::LinalgOp>(result.getOwner());
  MLIRContext *context = op->getContext();
  SmallVector<AffineExpr> loops(op.getNumLoops());
  AffineMap resultMap = op.getIndexingMapMatchingResult(result);
  for (auto [expr, index] : llvm::zip(resultMap.getResults(), indices)) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      loops[dim.getPosition()] = index;
    else if (!isa<AffineConstantExpr>(expr))
      return makeElement(result, indices);
  }
  SmallVector<unsigned> reduced;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (auto [i, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (loops[i])
      continue;
    if (kind != utils::IteratorType::reduction) {
      // A parallel loop that the result does not see must have one turn.
      if (ranges[i] != 1)
        return makeElement(result, indices);
      loops[i] = getAffineConstantExpr(0, context);
      continue;
    }
    reduced.push_back(extents.size());
    loops[i] = getAffineDimExpr(extents.size(), context);
    extents.push_back(ranges[i]);
  }
  if (reduced.size() != op.getNumReductionLoops())
    return makeElement(result, indices);

  llvm::DenseMap<Value, const Expr *> known;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (argument.use_empty() || (op.isDpsInit(&operand) && !reduced.empty()))
      continue;
    if (!isa<RankedTensorType>(operand.get().getType())) {
      llvm::DenseMap<Value, const Expr *> outside;
      known[argument] = readScalar(operand.get(), outside);
      continue;
    }
    SmallVector<AffineExpr> at;
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
      at.push_back(expr.replaceDims(loops));
    known[argument] = read(operand.get(), at);
  }
  unsigned number = result.getResultNumber();
  Value yielded = op.getBlock()->getTerminator()->getOperand(number);
  if (reduced.empty())
    return readScalar(yielded, known);

  SmallVector<Operation *> combiners;
  Value term = matchReduction(op.getRegionOutputArgs(), number, combiners);
  if (!term || combiners.size() != 1)
    return makeOpaque(result, indices, {}, "a reduction that is not one op");
  const Expr *body = readScalar(term, known);
  const Expr *init = read(op.getDpsInitOperand(number)->get(),
                          SmallVector<AffineExpr>(indices));
  if (!isa<arith::AddFOp>(combiners[0]))
    return makeOpaque(result, indices, {body},
                      combiners[0]->getName().getStringRef());
  if (init->kind != Kind::Constant || !init->value->isZero())
    return makeOpaque(result, indices, {body},
                      "a sum that does not start at 0");
  Expr sum = makeNode(Kind::Sum, body->type, {body});
  sum.reduced = reduced;
  return unique(std::move(sum));
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

const Expr *ExprReader::readScalar(Value scalar,
                                   llvm::DenseMap<Value, const Expr *> &known) {
  if (auto it = known.find(scalar); it != known.end())
    return it->second;
  FloatAttr constant;
  Operation *op = scalar.getDefiningOp();
  const Expr *expr = nullptr;
  if (matchPattern(scalar, m_Constant(&constant))) {
    expr = makeConstant(constant.getValue(), constant.getType());
  } else if (!op) {
    expr = makeOpaque(scalar, {}, {}, "a scalar argument");
  } else if (isa<linalg::IndexOp>(op)) {
    // Two readings are at two positions: never the same expression.
    expr = makeOpaque(scalar, {}, {},
                      "linalg.index #" + std::to_string(nodes.size()));
  } else if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    SmallVector<AffineExpr> indices;
    for (Value index : extract.getIndices()) {
      IntegerAttr value;
      if (!matchPattern(index, m_Constant(&value)))
        return known[scalar] = makeOpaque(scalar, {}, {}, "tensor.extract");
      indices.push_back(
          getAffineConstantExpr(value.getInt(), scalar.getContext()));
    }
    expr = read(extract.getTensor(), indices);
  } else {
    SmallVector<const Expr *> operands;
    for (Value operand : op->getOperands())
      operands.push_back(readScalar(operand, known));
    expr = readArithmetic(op, operands, scalar);
  }
  return known[scalar] = expr;
}

/// p/q of an exponent that is a small multiple of 1/2.
static std::optional<std::pair<int, int>> getExponent(Value exponent) {
  FloatAttr real;
  IntegerAttr integer;
  if (matchPattern(exponent, m_Constant(&integer)) &&
      integer.getValue().getSignificantBits() < 8)
    return std::pair<int, int>(integer.getInt(), 1);
  if (!matchPattern(exponent, m_Constant(&real)))
    return std::nullopt;
  double twice = 2 * real.getValueAsDouble();
  if (twice != static_cast<int>(twice) || std::abs(twice) > 16)
    return std::nullopt;
  int p = static_cast<int>(twice);
  return p % 2 ? std::pair<int, int>(p, 2) : std::pair<int, int>(p / 2, 1);
}

static std::optional<std::pair<int, int>> getExponent(const Expr *exponent,
                                                      Value scalar) {
  if (exponent->kind != Kind::Constant)
    return getExponent(scalar);
  double twice = 2 * exponent->value->convertToDouble();
  if (twice != static_cast<int>(twice) || std::abs(twice) > 16)
    return std::nullopt;
  int p = static_cast<int>(twice);
  return p % 2 ? std::pair<int, int>(p, 2) : std::pair<int, int>(p / 2, 1);
}

const Expr *ExprReader::readArithmetic(Operation *op, ArrayRef<const Expr *> e,
                                       Value scalar) {
  Type type = scalar.getType();
  auto opaque = [&] {
    return makeOpaque(scalar, {}, e, op->getName().getStringRef());
  };
  if (!isa<FloatType>(type))
    return opaque();
  if (isa<arith::MulFOp>(op))
    return makeBinary(Kind::Mul, e[0], e[1], type);
  if (isa<arith::AddFOp>(op))
    return makeBinary(Kind::Add, e[0], e[1], type);
  if (isa<arith::SubFOp>(op))
    return makeBinary(Kind::Add, e[0], makeUnary(Kind::Neg, e[1], type), type);
  if (isa<arith::DivFOp>(op))
    return makeBinary(Kind::Mul, e[0], makePow(e[1], -1, 1, type), type);
  if (isa<arith::NegFOp>(op))
    return makeUnary(Kind::Neg, e[0], type);
  if (isa<math::AbsFOp>(op))
    return makeUnary(Kind::Abs, e[0], type);
  if (isa<math::SqrtOp>(op))
    return makePow(e[0], 1, 2, type);
  if (isa<math::RsqrtOp>(op))
    return makePow(e[0], -1, 2, type, /*viaRsqrt=*/true);
  if (isa<math::PowFOp, math::FPowIOp>(op)) {
    auto exponent = getExponent(e[1], op->getOperand(1));
    return exponent ? makePow(e[0], exponent->first, exponent->second, type)
                    : opaque();
  }
  if (isa<arith::MaximumFOp>(op))
    return makeBinary(Kind::Max, e[0], e[1], type);
  if (isa<arith::TruncFOp>(op))
    return makeUnary(Kind::Round, e[0], type);
  if (isa<arith::ExtFOp>(op))
    return makeUnary(Kind::Extend, e[0], type);
  return opaque();
}
