//===- Codegen.cpp - LLVM dialect to machine code -------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Compiler/Codegen.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "norm/Compiler/Target.h"
#include "norm/IR/Norm.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

using namespace mlir;
using namespace mlir::norm;

LogicalResult norm::verifyWritesOverNone(ModuleOp module, StringRef option) {
  for (auto function : module.getOps<func::FuncOp>())
    if (getCallType(function) != function.getFunctionType())
      return function.emitError("'")
             << resultAttrName << "' does not go with " << option;
  return success();
}

/// "+name" or "-name" of a feature that `info` knows.
static bool isFeature(const llvm::MCSubtargetInfo &info, StringRef feature) {
  if (!feature.consume_front("+") && !feature.consume_front("-"))
    return false;
  return llvm::any_of(info.getAllProcessorFeatures(),
                      [&](const auto &known) { return feature == known.Key; });
}

/// The back ends that norm-to-cpu is tested with, and this host's.
static void initializeTargets() {
  static bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser(); // of inline assembly
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    LLVMInitializeAArch64AsmParser();
    return true;
  }();
  (void)initialized;
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
norm::createTargetMachine(const MachineSpec &spec) {
  initializeTargets();
  llvm::Triple host(llvm::sys::getDefaultTargetTriple());
  llvm::Triple triple =
      spec.triple.empty() ? host
                          : llvm::Triple(llvm::Triple::normalize(spec.triple));
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return llvm::createStringError("--mtriple '" + triple.str() +
                                   "': " + error);
  // Words that hold two elements are taken apart by their halves.
  if (!triple.isLittleEndian())
    return llvm::createStringError("--mtriple '" + triple.str() +
                                   "': the machine must be little-endian");
  llvm::SubtargetFeatures features;
  std::string name = spec.cpu;
  if (name.empty())
    name = triple.getArch() == llvm::Triple::x86_64 ? "x86-64-v3" : "generic";
  if (name == "native") {
    if (triple.getArch() != host.getArch())
      return llvm::createStringError("--mcpu=native is this machine, which is "
                                     "not " +
                                     triple.str());
    name = llvm::sys::getHostCPUName().str();
    for (auto &feature : llvm::sys::getHostCPUFeatures())
      features.AddFeature(feature.first(), feature.second);
  }
  SmallVector<StringRef> added;
  StringRef(spec.features).split(added, ',', -1, /*KeepEmpty=*/false);
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      target->createMCSubtargetInfo(triple, "", ""));
  if (!info->isCPUStringValid(name))
    return llvm::createStringError("unknown --mcpu '" + name + "' for " +
                                   triple.str());
  for (StringRef feature : added) {
    if (!isFeature(*info, feature))
      return llvm::createStringError("unknown --mattr '" + feature + "' for " +
                                     triple.str() +
                                     ", expected one such as +bf16");
    features.AddFeature(feature);
  }
  llvm::TargetOptions targetOptions;
  targetOptions.UseInitArray = true; // not .ctors, which lld leaves alone
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, name, features.getString(), targetOptions, llvm::Reloc::PIC_,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return llvm::createStringError("no target machine for " + triple.str());
  // Descriptors consist of words of 64 bits.
  if (machine->getPointerSizeInBits(0) != 64)
    return llvm::createStringError("--mtriple '" + triple.str() +
                                   "': pointers must have 64 bits");
  return machine;
}

void norm::setTarget(CPUPipelineOptions &options,
                     const llvm::TargetMachine &machine) {
  const llvm::MCSubtargetInfo &info = *machine.getMCSubtargetInfo();
  const llvm::Triple &triple = machine.getTargetTriple();
  options.triple = triple.str();
  if (triple.isAArch64())
    options.bf16Rounding = info.checkFeatures("+bf16");
  options.f16Vectors = triple.isX86() && info.checkFeatures("+avx512fp16");
  options.dotProducts =
      triple.isX86() && info.checkFeatures("+avx512vnni,+avx512vl");
  if (triple.isX86() && info.checkFeatures("+avx2"))
    options.productKinds = ProductKinds::Halves;
  if (triple.isX86() && info.checkFeatures("+avx512bf16"))
    options.productKinds = ProductKinds::Pairs;
  // Other systems give a process the tiles in other ways.
  if (triple.isOSLinux() && triple.getArch() == llvm::Triple::x86_64 &&
      info.checkFeatures("+avx512bf16,+amx-tile,+amx-bf16,+amx-int8"))
    options.productKinds = ProductKinds::Tiles;
  options.fma = triple.isAArch64() || info.checkFeatures("+fma");
}

