"""Random spellings of RMSNorm must be recognized; mutations of them must not.

    run.py [--seed N] [--programs N] [--mutants N] [--exact N] [--backward]
    run.py --seed N --print NAME   one program, NAME as in a failure (f12, m12, e12, e12i,
                                   and of backward passes b12 or n12)

Every program is recognized after a random subset of upstream's passes and must
give one norm.rmsnorm with the attributes of its specification; compiled, it is
compared with f64. Every mutant must come out of the recognizer byte for byte as
it went in. With rounding=exact, programs are found, and rejected with one step that is
right but not to the last bit. What a program means is computed in f64 from its text's
ops, so that a mutant that changes nothing, or a program that is no RMSNorm, is an error
too.
"""
import argparse
import collections
import concurrent.futures
import ctypes
import os
import random
import re
import subprocess
import sys
import tempfile

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../Inputs"))
import backward  # noqa: E402
from grammar import INEXACT, MUTATIONS, Program  # noqa: E402
from normtest import NUMPY, call, store, widen  # noqa: E402

PASSES = ["linalg-generalize-named-ops", "linalg-fuse-elementwise-ops", "canonicalize", "cse",
          "linalg-specialize-generic-ops", "linalg-fold-unit-extent-dims", "math-uplift-to-fma"]
BATCH = 25  # functions a module


def make(name, seed):
    """The program called `name`: f for a spelling, m for a mutant, e for one that is
    exact, and then i for what it is with a step that is not; b and n are f and m of the
    backward pass."""
    if name[0] == "b":
        return backward.Backward(name, random.Random(f"{seed}-{name}"))
    if name[0] == "f":
        return Program(name, random.Random(f"{seed}-{name}"))
    if name[0] == "e":
        number = name[1:].rstrip("i")
        step = INEXACT[int(number) % len(INEXACT)] if name.endswith("i") else ""
        return Program(name, random.Random(f"{seed}-e{number}"), inexact=step)
    kind, table = (backward.Backward, backward.MUTATIONS) if name[0] == "n" else (Program, MUTATIONS)
    mutations = list(table)
    mutation = mutations[int(name[1:]) % len(mutations)]
    # Values may hide a mutation: a row that is short may have the mean 0.
    for attempt in ["", "-again", "-once more"]:
        program = kind(name, random.Random(f"{seed}-{name}{attempt}"), mutation)
        if program.is_changed():
            break
    return program


def choose_passes(seed, names):
    rng = random.Random(f"{seed}-{names[0]}-passes")
    if rng.random() < 0.25:
        return []
    return [rng.choice(PASSES) for _ in range(rng.randint(1, 4))]


def norm_opt(text, passes, *options):
    pipeline = f"builtin.module(func.func({','.join(passes)}))" if passes else "builtin.module()"
    return subprocess.run(["norm-opt", "-", f"--pass-pipeline={pipeline}", *options],
                          input=text, text=True, capture_output=True)


def failure(done, passes):
    error = re.search(r"error:.*", done.stderr)
    return f"norm-opt exits {done.returncode}: {error and error.group(0)} [{','.join(passes)}]"


def functions(text):
    """Text of each function by its name."""
    parts = re.split(r"(?=^  func\.func @)", text, flags=re.M)[1:]
    return {re.match(r"  func\.func @(\w+)", p).group(1): p for p in parts}


def attributes(spec, line):
    """What is wrong with the norm.rmsnorm in `line`; empty if nothing."""
    def find(pattern):
        found = re.search(pattern, line)
        return found.group(1) if found else None
    operands = re.search(r"ins\(%[\w#]+(, %[\w#]+)? : tensor<([^>]*)>(?:, tensor<([^>]*)>)?", line)
    extents = operands.group(2).split("x")[:-1]
    listed = lambda text: [int(d) for d in text.split(",")] if text and text.strip() else []
    pick = lambda dims: [extents[d] for d in dims]
    size = lambda dims: ["?" if d in spec.dynamic else str(spec.shape[d]) for d in dims]
    # Dimensions of extent 1 may have been folded away: the extents tell which are meant.
    folded = len(extents) != len(spec.shape)
    same = lambda got, want: pick(got) == size(want) if folded else got == list(want)
    dims = listed(find(r" dims = \[([^\]]*)\]"))
    wrong = []
    if not same(dims, spec.dims):
        wrong.append(f"dims {dims}, expected {spec.dims}")
    epsilon = float(find(r" epsilon = (\S+)"))
    if not np.isclose(epsilon, spec.epsilon, rtol=3e-7, atol=0):
        wrong.append(f"epsilon {epsilon}, expected {spec.epsilon}")
    mode = find(r"epsilon_mode =\s+(\w+)") or "inside"
    if mode != spec.mode and spec.epsilon:
        wrong.append(f"epsilon_mode {mode}, expected {spec.mode}")
    if spec.factor != 1.0:  # a scalar weight, or an op beside the norm
        if operands.group(1) and find(r"weight_dims = \[([^\]]*)\]") != "":
            wrong.append("a weight that is no scalar")
    elif bool(operands.group(1)) != (spec.weight is not None):
        wrong.append(f"weight {bool(operands.group(1))}, expected {spec.weight}")
    elif spec.weight is not None:
        text = find(r"weight_dims = \[([^\]]*)\]")
        weight = dims if text is None else listed(text)
        units = [d for d in spec.weight if not (folded and spec.shape[d] == 1)]
        if not same(weight, units):
            wrong.append(f"weight_dims {weight}, expected {spec.weight}")
    element = extents and operands.group(2).split("x")[-1] or operands.group(2)
    compute = find(r"compute_type = (\w+)") or ("f32" if "16" in element else element)
    if compute != spec.compute:
        wrong.append(f"compute_type {compute}, expected {spec.compute}")
    for name, expected in (("normalized_type", spec.normalized),
                           ("scale_type", spec.element if spec.scale else None),
                           ("count", spec.count and str(spec.count))):
        found = find(name + r" = (\w+)")
        if found != expected:
            wrong.append(f"{name} {found}, expected {expected}")
    if spec.extra == "inv_rms" and not re.search(r"outs\(%[\w#]+, %", line):
        wrong.append("the program's r is not inv_rms")
    return ", ".join(wrong)


