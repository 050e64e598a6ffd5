"""Malformed programs: a diagnostic and exit 1, or a program that is valid after
all; never a crash, a hang or all of the memory (malformed.test).

    malformed.py FOLDER PROGRAM.mlir...
"""
import pathlib
import random
import subprocess
import sys

from limited import limit_memory

FOLDER = pathlib.Path(sys.argv[1])
PROGRAMS = [pathlib.Path(p) for p in sys.argv[2:]]
SECONDS = 60
OUT = FOLDER / "out"
TOOLS = {
    "opt": ["norm-opt", "--norm-recognize"],
    "compile": ["norm-compile", "--emit=norm", "-o", OUT],
    "object": ["norm-compile", "--emit=obj", "-o", OUT],
    "ptx": ["norm-compile", "--target=nvvm", "--emit=ptx", "-o", OUT],
    "run": ["norm-run", "--function=main"],
}


def run(tool, content, suffix=".mlir"):
    """Exit status and message, of a program that is in a file."""
    path = FOLDER / ("malformed" + suffix)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    try:
        done = subprocess.run([*TOOLS[tool], path], capture_output=True, timeout=SECONDS, preexec_fn=lambda: limit_memory(4))
    except subprocess.TimeoutExpired:
        return "hangs", ""
    return done.returncode, done.stderr.decode(errors="replace")


class Table:
    def __init__(self):
        self.count = self.wrong = 0

    def check(self, name, tool, content, message=None, suffix=".mlir"):
        """Without a message: whatever the program is."""
        status, text = run(tool, content, suffix)
        if message is None:
            held = status == 0 or (status == 1 and "error: " in text)
        else:
            held = status == 1 and "error: " in text and message in text
        held = held and "PLEASE submit" not in text and "a pass crashed" not in text
        self.count += 1
        if not held:
            self.wrong += 1
            kept = FOLDER / f"wrong-{self.wrong}{suffix}"
            kept.write_bytes((FOLDER / ("malformed" + suffix)).read_bytes())
            print(f"WRONG {tool} ({status}): {name} ({kept}): {text[-300:]}")

    def done(self, what):
        print(f"{what}: {self.count} programs, {self.wrong} wrong")


