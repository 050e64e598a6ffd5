//===- differential.cpp - our pipelines beside upstream's -----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles every public function of tensors in the files and folders that are
// named, by norm-to-cpu, by norm-to-simt where that takes it and by upstream's
// passes, calls all of them on ordinary and hostile inputs and compares
// (Agreement.h). Each part of a file is a process, so that a crash or a hang is
// one failure. Exits 1 where anything disagrees that the list of known failures
// does not have, or where what it has agrees.
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "norm/Testing/Targets.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <csignal>
#include <cstdio>
#include <list>
#include <map>
#include <set>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace norm_test;
using llvm::StringRef;
namespace cl = llvm::cl;

static cl::OptionCategory category("What is compared");
static cl::list<std::string> paths(cl::Positional, cl::OneOrMore,
                                   cl::desc("<files and folders>"),
                                   cl::cat(category));
static cl::opt<std::string>
    onlyFunction("function", cl::desc("Only functions of that name"),
                 cl::cat(category));
static cl::opt<unsigned>
    sample("sample", cl::desc("So many of the files, always the same; 0: all"),
           cl::init(0), cl::cat(category));
static cl::opt<unsigned> jobs("jobs", cl::desc("Processes at a time"),
                              cl::init(2), cl::cat(category));
static cl::opt<unsigned>
    timeout("timeout", cl::desc("Seconds of its own time for a process"),
            cl::init(60), cl::cat(category));
static cl::opt<std::string> cpu("mcpu", cl::desc("What the code is for"),
                                cl::init("native"), cl::cat(category));
static cl::opt<bool> noSIMT("no-simt", cl::desc("The CPU's pipeline alone"),
                            cl::cat(category));
static cl::opt<std::string> known(
    "known",
    cl::desc("File of known failures: PATH FUNCTION MODE REASON, a mode or *"),
    cl::cat(category));
static cl::opt<std::string>
    save("save", cl::desc("Folder for the data of failures, for norm-run"),
         cl::cat(category));
static cl::opt<std::string>
    wrong("wrong",
          cl::desc("Make results wrong, so that the run must fail: "
                   "number, zero, nan or infinity"),
          cl::cat(category));
static cl::opt<bool> verbose("verbose", cl::desc("Print what is skipped"),
                             cl::cat(category));

namespace {
struct Task {
  Program program;
  std::string function; ///< empty: all
};

struct Process {
  Task task;
  pid_t pid = 0;
  FILE *output = nullptr;
};

struct Failure {
  std::string path, function, mode, text;
};

struct Totals {
  unsigned files = 0, programs = 0, functions = 0;
  std::map<std::string, uint64_t> runs;     // by mode
  std::map<std::string, unsigned> skipped;  // by reason
  std::map<std::string, unsigned> rejected; // by mode
  std::vector<Failure> failures;
};
} // namespace

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static std::vector<std::string> readStrings(const llvm::json::Object &object,
                                            StringRef key, StringRef folder) {
  std::vector<std::string> strings;
  if (const llvm::json::Array *array = object.getArray(key))
    for (const llvm::json::Value &value : *array)
      if (auto text = value.getAsString())
        strings.push_back((folder + "/" + *text).str());
  return strings;
}

/// Adds stored inputs and results of a corpus's case. Results that the program
/// itself does not give are left out.
static void addStored(Program &program) {
  static std::map<std::string, std::unique_ptr<llvm::json::Value>> manifests;
  StringRef cases = llvm::sys::path::parent_path(program.path);
  if (llvm::sys::path::filename(cases) != "cases")
    return;
  std::string folder = llvm::sys::path::parent_path(cases).str();
  auto [it, isNew] = manifests.try_emplace(folder);
  if (isNew)
    if (auto buffer = llvm::MemoryBuffer::getFile(folder + "/manifest.json"))
      if (auto value = llvm::json::parse((*buffer)->getBuffer()))
        it->second = std::make_unique<llvm::json::Value>(std::move(*value));
  if (!it->second || !it->second->getAsArray())
    return;
  StringRef id = llvm::sys::path::stem(program.path);
  for (const llvm::json::Value &entry : *it->second->getAsArray()) {
    const llvm::json::Object *object = entry.getAsObject();
    if (!object || object->getString("id") != id)
      continue;
    program.inputs = readStrings(*object, "inputs_files", folder);
    bool agrees =
        object->getBoolean("unfused_ir_agrees_with_framework").value_or(false);
    const llvm::json::Value *differs = object->get("ir_differs_from_framework");
    if (agrees && (!differs || differs->kind() == llvm::json::Value::Null))
      program.expected = readStrings(*object, "expected_files", folder);
    return;
  }
}

