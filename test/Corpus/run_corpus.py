"""Runs the recogniser over a corpus of front ends' IR and counts.

    run_corpus.py CORPUS [--require REGEX] [--families REGEX] [--list]

Prints one line a family: found / expected / refused rightly, of all its cases.
Exits 1 when a family that matches --require falls short, when any negative or
centred case is fused wrongly, or when a refused program changes.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys

TOSA = ("func.func(tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith,"
        "tosa-to-tensor)")


def norm_opt(path, passes):
    command = ["norm-opt", path, f"--pass-pipeline=builtin.module({passes})"]
    done = subprocess.run(command, text=True, capture_output=True, timeout=120)
    return done.stdout if done.returncode == 0 else None, done.stderr


def judge(case, corpus):
    path = os.path.join(corpus, "cases", case["id"] + ".mlir")
    tosa = TOSA if case["variant"].split("__")[0] == "tosa" else ""
    after, errors = norm_opt(path, ",".join(filter(None, [tosa, "norm-recognize"])))
    if after is None:
        return case, None, "failed: " + errors.splitlines()[0]
    found = after.count("norm.rmsnorm ")
    expected = 0 if case["label"] in ("negative", "centred") else case["expected"]
    if found == 0 and after != norm_opt(path, tosa)[0]:
        return case, found, "changed without a match"
    # A LayerNorm is an RMSNorm of the centred value, when a tensor holds that.
    if found == expected or (case["label"] == "centred" and found == 1):
        return case, found, ""
    return case, found, f"found {found}, expected {expected}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus")
    parser.add_argument("--require", default="^$")
    parser.add_argument("--families", default="")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    with open(os.path.join(args.corpus, "manifest.json"), encoding="utf-8") as f:
        cases = [c for c in json.load(f) if re.search(args.families, c["family"])]

    families = collections.defaultdict(collections.Counter)
    failed = False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for case, found, problem in pool.map(lambda c: judge(c, args.corpus), cases):
            count = families[case["family"]]
            count["cases"] += 1
            negative = case["label"] in ("negative", "centred")
            count["refused rightly" if negative else "expected"] += not problem if negative else 1
            if not negative:
                count["found"] += not problem
            wrong = negative or (found or 0) > case["expected"] or "changed" in problem
            if problem and (wrong or re.search(args.require, case["family"])):
                failed = True
            if problem and (args.list or failed):
                print(f"{case['id']} ({case['label']}): {problem}")
    for family, count in sorted(families.items()):
        print(f"{count['found']:4} / {count['expected']:4} found, "
              f"{count['refused rightly']:4} refused rightly, of {count['cases']:4}: {family}")
    total = sum(families.values(), collections.Counter())
    print(f"{total['found']} of {total['expected']} positive cases found, "
          f"{total['refused rightly']} of {total['cases'] - total['expected']} refused rightly")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
