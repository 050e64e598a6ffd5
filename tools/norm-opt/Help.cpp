//===- Help.cpp - norm-opt --help -----------------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Help.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;

static llvm::cl::OptionCategory
    inputAndOutput("Input and output", "What is read, checked and written.");
static llvm::cl::OptionCategory
    passManager("Passes, timing and reproducers",
                "Beside the passes, which are options by their own names.");
static llvm::cl::OptionCategory printing("How IR and diagnostics are printed");
static llvm::cl::OptionCategory debugging("Debugging and logging");

/// Returns the category of mlir-opt's option with the longest matching prefix.
static llvm::cl::OptionCategory *getCategory(StringRef name) {
  static const std::pair<StringRef, llvm::cl::OptionCategory *> prefixes[] = {
      {"log-", &debugging},
      {"mlir-debug-", &debugging},
      {"mlir-enable-", &debugging},
      {"mlir-print-debug-counter", &debugging},
      {"profile-", &debugging},
      {"dump-pass-pipeline", &passManager},
      {"load-pass-", &passManager},
      {"list-passes", &passManager},
      {"mlir-disable-threading", &passManager},
      {"mlir-generate-", &passManager},
      {"mlir-output-format", &passManager},
      {"mlir-pass-", &passManager},
      {"mlir-print-ir-", &passManager},
      {"mlir-timing", &passManager},
      {"pass-pipeline", &passManager},
      {"run-reproducer", &passManager},
      {"verify-each", &passManager},
      {"mlir-", &printing},
      {"", &inputAndOutput}};
  for (auto [prefix, category] : prefixes)
    if (name.starts_with(prefix))
      return category;
  llvm_unreachable("the last prefix is empty");
}

/// Returns mlir-opt's only option whose values are all passes.
static llvm::cl::Option *getPassOption() {
  return llvm::cl::getRegisteredOptions().lookup("norm-recognize");
}

static void groupOptions() {
  getPassOption()->setHiddenFlag(llvm::cl::Hidden);
  for (auto &entry : llvm::cl::getRegisteredOptions()) {
    llvm::cl::Option *option = entry.second;
    bool isVisible = option->getOptionHiddenFlag() == llvm::cl::NotHidden;
    if (isVisible &&
        llvm::is_contained(option->Categories, &llvm::cl::getGeneralCategory()))
      option->addCategory(*getCategory(entry.first));
  }
}

bool norm::asksForHelp(int argc, char **argv) {
  return llvm::any_of(ArrayRef(argv, argc), [](StringRef argument) {
    return argument == "--help" || argument == "-help" || argument == "-h";
  });
}

void norm::printHelp() {
  groupOptions();
  llvm::cl::PrintHelpMessage(/*Hidden=*/false, /*Categorized=*/true);
  std::vector<const PassRegistryEntry *> passes, pipelines;
  for (auto &entry : llvm::cl::getRegisteredOptions()) {
    if (entry.second != getPassOption() || !entry.first.starts_with("norm-"))
      continue;
    if (const PassInfo *pass = PassInfo::lookup(entry.first))
      passes.push_back(pass);
    else if (auto *pipeline = PassPipelineInfo::lookup(entry.first))
      pipelines.push_back(pipeline);
  }
  auto print = [](StringRef title, auto &entries) {
    llvm::outs() << '\n' << title << ":\n\n";
    llvm::sort(entries, [](auto *a, auto *b) {
      return a->getPassArgument() < b->getPassArgument();
    });
    for (const PassRegistryEntry *entry : entries)
      entry->printHelpStr(/*indent=*/2, /*descIndent=*/38);
  };
  print("Passes of norm-mlir", passes);
  print("Pipelines of norm-mlir", pipelines);
  llvm::outs()
      << "\nUpstream's passes: --list-passes; and pipelines: --help-hidden.\n";
}
