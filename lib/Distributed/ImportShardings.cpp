//===- ImportShardings.cpp - shardings as JAX writes them -----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// XLA keeps Shardy's meshes and shardings as text in frontend attributes, which
// conversions from StableHLO to linalg leave on modules, arguments and results.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/IR/Builders.h"
#include "norm/Distributed/Passes.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMIMPORTSHARDINGS
#include "norm/Distributed/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using shard::GridAxis;

constexpr StringLiteral kAttributes = "mhlo.frontend_attributes";
constexpr StringLiteral kMeshes = "xla.sdy.meshes";
constexpr StringLiteral kSharding = "xla.sdy.sharding";
/// The same sharding in XLA's own notation.
constexpr StringLiteral kOldSharding = "mhlo.sharding";

static StringRef getText(DictionaryAttr attributes, StringRef name) {
  auto frontend =
      attributes ? attributes.getAs<DictionaryAttr>(kAttributes) : nullptr;
  auto text = frontend ? frontend.getAs<StringAttr>(name) : nullptr;
  return text ? text.getValue() : StringRef();
}

//===----------------------------------------------------------------------===//
// Shardy's text
//===----------------------------------------------------------------------===//

namespace {
struct Mesh {
  std::string name;
  SmallVector<std::string> axes;
  SmallVector<int64_t> extents;
};

/// The axes that split each dimension, in their order.
struct DimAxes {
  std::string mesh;
  SmallVector<SmallVector<std::string>> dims;
};

/// Reads the part of Shardy's grammar that names whole axes: each function
/// returns false at anything else.
class Scanner {
public:
  explicit Scanner(StringRef text) : rest(text) {}

