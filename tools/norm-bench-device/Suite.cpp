//===- Suite.cpp - all artifacts of a folder within a time ----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that faults ends its context, and a wrong artifact may crash or wait
// forever. So a worker process does the steps and sends what it finds; after a
// step that fails, a new worker does the next ones. This process never calls
// the driver.
//
//===----------------------------------------------------------------------===//

#include "Suite.h"
#include "Report.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <sys/wait.h>
#include <tuple>
#include <unistd.h>

using namespace norm::bench;
using Clock = std::chrono::steady_clock;

namespace {
enum class Phase { Check, Table, Decode, Option };
const char *const kPhases[] = {"check", "table", "decode", "option"};

/// An artifact by its name, VARIANT-TYPE-N[+OPTION].so.
struct Artifact {
  std::string path, name, variant, type, option;
  std::string reference; ///< empty: the variant is one of isVariant
  int64_t cols = 0;

  /// What most programs use comes first, and options behind their default.
  auto getOrder() const {
    return std::make_tuple(variant != "llama", variant != "residual", variant,
                           type, cols, option);
  }
};

struct Step {
  Phase phase;
  const Artifact *artifact;
  int64_t rows; ///< 0: as many as --bytes says
};

enum class Status { Device, Measured, Failed };

/// What a worker writes into its pipe, less than PIPE_BUF, so in one piece.
struct Message {
  Status status = Status::Failed;
  size_t step = 0;
  Outcome outcome;
  char text[512] = "";
};

/// A step with what became of it.
struct Finding {
  Step step;
  Outcome outcome;
};

struct Problem {
  Step step;
  std::string text;
};

class Suite {
public:
  explicit Suite(const Arguments &all);
  int run();

private:
  void plan(Phase phase, const Artifact &artifact, int64_t rows = 0) {
    steps.push_back({phase, &artifact, rows});
  }
  void planOptions();
  bool isOver() const;
  bool skips(const Step &step) const;
  [[noreturn]] void work(size_t first, int pipe) const;
  size_t receive(int pipe, size_t next);
  void take(const Message &message);
  void fail(const Step &step, const std::string &text);
  double getRatio(const Finding &result) const;
  const Finding *findRoundNeighbor(const Finding &result) const;
  std::string getVerdict(const Finding &result) const;
  void writeJSON() const;
  void writeMarkdown() const;

  const Arguments &all;
  Clock::time_point start = Clock::now();
  std::vector<Artifact> artifacts;
  std::vector<Step> steps;
  std::set<const Artifact *> bad; ///< wrong or failed, so not timed
  std::vector<Finding> checks, results;
  std::vector<Problem> failures;
  std::vector<Step> leftOut;
  std::string device;
};
} // namespace

static std::string cutLast(std::string &text, char separator) {
  size_t at = text.rfind(separator);
  if (at == std::string::npos)
    return "";
  std::string last = text.substr(at + 1);
  text.resize(at);
  return last;
}

static Artifact parseName(const std::string &path) {
  Artifact artifact;
  artifact.path = path;
  artifact.name = path.substr(path.rfind('/') + 1);
  std::string text = artifact.name;
  bool isLibrary = cutLast(text, '.') == "so";
  artifact.option = cutLast(text, '+');
  artifact.cols = std::strtoll(cutLast(text, '-').c_str(), nullptr, 10);
  artifact.type = cutLast(text, '-');
  artifact.variant = text;
  if (!isLibrary || artifact.cols < 1 || text.empty())
    norm::bench::fail("'" + artifact.name +
                      "' is not named VARIANT-TYPE-N[+OPTION].so");
  if (isVariant(artifact.variant))
    return artifact;
  artifact.reference = path.substr(0, path.size() - 3) + ".reference";
  if (access(artifact.reference.c_str(), R_OK) != 0)
    norm::bench::fail("'" + artifact.name + "' has no " + artifact.reference +
                      " to check it");
  return artifact;
}

Suite::Suite(const Arguments &all) : all(all) {
  for (const std::string &path : all.files)
    artifacts.push_back(parseName(path));
  std::sort(artifacts.begin(), artifacts.end(),
            [](const Artifact &a, const Artifact &b) {
              return a.getOrder() < b.getOrder();
            });
  // An odd number of rows leaves the last block of short rows partly empty.
  for (const Artifact &artifact : artifacts) {
    plan(Phase::Check, artifact, 67);
    if (!artifact.reference.empty())
      plan(Phase::Check, artifact);
  }
  for (const Artifact &artifact : artifacts)
    if (artifact.option.empty())
      plan(Phase::Table, artifact);
  for (const Artifact &artifact : artifacts)
    if (artifact.option.empty() && artifact.cols == 4096)
      for (int64_t rows : all.rows)
        plan(Phase::Decode, artifact, rows);
  planOptions();
}

