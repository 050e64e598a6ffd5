#!/usr/bin/env python3
"""Times a decoder layer, and all of it but its matrix products, beside torch.compile, IREE
and ONNX Runtime.

    peers-venv/bin/python benchmarks/layers.py [--build BUILD] [--update FILE]

The layer is that of decoder.py with one block. IREE compiles the same MLIR; torch compiles
a module that does the same. For the time without products each of them compiles the layer
once more, in which the products' results are arguments and their operands are results
(decoder.py --products-apart). ONNX Runtime runs a model of the whole layer whose weights are
constants, in f32: it has no bf16 products on CPUs. All run in one process and one thread, or as --threads says, in
random order, and the best call counts. Results of the whole layer are compared with those of norm-mlir.

--mcpu holds norm-mlir and IREE to another CPU, such as x86-64-v3. Of torch ONEDNN_MAX_CPU_ISA=AVX2 holds
the products in bf16; its products in f32 (MKL) and ONNX Runtime go on with all that this CPU has.

Packages: iree-base-compiler, iree-base-runtime, onnx, onnxruntime and torch of benchmarks/requirements.txt;
without one of them the others are measured.
"""
import argparse
import ctypes
import os
import random
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

import report
from peer_frameworks import as_bfloat16
from peer_native import descriptor
from peer_numerics import aligned

DECODER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "decoder.py")
OURS = "norm-mlir"
CALLS = 3  # in a row, at least: the first one starts threads
TURN_SECONDS = 0.1  # of each in a row: until the others' weights have left the caches
STORAGE = {"f32": np.float32, "bf16": np.uint16}


def print_layer(shape, element, apart):
    command = [sys.executable, DECODER, f"--type={element}"] + [f"--{k}={v}" for k, v in shape.items()]
    return subprocess.run(command + ["--products-apart"] * apart, check=True, stdout=subprocess.PIPE, text=True).stdout


def get_shapes(text):
    return [tuple(map(int, dims.split("x")[:-1])) for dims in re.findall(r"tensor<([^>]*)>", text)]


def make_arguments(head, element, generator):
    """Small values, so that no layer overflows; weights shrink with the sum they enter."""
    arrays = []
    for shape in get_shapes(head):
        array = aligned(shape, STORAGE[element])
        values = generator.standard_normal(shape).astype(np.float32) * shape[0] ** -0.5
        array[...] = values if element == "f32" else values.view(np.uint32) >> 16
        arrays.append(array)
    return arrays


def to_f32(array):
    return array if array.dtype == np.float32 else (array.astype(np.uint32) << 16).view(np.float32)


class Ours:
    def __init__(self, build, threads, mcpu):
        self.build, self.threads, self.mcpu = build, threads, mcpu
        self.folder, self.count = tempfile.TemporaryDirectory(), 0

    def compile(self, text, arguments, _element, _apart):
        self.count += 1
        path = os.path.join(self.folder.name, f"layer{self.count}.so")
        subprocess.run([os.path.join(self.build, "bin", "norm-compile"), "-", "--emit=shared", f"--mcpu={self.mcpu}",
                        f"--threads={self.threads}", "-o", path],
                       input=text, text=True, check=True)
        results = get_shapes(text.partition("->")[2].partition("{")[0])
        outputs = [aligned(shape, arguments[0].dtype) for shape in results]
        descriptors = [descriptor(a) for a in arguments + outputs]
        addresses = [ctypes.c_void_p(ctypes.addressof(d)) for d in descriptors]
        entry = ctypes.CDLL(path)._mlir_ciface_main
        keep = (arguments, descriptors)
        return lambda keep=keep: entry(*addresses), lambda: outputs[0]


class Iree:
    def __init__(self, _build, threads, mcpu):
        import iree.compiler
        import iree.runtime
        if threads > 1:
            iree.runtime.flags.parse_flags(f"--task_topology_group_count={threads}")
        self.cpu = "host" if mcpu == "native" else mcpu
        self.iree, self.config = iree, iree.runtime.Config("local-task" if threads > 1 else "local-sync")

    def compile(self, text, arguments, element, _apart):
        code = self.iree.compiler.compile_str(text, target_backends=["llvm-cpu"],
                                              extra_args=[f"--iree-llvmcpu-target-cpu={self.cpu}", "--iree-opt-level=O3",
                                                          "--iree-llvmcpu-stack-allocation-limit=131072"])
        runtime = self.iree.runtime
        context = runtime.SystemContext(config=self.config)
        context.add_vm_module(runtime.VmModule.copy_buffer(context.instance, code))
        main, last = context.modules.module.main, {}
        arrays = [runtime.asdevicearray(self.config.device, as_bfloat16(a) if element == "bf16" else a) for a in arguments]

        def run():
            result = main(*arrays)
            last["y"] = result[0] if isinstance(result, (tuple, list)) else result

        return run, lambda: np.asarray(last["y"].to_host()).view(arguments[0].dtype)


