//===- InitAll.cpp - registers everything of norm-mlir --------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/InitAll.h"
#include "mlir/Dialect/Affine/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferViewFlowOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/GPU/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/GPU/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/AllInterfaces.h"
#include "mlir/Dialect/MemRef/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/AllocationOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/BufferViewFlowOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorTilingInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/Transforms/SubsetOpInterfaceImpl.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Target/LLVM/NVVM/Target.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "norm/Buffers/Passes.h"
#include "norm/Conversion/NormToComposite/Passes.h"
#include "norm/Conversion/NormToLibrary/Passes.h"
#include "norm/Conversion/NormToLinalg/Passes.h"
#include "norm/Distributed/Passes.h"
#include "norm/Floats/Passes.h"
#include "norm/IR/Norm.h"
#include "norm/IR/ShardingInterfaceImpl.h"
#include "norm/Normalize/Passes.h"
#include "norm/Pipelines/Pipelines.h"
#include "norm/Products/Passes.h"
#include "norm/Recognition/Passes.h"
#include "norm/Rows/Passes.h"
#include "norm/TMTensor/Passes.h"
#include "norm/Target/CPU/Passes.h"
#include "norm/Target/CPU/X86/Passes.h"
#include "norm/Target/GPU/Passes.h"
#include "norm/Target/NVVM/Passes.h"
#include "norm/TransformOps/NormTransformOps.h"
#include "norm/Workarounds/Passes.h"

using namespace mlir;

void norm::registerAllDialects(DialectRegistry &registry) {
  registry.insert<NormDialect>();
  // Tiling compares dynamic extents through them.
  arith::registerValueBoundsOpInterfaceExternalModels(registry);
  memref::registerValueBoundsOpInterfaceExternalModels(registry);
  tensor::registerValueBoundsOpInterfaceExternalModels(registry);
  registerBufferizableOpInterfaceExternalModels(registry);
  registerRuntimeVerifiableOpInterfaceExternalModels(registry);
  registerShardingInterfaceExternalModels(registry);
  registerMPIEffects(registry);
  registerTransformDialectExtension(registry);
}

static void registerUpstreamBufferization(DialectRegistry &registry) {
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  cf::registerBufferizableOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  vector::registerBufferizableOpInterfaceExternalModels(registry);
  arith::registerBufferDeallocationOpInterfaceExternalModels(registry);
  cf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  gpu::registerBufferDeallocationOpInterfaceExternalModels(registry);
  scf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  arith::registerBufferViewFlowOpInterfaceExternalModels(registry);
  memref::registerBufferViewFlowOpInterfaceExternalModels(registry);
  memref::registerAllocationOpInterfaceExternalModels(registry);
  tensor::registerSubsetOpInterfaceExternalModels(registry);
  vector::registerSubsetOpInterfaceExternalModels(registry);
}

static void registerUpstreamTiling(DialectRegistry &registry) {
  tensor::registerTilingInterfaceExternalModels(registry);
  tensor::registerInferTypeOpInterfaceExternalModels(registry);
  affine::registerValueBoundsOpInterfaceExternalModels(registry);
  gpu::registerValueBoundsOpInterfaceExternalModels(registry);
  scf::registerValueBoundsOpInterfaceExternalModels(registry);
  vector::registerValueBoundsOpInterfaceExternalModels(registry);
}

void norm::registerAllExtensions(DialectRegistry &registry) {
  // These are linalg's: bufferization, subsets, tiling, value bounds.
  linalg::registerAllDialectInterfaceImplementations(registry);
  registerUpstreamBufferization(registry);
  registerUpstreamTiling(registry);
  // These are the conversions to LLVM, and the inliner of func.
  mlir::registerAllExtensions(registry);
  // gpu-module-to-binary translates kernels to LLVM IR, the compiler the rest.
  NVVM::registerNVVMTargetInterfaceExternalModels(registry);
  registerAllGPUToLLVMIRTranslations(registry);
  registerOpenMPDialectTranslation(registry);
}

void norm::registerAllPasses() {
  registerRecognitionPasses();
  registerConversionPasses();
  registerLibraryPasses();
  registerCompositePasses();
  registerNormalizePasses();
  registerBuffersPasses();
  registerDistributedPasses();
  registerRowsPasses();
  registerProductsPasses();
  registerFloatsPasses();
  registerWorkaroundsPasses();
  registerCPUX86Passes();
  registerTMTensorPasses();
  registerCPUPasses();
  registerGPUPasses();
  registerNVVMPasses();
  registerPipelines();
}