/// Options stand behind their default, which is timed again: clocks change.
void Suite::planOptions() {
  std::set<std::tuple<std::string, std::string, int64_t>> withOptions;
  for (const Artifact &artifact : artifacts)
    if (!artifact.option.empty())
      withOptions.insert({artifact.variant, artifact.type, artifact.cols});
  for (int64_t rows : {int64_t(0), int64_t(16)})
    for (const Artifact &artifact : artifacts)
      if (withOptions.count({artifact.variant, artifact.type, artifact.cols}))
        plan(Phase::Option, artifact, rows);
}

bool Suite::isOver() const {
  return std::chrono::duration<double>(Clock::now() - start).count() >=
         all.budget;
}

bool Suite::skips(const Step &step) const {
  return bad.count(step.artifact) != 0 ||
         (step.phase != Phase::Check && isOver());
}

/// What a reference is run on: the host needs a part of a second for it, and
/// sums of columns have more than 128 parts.
static constexpr int64_t kCheckedBytes = int64_t(1) << 25;

static Outcome runStep(GPU &gpu, const Arguments &all, const Step &step) {
  Program program(step.artifact->path, all.function);
  if (program.cols != step.artifact->cols)
    fail(step.artifact->name + " has rows of " + std::to_string(program.cols));
  Options options = all.options;
  options.variant = step.artifact->variant;
  int64_t bytes = all.bytes;
  if (step.phase == Phase::Check) {
    options.warm = true;
    options.measures = false;
    options.reference = step.artifact->reference;
    bytes = std::min(bytes, kCheckedBytes);
  }
  int64_t rows = program.rows >= 0 ? program.rows
                 : step.rows       ? step.rows
                                   : chooseRows(program, bytes);
  return norm::bench::run(gpu, program, rows, options);
}

static void sendMessage(int pipe, const Message &message) {
  if (write(pipe, &message, sizeof(message)) != sizeof(message))
    _exit(1);
}

/// Does the steps from `first` on until one fails.
void Suite::work(size_t first, int pipe) const {
  Message message;
  try {
    GPU gpu;
    message.status = Status::Device;
    std::snprintf(message.text, sizeof(message.text), "%s",
                  gpu.getName().c_str());
    sendMessage(pipe, message);
    // Wrong results come back as numbers; the worker notes what it must skip.
    std::set<const Artifact *> wrong;
    for (message.step = first; message.step < steps.size(); ++message.step) {
      const Step &step = steps[message.step];
      if (skips(step) || wrong.count(step.artifact))
        continue;
      message.status = Status::Failed;
      alarm(all.stepSeconds);
      message.outcome = runStep(gpu, all, step);
      alarm(0);
      if (!message.outcome.isRight)
        wrong.insert(step.artifact);
      message.status = Status::Measured;
      sendMessage(pipe, message);
    }
  } catch (const std::runtime_error &error) {
    message.status = Status::Failed;
    std::snprintf(message.text, sizeof(message.text), "%s", error.what());
    sendMessage(pipe, message);
    _exit(1);
  }
  _exit(0);
}

void Suite::fail(const Step &step, const std::string &text) {
  std::fprintf(stderr, "error: %s\n", text.c_str());
  failures.push_back({step, text});
  bad.insert(step.artifact);
}

void Suite::take(const Message &message) {
  const Step &step = steps[message.step];
  if (message.status == Status::Failed)
    return fail(step, message.text);
  Outcome outcome = message.outcome;
  if (!outcome.isRight)
    bad.insert(step.artifact);
  // References are run once, not whenever their artifact is timed.
  for (const Finding &check : checks)
    if (check.step.artifact == step.artifact && !outcome.isChecked) {
      outcome.isChecked = true;
      outcome.maxUlp = check.outcome.maxUlp;
    }
  (step.phase == Phase::Check ? checks : results).push_back({step, outcome});
  std::printf("%-6s ", kPhases[static_cast<int>(step.phase)]);
  if (step.phase == Phase::Check)
    std::printf("%-36s %8lld rows %.2f ulp%s\n", step.artifact->name.c_str(),
                static_cast<long long>(outcome.rows), outcome.maxUlp,
                outcome.isRight ? "" : " WRONG");
  else
    printRow(stdout, step.artifact->path, outcome);
  std::fflush(stdout);
}

