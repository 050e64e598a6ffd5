"""Random programs on parts of tensors beside numpy: right, or an error with its location.

usage: sharded.py DIRECTORY [--seed=N] [--programs=N] [--wrong]
Fixed programs come first: each was once wrong, or crashed a pass, or failed to compile.
"""
import argparse
import dataclasses
import os
import random
import re
import subprocess
import sys

import numpy as np

SHAPE = (8, 16)
ID = "affine_map<(d0, d1) -> (d0, d1)>"
MAPS = {(1,): "affine_map<(d0, d1) -> (d0)>", (0,): "affine_map<(d0, d1) -> (d1)>", (0, 1): "affine_map<(d0, d1) -> ()>"}
# How the ranks share dimensions, on a grid of 2, and on one of 2 x 2.
SPLITS = {2: ["[[]]", "[[0]]", "[[], [0]]"],
          4: ["[[0]]", "[[], [1]]", "[[0], [1]]", "[[1], [0]]", "[[0, 1]]", "[[], [1, 0]]"]}
# Combiner, value it starts from, numpy's reduction; no kind of MPI's behind REJECTED.
KINDS = {
    "addf": ("3.0", lambda x, d: x.sum(d) + 3), "mulf": ("2.0", lambda x, d: x.prod(d) * 2),
    "maximumf": ("0xFF800000", lambda x, d: x.max(d)), "minimumf": ("1.0", lambda x, d: np.minimum(x.min(d), 1)),
    "addi": ("3", lambda x, d: x.sum(d) + 3), "muli": ("2", lambda x, d: x.prod(d) * 2),
    "maxsi": ("-9", lambda x, d: x.max(d)), "minsi": ("9", lambda x, d: x.min(d)),
    "ori": ("0", lambda x, d: np.bitwise_or.reduce(x, d)), "xori": ("5", lambda x, d: np.bitwise_xor.reduce(x, d) ^ 5),
    "andi": ("-1", lambda x, d: np.bitwise_and.reduce(x, d)),
    "maxui": ("0", lambda x, d: x.view(np.uint32).max(d).view(np.int32)),
    "maxnumf": ("0xFF800000", lambda x, d: np.fmax.reduce(x, d)),
}
REJECTED = ["andi", "maxui", "maxnumf", "subf", "argmax"]


@dataclasses.dataclass
class Spec:
    """A program: elementwise stages, and what is reduced at the end."""
    ranks: int = 2
    element: str = "f32"
    split: str = "[[], [0]]"
    stages: tuple = ()
    kinds: tuple = ()
    dims: tuple = (1,)
    data: str = "numbers"

    def is_rejected(self):
        names = self.split_names(self.split)
        for stage, argument in self.stages:
            names = self.split_names(argument) if stage == "move" else names
        return any(k in REJECTED for k in self.kinds) and any(names[d] for d in self.dims)

    @staticmethod
    def split_names(text):
        return ([re.findall(r"\d", d) for d in re.findall(r"\[([\d, ]*)\]", text[1:-1])] + [[], []])[:2]


FIXED = [
    Spec(stages=(("index", 1),)),
    Spec(stages=(("extract", ""),)),
    Spec(stages=(("table", ""),)),
    Spec(stages=(("constant", ""),)),
    Spec(kinds=("maximumf", "addf")),
    Spec(kinds=("maximumf", "minimumf"), data="nan"),
    Spec(split="[[0]]", stages=(("move", "[[], [0]]"), ("index", 0))),
    Spec(ranks=4, split="[[0, 1]]", stages=(("move", "[[1], [0]]"), ("index", 1), ("index", 0)), kinds=("addf",), dims=(0, 1)),
    Spec(kinds=("subf",)), Spec(kinds=("argmax",)), Spec(element="i32", kinds=("andi",)),
    Spec(element="i32", kinds=("maxui",)), Spec(kinds=("maxnumf",)),
]


def draw(rng):
    ranks = rng.choice([2, 2, 2, 4])
    spec = Spec(ranks, rng.choice(["f32", "f32", "i32"]), rng.choice(SPLITS[ranks]))
    stages = [("index", 0), ("index", 1), ("extract", ""), ("table", ""), ("constant", ""), ("move", None)]
    for _ in range(rng.randrange(3)):
        stage, argument = rng.choice(stages)
        spec.stages += ((stage, rng.choice(SPLITS[ranks]) if stage == "move" else argument),)
    kinds = [k for k in KINDS if k.endswith("f") == (spec.element == "f32")]
    # The order of a product of large floats decides whether it is infinite.
    if spec.element == "f32" and any(stage != "move" for stage, _ in spec.stages):
        kinds.remove("mulf")
    right = [k for k in kinds if k not in REJECTED]
    spec.kinds = tuple(rng.choice(right if rng.random() < 0.8 else kinds) for _ in range(rng.choice([0, 1, 1, 2, 3])))
    spec.dims = rng.choice([(0,), (1,), (0, 1)])
    spec.data = rng.choice(["numbers", "numbers", "nan"]) if spec.element == "f32" else "numbers"
    return spec


