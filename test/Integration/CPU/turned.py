"""Runs copies and elementwise ops on permuted operands and compares bit for bit.

    turned.py PREFIX OPTIONS...

Numbers are integers, of which no result is rounded. OPTIONS are norm-compile's.
"""
import random
import sys

import numpy as np
from normtest import compile_shared, run_compiled

prefix, options = sys.argv[1], sys.argv[2:]
COPIED = {"i1": np.uint8, "i8": np.uint8, "f8E4M3FN": np.uint8, "i16": np.uint16, "bf16": np.uint16, "f16": np.uint16}
COMPUTED = {"i32": np.int32, "i64": np.int64, "f32": np.float32, "f64": np.float64}
EXTENTS = (1, 3, 15, 16, 17, 31, 48, 63, 64, 65, 100, 130, 200)


class Program:
    """A linalg.generic of parallel loops: the sum of its inputs, and twice that as a second result."""

    def __init__(self, name, draw):
        self.name, self.draw = name, draw
        self.rank = draw.choice((2, 2, 3, 4))
        self.extents = [draw.choice(EXTENTS) for _ in range(self.rank)]
        while np.prod(self.extents) > 200000:
            self.extents[draw.randrange(self.rank)] = draw.choice((1, 2, 5))
        self.open = [draw.random() < 0.3 for _ in range(self.rank)]
        self.element = draw.choice([*COPIED, *COMPUTED, *COMPUTED])
        self.type = {**COPIED, **COMPUTED}[self.element]
        computes = self.element in COMPUTED
        self.inputs = [self.permute(self.rank)]
        if computes:
            self.inputs += [self.permute(draw.randint(1, self.rank)) for _ in range(draw.randrange(3))]
        self.results = [self.permute(self.rank) for _ in range(draw.randint(1, 1 + computes))]
        self.reads = computes and draw.random() < 0.2  # the first result

    def permute(self, rank):
        return self.draw.sample(range(self.rank), rank)

    def tensor(self, dims):
        extents = ("?" if self.open[d] else str(self.extents[d]) for d in dims)
        return f"tensor<{'x'.join(extents)}x{self.element}>"

    def write(self):
        add = "arith.addf" if self.element[0] in "fb" else "arith.addi"
        loops = ", ".join(f"d{d}" for d in range(self.rank))
        maps = ", ".join(f"affine_map<({loops}) -> ({', '.join(f'd{d}' for d in dims)})>"
                         for dims in self.inputs + self.results)
        arguments = [(f"%a{i}", self.tensor(dims)) for i, dims in enumerate(self.inputs)]
        results = [self.tensor(dims) for dims in self.results]
        lines, sizes = [], {}
        for d in range(self.rank):
            if self.open[d]:
                sizes[d] = f"%s{d}"
                lines += [f"%c{d} = arith.constant {self.inputs[0].index(d)} : index",
                          f"%s{d} = tensor.dim %a0, %c{d} : {arguments[0][1]}"]
        for i, (dims, type_) in enumerate(zip(self.results, results)):
            if i > 0 or not self.reads:
                lines.append(f"%r{i} = tensor.empty({', '.join(sizes[d] for d in dims if d in sizes)}) : {type_}")
        body, value = [], "%x0"
        for other in [f"%x{i}" for i in range(1, len(arguments))] + ["%y0"] * self.reads:
            body.append(f"%v{len(body)} = {add} {value}, {other} : {self.element}")
            value = f"%v{len(body) - 1}"
        values = [value]
        if len(results) > 1:
            body.append(f"%twice = {add} {value}, {value} : {self.element}")
            values.append("%twice")
        elements = [f"%x{i}: {self.element}" for i in range(len(arguments))]
        elements += [f"%y{i}: {self.element}" for i in range(len(results))]
        parameters = arguments + [("%r0", results[0])] * self.reads
        kinds = ", ".join(['"parallel"'] * self.rank)
        lines += [f"%r:{len(results)} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}"
                  f" ins({', '.join(a for a, _ in arguments)} : {', '.join(t for _, t in arguments)})"
                  f" outs({', '.join(f'%r{i}' for i in range(len(results)))} : {', '.join(results)}) {{",
                  f"^bb0({', '.join(elements)}):", *body,
                  f"linalg.yield {', '.join(values)} : {', '.join([self.element] * len(results))}",
                  f"}} -> ({', '.join(results)})",
                  f"return {', '.join(f'%r#{i}' for i in range(len(results)))} : {', '.join(results)}"]
        return (f"func.func @{self.name}({', '.join(f'{a}: {t}' for a, t in parameters)}) -> ({', '.join(results)}) {{\n  "
                + "\n  ".join(lines) + "\n}\n")

    def make(self, dims):
        most = 2 if self.element == "i1" else 100
        shape = [self.extents[d] for d in dims]
        return np.random.default_rng(len(dims)).integers(0, most, shape).astype(self.type)

    def spread(self, array, dims):
        """The elements of an operand that the iterations read."""
        return np.transpose(array, np.argsort(dims)).reshape([self.extents[d] if d in dims else 1 for d in range(self.rank)])

    def check(self, library):
        arguments = [(self.make(dims), dims) for dims in self.inputs + self.results[:1] * self.reads]
        value = sum((self.spread(*argument) for argument in arguments[1:]), self.spread(*arguments[0]))
        expected = [np.transpose(v, dims) for v, dims in zip((value, value + value), self.results)]
        results = [np.empty(v.shape, self.type) for v in expected]
        actual = run_compiled(library, self.name, [array for array, _ in arguments], results)
        return all(np.array_equal(a, e.astype(self.type)) for a, e in zip(actual, expected))


programs = [Program(f"f{i}", random.Random(i)) for i in range(60)]
with open(f"{prefix}.mlir", "w") as file:
    file.writelines(program.write() for program in programs)
library = compile_shared(f"{prefix}.mlir", f"{prefix}.so", *options)
wrong = [program for program in programs if not program.check(library)]
for program in wrong:
    print("WRONG:", program.write())
print(f"{len(programs)} programs, {len(wrong)} wrong")
