//===- law.cpp - finds what a law computes, from its text alone -----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A law is a function that computes rows: of x, tensor<?x?xT>, and of vectors,
// tensor<?xT>. Each tensor of a program is compared with each law, where the
// arguments of the law are any tensors that the program reads. Nothing here
// knows what a law computes, so this tests that the comparison alone decides.
//
//===----------------------------------------------------------------------===//

#include "Recognition/Law.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "norm/InitAll.h"

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::row;

namespace {
/// Tensors in the places of a law's arguments.
using Roles = SmallVector<Value>;

/// An element of a result: that of column `indices.back()`.
struct Place2D {
  Value result;
  SmallVector<AffineExpr> indices;
};

/// Returns true for a tensor that is computed from sums and constants alone; it
/// has no place in a law.
static bool isStatistic(Value value) {
  if (Operation *view = value.getDefiningOp(); view && isView(view))
    return isStatistic(view->getOperand(0));
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  return op && (op.getNumReductionLoops() > 0 ||
                llvm::all_of(op.getDpsInputs(), [](Value input) {
                  return !isa<ShapedType>(input.getType()) ||
                         isStatistic(input);
                }));
}

class Matcher {
public:
  explicit Matcher(MLIRContext *mlir)
      : context(mlir), laws(context), reader(context, isStatistic) {}

  /// Says which of `functions` computes `result`, if one does.
  void match(OpResult result, ArrayRef<func::FuncOp> functions);

private:
  bool tryRoles(const Place2D &at, func::FuncOp law,
                ArrayRef<SmallVector<Value>> candidates, Roles &roles);
  bool isEqual(const Place2D &at, func::FuncOp law, const Roles &roles);
  Place2D getPlace(Value result);
  SmallVector<Value> findCandidates(const Place2D &at, Type role);
  const Node *read(const Place2D &at, const Roles &roles);

  Context context;
  LawBook laws;
  Reader reader;
  std::optional<APFloat> epsilon; // of what was read last
};
} // namespace

Place2D Matcher::getPlace(Value result) {
  Place2D at{result, {}};
  // A variable that is no loop of the program is bound by none of its sums.
  for (auto [dim, extent] :
       llvm::enumerate(cast<ShapedType>(result.getType()).getShape())) {
    unsigned variable = context.addVariable(extent);
    if (ShapedType::isDynamic(extent))
      context.getInfo(variable).sources.push_back(
          context.getExtents().getExtent(result, dim));
    at.indices.push_back(context.getIndex(variable));
  }
  return at;
}

/// Returns the indices of a row, or of a vector along it.
static ArrayRef<AffineExpr> getIndices(const Place2D &at, int64_t rank) {
  ArrayRef<AffineExpr> all(at.indices);
  return rank == 1 ? all.take_back() : all;
}

/// Collects the tensors that are read where the result is, and have the rank
/// and the type of an argument of the law.
SmallVector<Value> Matcher::findCandidates(const Place2D &at, Type role) {
  auto type = cast<ShapedType>(role);
  llvm::SetVector<const Node *> nodes;
  nodes.insert(reader.read(at.result, at.indices));
  SmallVector<Value> candidates;
  for (size_t i = 0; i < nodes.size(); ++i) {
    nodes.insert_range(nodes[i]->getOperands());
    auto *element = dyn_cast<ElementNode>(nodes[i]);
    if (!element)
      continue;
    if (const Node *opened = reader.open(element))
      nodes.insert(opened);
    Value tensor = element->getValue();
    if (element->getIndices() == getIndices(at, type.getRank()) &&
        element->getType() == type.getElementType() && tensor != at.result &&
        !llvm::is_contained(candidates, tensor))
      candidates.push_back(tensor);
  }
  return candidates;
}

/// Reads an element of the result in the symbols of the law.
const Node *Matcher::read(const Place2D &at, const Roles &roles) {
  unsigned column = cast<AffineDimExpr>(at.indices.back()).getPosition();
  epsilon.reset();
  Names names;
  names.findEpsilon = [&](const Node *node) -> const Node * {
    auto *constant = dyn_cast<ConstantNode>(stripCasts(node));
    if (!constant ||
        (epsilon && !epsilon->bitwiseIsEqual(constant->getValue())))
      return nullptr;
    epsilon = constant->getValue();
    return laws.getEpsilon(node->getType());
  };
  names.findOther = [&](const Node *node, Place place) -> const Node * {
    if (auto *count = dyn_cast<CountNode>(node))
      return context.isProductOfExtents(count->getCount(), column)
                 ? laws.getTerms(node->getType())
                 : nullptr;
    auto *element = dyn_cast<ElementNode>(node);
    const auto *it =
        element ? llvm::find(roles, element->getValue()) : roles.end();
    if (it == roles.end())
      return nullptr;
    ArrayRef<AffineExpr> own = element->getIndices();
    ArrayRef<AffineExpr> whole = getIndices(at, own.size());
    bool isOwn = own.back() == whole.back();
    if (own.drop_back() != whole.drop_back() ||
        isOwn != (place == Place::Result))
      return nullptr;
    return laws.getElement("a" + std::to_string(it - roles.begin()),
                           node->getType(), place);
  };
  auto *element = cast<ElementNode>(context.getElement(at.result, at.indices));
  const Node *opened = reader.open(element);
  return opened ? readInSymbols(reader, laws, names, opened) : nullptr;
}

