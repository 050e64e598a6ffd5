"""What is recognized does not depend on the order of functions or of independent ops.

    shuffle.py [--seeds N] [--wrong] [--print SEED] PROGRAM|FOLDER...

Each program is printed by norm-opt, and again with the functions of its modules and the
ops of each block in a random order that keeps operands in front of their users and ops
with side effects as they follow each other. Both must give, function by function, the
same norms (types and attributes, whatever the names of values) and the same kinds of
ops, and the same remarks. Exits 1 on any difference; --wrong compares with the program
before recognition, so that each that has norms or remarks must differ. --print writes
one shuffled program, to see what a failure is about.
"""
import argparse
import collections
import os
import random
import re
import subprocess
import sys

SEPARATOR = "// -----"
RECOGNIZE = ["--norm-recognize", "--remarks-filter=norm.*"]
# Dialects whose ops only compute values; what else there is keeps its order.
PURE = ("arith.", "math.", "tensor.", "linalg.", "affine.apply", "affine.yield", "affine.min",
        "affine.max", "complex.", "index.", "shape.", "scf.", "tosa.")
VALUE = re.compile(r"%[\w$.-]+")
NORM = re.compile(r"\bnorm\.rmsnorm(_backward)? ")


# Text of printed modules: an op is a line and the deeper ones that follow it, with the
# lines between its regions and after them.

def get_indent(line):
    return len(line) - len(line.lstrip(" "))


def count_open(line):
    """How many braces a line leaves open."""
    bare = re.sub(r'"(?:[^"\\]|\\.)*"|//.*', "", line)
    return bare.count("{") - bare.count("}")


def split_ops(lines):
    """The ops of a block, each as its lines."""
    ops, left_open, indent = [], 0, get_indent(lines[0]) if lines else 0
    for line in lines:
        if left_open or (ops and get_indent(line) > indent):
            ops[-1].append(line)
        else:
            ops.append([line])
        left_open += count_open(line)
    return ops


def shuffle_op(op, rng):
    """The op with the blocks of its regions shuffled."""
    lines, body, indent = [op[0]], [], get_indent(op[0])
    is_table = re.match(r" *(builtin\.)?module\b", op[0])
    for line in op[1:]:
        if get_indent(line) > indent:
            body.append(line)
            continue
        lines += shuffle_block(body, rng, is_table) + [line]
        body = []
    return lines + shuffle_block(body, rng, is_table)


def shuffle_block(lines, rng, is_table=False):
    """The ops of a block in another order; its last one ends it, but in a module."""
    ops = split_ops(lines)
    if not is_table and len(ops) > 1:
        ops = order_ops(ops[:-1], rng) + ops[-1:]
    elif is_table:
        rng.shuffle(ops)
    return [line for op in ops for line in shuffle_op(op, rng)]


def order_ops(ops, rng):
    """A random order with each op after those that it reads and effects as they were."""
    makers = {name: i for i, op in enumerate(ops) for name in find_results(op[0])}
    after, waits, last_effect = collections.defaultdict(set), [0] * len(ops), None
    for i, op in enumerate(ops):
        read = {makers[n] for n in VALUE.findall("\n".join(op)) if n in makers} - {i}
        if has_effects(op):
            read |= {last_effect} - {None}
            last_effect = i
        for maker in read:
            after[maker].add(i)
        waits[i] = len(read)
    ready, order, left = [i for i, n in enumerate(waits) if not n], [], set(range(len(ops)))
    while left:
        # Unreachable blocks may have cycles: any of the first then.
        at = rng.randrange(len(ready)) if ready else None
        i = min(left) if at is None else ready.pop(at)
        left.discard(i)
        order.append(ops[i])
        for user in after[i]:
            waits[user] -= 1
            if not waits[user] and user in left:
                ready.append(user)
    return order


def find_results(line):
    names = re.match(r" *((?:%[\w$.-]+(?::\d+)?(?:, )?)+) = ", line)
    return VALUE.findall(names.group(1)) if names else []


def has_effects(op):
    """Whether any op of it is not known to be pure."""
    for line in op:
        text = re.sub(r"^ *(?:[^=\"]* = )?", "", line) if " = " in line else line.strip()
        name = re.match(r"\"?([a-z]\w*\.[\w.]+|call\b|func\.\w+)", text)
        if name and not name.group(1).startswith(PURE):
            return True
    # On buffers: no results.
    return not find_results(op[0])


def shuffle_program(text, seed):
    """The text of a printed program with everything independent in another order."""
    body, resources = re.match(r"(.*?)(^\{-#.*)?\Z", text, re.S | re.M).groups()
    lines = [line for line in body.split("\n") if line.strip()]
    rng = random.Random(seed)
    return "\n".join(shuffle_block(lines, rng, is_table=True)) + "\n" + (resources or "")


# Programs and what is made of them.

def find_files(paths):
    for path in paths:
        if os.path.isdir(path):
            yield from (os.path.join(path, n) for n in sorted(os.listdir(path)) if n.endswith(".mlir"))
        else:
            yield path