class Program:
    """The text of a program, and what numpy says of it."""

    def __init__(self, spec, rng):
        self.spec, self.lines, self.names = spec, [], 0
        self.element, self.tensor = spec.element, f"tensor<8x16x{spec.element}>"
        dtype = np.float32 if self.element == "f32" else np.int32
        self.x = rng.integers(-4, 5, SHAPE).astype(dtype)
        self.table = rng.integers(-4, 5, 16).astype(dtype)
        if self.element == "f32":
            self.x = rng.choice(np.float32([0.5, -0.5, 1, -1, 2, -2]), SHAPE)
        if spec.data == "nan":
            self.x[1, 3], self.x[2, 12], self.x[3] = np.nan, np.nan, np.float32(-0.0)
        self.value, self.exact = "%s", self.x.astype(np.float64) if self.element == "f32" else self.x

    def add(self, text):
        self.names += 1
        self.lines.append(f"  %v{self.names} = {text}")
        return f"%v{self.names}"

    def shard(self, value, split):
        sharding = self.add(f"shard.sharding @g split_axes = {split} : !shard.sharding")
        made = self.add(f"shard.shard {value} to {sharding} : {self.tensor}")
        return self.add(f"shard.shard {made} to {sharding} annotate_for_users : {self.tensor}")

    def elementwise(self, body, more="", maps=""):
        empty = self.add(f"tensor.empty() : {self.tensor}")
        e, kind = self.element, "addf" if self.element == "f32" else "addi"
        types = f", tensor<16x{e}>" if more else ""
        self.value = self.add(
            f"linalg.generic {{indexing_maps = [{ID}, {maps}{ID}], iterator_types = [\"parallel\", \"parallel\"]}} "
            f"ins({self.value}{more} : {self.tensor}{types}) outs({empty} : {self.tensor}) {{\n"
            f"  ^bb0(%a: {e}, {'%m: ' + e + ', ' if more else ''}%o: {e}):\n{body}"
            f"    %r = arith.{kind} %a, %b : {e}\n    linalg.yield %r : {e}\n  }} -> {self.tensor}")

    def reverse(self):
        return ("    %i = linalg.index 0 : index\n    %j = linalg.index 1 : index\n    %c = arith.constant 15 : index\n"
                "    %k = arith.subi %c, %j : index\n")

    def stage(self, stage, argument):
        e = self.element
        if stage == "move":
            made = self.value
            self.value = self.shard(made, argument)
        elif stage == "index":
            body = f"    %i = linalg.index {argument} : index\n    %j = arith.index_cast %i : index to i32\n"
            body += "    %b = arith.sitofp %j : i32 to f32\n" if e == "f32" else ""
            self.elementwise(body if e == "f32" else body.replace("%j", "%b"))
            self.exact = self.exact + np.arange(SHAPE[argument]).reshape((-1, 1) if argument == 0 else (1, -1)).astype(np.int32)
        elif stage == "extract":
            self.elementwise(self.reverse() + f"    %b = tensor.extract {self.value}[%i, %k] : {self.tensor}\n")
            self.exact = self.exact + self.exact[:, ::-1]
        elif stage == "table":
            self.elementwise(self.reverse() + f"    %b = tensor.extract %t[%k] : tensor<16x{e}>\n")
            self.exact = self.exact + self.table[::-1]
        elif stage == "constant":
            values = ", ".join(str(v) for v in (self.table.astype(np.float32) if e == "f32" else self.table))
            constant = self.add(f"arith.constant dense<[{values}]> : tensor<16x{e}>")
            self.elementwise(f"    %z = arith.constant {'0.0' if e == 'f32' else '0'} : {e}\n    %b = arith.{'addf' if e == 'f32' else 'addi'} %m, %z : {e}\n",
                             f", {constant}", "affine_map<(d0, d1) -> (d1)>, ")
            self.exact = self.exact + self.table

    def reduce(self):
        spec, e = self.spec, self.element
        shape = [s for d, s in enumerate(SHAPE) if d not in spec.dims]
        kinds = ("argmax", "argmax") if "argmax" in spec.kinds else spec.kinds
        types = [f"tensor<{''.join(f'{s}x' for s in shape)}{e}>"] * len(kinds)
        inits = []
        for kind in kinds:
            start = self.add(f"arith.constant {KINDS.get(kind, ('0.0', None))[0]} : {e}")
            empty = self.add(f"tensor.empty() : {types[0]}")
            inits.append(self.add(f"linalg.fill ins({start} : {e}) outs({empty} : {types[0]}) -> {types[0]}"))
        outs = [f"%o{i}" for i in range(len(kinds))]
        body = "".join(f"    %r{i} = arith.{kind} %a, %o{i} : {e}\n" for i, kind in enumerate(kinds))
        if kinds[0] == "argmax":
            body = (f"    %c = arith.cmpf ogt, %a, %o0 : f32\n    %r0 = arith.select %c, %a, %o0 : f32\n"
                    "    %r1 = arith.select %c, %o0, %o1 : f32\n")
        iterators = ", ".join('"reduction"' if d in spec.dims else '"parallel"' for d in (0, 1))
        maps = ", ".join([ID] + [MAPS[spec.dims]] * len(kinds))
        self.names += 1
        result, many = f"%v{self.names}", f":{len(kinds)}" if len(kinds) > 1 else ""
        self.lines.append(
            f"  {result}{many} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}} "
            f"ins({self.value} : {self.tensor}) outs({', '.join(inits)} : {', '.join(types)}) {{\n"
            f"  ^bb0(%a: {e}, {', '.join(f'{o}: {e}' for o in outs)}):\n{body}"
            f"    linalg.yield {', '.join(f'%r{i}' for i in range(len(kinds)))} : {', '.join([e] * len(kinds))}\n"
            f"  }} -> {types[0] if len(kinds) == 1 else '(' + ', '.join(types) + ')'}")
        results = [result] if len(kinds) == 1 else [f"{result}#{i}" for i in range(len(kinds))]
        exact = [KINDS[k][1](self.exact, spec.dims) for k in kinds if k in KINDS]
        return results, types, exact

    def write(self, path):
        self.value = self.shard("%x", self.spec.split)
        for stage, argument in self.spec.stages:
            self.stage(stage, argument)
        results, types, exact = [self.value], [self.tensor], [self.exact]
        if self.spec.kinds:
            results, types, exact = self.reduce()
        grid = "2" if self.spec.ranks == 2 else "2x2"
        e = self.element
        with open(path, "w") as file:
            file.write(f"shard.grid @g(shape = {grid})\nfunc.func @main(%x: {self.tensor}, %t: tensor<16x{e}>, %unused: tensor<4xf32>) "
                       f"-> ({', '.join(types)}) {{\n" + "\n".join(self.lines) +
                       f"\n  return {', '.join(results)} : {', '.join(types)}\n}}\n")
        return exact


