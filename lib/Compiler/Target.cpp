//===- Target.cpp - the targets that are known ----------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Compiler/Target.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "norm/Compiler/CHeader.h"

using namespace mlir;
using namespace mlir::norm;

StringRef norm::stringifyEmit(Emit emit) {
  static constexpr llvm::StringLiteral names[] = {
      "norm", "linalg", "vector", "llvm-mlir", "llvm-ir", "asm",
      "obj",  "shared", "header", "ptx",       "cubin"};
  return names[static_cast<unsigned>(emit)];
}

SmallVector<StringRef> norm::getGivenOptions(const CompileOptions &options) {
  const CompileOptions byDefault;
  SmallVector<StringRef> given;
  auto compare = [&](StringRef name, auto member) {
    if (options.*member != byDefault.*member)
      given.push_back(name);
  };
  compare("threads", &CompileOptions::threads);
  compare("products", &CompileOptions::products);
  compare("entry", &CompileOptions::entry);
  compare("dispatch", &CompileOptions::dispatch);
  compare("verify-buffers", &CompileOptions::verifyBuffers);
  compare("ranks", &CompileOptions::ranks);
  compare("sum-parts", &CompileOptions::sumParts);
  compare("mpi", &CompileOptions::mpi);
  compare("chip", &CompileOptions::chip);
  compare("ptx-version", &CompileOptions::ptxVersion);
  compare("cuda-path", &CompileOptions::cudaPath);
  compare("dependent-launch", &CompileOptions::dependentLaunch);
  return given;
}

static SmallVector<const Target *> &getRegistry() {
  static SmallVector<const Target *> targets{&getCPUTarget(), &getNVVMTarget()};
  return targets;
}

ArrayRef<const Target *> norm::getTargets() { return getRegistry(); }

static const Target *find(StringRef name) {
  for (const Target *target : getRegistry())
    if (target->getName() == name)
      return target;
  return nullptr;
}

void norm::registerTarget(const Target &target) {
  if (!find(target.getName()))
    getRegistry().push_back(&target);
}

llvm::Expected<const Target *> norm::lookupTarget(StringRef name) {
  if (const Target *target = find(name))
    return target;
  std::string known;
  for (const Target *target : getRegistry())
    known += (known.empty() ? "" : ", ") + target->getName().str();
  return llvm::createStringError("unknown target '" + name +
                                 "', expected one of " + known);
}

LogicalResult norm::reportError(ModuleOp module, llvm::Error error) {
  if (!error)
    return success();
  return module.emitError(llvm::toString(std::move(error)));
}

/// A program for several ranks is not one that a rank runs alone.
static LogicalResult verifyOneRank(ModuleOp module) {
  for (auto grid : module.getOps<shard::GridOp>())
    return grid.emitError("is of ")
           << llvm::product_of(grid.getShape())
           << " ranks: compile the program for them with --ranks";
  return success();
}

LogicalResult norm::lowerModule(ModuleOp module, const Target &target,
                                const CompileOptions &options, Stage upTo) {
  if (options.ranks == 0 && failed(verifyOneRank(module)))
    return failure();
  if (upTo >= Stage::Vector &&
      failed(reportError(module, target.setRowTarget(module, options))))
    return failure();
  PassManager pm(module.getContext());
  if (failed(
          reportError(module, target.buildPipeline(pm, module, options, upTo))))
    return failure();
  // gpu-module-to-binary reports some errors and still succeeds.
  bool reported = false;
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &d) {
    reported |= d.getSeverity() == DiagnosticSeverity::Error;
    return failure(); // the tool's handler prints it
  });
  return failure(failed(runPasses(pm, module, options.runner)) || reported);
}

LogicalResult Target::writeCode(ModuleOp module, const CompileOptions &options,
                                Emit emit, raw_ostream &os) const {
  return module.emitError("the target ")
         << getName() << " writes no " << stringifyEmit(emit);
}

LogicalResult Target::writeHeader(ModuleOp module, raw_ostream &os) const {
  return printCHeader(module, os);
}