/// Replaces the count of a law by that of a program with static extents.
static const Node *setCount(Context &context, LawBook &laws, const Node *law,
                            std::optional<int64_t> terms) {
  return Rewriter([&](const Node *each, ArrayRef<const Node *> operands) {
           if (terms && each == laws.getTerms(each->getType()))
             return context.getCount(SymbolicCount::get(*terms),
                                     each->getType());
           return operands.empty() ? each
                                   : context.rebuildRounded(each, operands);
         })
      .run(law);
}

bool Matcher::isEqual(const Place2D &at, func::FuncOp law, const Roles &roles) {
  Operation *end = law.getBody().front().getTerminator();
  const Node *expected =
      read(getPlace(end->getOperand(0)), Roles(law.getArguments()));
  const Node *found = read(at, roles);
  if (!found || !expected)
    return false;
  unsigned column = cast<AffineDimExpr>(at.indices.back()).getPosition();
  std::optional<int64_t> terms;
  if (!ShapedType::isDynamic(context.getExtent(column)))
    terms = context.getExtent(column);
  expected = setCount(context, laws, expected, terms);
  return normalize(context, found, {terms, nullptr}).node ==
         normalize(context, expected, {terms, nullptr}).node;
}

/// Tries each tensor in the place of the next argument.
bool Matcher::tryRoles(const Place2D &at, func::FuncOp law,
                       ArrayRef<SmallVector<Value>> candidates, Roles &roles) {
  if (roles.size() == candidates.size())
    return isEqual(at, law, roles);
  for (Value each : candidates[roles.size()]) {
    roles.push_back(each);
    if (tryRoles(at, law, candidates, roles))
      return true;
    roles.pop_back();
  }
  return false;
}

void Matcher::match(OpResult result, ArrayRef<func::FuncOp> functions) {
  Place2D at = getPlace(result);
  for (func::FuncOp law : functions) {
    SmallVector<SmallVector<Value>> candidates;
    for (Type type : law.getArgumentTypes())
      candidates.push_back(findCandidates(at, type));
    Roles roles;
    if (!tryRoles(at, law, candidates, roles))
      continue;
    InFlightDiagnostic remark = result.getOwner()->emitRemark();
    remark << law.getName() << " of";
    OpPrintingFlags flags;
    for (Value role : roles) {
      std::string name;
      llvm::raw_string_ostream os(name);
      role.printAsOperand(os, flags);
      remark << ' ' << name;
    }
    if (epsilon)
      remark << ", epsilon " << epsilon->convertToDouble();
    return;
  }
}

namespace {
struct FindLaw : PassWrapper<FindLaw, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FindLaw)
  FindLaw() = default;
  FindLaw(const FindLaw &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "test-law"; }

  void runOnOperation() override {
    OwningOpRef<ModuleOp> text = parseSourceFile<ModuleOp>(laws, &getContext());
    PassManager passes(&getContext());
    passes.addPass(createInlinerPass()); // a law may call another one
    if (!text || failed(passes.run(*text)))
      return signalPassFailure();
    SmallVector<func::FuncOp> functions(text->getOps<func::FuncOp>());
    Matcher matcher(&getContext());
    getOperation()->walk([&](linalg::LinalgOp op) {
      for (OpResult result : op->getResults())
        if (op.hasPureTensorSemantics() && op.getNumReductionLoops() == 0 &&
            cast<ShapedType>(result.getType()).getRank() > 1)
          matcher.match(result, functions);
    });
  }

  Option<std::string> laws{*this, "laws",
                           llvm::cl::desc("a file of functions")};
};
} // namespace

int main(int argc, char **argv) {
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  norm::registerAllDialects(registry);
  PassRegistration<FindLaw>();
  return asMainReturnCode(MlirOptMain(argc, argv, "find laws", registry));
}
