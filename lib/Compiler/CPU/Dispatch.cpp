//===- Dispatch.cpp - code for several CPUs in one module -----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dispatch.h"
#include "norm/Compiler/Codegen.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Linker/Linker.h"

using namespace mlir;
using namespace mlir::norm;

/// The bitcode of runtime/cpu/Level.cpp.
static const unsigned char kLevelRuntime[] = {
#include "CPULevel.inc"
};

static constexpr X86Level kLevels[] = {
    {2, "x86-64-v2"}, {3, "x86-64-v3"}, {4, "x86-64-v4"}};

llvm::ArrayRef<X86Level> norm::getDispatchedLevels() { return kLevels; }

static std::string getVariantName(llvm::StringRef name, const X86Level &level) {
  return (name + "." + level.cpu).str();
}

static bool takesVectors(llvm::FunctionType *type) {
  return type->getReturnType()->isVectorTy() ||
         llvm::any_of(type->params(),
                      [](llvm::Type *type) { return type->isVectorTy(); });
}

static llvm::Error checkVariant(const llvm::Module &module) {
  for (const llvm::GlobalVariable &global : module.globals())
    if (!global.isDeclaration() && !global.hasLocalLinkage())
      return llvm::createStringError("--dispatch: the program shows its global "
                                     "'" +
                                     global.getName() +
                                     "', which each variant would have");
  for (const llvm::Function &function : module)
    if (!function.isDeclaration() && !function.hasLocalLinkage() &&
        takesVectors(function.getFunctionType()))
      return llvm::createStringError(
          "--dispatch: '" + function.getName() +
          "' passes vectors, which each CPU does in its own way");
  return llvm::Error::success();
}

/// Appends its level to the exported names of `variant`; returns the old names.
static llvm::SmallVector<std::string> renameExports(llvm::Module &variant,
                                                    const X86Level &level) {
  llvm::SmallVector<std::string> names;
  for (llvm::Function &function : variant)
    if (!function.isDeclaration() && !function.hasLocalLinkage()) {
      names.push_back(function.getName().str());
      function.setName(getVariantName(names.back(), level));
    }
  return names;
}

/// Links modules that have no definition in common.
static void link(llvm::Module &module, std::unique_ptr<llvm::Module> added) {
  [[maybe_unused]] bool failed =
      llvm::Linker::linkModules(module, std::move(added));
  assert(!failed && "variants define different names");
}

static void buildCall(llvm::IRBuilder<> &b, llvm::Function *caller,
                      llvm::Function *callee) {
  llvm::SmallVector<llvm::Value *> operands;
  for (llvm::Argument &argument : caller->args())
    operands.push_back(&argument);
  llvm::CallInst *call = b.CreateCall(callee, operands);
  call->setTailCall();
  if (call->getType()->isVoidTy())
    b.CreateRetVoid();
  else
    b.CreateRet(call);
}

/// Builds the function `name`, which calls the variant for this machine.
static void buildDispatcher(llvm::Module &module, llvm::StringRef name,
                            llvm::FunctionCallee getLevel) {
  llvm::IRBuilder<> b(module.getContext());
  llvm::Function *least = module.getFunction(getVariantName(name, kLevels[0]));
  auto *dispatcher =
      llvm::Function::Create(least->getFunctionType(),
                             llvm::GlobalValue::ExternalLinkage, name, module);
  dispatcher->setAttributes(least->getAttributes());
  auto addBlock = [&](llvm::StringRef name) {
    return llvm::BasicBlock::Create(module.getContext(), name, dispatcher);
  };
  b.SetInsertPoint(addBlock("entry"));
  // A machine below the lowest level has no better choice.
  llvm::BasicBlock *leastBlock = addBlock(kLevels[0].cpu);
  llvm::SwitchInst *choice = b.CreateSwitch(b.CreateCall(getLevel), leastBlock);
  b.SetInsertPoint(leastBlock);
  buildCall(b, dispatcher, least);
  for (const X86Level &level : llvm::drop_begin(kLevels)) {
    llvm::BasicBlock *block = addBlock(level.cpu);
    choice->addCase(b.getInt32(level.level), block);
    b.SetInsertPoint(block);
    buildCall(b, dispatcher, module.getFunction(getVariantName(name, level)));
  }
}

llvm::Expected<std::unique_ptr<llvm::Module>> norm::linkVariants(
    llvm::MutableArrayRef<std::unique_ptr<llvm::Module>> variants) {
  assert(variants.size() == std::size(kLevels));
  llvm::SmallVector<std::string> names;
  for (auto [variant, level] : llvm::zip(variants, kLevels)) {
    if (llvm::Error error = checkVariant(*variant))
      return error;
    names = renameExports(*variant, level);
  }
  std::unique_ptr<llvm::Module> module = std::move(variants.front());
  for (std::unique_ptr<llvm::Module> &variant : variants.drop_front())
    link(*module, std::move(variant));
  // What is left is the lowest level, on which it runs.
  if (llvm::Error error = linkRuntime(*module, kLevelRuntime))
    return error;
  llvm::Function *getLevel = module->getFunction("norm_cpu_level");
  for (const std::string &name : names)
    buildDispatcher(*module, name, getLevel);
  for (llvm::Function &function : *module)
    if (!function.isDeclaration() &&
        !llvm::is_contained(names, function.getName()))
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  return module;
}
