//===- norm-plugin.cpp - norm-mlir in somebody else's mlir-opt ------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --load-dialect-plugin and --load-pass-plugin load this file: one copy of the
// dialect serves both. A host that links norm-mlir keeps its own copy, because
// MLIR ends a program that registers a name twice.
//
//===----------------------------------------------------------------------===//

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "norm/IR/Norm.h"
#include "norm/InitAll.h"
#include "norm/TMTensor/TMTensor.h"

using namespace mlir;

static void registerDialects(DialectRegistry *registry) {
  if (registry->getDialectAllocator(norm::NormDialect::getDialectNamespace()))
    return;
  norm::registerAllDialects(*registry);
  norm::registerAllExtensions(*registry);
  // A host with torch-mlir inside has its own.
  using norm::tm_tensor::TMTensorDialect;
  if (!registry->getDialectAllocator(TMTensorDialect::getDialectNamespace()))
    registry->insert<TMTensorDialect>();
}

static void registerPasses() {
  if (!PassInfo::lookup("norm-recognize"))
    norm::registerAllPasses();
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Norm", NORM_VERSION, registerDialects};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Norm", NORM_VERSION, registerPasses};
}
