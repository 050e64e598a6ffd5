//===- TargetTest.cpp - targets as objects --------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Compiler/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/Passes.h"
#include "norm/Compiler/Compile.h"
#include "norm/InitAll.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::norm;

namespace {
/// A third target, in a class and one call: its "objects" count functions.
class CountingTarget : public Target {
public:
  StringRef getName() const override { return "counting"; }
  ArrayRef<Emit> getEmits() const override {
    static constexpr Emit emits[] = {Emit::Norm, Emit::Object};
    return emits;
  }
  ArrayRef<StringRef> getOptions() const override {
    static constexpr StringRef names[] = {"chip"};
    return names;
  }
  LogicalResult verify(ModuleOp module,
                       const CompileOptions &options) const override {
    if (options.chip == "abacus")
      return module.emitError("an abacus counts by hand");
    return success();
  }
  llvm::Error buildPipeline(OpPassManager &pm, ModuleOp module,
                            const CompileOptions &options,
                            Stage upTo) const override {
    pm.addPass(createSymbolDCEPass());
    return llvm::Error::success();
  }
  LogicalResult writeCode(ModuleOp module, const CompileOptions &options,
                          Emit emit, raw_ostream &os) const override {
    if (failed(lowerModule(module, *this, options)))
      return failure();
    os << llvm::range_size(module.getOps<func::FuncOp>());
    return success();
  }
};

class TargetTest : public ::testing::Test {
protected:
  TargetTest()
      : context(getRegistry()),
        handler(&context, [&](Diagnostic &d) { errors += d.str() + "\n"; }) {
    static const CountingTarget target;
    registerTarget(target);
    llvm::sys::fs::createUniqueDirectory("norm-target", folder);
    options.target = "counting";
  }
  ~TargetTest() override { llvm::sys::fs::remove_directories(folder); }

  static DialectRegistry getRegistry() {
    DialectRegistry registry;
    registry.insert<func::FuncDialect>();
    registerAllDialects(registry);
    return registry;
  }

  /// What is written for a module with a public and a dead private function;
  /// nothing where that is an error.
  std::string emit() {
    errors.clear();
    auto module =
        parseSourceString<ModuleOp>("func.func @f() { return }\n"
                                    "func.func private @dead() { return }\n",
                                    &context);
    SmallString<128> file(folder);
    llvm::sys::path::append(file, "out");
    if (failed(emitFile(*module, options, file))) {
      EXPECT_FALSE(llvm::sys::fs::exists(file)) << "no file is left";
      return {};
    }
    auto bytes = llvm::MemoryBuffer::getFile(file);
    llvm::sys::fs::remove(file);
    return bytes ? (*bytes)->getBuffer().str() : "no file";
  }

  MLIRContext context;
  std::string errors;
  ScopedDiagnosticHandler handler;
  SmallString<128> folder;
  CompileOptions options;
};
} // namespace

TEST_F(TargetTest, AThirdTargetCompiles) {
  EXPECT_EQ(emit(), "1") << "its pipeline ran";
  options.emit = Emit::Norm;
  EXPECT_NE(emit().find("func.func @f()"), std::string::npos);
  options.emit = Emit::Header;
  EXPECT_EQ(emit(), "");
}

TEST_F(TargetTest, ATargetIsRegisteredOnce) {
  size_t known = getTargets().size();
  static const CountingTarget again;
  registerTarget(again);
  EXPECT_EQ(getTargets().size(), known);
}

TEST_F(TargetTest, AnUnknownTargetIsAnErrorThatListsTheKnown) {
  options.target = "abacus";
  EXPECT_EQ(emit(), "");
  EXPECT_EQ(errors, "unknown target 'abacus', expected one of cpu, nvvm, "
                    "counting\n");
}

TEST_F(TargetTest, WhatATargetDoesNotWriteNamesThoseThatDo) {
  options.emit = Emit::PTX;
  EXPECT_EQ(emit(), "");
  EXPECT_EQ(errors, "--emit=ptx needs --target=nvvm\n");
}

TEST_F(TargetTest, AnOptionOfAnotherTargetNamesIt) {
  options.dispatch = true;
  EXPECT_EQ(emit(), "");
  EXPECT_EQ(errors, "--dispatch needs --target=cpu\n");
  options.dispatch = false;
  options.chip = "sm_80";
  EXPECT_EQ(emit(), "1");
  options.chip = "abacus";
  EXPECT_EQ(emit(), "");
  EXPECT_EQ(errors, "an abacus counts by hand\n");
}

TEST_F(TargetTest, EveryOptionHasAName) {
  options.threads = 2;
  options.dispatch = options.verifyBuffers = options.dependentLaunch = true;
  options.chip = options.ptxVersion = options.cudaPath = "x";
  EXPECT_EQ(
      getGivenOptions(options),
      (SmallVector<StringRef>{"threads", "dispatch", "verify-buffers", "chip",
                              "ptx-version", "cuda-path", "dependent-launch"}));
}
