"""Runs the examples of documents.

    run_docs.py ROOT DOCUMENT... [--tree=DIRECTORY --build=BUILD] [--select=WORD]

```console blocks: every `$ command` is run in the repository root; it must
exit 0 and print the lines that follow it, in order, where `...` in a line
stands for any text. ```console no-run blocks are shown only. Blocks may be indented.
```mlir blocks that hold a function must be accepted by norm-opt.

```console WORD blocks need something that not every machine has, and run with --select=WORD
alone. So do ```python WORD blocks, which print the lines after `#> ` in them.
With --tree commands run in a copy of ROOT by links, where `build` is BUILD.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys

FENCE = re.compile(r"^( *)```(\S*)[ ]*(.*)$")


def blocks(path):
    language = None
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            match = FENCE.match(line.rstrip("\n"))
            if match and language is None:
                indent, language, info, start, body = *match.groups(), number, []
            elif match:
                yield language, info, start, body
                language = None
            elif language is not None:
                body.append(line.rstrip("\n").removeprefix(indent))


def matches(expected, actual):
    pattern = ".*".join(re.escape(part) for part in expected.strip().split("..."))
    return re.search(pattern, actual) is not None


def run(command, expected, where, runner=("bash", "-o", "pipefail", "-c")):
    done = subprocess.run([*runner, command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        return f"{where}: `{command}` exited {done.returncode}:\n{done.stdout}"
    lines = iter(done.stdout.splitlines())
    for line in expected:
        if line.strip() and not any(matches(line, actual) for actual in lines):
            return f"{where}: `{command}` did not print\n  {line}\nit printed\n{done.stdout}"
    return None


def run_console(body, where):
    command, expected, results = None, [], []
    for line in body + ["$ "]:
        if line.startswith("$ "):
            if command:
                results.append(run(command, expected, where))
            command, expected = line[2:], []
        elif command and command.endswith("\\"):
            command = command[:-1] + line.strip()
        else:
            expected.append(line)
    return results


def run_python(body, where):
    expected = [line[3:] for line in body if line.startswith("#> ")]
    return [run("\n".join(body), expected, where, (sys.executable, "-c"))]


def run_mlir(body, where):
    text = "\n".join(body)
    if "func.func" not in text:
        return []
    done = subprocess.run(["norm-opt", "--split-input-file"], input=text, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode == 0:
        return [None]
    return [f"{where}: norm-opt rejected the example:\n{done.stdout}"]


def link_tree(root, tree, build):
    shutil.rmtree(tree, ignore_errors=True)
    os.makedirs(tree)
    for name in os.listdir(root):
        if name != "build":
            os.symlink(os.path.join(root, name), os.path.join(tree, name))
    os.symlink(build, os.path.join(tree, "build"))
    return tree


def run_document(path, select):
    results = []
    for language, info, start, body in blocks(path):
        where = f"{path}:{start}"
        if info != select:
            continue
        if language == "console":
            results += run_console(body, where)
        elif language == "mlir":
            results += run_mlir(body, where)
        elif language == "python" and select:
            results += run_python(body, where)
    return results


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("documents", nargs="+")
    parser.add_argument("--tree")
    parser.add_argument("--build")
    parser.add_argument("--select", default="")
    options = parser.parse_args()
    os.chdir(link_tree(options.root, options.tree, options.build) if options.tree else options.root)
    results = [r for path in options.documents for r in run_document(path, options.select)]
    failures = [r for r in results if r]
    print("\n".join(failures))
    print(f"{len(results) - len(failures)} examples ran, {len(failures)} failed")
    return 1 if failures or not results else 0


if __name__ == "__main__":
    sys.exit(main())
