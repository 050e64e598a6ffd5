//===- Codegen.cpp - LLVM dialect to machine code -------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Compiler/Codegen.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "norm/Compiler/Target.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

using namespace mlir;
using namespace mlir::norm;

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
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, name, features.getString(), llvm::TargetOptions(),
      llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return llvm::createStringError("no target machine for " + triple.str());
  return machine;
}

void norm::setTarget(CPUPipelineOptions &options,
                     const llvm::TargetMachine &machine) {
  const llvm::MCSubtargetInfo &info = *machine.getMCSubtargetInfo();
  const llvm::Triple &triple = machine.getTargetTriple();
  options.triple = triple.str();
  if (triple.isAArch64())
    options.bf16Rounding = info.checkFeatures("+bf16");
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
    if (machine.getTargetTriple().isX86() &&
        machine.getMCSubtargetInfo()->checkFeatures("+avx512f"))
      function.addFnAttr("prefer-vector-width", "512");
    if (!function.getName().starts_with("_mlir_ciface_") &&
        !function.hasFnAttribute(kExportAttribute))
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
}

/// Masked loads and stores of 16-bit floats as integers: x86 splits them into
/// elements and converts each through a library call otherwise.
static void useIntegersForMaskedAccess(llvm::Module &module) {
  SmallVector<llvm::IntrinsicInst *> accesses;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        if (auto *call = dyn_cast<llvm::IntrinsicInst>(&instruction))
          if (call->getIntrinsicID() == llvm::Intrinsic::masked_load ||
              call->getIntrinsicID() == llvm::Intrinsic::masked_store)
            accesses.push_back(call);
  for (llvm::IntrinsicInst *call : accesses) {
    bool isLoad = call->getIntrinsicID() == llvm::Intrinsic::masked_load;
    auto *type = cast<llvm::VectorType>(
        isLoad ? call->getType() : call->getArgOperand(0)->getType());
    if (!type->getElementType()->is16bitFPTy())
      continue;
    llvm::IRBuilder<> b(call);
    llvm::Type *integers = llvm::VectorType::getInteger(type);
    auto asIntegers = [&](llvm::Value *v) {
      return b.CreateBitCast(v, integers);
    };
    if (isLoad) {
      llvm::Value *loaded = b.CreateMaskedLoad(
          integers, call->getArgOperand(0), call->getParamAlign(0).valueOrOne(),
          call->getArgOperand(1), asIntegers(call->getArgOperand(2)));
      call->replaceAllUsesWith(b.CreateBitCast(loaded, type));
    } else {
      b.CreateMaskedStore(
          asIntegers(call->getArgOperand(0)), call->getArgOperand(1),
          call->getParamAlign(1).valueOrOne(), call->getArgOperand(2));
    }
    call->eraseFromParent();
  }
}

static llvm::Type *getIntegerType(llvm::Value *value) {
  if (auto *vector = dyn_cast<llvm::VectorType>(value->getType()))
    return llvm::VectorType::getInteger(vector);
  return llvm::Type::getInt16Ty(value->getContext());
}

/// What only moves bf16 values: x86 without bf16 does it on f32, and comes back
/// by a library call.
static bool movesBF16(llvm::Instruction &value) {
  if (isa<llvm::ExtractElementInst>(value))
    return value.getType()->isBFloatTy();
  return isa<llvm::SelectInst, llvm::InsertElementInst>(value) &&
         value.getType()->getScalarType()->isBFloatTy();
}

static llvm::Value *createIntegerMove(llvm::IRBuilder<> &b,
                                      llvm::Instruction *move) {
  auto cast = [&](llvm::Value *value) {
    return b.CreateBitCast(value, getIntegerType(value));
  };
  if (isa<llvm::ExtractElementInst>(move))
    return b.CreateExtractElement(cast(move->getOperand(0)),
                                  move->getOperand(1));
  if (isa<llvm::InsertElementInst>(move))
    return b.CreateInsertElement(cast(move->getOperand(0)),
                                 cast(move->getOperand(1)),
                                 move->getOperand(2));
  return b.CreateSelect(move->getOperand(0), cast(move->getOperand(1)),
                        cast(move->getOperand(2)));
}