/// What the caller sees are the C interface functions; the rest may be inlined
/// into them, and a function called main stays private.
static void internalize(llvm::Module &module, llvm::TargetMachine &machine) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
    if (!function.getName().starts_with("_mlir_ciface_") &&
        !function.hasFnAttribute(kExportAttribute))
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
}

namespace {
/// What LLVM reports, as diagnostics: its own handler ends the process.
class LLVMDiagnostics {
public:
  LLVMDiagnostics(llvm::LLVMContext &context, ModuleOp module)
      : context(context), module(module) {
    context.setDiagnosticHandlerCallBack(handle, this);
  }
  ~LLVMDiagnostics() { context.setDiagnosticHandlerCallBack(nullptr); }
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

  llvm::LLVMContext &context;
  ModuleOp module;
};
} // namespace

FailureOr<std::unique_ptr<llvm::Module>>
norm::translateToLLVMIR(ModuleOp module, llvm::LLVMContext &context,
                        llvm::TargetMachine &machine,
                        function_ref<llvm::Error(llvm::Module &)> extend) {
  LLVMDiagnostics diagnostics(context, module);
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(module, context);
  if (!translated)
    return module.emitError("cannot be translated to LLVM IR");
  translated->setDataLayout(machine.createDataLayout());
  translated->setTargetTriple(machine.getTargetTriple());
  if (extend)
    if (llvm::Error error = extend(*translated))
      return module.emitError(llvm::toString(std::move(error)));
  internalize(*translated, machine);
  auto optimize = makeOptimizingTransformer(unsigned(machine.getOptLevel()),
                                            /*sizeLevel=*/0, &machine);
  if (llvm::Error error = optimize(translated.get()))
    return module.emitError(llvm::toString(std::move(error)));
  return translated;
}

SmallVector<Type> norm::getScalars(TypeRange results) {
  return llvm::filter_to_vector(
      results, [](Type type) { return !isa<TensorType>(type); });
}

bool norm::isWrittenToStruct(ArrayRef<Type> scalars) {
  return scalars.size() > 1 ||
         (scalars.size() == 1 && isa<ComplexType>(scalars.front()));
}

/// Returns a type with the layout of a scalar in memory.
static llvm::Type *getStoredType(Type type, llvm::LLVMContext &context) {
  if (auto number = dyn_cast<ComplexType>(type)) {
    llvm::Type *part = getStoredType(number.getElementType(), context);
    return llvm::StructType::get(part, part);
  }
  if (type.isF64())
    return llvm::Type::getDoubleTy(context);
  if (type.isF32())
    return llvm::Type::getFloatTy(context);
  return llvm::Type::getIntNTy(
      context, type.isIndex() ? 64 : type.getIntOrFloatBitWidth());
}

llvm::Function *norm::addPackedEntry(llvm::Function &function,
                                     const Twine &name, TypeRange results) {
  llvm::LLVMContext &context = function.getContext();
  llvm::IRBuilder<> b(context);
  llvm::Type *pointer = b.getPtrTy();
  auto *packed = llvm::Function::Create(
      llvm::FunctionType::get(b.getVoidTy(), {pointer}, false),
      llvm::GlobalValue::ExternalLinkage, name, function.getParent());
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", packed));
  unsigned position = 0;
  auto loadAddress = [&] {
    return b.CreateLoad(
        pointer, b.CreateConstGEP1_32(pointer, packed->getArg(0), position++));
  };
  SmallVector<llvm::Value *> arguments;
  SmallVector<llvm::Type *> fields;
  llvm::Value *written = nullptr;
  if (SmallVector<Type> scalars = getScalars(results);
      isWrittenToStruct(scalars)) {
    for (Type type : scalars)
      fields.push_back(getStoredType(type, context));
    written = b.CreateAlloca(llvm::StructType::get(context, fields));
    arguments.push_back(written);
  }
  for (llvm::Type *parameter :
       function.getFunctionType()->params().drop_front(arguments.size())) {
    llvm::Value *address = loadAddress();
    arguments.push_back(
        parameter->isPointerTy() ? address : b.CreateLoad(parameter, address));
  }
  llvm::CallInst *result = b.CreateCall(&function, arguments);
  if (!result->getType()->isVoidTy())
    b.CreateStore(result, loadAddress());
  llvm::StructType *layout = llvm::StructType::get(context, fields);
  for (auto [i, field] : llvm::enumerate(fields))
    b.CreateStore(b.CreateLoad(field, b.CreateStructGEP(layout, written, i)),
                  loadAddress());
  b.CreateRetVoid();
  return packed;
}

