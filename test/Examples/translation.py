"""Checks that a translation holds the code blocks of its original: the same ones
in the same order, and the same links and table rows.

translation.py ORIGINAL TRANSLATION
"""
import re
import sys

BLOCK = re.compile(r"^```.*?^```$", re.S | re.M)


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def links(text, itself):
    """Of the prose, but for the ones between the two documents."""
    found = re.findall(r"\]\(([^)]*)\)", BLOCK.sub("", text))
    return [link for link in found if link not in itself]


def rows(text):
    """First cells of the tables' rows."""
    return [row for row in re.findall(r"^\| ([^|]*) \|", BLOCK.sub("", text), re.M)
            if row[0] in "`["]


def main(original, translation):
    names = [path.rsplit("/", 1)[-1] for path in (original, translation)]
    texts = [read(original), read(translation)]
    wrong = []
    for name, text, other in zip(names, texts, reversed(names)):
        if f"]({other})" not in text:
            wrong.append(f"{name} has no link to {other}")
    kinds = {"code block": BLOCK.findall, "link": lambda text: links(text, names), "table row": rows}
    for kind, find in kinds.items():
        first, second = map(find, texts)
        for a, b in zip(first, second):
            if a != b:
                wrong.append(f"{kind} of {names[0]}:\n{a}\nis in {names[1]}:\n{b}")
                break
        if len(first) != len(second):
            wrong.append(f"{names[0]} has {len(first)} {kind}s, {names[1]} {len(second)}")
    print("\n".join(wrong) if wrong else f"in step: {len(BLOCK.findall(texts[0]))} code blocks")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
