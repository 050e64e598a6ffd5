//===- NVVMPipeline.cpp - norm-to-nvvm ------------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "norm/Floats/Passes.h"
#include "norm/Normalize/Passes.h"
#include "norm/Pipelines/Pipelines.h"
#include "norm/Rows/Passes.h"
#include "norm/Target/GPU/Passes.h"
#include "norm/Target/NVVM/Chips.h"
#include "norm/Target/NVVM/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace mlir::norm;

std::string norm::findCUDAToolkit() {
  SmallVector<std::string> candidates;
  for (StringRef variable : {"CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"})
    if (auto path = llvm::sys::Process::GetEnv(variable))
      candidates.push_back(*path);
  if (auto ptxas = llvm::sys::findProgramByName("ptxas"))
    candidates.push_back(
        llvm::sys::path::parent_path(llvm::sys::path::parent_path(*ptxas))
            .str());
  candidates.push_back("/usr/local/cuda");
  for (const std::string &path : candidates)
    if (llvm::sys::fs::exists(path + "/nvvm/libdevice/libdevice.10.bc"))
      return path;
  return {};
}

/// Puts rows into loops, on tensors.
static void buildRowCodegen(OpPassManager &pm, StringRef chip) {
  OpPassManager &func = pm.nest<func::FuncOp>();
  func.addPass(createNormNormalizeLoops());
  NormFormRowsOptions form;
  form.scheduled = true;
  func.addPass(createNormFormRows(form));
  NormTileRowsOptions tiling;
  tiling.scheduled = true;
  tiling.maxCluster = getMaxCluster(chip);
  func.addPass(createNormTileRows(tiling));
  buildCleanup(func);
}

/// Bufferizes rows, which then become vectors that the threads of a row share.
static void buildBuffers(OpPassManager &pm) {
  buildTensorsToBuffers(pm);
  NormVectorizeRowsOptions vectorize;
  vectorize.scheduled = true;
  pm.nest<func::FuncOp>().addPass(createNormVectorizeRows(vectorize));
  buildDeallocation(pm);
}

/// Loops on buffers to kernels in one gpu.module.
static void buildKernels(OpPassManager &pm,
                         const NVVMPipelineOptions &options) {
  OpPassManager &func = pm.nest<func::FuncOp>();
  func.addPass(createNormDistributeRowsToGPU());
  buildCleanup(func);
  func.addPass(createNormHoistGPULoads());
  func.addPass(createNormDeviceMemory());
  func.addPass(createExactCanonicalizer());
  // Constants belong into the kernel, not among its arguments.
  pm.addPass(createGpuLaunchSinkIndexComputationsPass());
  pm.addPass(createGpuKernelOutliningPass());
  NormAnnotateKernelsOptions annotate;
  annotate.dependentLaunch = options.dependentLaunch;
  pm.addPass(createNormAnnotateKernels(annotate));
}

/// gpu.module to the NVVM dialect.
static void buildKernelLowering(OpPassManager &pm,
                                const NVVMPipelineOptions &options) {
  NormWidenNarrowFloatsOptions widen;
  widen.expandedOnly = true;
  pm.addPass(createNormWidenNarrowFloats(widen));
  pm.addPass(math::createMathExpandOpsPass({{"rsqrt", "fpowi"}}));
  OpPassManager &gpu = pm.nest<gpu::GPUModuleOp>();
  gpu.addPass(createNormVerifyGPUMemory());
  if (hasFP8Conversions(options.chip))
    gpu.addPass(createNormConvertFP8ToNVVM());
  gpu.addPass(createNormExpandArith());
  NormLowerGPUMathOptions math;
  math.approximateRoots = options.rounding != Rounding::Exact;
  gpu.addPass(createNormLowerGPUMath(math));
  gpu.addPass(createLoopInvariantCodeMotionPass());
  gpu.addPass(createConvertVectorToSCFPass());
  gpu.addPass(createSCFToControlFlowPass());
  gpu.addPass(memref::createExpandStridedMetadataPass());
  gpu.addPass(createLowerAffinePass());
  gpu.addPass(createConvertGpuOpsToNVVMOps());
  gpu.addPass(createReconcileUnrealizedCastsPass());
  GpuNVVMAttachTargetOptions target;
  target.chip = options.chip;
  // 8.0 is LLVM's feature ptx80.
  std::string version = options.ptxVersion;
  llvm::erase(version, '.');
  target.features = version.empty() ? "" : "+ptx" + version;
  target.optLevel = 3;
  pm.addPass(createGpuNVVMAttachTarget(target));
}

/// The host side and the image of the kernels.
static void buildHostLowering(OpPassManager &pm,
                              const NVVMPipelineOptions &options) {
  pm.nest<func::FuncOp>().addPass(createGpuAsyncRegionPass());
  buildScalarLowering(pm);
  buildComputationToLLVM(pm);
  pm.addPass(createGpuToLLVMConversionPass());
  GpuModuleToBinaryPassOptions binary;
  binary.toolkitPath =
      options.toolkit.empty() ? findCUDAToolkit() : options.toolkit.getValue();
  binary.compilationTarget =
      options.format == KernelFormat::PTX ? "isa" : "bin";
  pm.addPass(createGpuModuleToBinaryPass(binary));
  buildMemoryToLLVM(pm);
}

void norm::buildNormToNVVMPipeline(OpPassManager &pm,
                                   const NVVMPipelineOptions &options,
                                   Stage upTo) {
  NormVerifyGPUTargetOptions target;
  target.chip = options.chip;
  target.ptxVersion = options.ptxVersion;
  target.dependentLaunch = options.dependentLaunch;
  pm.addPass(createNormVerifyGPUTarget(target));
  buildRecognition(pm, options.rounding);
  if (upTo == Stage::Norm)
    return;
  buildDecomposition(pm, Products::Loops);
  if (upTo == Stage::Linalg)
    return;
  buildCallingConvention(pm);
  buildRowCodegen(pm, options.chip);
  buildBuffers(pm);
  buildKernels(pm, options);
  if (upTo == Stage::Vector)
    return;
  buildKernelLowering(pm, options);
  buildHostLowering(pm, options);
}

void norm::registerNVVMPipeline() {
  PassPipelineRegistration<NVVMPipelineOptions>(
      "norm-to-nvvm",
      "Functions on tensors to NVIDIA kernels and the host code that launches "
      "them, in the LLVM dialect",
      [](OpPassManager &pm, const NVVMPipelineOptions &options) {
        buildNormToNVVMPipeline(pm, options);
      });
}
