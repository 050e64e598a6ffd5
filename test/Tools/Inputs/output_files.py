"""Where an output goes: each tool writes to files, links, pipes and devices (output-files.test).

    output_files.py FOLDER SOURCE

What is no regular file stays what it is. A regular file is replaced as a whole: a program
that fails leaves it as it was.
"""
import os
import pathlib
import pty
import stat
import subprocess
import sys
import threading
import tty

FOLDER, SOURCE = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
PROGRAM = FOLDER / "program.mlir"
PROGRAM.write_text("func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n  return %x : tensor<2x3xf32>\n}\n")
# Each command with the option that names a file; the last is a failure.
TOOLS = {
    "norm-opt": (["norm-opt", PROGRAM, "--canonicalize", "-o", "FILE"], ["norm-opt", SOURCE / "LICENSE", "-o", "FILE"]),
    "asm": (["norm-compile", PROGRAM, "--emit=asm", "-o", "FILE"],
            ["norm-compile", PROGRAM, "--emit=asm", "--mcpu=none", "-o", "FILE"]),
    "shared": (["norm-compile", PROGRAM, "--emit=shared", "-o", "FILE"],
               ["norm-compile", PROGRAM, "--emit=shared", "--mcpu=none", "-o", "FILE"]),
    "report": (["norm-compile", PROGRAM, "--bandwidth=10", "--report=FILE"], ["norm-compile", PROGRAM, "--mcpu=none", "--report=FILE"]),
    "norm-run": (["norm-run", PROGRAM, "--input=2x3xf32=1.5", "--output=@FILE"],
                 ["norm-run", PROGRAM, "--output=@FILE"]),
    "norm-bench": (["norm-bench", "--print-program", "-o", "FILE"], ["norm-bench", "--print-program", "--rows=0", "-o", "FILE"]),
    "norm-reduce": (["norm-reduce", SOURCE / "test/Tools/norm-reduce.mlir", "-o", "FILE",
                     f"--reduction-tree=traversal-mode=0 test={SOURCE}/test/Tools/Inputs/is-rejected.sh"],
                    ["norm-reduce", SOURCE / "LICENSE", "-o", "FILE", "--reduction-tree=traversal-mode=0 test=/bin/true"]),
}
wrong = 0


def check(tool, what, holds):
    global wrong
    if not holds:
        wrong += 1
        print(f"WRONG {tool}: {what}")


def run(command, file, **more):
    words = [str(word).replace("FILE", str(file)) for word in command]
    return subprocess.run(words, capture_output="stdout" not in more, timeout=300, **more).returncode


def read_all(descriptor, parts):
    while True:
        try:
            part = os.read(descriptor, 65536)
        except OSError:  # A terminal whose other end is closed.
            return
        if not part:
            return
        parts.append(part)


def run_into(command, file, descriptor, after=lambda: None):
    """Runs a command while what it writes to `file` is read from `descriptor`."""
    parts = []
    reader = threading.Thread(target=read_all, args=(descriptor, parts))
    reader.start()
    status = run(command, file)
    after()
    reader.join()
    os.close(descriptor)
    return status, b"".join(parts)


def test_files(tool, command, failing):
    new = FOLDER / f"{tool}.new"
    check(tool, "no new file", run(command, new) == 0)
    content = new.read_bytes()
    mask = os.umask(0)
    os.umask(mask)
    wanted = (0o777 if tool == "shared" else 0o666) & ~mask
    check(tool, "permissions of a new file", stat.S_IMODE(new.stat().st_mode) == wanted)

    old = FOLDER / f"{tool}.old"
    old.write_bytes(b"old" * 100000)
    old.chmod(0o640)
    check(tool, "a failure succeeds", run(failing, old) == 1)
    check(tool, "a failure changes a file", old.read_bytes() == b"old" * 100000)
    check(tool, "replacing fails", run(command, old) == 0)
    check(tool, "a replaced file differs", old.read_bytes() == content)
    check(tool, "permissions of a replaced file", stat.S_IMODE(old.stat().st_mode) == 0o640)
    check(tool, "files are left beside it", sorted(p.name for p in FOLDER.glob(f"{tool}.*")) == [new.name, old.name])

    link, hard = FOLDER / f"{tool}.link", FOLDER / f"{tool}.hard"
    link.symlink_to(old.name)
    os.link(old, hard)
    old.write_bytes(b"old")
    check(tool, "a link fails", run(command, link) == 0)
    check(tool, "a link is replaced", link.is_symlink() and old.read_bytes() == content)
    check(tool, "another name is lost", hard.read_bytes() == content)
    dangling = FOLDER / f"{tool}.dangling"
    dangling.symlink_to(f"{tool}.target")
    check(tool, "a link to nothing fails", run(command, dangling) == 0)
    check(tool, "a link to nothing is replaced",
          dangling.is_symlink() and (FOLDER / f"{tool}.target").read_bytes() == content)
    check(tool, "a folder is written", run(command, FOLDER) == 1 and FOLDER.is_dir())
    return content


def test_pipe(tool, command, content):
    fifo = FOLDER / f"{tool}.fifo"
    os.mkfifo(fifo)
    # Both ends, so that no one waits for the other.
    ends = os.open(fifo, os.O_RDWR)
    status, got = run_into(command, fifo, os.open(fifo, os.O_RDONLY), lambda: os.close(ends))
    check(tool, "a pipe", status == 0 and got == content and stat.S_ISFIFO(fifo.stat().st_mode))


def test_device(tool, command, failing, content):
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    device = os.ttyname(theirs)
    link = FOLDER / f"{tool}.device"
    link.symlink_to(device)
    check(tool, "a failure with a device", run(failing, link) == 1 and link.is_symlink())
    status, got = run_into(command, link, ours, lambda: os.close(theirs))
    check(tool, "a device", status == 0 and got == content and link.is_symlink())


def test_standard_output(tool, command, failing, content):
    """What a shell has redirected: behind what is there, and the name stays."""
    file = FOLDER / f"{tool}.redirected"
    for name in "/dev/stdout", "/dev/fd/1":
        with open(file, "wb") as out:
            out.write(b"before")
            out.flush()
            status = run(command, name, stdout=out, stderr=subprocess.DEVNULL)
            out.write(b"after")
        check(tool, name, status == 0 and file.read_bytes() == b"before" + content + b"after")
        with open(file, "wb") as out:
            run(failing, name, stdout=out, stderr=subprocess.DEVNULL)
        check(tool, f"a failure with {name}", os.path.exists(name))


for tool, (command, failing) in TOOLS.items():
    content = test_files(tool, command, failing)
    test_pipe(tool, command, content)
    test_device(tool, command, failing, content)
    if tool not in ("norm-run", "report"):  # They print to standard output too.
        test_standard_output(tool, command, failing, content)
print(f"{len(TOOLS)} tools, {wrong} wrong")