/// Takes what a worker sends, from step `next` on; returns the first step that
/// is left for another.
size_t Suite::receive(int pipe, size_t next) {
  Message message;
  bool hasFailed = false;
  while (read(pipe, &message, sizeof(message)) == sizeof(message)) {
    if (message.status == Status::Device) {
      device = message.text;
      continue;
    }
    // Without a first context nothing can be measured.
    if (device.empty())
      norm::bench::fail(message.text);
    take(message);
    next = message.step + 1;
    hasFailed = message.status == Status::Failed;
  }
  int status = 0;
  wait(&status);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return steps.size();
  if (hasFailed)
    return next;
  // It died without a word, at the first step that it did not skip.
  while (next < steps.size() && bad.count(steps[next].artifact))
    ++next;
  if (device.empty() || next == steps.size())
    norm::bench::fail("the worker ended without a result");
  bool isLate = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
  fail(steps[next], steps[next].artifact->name +
                        (isLate ? ": did not end in time" : ": crashed"));
  return next + 1;
}

int Suite::run() {
  for (size_t next = 0; next < steps.size();) {
    std::fflush(stdout);
    int ends[2];
    if (pipe(ends) != 0)
      norm::bench::fail("no pipe");
    pid_t worker = fork();
    if (worker < 0)
      norm::bench::fail("no process");
    if (worker == 0) {
      close(ends[0]);
      work(next, ends[1]);
    }
    close(ends[1]);
    next = receive(ends[0], next);
    close(ends[0]);
  }
  // What has neither a result nor a reason was left out.
  std::set<std::tuple<Phase, const Artifact *, int64_t>> done;
  for (const Finding &result : results)
    done.insert({result.step.phase, result.step.artifact, result.step.rows});
  for (const Step &step : steps)
    if (step.phase != Phase::Check && !bad.count(step.artifact) &&
        !done.count({step.phase, step.artifact, step.rows}))
      leftOut.push_back(step);
  writeJSON();
  writeMarkdown();
  std::printf("%zu artifacts checked, %zu wrong or failed; %zu measured, %zu "
              "left out\n",
              artifacts.size(), bad.size(), results.size(), leftOut.size());
  return bad.empty() ? 0 : 1;
}

/// The least ratio that a shape must reach: to the faster copy, or to that of
/// the nearest power of two, `neighbor`, if N is none.
struct Target {
  double least = 0; ///< 0: none
  int64_t neighbor = 0;
};

static Target getTarget(const Step &step) {
  const Artifact &artifact = *step.artifact;
  if (step.phase != Phase::Table ||
      (artifact.variant != "llama" && artifact.variant != "residual"))
    return {};
  auto round = static_cast<int64_t>(
      std::exp2(std::round(std::log2(static_cast<double>(artifact.cols)))));
  if (round != artifact.cols)
    return {0.90, round};
  if (artifact.variant == "residual")
    return {0.90};
  return {artifact.cols < 1024 ? 0.85 : 0.95};
}

/// Returns the speed in that of the faster copy of the same run.
double Suite::getRatio(const Finding &result) const {
  const Outcome &o = result.outcome;
  return std::min(o.copy.least, o.copyKernel.least) / o.program.least;
}

const Finding *Suite::findRoundNeighbor(const Finding &result) const {
  const Artifact &artifact = *result.step.artifact;
  for (const Finding &other : results)
    if (other.step.phase == Phase::Table &&
        other.step.artifact->variant == artifact.variant &&
        other.step.artifact->type == artifact.type &&
        other.step.artifact->cols == getTarget(result.step).neighbor)
      return &other;
  return nullptr;
}

std::string Suite::getVerdict(const Finding &result) const {
  if (!result.outcome.isRight)
    return "WRONG RESULT";
  Target target = getTarget(result.step);
  const Finding *neighbor = findRoundNeighbor(result);
  if (target.least == 0 || (target.neighbor && !neighbor))
    return "";
  double ratio =
      getRatio(result) / (target.neighbor ? getRatio(*neighbor) : 1.0);
  char text[64];
  std::snprintf(text, sizeof(text), "%.2f of %s (%.2f): %s", ratio,
                target.neighbor ? "round N" : "copy", target.least,
                ratio >= target.least ? "met" : "missed");
  return text;
}

