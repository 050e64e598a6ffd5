"""Counts the norms and gradients that norm-recognize finds in the programs around a norm.

    run_corpus2.py CORPUS2 [--part=SEED/N] [--wrong] [--no-run]

Backward graphs, neighbors of a norm and LayerNorms: of each the manifest says how many
forward RMSNorms it has, and how many gradients dx. A LayerNorm has none, but may be
found as one of the centered value: never of an argument. Of a backward graph nothing
else may be left: no root of a statistic, and dw in the op of its dx. What is compiled
gives the stored results. Exits 1 on any difference; --wrong expects one norm or gradient
more of each, so that every program must differ.
"""
import json
import re
import sys

import numpy as np

import measure
from normtest import pick
from programs import TOSA, count_roots, norm_opt

LIMIT = {"f64": 4, "f32": 4, "f16": 2, "bf16": 2}  # ulp at the row's largest value
CLEAN = "canonicalize,cse"

# A dw that is wrong does not make dx so, and the mean of a sum is a true sum, divided.
WRONG_DW = {"negbwd_dw_g_f32__tml": (1, 0), "negbwd_dw_mean_f32__tml": (1, 1),
            "negbwd_dw_no_r_f32__tml": (1, 0)}
# Each of two terms is rounded before they are added; only `relaxed` adds them in f32.
RELAXED = {"bwd_noweight_bf16__joint", "bwd_t5_f16__joint"}
# The partition passes r twice, as two arguments that nothing says are equal.
TWO_ROOTS = {"bwd_frms_bf16__aotd": "wrong-exponent", "bwd_llama_f32__aotd": "wrong-exponent"}
REASONS = {
    "negbwd_dw_g_f32__tml": "different-tensor", "negbwd_dw_no_r_f32__tml": "wrong-exponent",
    "negbwd_mean_sub_f32__tml": "not-a-gradient", "negbwd_proj_cols_f32__tml": "different-tensor",
    "negbwd_proj_dy_f32__tml": "different-tensor", "negbwd_r_once_more_f32__tml": "wrong-exponent",
    "negbwd_sum_proj_f32__tml": "wrong-divisor", "negbwd_wrong_n_f32__tml": "wrong-divisor",
    "negbwd_weight_twice_bf16__tml": "weight-not-representable",
    "negbwd_weight_twice_f32__tml": "weight-not-representable",
    **{name: "rounding-not-representable" for name in RELAXED}, **TWO_ROOTS}

WRONG = "--wrong" in sys.argv


def judge_forward(case, after):
    is_rms = case.get("kind") == "rms"
    found = len(re.findall(r"norm\.rmsnorm ins\(" + ("" if is_rms else "%arg"), after))
    expected = case.get("norms_forward", case["expected"]) if is_rms else 0
    # The op of the gradients computes z itself, so only a norm that is a result is left.
    fewest = 0 if case["group"] == "backward" else expected
    if fewest <= found <= expected and not WRONG:
        return ""
    return f"found {found} norms, expected {expected}"


def judge_backward(case, after, remarks):
    """What is wrong with the gradients of an RMSNorm that were found."""
    ops = re.findall(r"norm\.rmsnorm_backward .*", after)
    dx = sum(" dx(" in op for op in ops)
    both = sum(" dx(" in op and " dw(" in op for op in ops)
    expected = case["norms_backward"]
    if case["id"] in WRONG_DW:
        expected, with_dw = WRONG_DW[case["id"]]
    else:
        has_weight = any("dw" in name and "per row" not in name for name in case["results"])
        with_dw = expected if has_weight else 0
    if case["id"] in TWO_ROOTS:
        expected = with_dw = 0
    reasons = [re.search(r"\(([\w-]+)\)", text).group(1) for kind, text in remarks
               if kind == "Missed"]
    wanted = [REASONS[case["id"]]] if case["id"] in REASONS else []
    if (dx, both) != (expected + WRONG, with_dw):
        return f"found {dx} gradients, {both} of them with dw, expected {expected}, {with_dw}"
    if case["id"] not in RELAXED and reasons != wanted:
        return f"rejected with {reasons}, expected {wanted}"
    return ""


def judge(case, text):
    """(the recognized program, what is wrong with it)"""
    tosa = TOSA if "tosa." in text else ""
    is_gradient = case["group"] == "backward" and case["kind"] == "rms"
    mode = "{rounding=relaxed}" if case["id"] in RELAXED else ""
    if mode:
        by_default = norm_opt([text], [tosa, "norm-recognize"], "--remarks-filter=norm.*")[0]
        if not any("rounding=relaxed computes" in remark for _, remark in by_default[1]):
            return None, "default does not reject it"
    found = norm_opt([text], [tosa, "norm-recognize" + mode], "--remarks-filter=norm.*")[0]
    if not found:
        return None, "norm-opt fails"
    after, remarks = found
    problem = judge_forward(case, after)
    if is_gradient and not WRONG:
        problem = problem or judge_backward(case, after, remarks)
    if is_gradient and WRONG:
        problem = judge_backward(case, after, remarks)
    if not problem and is_gradient and case["label"] == "positive" and \
            case["id"] not in TWO_ROOTS:
        clean = norm_opt([measure.embed_resources(after, text)], [CLEAN])[0]
        if count_roots(clean[0]):
            problem = "a root of a statistic is left"
    return after, problem


def run(case, corpus, function):
    inputs = [measure.load(f"{corpus}/{name}")[0] for name in case["inputs_files"]]
    expected = [measure.load(f"{corpus}/{name}") for name in case["expected_files"]]
    outputs = [np.zeros_like(stored) for stored, _, _ in expected]
    measure.call(function, inputs, outputs)
    for index, (out, (_, values, kind)) in enumerate(zip(outputs, expected)):
        actual = measure.widen(out).astype(np.float64)
        ulp = measure.count_ulp(actual, values, kind, by_row=True)
        if not ulp <= LIMIT[kind]:
            return f"result {index} is {ulp:.3g} ulp off"
    return ""


def main():
    folder = sys.argv[1]
    with open(f"{folder}/manifest.json") as file:
        cases = pick(json.load(file), next((a[7:] for a in sys.argv if a.startswith("--part=")), ""))
    problems, recognized = {}, {}
    for case in cases:
        with open(f"{folder}/cases/{case['id']}.mlir") as file:
            after, problem = judge(case, file.read())
        if problem:
            problems[case["id"]] = problem
        elif "norm.rmsnorm_backward" in after:
            recognized[case["id"]] = after
    compiled = {} if "--no-run" in sys.argv else measure.compile_all(recognized.values())
    for case in cases:
        if recognized.get(case["id"]) in compiled:
            function, problem = compiled[recognized[case["id"]]]
            problem = problem or run(case, folder, function)
            if problem:
                problems[case["id"]] = problem
    if not WRONG:
        for name, problem in problems.items():
            print(f"{name}: {problem}")
    print(f"{len(cases)} programs, {len(problems)} differ; {len(compiled)} with gradients run")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