def prefixes():
    table = Table()
    for program in PROGRAMS:
        content = program.read_bytes()
        step = max(1, len(content) // 16)
        for end in range(step // 2, len(content), step):
            table.check(f"{program.name} to {end}", "opt", content[:end])
            table.check(f"{program.name} to {end}", "compile", content[:end])
    table.done("prefixes")


def junk():
    table = Table()
    table.check("empty", "opt", b"")
    table.check("empty", "object", b"")
    numbers = random.Random(1)
    contents = {
        "zeros": bytes(4096),
        "ELF": b"\x7fELF" + numbers.randbytes(1000),
        "gzip": b"\x1f\x8b" + numbers.randbytes(1000),
        "UTF-16": "func.func @f() { return }".encode("utf-16"),
        "not UTF-8": b"func.func @\xff\xfe() { return }",
        "a zero inside": b"func.func @f() { re\0turn }",
        "a string without end": b'module attributes {a = "',
        "a comment without end": b"module {} // \xff",
        "an npy file": b"\x93NUMPY\x01\0",
        "bytecode's magic alone": b"ML\xefR",
        "bytecode of version 255": b"ML\xefR\xff" + b"MLIR22\0" + numbers.randbytes(64),
    }
    for i in range(8):
        contents[f"random {i}"] = numbers.randbytes(1 << i * 2)
    for name, content in contents.items():
        for tool in ("opt", "compile", "run"):
            valid = name in ("a comment without end", "zeros")  # as MLIR sees it
            table.check(name, tool, content, None if valid or tool == "run" else "error: ")
    table.done("junk")


def nested(n):
    yield "lists", "#a = " + "[" * n + "]" * n
    yield "dictionaries", "module attributes {test.a = " + "{a = " * n + "1" + "}" * n + "} {}"
    yield "modules", "module {" * n + "}" * n
    yield "types", "func.func private @f(" + "tuple<" * n + "i32" + ">" * n + ")"
    yield "functions", "func.func private @f(" + "() -> (" * n + ")" * n + ")"
    yield "affine expressions", "#m = affine_map<(d0) -> (" + "(" * n + "d0" + ")" * n + ")>"
    yield "locations", "module {} loc(" + 'callsite("a" at ' * n + '"b"' + ")" * n + ")"
    yield "regions", "func.func @f(%c: i1) {" + "scf.if %c {\n" * n + "}\n" * n + "return }"
    yield "no end", "module attributes {a = " + "[" * n


def nesting():
    table = Table()
    for name, content in nested(100000):
        for tool in ("opt", "compile", "run"):
            table.check(name, tool, content, "brackets are nested more than 256 deep")
    for name, content in nested(200):
        for tool in ("opt", "object"):
            table.check(f"200 {name}", tool, content)
    brackets = '"' + "[({<" * 1000 + '"'
    table.check("in a string", "opt", f"module attributes {{test.a = {brackets}}} {{}} // " + "[" * 1000)
    table.done("nesting")


NORM = """func.func @main(%x: {0}) -> {0} {{
  %e = tensor.empty() : {0}
  %y = norm.rmsnorm ins(%x : {0}) outs(%e : {0}) dims = [1] epsilon = 1.0e-6 : f32 -> {0}
  return %y : {0}
}}"""


def chain(n):
    """A function whose result goes through n additions."""
    lines = "\n".join(f"  %{i + 1} = arith.addf %{i}, %{i} : f32" for i in range(n))
    return f"func.func @main(%a: f32) -> f32 {{\n  %0 = arith.negf %a : f32\n{lines}\n  return %{n} : f32\n}}"


def body(n):
    """The same in the body of an op, between a norm and its weight."""
    lines = "\n".join(f"    %{i + 1} = arith.addf %{i}, %w : f32" for i in range(n))
    return f"""#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
func.func @main(%x: tensor<4x8xf32>, %g: tensor<8xf32>) -> tensor<4x8xf32> {{
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e = tensor.empty() : tensor<4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {{indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}} ins(%x : tensor<4x8xf32>) outs(%i : tensor<4xf32>) {{
  ^bb0(%a: f32, %s: f32):
    %p = arith.mulf %a, %a : f32
    %q = arith.addf %p, %s : f32
    linalg.yield %q : f32
  }} -> tensor<4xf32>
  %o = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {{indexing_maps = [#all, #row, #column, #all], iterator_types = ["parallel", "parallel"]}} ins(%x, %sum, %g : tensor<4x8xf32>, tensor<4xf32>, tensor<8xf32>) outs(%o : tensor<4x8xf32>) {{
  ^bb0(%a: f32, %s: f32, %w: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %a, %r : f32
    %0 = arith.negf %w : f32
{lines}
    %v = arith.mulf %z, %{n} : f32
    linalg.yield %v : f32
  }} -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}}"""


def sizes():
    table = Table()
    for shape in ("4611686018427387904x8", "9223372036854775807x9223372036854775807", "1x9223372036854775807",
                  "4294967296x4294967296", "0x9223372036854775807", "9223372036854775807x0", "1048576x1048576"):
        for element in ("f32", "bf16"):
            program = NORM.format(f"tensor<{shape}x{element}>")
            for tool in ("opt", "compile", "object", "ptx"):
                table.check(f"{shape}x{element}", tool, program)
    for tool in ("opt", "object"):
        table.check("20 digits", tool, NORM.format("tensor<99999999999999999999x8xf32>"), "error: ")
        table.check("a negative extent", tool, NORM.format("tensor<-4x8xf32>"), "error: ")
        table.check("a million digits", tool, NORM.format("tensor<" + "9" * 1000000 + "x8xf32>"), "error: ")
        table.check("an epsilon of a million digits", tool,
                    NORM.format("tensor<4x8xf32>").replace("1.0e-6", "1." + "0" * 1000000))
        table.check("1000 dimensions", tool, NORM.format("tensor<" + "1x" * 1000 + "f32>"))
        table.check("a name of a million letters", tool,
                    NORM.format("tensor<4x8xf32>").replace("main", "m" * 1000000))
        table.check("20000 additions", tool, chain(20000))
        table.check("20000 additions in a body", tool, body(20000))
    table.done("sizes")


REDUCE = """func.func @f(%x: tensor<4x8xf32>, %i: tensor<4xf32>) -> tensor<4xf32> {{
  %r = linalg.reduce {{ arith.addf }} ins(%x : tensor<4x8xf32>) outs(%i : tensor<4xf32>) dimensions = [{0}]
  return %r : tensor<4xf32>
}}"""
BROADCAST = """func.func @f(%x: tensor<8xf32>, %i: tensor<4x8xf32>) -> tensor<4x8xf32> {{
  %r = linalg.broadcast ins(%x : tensor<8xf32>) outs(%i : tensor<4x8xf32>) dimensions = [{0}]
  return %r : tensor<4x8xf32>
}}"""
GENERIC = """func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {{
  %r = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["{0}"]}} outs(%x : tensor<8xf32>) {{
  ^bb0(%a: f32):
    linalg.yield %a : f32
  }} -> tensor<8xf32>
  return %r : tensor<8xf32>
}}"""
SQUARE = """func.func @f(%x: tensor<8x{0}>) -> tensor<8x{0}> {{
  %r = linalg.square ins(%x : tensor<8x{0}>) outs(%x : tensor<8x{0}>) -> tensor<8x{0}>
  return %r : tensor<8x{0}>
}}"""


def upstream():
    """Programs that LLVM 22's mlir-opt crashes on."""
    table = Table()
    for tool in ("opt", "compile", "object", "run"):
        table.check("an index of 2^64", tool, REDUCE.format("18446744073709551616"), "error: ")
        table.check("a dimension twice", tool, BROADCAST.format("0, 0"), "error: ")
        table.check("a word among dimensions", tool, BROADCAST.format("0, a"), "error: ")
        table.check("an iterator type that is none", tool, GENERIC.format("window"), "error: ")
        table.check("a square of vectors", tool, SQUARE.format("vector<4xf32>"), "error: ")
        table.check("a square of indices", tool, SQUARE.format("index"), "error: ")
    table.done("upstream's")


def bytecode():
    """What norm-opt writes, cut and with bytes changed."""
    table = Table()
    numbers = random.Random(2)
    for program in PROGRAMS[:2]:
        content = subprocess.run(["norm-opt", program, "--emit-bytecode"], capture_output=True, check=True).stdout
        step = max(1, len(content) // 40)
        for end in range(4, len(content), step):
            table.check(f"{program.name} to {end}", "opt", content[:end], None, ".mlirbc")
        for i in range(200):
            changed = bytearray(content)
            for _ in range(numbers.randint(1, 4)):
                changed[numbers.randrange(4, len(content))] = numbers.randrange(256)
            table.check(f"{program.name} changed {i}", ("opt", "compile")[i % 2], bytes(changed), None, ".mlirbc")
    table.done("bytecode")


for part in (prefixes, junk, nesting, sizes, upstream, bytecode):
    part()
