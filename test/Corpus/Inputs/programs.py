"""Cases of a corpus, and what norm-opt makes of them."""
import json
import os
import re
import subprocess

TOSA = ("func.func(tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith,"
        "tosa-to-tensor)")
BATCH = 48  # cases a process: starting one costs more than most cases
SEPARATOR = "// -----"


def load_cases(corpus, families=""):
    with open(os.path.join(corpus, "manifest.json"), encoding="utf-8") as f:
        cases = json.load(f)
    return [{"negative_reason": None, **c} for c in cases if re.search(families, c["family"])]


def read_text(corpus, case):
    with open(os.path.join(corpus, "cases", case["id"] + ".mlir"), encoding="utf-8") as f:
        return f.read()


def is_positive(case):
    """`optional` cases are what other recognizers may leave out; not this one."""
    return case["label"] in ("positive", "optional")


def needs_tosa(case):
    return case["variant"].split("__")[0] == "tosa"


def make_batches(cases):
    """Cases that go through one pipeline together; the largest programs first."""
    kinds = {}
    for case in cases:
        kinds.setdefault((not case.get("model"), is_positive(case), needs_tosa(case)),
                         []).append(case)
    for kind, alike in sorted(kinds.items(), key=lambda item: item[0]):
        size = BATCH if kind[0] else 6
        for i in range(0, len(alike), size):
            yield alike[i : i + size]


def norm_opt(texts, passes, *options):
    """[(program, remarks)] of each text; None where the passes fail.

    Programs are printed without aliases, so that functions can be cut out of them.
    """
    source = f"\n{SEPARATOR}\n".join(texts)
    command = ["norm-opt", "-", "--split-input-file", "--mlir-print-local-scope",
               f"--pass-pipeline=builtin.module({','.join(filter(None, passes))})", *options]
    try:
        done = subprocess.run(command, input=source, text=True, capture_output=True, timeout=120)
        outputs = done.stdout.split(SEPARATOR)
        if done.returncode == 0 and len(outputs) == len(texts):
            return list(zip(outputs, split_remarks(texts, done.stderr)))
    except subprocess.TimeoutExpired:
        pass
    if len(texts) == 1:
        return [None]
    return [norm_opt([text], passes, *options)[0] for text in texts]


def split_remarks(texts, output):
    """The (kind, text) of the remarks about each text: they name lines of all texts."""
    ends, line = [], 0
    for text in texts:
        line += text.count("\n") + 2
        ends.append(line)
    remarks = [[] for _ in texts]
    for number, kind, text in re.findall(
            r"^<stdin>:(\d+):\d+: remark: \[(\w+)\].*?Remark=\"(.*)\"$", output, re.M):
        index = next(i for i, end in enumerate(ends) if int(number) <= end)
        remarks[index].append((kind, text))
    return remarks


def count_roots(text):
    return len(re.findall(r"\bmath\.r?sqrt\b|\blinalg\.r?sqrt\b|kind<r?sqrt>", text))


def count_reductions(text):
    return len(re.findall(r"iterator_types = \[[^\]]*\"reduction\"|"
                          r"linalg\.(?:reduce|\w*matmul\w*|dot|matvec|vecmat)\b", text))
