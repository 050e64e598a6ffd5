#!/usr/bin/env python3
"""Measures norm-mlir beside the frameworks that people run RMSNorm in.

    peers-venv/bin/python benchmarks/peers.py [--build BUILD] [--plot FILE]
                                              [--update FILE]

Each framework has a process of its own, and only one of them works at a time: in each
round every subject runs for a moment, in random order, and the best call of all rounds
counts. Copies of the same bytes and norm-mlir's code take part in the same rounds. Times
include the call from Python. Errors are those of the first 64 rows against f64.

Packages: benchmarks/requirements.txt. Those that cannot be imported are reported absent.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import time

import peer_worker
import report
from peer_numerics import ELEMENT_BYTES, useful_bytes

SHAPES = "1x4096,1x262144,8x4096,128x4096,2048x4095,2048x4096,8192x4096,4096x8192,16384x111,16384x1024,131072x128,65536x64"
QUICK_SHAPES = "8x4096,2048x4096,16384x1024"
OURS, STREAM = "norm-mlir", "non-temporal copy"
# A pool that still spins from the last call would take the next subject's core.
SETTLE_SECONDS = 0.01
# Calls over SLOW_SECONDS are measured in this many rounds: noise matters less to them.
SLOW_SECONDS, SLOW_ROUNDS = 0.1, 3
NOT_PEERS = ("memcpy", STREAM, OURS)


class Process:
    """A peer_worker.py and what it said when it started."""

    def __init__(self, host, build, threads, log):
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads), KMP_BLOCKTIME="5", TF_CPP_MIN_LOG_LEVEL="3")
        self.host = host
        self.process = subprocess.Popen([sys.executable, peer_worker.__file__, host, build, str(threads)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=environment)

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            return {"absent": f"exited with status {self.process.wait()}"}
        return json.loads(line)

    def ask(self, **command):
        try:
            self.process.stdin.write(json.dumps(command) + "\n")
            self.process.stdin.flush()
        except OSError:
            pass  # read says that it exited
        return self.read()

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def start(hosts, build, threads, log, absent, versions):
    """The hosts that run; the others are put into `absent` with the reason."""
    running = []
    for process in [Process(host, build, threads, log) for host in hosts]:
        hello = process.read()
        if "absent" in hello:
            absent[process.host] = hello["absent"]
            process.process.wait()
        else:
            versions.update(hello["versions"])
            running.append(process)
    return running


def prepare(processes, case, failed):
    """[(process, subject)] and the errors against f64; failures go to `failed`."""
    subjects, errors = [], {}
    for process in list(processes):
        answer = process.ask(do="prepare", case=case)
        if "subjects" in answer:
            subjects += [(process, name) for name in answer["subjects"]]
            errors.update(answer["errors"])
            continue
        failed[process.host] = answer.get("error") or answer["absent"]
        if "absent" in answer:
            processes.remove(process)
    return subjects, errors


def measure(subjects, arguments):
    """Seconds of the best call of each subject."""
    best = {name: float("inf") for _, name in subjects}
    for number in range(arguments.rounds):
        for process, name in random.sample(subjects, len(subjects)):
            is_slow = SLOW_SECONDS < best[name] < float("inf")
            if is_slow and number >= SLOW_ROUNDS:
                continue
            time.sleep(SETTLE_SECONDS)
            answer = process.ask(do="time", subject=name, seconds=arguments.seconds, warm_up=not is_slow)
            best[name] = min(best[name], answer.get("seconds", float("inf")))
    return {name: seconds for name, seconds in best.items() if seconds < float("inf")}


def make_result(case, threads, seconds, errors, failed):
    useful = useful_bytes(case)
    result = dict(case, threads=threads, useful_bytes=useful, failed=failed, subjects={})
    for name, value in seconds.items():
        subject = {"seconds": value, "gigabytes_per_second": useful / value * 1e-9, **errors.get(name, {})}
        for key, base in ("ratio_to_memcpy", "memcpy"), ("ratio_to_nt_copy", STREAM):
            subject[key] = seconds[base] / value if base in seconds else None
        result["subjects"][name] = subject
    return result


def shape_name(result):
    return f"{result['rows']}x{result['cols']}"


def subject_names(results):
    return list(dict.fromkeys(name for r in results for name in r["subjects"]))


def speed_cell(result, name):
    subject = result["subjects"].get(name)
    if not subject:
        return "-"
    ratio = subject["ratio_to_nt_copy"]
    return f"{subject['gigabytes_per_second']:.1f}" + (f" ({ratio:.2f})" if ratio else "")


def latency_cell(result, name):
    subject = result["subjects"].get(name)
    return f"{subject['seconds'] * 1e6:.1f} us" if subject else "-"


def error_cell(results, name):
    found = [r["subjects"][name] for r in results if "max_ulp" in r["subjects"].get(name, {})]
    if not found:
        return "-"
    differing = max((s["differing"] for s in found if "differing" in s), default=None)
    return f"{max(s['max_ulp'] for s in found):.3g}" + (f" ({100 * differing:.1f} %)" if differing is not None else "")


def get_tables(results):
    for key in dict.fromkeys((r["type"], r["threads"]) for r in results):
        some = [r for r in results if (r["type"], r["threads"]) == key]
        narrow = key[0] != "f32"
        header = [""] + [shape_name(r) for r in some] + ["max ulp" + (" (outputs that differ)" if narrow else "")]
        lines = [[name] + [(latency_cell if r["rows"] == 1 else speed_cell)(r, name) for r in some] +
                 [error_cell(some, name)] for name in subject_names(some)]
        yield from ["", f"### {key[0]}, {key[1]} thread{'s' if key[1] > 1 else ''}", ""]
        yield from report.markdown([header] + lines)


def peers_ahead(result):
    """Subjects that are faster than norm-mlir here."""
    ours = result["subjects"].get(OURS)
    if not ours:
        return []
    return [f"{name} ({ours['seconds'] / s['seconds']:.2f} times as fast)" for name, s in result["subjects"].items()
            if name not in NOT_PEERS and s["seconds"] < ours["seconds"]]


def get_standing(results):
    behind = {f"{r['type']} {shape_name(r)}, {r['threads']} threads": peers_ahead(r) for r in results}
    yield f"norm-mlir is the fastest of all but copies in {sum(not a for a in behind.values())} of {len(behind)} rows."
    yield ""
    for row, names in behind.items():
        if names:
            yield f"- {row}: behind {', '.join(names)}"


def get_missing(absent, results):
    for host, reason in absent.items():
        yield f"- absent: {host}: {reason}"
    for result in results:
        for host, reason in result["failed"].items():
            yield f"- failed: {host} at {result['type']} {shape_name(result)}, {result['threads']} threads: {reason}"


def parse_list(parser, text, allowed, what):
    values = text.split(",")
    for value in values:
        if value not in allowed:
            parser.error(f"unknown {what} '{value}'; {', '.join(allowed)}")
    return values


def parse_shape(parser, text):
    rows, _, cols = text.partition("x")
    if not (rows.isdigit() and cols.isdigit() and int(rows) and int(cols)):
        parser.error(f"expected ROWSxCOLS, got '{text}'")
    return int(rows), int(cols)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build", help="build folder of norm-mlir (default: build)")
    parser.add_argument("--shapes", help=f"ROWSxCOLS,... (default: {SHAPES})")
    parser.add_argument("--quick", action="store_true", help=f"shapes {QUICK_SHAPES}")
    parser.add_argument("--types", default="f32,bf16", help="of f32, f16, bf16 (default: f32,bf16)")
    parser.add_argument("--variant", choices=["llama", "backward"], default="llama",
                        help="the norm, or its gradients of x and w (default: llama)")
    parser.add_argument("--threads", default="1,2", help="default: 1,2")
    parser.add_argument("--peers", help="only these beside native, see --list")
    parser.add_argument("--list", action="store_true", help="print the peers, and which can be imported")
    parser.add_argument("--rounds", type=int, default=15, help="the best call of all counts (default 15)")
    parser.add_argument("--seconds", type=float, default=0.01, help="a subject a round, at least one call (default 0.01)")
    parser.add_argument("--json", help="output file (default: BUILD/peers.json)")
    parser.add_argument("--plot", help="SVG or PNG to draw with matplotlib")
    parser.add_argument("--update", help="document whose table of peers is replaced")
    parser.add_argument("--replay", help="print and plot this JSON of an earlier run, measure nothing")
    parser.add_argument("--log", help="where frameworks print to (default: BUILD/peers.log)")
    arguments = parser.parse_args()
    arguments.build = os.path.abspath(arguments.build)
    known = [host for host in peer_worker.HOSTS if host != "native"]
    arguments.hosts = ["native"] + (parse_list(parser, arguments.peers, known, "peer") if arguments.peers else known)
    if not all(t.isdigit() and int(t) for t in arguments.threads.split(",")):
        parser.error(f"expected numbers of threads, got '{arguments.threads}'")
    if arguments.rounds < 1 or arguments.seconds <= 0:
        parser.error("--rounds and --seconds must be positive")
    types = parse_list(parser, arguments.types, list(ELEMENT_BYTES), "type")
    shapes = arguments.shapes or (QUICK_SHAPES if arguments.quick else SHAPES)
    shapes = [parse_shape(parser, shape) for shape in shapes.split(",")]
    arguments.cases = [{"variant": arguments.variant, "type": t, "rows": r, "cols": c} for t in types for r, c in shapes]
    if not os.access(os.path.join(arguments.build, "bin", "norm-compile"), os.X_OK):
        parser.error(f"norm-compile is not built in {arguments.build}")
    if arguments.replay and not os.access(arguments.replay, os.R_OK):
        parser.error(f"cannot read {arguments.replay}")
    if arguments.plot:
        try:
            import peer_plot  # noqa: F401
        except ImportError as error:
            parser.error(f"--plot: {error}")
    return arguments


def print_list(arguments):
    absent, versions = {}, {}
    running = start(arguments.hosts, arguments.build, 1, subprocess.DEVNULL, absent, versions)
    for process in running:
        print(f"{process.host}: {', '.join(peer_worker.get_host(process.host).NAMES)}")
        process.stop()
    print("\n".join(get_missing(absent, [])))
    print("versions:", ", ".join(f"{k} {v}" for k, v in versions.items()) or "none")


def replay(path):
    with open(path) as stream:
        return json.load(stream)


def run(arguments):
    with open(arguments.log or os.path.join(arguments.build, "peers.log"), "w") as log:
        return run_all(arguments, log)


def run_all(arguments, log):
    result = {"machine": report.machine(), "rounds": arguments.rounds, "absent": {}, "versions": {}, "results": []}
    for threads in map(int, arguments.threads.split(",")):
        processes = start(arguments.hosts, arguments.build, threads, log, result["absent"], result["versions"])
        for case in arguments.cases:
            failed = {}
            subjects, errors = prepare(processes, case, failed)
            seconds = measure(subjects, arguments)
            result["results"].append(make_result(case, threads, seconds, errors, failed))
            print(f"measured {case['type']} {case['rows']}x{case['cols']}, {threads} threads", file=sys.stderr)
        for process in processes:
            process.stop()
    return result


def get_report(result):
    yield f"{report.describe(result['machine'])}; best call of {result['rounds']} rounds; GB/s (ratio to the {STREAM})."
    yield "Versions: " + (", ".join(f"{k} {v}" for k, v in result["versions"].items()) or "none") + "."
    yield from get_missing(result["absent"], result["results"])
    yield from get_tables(result["results"])
    yield ""
    yield from get_standing(result["results"])


def main():
    arguments = parse_arguments()
    if arguments.list:
        return print_list(arguments)
    result = replay(arguments.replay) if arguments.replay else run(arguments)
    lines = list(get_report(result))
    print("\n".join(lines))
    if not arguments.replay:
        output = arguments.json or os.path.join(arguments.build, "peers.json")
        with open(output, "w") as stream:
            json.dump(result, stream, indent=2)
            stream.write("\n")
        print(f"\nwritten to {output}")
    if arguments.update:
        report.update(arguments.update, "peers" if arguments.variant == "llama" else "peers backward", lines)
    if arguments.plot:
        import peer_plot
        peer_plot.plot(result, arguments.plot)
        print(f"plotted to {arguments.plot}")


if __name__ == "__main__":
    main()
