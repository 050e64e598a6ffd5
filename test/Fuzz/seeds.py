"""Writes the programs that fuzzing starts from, one a file.

    seeds.py OUT PATH...

A PATH is a .mlir file or a folder of them. What `// -----` parts are programs of
their own; comments go, so that changes fall on code.
"""
import pathlib
import re
import sys

LARGEST = 16384  # longer programs take long, and say little more


def programs(path):
    for part in re.split(r"^// -----.*$", path.read_text(), flags=re.M):
        text = re.sub(r"^\s*//.*\n|[ \t]+$", "", part, flags=re.M).strip()
        if text and len(text) <= LARGEST:
            yield text + "\n"


def files(path):
    return sorted(path.rglob("*.mlir")) if path.is_dir() else [path]


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    count = 0
    for path in (f for p in sys.argv[2:] for f in files(pathlib.Path(p))):
        for text in programs(path):
            (out / f"{count:05}-{path.stem}.mlir").write_text(text)
            count += 1
    print(count, "seeds")


main()