class Torch:
    def __init__(self, _build, threads, _mcpu):
        import torch
        torch.set_num_threads(threads)
        self.torch = torch

    def compile(self, _text, arguments, _element, apart):
        import layers_torch
        torch = self.torch
        tensors = [torch.from_numpy(a if a.dtype == np.float32 else a.view(np.int16)) for a in arguments]
        tensors = [t if t.dtype == torch.float32 else t.view(torch.bfloat16) for t in tensors]
        layer, last = torch.compile(layers_torch.apart if apart else layers_torch.whole, dynamic=False), {}

        def run():
            with torch.no_grad():
                last["y"] = layer(self.heads, *tensors)[0]

        def get():
            y = last["y"]
            return (y.view(torch.int16) if y.dtype == torch.bfloat16 else y).numpy().view(arguments[0].dtype)

        return run, get


class OnnxRuntime:
    def __init__(self, _build, threads, _mcpu):
        import onnxruntime
        self.ort, self.options = onnxruntime, onnxruntime.SessionOptions()
        self.options.intra_op_num_threads = threads

    def compile(self, _text, arguments, element, apart):
        import layers_onnx
        if apart or element != "f32":
            return None
        model = layers_onnx.make_model(arguments, self.heads)
        session = self.ort.InferenceSession(model, self.options, providers=["CPUExecutionProvider"])
        given, last = dict(zip(("h", "cos", "sin"), arguments)), {}

        def run():
            last["y"] = session.run(None, given)[0]

        return run, lambda: last["y"]


def prepare(hosts, shape, element, apart):
    text = print_layer(shape, element, apart)
    arguments = make_arguments(text.partition("->")[0], element, np.random.default_rng(5))
    subjects = {}
    for name, host in hosts.items():
        host.heads = shape["heads"]
        subjects[name] = host.compile(text, arguments, element, apart)
    return {name: subject for name, subject in subjects.items() if subject}


def measure(subjects, rounds, threads):
    best = dict.fromkeys(subjects, float("inf"))
    for _ in range(rounds + 1):
        for name in random.sample(list(subjects), len(subjects)):
            report.rest(threads)
            end, calls = time.perf_counter() + TURN_SECONDS, 0
            while calls < CALLS or time.perf_counter() < end:
                start = time.perf_counter()
                subjects[name][0]()
                best[name] = min(best[name], time.perf_counter() - start)
                calls += 1
    return best


def compare(subjects):
    """The largest difference from our result, relative to the largest number of it."""
    ours = to_f32(subjects[OURS][1]())
    return {name: float(np.abs(to_f32(get()) - ours).max() / np.abs(ours).max()) for name, (_, get) in subjects.items()}


def start(build, threads, mcpu):
    hosts, absent = {OURS: Ours(build, threads, mcpu)}, []
    for name, make in ("torch.compile", Torch), ("IREE", Iree), ("ONNX Runtime", OnnxRuntime):
        try:
            hosts[name] = make(build, threads, mcpu)
        except ImportError as error:
            absent.append(f"{name} is absent: {error}.")
    return hosts, absent


def get_rows(hosts, arguments):
    for element in arguments.types.split(","):
        for sequence in map(int, arguments.seq.split(",")):
            shape = {"blocks": 1, "seq": sequence, "hidden": arguments.hidden, "heads": arguments.hidden // 64,
                     "ffn": arguments.ffn}
            whole = prepare(hosts, shape, element, False)
            rest = prepare(hosts, shape, element, True)
            total = measure(whole, arguments.rounds, arguments.threads)
            others = measure(rest, 3 * arguments.rounds, arguments.threads)
            differences = compare(whole)
            print(f"measured {element}, {sequence} tokens", file=sys.stderr)
            for name in whole:
                parts = [f"{others[name] * 1e3:.3f}", f"{others[name] / others[OURS]:.2f}"] if name in rest else ["", ""]
                yield [f"{element}, {sequence} tokens", name, f"{total[name] * 1e3:.2f}", *parts, f"{differences[name]:.1e}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build", help="build folder (default: build)")
    parser.add_argument("--types", default="f32,bf16")
    parser.add_argument("--seq", default="1,128,512", help="tokens (default 1,128,512)")
    parser.add_argument("--hidden", type=int, default=1024, help="elements of a row, in heads of 64 (default 1024)")
    parser.add_argument("--ffn", type=int, default=2816, help="elements of a row in the MLP (default 2816)")
    parser.add_argument("--threads", type=int, default=1, help="of each (default 1)")
    parser.add_argument("--mcpu", default="native", help="norm-compile's and IREE's (default native)")
    parser.add_argument("--rounds", type=int, default=10, help=f"of {CALLS} calls of each, or {TURN_SECONDS} s, the best counts (default 10)")
    parser.add_argument("--update", help="document whose table of layers is replaced")
    arguments = parser.parse_args()
    about = report.machine()
    hosts, absent = start(arguments.build, arguments.threads, arguments.mcpu)
    header = ["layer", "by", "ms", "ms without products", "of norm-mlir", "difference"]
    rows = list(get_rows(hosts, arguments))
    threads = f"{arguments.threads} thread{'s' * (arguments.threads > 1)}"
    threads += f", --mcpu={arguments.mcpu}" * (arguments.mcpu != "native")
    lines = [f"{report.describe(about)}; hidden {arguments.hidden}, MLP {arguments.ffn}, {threads}, "
             f"best of {arguments.rounds} times {CALLS} calls or {TURN_SECONDS} s, and of {3 * arguments.rounds}.", *absent, "", *report.markdown([header] + rows)]
    print("\n".join(lines))
    if arguments.update:
        report.update(arguments.update, "layers", lines)


if __name__ == "__main__":
    main()