def norm_opt(text, *options):
    return subprocess.run(["norm-opt", "-", "--mlir-print-local-scope", *options],
                          input=text, capture_output=True, text=True, timeout=120)


def read_programs(paths):
    """{name: text as norm-opt prints it} of each part of each file."""
    programs = {}
    for path in find_files(paths):
        with open(path, encoding="utf-8") as f:
            parts = f.read().split(SEPARATOR + "\n")
        for i, part in enumerate(parts):
            name = os.path.basename(path) + (f", part {i + 1}" if len(parts) > 1 else "")
            done = norm_opt(part)
            if done.returncode == 0:
                programs[name] = done.stdout
            elif "expected-error" not in part:
                print(f"{name}: left out, not valid")
    return programs


def recognize(texts):
    """(program, {kind and text of each remark}) of each; None where norm-opt fails."""
    done = norm_opt(f"\n{SEPARATOR}\n".join(texts), "--split-input-file", *RECOGNIZE)
    outputs = done.stdout.split(SEPARATOR)
    if done.returncode or len(outputs) != len(texts):
        return [recognize([text])[0] for text in texts] if len(texts) > 1 else [None]
    return list(zip(outputs, split_remarks(texts, done.stderr)))


def split_remarks(texts, output):
    """How often each remark is about each text: they name lines of all texts."""
    ends, line = [], 0
    for text in texts:
        line += text.count("\n") + 2
        ends.append(line)
    remarks = [collections.Counter() for _ in texts]
    for number, kind, text in re.findall(
            r"^<stdin>:(\d+):\d+: remark: \[(\w+)\].*?Remark=\"(.*)\"$", output, re.M):
        index = next(i for i, end in enumerate(ends) if int(number) <= end)
        remarks[index][f"{kind}: {text}"] += 1
    return remarks


def describe(text):
    """What each function has: its norms without the names of values, kinds of ops."""
    found = collections.defaultdict(collections.Counter)
    function, indent = "", -1
    for line in text.split("\n"):
        if name := re.search(r"func\.func [\w ]*@([\w$.]+)", line):
            function, indent = name.group(1), get_indent(line)
        elif get_indent(line) <= indent and not line.lstrip().startswith(("}", "^")):
            function, indent = "", -1  # beside the functions
        if NORM.search(line):
            found[function][re.sub(r"%[\w#]+", "%", line.strip())] += 1
        elif op := re.search(r"(?:^ *| = )\"?([a-z]\w*\.[\w.]+)", line):
            found[function][op.group(1)] += 1
    return {name: counts for name, counts in found.items() if counts}


def compare(before, after):
    """The first thing in which two programs and their remarks differ; empty if none."""
    if before is None or after is None:
        return "" if before is after else "norm-opt fails with one of them"
    (old, old_remarks), (new, new_remarks) = before, after
    if old_remarks != new_remarks:
        return "remarks: " + show_difference(old_remarks, new_remarks)
    old, new = describe(old), describe(new)
    for name in sorted({*old, *new}):
        if old.get(name) != new.get(name):
            none = collections.Counter()
            return f"@{name}: " + show_difference(old.get(name, none), new.get(name, none))
    return ""


def show_difference(old, new):
    lost, more = sorted((old - new).elements()), sorted((new - old).elements())
    return f"{len(lost)} less ({lost[0] if lost else ''}), {len(more)} more ({more[0] if more else ''})"


def check(programs, seeds):
    """Compares all programs over all seeds, and prints what differs."""
    names, texts = list(programs), list(programs.values())
    expected, problems, moved = recognize(texts), {}, 0
    for seed in range(seeds):
        shuffled = [shuffle_program(text, f"{seed}-{name}") for name, text in programs.items()]
        moved += sum(new.split() != old.split() for new, old in zip(shuffled, texts))
        for name, old, new in zip(names, expected, recognize(shuffled)):
            problem = compare(old, new)
            if problem:
                problems.setdefault(name, f"seed {seed}: {problem}")
    for name, problem in problems.items():
        print(f"{name}: {problem}")
    print(f"{len(names)} programs, {seeds} orders of each, {moved} changed by it: "
          f"{len(problems)} programs differ")
    return 1 if problems or not moved else 0


def check_wrong(programs):
    """As `check`, with no recognition of the shuffled programs that have remarks."""
    expected = recognize(list(programs.values()))
    plain = [(shuffle_program(text, name), collections.Counter()) for name, text in programs.items()]
    has_any = [(old, new) for old, new in zip(expected, plain)
               if old and old[1]]
    seen = sum(bool(compare(old, new)) for old, new in has_any)
    print(f"{seen} of {len(has_any)} failures are seen")
    return 1 if seen else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--wrong", action="store_true",
                        help="without recognition of the shuffled programs: all must differ")
    parser.add_argument("--print", dest="show", metavar="SEED")
    args = parser.parse_args()
    programs = read_programs(args.paths)
    if args.show is not None:
        for name, text in programs.items():
            print(shuffle_program(text, f"{args.show}-{name}"))
        return 0
    return check_wrong(programs) if args.wrong else check(programs, args.seeds)


if __name__ == "__main__":
    sys.exit(main())
