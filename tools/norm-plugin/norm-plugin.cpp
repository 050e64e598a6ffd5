//===- norm-plugin.cpp - norm-mlir in somebody else's mlir-opt ------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loaded by --load-dialect-plugin and --load-pass-plugin, which take the same
// file: one copy of the dialect serves both.
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "norm/InitAll.h"

using namespace mlir;

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Norm", NORM_VERSION,
          [](DialectRegistry *registry) {
            norm::registerAllDialects(*registry);
            norm::registerAllExtensions(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Norm", NORM_VERSION,
          [] { norm::registerAllPasses(); }};
}