static void moveBF16AsIntegers(llvm::Function &function) {
  for (llvm::Instruction &value :
       llvm::make_early_inc_range(llvm::instructions(function))) {
    if (!movesBF16(value))
      continue;
    llvm::IRBuilder<> b(&value);
    llvm::Value *moved = createIntegerMove(b, &value);
    value.replaceAllUsesWith(b.CreateBitCast(moved, value.getType()));
    value.eraseFromParent();
  }
}

/// bf16 arguments that are used in another block than the first, as integers.
static void carryArgumentsAsIntegers(llvm::Function &function) {
  for (llvm::Argument &argument : function.args()) {
    if (!argument.getType()->getScalarType()->isBFloatTy())
      continue;
    llvm::BasicBlock &entry = function.getEntryBlock();
    llvm::IRBuilder<> first(&entry, entry.getFirstInsertionPt());
    llvm::Value *integers =
        first.CreateBitCast(&argument, getIntegerType(&argument));
    for (llvm::Use &use : llvm::make_early_inc_range(argument.uses())) {
      auto *user = cast<llvm::Instruction>(use.getUser());
      if (user->getParent() == &entry)
        continue;
      auto *phi = dyn_cast<llvm::PHINode>(user);
      llvm::IRBuilder<> b(phi ? phi->getIncomingBlock(use)->getTerminator()
                              : user);
      use.set(b.CreateBitCast(integers, argument.getType()));
    }
  }
}

/// bf16 that is loaded in one block and used in another, or used twice, as
/// integers: x86 without bf16 keeps it as f32 in between, by a library call an
/// element, or loads it element by element; with bf16 it rounds the f32 again,
/// and takes subnormals for zeros. norm-carry-bf16-as-integers has done so
/// before LLVM's passes moved what is left.
static void carryBF16AsIntegers(llvm::Function &function) {
  SmallVector<llvm::Instruction *> carried;
  for (llvm::BasicBlock &block : function)
    for (llvm::Instruction &value : block)
      if (value.getType()->getScalarType()->isBFloatTy() &&
          (isa<llvm::PHINode>(value) || value.isUsedOutsideOfBlock(&block) ||
           (isa<llvm::LoadInst>(value) && !value.hasOneUse())))
        carried.push_back(&value);
  // Phis first, so that they find each other.
  llvm::DenseMap<llvm::Value *, llvm::Value *> integers;
  for (llvm::Instruction *value : carried)
    if (auto *phi = dyn_cast<llvm::PHINode>(value))
      integers[phi] = llvm::IRBuilder<>(phi).CreatePHI(
          getIntegerType(phi), phi->getNumIncomingValues());
  for (llvm::Instruction *value : carried) {
    if (isa<llvm::PHINode>(value))
      continue;
    llvm::IRBuilder<> b(value->getNextNode());
    auto *load = dyn_cast<llvm::LoadInst>(value);
    integers[value] =
        load && load->isSimple()
            ? b.CreateAlignedLoad(getIntegerType(value),
                                  load->getPointerOperand(), load->getAlign())
            : b.CreateBitCast(value, getIntegerType(value));
  }
  for (llvm::Instruction *value : carried)
    if (auto *phi = dyn_cast<llvm::PHINode>(value))
      for (auto [incoming, block] :
           llvm::zip(phi->incoming_values(), phi->blocks())) {
        llvm::Value *known = integers.lookup(incoming);
        if (!known)
          known = llvm::IRBuilder<>(block->getTerminator())
                      .CreateBitCast(incoming, getIntegerType(phi));
        cast<llvm::PHINode>(integers[phi])->addIncoming(known, block);
      }
  for (llvm::Instruction *value : carried) {
    for (llvm::Use &use : llvm::make_early_inc_range(value->uses())) {
      auto *user = cast<llvm::Instruction>(use.getUser());
      if (user == integers[value] || isa<llvm::PHINode>(user))
        continue; // phis are replaced as a whole
      llvm::IRBuilder<> b(user);
      use.set(b.CreateBitCast(integers[value], value->getType()));
    }
  }
  for (llvm::Instruction *value : carried)
    if (isa<llvm::PHINode>(value) ||
        (isa<llvm::LoadInst>(value) && isa<llvm::LoadInst>(integers[value]))) {
      value->replaceAllUsesWith(llvm::PoisonValue::get(value->getType()));
      value->eraseFromParent();
    }
}

