"""Results that are written over arguments, against the same program without it, bit by bit.

    in_place.py PREFIX NORM-OPT MLIR-TRANSLATE CLANG OPENMP

Some programs read an argument again after a result was written over it, and need a copy of it.
Each runs with and without streams, one and two threads, and static and open extents.
"""
import ctypes
import subprocess
import sys

import numpy as np

from normtest import align, call, store

prefix, opt, translate, clang, openmp = sys.argv[1:]
random = np.random.default_rng(37)

HEAD = """#m = affine_map<(i, j) -> (i, j)>
#t = affine_map<(i, j) -> (j, i)>
#r = affine_map<(i, j) -> (i)>
#c = affine_map<(i, j) -> (j)>
"""


class Writer:
    """The text of ops on tensors of m rows and n columns, of which "?" is open."""

    def __init__(self, element, m, n):
        self.element, self.m, self.n = element, m, n
        self.matrix = f"tensor<{m}x{n}x{element}>"
        self.types = {"#m": self.matrix, "#t": self.matrix, "#r": f"tensor<{m}xf32>",
                      "#c": f"tensor<{n}x{element}>"}

    def empty(self, name, type_):
        dims = [f"%{d}" for d, extent in (("m", self.m), ("n", self.n))
                if extent == "?" and (type_ == self.matrix or d == ("m" if "f32" in name else "n"))]
        return f"  {name} = tensor.empty({', '.join(dims)}) : {type_}\n"

    def generic(self, name, out, kinds, inputs, outs, body):
        """An op whose inputs are pairs of a value and a map; a body is of f32."""
        elements = ["f32" if m == "#r" else self.element for _, m in inputs]
        to = "f32" if out != "#m" else self.element
        arguments = ", ".join(f"%a{i}: {e}" for i, e in enumerate(elements))
        wide = "".join(f"    %x{i} = arith.extf %a{i} : {e} to f32\n" if e != "f32" else
                       f"    %x{i} = arith.addf %a{i}, %none : f32\n" for i, e in enumerate(elements))
        narrow = f"    %out = arith.truncf %v : f32 to {to}\n" if to != "f32" else ""
        types = ", ".join(self.types[m] for _, m in inputs)
        result = {"#m": self.matrix, "#r": f"tensor<{self.m}xf32>", "#c": f"tensor<{self.n}xf32>"}[out]
        return (f"  {name} = linalg.generic {{indexing_maps = [{', '.join(m for _, m in inputs)}, {out}], "
                f"iterator_types = [{', '.join(kinds)}]}} ins({', '.join(v for v, _ in inputs)} : {types}) "
                f"outs({outs} : {result}) {{\n  ^bb0({arguments}, %o: {to}):\n{wide}{body}{narrow}"
                f"    linalg.yield {'%out' if narrow else '%v'} : {to}\n  }} -> {result}\n")

    def add(self, name, x, y, maps=("#m", "#m")):
        return self.generic(name, "#m", ['"parallel"'] * 2, [*zip((x, y), maps)], "%e",
                            "    %v = arith.addf %x0, %x1 : f32\n")

    def total(self, name, x, out, body):
        """Sums of rows or of columns."""
        kinds = ['"parallel"', '"reduction"'] if out == "#r" else ['"reduction"', '"parallel"']
        extent, d = (self.m, "m") if out == "#r" else (self.n, "n")
        type_ = f"tensor<{extent}xf32>"
        return (f"  {name}e = tensor.empty({f'%{d}' if extent == '?' else ''}) : {type_}\n"
                f"  {name}z = linalg.fill ins(%zero : f32) outs({name}e : {type_}) -> {type_}\n"
                + self.generic(name, out, kinds, [(x, "#m")], f"{name}z", body))

    def columns(self, name, x):
        return self.total(name, x, "#c", "    %v = arith.addf %o, %x0 : f32\n")

    def norm(self, name, x):
        squares = "    %q = arith.mulf %x0, %x0 : f32\n    %v = arith.addf %o, %q : f32\n"
        scale = """    %mean = arith.divf %x1, %length : f32
    %me = arith.addf %mean, %eps : f32
    %root = math.rsqrt %me : f32
    %p = arith.mulf %x0, %root : f32
    %v = arith.mulf %p, %x2 : f32
"""
        return self.total(f"{name}s", x, "#r", squares) + self.generic(
            name, "#m", ['"parallel"'] * 2, [(x, "#m"), (f"{name}s", "#r"), ("%w", "#c")], "%e", scale)

    def shift(self, name, x):
        """The rows of %r, over which the rows of x but the first are written."""
        rest = "?" if self.m == "?" else self.m - 1
        part = f"tensor<{rest}x{self.n}x{self.element}>"
        sizes = f"[{'%below' if rest == '?' else rest}, {'%n' if self.n == '?' else self.n}] [1, 1]"
        return (f"  %below = arith.subi %m, %c1 : index\n"
                f"  {name}p = tensor.extract_slice {x}[1, 0] {sizes} : {self.matrix} to {part}\n"
                f"  {name} = tensor.insert_slice {name}p into %r[0, 0] {sizes} : {part} into {self.matrix}\n")

    def first(self, name, x):
        """The first row of x."""
        row = f"tensor<{self.n}x{self.element}>"
        return (f"  {name} = tensor.extract_slice {x}[0, 0] [1, {'%n' if self.n == '?' else self.n}] [1, 1] : "
                f"{self.matrix} to {row}\n")

    def function(self, name, body, results, over):
        types = ", ".join(f"tensor<{self.n}xf32>" if r == "%k" else self.matrix for r in results)
        over = [f" {{norm.result = {result} : i64}}" if result is not None else "" for result in over]
        dims = ", ".join(f"%{d}" for d, extent in (("m", self.m), ("n", self.n)) if extent == "?")
        return f"""func.func @{name}(%x: {self.matrix}{over[0]}, %r: {self.matrix}{over[1]}, %w: {self.types["#c"]}) -> ({types}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant -0.0 : f32
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %m = tensor.dim %x, %c0 : {self.matrix}
  %n = tensor.dim %x, %c1 : {self.matrix}
  %ni = arith.index_cast %n : index to i64
  %length = arith.sitofp %ni : i64 to f32
  %e = tensor.empty({dims}) : {self.matrix}
{body}  return {', '.join(results)} : {types}
}}
"""


