//===- HostCode.cpp - machine code for this process -----------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/ExecutionEngine/HostCode.h"
#include "cpu/Assertions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "norm/Compiler/Target.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/DynamicLibrary.h"
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace mlir;
using namespace mlir::norm;

HostCode::HostCode() = default;
HostCode::~HostCode() = default;

FailureOr<SmallVector<char, 0>> HostCode::compile(ModuleOp source,
                                                  const CompileOptions &options,
                                                  ExtentChecks checks) {
  auto fail = [&](llvm::Error error) {
    return source.emitError(llvm::toString(std::move(error)));
  };
  auto target = lookupTarget(options.target);
  if (!target)
    return fail(target.takeError());
  const HostRuntime *runtime = (*target)->getHostRuntime();
  if (!runtime)
    return source.emitError("code for ")
           << options.target << " does not run in this process";
  CompileOptions local = options;
  if (local.machine.cpu.empty())
    local.machine.cpu = "native";
  auto machine = createTargetMachine(local.machine);
  if (!machine)
    return fail(machine.takeError());
  OwningOpRef<ModuleOp> module(source.clone());
  if (failed(addShapeFunctions(*module, checks)) ||
      failed(lowerModule(*module, **target, local)))
    return failure();

  llvm::LLVMContext context;
  (*machine)->setOptLevel(runtime->optLevel);
  FailureOr<std::unique_ptr<llvm::Module>> ir =
      translateToLLVMIR(*module, context, **machine);
  if (failed(ir))
    return failure();
  SmallVector<llvm::Function *> entries;
  for (llvm::Function &function : **ir)
    if (!function.isDeclaration() &&
        function.getName().starts_with("_mlir_ciface_"))
      entries.push_back(&function);
  for (llvm::Function *function : entries) {
    StringRef name = function->getName();
    name.consume_front("_mlir_ciface_");
    // A function of shapes has no counterpart, and returns no scalar.
    auto inSource = source.lookupSymbol<func::FuncOp>(name);
    TypeRange results = inSource ? inSource.getResultTypes() : TypeRange();
    if (llvm::none_of(getScalars(results), llvm::IsaPred<ShapedType>))
      addPackedEntry(*function, kPackedPrefix + name, results);
  }

  SmallVector<char, 0> object;
  if (llvm::Error error =
          emitMachineCode(**ir, **machine, /*assembly=*/false, object))
    return fail(std::move(error));
  return object;
}

/// Asks Linux for AMX's tiles, as objects' constructors do, which LLJIT does
/// not call. Without AMX it says no.
static void requestTiles() {
#if defined(__linux__) && defined(__x86_64__)
  constexpr long archRequestPermission = 0x1023, tileData = 18;
  syscall(SYS_arch_prctl, archRequestPermission, tileData);
#endif
}

// LLVM calls these of the compiler's library for what a machine has no
// instruction for: conversions of f16 and arithmetic on 128 bits. A program
// that loads this one as a plugin does not export them.
#ifdef __x86_64__
#define NORM_HALF_CALLS(CALL)                                                  \
  CALL(__extendhfsf2) CALL(__truncsfhf2) CALL(__truncdfhf2)
#else // AArch64 has instructions.
#define NORM_HALF_CALLS(CALL)
#endif
#define NORM_COMPILER_CALLS(CALL)                                              \
  NORM_HALF_CALLS(CALL)                                                        \
  CALL(__divti3)                                                               \
  CALL(__modti3)                                                               \
  CALL(__udivti3)                                                              \
  CALL(__umodti3)                                                              \
  CALL(__floattisf)                                                            \
  CALL(__floattidf)                                                            \
  CALL(__floatuntisf)                                                          \
  CALL(__floatuntidf)                                                          \
  CALL(__fixsfti)                                                              \
  CALL(__fixdfti)                                                              \
  CALL(__fixunssfti)                                                           \
  CALL(__fixunsdfti)
#define NORM_DECLARE(NAME) extern "C" void NAME();
NORM_COMPILER_CALLS(NORM_DECLARE) // NOLINT(readability-identifier-naming)
#undef NORM_DECLARE

static ArrayRef<HostRuntime::Symbol> getCompilerCalls() {
#define NORM_ENTRY(NAME) {#NAME, reinterpret_cast<void *>(&NAME)},
  static const HostRuntime::Symbol calls[] = {NORM_COMPILER_CALLS(NORM_ENTRY)};
#undef NORM_ENTRY
  return calls;
}

/// What a failed assertion calls returns to HostCode::call.
static ArrayRef<HostRuntime::Symbol> getAssertionCalls() {
  static const HostRuntime::Symbol calls[] = {
      {"write", reinterpret_cast<void *>(::norm::cpu::writeMessage)},
      {"abort", reinterpret_cast<void *>(::norm::cpu::leave)}};
  return calls;
}

/// Defines symbols that this program does not export, or other than it does.
static llvm::Error defineSymbols(llvm::orc::LLJIT &jit,
                                 ArrayRef<HostRuntime::Symbol> names) {
  llvm::orc::SymbolMap symbols;
  for (const HostRuntime::Symbol &symbol :
       llvm::concat<const HostRuntime::Symbol>(getCompilerCalls(),
                                               getAssertionCalls(), names))
    symbols[jit.mangleAndIntern(symbol.name)] = {
        llvm::orc::ExecutorAddr::fromPtr(symbol.address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  return jit.getMainJITDylib().define(
      llvm::orc::absoluteSymbols(std::move(symbols)));
}

static llvm::Error loadOpenMP(const std::string &file) {
  std::string message;
  if (llvm::sys::DynamicLibrary::LoadLibraryPermanently(file.c_str(), &message))
    return llvm::createStringError("OpenMP's library: " + message);
  return llvm::Error::success();
}

static llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>>
createJIT(const HostCode::Environment &environment) {
  // The parts of the JIT find their back end there.
  auto machine = createTargetMachine({});
  if (!machine)
    return machine.takeError();
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  if (!environment.openmpLibrary.empty())
    if (llvm::Error error = loadOpenMP(environment.openmpLibrary))
      return std::move(error);
  auto symbols = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      (*jit)->getDataLayout().getGlobalPrefix());
  if (!symbols)
    return symbols.takeError();
  (*jit)->getMainJITDylib().addGenerator(std::move(*symbols));
  if (llvm::Error error = defineSymbols(**jit, environment.symbols))
    return std::move(error);
  return std::move(*jit);
}

llvm::Expected<std::unique_ptr<HostCode>>
HostCode::load(StringRef object, const Environment &environment) {
  auto jit = createJIT(environment);
  if (!jit)
    return jit.takeError();
  requestTiles();
  std::unique_ptr<HostCode> code(new HostCode());
  code->jit = std::move(*jit);
  if (llvm::Error error = code->jit->addObjectFile(
          llvm::MemoryBuffer::getMemBufferCopy(object, "norm-jit")))
    return std::move(error);
  return code;
}

llvm::Expected<void (*)(void **)> HostCode::lookup(StringRef function) {
  auto address = jit->lookup((kPackedPrefix + function).str());
  if (!address)
    return address.takeError();
  return address->toPtr<void (*)(void **)>();
}

llvm::Error HostCode::call(void (*entry)(void **), void **arguments) {
  ::norm::cpu::AssertedCall call;
  const char *message = ::norm::cpu::runAsserted(entry, arguments, call);
  return message ? llvm::createStringError(message) : llvm::Error::success();
}