/// Integers that become bf16 only to become integers again or to be stored:
/// LLVM may carry them from block to block in between.
static void skipBF16(llvm::Function &function) {
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    if (!isa<llvm::BitCastInst, llvm::StoreInst>(instruction))
      continue;
    auto *cast = dyn_cast<llvm::BitCastInst>(instruction.getOperand(0));
    if (cast && cast->getType()->getScalarType()->isBFloatTy() &&
        cast->getSrcTy()->isIntOrIntVectorTy())
      instruction.setOperand(0, cast->getOperand(0));
  }
  for (llvm::Instruction &instruction :
       llvm::make_early_inc_range(llvm::instructions(function)))
    if (isa<llvm::BitCastInst>(instruction) && instruction.use_empty())
      instruction.eraseFromParent();
}

/// Freezes the integers that an argument or a call's result becomes: code
/// generation turns a phi of bitcasts of bf16 into one of bf16 again.
static void keepIntegers(llvm::Function &function) {
  for (llvm::Instruction &instruction :
       llvm::make_early_inc_range(llvm::instructions(function))) {
    auto *cast = dyn_cast<llvm::BitCastInst>(&instruction);
    if (!cast || !cast->getSrcTy()->isBFloatTy() ||
        !isa<llvm::Argument, llvm::CallBase>(cast->getOperand(0)))
      continue;
    llvm::IRBuilder<> b(cast->getNextNode());
    llvm::Value *frozen = b.CreateFreeze(cast);
    cast->replaceUsesWithIf(
        frozen, [&](llvm::Use &use) { return use.getUser() != frozen; });
  }
}

static bool hasNarrowVectors(const llvm::TargetMachine &machine) {
  const llvm::MCSubtargetInfo &info = *machine.getMCSubtargetInfo();
  return info.checkFeatures("+avx512bf16") || info.checkFeatures("+avx512fp16");
}

/// Streamed vectors of 16-bit floats as f32: LLVM has no non-temporal store of
/// the types that AVX512-BF16 and AVX512-FP16 make legal, and stores them as
/// any other. The fence, which is no instruction, keeps the bitcast from being
/// folded away.
static void streamNarrowAsF32(llvm::Function &function) {
  for (llvm::BasicBlock &block : function)
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(block)) {
      auto *store = dyn_cast<llvm::StoreInst>(&instruction);
      if (!store || !store->hasMetadata(llvm::LLVMContext::MD_nontemporal))
        continue;
      llvm::Value *value = store->getValueOperand();
      auto *type = dyn_cast<llvm::FixedVectorType>(value->getType());
      if (!type || !type->getElementType()->is16bitFPTy() ||
          type->getNumElements() % 2 != 0)
        continue;
      llvm::IRBuilder<> b(store);
      auto *words = llvm::FixedVectorType::get(b.getFloatTy(),
                                               type->getNumElements() / 2);
      llvm::Value *bits =
          b.CreateArithmeticFence(b.CreateBitCast(value, words), words);
      store->setOperand(0, bits);
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
  useIntegersForMaskedAccess(*translated);
  auto optimize = makeOptimizingTransformer(unsigned(machine.getOptLevel()),
                                            /*sizeLevel=*/0, &machine);
  if (llvm::Error error = optimize(translated.get()))
    return module.emitError(llvm::toString(std::move(error)));
  for (llvm::Function &function : *translated) {
    if (function.isDeclaration())
      continue;
    moveBF16AsIntegers(function);
    carryArgumentsAsIntegers(function);
    carryBF16AsIntegers(function);
    skipBF16(function);
    keepIntegers(function);
    if (machine.getTargetTriple().isX86() && hasNarrowVectors(machine))
      streamNarrowAsF32(function);
  }
  return translated;
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
