"""Programs on integers of one width, as argument, constant, temporary and
result, compared with Python's integers.

    element_types.py WIDTHS ARGUMENTS...   runs norm-run with ARGUMENTS on each
    element_types.py --wrong ...           expects the other sign, and must fail
    element_types.py --print WIDTH         writes the program

Rows of 83 are a vector of 64, one of 16 and a masked one. Beyond 64 bits there
are no arguments and results, for norm-run has none.
"""
import re
import subprocess
import sys
import tempfile

ROWS, COLUMNS = 3, 83
SHAPE = f"{ROWS}x{COLUMNS}"
WIDE = f"tensor<{SHAPE}xi64>"

MAPS = """#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
"""


def generic(name, inputs, result, body, reduced=(), outs=None):
    """One linalg.generic; `inputs` are (value, type, map)."""
    maps = [m for _, _, m in inputs] + (["#row"] * len(reduced) or ["#all"])
    results = list(reduced) or [result]
    outs = outs or [f"%e_{name}"]
    lines = [] if reduced else [f"  %e_{name} = tensor.empty() : {result}"]
    element = lambda type: re.sub(r".*x|>", "", type)
    arguments = [f"%a{i}: {element(t)}" for i, (_, t, _) in enumerate(inputs)]
    arguments += [f"%o{i}: {element(t)}" for i, t in enumerate(results)]
    types = ", ".join(t for _, t, _ in inputs)
    count = f":{len(results)}" if len(results) > 1 else ""
    kinds = '"parallel", ' + ('"reduction"' if reduced else '"parallel"')
    return "\n".join(lines + [
        f"  %{name}{count} = linalg.generic {{indexing_maps = [{', '.join(maps)}],"
        f" iterator_types = [{kinds}]}} ins({', '.join(v for v, _, _ in inputs)} : {types})"
        f" outs({', '.join(outs)} : {', '.join(results)}) {{",
        f"  ^bb0({', '.join(arguments)}):"] + [f"    {line}" for line in body] +
        [f"  }} -> ({', '.join(results)})"])


def convert(op, to, source, origin, target):
    return f"%{to} = arith.{op} %{source} : {origin} to {target}"