def check(name, spec, rng, directory, wrong):
    """Returns how a program ended: right, rejected, or what is wrong with it."""
    program = Program(spec, rng)
    path = os.path.join(directory, name)
    exact = program.write(path + ".mlir")
    np.save(path + ".x.npy", program.x)
    np.save(path + ".t.npy", program.table)
    command = ["norm-run", path + ".mlir", f"--ranks={spec.ranks}", "--function=main", f"--input=@{path}.x.npy",
               f"--input=@{path}.t.npy", "--input=4xf32=1", "--threads=1"]
    command += [f"--output=@{path}.{i}.npy" for i in range(len(exact))]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if run.returncode != 0:
        located = re.search(re.escape(path) + r"\.mlir:\d+:\d+: error: ", run.stderr)
        return "rejected" if located and spec.is_rejected() else "FAILS " + run.stderr[:300]
    if spec.is_rejected():
        return "is not rejected"
    for i, values in enumerate(exact):
        found, values = np.load(f"{path}.{i}.npy"), np.asarray(values) + (1 if wrong else 0)
        if program.element == "i32":
            same = np.array_equal(found.astype(np.int64) & 0xFFFFFFFF, values.astype(np.int64) & 0xFFFFFFFF)
        else:
            same = np.allclose(found, values, rtol=1e-5, atol=1e-5, equal_nan=True)
        if not same:
            return f"WRONG result {i}"
    return "right"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", type=int, default=6)
    parser.add_argument("--wrong", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.directory, exist_ok=True)
    choices, rng = random.Random(options.seed), np.random.default_rng(options.seed)
    specs = [] if options.wrong else list(FIXED)
    specs += [draw(choices) for _ in range(options.programs)]
    counts = {"right": 0, "rejected": 0}
    for number, spec in enumerate(specs):
        outcome = check(f"p{number}", spec, rng, options.directory, options.wrong)
        if outcome not in counts:
            print(f"p{number} {spec}: {outcome}")
        else:
            counts[outcome] += 1
    print(f"seed {options.seed}: {len(specs)} programs, {counts['right']} right, {counts['rejected']} rejected, "
          f"{len(specs) - sum(counts.values())} failures")
    return len(specs) != sum(counts.values())


if __name__ == "__main__":
    sys.exit(main())
