"""Programs that are wrong in one respect, as a table of edits of right programs.

    near_misses.py NORM-OPT TABLE [--found REGEX] [--write FOLDER] [--wrong]

A table has sections and entries:

    === forward.mlir [rounding=exact] [without 'dx(']
      with TEXT => TEXT; TEXT => TEXT         edits of every program of the section
    // Why, where name and reason do not say it.
    NAME: TEXT => TEXT; ...                   the edits that make the mistake
      with TEXT => TEXT; ...                  edits that leave the program right
      (REASON): MESSAGE                       its first remark; `no remark` if it has none

The program is of the folder Inputs beside the table; an edit replaces all occurrences and
needs one. Without the mistake, recognition must write what --found matches. With it, it
must give the reason, and leave the program as it is or write nothing with the text after
`without`. --write writes the programs with their mistakes, and --wrong runs them without,
so that each must fail.
"""
import argparse
import os
import re
import shlex
import subprocess
import sys

SPLIT = "// -----\n"
LOCATED = re.compile(r"<stdin>:(\d+):\d+: remark: ")


def parse(path):
    """The entries of a table: name, base, rounding, text without, edits before and of the mistake, reason."""
    entries, section, entry = [], None, None
    with open(path) as file:
        lines = [line.rstrip() for line in file]
    start = next(i for i, line in enumerate(lines) if line.startswith("==="))
    for line in lines[start:]:
        text = line.strip()
        if line.startswith("==="):
            base, *options = shlex.split(text[3:])
            section = {"base": base, "with": [], "without": None, "rounding": "default"}
            entry = section
            while options:
                option = options.pop(0)
                if option == "without":
                    section["without"] = options.pop(0)
                else:
                    section["rounding"] = option.removeprefix("rounding=")
        elif text.startswith("with "):
            entry["with"] = entry["with"] + parse_edits(text[5:])
        elif line.startswith(" "):
            entry["reason"] = text
        elif text and not text.startswith("//"):
            name, edits = text.split(": ", 1)
            entry = dict(section, name=name, mistake=parse_edits(edits))
            entries.append(entry)
    return entries


def parse_edits(text):
    return [tuple(part.strip() for part in edit.split("=>")) for edit in text.split("; ")]


def edit(entry, program, edits):
    for old, new in edits:
        if old not in program:
            sys.exit(f"{entry['name']}: the program has no '{old}'")
        program = program.replace(old, new)
    return program


def run(opt, programs, *options):
    """What norm-opt writes and which remarks it makes, program by program."""
    done = subprocess.run([opt, "-", "--split-input-file", *options], text=True, capture_output=True,
                          input=SPLIT.join(programs))
    outputs, remarks, first, lines = done.stdout.split(SPLIT), [], 1, done.stderr.splitlines()
    if done.returncode or len(outputs) != len(programs):
        sys.exit(done.stderr)
    for program in programs:
        last = first + program.count("\n")
        remarks.append([line for line in lines
                        if (found := LOCATED.match(line)) and first <= int(found[1]) <= last])
        first = last + SPLIT.count("\n")
    return list(zip(outputs, remarks))


def check(entry, found):
    """What is wrong with an entry, or nothing."""
    recognized, (out, remarks), plain = entry["results"]
    remark = next((line for line in remarks if "remark: [Missed] RMSNorm" in line), "no remark")
    if not re.search(found, recognized[0]):
        return "is not recognized without the mistake:\n" + entry["right"]
    if entry["reason"] not in remark:
        return f"expected {entry['reason']}, found {remark}\n{entry['wrong']}"
    if entry["without"]:
        return f"expected no {entry['without']}, found\n{out}" if entry["without"] in out else None
    if any("[Passed]" in line for line in remarks):
        return "is recognized too"
    return None if out == plain[0] else "is changed:\n" + out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("opt")
    parser.add_argument("table")
    parser.add_argument("--found", default=r"norm\.rmsnorm ins\(")
    parser.add_argument("--write")
    parser.add_argument("--wrong", action="store_true")
    options = parser.parse_args()
    entries = parse(options.table)
    for entry in entries:
        with open(os.path.join(os.path.dirname(options.table), "Inputs", entry["base"])) as file:
            entry["right"] = edit(entry, file.read(), entry["with"])
        entry["wrong"] = edit(entry, entry["right"], [] if options.wrong else entry["mistake"])
        if options.write:
            os.makedirs(options.write, exist_ok=True)
            with open(os.path.join(options.write, entry["name"] + ".mlir"), "w") as file:
                file.write(entry["wrong"])
    if options.write:
        return
    for rounding in {entry["rounding"] for entry in entries}:
        group = [entry for entry in entries if entry["rounding"] == rounding]
        right, wrong = ([entry[kind] for entry in group] for kind in ("right", "wrong"))
        recognize = f"--norm-recognize=rounding={rounding}"
        runs = zip(run(options.opt, right, recognize),
                   run(options.opt, wrong, recognize, "--remarks-filter=norm.*"), run(options.opt, wrong))
        for entry, results in zip(group, runs):
            entry["results"] = results
    failures = [f"{entry['name']} {wrong}" for entry in entries if (wrong := check(entry, options.found))]
    print("\n".join(failures[:1 if options.wrong else None]))
    print(f"{len(entries)} near misses, {len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
