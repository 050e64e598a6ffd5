"""Runs the recognizer over programs written against it; their first lines say what must happen.

    run_adversary.py FOLDER [--only REGEX] [--wrong] [--summary]
                     [--numbers [--known FILE] [--wrong-numbers]]

Each program goes through norm-opt in a process of its own, those in TOSA after the
passes that lower it. `EXPECT: find N` asks for N norm.rmsnorm ops, `EXPECT: dx A dw B`
for A gradients dx and B gradients dw, `EXPECT: refuse` for the module as it came in,
`EXPECT: any` for valid IR; words in parentheses ask for more (WORDS). A first line that
speaks of rounding=exact has the program rejected in that mode too. Programs about other
tools are left out, with the reason. With --numbers each is run, too: by
norm-test-differential in the modes default and exact (--known is its list), and in
relaxed by norm-run, whose results may be off by what the narrowest type of the program
rounds. Exits 1 on any failure; --wrong turns the expectations around, so that
everything must fail. --summary prints what was found in each program as JSON, to
compare two builds.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Corpus/Inputs"))
import measure  # noqa: E402
from normtest import store  # noqa: E402
from programs import TOSA  # noqa: E402

LIMIT, FAST = 20.0, 5.0  # seconds
CLEAN = "canonicalize,cse"  # what is dead goes
# Ops of which as many as before must be left alive.
KEPT = {
    "guard must stay": r"\barith\.select\b",
    "select must stay": r"\barith\.select\b",
    "memref.store kept": r"\bmemref\.store\b",
    "cf.assert kept": r"\bcf\.assert\b",
}
# Words that say nothing beside what is checked of every program.
SAID = {"fast", "no crash", "no hang", "exact: refuse", "norm-compile lowers TOSA itself"}
WORDS = {*KEPT, *SAID, "callee stays", "input not %scrub"}


@dataclasses.dataclass(frozen=True)
class Expectation:
    """What norm-recognize must do with a program in one mode."""
    norms: int = None  # 0: the module stays as it is; None: any number
    gradients: tuple = None  # numbers of dx and of dw; None: any
    limit: float = LIMIT
    kept: tuple = ()  # words of KEPT
    functions: tuple = ()  # that must stay
    not_input: str = ""  # a value, returned too, that must not become a norm's
    more: int = 0  # ops of KEPT beyond those there were
    status: int = 0
    rounding: str = "default"


@dataclasses.dataclass
class Outcome:
    """What a process printed; status None: it did not end."""
    status: int
    text: str
    errors: str
    seconds: float

    @property
    def norms(self):
        return self.text.count("norm.rmsnorm ")

    @property
    def gradients(self):
        ops = re.findall(r"norm\.rmsnorm_backward .*", self.text)
        return tuple(sum(f" {name}(" in op for op in ops) for name in ("dx", "dw"))


# Expectations.

def find_programs(folder, only):
    paths = [os.path.relpath(os.path.join(at, name), folder)
             for at, _, names in os.walk(folder) for name in names if name.endswith(".mlir")]
    return sorted(p for p in paths if re.search(only, p))


def read_words(line):
    """The norms and gradients that a first line asks for and its words; None for others."""
    found = re.search(r"EXPECT: (find (\d+)|dx (\d+) dw (\d+)|refuse|any)\b(.*)", line)
    if not found:
        return None
    kind, norms, dx, dw, rest = found.groups()
    words = [] if rest.startswith(".") else re.findall(r"\(([^()]*)\)", rest)
    norms = 0 if kind == "refuse" else norms and int(norms)
    return norms, (int(dx), int(dw)) if dx else None, words


def read_expectations(path, text):
    """(expectations, why there are none)."""
    line = text.split("\n", 1)[0]
    read = read_words(line)
    if not read:
        said = re.search(r"EXPECT: (.*)", line)
        about = said.group(1) if said else "no expectation in the first line"
        return [], "not about recognition: " + about
    norms, gradients, words = read
    unknown = [w for w in words if w not in WORDS]
    if unknown:
        raise ValueError(f"{path}: unknown words ({unknown[0]})")
    is_fast = path.startswith("robust" + os.sep) or "fast" in words
    expectation = Expectation(
        norms=norms, gradients=gradients, limit=FAST if is_fast else LIMIT, kept=tuple(w for w in words if w in KEPT),
        functions=tuple(re.findall(r"func\.func private @(\w+)", text))
        if "callee stays" in words else (),
        not_input="%scrub" if "input not %scrub" in words else "")
    modes = [expectation]
    if "rounding=exact" in line or "exact: refuse" in words:
        rejected = 0 if "exact: refuse" in words else norms
        modes.append(dataclasses.replace(expectation, norms=rejected, rounding="exact"))
    return modes, ""


def turn_around(expectation):
    """One expectation for each thing that is asked, with that thing false."""
    e, replace = expectation, dataclasses.replace
    none = Expectation(rounding=e.rounding)
    yield replace(none, status=1)
    if e.norms is not None:
        yield replace(none, norms=0 if e.norms else 1)
    if e.gradients is not None:
        yield replace(none, gradients=(e.gradients[0] + 1, e.gradients[1]))
        yield replace(none, gradients=(e.gradients[0], e.gradients[1] + 1))
    if e.limit == FAST:
        yield replace(none, limit=0.0)
    for word in e.kept:
        yield replace(none, kept=(word,), more=1)
    for name in e.functions:
        yield replace(none, functions=("no_" + name,))
    if e.not_input:
        yield replace(none, not_input="%y")  # a norm in place of the value that is one


# Processes.

def norm_opt(source, passes, limit, text=None):
    pipeline = f"--pass-pipeline=builtin.module({','.join(filter(None, passes))})"
    start = time.monotonic()
    try:
        done = subprocess.run(["norm-opt", source, pipeline, "--mlir-print-local-scope"],
                              input=text, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return Outcome(None, "", "", time.monotonic() - start)
    return Outcome(done.returncode, done.stdout, done.stderr, time.monotonic() - start)


def clean(outcome):
    return norm_opt("-", [CLEAN], LIMIT, outcome.text).text


class Case:
    """A program, what is asked of it and what came out."""

    def __init__(self, folder, path):
        self.path = path
        self.source = os.path.join(folder, path)
        with open(self.source, encoding="utf-8") as f:
            self.text = f.read()
        self.expectations, self.skipped = read_expectations(path, self.text)
        self.outcomes, self.numbers = {}, ""

    def run(self):
        if self.skipped:
            return self
        tosa = TOSA if "tosa." in self.text else ""
        self.before = norm_opt(self.source, [tosa], LIMIT)
        for e in self.expectations:
            recognize = f"norm-recognize{{rounding={e.rounding}}}"
            self.outcomes[e.rounding] = norm_opt(self.source, [tosa, recognize], e.limit)
        return self

    def summary(self):
        def describe(outcome):
            if outcome.status is None:
                return "does not end"
            if any(outcome.gradients):
                return [outcome.norms, *outcome.gradients]
            return outcome.norms if outcome.status == 0 else f"exits {outcome.status}"
        return {self.path + ("" if mode == "default" else f" {mode}"): describe(outcome)
                for mode, outcome in self.outcomes.items()}


# Judgment.

def judge(case, expectation):
    """What does not hold of an expectation; empty if all does."""
    outcome = case.outcomes[expectation.rounding]
    problem = check_end(case, expectation, outcome) or check_norms(case, expectation, outcome)
    checks = [check_kept, check_functions, check_input]
    problems = [problem] if problem else [check(case, expectation, outcome) for check in checks]
    return "; ".join(filter(None, problems))


def check_end(case, expectation, outcome):
    if case.before.status != 0:
        return "is not valid without the pass"
    if outcome.status is None or outcome.seconds > expectation.limit:
        return f"does not end in {expectation.limit:g} s"
    if outcome.status != expectation.status:
        error = re.search(r"error: .*|.*LLVM ERROR.*", outcome.errors)
        return f"exits {outcome.status}: {error.group(0) if error else 'no error'}"
    if expectation.status == 0 and norm_opt("-", [], LIMIT, outcome.text).status != 0:
        return "gives IR that cannot be read"
    return ""


def check_norms(case, expectation, outcome):
    if expectation.gradients not in (None, outcome.gradients):
        return "found dx {} dw {}, expected dx {} dw {}".format(*outcome.gradients, *expectation.gradients)
    if expectation.norms is None:
        return ""
    if outcome.norms != expectation.norms:
        expected = f"expected {expectation.norms}" if expectation.norms else "must be rejected"
        return f"found {outcome.norms}, {expected}"
    if expectation.norms == 0 and outcome.text != case.before.text:
        return "rejected, but not left as it was"
    return ""


def check_kept(case, expectation, outcome):
    for word in expectation.kept:
        count = lambda text: len(re.findall(KEPT[word], text))
        old, new = count(clean(case.before)), count(clean(outcome))
        if new < old + expectation.more:
            return f"({word}): {new} are left alive of {old}"
    return ""


def check_functions(case, expectation, outcome):
    lost = [n for n in expectation.functions if not re.search(rf"func\.func [\w ]*@{n}\(", outcome.text)]
    return f"function {lost[0]} is gone" if lost else ""


def check_input(case, expectation, outcome):
    """The value is known by its place in the function's return, which stays."""
    name = expectation.not_input
    if not name:
        return ""
    place = returned(case.text).index(name)
    value = returned(outcome.text)[place]
    for norm in re.finditer(r"(%\w+)\S* = norm\.rmsnorm ins\((%[\w#]+)", outcome.text):
        if value in norm.groups():
            return f"a norm is of {name}"
    return ""


