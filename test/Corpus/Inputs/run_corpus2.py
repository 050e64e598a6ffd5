"""Counts the norms that norm-recognize finds in the programs around a norm.

    run_corpus2.py CORPUS2 [--wrong]

Backward graphs, neighbors of a norm and LayerNorms: of each the manifest says how many
forward RMSNorms it has. A LayerNorm has none, but may be found as one of the centered
value: never of an argument. Exits 1 on any difference; --wrong expects one norm more of
each, so that every program must differ.
"""
import json
import re
import sys

from programs import TOSA, norm_opt


def judge(case, after):
    """What is wrong with what became of a program; empty if nothing."""
    is_rms = case.get("kind") == "rms"
    found = len(re.findall(r"norm\.rmsnorm ins\(" + ("" if is_rms else "%arg"), after))
    expected = case.get("norms_forward", case["expected"]) if is_rms else 0
    return "" if found == expected + WRONG else f"found {found}, expected {expected}"


WRONG = "--wrong" in sys.argv


def main():
    folder = sys.argv[1]
    with open(f"{folder}/manifest.json") as file:
        cases = json.load(file)
    problems = 0
    for case in cases:
        with open(f"{folder}/cases/{case['id']}.mlir") as file:
            text = file.read()
        after = norm_opt([text], [TOSA if "tosa." in text else "", "norm-recognize"])[0]
        problem = judge(case, after[0]) if after else "norm-opt fails"
        problems += bool(problem)
        if problem and not WRONG:
            print(f"{case['id']}: {problem}")
    print(f"{len(cases)} programs, {problems} differ")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