  bool skip(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  bool isDone() { return rest.trim().empty(); }

  bool readName(std::string &name) {
    rest = rest.ltrim();
    StringRef word = rest.take_while(
        [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
    name = word.str();
    rest = rest.drop_front(word.size());
    return !word.empty();
  }

  bool readQuoted(std::string &name) {
    if (!skip("\""))
      return false;
    auto [word, behind] = rest.split('"');
    name = word.str();
    rest = behind;
    return true;
  }

  /// Reads what `readItem` accepts, between commas, up to `close`.
  bool readList(StringRef close, llvm::function_ref<bool()> readItem) {
    if (skip(close))
      return true;
    do {
      if (!readItem())
        return false;
    } while (skip(","));
    return skip(close);
  }

  /// Reads `name = #sdy.mesh<["x"=2, "y"=4]>`.
  bool readMesh(Mesh &mesh) {
    return readName(mesh.name) && skip("=") && skip("#sdy.mesh<[") &&
           readList("]",
                    [&] {
                      std::string extent;
                      return readQuoted(mesh.axes.emplace_back()) &&
                             skip("=") && readName(extent) &&
                             !StringRef(extent).getAsInteger(
                                 10, mesh.extents.emplace_back());
                    }) &&
           skip(">");
  }

  /// Reads `{"x", "y"}`; a `?` lets propagation add axes, and has none here.
  bool readDim(SmallVector<std::string> &axes) {
    return skip("{") && readList("}", [&] {
             return skip("?") || readQuoted(axes.emplace_back());
           });
  }

  /// Reads `#sdy.sharding<@mesh, [{"x"}, {}]>`.
  bool readSharding(DimAxes &sharding) {
    return skip("#sdy.sharding<@") && readName(sharding.mesh) && skip(",") &&
           skip("[") &&
           readList("]",
                    [&] { return readDim(sharding.dims.emplace_back()); }) &&
           skip(">") && isDone();
  }

private:
  StringRef rest;
};
} // namespace

//===----------------------------------------------------------------------===//
// The shard dialect
//===----------------------------------------------------------------------===//

namespace {
struct NormImportShardings
    : norm::impl::NormImportShardingsBase<NormImportShardings> {
  void runOnOperation() override {
    meshes.clear();
    if (failed(importMeshes()))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(importInto(function)))
        return signalPassFailure();
  }

private:
  LogicalResult importMeshes() {
    ModuleOp module = getOperation();
    StringRef text = getText(module->getDiscardableAttrDictionary(), kMeshes);
    if (text.empty())
      return success();
    Scanner scanner(text);
    bool read = scanner.skip("{") && scanner.readList("}", [&] {
      return scanner.readMesh(meshes.emplace_back());
    });
    if (!read || !scanner.isDone())
      return module.emitError("has meshes that are not understood: ") << text;
    auto b = OpBuilder::atBlockBegin(module.getBody());
    for (const Mesh &mesh : meshes)
      shard::GridOp::create(b, module.getLoc(), mesh.name, mesh.extents);
    module->removeAttr(kAttributes);
    return success();
  }

  LogicalResult importInto(func::FuncOp function) {
    auto b = OpBuilder::atBlockBegin(&function.front());
    for (BlockArgument argument : function.getArguments()) {
      unsigned i = argument.getArgNumber();
      auto sharding = read(function, function.getArgAttrDict(i));
      if (failed(sharding))
        return failure();
      if (*sharding) {
        Operation *used = annotate(b, argument, **sharding);
        Operation *made = used->getOperand(0).getDefiningOp();
        argument.replaceAllUsesExcept(used->getResult(0), made);
      }
      function.removeArgAttr(i, kAttributes);
      function.removeArgAttr(i, kOldSharding);
    }
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      auto sharding = read(function, function.getResultAttrDict(i));
      if (failed(sharding))
        return failure();
      if (*sharding)
        for (auto ret : function.getOps<func::ReturnOp>()) {
          b.setInsertionPoint(ret);
          OpOperand &operand = ret->getOpOperand(i);
          operand.set(annotate(b, operand.get(), **sharding)->getResult(0));
        }
      function.removeResultAttr(i, b.getStringAttr(kAttributes));
      function.removeResultAttr(i, b.getStringAttr(kOldSharding));
    }
    return success();
  }

  /// Returns the sharding in `attributes`, or nothing where there is none.
  FailureOr<std::optional<DimAxes>> read(func::FuncOp function,
                                         DictionaryAttr attributes) {
    StringRef text = getText(attributes, kSharding);
    if (text.empty())
      return std::optional<DimAxes>();
    DimAxes sharding;
    if (!Scanner(text).readSharding(sharding))
      return function.emitError("has a sharding that is not understood: ")
             << text;
    const Mesh *mesh = findMesh(sharding.mesh);
    if (!mesh)
      return function.emitError("has a sharding of a mesh that the module does "
                                "not have: ")
             << text;
    auto isKnown = [&](const std::string &axis) {
      return llvm::is_contained(mesh->axes, axis);
    };
    for (ArrayRef<std::string> axes : sharding.dims)
      if (!llvm::all_of(axes, isKnown))
        return function.emitError(
                   "has a sharding of an axis that the mesh does "
                   "not have: ")
               << text;
    return std::optional(std::move(sharding));
  }

  const Mesh *findMesh(StringRef name) {
    auto *found = llvm::find_if(
        meshes, [&](const Mesh &mesh) { return mesh.name == name; });
    return found == meshes.end() ? nullptr : found;
  }

  /// Says how the value is made and how it is used; returns the latter.
  Operation *annotate(OpBuilder &b, Value value, const DimAxes &sharding) {
    const Mesh &mesh = *findMesh(sharding.mesh);
    SmallVector<shard::GridAxesAttr> split;
    for (ArrayRef<std::string> names : sharding.dims) {
      SmallVector<GridAxis> axes;
      for (const std::string &name : names)
        axes.push_back(llvm::find(mesh.axes, name) - mesh.axes.begin());
      split.push_back(shard::GridAxesAttr::get(b.getContext(), axes));
    }
    Location loc = value.getLoc();
    Value how = shard::ShardingOp::create(
        b, loc, FlatSymbolRefAttr::get(b.getContext(), mesh.name), split);
    auto made = shard::ShardOp::create(b, loc, value, how);
    return shard::ShardOp::create(b, loc, made, how,
                                  /*annotate_for_users=*/true);
  }

  SmallVector<Mesh> meshes;
};
} // namespace
