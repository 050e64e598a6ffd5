#!/usr/bin/env python3
"""Writes random linalg programs: rows of one and two, windows, parts that change places.

usage: linalg_programs.py SEED COUNT FOLDER
"""
import pathlib
import random
import sys

EXTENTS = [1, 1, 2, 2, 2, 3, 4, 5, 8, 17]


def spell(shape):
    return "tensor<" + "".join(f"{d}x" for d in shape) + "f32>"


def dims(rank, order=None):
    names = [f"d{i}" for i in range(rank)]
    results = names if order is None else [names[i] for i in order]
    return f"affine_map<({', '.join(names)}) -> ({', '.join(results)})>"


class Program:
    """One function, whose values are static tensors of f32 of up to three dimensions."""

    def __init__(self, rng):
        self.rng = rng
        self.lines = []
        self.values = []  # (name, shape)
        self.count = 0
        self.arguments = []
        for _ in range(rng.randint(1, 3)):
            shape = tuple(rng.choice(EXTENTS) for _ in range(rng.randint(1, 3)))
            self.arguments.append((f"%x{len(self.arguments)}", shape))
        self.values += self.arguments

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def emit(self, line):
        self.lines.append("  " + line)

    def define(self, shape, text):
        name = self.name()
        self.emit(f"{name} = {text}")
        self.values.append((name, tuple(shape)))
        return name

    def pick(self):
        # Later values more often, so that ops form chains.
        return self.values[int(len(self.values) * self.rng.random() ** 0.5)]

    def empty(self, shape):
        name = self.name()
        self.emit(f"{name} = tensor.empty() : {spell(shape)}")
        return name

    def filled(self, shape, value):
        number, name, empty = self.name(), self.name(), self.destination(shape)
        self.emit(f"{number} = arith.constant {value} : f32")
        self.emit(f"{name} = linalg.fill ins({number} : f32) outs({empty} : {spell(shape)}) -> {spell(shape)}")
        return name

    def destination(self, shape):
        """An empty tensor, or a value that an op overwrites."""
        same = [v for v, s in self.values if s == tuple(shape) and not v.startswith("%x")]
        return self.rng.choice(same) if same and self.rng.random() < 0.3 else self.empty(shape)

    def generic(self, shape, maps, kinds, inputs, init, body):
        """`body` spells the result %r of the elements %a0, %a1 ... and the old one, %o."""
        elements = ", ".join(f"%a{i}: f32" for i in range(len(inputs)))
        kinds = ", ".join(f'"{k}"' for k in kinds)
        values = ", ".join(v for v, _ in inputs)
        types = ", ".join(spell(s) for _, s in inputs)
        self.define(shape, f"linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}} "
                    f"ins({values} : {types}) outs({init} : {spell(shape)}) {{\n"
                    f"  ^bb0({elements}, %o: f32):\n    {body}\n    linalg.yield %r : f32\n  }} -> {spell(shape)}")

    def elementwise(self):
        x = self.pick()
        inputs = [x] + [v for v in self.rng.sample(self.values, len(self.values)) if v[1] == x[1]][:1]
        op = self.rng.choice(["addf", "subf", "maximumf", "mulf"])
        body = f"%r = arith.{op} %a0, %a{len(inputs) - 1} : f32"
        maps = [dims(len(x[1]))] * (len(inputs) + 1)
        self.generic(x[1], maps, ["parallel"] * len(x[1]), inputs, self.destination(x[1]), body)

    def broadcast(self):
        x = self.pick()
        rows = [v for v in self.values if len(v[1]) and v[1] == x[1][-len(v[1]):]]
        if not rows:
            return
        row, rank = self.rng.choice(rows), len(x[1])
        maps = [dims(rank), dims(rank, range(rank - len(row[1]), rank)), dims(rank)]
        self.generic(x[1], maps, ["parallel"] * rank, [x, row], self.empty(x[1]), "%r = arith.addf %a0, %a1 : f32")

    def transpose(self):
        x = self.pick()
        if not x[1]:  # upstream's verifier crashes (LLVM 22)
            return
        order = list(range(len(x[1])))
        self.rng.shuffle(order)
        shape = [x[1][i] for i in order]
        self.define(shape, f"linalg.transpose ins({x[0]} : {spell(x[1])}) outs({self.empty(shape)} : {spell(shape)}) permutation = {order}")

    def reduce(self):
        x = self.pick()
        rank = len(x[1])
        gone = {i for i in range(rank) if self.rng.random() < 0.5}
        kept = [i for i in range(rank) if i not in gone]
        if not gone:
            return
        shape = [x[1][i] for i in kept]
        op, start = self.rng.choice([("addf", "0.0"), ("maximumf", "-8.0"), ("addf", "2.0")])
        kinds = ["reduction" if i in gone else "parallel" for i in range(rank)]
        self.generic(shape, [dims(rank), dims(rank, kept)], kinds, [x], self.filled(shape, start), f"%r = arith.{op} %a0, %o : f32")

    def swap(self):
        """Slices of a dimension, joined in another order."""
        x = self.pick()
        if not x[1]:
            return
        axis = self.rng.randrange(len(x[1]))
        extent = x[1][axis]
        if extent < 2:
            return
        cuts = sorted(self.rng.sample(range(1, extent), min(extent - 1, self.rng.choice([1, 1, 2]))))
        parts = []
        for start, end in zip([0] + cuts, cuts + [extent]):
            shape = list(x[1])
            shape[axis] = end - start
            offsets = [start if i == axis else 0 for i in range(len(shape))]
            name = self.define(shape, f"tensor.extract_slice {x[0]}{offsets} {shape} {[1] * len(shape)} : {spell(x[1])} to {spell(shape)}")
            parts.append((name, shape))
        self.rng.shuffle(parts)
        names, types = ", ".join(n for n, _ in parts), ", ".join(spell(s) for _, s in parts)
        self.define(x[1], f"tensor.concat dim({axis}) {names} : ({types}) -> {spell(x[1])}")

    def window(self):
        """A sum, a maximum or a weighted sum over windows that need not cover the operand."""
        x = self.pick()
        if not x[1]:
            return
        rank = len(x[1])
        axis = self.rng.randrange(rank)
        size = self.rng.randint(1, x[1][axis])
        stride, dilation = self.rng.choice([1, 1, 2, 3]), self.rng.choice([1, 1, 2])
        if (size - 1) * dilation + 1 > x[1][axis]:
            dilation = 1
        places = (x[1][axis] - (size - 1) * dilation - 1) // stride + 1
        shape = list(x[1])
        shape[axis] = self.rng.randint(1, places)
        moved = [f"d{i} * {stride} + d{rank} * {dilation}" if i == axis else f"d{i}" for i in range(rank)]
        loops = ", ".join(f"d{i}" for i in range(rank + 1))
        maps = [f"affine_map<({loops}) -> ({', '.join(moved)})>", f"affine_map<({loops}) -> (d{rank})>", dims(rank + 1, range(rank))]
        weights = [v for v in self.values if v[1] == (size,)]
        weight = self.rng.choice(weights) if weights else (self.filled([size], "0.5"), (size,))
        body = self.rng.choice(["%p = arith.mulf %a0, %a1 : f32\n    %r = arith.addf %p, %o : f32", "%r = arith.addf %a0, %o : f32", "%r = arith.maximumf %a0, %o : f32"])
        self.generic(shape, maps, ["parallel"] * rank + ["reduction"], [x, weight], self.filled(shape, "-1.0"), body)

    def write(self):
        numbers = [self.elementwise, self.elementwise, self.broadcast, self.transpose, self.reduce, self.swap, self.swap, self.window, self.window]
        for _ in range(self.rng.randint(2, 9)):
            self.rng.choice(numbers)()
        made = [v for v in self.values if not v[0].startswith("%x")] or [self.values[0]]
        results = [made[-1]] + self.rng.sample(made, min(len(made), self.rng.randint(0, 3)))
        types = ", ".join(spell(s) for _, s in results)
        arguments = ", ".join(f"{v}: {spell(s)}" for v, s in self.arguments)
        returned = ", ".join(v for v, _ in results)
        return "\n".join([f"func.func @main({arguments}) -> ({types}) {{", *self.lines, f"  return {returned} : {types}", "}", ""])


def main():
    seed, count, folder = int(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    for i in range(seed, seed + count):
        (folder / f"{i}.mlir").write_text(Program(random.Random(i)).write())


if __name__ == "__main__":
    main()
