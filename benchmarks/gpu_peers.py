#!/usr/bin/env python3
"""norm-mlir beside torch on an NVIDIA GPU: eager mode, F.rms_norm, torch.compile and a copy.

    gpu_peers.py [--chip=sm_90] [--json=FILE] PROGRAMS

PROGRAMS holds texts that `norm-bench --print-program` writes, named VARIANT-TYPE-N.mlir, of the
variants llama, residual and backward. Needs torch with CUDA and the package norm_mlir.

Calls are captured into a graph that goes through buffers of four times the L2 cache. The graphs of
all subjects are replayed in turn; times are medians, in microseconds per call.
"""
import argparse
import json
import os
import re
import statistics
import time

import torch
import torch.nn.functional as F

import norm_mlir

TYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
EPSILON = 1e-6


def llama(x, w):
    """Rounds before the weight, as transformers' LlamaRMSNorm does."""
    wide = x.float()
    wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + EPSILON)
    return w * wide.to(x.dtype)


def residual(x, r, w):
    total = x + r
    return total, llama(total, w)


def backward(x, dy, w):
    """The gradients that norm-bench's program computes: in f32, rounded once."""
    wide, scaled = x.float(), dy.float() * w.float()
    inverse = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + EPSILON)
    z = wide * inverse
    dx = inverse * (scaled - z * (z * scaled).mean(-1, keepdim=True))
    return dx.to(x.dtype), (dy.float() * z).sum(0).to(x.dtype)


REFERENCES = {"llama": llama, "residual": residual, "backward": backward}
WHOLE = {"llama": "xw", "residual": "xxw", "backward": "xxw"}  # arguments: rows or a weight


def make_sets(variant, dtype, rows, cols, bytes_wanted):
    """Arguments in as many copies as fill `bytes_wanted`, so that none is found in the cache."""
    def make():
        return [torch.randn((rows, cols) if kind == "x" else (cols,), device="cuda").to(dtype)
                for kind in WHOLE[variant]]
    first = make()
    size = 2 * sum(tensor.nbytes for tensor in first)
    return [first] + [make() for _ in range(min(bytes_wanted // size, 64))]


def capture(call, sets, seconds=5e-4):
    """A graph of calls on each of `sets`, and their number."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            call(*sets[0])
        stream.synchronize()
        start = time.perf_counter()
        for arguments in sets:
            call(*arguments)
        stream.synchronize()
        passes = 1 + int(seconds / max(time.perf_counter() - start, 1e-6))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for _ in range(passes):
            for arguments in sets:
                call(*arguments)
    return graph, passes * len(sets)


def measure(subjects, sets, rounds=15):
    """The median microseconds per call of each subject; all are replayed in each round."""
    graphs = {name: capture(call, sets) for name, call in subjects.items()}
    times = {name: [] for name in subjects}
    for i in range(rounds + 1):
        for name, (graph, calls) in graphs.items():
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            graph.replay()
            end.record()
            end.synchronize()
            if i:
                times[name].append(begin.elapsed_time(end) * 1e3 / calls)
    return {name: statistics.median(found) for name, found in times.items()}


def get_difference(ours, theirs):
    """The largest difference of any result, relative to the root mean square of it."""
    pairs = zip(ours, theirs) if isinstance(theirs, tuple) else [(ours, theirs)]
    return max(((a.double() - b.double()).abs().max() / b.double().pow(2).mean().sqrt()).item()
               for a, b in pairs)


def compare(variant, dtype, norm, rows, cols, compiled):
    l2 = torch.cuda.get_device_properties(0).L2_cache_size
    sets = make_sets(variant, dtype, rows, cols, 4 * l2)
    expected = REFERENCES[variant](*sets[0])
    results = tuple(torch.empty_like(r) for r in expected) if isinstance(expected, tuple) \
        else torch.empty_like(expected)
    subjects = {"norm-mlir": lambda *a: norm(*a, out=results), "torch.compile": compiled}
    if variant == "llama":
        subjects["F.rms_norm"] = lambda x, w: F.rms_norm(x, (cols,), w, EPSILON)
    if variant != "backward":
        subjects["eager"] = REFERENCES[variant]
    whole = results if isinstance(results, tuple) else (results,)
    bytes_moved = sum(t.nbytes for t in (*sets[0], *whole) if t.dim() == 2)
    source = torch.empty(bytes_moved // 2, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    subjects["copy"] = lambda *_: target.copy_(source)
    difference = get_difference(norm(*sets[0]), expected)
    return {**measure(subjects, sets), "difference": difference}


def time_calls(norm, dtype, calls=2000):
    """The host's microseconds of one call on one row, which no graph hides."""
    x, w = torch.randn(1, 4096, device="cuda").to(dtype), torch.ones(4096, device="cuda").to(dtype)
    y = torch.empty_like(x)
    subjects = {"norm-mlir": lambda: norm(x, w), "norm-mlir, out=": lambda: norm(x, w, out=y),
                "F.rms_norm": lambda: F.rms_norm(x, (4096,), w, EPSILON),
                "torch.compile": lambda c=torch.compile(llama): c(x, w)}
    found = {}
    for name, call in subjects.items():
        call()
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(calls):
            call()
        found[name] = (time.perf_counter() - start) / calls * 1e6
        torch.cuda.synchronize()
    return found


def print_line(out, what, found):
    print(f"{what:24}", "  ".join(f"{name} {value:.4g}" for name, value in found.items()), flush=True)
    if out:
        out.write(json.dumps({"what": what, **found}) + "\n")
        out.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs")
    parser.add_argument("--chip", default="sm_90")
    parser.add_argument("--json")
    parser.add_argument("--bytes", type=int, default=1 << 28, help="useful bytes of the large shapes")
    parser.add_argument("--seconds", type=float, default=1e9, help="after which no other shape begins")
    arguments = parser.parse_args()
    begin = time.perf_counter()
    out = open(arguments.json, "w") if arguments.json else None
    print(torch.cuda.get_device_name(), "torch", torch.__version__)
    names = sorted(os.listdir(arguments.programs), key=lambda n: [int(p) if p.isdigit() else p for p in re.split(r"(\d+)", n)])
    for name in names:
        match = re.fullmatch(r"(\w+)-(\w+)-(\d+)\.mlir", name)
        if not match or match[1] not in REFERENCES:
            continue
        variant, dtype, cols = match[1], TYPES[match[2]], int(match[3])
        with open(os.path.join(arguments.programs, name)) as file:
            norm = norm_mlir.compile(file.read(), target="nvvm", chip=arguments.chip)
        torch._dynamo.reset()
        compiled = torch.compile(REFERENCES[variant], dynamic=False)
        row = cols * dtype.itemsize * {"llama": 2, "residual": 4, "backward": 3}[variant]
        few = [1, 4, 16, 64] if cols == 4096 and variant != "backward" else []
        for rows in [max(arguments.bytes // row, 1), *few]:
            if time.perf_counter() - begin > arguments.seconds:
                print("left out:", name, rows)
                continue
            found = compare(variant, dtype, norm, rows, cols, compiled)
            print_line(out, f"{variant} {match[2]} {rows}x{cols}", found)
        if (variant, cols) == ("llama", 4096):
            print_line(out, f"call {match[2]} 1x4096", time_calls(norm, dtype))


if __name__ == "__main__":
    main()
