//===- InitAll.cpp - registers everything of norm-mlir --------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/InitAll.h"
#include "mlir/Dialect/Arith/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/ValueBoundsOpInterfaceImpl.h"
#include "norm/Conversion/NormToLinalg/Passes.h"
#include "norm/IR/BufferizableOpInterfaceImpl.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RuntimeVerifiableOpInterfaceImpl.h"
#include "norm/Pipelines/Pipelines.h"
#include "norm/Recognition/Passes.h"
#include "norm/Target/CPU/Passes.h"
#include "norm/Target/NVVM/Passes.h"
#include "norm/Target/SIMT/Passes.h"
#include "norm/Transforms/Passes.h"

using namespace mlir;

void norm::registerAllDialects(DialectRegistry &registry) {
  registry.insert<NormDialect>();
  // Tiling compares dynamic extents through them.
  arith::registerValueBoundsOpInterfaceExternalModels(registry);
  memref::registerValueBoundsOpInterfaceExternalModels(registry);
  tensor::registerValueBoundsOpInterfaceExternalModels(registry);
  registerBufferizableOpInterfaceExternalModels(registry);
  registerRuntimeVerifiableOpInterfaceExternalModels(registry);
}

void norm::registerAllPasses() {
  registerRecognitionPasses();
  registerConversionPasses();
  registerTransformsPasses();
  registerCPUPasses();
  registerNVVMPasses();
  registerSIMTPasses();
  registerPipelines();
}
