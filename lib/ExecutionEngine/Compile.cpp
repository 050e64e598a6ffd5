//===- Compile.cpp - compile a module to a file ---------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/ExecutionEngine/Compile.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "norm/ExecutionEngine/CHeader.h"
#include "norm/ExecutionEngine/Codegen.h"
#include "norm/Pipelines/Pipelines.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/TargetSelect.h"
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

/// A chip of the form that LLVM names, checked before any pass runs.
static LogicalResult verifyChip(ModuleOp module, StringRef chip) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  std::string error;
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return module.emitError(error);
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      target->createMCSubtargetInfo(triple, "sm_90", ""));
  if (!info->isCPUStringValid(chip))
    return module.emitError("unknown --chip '")
           << chip << "', expected one such as sm_90";
  return success();
}

static LogicalResult lowerToNVVM(ModuleOp module, const EmitOptions &options) {
  if (failed(verifyChip(module, options.chip)))
    return failure();
  PassManager pm(module.getContext());
  NVVMPipelineOptions nvvm;
  nvvm.rounding = options.rounding;
  nvvm.chip = options.chip;
  bool isCubin = options.emit == Emit::Cubin;
  nvvm.format = isCubin ? KernelFormat::Cubin : KernelFormat::PTX;
  nvvm.toolkit =
      options.cudaPath.empty() ? findCUDAToolkit() : options.cudaPath;
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
  return failure(failed(pm.run(module)) || reported);
}

static LogicalResult lower(ModuleOp module, const EmitOptions &options,
                           const llvm::TargetMachine &machine) {
  if (options.nvvm)
    return lowerToNVVM(module, options);
  PassManager pm(module.getContext());
  CPUPipelineOptions cpu;
  setTarget(cpu, machine);
  cpu.rounding = options.rounding;
  cpu.threads = options.threads;
  buildNormToCPUPipeline(pm, cpu, getStage(options.emit));
  return pm.run(module);
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
  llvm::scope_exit removeObject([&] { llvm::sys::fs::remove(objectFile); });
  {
    llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
    os << object;
  }
  if (auto error = llvm::sys::fs::createUniqueFile(output + ".%%%%%%", linked))
    return report(module, error, output);
  llvm::scope_exit removeLinked([&] { llvm::sys::fs::remove(linked); });
  if (failed(report(module,
                    linkShared(objectFile, linked, machine.getTargetTriple(),
                               options.threads > 1))))
    return failure();
  if (auto error = llvm::sys::fs::rename(linked, output))
    return report(module, error, output);
  removeLinked.release();
  return success();
}

static LogicalResult emitNative(ModuleOp module, const EmitOptions &options,
                                llvm::TargetMachine &machine,
                                StringRef output) {
  llvm::LLVMContext context;
  auto ir = translateToLLVMIR(module, context, machine);
  if (failed(ir))
    return failure();
  if (options.emit == Emit::LLVMIR)
    return writeFile(module, output, [&](raw_ostream &os) {
      (*ir)->print(os, nullptr);
      return success();
    });
  SmallVector<char, 0> code;
  if (failed(report(module,
                    emitMachineCode(**ir, machine,
                                    options.emit == Emit::Assembly, code))))
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

/// The image of all kernels, which are one gpu.module.
static LogicalResult emitKernels(ModuleOp module, StringRef output) {
  SmallVector<gpu::ObjectAttr> objects;
  module.walk([&](gpu::BinaryOp binary) {
    for (Attribute object : binary.getObjects())
      objects.push_back(cast<gpu::ObjectAttr>(object));
  });
  if (objects.size() != 1)
    return module.emitError("nothing here runs on the GPU: no kernel to write");
  StringRef image = objects.front().getObject().getValue();
  // A cubin's unresolved functions are ptxas's to report.
  for (StringRef rest = image.split(".extern .func").second; !rest.empty();
       rest = rest.split(".extern .func").second) {
    auto [declaration, name] = rest.split(';').first.split("__nv_");
    if (!name.empty())
      return module.emitError("a kernel calls '")
             << name.take_while(llvm::isAlnum)
             << "' of libdevice, which was not found: give --cuda-path or set "
                "CUDA_PATH";
  }
  return writeFile(module, output, [&](raw_ostream &os) {
    // PTX text ends with the zero that the driver's loader wants.
    os << image.rtrim('\0');
    return success();
  });
}

LogicalResult norm::emitFile(ModuleOp module, const EmitOptions &options,
                             StringRef output) {
  bool isKernel = options.emit == Emit::PTX || options.emit == Emit::Cubin;
  if (isKernel && !options.nvvm)
    return module.emitError("--emit=ptx and --emit=cubin need --target=nvvm");
  if (options.nvvm &&
      (options.emit == Emit::Assembly || options.emit == Emit::Object ||
       options.emit == Emit::Shared || options.emit == Emit::Header))
    return module.emitError("--target=nvvm has no host artefact yet: emit ptx, "
                            "cubin or llvm-ir");
  if (options.emit == Emit::Header)
    return writeFile(module, output, [&](raw_ostream &os) {
      return printCHeader(module, getGuard(output), os);
    });
  auto machine = createTargetMachine(options.target);
  if (!machine)
    return report(module, machine.takeError());
  if (failed(lower(module, options, **machine)))
    return failure();
  if (isKernel)
    return emitKernels(module, output);
  if (options.emit > Emit::LLVMDialect)
    return emitNative(module, options, **machine, output);
  return writeFile(module, output, [&](raw_ostream &os) {
    module.print(os);
    os << '\n';
    return success();
  });
}
