"""The expanded models of ONNX's RMSNormalization-23 against their stored data.

The corpus holds each model as linalg, from one importer or two; here every one of
them runs through norm-run on the tensors of ONNX's own backend test.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy

FLOAT = 1  # TensorProto.DataType


def read_varint(data, at):
    value, shift = 0, 0
    while True:
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            return value, at


def read_tensor(path):
    """A TensorProto: dims = 1, data_type = 2, raw_data = 9; the fields are few."""
    with open(path, "rb") as f:
        data = f.read()
    at, dims, kind, raw = 0, [], None, None
    while at < len(data):
        key, at = read_varint(data, at)
        value, at = read_varint(data, at)
        if key & 7 == 2:  # value is a length
            value, at = data[at : at + value], at + value
        if key >> 3 == 1:
            dims.append(value)
        elif key >> 3 == 2:
            kind = value
        elif key >> 3 == 9:
            raw = value
    if kind != FLOAT or raw is None:
        sys.exit(f"{path}: not a tensor of floats with raw data")
    return numpy.frombuffer(raw, "<f4").reshape(dims)


def load(folder, pattern, work):
    """The stored tensors as .npy files, in order."""
    paths = sorted(glob.glob(os.path.join(folder, "test_data_set_0", pattern)))
    files = [os.path.join(work, os.path.basename(p) + ".npy") for p in paths]
    for path, file in zip(paths, files):
        numpy.save(file, read_tensor(path))
    return files


def run(corpus, case, model, wrong):
    """The largest error in ulp, or None where the program fails."""
    with tempfile.TemporaryDirectory() as work:
        inputs = load(os.path.join(corpus, "onnx", model), "input_*.pb", work)
        outputs = load(os.path.join(corpus, "onnx", model), "output_*.pb", work)
        if wrong:
            numpy.save(outputs[0], numpy.load(outputs[0]) * numpy.float32(1.00001))
        program = os.path.join(corpus, "cases", case + ".mlir")
        with open(program, encoding="utf-8") as f:
            name = re.search(r"func\.func @(\w+)", f.read())[1]
        command = ["norm-run", program, f"--function={name}", "--max-ulp=8"]
        command += [f"--input=@{file}" for file in inputs]
        command += [f"--expected-output=@{file}" for file in outputs]
        done = subprocess.run(command, capture_output=True, text=True)
    error = re.search(r"max ulp ([\d.]+)", done.stdout)
    if done.returncode or not error:
        print(f"FAILED {case}\n{done.stdout}{done.stderr}")
        return None
    return float(error[1])


def main(corpus, wrong):
    # Models are counted from the folders, so that one without a program is missed.
    folders = glob.glob(os.path.join(corpus, "onnx", "*_expanded"))
    errors = {os.path.basename(folder): [] for folder in sorted(folders)}
    with open(os.path.join(corpus, "manifest.json"), encoding="utf-8") as f:
        for case in json.load(f):
            model = os.path.basename(case.get("onnx") or "")
            if model in errors:
                errors[model].append(run(corpus, case["id"], model, wrong))
    right = [model for model, found in errors.items() if found and None not in found]
    for model in right:
        print(f"{model}: {len(errors[model])} programs, max ulp {max(errors[model]):.2f}")
    print(f"{len(right)} of {len(errors)} models, {sum(map(len, errors.values()))} programs")
    sys.exit(len(right) != len(errors))


if __name__ == "__main__":
    main(sys.argv[1], "--wrong" in sys.argv)
