//===- Compile.cpp - compile a module to a file ---------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Compiler/Compile.h"
#include "ScratchFile.h"
#include "mlir/Pass/PassManager.h"
#include "norm/Compiler/CHeader.h"
#include "norm/Compiler/Codegen.h"
#include "norm/Compiler/Dispatch.h"
#include "norm/Compiler/GPUHost.h"
#include "norm/Compiler/GPUImage.h"
#include "norm/Pipelines/Pipelines.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace mlir::norm;

static LogicalResult report(ModuleOp module, llvm::Error error) {
  if (!error)
    return success();
  return module.emitError(llvm::toString(std::move(error)));
}

static LogicalResult report(ModuleOp module, std::error_code error,
                            StringRef file) {
  return report(module, llvm::createStringError(file + ": " + error.message()));
}

static Stage getStage(Emit emit) {
  switch (emit) {
  case Emit::Norm:
    return Stage::Norm;
  case Emit::Linalg:
    return Stage::Linalg;
  case Emit::Vector:
    return Stage::Vector;
  default:
    return Stage::LLVM;
  }
}

static std::string getToolkit(const EmitOptions &options) {
  return options.cudaPath.empty() ? findCUDAToolkit() : options.cudaPath;
}

void norm::setOptions(NVVMPipelineOptions &nvvm, const EmitOptions &options) {
  nvvm.rounding = options.rounding;
  nvvm.chip = options.chip;
  nvvm.ptxVersion = options.ptxVersion;
  nvvm.dependentLaunch = options.dependentLaunch;
  nvvm.evictionHints = options.evictionHints;
}

void norm::setOptions(CPUPipelineOptions &cpu, const EmitOptions &options,
                      const llvm::TargetMachine &machine) {
  setTarget(cpu, machine);
  cpu.rounding = options.rounding;
  cpu.threads = options.threads;
  cpu.verifyBuffers = options.verifyBuffers;
}

static LogicalResult lowerToNVVM(ModuleOp module, const EmitOptions &options) {
  PassManager pm(module.getContext());
  NVVMPipelineOptions nvvm;
  setOptions(nvvm, options);
  bool isCubin = options.emit == Emit::Cubin;
  nvvm.format = isCubin ? KernelFormat::Cubin : KernelFormat::PTX;
  nvvm.toolkit = getToolkit(options);
  if (isCubin && !llvm::sys::fs::exists(nvvm.toolkit + "/bin/ptxas"))
    return module.emitError(
        "--emit=cubin needs ptxas: give --cuda-path, put it "
        "in PATH or set CUDA_PATH");
  buildNormToNVVMPipeline(pm, nvvm, getStage(options.emit));
  // gpu-module-to-binary reports some errors and still succeeds.
  bool reported = false;
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &d) {
    reported |= d.getSeverity() == DiagnosticSeverity::Error;
    return failure(); // the tool's handler prints it
  });
  return failure(failed(runPasses(pm, module, options.runner)) || reported);
}

static LogicalResult lower(ModuleOp module, const EmitOptions &options,
                           const llvm::TargetMachine &machine) {
  if (options.nvvm)
    return lowerToNVVM(module, options);
  PassManager pm(module.getContext());
  CPUPipelineOptions cpu;
  setOptions(cpu, options, machine);
  buildNormToCPUPipeline(pm, cpu, getStage(options.emit));
  return runPasses(pm, module, options.runner);
}

/// Whether the output launches kernels that are inside of it.
static bool isGPUHost(const EmitOptions &options) {
  return options.nvvm &&
         (options.emit == Emit::Object || options.emit == Emit::Shared);
}

/// `write` fills a file that stays only when it succeeds.
static LogicalResult
writeFile(ModuleOp module, StringRef output,
          function_ref<LogicalResult(raw_ostream &)> write) {
  std::string content;
  llvm::raw_string_ostream os(content);
  if (failed(write(os)))
    return failure();
  std::error_code error;
  llvm::ToolOutputFile file(output, error, llvm::sys::fs::OF_None);
  if (error)
    return report(module, error, output);
  file.os() << content;
  file.os().flush();
  if (file.os().has_error()) {
    error = file.os().error();
    file.os().clear_error();
    return report(module, error, output);
  }
  file.keep();
  return success();
}

