//===- NVVMTarget.cpp - NVIDIA GPUs ---------------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPUHost.h"
#include "GPUImage.h"
#include "norm/Compiler/CHeader.h"
#include "norm/Compiler/Codegen.h"
#include "norm/Compiler/Target.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace mlir::norm;

namespace {
class NVVMTarget : public Target {
public:
  StringRef getName() const override { return "nvvm"; }
  ArrayRef<Emit> getEmits() const override {
    static constexpr Emit emits[] = {
        Emit::Norm,   Emit::Linalg, Emit::Vector, Emit::LLVMDialect,
        Emit::LLVMIR, Emit::Object, Emit::Shared, Emit::Header,
        Emit::PTX,    Emit::Cubin};
    return emits;
  }
  ArrayRef<StringRef> getOptions() const override {
    static constexpr StringRef names[] = {"chip", "ptx-version", "cuda-path",
                                          "dependent-launch"};
    return names;
  }
  LogicalResult verify(ModuleOp module, const CompileOptions &) const override {
    return verifyWritesOverNone(module, "--target=nvvm");
  }
  llvm::Error buildPipeline(OpPassManager &pm, ModuleOp module,
                            const CompileOptions &options,
                            Stage upTo) const override;
  LogicalResult writeCode(ModuleOp module, const CompileOptions &options,
                          Emit emit, raw_ostream &os) const override;
  LogicalResult writeHeader(ModuleOp module, raw_ostream &os) const override {
    return printGPUHeader(module, os);
  }
  LinkOptions getLinkOptions(const CompileOptions &options) const override {
    LinkOptions link;
    link.gpu = true;
    return link;
  }
};
} // namespace

const Target &norm::getNVVMTarget() {
  static const NVVMTarget target;
  return target;
}

static std::string getToolkit(const CompileOptions &options) {
  return options.cudaPath.empty() ? findCUDAToolkit() : options.cudaPath;
}

llvm::Error NVVMTarget::buildPipeline(OpPassManager &pm, ModuleOp module,
                                      const CompileOptions &options,
                                      Stage upTo) const {
  NVVMPipelineOptions nvvm;
  nvvm.rounding = options.rounding;
  nvvm.chip = options.chip;
  nvvm.ptxVersion = options.ptxVersion;
  nvvm.dependentLaunch = options.dependentLaunch;
  nvvm.toolkit = getToolkit(options);
  if (options.emit == Emit::Cubin) {
    nvvm.format = KernelFormat::Cubin;
    if (!llvm::sys::fs::exists(nvvm.toolkit + "/bin/ptxas"))
      return llvm::createStringError("--emit=cubin needs ptxas: give "
                                     "--cuda-path, put it in PATH or set "
                                     "CUDA_PATH");
  }
  buildNormToNVVMPipeline(pm, nvvm, upTo);
  return llvm::Error::success();
}

/// Adds a function with the types that are known when it is called.
static void addPacked(llvm::Module &module, const LaunchFunction &function) {
  llvm::Function *interface =
      module.getFunction("_mlir_ciface_" + function.name);
  addPackedEntry(*interface, kPackedPrefix + function.name, {})
      ->addFnAttr(kExportAttribute);
}

/// Writes the kernels; an object also contains the code that launches them.
LogicalResult NVVMTarget::writeCode(ModuleOp module,
                                    const CompileOptions &options, Emit emit,
                                    raw_ostream &os) const {
  bool isHost = emit == Emit::Object;
  auto functions =
      isHost ? collectLaunchFunctions(module) : SmallVector<LaunchFunction>();
  auto machine = createTargetMachine(options.machine);
  if (!machine)
    return reportError(module, machine.takeError());
  if (failed(functions) || failed(lowerModule(module, *this, options)))
    return failure();
  llvm::LLVMContext context;
  if (emit == Emit::LLVMIR) {
    auto ir = translateToLLVMIR(module, context, **machine);
    return failed(ir) ? failure()
                      : writeNativeCode(module, **ir, **machine, emit, os);
  }
  FailureOr<StringRef> image = getKernelImage(module);
  if (failed(image))
    return failure();
  if (!isHost) {
    if (image->empty())
      return module.emitError("nothing here runs on the GPU: no kernel to "
                              "write");
    os << *image;
    return success();
  }
  std::string cubin;
  if (!image->empty())
    cubin = assembleKernels(module, *image, options.chip, getToolkit(options));
  auto ir = translateToLLVMIR(
      module, context, **machine, [&](llvm::Module &translated) -> llvm::Error {
        if (llvm::Error error =
                addGPUHost(translated, *functions, options.chip, cubin))
          return error;
        for (const LaunchFunction &function : *functions)
          if (options.packed)
            addPacked(translated, function);
        return llvm::Error::success();
      });
  return failed(ir) ? failure()
                    : writeNativeCode(module, **ir, **machine, emit, os);
}
