"""Runs the tools in an empty directory, with empty ones for temporary files and the
home, and looks at what is there afterwards: the named output and nothing else.

    files.py PROGRAM WORK
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import time

PROGRAM, WORK = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
PLACES = {name: os.path.join(WORK, name) for name in ("here", "tmp", "home", "out")}
BAD = os.path.join(WORK, "bad.mlir")
with open(BAD, "w") as file:
    file.write("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %y : tensor<4xf32>\n}\n")
problems = []


def environment(**more):
    return {**os.environ, "TMPDIR": PLACES["tmp"], "HOME": PLACES["home"], **more}


def prepare(old):
    for place in PLACES.values():
        shutil.rmtree(place, ignore_errors=True)
        os.mkdir(place)
    if old is not None:
        with open(PLACES["out"] + "/output", "w") as file:
            file.write(old)


def inspect(what, expected):
    """`expected`: the files beside the output's name."""
    found = sorted(os.path.relpath(os.path.join(d, f), WORK) for p in PLACES.values() for d, _, fs in os.walk(p) for f in fs)
    if found != expected:
        problems.append(f"{what}: found {found}, expected {expected}")


def run(what, *command, fails=False, output=True, old=None, **more):
    prepare(old)
    arguments = [*command] + (["-o", PLACES["out"] + "/output"] if output else [])
    done = subprocess.run(arguments, cwd=PLACES["here"], env=environment(**more), capture_output=True, text=True)
    if (done.returncode != 0) != fails:
        problems.append(f"{what}: exit {done.returncode}: {done.stderr[-300:]}")
    inspect(what, ["out/output"] if output and (not fails or old is not None) else [])
    if old is not None and fails:
        with open(PLACES["out"] + "/output") as file:
            if file.read() != old:
                problems.append(f"{what}: the old output has changed")


def kill_while_linking():
    """A linker that never ends: norm-compile, told to stop, removes what it made."""
    prepare(None)
    linker = os.path.join(WORK, "path", "clang-22")
    os.makedirs(os.path.dirname(linker), exist_ok=True)
    with open(linker, "w") as file:
        file.write(f"#!/bin/sh\necho started > {WORK}/started\nexec sleep 60\n")
    os.chmod(linker, 0o755)
    path = os.path.dirname(linker) + os.pathsep + os.environ["PATH"]
    child = subprocess.Popen(["norm-compile", PROGRAM, "--emit=shared", "-o", PLACES["out"] + "/output"],
                             cwd=PLACES["here"], env=environment(PATH=path), start_new_session=True,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not os.path.exists(WORK + "/started") and child.poll() is None:
        time.sleep(0.05)
    os.killpg(child.pid, signal.SIGTERM)
    child.wait()
    inspect("stopped while linking", [])


def trace(what, *command):
    """Where strace works: every file that is opened for writing, here or elsewhere."""
    prepare(None)
    log = WORK + "/trace"
    done = subprocess.run(["strace", "-f", "-qq", "-o", log, "-e", "trace=open,openat,creat,mkdir,mknod,symlink,link", *command],
                          # LeakSanitizer, where there is one, does not work under a tracer.
                          cwd=PLACES["here"], env=environment(LSAN_OPTIONS="detect_leaks=0"), capture_output=True, text=True)
    if done.returncode != 0:
        problems.append(f"{what}, traced: exit {done.returncode}: {done.stderr[-300:]}")
    with open(log) as file:
        for line in file:
            path = re.search(r'"([^"]*)"', line)
            if not path or "= -1" in line or not re.search(r"O_WRONLY|O_RDWR|O_CREAT|creat\(|mkdir|mknod|link\(", line):
                continue
            if not path[1].startswith((PLACES["tmp"] + "/", PLACES["out"] + "/", "/dev/", "/proc/")):
                problems.append(f"{what}: writes {path[1]}")


def can_trace():
    return shutil.which("strace") and subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True).returncode == 0


for kind in ("norm", "linalg", "vector", "llvm-mlir", "llvm-ir", "asm", "obj", "shared", "header"):
    run(kind, "norm-compile", PROGRAM, f"--emit={kind}")
    run(f"{kind} of a program with an error", "norm-compile", BAD, f"--emit={kind}", fails=True)
for kind in ("ptx", "obj", "shared", "header", "llvm-ir"):
    run(f"nvvm, {kind}", "norm-compile", PROGRAM, "--target=nvvm", f"--emit={kind}")
run("over an old file", "norm-compile", PROGRAM, old="old")
run("explain", "norm-compile", PROGRAM, "--explain", output=False)
run("standard output", "norm-compile", PROGRAM, "--emit=llvm-ir", output=False)
run("options that are wrong", "norm-compile", PROGRAM, "--rounding=nonsense", fails=True, old="old")
run("a pass that fails", "norm-compile", PROGRAM, "--target=nvvm", "--chip=sm_1", fails=True, old="old")
run("no linker", "norm-compile", PROGRAM, "--emit=shared", fails=True, old="old", PATH=os.path.dirname(shutil.which("norm-compile")))
run("norm-opt", "norm-opt", PROGRAM, "--norm-to-cpu")
run("norm-opt with an error", "norm-opt", BAD, fails=True)
run("norm-run", "norm-run", PROGRAM, "--input=2x64xf32=1", output=False)
run("norm-run, emulated", "norm-run", PROGRAM, "--pipeline=simt", "--input=2x64xf32=1", output=False)
run("norm-run, two threads", "norm-run", PROGRAM, "--threads=2", "--input=2x64xf32=1", output=False)
run("norm-run with an error", "norm-run", PROGRAM, "--input=2x63xf32=1", output=False, fails=True)
kill_while_linking()
if can_trace():
    output = ["-o", PLACES["out"] + "/output"]
    trace("obj", "norm-compile", PROGRAM, *output)
    trace("shared", "norm-compile", PROGRAM, "--emit=shared", *output)
    trace("nvvm, shared", "norm-compile", PROGRAM, "--target=nvvm", "--emit=shared", *output)
    trace("norm-opt", "norm-opt", PROGRAM, "--norm-to-cpu", *output)
    trace("norm-run", "norm-run", PROGRAM, "--threads=2", "--input=2x64xf32=1")
for problem in problems:
    print(problem)
print(f"{len(problems)} problems")
sys.exit(int(bool(problems)))
