"""Runs the recogniser over a corpus of front ends' IR and counts.

    run_corpus.py CORPUS [--require REGEX] [--families REGEX] [--list] [--no-run]

Prints one line a family: found / expected / refused rightly / largest error in ulp of
the recognised programs, which are run (measure.py says how they are compared); found
means as many norms as the manifest says, with its dims, epsilon, mode and weight. Exits
1 when a family that matches --require falls short, when a recognised program gives
another result, when any negative or centred case is fused wrongly, or when a refused
program changes.
"""
import argparse
import collections
import concurrent.futures
import itertools
import json
import os
import re
import subprocess
import sys

import measure

TOSA = ("func.func(tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith,"
        "tosa-to-tensor)")


BATCH = 48  # cases a process: starting one costs more than most cases
SEPARATOR = "// -----"


def norm_opt(texts, passes):
    """What the passes make of each text; None where they fail."""
    command = ["norm-opt", "-", "--split-input-file",
               f"--pass-pipeline=builtin.module({passes})"]
    try:
        done = subprocess.run(command, input=f"\n{SEPARATOR}\n".join(texts), text=True,
                              capture_output=True, timeout=20)
        outputs = done.stdout.split(SEPARATOR)
        if done.returncode == 0 and len(outputs) == len(texts):
            return outputs
    except subprocess.TimeoutExpired:
        pass
    if len(texts) == 1:
        return [None]
    return [norm_opt([text], passes)[0] for text in texts]


def judge(batch, corpus, runner):
    """(case, found, ulp, problem) of each case; all are of one pipeline."""
    texts = []
    for case in batch:
        with open(os.path.join(corpus, "cases", case["id"] + ".mlir"), encoding="utf-8") as f:
            texts.append(f.read())
    before = TOSA if is_tosa(batch[0]) else ""
    outputs = norm_opt(texts, ",".join(filter(None, [before, "norm-recognize"])))
    suspects = [i for i, text in enumerate(outputs) if text and "norm.rmsnorm " not in text]
    plain = dict(zip(suspects, norm_opt([texts[i] for i in suspects], before))) if suspects else {}
    results = []
    for i, (case, after) in enumerate(zip(batch, outputs)):
        if after is None:
            results.append((case, None, 0.0, "failed or took over 20 s"))
            continue
        found = after.count("norm.rmsnorm ")
        expected = 0 if case["label"] in ("negative", "centred") else case["expected"]
        problem = ""
        if found == 0 and after.strip() != plain[i].strip():
            problem = "changed without a match"
        # A LayerNorm is an RMSNorm of the centred value, when a tensor holds that.
        elif found != expected and not (case["label"] == "centred" and found == 1):
            problem = f"found {found}, expected {expected}"
        elif expected:
            problem = check_attributes(case, after)
        ulp = 0.0
        if runner and expected and not problem:
            ulp, problem = runner.judge(case, after, lambda text=texts[i]: (
                norm_opt([text], before)[0] if before else text))
        results.append((case, found, ulp, problem))
    return results


def describe(line):
    """(rank, dims from the end, epsilon, mode, whether there is a weight) of an op."""
    ins = re.search(r"ins\(%\w+(, %\w+)? : tensor<([^>]*)>", line)
    rank = ins.group(2).count("x")
    dims = re.search(r"dims = \[([^\]]*)\]", line).group(1)
    mode = re.search(r"epsilon_mode =\s+(\w+)", line)
    return (rank, [int(d) - rank for d in dims.split(",")],
            float(re.search(r"epsilon = (\S+)", line).group(1)),
            mode.group(1) if mode else "inside", bool(ins.group(1)))


def is_as_expected(line, norm):
    rank, dims, epsilon, mode, has_weight = describe(line)
    placement = norm["eps_placement"]
    expected_mode = ("clamp" if "clamp" in placement else
                     "outside" if placement == "outside_root" else "inside")
    expected = norm.get("eps") or 0
    if expected_mode == "clamp":  # of the L2 norm, which is sqrt(n) times larger
        expected /= norm["n"] ** 0.5
    # A weight on groups that were collapsed before stays an op of its own.
    is_apart = "after the collapse" in norm["note"]
    return (dims == [a if a < 0 else a - rank for a in norm["axes"]]
            and mode == expected_mode
            and abs(epsilon - expected) <= 0.02 * expected  # eps was rounded to 16 bits
            and (has_weight == norm["has_weight"] or is_apart))


def check_attributes(case, text):
    lines = re.findall(r"norm\.rmsnorm (.*)", text)
    for line in lines:
        if not any(is_as_expected(line, norm) for norm in case["norms"]):
            return "wrong attributes: " + line
    return ""


def is_tosa(case):
    return case["variant"].split("__")[0] == "tosa"


def make_batches(cases):
    for tosa in (False, True):
        alike = [c for c in cases if is_tosa(c) == tosa]
        for i in range(0, len(alike), BATCH):
            yield alike[i : i + BATCH]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus")
    parser.add_argument("--require", default="^$")
    parser.add_argument("--families", default="")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--no-run", action="store_true")
    args = parser.parse_args()
    with open(os.path.join(args.corpus, "manifest.json"), encoding="utf-8") as f:
        cases = [c for c in json.load(f) if re.search(args.families, c["family"])]

    families = collections.defaultdict(collections.Counter)
    errors = collections.defaultdict(float)
    runner = None if args.no_run else measure.Runner(args.corpus)
    failed = False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        judged = pool.map(lambda b: judge(b, args.corpus, runner), make_batches(cases))
        for case, found, ulp, problem in itertools.chain.from_iterable(judged):
            count = families[case["family"]]
            count["cases"] += 1
            negative = case["label"] in ("negative", "centred")
            count["refused rightly" if negative else "expected"] += not problem if negative else 1
            if not negative:
                count["found"] += not problem
                errors[case["family"]] = max(errors[case["family"]], ulp)
            wrong = (negative or (found or 0) > case["expected"]
                     or re.search("changed|wrong|ulp|not run", problem))
            if problem and (wrong or re.search(args.require, case["family"])):
                failed = True
            if problem and (args.list or failed):
                print(f"{case['id']} ({case['label']}): {problem}")
    for family, count in sorted(families.items()):
        print(f"{count['found']:4} / {count['expected']:4} found, "
              f"{count['refused rightly']:4} refused rightly, "
              f"max ulp {errors[family]:.2f}: {family}")
    total = sum(families.values(), collections.Counter())
    print(f"{total['found']} of {total['expected']} positive cases found, "
          f"{total['refused rightly']} of {total['cases'] - total['expected']} refused rightly")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
