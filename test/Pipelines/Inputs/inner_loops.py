"""Says what the inner loops of an assembly file (AT&T x86 or AArch64) do.

    inner_loops.py FILE FUNCTION

One line a loop that holds no other, in the order of the file:

    loop: width 256, carried 8, loads 16, stores 0, nt 0, prefetch 0, fences 0,
    gathers 0, scalar 0, calls 0

width is that of the widest float arithmetic, in bits; carried counts the vector
registers that the loop reads before it writes them and writes: its accumulators.
scalar counts float instructions on one element.
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
    rest = ", ".join(f"{name} {count}" for name, count in counts.items())
    return f"loop: width {width}, carried {len(carried)}, {rest}"


def main(file, function):
    text = open(file).read()
    # AT&T syntax names registers with a percent sign.
    aarch = not re.search(r"%r[a-z]{2}", text)
    start = re.search(rf"^{function}:", text, re.M)
    if not start:
        sys.exit(f"no function {function} in {file}")
    end = text.index(".Lfunc_end", start.end())
    lines = text[start.end():end].split("\n")
    labels = {m[1]: i for i, line in enumerate(lines) if (m := re.match(r"(\.L\w+):", line))}
    loops = []
    for i, line in enumerate(lines):
        jump = re.match(r"\s+(?:j\w+|b\.?\w*|cbn?z|tbn?z)\s.*?(\.L\w+)\s*$", line)
        if jump and labels.get(jump[1], i) < i:
            loops.append((labels[jump[1]], i))
    # A block laid out after a loop that jumps back into it is no loop.
    loops = [a for a in loops if not any(b[0] < a[0] <= b[1] < a[1] for b in loops)]
    inner = [a for a in loops if not any(b != a and a[0] <= b[0] and b[1] <= a[1] for b in loops)]
    for first, last in sorted(set(inner)):
        print(describe(lines[first:last + 1], aarch))


main(*sys.argv[1:])