def judge_recognized(program, text):
    if isinstance(program, backward.Backward):
        return backward.judge(program, text)
    if not program.function.results or program.is_changed():
        return "the generator's program is no RMSNorm"
    lines = re.findall(r"norm\.rmsnorm .*", text)
    if len(lines) != (2 if program.spec.extra == "twin" else 1):
        return f"{len(lines)} norms found"
    return "; ".join(filter(None, (attributes(program.spec, line) for line in lines)))


# Execution.

def execute(library, program):
    """The compiled program's results on its inputs, as f64."""
    arrays = [store(a, e).reshape(np.shape(a)) for _, _, a, e in program.function.arguments]
    results = [np.zeros(r.shape, NUMPY[r.value.element]) for r in program.function.results]
    call(library[f"_mlir_ciface_{program.name}"], *arrays, *results)
    return [widen(r).astype(np.float64) for r in results]


def compile_module(text):
    directory = tempfile.mkdtemp()
    path = os.path.join(directory, "programs.so")
    done = subprocess.run(["norm-compile", "-", "--emit=shared", "--mcpu=native", "-o", path],
                          input=text, text=True, capture_output=True)
    if done.returncode:
        return None, done.stderr[:500]
    try:
        return ctypes.CDLL(path), ""
    except OSError as error:
        return None, str(error)
    finally:
        os.unlink(path)
        os.rmdir(directory)


# Modules.

def spellings(seed, names):
    """(name, problem, ulp of each element type) of each."""
    programs = [make(n, seed) for n in names]
    passes = choose_passes(seed, names)
    text = "".join(p.function.text() for p in programs)
    # A norm whose extents alone are asked for goes with canonicalize.
    done = norm_opt(text, passes + ["norm-recognize", "canonicalize"])
    if done.returncode:
        return [(n, failure(done, passes), {}) for n in names]
    texts = functions(done.stdout)
    library, error = compile_module(done.stdout)
    results = []
    for p in programs:
        problem = judge_recognized(p, texts[p.name])
        worst = {}
        if error:
            problem = problem or "norm-compile failed: " + error
        else:
            worst, too_large = p.errors(execute(library, p))
            if too_large:
                problem += f" ulp from f64: {worst}"
        if problem:
            problem += f" [{','.join(passes)}]"
        results.append((p.name, problem, worst))
    return results


def only_without_weight(text):
    operands = re.findall(r"norm\.rmsnorm ins\(([^:]*):", text)
    return bool(operands) and not any("," in o for o in operands)


def mutants(seed, names):
    """(name, problem, mutation) of each, and how often each reason was given."""
    programs = [make(n, seed) for n in names]
    passes = choose_passes(seed, names)
    text = "".join(p.function.text() for p in programs)
    plain = norm_opt(text, passes)
    done = norm_opt(text, passes + ["norm-recognize"], "--remarks-filter=norm.*")
    if done.returncode or plain.returncode:
        return [(n, failure(done, passes), None) for n in names], {}
    before, after = functions(plain.stdout), functions(done.stdout)
    # Beside a function that was taken for an RMSNorm maps have other numbers.
    if "norm.rmsnorm" in done.stdout:
        before, after = ({n: re.sub(r"#map\d*", "#map", t) for n, t in texts.items()}
                         for texts in (before, after))
    results = []
    for p in programs:
        problem = ""
        if not p.is_changed():
            problem = "the mutation changes nothing"
        elif isinstance(p, backward.Backward):
            if backward.is_taken(p, after[p.name]):
                problem = f"'{p.mutation}' was taken for a backward pass"
        elif p.mutation == "weight axis" and only_without_weight(after[p.name]):
            pass  # also right: the norm alone, and the product in an op of its own
        elif "norm.rmsnorm" in after[p.name]:
            problem = f"'{p.mutation}' was taken for an RMSNorm"
        elif before[p.name] != after[p.name]:
            problem = "changed without a match"
        if problem:
            problem += f" [{','.join(passes)}]"
        results.append((p.name, problem, p.mutation))
    reasons = collections.Counter(re.findall(r"\((not-[\w-]+|\w+-\w+[\w-]*)\)", done.stderr))
    return results, reasons