static std::string quote(const std::string &text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      quoted += '\\';
    quoted += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return quoted + "\"";
}

static std::string describe(const Step &step) {
  return "\"phase\": " + quote(kPhases[static_cast<int>(step.phase)]) +
         ", \"variant\": " + quote(step.artifact->variant) +
         ", \"option\": " + quote(step.artifact->option) + ", ";
}

static std::string describeTarget(const Step &step) {
  Target target = getTarget(step);
  if (target.least == 0)
    return "";
  char text[64];
  std::snprintf(text, sizeof(text), "\"target\": %.2f, \"target_cols\": %lld, ",
                target.least, static_cast<long long>(target.neighbor));
  return text;
}

static FILE *open(const std::string &path) {
  FILE *file = std::fopen(path.c_str(), "w");
  if (!file)
    fail("cannot write '" + path + "'");
  return file;
}

/// Prints `"name": [...]`, an element a line.
template <typename T, typename Print>
static void printList(FILE *file, const char *name, const std::vector<T> &list,
                      Print print) {
  std::fprintf(file, ",\n\"%s\": [", name);
  for (const T &element : list) {
    std::fputs(&element == list.data() ? "\n" : ",\n", file);
    print(element);
  }
  std::fputs("]", file);
}

void Suite::writeJSON() const {
  FILE *file = open(all.suite + "/gpu.json");
  std::fprintf(file,
               "{\"device\": %s, \"repetitions\": %d, \"budget_seconds\": %g",
               quote(device).c_str(), all.options.repetitions, all.budget);
  printList(file, "checks", checks, [&](const Finding &r) {
    std::fprintf(file,
                 "  {\"artifact\": %s, \"rows\": %lld, \"max_ulp\": %.4g, "
                 "\"right\": %s}",
                 quote(r.step.artifact->name).c_str(),
                 static_cast<long long>(r.outcome.rows), r.outcome.maxUlp,
                 r.outcome.isRight ? "true" : "false");
  });
  printList(file, "results", results, [&](const Finding &r) {
    printJSON(file, r.step.artifact->path, r.outcome,
              describe(r.step) + describeTarget(r.step));
  });
  printList(file, "failed", failures, [&](const Problem &p) {
    std::fprintf(file, "  {%s\"artifact\": %s, \"error\": %s}",
                 describe(p.step).c_str(), quote(p.step.artifact->name).c_str(),
                 quote(p.text).c_str());
  });
  printList(file, "left_out", leftOut, [&](const Step &s) {
    std::fprintf(file, "  {%s\"artifact\": %s, \"rows\": %lld}",
                 describe(s).c_str(), quote(s.artifact->name).c_str(),
                 static_cast<long long>(s.rows));
  });
  std::fputs("\n}\n", file);
  std::fclose(file);
}

void Suite::writeMarkdown() const {
  FILE *file = open(all.suite + "/gpu.md");
  std::fprintf(file,
               "%s, best of %d: %zu artifacts checked against f64, %zu wrong "
               "or failed; %zu measured, %zu left out (%g seconds).\n\n",
               device.c_str(), all.options.repetitions, artifacts.size(),
               bad.size(), results.size(), leftOut.size(), all.budget);
  for (const Artifact *artifact : bad)
    std::fprintf(file, "- WRONG or failed: %s\n", artifact->name.c_str());
  std::fprintf(file,
               "%s| class | type | N | rows | option | us | GB/s | of "
               "memcpy | of kernel copy | max ulp | target |\n"
               "|---|---|---|---|---|---|---|---|---|---|---|\n",
               bad.empty() ? "" : "\n");
  for (const Finding &r : results) {
    const Outcome &o = r.outcome;
    std::fprintf(file,
                 "| %s | %s | %lld | %lld | %s | %.2f | %.1f | %.3f | %.3f | "
                 "%.2f | %s |\n",
                 r.step.artifact->variant.c_str(), o.type,
                 static_cast<long long>(o.cols), static_cast<long long>(o.rows),
                 r.step.artifact->option.c_str(), o.program.least * 1e6,
                 static_cast<double>(o.usefulBytes) / o.program.least * 1e-9,
                 o.copy.least / o.program.least,
                 o.copyKernel.least / o.program.least, o.maxUlp,
                 getVerdict(r).c_str());
  }
  std::fclose(file);
}

int norm::bench::runSuite(const Arguments &arguments) {
  return Suite(arguments).run();
}
