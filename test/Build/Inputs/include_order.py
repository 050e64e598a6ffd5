"""Holds the table of folders in CONTRIBUTING.md against the includes of lib and include.

    include_order.py ROOT [--forbid FOLDER]

A folder may include only folders above it in the table, and itself. Prints each include
that the table forbids and each folder that it lacks, and exits 1 where there is one.
--forbid moves a folder to the end of the table, so that what includes it must fail.
"""
import argparse
import pathlib
import re
import sys


def read_table(text):
    """The folders of the table, from the top: those of one row are equal."""
    rows = re.findall(r"^\| (`[^|]*) \|", text.split("| folder | what is in it |")[1], re.M)
    return [re.findall(r"`([A-Za-z/-]+)`", row) for row in rows]


def find_folder(path, folders):
    """The longest folder of the table that the path lies in."""
    holders = [f for f in folders if path == f or path.startswith(f + "/")]
    return max(holders, key=len, default=None)


def read_includes(file, root):
    """The project's files that a source names, below include/norm or lib."""
    for name in re.findall(r'^#include "([^"]+)"', file.read_text(), re.M):
        if name.startswith("norm/"):
            yield name.removeprefix("norm/")
        elif (file.parent / name).exists():
            yield str((file.parent / name).resolve().relative_to(root / "lib"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--forbid", default="")
    options = parser.parse_args()
    root = options.root.resolve()
    rows = read_table((root / "CONTRIBUTING.md").read_text())
    level = {folder: i for i, row in enumerate(rows) for folder in row}
    if options.forbid:
        level[options.forbid] = len(rows)
    problems, count = set(), 0
    for base in (root / "lib", root / "include/norm"):
        for file in sorted(base.rglob("*")):
            if file.suffix not in (".h", ".cpp") or file.parent == base:
                continue
            path = str(file.relative_to(base))
            folder = find_folder(path, level)
            if folder is None:
                problems.add(f"{path.rpartition('/')[0]} is not in the table")
                continue
            for include in read_includes(file, root):
                count += 1
                other = find_folder(include, level)
                if "/" in include and other and other != folder and level[other] >= level[folder]:
                    problems.add(f"{file.relative_to(root)} includes {include}: {other} is not above {folder}")
    print(*sorted(problems), sep="\n" if problems else "")
    print(f"{count} includes of {len(level)} folders, {len(problems)} problems")
    return 1 if problems else 0


sys.exit(main())