def residual(w):
    return w.add("%h", "%x", "%r") + w.norm("%y", "%h")


# The ops, their results, and which of them are written over %x and over %r.
PROGRAMS = {
    "sum-over-x": (residual, ["%h", "%y"], (0, None)),
    "sum-over-r": (residual, ["%h", "%y"], (None, 0)),
    "norm-over-x": (residual, ["%h", "%y"], (1, None)),
    "both": (residual, ["%h", "%y"], (0, 1)),
    "both-crossed": (residual, ["%h", "%y"], (1, 0)),
    "norm-alone": (lambda w: w.norm("%y", "%x"), ["%y"], (0, None)),
    "norm-beside-sum": (lambda w: w.norm("%y", "%x") + w.add("%h", "%x", "%r"), ["%h", "%y"], (1, 0)),
    "columns-of-x": (lambda w: residual(w) + w.columns("%k", "%x"), ["%h", "%y", "%k"], (0, None)),
    "columns-of-h": (lambda w: residual(w) + w.columns("%k", "%h"), ["%h", "%y", "%k"], (0, 1)),
    "two-norms": (lambda w: residual(w) + w.add("%g", "%y", "%x") + w.norm("%z", "%g"), ["%h", "%z"], (0, 1)),
    "swap": (lambda w: "", ["%r", "%x"], (0, 1)),
    "kept-and-overwritten": (lambda w: w.norm("%y", "%x"), ["%y", "%x", "%x"], (0, 1)),
    "row-below": (lambda w: w.shift("%s", "%x") + w.add("%h", "%x", "%s"), ["%h"], (0, None)),
    "first-row": (lambda w: w.first("%s", "%x") + w.add("%h", "%x", "%s", ("#m", "#c")), ["%h"], (0, None)),
    "transposed": (lambda w: w.add("%h", "%x", "%r", ("#t", "#m")), ["%h"], (0, None)),
    "transposed-later": (lambda w: residual(w) + w.add("%g", "%x", "%y", ("#t", "#m")), ["%h", "%g"], (0, 1)),
}
SIZES = [(1, 1), (5, 1), (1, 7), (3, 67), (33, 64), (9, 250), (70, 256), (17, 1000), (2, 2049), (5, 4100)]
SQUARES = [(1, 1), (3, 3), (67, 67), (130, 130)]