static std::vector<std::string> findFiles() {
  std::vector<std::string> files;
  for (const std::string &path : paths) {
    if (!llvm::sys::fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    std::error_code error;
    for (llvm::sys::fs::recursive_directory_iterator it(path, error), end;
         it != end && !error; it.increment(error))
      if (StringRef(it->path()).ends_with(".mlir"))
        files.push_back(it->path());
  }
  if (sample == 0 || files.size() <= sample) {
    std::sort(files.begin(), files.end());
    return files;
  }
  // In the order of a hash of the name, which is the same everywhere.
  std::vector<std::pair<uint64_t, std::string>> order;
  for (std::string &file : files)
    order.emplace_back(llvm::MD5Hash(llvm::sys::path::filename(file)), file);
  std::sort(order.begin(), order.end());
  files.clear();
  for (auto &[hash, file] : llvm::ArrayRef(order).take_front(sample))
    files.push_back(file);
  return files;
}

static std::list<Task> makeTasks(Totals &totals) {
  std::list<Task> tasks;
  for (const std::string &file : findFiles()) {
    auto buffer = llvm::MemoryBuffer::getFile(file);
    if (!buffer) {
      totals.failures.push_back({file, "", "", buffer.getError().message()});
      continue;
    }
    ++totals.files;
    llvm::SmallVector<StringRef> parts;
    (*buffer)->getBuffer().split(parts, "// -----\n");
    for (auto [i, part] : llvm::enumerate(parts)) {
      Task task;
      task.program.path = file;
      addStored(task.program);
      if (parts.size() > 1)
        task.program.path += "#" + std::to_string(i + 1);
      task.program.text = part.str();
      task.function = onlyFunction;
      tasks.push_back(std::move(task));
      ++totals.programs;
    }
  }
  return tasks;
}

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

static Process start(Task task) {
  Process process;
  process.task = std::move(task);
  process.output = std::tmpfile();
  process.pid = fork();
  if (process.pid != 0)
    return process;
  rlimit memory{8ull << 30, 8ull << 30}, core{0, 0};
  rlimit seconds{timeout, timeout + 5};
  // A sanitizer reserves more than there is.
  if (!LLVM_ADDRESS_SANITIZER_BUILD)
    setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CPU, &seconds);
  setrlimit(RLIMIT_CORE, &core);
  // What a program that fails says is not of interest.
  if (!std::freopen("/dev/null", "w", stderr))
    std::_Exit(2);
  llvm::raw_fd_ostream os(fileno(process.output), /*shouldClose=*/false);
  CheckOptions options;
  options.simt = !noSIMT;
  options.cpu = cpu;
  options.function = process.task.function;
  options.save = save;
  options.wrong = wrong;
  bool done = check(process.task.program, options, os);
  os.flush();
  std::_Exit(done ? 0 : 3);
}

static std::string readAll(FILE *file) {
  std::string text;
  std::rewind(file);
  char bytes[4096];
  while (size_t n = std::fread(bytes, 1, sizeof(bytes), file))
    text.append(bytes, n);
  std::fclose(file);
  return text;
}

namespace {
/// What a process wrote (Check.h).
struct Output {
  std::vector<std::string> functions;
  std::vector<std::vector<std::string>> lines; ///< of other kinds
  std::string phase;                           ///< the last one
};
} // namespace

static Output parseOutput(StringRef text) {
  Output output;
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    llvm::SmallVector<StringRef> fields;
    line.split(fields, '\t');
    if (fields[0] == "function")
      output.functions.push_back(fields[1].str());
    else if (fields[0] == "phase")
      output.phase = fields[1].str();
    else
      output.lines.emplace_back(fields.begin(), fields.end());
  }
  return output;
}

static void addSkipped(const std::string &path, const std::string &function,
                       StringRef reason, Totals &totals) {
  if (verbose)
    llvm::outs() << "skip " << path << " " << function << ": " << reason
                 << "\n";
  if (reason.starts_with("upstream rejects"))
    reason = "upstream rejects";
  if (reason.starts_with("type "))
    reason = "a type that norm-run does not take";
  ++totals.skipped[reason.str()];
}

static void addLine(const std::string &path,
                    const std::vector<std::string> &fields, Totals &totals) {
  if (fields[0] == "skip")
    addSkipped(path, fields[1], fields[2], totals);
  if (fields[0] == "reject") {
    ++totals.rejected[fields[2]];
    if (verbose)
      llvm::outs() << "rejected by " << fields[2] << ": " << path << " "
                   << fields[1] << ": " << fields[3] << "\n";
  }
  if (fields[0] == "run")
    totals.runs[fields[1]] += std::stoul(fields[2]);
  if (fields[0] == "fail")
    totals.failures.push_back(
        {path, fields[1], fields[2], fields[3] + ": " + fields[4]});
}

