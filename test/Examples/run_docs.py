"""Runs the examples of documents.

    run_docs.py ROOT DOCUMENT... [--but=NAME,...]

A DOCUMENT that is a folder is every *.md in it, but for the NAMEs.

```console blocks: every `$ command` is run in the repository root; it must
exit 0 and print the lines that follow it, in order, where `...` in a line
stands for any text. ```console no-run blocks are shown only. Blocks may be indented.
```mlir blocks that hold a function must be accepted by norm-opt.
"""
import os
import re
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


def run(command, expected, where):
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
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


def run_mlir(body, where):
    text = "\n".join(body)
    if "func.func" not in text:
        return []
    done = subprocess.run(["norm-opt", "--split-input-file"], input=text, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode == 0:
        return [None]
    return [f"{where}: norm-opt refused the example:\n{done.stdout}"]


def expand(arguments):
    but = [n for a in arguments if a.startswith("--but=") for n in a[6:].split(",")]
    for argument in arguments:
        if os.path.isdir(argument):
            yield from (os.path.join(argument, name) for name in sorted(os.listdir(argument))
                        if name.endswith(".md") and name not in but)
        elif not argument.startswith("--"):
            yield argument


def main(root, arguments):
    os.chdir(root)
    results = []
    for path in expand(arguments):
        for language, info, start, body in blocks(path):
            where = f"{path}:{start}"
            if language == "console" and info != "no-run":
                results += run_console(body, where)
            elif language == "mlir":
                results += run_mlir(body, where)
    failures = [r for r in results if r]
    print("\n".join(failures))
    print(f"{len(results) - len(failures)} examples ran, {len(failures)} failed")
    return 1 if failures or not results else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
