"""Checks that each ```c, ```cpp and ```cmake block of a document stands in a
source file, apart from white space and comments.

snippets.py DOCUMENT SOURCE...
"""
import re
import sys


def squeeze(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^\s*(//|#(?!include)).*$", "", text, flags=re.M)
    return re.sub(r"\s+", "", text)


def main(document, sources):
    with open(document, encoding="utf-8") as f:
        blocks = re.findall(r"^```(?:c|cpp|cmake)\n(.*?)^```", f.read(), re.S | re.M)
    text = []
    for source in sources:
        with open(source, encoding="utf-8") as f:
            text.append(squeeze(f.read()))
    # A line of dots leaves something out.
    parts = [part for block in blocks for part in re.split(r"^\s*\.\.\.$", block, flags=re.M)]
    missing = [part for part in parts if not any(squeeze(part) in t for t in text)]
    for part in missing:
        print(f"{document}: in none of the sources:\n{part}")
    print(f"{len(parts)} snippets, {len(missing)} stale")
    return 1 if missing or not parts else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