/// Adds what a process has found; where its functions have to be tried one by
/// one, these are new tasks.
static void finish(Process &process, int status, Totals &totals,
                   std::list<Task> &tasks) {
  Output output = parseOutput(readAll(process.output));
  const std::string &path = process.task.program.path;
  bool finished = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  bool isRetried = !finished && output.functions.size() > 1;
  // What is skipped in the module is not seen again.
  for (const std::vector<std::string> &fields : output.lines)
    if (!isRetried || fields[0] == "skip")
      addLine(path, fields, totals);
  if (isRetried) {
    for (std::string &function : output.functions) {
      tasks.push_front(process.task);
      tasks.front().function = function;
    }
    return;
  }
  totals.functions += output.functions.size();
  if (finished)
    return;
  bool isTimeout = WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU;
  std::string what =
      isTimeout ? "takes over " + std::to_string(timeout) + " s" : "crashes";
  std::string function =
      output.functions.empty() ? "" : output.functions.front();
  if (output.phase == kReferencePhase || output.phase == "parse")
    return addSkipped(path, function, "upstream " + what, totals);
  totals.failures.push_back({path, function,
                             StringRef(output.phase).split(' ').first.str(),
                             output.phase + ": " + what});
}

static void printFailure(const Failure &failure) {
  llvm::outs() << "FAIL " << failure.path << " " << failure.function << " "
               << failure.mode << " " << failure.text << "\n";
  llvm::outs().flush();
}

static void runAll(std::list<Task> tasks, Totals &totals) {
  std::list<Process> running;
  while (!tasks.empty() || !running.empty()) {
    while (!tasks.empty() && running.size() < jobs) {
      Task task = std::move(tasks.front());
      tasks.pop_front();
      running.push_back(start(std::move(task)));
    }
    usleep(5000);
    for (auto it = running.begin(); it != running.end();) {
      int status;
      if (waitpid(it->pid, &status, WNOHANG) == it->pid) {
        size_t before = totals.failures.size();
        finish(*it, status, totals, tasks);
        for (size_t i = before; i < totals.failures.size(); ++i)
          printFailure(totals.failures[i]);
        it = running.erase(it);
        continue;
      }
      ++it;
    }
  }
}

//===----------------------------------------------------------------------===//
// Report
//===----------------------------------------------------------------------===//

/// Failures that the list does not have, and entries whose program was run and
/// did not fail.
static unsigned countUnexpected(const Totals &totals) {
  std::vector<std::array<StringRef, 3>> entries;
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  if (!known.empty()) {
    auto file = llvm::MemoryBuffer::getFile(known);
    if (!file) {
      llvm::outs() << known << ": " << file.getError().message() << "\n";
      return 1;
    }
    buffer = std::move(*file);
    llvm::SmallVector<StringRef> lines;
    buffer->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
    for (StringRef line : lines) {
      llvm::SmallVector<StringRef> words;
      line.split(words, ' ', 3, /*KeepEmpty=*/false);
      if (words.size() == 4 && !line.starts_with("#"))
        entries.push_back({words[0], words[1], words[2]});
    }
  }
  auto matches = [](const Failure &failure,
                    const std::array<StringRef, 3> &entry) {
    return StringRef(failure.path).ends_with(entry[0]) &&
           failure.function == entry[1] &&
           (entry[2] == "*" || failure.mode == entry[2]);
  };
  std::vector<std::string> files = findFiles();
  unsigned unexpected = 0;
  for (const auto &entry : entries) {
    bool wasRun = llvm::any_of(files, [&](StringRef file) {
      return file.ends_with(entry[0].split('#').first);
    });
    if (!wasRun || llvm::any_of(totals.failures, [&](const Failure &failure) {
          return matches(failure, entry);
        }))
      continue;
    ++unexpected;
    llvm::outs() << "agrees, but is known to fail: " << entry[0] << " "
                 << entry[1] << " " << entry[2] << "\n";
  }
  for (const Failure &failure : totals.failures)
    unexpected += llvm::none_of(
        entries, [&](const auto &entry) { return matches(failure, entry); });
  return unexpected;
}

static bool report(const Totals &totals) {
  unsigned unexpected = countUnexpected(totals);
  llvm::outs() << totals.files << " files, " << totals.programs << " programs, "
               << totals.functions << " functions\n";
  for (const auto &[reason, count] : totals.skipped)
    llvm::outs() << "skipped: " << count << ": " << reason << "\n";
  for (const auto &[mode, count] : totals.rejected)
    llvm::outs() << "rejected by " << mode << ": " << count << "\n";
  for (const auto &[mode, count] : totals.runs)
    llvm::outs() << mode << ": " << count << " calls compared\n";
  llvm::outs() << totals.failures.size() << " failed, " << unexpected
               << " unexpectedly\n";
  return unexpected == 0 && totals.functions > 0;
}

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Compares our pipelines with upstream's.\n");
  mlir::norm::registerTestingTargets();
  Totals totals;
  runAll(makeTasks(totals), totals);
  return report(totals) ? 0 : 1;
}