def returned(text):
    return re.search(r"^ *return (%[^:]*) :", text, re.M).group(1).split(", ")


# Numbers.

def differ(cases, known):
    """Whether default and exact give other numbers than upstream's passes, as is printed."""
    command = ["norm-test-differential", "--no-simt", *(["--known=" + known] if known else [])]
    return bool(subprocess.run(command + [case.source for case in cases]).returncode)


def draw(folder, text, positive):
    """Files of random inputs of the function, extents of 8 where they are dynamic."""
    random, names = np.random.default_rng(len(text)), []
    function = re.search(r"func\.func @main\((.*?)\)", text)
    for type_ in re.findall(r": (\w+<[^>]*>|\w+)", function.group(1)) if function else []:
        found = re.fullmatch(r"tensor<((?:[\d?]+x)*)(bf16|f16|f32|f64)>", type_)
        if not found:
            return []
        shape = [8 if n == "?" else int(n) for n in found.group(1).split("x")[:-1]]
        values = random.standard_normal(shape).astype(np.float32)
        values = abs(values) + np.float32(0.25) if positive else values
        names.append(os.path.join(folder, f"{positive:d}{len(names)}.npy"))
        np.save(names[-1], store(values, found.group(2)))
    return names


def run_relaxed(folder, text, inputs):
    """The results of a program with rounding=relaxed, as f64; None where it fails."""
    outputs = [os.path.join(folder, f"r{i}.npy") for i in range(len(returned(text)))]
    done = subprocess.run(["norm-run", "-", "--function=main", "--rounding=relaxed",
                           *(f"--input=@{name}" for name in inputs),
                           *(f"--output=@{name}" for name in outputs)],
                          input=text, text=True, capture_output=True)
    return [measure.load(name)[1] for name in outputs] if done.returncode == 0 else None


