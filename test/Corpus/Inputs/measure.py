"""Compiles recognized programs, runs them and compares their results.

Errors are counted in ulp of the type that the values were computed in (an f64 result
of f32 arithmetic in ulp of f32), element by element. Where the program adds after the
norm (a bias, a residual, a matrix product), an element may be a small difference of
large terms, and no count at its own magnitude means anything: there the unit is the
ulp at the largest value of the element's row, and each norm of the program may be off
by the limit. A whole model that is farther from the framework than that is compared
with the unfused program, which upstream's passes compile.
"""
import ctypes
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Inputs"))
import model  # noqa: E402
import normtest  # noqa: E402
from normtest import get_errors, get_ulp, widen  # noqa: E402

LIMIT = {"f64": 4, "f32": 4, "f16": 1, "bf16": 1}  # 16 bits: equal, or the neighbor
NAMES = {"float64": "f64", "float32": "f32", "float16": "f16", "uint16": "bf16"}
CHUNK = 12  # functions that one process compiles


def load(path):
    """(values as stored, as f64, their type); bf16 is stored as bit patterns."""
    values = np.load(path)
    return values, widen(values).astype(np.float64), NAMES.get(values.dtype.name, values.dtype.name)


def count_ulp(actual, expected, kind, by_row):
    """The largest error; infinite where one is finite and the other is not."""
    if actual.shape != expected.shape:
        return np.inf
    actual, expected = (np.asarray(values, np.float64) for values in (actual, expected))
    errors = get_errors(actual, expected, kind)
    if by_row and expected.ndim:
        largest = np.where(np.isfinite(expected), abs(expected), 0).max(axis=-1, keepdims=True)
        errors *= get_ulp(expected, kind) / get_ulp(largest, kind)
    return float(errors.max(initial=0))


def adds_after_norm(text):
    """Whether a recognized program adds: the norm itself no longer shows a sum."""
    return bool(re.search(r"arith\.(addf|subf)|elementwise_kind<(add|sub)>|"
                          r"linalg\.(\w*mat\w*|dot|conv\w*|add|sub)\b", text))


# Execution.

def cut_function(text, name):
    """The only function of a printed module under another name; None for others."""
    found = re.search(r"^module[^\n]*\{\n(.*)^\}\s*\Z", text.strip() + "\n", re.S | re.M)
    if not found or len(re.findall(r"\bfunc\.func\b", text)) != 1 or "{-#" in text:
        return None
    return re.sub(r"func\.func (?:public )?@\w+", f"func.func @{name}", found.group(1), count=1)


def get_function_name(text):
    return re.search(r"func\.func (?:public )?@(\w+)", text).group(1)


def compile_library(text, options):
    """A loaded shared object; None where it does not compile."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.so")
        try:
            done = subprocess.run(["norm-compile", "-", "--emit=shared", "--mcpu=native",
                                   "-o", path, *options],
                                  input=text, text=True, capture_output=True, timeout=300)
        except subprocess.TimeoutExpired:
            return None, "took over 300 s to compile"
        if done.returncode:
            return None, "does not compile: " + (done.stderr.strip().splitlines() or ["?"])[0]
        try:
            return ctypes.CDLL(path), ""
        except OSError as error:
            return None, f"cannot be loaded: {str(error).split(': ', 1)[-1]}"


def embed_resources(text, original):
    """Constants that the original program holds as blobs at its end, in place: a
    printed program without aliases has no such end."""
    blobs = dict(re.findall(r'^\s*([\w.]+): "0x(\w+)"', original, re.M))
    # The first four bytes are the blob's alignment.
    return re.sub(r"dense_resource<([\w.]+)>",
                  lambda found: f'dense<"0x{blobs[found.group(1)][8:]}">', text)


def compile_all(texts, options=()):
    """{text: (function or None, problem)}, several texts a process."""
    compiled = {}
    distinct = list(dict.fromkeys(texts))
    cut = {f"p{i}": cut_function(text, f"p{i}") for i, text in enumerate(distinct)}
    together = [name for name, body in cut.items() if body]
    for i in range(0, len(together), CHUNK):
        chunk = together[i : i + CHUNK]
        library, _ = compile_library("\n".join(cut[name] for name in chunk), options)
        for name in chunk if library else ():
            compiled[distinct[int(name[1:])]] = (library[f"_mlir_ciface_{name}"], "")
    for text in distinct:
        if text not in compiled:
            library, problem = compile_library(text, options)
            function = library and library[f"_mlir_ciface_{get_function_name(text)}"]
            compiled[text] = (function, problem)
    return compiled


def call(function, inputs, outputs):
    arrays = [np.ascontiguousarray(a).reshape(a.shape) for a in inputs] + outputs
    normtest.call(function, *arrays)


# Comparison.

def get_result_type(norms, kind):
    """The type whose ulp count: f32 arithmetic may be stored wider."""
    narrow = kind == "f64" and all(norm["accumulation"] == "f32" for norm in norms)
    return "f32" if narrow else kind


def run_upstream(original, inputs, num_results):
    """The results of a program that upstream's passes compile, as stored."""
    with tempfile.TemporaryDirectory() as folder:
        outputs = [os.path.join(folder, f"{i}.npy") for i in range(num_results)]
        command = ["norm-run", "-", "--function=" + get_function_name(original),
                   "--pipeline=upstream", *(f"--input=@{name}" for name in inputs),
                   *(f"--output=@{name}" for name in outputs)]
        done = subprocess.run(command, input=original, text=True, capture_output=True)
        return [load(name)[1] for name in outputs] if done.returncode == 0 else None


def compare(case, norms, corpus, original, recognized, function, factor=1):
    """(largest error in ulp, problem) of one compiled case with these norms; `factor`
    widens the limit."""
    inputs = [load(os.path.join(corpus, name)) for name in case["inputs_files"]]
    expected = [load(os.path.join(corpus, name)) for name in case["expected_files"]]
    outputs = [np.zeros_like(stored) for stored, _, _ in expected]
    call(function, [stored for stored, _, _ in inputs], outputs)
    references = [values for _, values, _ in expected]
    if model.applies(case, norms):
        references = model.evaluate(norms[0], case["compute_dtype"],
                                    [values for _, values, _ in inputs],
                                    embed_resources(original, original))
    if case.get("wrong_results"):
        references = [1.01 * values for values in references]
    by_row = adds_after_norm(recognized)
    factor *= max(1, case["expected"]) if by_row else 1
    worst, problem = judge(references, outputs, expected, norms, by_row, factor)
    if problem and case["expected"] > 1:
        names = [os.path.join(corpus, name) for name in case["inputs_files"]]
        references = run_upstream(original, names, len(outputs))
        if references:
            worst, problem = judge(references, outputs, expected, norms, by_row, factor)
    return worst, problem


def judge(references, outputs, expected, norms, by_row, factor):
    """(largest error in ulp, problem) of all results."""
    worst = 0.0
    for index, (out, reference, (_, _, kind)) in enumerate(zip(outputs, references, expected)):
        if kind not in LIMIT:  # integers and booleans
            if not (out == reference).all():
                return np.inf, f"result {index} differs"
            continue
        actual = widen(out).astype(np.float64)
        ulp = count_ulp(actual, reference, get_result_type(norms, kind), by_row)
        worst = max(worst, ulp)
        if not ulp <= factor * LIMIT[kind]:
            return ulp, f"result {index} is {ulp:.3g} ulp off, limit {factor * LIMIT[kind]}"
    return worst, ""
