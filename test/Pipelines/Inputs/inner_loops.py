"""Says what the inner loops of an assembly file (AT&T x86 or AArch64) do.

    inner_loops.py FILE FUNCTION

One line a loop that holds no other, in the order of the file:

    loop: width 256, carried 8, loads 16, stores 0, nt 0, prefetch 0, fences 0,
    gathers 0, scalar 0, calls 0

width is that of the widest float arithmetic, in bits; carried counts the vector
registers that the loop reads before it writes them and writes: its accumulators.
scalar counts float instructions on one element.

The loops over the edges of a row, which load less than a strip of 64 elements a turn and keep,
fetch and call nothing, are only counted:

    edges: 5
"""
import re
import sys

REGISTER = re.compile(r"%([xyz]mm\d+)|\b([vq]\d+)(?=[.,\]\s]|$)")
WIDTH = {"x": 128, "y": 256, "z": 512, "v": 128, "q": 128}
SCALAR = re.compile(r"v?(add|sub|mul|div|sqrt|max|min|ucomi|comi|fmadd\d*|mov)ss$"
                    r"|vcvt(ss|si|tss)\w*|cvt(ss|si|tss)\w*")
AARCH_SCALAR = re.compile(r"f(add|sub|mul|div|sqrt|madd|nmul|max|min|cvt)\s+[shd]\d")
ARITHMETIC = re.compile(r"v?(add|sub|mul|div|sqrt|max|min|fn?madd\d*)p[sd]$"
                        r"|f(add|sub|mul|mla|div|sqrt)$|fml[as]l?2?$")


def number(register):
    """Its number and letter: xmm3, ymm3 and zmm3 are one register, as v3 and q3."""
    return int(re.search(r"\d+$", register)[0]), register[0]


def registers(text):
    return [number(a or b) for a, b in REGISTER.findall(text)]


def instructions(lines):
    for line in lines:
        line = re.split(r"\s#|//", line.strip())[0]
        if line and not line.startswith((".", "#")) and not line.endswith(":"):
            yield line


def accesses(line, aarch):
    """What a line reads and writes of vector registers."""
    mnemonic, _, rest = line.partition("\t") if "\t" in line else line.partition(" ")
    operands = re.split(r",\s*(?![^(\[{]*[)\]}])", rest.strip())
    stores = mnemonic.startswith(("st", "prf")) if aarch else "(" in operands[-1]
    compares = re.match(r"v?(u?comis|ptest|cmp$)", mnemonic)
    if stores or compares or not registers(rest):
        return mnemonic, registers(rest), []
    target = operands[0] if aarch else operands[-1]
    if aarch and mnemonic in ("ldp", "ldnp"):
        return mnemonic, [], registers(",".join(operands[:2]))
    reads = registers(",".join(operands[1:] if aarch else operands[:-1]))
    # Two-operand forms of SSE, fused ones and inserts read what they write.
    moves = re.match(r"v?(mov|broadcast|cvt|lddqu|pmov)|sqrt|rsqrt", mnemonic)
    in_place = (not aarch and not mnemonic.startswith("v") and not moves) or \
        re.match(r"vfn?m(add|sub)\d|fml[as]|ins$|bi[tf]|fcvtn2|bfcvtn2|shrn2", mnemonic)
    if in_place:
        reads += registers(target)
    return mnemonic, reads, registers(target)


def describe(body, aarch):
    """The line of a loop; none of one over edges."""
    written, carried, early = set(), set(), set()
    width = 0
    counts = dict.fromkeys(["loads", "stores", "nt", "prefetch", "fences", "gathers", "scalar", "calls"], 0)
    for line in instructions(body):
        mnemonic, reads, writes = accesses(line, aarch)
        early |= {r[0] for r in reads} - written
        written |= {r[0] for r in writes}
        vectors = reads + writes
        if ARITHMETIC.match(mnemonic):
            width = max([width] + [WIDTH[r[1]] for r in vectors])
        memory = "[" in line if aarch else "(" in line
        nt = mnemonic in ("stnp",) or re.match(r"v?movnt(ps|dq|pd)$", mnemonic)
        counts["nt"] += bool(nt)
        counts["prefetch"] += mnemonic.startswith(("prefetch", "prfm"))
        counts["fences"] += mnemonic in ("sfence", "mfence", "dmb")
        counts["gathers"] += "gather" in mnemonic or bool(aarch and re.match(r"ld1\s.*\[\d+\]", line))
        counts["scalar"] += bool(AARCH_SCALAR.match(line) if aarch else SCALAR.match(mnemonic))
        counts["calls"] += mnemonic in ("callq", "call", "bl", "blr")
        if memory and vectors and not nt:
            stores = mnemonic.startswith("st") if aarch else not writes
            counts["stores" if stores else "loads"] += 1
    carried = early & written
    if counts["loads"] < 8 and not carried and not counts["prefetch"] + counts["calls"]:
        return None
    rest = ", ".join(f"{name} {count}" for name, count in counts.items())
    return f"loop: width {width}, carried {len(carried)}, {rest}"


JUMP = re.compile(r"\s+(j\w+|b|b\.\w+|cbn?z|tbn?z)\s+(?:.*,\s*)?(\.L\w+)\s*$")
FINAL = re.compile(r"\s+(jmp|b|ret|retq|br|ud2|brk)\b(?!\.)")


def split(lines):
    """Basic blocks, and which follow each."""
    blocks, names, targets = [[]], {}, [[]]
    for line in lines:
        label = re.match(r"(\.L\w+):", line)
        if label:
            blocks.append([])
            targets.append([])
            names[label[1]] = len(blocks) - 1
        blocks[-1].append(line)
        jump = JUMP.match(line)
        if jump:
            targets[-1].append(jump[2])
        if jump or FINAL.match(line):
            blocks.append([])
            targets.append([])
    following = []
    for i, block in enumerate(blocks):
        after = [names[t] for t in targets[i] if t in names]
        if i + 1 < len(blocks) and not (block and FINAL.match(block[-1])):
            after.append(i + 1)
        following.append(after)
    return blocks, following


def find_dominators(following):
    every = set(range(len(following)))
    before = {i: [j for j in every if i in following[j]] for i in every}
    dominators = {i: every for i in every} | {0: {0}}
    changed = True
    while changed:
        changed = False
        for i in sorted(every - {0}):
            common = set.intersection(*[dominators[j] for j in before[i]]) if before[i] else every
            if common | {i} != dominators[i]:
                dominators[i], changed = common | {i}, True
    return dominators, before


def find_inner_loops(blocks, following):
    """Lines of each natural loop that holds no header but its own."""
    dominators, before = find_dominators(following)
    loops = {}
    for i, after in enumerate(following):
        for header in after:
            if header not in dominators[i] or (not before[i] and i):
                continue
            body, work = loops.setdefault(header, {header}), [i]
            while work:
                j = work.pop()
                if j not in body:
                    body.add(j)
                    work += before[j]
    for header, body in sorted(loops.items()):
        if not any(other in body for other in loops if other != header):
            yield [line for j in sorted(body) for line in blocks[j]]


def main(file, function):
    text = open(file).read()
    # AT&T syntax names registers with a percent sign.
    aarch = not re.search(r"%r[a-z]{2}", text)
    start = re.search(rf"^{function}:", text, re.M)
    if not start:
        sys.exit(f"no function {function} in {file}")
    end = text.index(".Lfunc_end", start.end())
    lines = text[start.end():end].split("\n")
    found = [describe(body, aarch) for body in find_inner_loops(*split(lines))]
    print(*filter(None, found), sep="\n")
    print("edges:", found.count(None))


main(*sys.argv[1:])