def compare_relaxed(case, scale):
    """What is wrong with the numbers of rounding=relaxed; `scale` makes the reference wrong."""
    found = norm_opt(case.source, ["norm-recognize{rounding=relaxed}"], LIMIT)
    narrow = next((t for t in ("bf16", "f16", "f32") if re.search(rf"\b{t}\b", case.text)), "f64")
    limit = 16 if "16" in narrow else 64
    for positive in (False, True) if "norm.rms" in found.text else ():
        with tempfile.TemporaryDirectory() as folder:
            inputs = draw(folder, case.text, positive)
            expected = measure.run_upstream(case.text, inputs, len(returned(case.text))) if inputs else None
            if expected is None:
                return ""
            actual = run_relaxed(folder, case.text, inputs)
        if actual is None:
            return "does not run (rounding=relaxed)"
        for i, (values, reference) in enumerate(zip(actual, expected)):
            ulp = measure.count_ulp(values, reference * scale, narrow, by_row=True)
            if not ulp <= limit:
                return f"result {i} is {ulp:.3g} ulp of {narrow} off (rounding=relaxed)"
    return ""


# Reports.

def report(cases):
    """Prints what failed; whether nothing did."""
    totals = collections.Counter()
    for case in cases:
        kind = os.path.dirname(case.path).split(os.sep)[0] or "."
        if case.skipped:
            print(f"{case.path}: skipped, {case.skipped}")
            totals["skipped"] += 1
            continue
        problems = []
        for e in case.expectations:
            problem = judge(case, e)
            problems += [problem + (" (rounding=exact)" if e.rounding == "exact" else "")] if problem else []
        problems += [case.numbers] if case.numbers else []
        for problem in problems:
            print(f"{case.path}: {problem}")
        totals["bad " + kind] += bool(problems)
        totals[kind] += 1
    kinds = sorted({k for k in totals if "bad " + k in totals})
    for kind in kinds:
        print(f"{totals[kind] - totals['bad ' + kind]} of {totals[kind]} as expected: {kind}")
    count, bad = sum(totals[k] for k in kinds), sum(totals["bad " + k] for k in kinds)
    print(f"{count} programs, {count - bad} as expected, {bad} not, {totals['skipped']} skipped")
    return count > 0 and not bad


def report_wrong(cases):
    """Judges by expectations that are false; whether nothing failed."""
    judged = [(case.path, wrong, judge(case, wrong)) for case in cases
              for e in case.expectations for wrong in turn_around(e)]
    for path, wrong, problem in judged:
        if not problem:
            print(f"{path}: holds though it is false: {wrong}")
    seen = sum(bool(problem) for _, _, problem in judged)
    print(f"{seen} of {len(judged)} failures are seen")
    return seen == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--only", default="", metavar="REGEX", help="of the paths of programs")
    parser.add_argument("--numbers", action="store_true", help="compares what the programs compute")
    parser.add_argument("--wrong-numbers", action="store_true", help="makes the references of relaxed wrong")
    parser.add_argument("--known", default="", help="known differences, for norm-test-differential")
    parser.add_argument("--wrong", action="store_true",
                        help="turns the expectations around: everything must fail")
    parser.add_argument("--summary", action="store_true")
    args = parser.parse_args()
    cases = [Case(args.folder, path) for path in find_programs(args.folder, args.only)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        cases = list(pool.map(Case.run, cases))
        if args.numbers:
            scale = 1.25 if args.wrong_numbers else 1.0
            for case, problem in zip(cases, pool.map(lambda c: compare_relaxed(c, scale), cases)):
                case.numbers = problem
    differs = args.numbers and differ(cases, args.known)
    if args.summary:
        print(json.dumps({k: v for case in cases for k, v in case.summary().items()}, indent=1))
        return 0
    return 0 if (report_wrong if args.wrong else report)(cases) and not differs else 1


if __name__ == "__main__":
    sys.exit(main())
