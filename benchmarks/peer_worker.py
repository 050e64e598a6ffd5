"""The process of one framework: prepares a shape, then times its subjects when told to.

    peer_worker.py HOST BUILD THREADS      commands and answers are lines of JSON

peers.py starts one for each framework, so that their thread pools and their copies of
libraries stay apart, and lets only one of them work at a time.
"""
import importlib
import json
import os
import sys
import time
import traceback

import peer_numerics

HOSTS = {"native": "peer_native.Native", "torch": "peer_frameworks.Torch",
         "onnxruntime": "peer_frameworks.OnnxRuntime", "openvino": "peer_frameworks.OpenVino",
         "jax": "peer_frameworks.Jax", "iree": "peer_frameworks.Iree"}


def get_host(name):
    module, _, attribute = HOSTS[name].partition(".")
    return getattr(importlib.import_module(module), attribute)


class Worker:
    def __init__(self, host):
        self.host, self.subjects = host, {}

    def prepare(self, case):
        self.subjects = {}
        x, w = peer_numerics.make_inputs(case["rows"], case["cols"], case["type"])
        if case["variant"] == "backward":
            subjects, compare = self.prepare_backward(case, x, w)
        else:
            expected = peer_numerics.reference(x, w, case["type"])
            compare = lambda y: peer_numerics.compare(y, expected, case["type"])
            subjects = self.host.prepare(case, x, w)
        errors = {}
        for name, (run, result, _) in subjects.items():
            run()
            if result:
                errors[name] = compare(result())
        self.subjects, self.inputs = subjects, (x, w)
        return {"errors": errors, "subjects": list(subjects)}

    def prepare_backward(self, case, x, w):
        if not hasattr(self.host, "prepare_backward"):
            raise NotImplementedError("it has no backward pass")
        dy = peer_numerics.make_gradient(x, case["type"])
        compare = lambda dx: peer_numerics.compare_gradient(dx, x, w, dy, case["type"])
        return self.host.prepare_backward(case, x, w, dy), compare

    def time(self, subject, seconds, warm_up):
        """The best call of those that fit into `seconds`, at least one."""
        run = self.subjects[subject][0]
        if warm_up:
            run()
        best, clock = float("inf"), time.perf_counter_ns
        end = clock() + int(seconds * 1e9)
        while True:
            start = clock()
            run()
            now = clock()
            best = min(best, now - start)
            if now >= end:
                return {"seconds": best * 1e-9}


def answer(worker, command):
    try:
        return getattr(worker, command.pop("do"))(**command)
    except Exception as error:  # reported for this shape; the next one may work
        traceback.print_exc()
        return {"error": f"{type(error).__name__}: {error}".splitlines()[0][:200]}


def main():
    name, build, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
    # Frameworks print to standard output; answers have a descriptor of their own.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-threads:])

    def send(message):
        print(json.dumps(message), file=answers, flush=True)

    try:
        worker = Worker(get_host(name)(build, threads))
    except Exception as error:
        traceback.print_exc()
        return send({"absent": f"{type(error).__name__}: {error}".splitlines()[0][:200]})
    send({"versions": worker.host.versions()})
    for line in sys.stdin:
        send(answer(worker, json.loads(line)))


if __name__ == "__main__":
    main()
