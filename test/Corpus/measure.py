"""Runs recognised programs and compares them with the frameworks' results.

Errors are counted in ulp of the type that the values were computed in (an f64
result of f32 arithmetic in ulp of f32), element by element. Where the program adds
after the norm (a bias, a residual, 1 + w, a matrix product), an element may be a
small difference of large terms, and no count at its own magnitude means anything:
there the unit is the ulp at the largest value of the element's row, and each norm of the
program may be off by the limit. What is farther off still may be at most the limit
farther from the framework than the unfused program that upstream's passes alone
compile: where front ends accumulate in 16 bits, drop an epsilon or round one, the
meaning of the IR is what counts.
"""
import os
import re
import subprocess
import tempfile

import numpy

FORMATS = {"f64": (53, -1022), "f32": (24, -126), "f16": (11, -14), "bf16": (8, -126)}
LIMIT = {"f64": 4, "f32": 4, "f16": 1, "bf16": 1}  # 16 bits: equal, or the neighbour


def load(path):
    """Values as f64, and their type; bf16 is stored as bit patterns."""
    values = numpy.load(path)
    if values.dtype == numpy.uint16:
        bits = values.astype(numpy.uint32) << 16
        return bits.view(numpy.float32).astype(numpy.float64), "bf16"
    names = {"float64": "f64", "float32": "f32", "float16": "f16"}
    return values.astype(numpy.float64), names.get(values.dtype.name, values.dtype.name)


def get_ulp(magnitude, kind):
    precision, least = FORMATS[kind]
    with numpy.errstate(divide="ignore"):
        exponent = numpy.floor(numpy.log2(magnitude))
    return numpy.exp2(numpy.maximum(exponent, least) - (precision - 1))


def count_ulp(actual, expected, kind, by_row):
    """The largest error; infinite where one is finite and the other is not."""
    if actual.shape != expected.shape:
        return numpy.inf
    if not actual.size:
        return 0.0
    same = (actual == expected) | (numpy.isnan(actual) & numpy.isnan(expected))
    if not (numpy.isfinite(actual) | same).all() or not (numpy.isfinite(expected) | same).all():
        return numpy.inf
    magnitude = numpy.where(numpy.isfinite(expected), abs(expected), 0)
    if by_row and magnitude.ndim:
        magnitude = magnitude.max(axis=-1, keepdims=True) + 0 * magnitude
    with numpy.errstate(invalid="ignore"):
        error = abs(actual - expected) / get_ulp(magnitude, kind)
    return float(numpy.where(same, 0, error).max())


def adds_after_norm(text):
    """Whether a recognised program adds: the norm itself no longer shows a sum."""
    return bool(re.search(r"arith\.(addf|subf)|elementwise_kind<(add|sub)>|"
                          r"linalg\.(\w*mat\w*|dot|conv\w*|add|sub)\b", text))


class Runner:
    """Runs a program once for all cases that were recognised as the same one."""

    def __init__(self, corpus):
        self.corpus = corpus
        self.known = {}

    def run(self, text, inputs, num_results, pipeline="cpu"):
        key = (text, tuple(inputs), pipeline)
        if key not in self.known:
            self.known[key] = self.run_uncached(text, inputs, num_results, pipeline)
        return self.known[key]

    def run_uncached(self, text, inputs, num_results, pipeline):
        function = re.search(r"func\.func (?:public )?@(\w+)", text).group(1)
        with tempfile.TemporaryDirectory() as folder:
            outputs = [os.path.join(folder, f"{i}.npy") for i in range(num_results)]
            command = ["norm-run", "-", "--function=" + function, "--pipeline=" + pipeline]
            command += [f"--input=@{os.path.join(self.corpus, name)}" for name in inputs]
            command += [f"--output=@{name}" for name in outputs]
            try:
                done = subprocess.run(command, input=text, text=True, capture_output=True,
                                      timeout=60)
            except subprocess.TimeoutExpired:
                return None, "took over 60 s"
            if done.returncode:
                lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
                return None, lines[0]
            return [load(name)[0] for name in outputs], ""

    def compare(self, case, text, by_row, pipeline="cpu"):
        """([(ulp, limit)] of each result, problem)."""
        results, problem = self.run(text, case["inputs_files"], len(case["expected_files"]),
                                    pipeline)
        if problem:
            return [], "does not run: " + problem
        norms = case["expected"] if by_row else 1
        errors = []
        for actual, name in zip(results, case["expected_files"]):
            expected, kind = load(os.path.join(self.corpus, name))
            if kind not in FORMATS:  # integers and booleans
                errors.append((0.0 if (actual == expected).all() else numpy.inf, 0))
                continue
            if kind == "f64" and all(norm["accumulation"] == "f32" for norm in case["norms"]):
                kind = "f32"
            errors.append((count_ulp(actual, expected, kind, by_row), norms * LIMIT[kind]))
        return errors, ""

    def judge(self, case, recognised, get_unfused):
        """(largest error in ulp, problem)."""
        by_row = adds_after_norm(recognised)
        errors, problem = self.compare(case, recognised, by_row)
        if not problem and any(not ulp <= limit for ulp, limit in errors):
            others, problem = self.compare(case, get_unfused(), by_row, "upstream")
            errors = [(max(0.0, ulp - other), limit)
                      for (ulp, limit), (other, _) in zip(errors, others)]
        if problem:
            return numpy.inf, problem
        for index, (ulp, limit) in enumerate(errors):
            if not ulp <= limit:
                return ulp, f"result {index} is {ulp:.3g} ulp off, limit {limit}"
        return max((ulp for ulp, _ in errors), default=0.0), ""