static LogicalResult emitShared(ModuleOp module, const EmitOptions &options,
                                const llvm::TargetMachine &machine,
                                StringRef object, StringRef output) {
  if (output == "-")
    return module.emitError("--emit=shared needs an output file (-o)");
  // Linked beside the output, then renamed: a failed link leaves nothing.
  SmallString<128> objectFile, linked;
  int descriptor;
  if (auto error = llvm::sys::fs::createTemporaryFile("norm", "o", descriptor,
                                                      objectFile))
    return report(module, error, objectFile);
  ScratchFile removeObject(objectFile);
  {
    llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
    os << object;
  }
  if (auto error = llvm::sys::fs::createUniqueFile(output + ".%%%%%%", linked))
    return report(module, error, output);
  ScratchFile removeLinked(linked);
  if (failed(report(module,
                    linkShared(objectFile, linked, machine.getTargetTriple(),
                               {options.threads > 1, options.nvvm}))))
    return failure();
  if (auto error = llvm::sys::fs::rename(linked, output))
    return report(module, error, output);
  removeLinked.release();
  return success();
}

namespace {
/// What LLVM reports, as diagnostics: its own handler ends the process.
struct LLVMDiagnostics {
  LLVMDiagnostics(llvm::LLVMContext &context, ModuleOp module)
      : module(module) {
    context.setDiagnosticHandlerCallBack(handle, this);
  }
  ModuleOp module;
  bool hasError = false;

private:
  static void handle(const llvm::DiagnosticInfo *info, void *self) {
    auto &diagnostics = *static_cast<LLVMDiagnostics *>(self);
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::DiagnosticPrinterRawOStream printer(os);
    info->print(printer);
    if (info->getSeverity() == llvm::DS_Error) {
      diagnostics.hasError = true;
      diagnostics.module.emitError(StringRef(text).trim());
    } else if (info->getSeverity() == llvm::DS_Warning) {
      diagnostics.module.emitWarning(StringRef(text).trim());
    }
  }
};
} // namespace

/// LLVM IR of a lowered module.
static FailureOr<std::unique_ptr<llvm::Module>>
translate(ModuleOp module, const EmitOptions &options,
          llvm::TargetMachine &machine, ArrayRef<LaunchFunction> launched,
          llvm::LLVMContext &context) {
  if (!isGPUHost(options))
    return translateToLLVMIR(module, context, machine);
  FailureOr<StringRef> image = getKernelImage(module);
  if (failed(image))
    return failure();
  std::string cubin;
  if (!image->empty())
    cubin = assembleKernels(module, *image, options.chip, getToolkit(options));
  return translateToLLVMIR(
      module, context, machine, [&](llvm::Module &translated) {
        return addGPUHost(translated, launched, options.chip, cubin);
      });
}

/// LLVM IR for each of getDispatchedLevels, in one module.
static FailureOr<std::unique_ptr<llvm::Module>>
translateForLevels(ModuleOp module, const EmitOptions &options,
                   llvm::LLVMContext &context) {
  SmallVector<std::unique_ptr<llvm::Module>> variants;
  for (const X86Level &level : getDispatchedLevels()) {
    auto machine =
        createTargetMachine({options.target.triple, level.cpu.str(), ""});
    if (!machine)
      return report(module, machine.takeError());
    OwningOpRef<ModuleOp> copy = module.clone();
    if (failed(lower(*copy, options, **machine)))
      return failure();
    auto variant = translateToLLVMIR(*copy, context, **machine);
    if (failed(variant))
      return failure();
    variants.push_back(std::move(*variant));
  }
  auto linked = linkVariants(variants);
  if (!linked)
    return report(module, linked.takeError());
  return std::move(*linked);
}

static LogicalResult emitNative(ModuleOp module, const EmitOptions &options,
                                llvm::TargetMachine &machine, llvm::Module &ir,
                                LLVMDiagnostics &diagnostics,
                                StringRef output) {
  if (options.emit == Emit::LLVMIR)
    return writeFile(module, output, [&](raw_ostream &os) {
      ir.print(os, nullptr);
      return success();
    });
  SmallVector<char, 0> code;
  if (failed(report(module,
                    emitMachineCode(ir, machine, options.emit == Emit::Assembly,
                                    code))) ||
      diagnostics.hasError)
    return failure();
  StringRef bytes(code.data(), code.size());
  if (options.emit == Emit::Shared)
    return emitShared(module, options, machine, bytes, output);
  return writeFile(module, output, [&](raw_ostream &os) {
    os << bytes;
    return success();
  });
}

