"""Prints the workarounds under a folder that do not say what LLVM lacks and when they go."""

import pathlib
import re
import sys

COMMENT = re.compile(r"(?:(?://|#) Upstream:.*\n)(?: *(?://|#) .*\n)*")
SENTENCE = re.compile(r"(//|#) Upstream: LLVM 22\.1: [^;]+; goes [^;.]+\.")

found = []
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*")):
    if path.suffix in (".cpp", ".h", ".txt"):
        found += [(path, re.sub(r"\n *(//|#)", "", c)) for c in COMMENT.findall(path.read_text())]
for path, comment in found:
    if not SENTENCE.match(comment):
        print(f"{path}: no such sentence: {comment}")
print(len(found), "workarounds")