llvm::Error norm::linkRuntime(llvm::Module &module,
                              ArrayRef<unsigned char> bitcode) {
  StringRef bytes(reinterpret_cast<const char *>(bitcode.data()),
                  bitcode.size());
  auto runtime = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bytes, "runtime"),
                                        module.getContext());
  if (!runtime)
    return runtime.takeError();
  (*runtime)->setTargetTriple(module.getTargetTriple());
  (*runtime)->setDataLayout(module.getDataLayout());
  for (llvm::Function &function : **runtime) {
    function.removeFnAttr("tune-cpu");
    if (function.hasWeakLinkage()) // such as norm_gpu_message
      function.addFnAttr(kExportAttribute);
  }
  if (llvm::Linker::linkModules(module, std::move(*runtime)))
    return llvm::createStringError("a runtime cannot be linked");
  return llvm::Error::success();
}

llvm::Error norm::emitMachineCode(llvm::Module &module,
                                  llvm::TargetMachine &machine, bool assembly,
                                  SmallVectorImpl<char> &out) {
  llvm::raw_svector_ostream os(out);
  llvm::legacy::PassManager codegen;
  if (machine.addPassesToEmitFile(codegen, os, nullptr,
                                  assembly ? llvm::CodeGenFileType::AssemblyFile
                                           : llvm::CodeGenFileType::ObjectFile))
    return llvm::createStringError("the target cannot emit this file type");
  codegen.run(module);
  return llvm::Error::success();
}

LogicalResult norm::writeNativeCode(ModuleOp module, llvm::Module &ir,
                                    llvm::TargetMachine &machine, Emit emit,
                                    raw_ostream &os) {
  if (emit == Emit::LLVMIR) {
    ir.print(os, nullptr);
    return success();
  }
  LLVMDiagnostics diagnostics(ir.getContext(), module);
  SmallVector<char, 0> code;
  if (failed(
          reportError(module, emitMachineCode(ir, machine,
                                              emit == Emit::Assembly, code))) ||
      diagnostics.hasError)
    return failure();
  os << StringRef(code.data(), code.size());
  return success();
}

/// C compiler drivers that link for `triple`, the best first.
static SmallVector<std::string> getDrivers(const llvm::Triple &triple) {
  llvm::Triple host(llvm::sys::getDefaultTargetTriple());
  if (triple.getArch() == host.getArch())
    return {"clang-22", "clang", "gcc", "cc"};
  return {triple.getArchName().str() + "-linux-gnu-gcc"};
}

llvm::Error norm::linkShared(StringRef object, StringRef output,
                             const llvm::Triple &triple,
                             const LinkOptions &options) {
  std::string driver;
  SmallVector<std::string> drivers = getDrivers(triple);
  for (const std::string &name : drivers)
    if (auto found = llvm::sys::findProgramByName(name)) {
      driver = *found;
      break;
    }
  if (driver.empty())
    return llvm::createStringError("--emit=shared needs one on PATH to link: " +
                                   llvm::join(drivers, ", "));
  // -Bsymbolic: calls inside bind inside, whatever the program defines. The
  // state of the CUDA runtime is data, which objects of one program share.
  SmallVector<StringRef> arguments{driver, "-shared", object, "-o", output};
  if (options.gpu)
    arguments.append({"-Wl,-Bsymbolic-functions", "-Wl,-z,defs", "-ldl"});
  else
    arguments.push_back("-Wl,-Bsymbolic");
  arguments.push_back("-lm");
  if (options.openmp)
    arguments.append({"-L" NORM_LLVM_LIBRARY_DIR,
                      "-Wl,-rpath," NORM_LLVM_LIBRARY_DIR, "-lomp"});
  std::string message;
  int code = llvm::sys::ExecuteAndWait(driver, arguments, std::nullopt, {}, 0,
                                       0, &message);
  if (code != 0)
    return llvm::createStringError("linking '" + output + "' failed: " +
                                   (message.empty() ? driver : message));
  return llvm::Error::success();
}