class Program:
    def __init__(self, width):
        self.width = width
        self.type = f"i{width}"
        self.tensor = f"tensor<{SHAPE}x{self.type}>"
        self.has_arguments = width <= 64
        self.narrowing = "trunci" if width < 64 else "extsi"
        self.widening = "trunci" if width > 64 else "ext{}i"
        self.constant = [self.signed((5 * j + 3) % 17 - 8) for j in range(COLUMNS)]
        self.results = []  # (value, type, expected)

    def signed(self, v):
        v &= (1 << self.width) - 1
        return v - (1 << self.width) if v >> (self.width - 1) else v

    def unsigned(self, v):
        """As 64 bits show it, with their sign."""
        v &= (1 << min(self.width, 64)) - 1
        return v - (1 << 64) if v >> 63 else v

    def narrow(self, to, source):
        if self.width == 64:
            return f"%{to} = arith.ori %{source}, %{source} : i64"
        return convert(self.narrowing, to, source, "i64", self.type)

    def widen(self, to, source, sign="s"):
        if self.width == 64:
            return f"%{to} = arith.ori %{source}, %{source} : i64"
        return convert(self.widening.format(sign), to, source, self.type, "i64")

    def text(self, x, n):
        """The program; `x` are 64-bit integers, `n` of the type."""
        flat = range(len(x))
        t, tensor = self.type, self.tensor
        row = [flat[i * COLUMNS:(i + 1) * COLUMNS] for i in range(ROWS)]
        value = lambda v: str(bool(v)).lower() if self.width == 1 else str(v)
        constant = ", ".join(value(v) for v in self.constant)
        lines = [f"  %k = arith.constant dense<[{constant}]> : tensor<{COLUMNS}x{t}>",
                 "  %zero = arith.constant " + ("false" if self.width == 1 else f"0 : {t}"),
                 "  %zero64 = arith.constant 0 : i64",
                 f"  %er = tensor.empty() : tensor<{ROWS}x{t}>",
                 f"  %er64 = tensor.empty() : tensor<{ROWS}xi64>",
                 f"  %f = linalg.fill ins(%zero : {t}) outs(%er : tensor<{ROWS}x{t}>) -> tensor<{ROWS}x{t}>",
                 f"  %f64 = linalg.fill ins(%zero64 : i64) outs(%er64 : tensor<{ROWS}xi64>) -> tensor<{ROWS}xi64>"]
        wide, narrow = ("%x", WIDE, "#all"), ("%temporary", tensor, "#all")
        add = lambda *parts: lines.append(generic(*parts))
        add("temporary", [wide], tensor, [self.narrow("v", "a0"), f"linalg.yield %v : {t}"])
        lowered = [self.signed(v) for v in x]
        for sign, of in (("s", self.signed), ("u", self.unsigned)):
            add(f"wide_{sign}", [narrow], WIDE,
                [self.widen("v", "a0", sign), "linalg.yield %v : i64"])
            self.result(f"wide_{sign}", WIDE, [of(v) for v in x])
        add("sum", [narrow, ("%k", f"tensor<{COLUMNS}x{t}>", "#col")], WIDE,
            [f"%s = arith.addi %a0, %a1 : {t}", self.widen("v", "s"), "linalg.yield %v : i64"])
        self.result("sum", WIDE, [self.signed(lowered[i] + self.constant[i % COLUMNS]) for i in flat])
        add("mask", [wide], f"tensor<{SHAPE}xi1>",
            ["%m = arith.cmpi slt, %a0, %zero64 : i64", "linalg.yield %m : i1"])
        self.result("mask", f"tensor<{SHAPE}xi1>", [int(v < 0) for v in x])
        add("chosen", [("%mask", f"tensor<{SHAPE}xi1>", "#all"), narrow, ("%k", f"tensor<{COLUMNS}x{t}>", "#col")],
            WIDE, [f"%s = arith.select %a0, %a1, %a2 : {t}", self.widen("v", "s"), "linalg.yield %v : i64"])
        self.result("chosen", WIDE, [lowered[i] if x[i] < 0 else self.constant[i % COLUMNS] for i in flat])
        self.reductions(lines, narrow, lowered, row)
        if self.has_arguments:
            given = ("%n", tensor, "#all")
            add("given", [given, narrow], tensor, [f"%s = arith.subi %a0, %a1 : {t}", f"linalg.yield %s : {t}"])
            self.result("given", tensor, [self.shown(n[i] - lowered[i]) for i in flat])
            add("copied", [given], tensor, [f"linalg.yield %a0 : {t}"])
            self.result("copied", tensor, [self.shown(v) for v in n])
        types = ", ".join(type for _, type, _ in self.results)
        arguments = f"%x: {WIDE}" + (f", %n: {tensor}" if self.has_arguments else "")
        return (MAPS + f"func.func @main({arguments}) -> ({types}) {{\n" + "\n".join(lines) +
                f"\n  return {', '.join('%' + v for v, _, _ in self.results)} : {types}\n}}\n")

    def reductions(self, lines, narrow, values, rows):
        t = self.type
        one = [f"tensor<{ROWS}x{t}>"]
        fold = {"ori": lambda a, b: a | b, "xori": lambda a, b: a ^ b,
                "addi": lambda a, b: a + b, "maxsi": max,
                "maxui": lambda a, b: max(a, b, key=lambda v: v & ((1 << self.width) - 1))}
        for op, combine in fold.items():
            lines.append(generic(op, [narrow], None,
                         [f"%s = arith.{op} %a0, %o0 : {t}", f"linalg.yield %s : {t}"], one, ["%f"]))
            expected = []
            for row in rows:
                total = 0
                for i in row:
                    total = self.signed(combine(total, values[i]))
                expected.append(total)
            self.row_result(lines, op, f"%{op}", expected)
        lines.append(generic("best", [narrow], None, [
            "%i = linalg.index 1 : index", "%j = arith.index_cast %i : index to i64",
            f"%g = arith.cmpi ugt, %a0, %o0 : {t}", f"%s = arith.select %g, %a0, %o0 : {t}",
            "%p = arith.select %g, %j, %o1 : i64", f"linalg.yield %s, %p : {t}, i64"],
            one + [f"tensor<{ROWS}xi64>"], ["%f", "%f64"]))
        places = []
        for row in rows:
            keys = [values[i] & ((1 << self.width) - 1) for i in row]
            places.append(keys.index(max(keys)))
        self.result("best#1", f"tensor<{ROWS}xi64>", places)

    def row_result(self, lines, name, value, expected):
        """Widened, for norm-run does not print what has more than 64 bits."""
        map = "affine_map<(d0) -> (d0)>"
        lines += [f"  %{name}_64 = linalg.generic {{indexing_maps = [{map}, {map}],"
                  f' iterator_types = ["parallel"]}} ins({value} : tensor<{ROWS}x{self.type}>)'
                  f" outs(%er64 : tensor<{ROWS}xi64>) {{",
                  f"  ^bb0(%a0: {self.type}, %o0: i64):", "    " + self.widen("v", "a0"),
                  "    linalg.yield %v : i64", f"  }} -> tensor<{ROWS}xi64>"]
        self.result(f"{name}_64", f"tensor<{ROWS}xi64>", expected)

    def shown(self, v):
        return v & 1 if self.width == 1 else self.signed(v)

    def result(self, value, type, expected):
        self.results.append((value, type, expected))


def make(width):
    """The program, its text and its arguments."""
    x = [(37 * i * i + 11 * i) % 4001 - 2000 for i in range(ROWS * COLUMNS)]
    program = Program(width)
    n = [program.signed(7 * i * i + i) % (1 << min(width, 30)) for i in range(len(x))]
    return program, program.text(x, n), x, n


def run(width, command, directory, wrong):
    program, text, x, n = make(width)
    file = f"{directory}/i{width}.mlir"
    with open(file, "w") as out:
        out.write(text)
    inputs = [f"--input={SHAPE}xi64={' '.join(map(str, x))}"]
    if program.has_arguments:
        inputs.append(f"--input={SHAPE}xi{width}={' '.join(map(str, n))}")
    done = subprocess.run([*command, file, *inputs], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"i{width}: {done.stderr}")
    lines = done.stdout.splitlines()
    assert len(lines) == len(program.results), done.stdout
    for (value, _, expected), line in zip(program.results, lines):
        actual = [int(v) for v in re.sub(r"[\[\]]+", " ", line.split("=", 1)[1]).split()]
        if wrong:
            expected = [-v for v in expected]
        if actual != expected:
            at = next(i for i, (a, e) in enumerate(zip(actual, expected)) if a != e)
            sys.exit(f"i{width}: {value}: element {at} is {actual[at]}, expected {expected[at]}")
    print(f"i{width}: {len(lines)} results are right")


def main():
    arguments = sys.argv[1:]
    if arguments[0] == "--print":
        print(make(int(arguments[1]))[1])
        return
    wrong = arguments[0] == "--wrong"
    widths, *command = arguments[1:] if wrong else arguments
    with tempfile.TemporaryDirectory() as directory:
        for width in widths.split(","):
            run(int(width), command, directory, wrong)


main()
