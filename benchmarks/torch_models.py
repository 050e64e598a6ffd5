"""What models of the transformers library gain by the torch.compile backend: eager mode, inductor
and norm_mlir, interleaved: benchmarks/results/zen4.md.

Each model has 3 layers of 512 and random weights, and a batch of rows of 128 tokens. A step is a
forward pass, or one with its backward pass and AdamW. In a round each backend takes the same number
of steps; a figure is the median of the rounds, of CPU time with 1 thread, and of wall time with
more. Where no norm is large enough for a call, the code is inductor's (test/Frontends/torch_backend)
and nothing is measured. First steps are those of processes with an empty cache, and with the cache
that these left; they are of CPU time, with the C++ compiler's.

python3 benchmarks/torch_models.py [--models=Llama,T5] [--modes=eval,train] [--types=f32,bf16]
    [--threads=1,2] [--batch=2] [--rounds=15] [--first]

with norm_mlir on PYTHONPATH, in the environment of make check-frontends.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "test", "Frontends", "Inputs"))
BACKENDS = ["eager", "inductor", "norm_mlir"]
SECONDS = 0.4  # of a backend in a round


def make_step(name, mode, type_, batch, backend):
    """A model's step, compiled. It returns what the backends must agree on."""
    import models
    import torch

    model = models.make_model(name, dtype={"f32": torch.float32, "bf16": torch.bfloat16}[type_])
    torch.manual_seed(1)
    inputs = models.make_inputs(name, batch, 128)
    function = torch.compile(model, backend=backend) if backend != "eager" else model
    if mode == "eval":
        def step():
            with torch.no_grad():
                return function(**inputs, use_cache=False).logits
        return step
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)

    def step():
        optimizer.zero_grad()
        loss = function(**inputs, use_cache=False).loss
        loss.backward()
        optimizer.step()
        return loss.detach()
    return step


def measure(step, count, clock):
    start = clock()
    for _ in range(count):
        step()
    return (clock() - start) / count


def count_programs():
    """The number of norms' programs that inductor's code of this process calls."""
    from torch._inductor.codecache import PyCodeCache

    texts = []
    for module in PyCodeCache.modules:
        with open(module.__file__) as file:
            texts.append(file.read())
    return sum(text.count("= load_norm(") for text in texts)


def run_model(name, mode, type_, batch, threads, rounds):
    """The median milliseconds of each backend, the median ratio of norm_mlir to inductor, and the
    largest difference of the first result from eager mode's; nothing where both have the same code."""
    import torch

    torch.set_num_threads(threads)
    clock = time.process_time if threads == 1 else time.perf_counter
    steps = {backend: make_step(name, mode, type_, batch, backend) for backend in BACKENDS}
    results = {"norm_mlir": steps["norm_mlir"]().float()}
    if not count_programs():
        return None
    results.update({backend: steps[backend]().float() for backend in BACKENDS[:2]})
    error = {b: (results[b] - results["eager"]).abs().max().item() for b in BACKENDS[1:]}
    count = max(1, round(SECONDS / measure(steps["eager"], 1, time.perf_counter)))
    for step in steps.values():
        measure(step, 2, clock)
    times = [{b: measure(steps[b], count, clock) for b in order(r)} for r in range(rounds)]
    figures = {b: 1e3 * statistics.median(t[b] for t in times) for b in BACKENDS}
    ratio = statistics.median(t["norm_mlir"] / t["inductor"] for t in times)
    return {**figures, "ratio": ratio, "error": error}


def order(number):
    """Which backend follows which differs between rounds."""
    return BACKENDS[number % 3:] + BACKENDS[:number % 3]


def run_first(name, mode, type_, batch, backend):
    """CPU seconds until the first step is done, of this process and of what it ran."""
    import torch

    torch.set_num_threads(1)
    step = make_step(name, mode, type_, batch, backend)
    get = lambda: sum(sum(resource.getrusage(who)[:2])
                      for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    start = get()
    step()
    return get() - start


def call(*arguments, **environment):
    """What a process of this file prints, as data."""
    done = subprocess.run([sys.executable, __file__, "--worker", json.dumps(arguments)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, **environment})
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser()
    for name, default in (("models", "Llama,Qwen3,Gemma3,T5,Mamba2,DeepseekV3,GptOss,Mixtral"),
                          ("modes", "eval,train"), ("types", "f32,bf16"), ("threads", "1,2")):
        parser.add_argument(f"--{name}", default=default, type=lambda text: text.split(","))
    parser.add_argument("--batch", default=2, type=int)
    parser.add_argument("--rounds", default=15, type=int)
    parser.add_argument("--first", action="store_true")
    options = parser.parse_args()
    for name, mode, type_ in ((n, m, t) for m in options.modes for t in options.types
                              for n in options.models):
        with tempfile.TemporaryDirectory() as folder:
            if options.first:
                report_first(name, mode, type_, options.batch, folder)
                continue
            for threads in map(int, options.threads):
                found = call("run_model", name, mode, type_, options.batch, threads,
                             options.rounds, TORCHINDUCTOR_CACHE_DIR=folder)
                if not found:
                    print(f"| {name}, {mode}, {type_}, {threads} | inductor's code |", flush=True)
                    continue
                times = " | ".join(f"{found[b]:.1f}" for b in BACKENDS)
                errors = ", ".join(f"{e:.1e}" for e in found["error"].values())
                print(f"| {name}, {mode}, {type_}, {threads} | {times} | {found['ratio']:.3f} | "
                      f"{errors} |", flush=True)


def report_first(name, mode, type_, batch, folder):
    figures = []
    for _ in ("cold", "warm"):
        figures.append([call("run_first", name, mode, type_, batch, backend,
                             TORCHINDUCTOR_CACHE_DIR=os.path.join(folder, backend),
                             NORM_MLIR_CACHE=os.path.join(folder, "norms"),
                             TORCHINDUCTOR_COMPILE_THREADS="1") for backend in BACKENDS[1:]])
    cells = " | ".join(f"{a:.1f} | {b:.1f} | {b / a:.2f}" for a, b in figures)
    print(f"| {name}, {mode}, {type_} | {cells} |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        warnings.simplefilter("ignore")
        function, *arguments = json.loads(sys.argv[2])
        print(json.dumps(globals()[function](*arguments)))
    else:
        main()