def exacts(seed, names):
    """(name, problem) of each in rounding=exact, and with a step that is not exact."""
    programs = [make(n + suffix, seed) for n in names for suffix in ("", "i")]
    passes = choose_passes(seed, names)
    text = "".join(p.function.text() for p in programs)
    plain = norm_opt(text, passes)
    done = norm_opt(text, passes + ["norm-recognize{rounding=exact}"])
    if done.returncode or plain.returncode:
        return [(n, failure(done, passes)) for n in names]
    # Beside a function that was taken for an RMSNorm maps have other numbers.
    before, after = ({n: re.sub(r"#map\d*", "#map", t) for n, t in functions(of.stdout).items()}
                     for of in (plain, done))
    results = []
    for p in programs:
        problem = ""
        if p.is_changed():
            problem = "the generator's program is no RMSNorm"
        elif p.inexact and before[p.name] != after[p.name]:
            problem = f"'{p.inexact}' was taken for exact"
        elif not p.inexact and after[p.name].count("norm.rmsnorm ") != 1:
            problem = "exact, but not found"
        results.append((p.name, problem and problem + f" [{','.join(passes)}]"))
    return results


def report(seed, failures):
    for name, problem in failures:
        print(f"{name}: {problem}\n    to see it: run.py --seed {seed} --print {name}")


def swap_expectations(seed, spelling, mutant):
    """Judges mutants as spellings and spellings as mutants: each must be a failure."""
    failed = [p for _, p, *_ in spellings(seed, [f"{mutant}{i}" for i in range(BATCH)])]
    failed += [p for _, p, *_ in mutants(seed, [f"{spelling}{i}" for i in range(BATCH)])[0]]
    print(f"{sum(map(bool, failed))} of {len(failed)} failures are seen")
    return 1 if any(failed) else 0


def main():
    np.seterr(all="ignore")  # mutants may divide by zero
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", type=int, default=500)
    parser.add_argument("--mutants", type=int, default=500)
    parser.add_argument("--exact", type=int, default=100)
    parser.add_argument("--backward", action="store_true", help="backward passes")
    parser.add_argument("--print", dest="show", metavar="NAME")
    parser.add_argument("--wrong", action="store_true",
                        help="turns the expectations around: everything must fail")
    args = parser.parse_args()
    spelling, mutant = ("b", "n") if args.backward else ("f", "m")
    if args.wrong:
        # What is expected of a spelling is asked of mutants, and the reverse.
        return swap_expectations(args.seed, spelling, mutant)
    if args.show:
        program = make(args.show, args.seed)
        print(f"// {program.spec}, mutation: {program.mutation}")
        print(program.function.text())
        return 0
    batches = lambda kind, count: [[f"{kind}{i}" for i in range(b, min(b + BATCH, count))]
                                   for b in range(0, count, BATCH)]
    worst, failures, rejected, recognized = collections.Counter(), [], 0, 0
    reasons = collections.Counter()
    with concurrent.futures.ProcessPoolExecutor(min(os.cpu_count(), 2)) as pool:
        found = [pool.submit(spellings, args.seed, b) for b in batches(spelling, args.programs)]
        kept = [pool.submit(mutants, args.seed, b) for b in batches(mutant, args.mutants)]
        exact = [pool.submit(exacts, args.seed, b) for b in batches("e", 0 if args.backward else args.exact)]
        for name, problem, errors in (r for f in found for r in f.result()):
            recognized += not problem
            worst.update({kind: max(e, worst[kind]) - worst[kind] for kind, e in errors.items()})
            failures += [(name, problem)] if problem else []
        for future in kept:
            results, why = future.result()
            reasons += why
            for name, problem, _ in results:
                rejected += not problem
                failures += [(name, problem)] if problem else []
        in_exact = [r for future in exact for r in future.result()]
        failures += [r for r in in_exact if r[1]]
    report(args.seed, failures)
    print(f"reasons: {', '.join(f'{r} {n}' for r, n in sorted(reasons.items()))}")
    for element in sorted(filter(None, worst)):
        print(f"{element}: worst {worst[element]:.3g} ulp")
    if in_exact:
        print(f"rounding=exact: {sum(not problem for _, problem in in_exact)} of {len(in_exact)} as they must be")
    print(f"seed {args.seed}: {args.programs} programs, {recognized} recognized and right; "
          f"{args.mutants} mutants, {rejected} rejected")
    return 1 if failures or not args.programs or not args.mutants else 0


if __name__ == "__main__":
    sys.exit(main())