def compile_all(text, name, threads, cache_bytes):
    files = [f"{prefix}.{name}.{end}" for end in ("mlir", "llvm.mlir", "ll", "so")]
    with open(files[0], "w") as file:
        file.write(text)
    subprocess.run([opt, files[0], f"--norm-to-cpu=threads={threads} cache-bytes={cache_bytes} grain=1",
                    "-o", files[1]], check=True)
    subprocess.run([translate, "--mlir-to-llvmir", files[1], "-o", files[2]], check=True)
    subprocess.run([clang, "-O0", "-Wno-override-module", "-fPIC", "-shared", files[2], "-o", files[3], "-lm",
                    openmp], check=True)
    return ctypes.CDLL(files[3])


def run(function, arguments, results, over):
    """The results: in arguments, of which nothing around them is written, and in buffers."""
    arguments, memories = map(list, zip(*(align(a, filler=0xA5) for a in arguments)))
    before = [a.copy() for a in arguments]
    outs = [np.empty_like(r) for i, r in enumerate(results) if i not in over]
    call(function, *arguments, *outs)
    outs = iter(outs)
    found = [arguments[over.index(i)].copy() if i in over else next(outs) for i in range(len(results))]
    for i, (argument, memory) in enumerate(zip(arguments, memories)):
        if i >= len(over) or over[i] is None:
            assert argument.tobytes() == before[i].tobytes(), "writes an argument"
        argument.view(np.uint8)[...] = 0xA5
        assert (memory == 0xA5).all(), "writes around an argument"
    return [r.tobytes() for r in found]


class Case:
    """A program without and with results written over arguments, and the sizes that it runs at."""

    def __init__(self, program, element, extents, sizes):
        self.program, self.element, self.extents, self.sizes = program, element, extents, sizes
        shape = "x".join(map(str, extents)).replace("?", "open")
        self.name = f"{program}.{element}.{shape}".replace("-", "_").replace(".", "_")

    def write(self):
        make, results, over = PROGRAMS[self.program]
        writer = Writer(self.element, *self.extents)
        body = make(writer)
        return [writer.function(f"{self.name}_{i}", body, results, which) for i, which in enumerate([(None, None), over])]

    def find_wrong(self, library):
        """The sizes at which a result differs."""
        _, results, over = PROGRAMS[self.program]
        wrong = []
        for m, n in self.sizes:
            arguments = [store(random.standard_normal(s), self.element) for s in ((m, n), (m, n), (n,))]
            like = [np.empty(n, np.float32) if r == "%k" else arguments[0] for r in results]
            expected, found = (run(library[f"_mlir_ciface_{self.name}_{i}"], arguments, like, o)
                               for i, o in enumerate([(None, None), over]))
            if found != expected:
                wrong.append((self.element, m, n))
        return wrong


# By the threads, and the bytes from which on rows are streamed (0: what the machine says).
cases = {}
for number, program in enumerate(PROGRAMS):
    sizes = SQUARES if program.startswith("transposed") else SIZES
    open_sizes = [(m, n) for m, n in sizes if m > 1 or program != "row-below"]
    for element, threads, cache_bytes in (("f32", 1, 0), ("f32", 1, 1), ("f32", 2, 0), ("bf16", 1, 1), ("f16", 2, 1)):
        cases.setdefault((threads, cache_bytes), []).append(Case(program, element, ("?", "?"), open_sizes))
    for i, element in enumerate(("f32", "bf16")):
        size = open_sizes[(number + i) % len(open_sizes)]
        cases.setdefault((1 + number % 2, i), []).append(Case(program, element, size, [size]))
failed = {program: [] for program in PROGRAMS}
for (threads, cache_bytes), some in cases.items():
    text = HEAD + "".join(function for case in some for function in case.write())
    library = compile_all(text, f"{threads}.{cache_bytes}", threads, cache_bytes)
    for case in some:
        failed[case.program] += case.find_wrong(library)
for program, wrong in failed.items():
    print(f"{program}:", f"WRONG at {wrong}" if wrong else "the same bits")