/// A C macro made of the file's name.
static std::string getGuard(StringRef output) {
  std::string guard = "NORM_";
  for (char c : llvm::sys::path::filename(output))
    guard += llvm::isAlnum(c) ? llvm::toUpper(c) : '_';
  return guard;
}

static LogicalResult emitKernels(ModuleOp module, StringRef output) {
  FailureOr<StringRef> image = getKernelImage(module);
  if (failed(image))
    return failure();
  if (image->empty())
    return module.emitError("nothing here runs on the GPU: no kernel to write");
  return writeFile(module, output, [&](raw_ostream &os) {
    os << *image;
    return success();
  });
}

/// Options that do not go together.
static LogicalResult checkOptions(ModuleOp module, const EmitOptions &options) {
  bool isKernel = options.emit == Emit::PTX || options.emit == Emit::Cubin;
  if (isKernel && !options.nvvm)
    return module.emitError("--emit=ptx and --emit=cubin need --target=nvvm");
  if (options.nvvm && options.emit == Emit::Assembly)
    return module.emitError("--emit=asm has no meaning for --target=nvvm: emit "
                            "ptx for the kernels, obj or shared for the host");
  if (!options.ptxVersion.empty() && !options.nvvm)
    return module.emitError("--ptx-version needs --target=nvvm");
  if ((options.dependentLaunch || options.evictionHints) && !options.nvvm)
    return module.emitError("--dependent-launch and --eviction-hints need "
                            "--target=nvvm");
  if (options.verifyBuffers && options.nvvm)
    return module.emitError("--verify-buffers needs --target=cpu");
  if (!options.dispatch)
    return success();
  if (options.nvvm)
    return module.emitError("--dispatch needs --target=cpu");
  if (!options.target.cpu.empty() || !options.target.features.empty())
    return module.emitError("--dispatch chooses the CPU at run time: it does "
                            "not go with --mcpu and --mattr");
  if (options.emit < Emit::LLVMIR)
    return module.emitError("--dispatch has no stage before LLVM IR for all of "
                            "its CPUs: emit llvm-ir, asm, obj or shared");
  return success();
}

/// The machine of the code: with dispatch the least, which has a generator for
/// all of them.
static FailureOr<std::unique_ptr<llvm::TargetMachine>>
createMachine(ModuleOp module, const EmitOptions &options) {
  auto machine = createTargetMachine(options.target);
  if (!machine)
    return report(module, machine.takeError());
  if (!options.dispatch)
    return std::move(*machine);
  const llvm::Triple &triple = (*machine)->getTargetTriple();
  if (triple.getArch() != llvm::Triple::x86_64)
    return module.emitError("--dispatch needs an x86-64 target, got ")
           << triple.str();
  TargetSpec least = options.target;
  least.cpu = getDispatchedLevels().front().cpu.str();
  machine = createTargetMachine(least);
  if (!machine)
    return report(module, machine.takeError());
  return std::move(*machine);
}

static LogicalResult emitHeader(ModuleOp module, const EmitOptions &options,
                                StringRef output) {
  return writeFile(module, output, [&](raw_ostream &os) {
    return options.nvvm ? printGPUHeader(module, getGuard(output), os)
                        : printCHeader(module, getGuard(output), os);
  });
}

LogicalResult norm::emitFile(ModuleOp module, const EmitOptions &options,
                             StringRef output) {
  if (failed(checkOptions(module, options)))
    return failure();
  if (options.emit == Emit::Header)
    return emitHeader(module, options, output);
  SmallVector<LaunchFunction> launched;
  if (isGPUHost(options)) {
    auto functions = collectLaunchFunctions(module);
    if (failed(functions))
      return failure();
    launched = *functions;
  }
  auto machine = createMachine(module, options);
  if (failed(machine))
    return failure();
  if (!options.dispatch && failed(lower(module, options, **machine)))
    return failure();
  if (options.emit == Emit::PTX || options.emit == Emit::Cubin)
    return emitKernels(module, output);
  if (options.emit > Emit::LLVMDialect) {
    llvm::LLVMContext context;
    LLVMDiagnostics diagnostics(context, module);
    auto ir = options.dispatch
                  ? translateForLevels(module, options, context)
                  : translate(module, options, **machine, launched, context);
    if (failed(ir))
      return failure();
    return emitNative(module, options, **machine, **ir, diagnostics, output);
  }
  return writeFile(module, output, [&](raw_ostream &os) {
    module.print(os);
    os << '\n';
    return success();
  });
}
