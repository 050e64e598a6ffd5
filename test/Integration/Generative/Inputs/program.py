"""Writes one function of linalg on tensors and computes its values in f64 besides.

Every value carries the element that each index of x's dimensions has, as numpy
array of x's rank, so that what the text means is known without running it.
"""
import dataclasses

import numpy as np
from normtest import BITS

SCALAR_OPS = {
    "arith.addf": np.add, "arith.subf": np.subtract, "arith.mulf": np.multiply,
    "arith.divf": np.divide, "arith.maximumf": np.maximum, "arith.maxnumf": np.fmax,
    "arith.minimumf": np.minimum, "arith.minnumf": np.fmin,
    "arith.negf": np.negative, "math.absf": np.abs, "math.sqrt": np.sqrt,
    "math.rsqrt": lambda a: 1 / np.sqrt(a), "math.powf": np.power,
    "math.exp": np.exp, "math.log": np.log,
    # Roundings are not part of the mathematics.
    "arith.extf": lambda a: a, "arith.truncf": lambda a: a,
    "cube": lambda a: a**3, "square": np.square, "drop nan": lambda a: np.nan_to_num(a, nan=0.0),
    "relu ogt": lambda a: np.where(a > 0, a, 0.0), "relu ugt": lambda a: np.where(a <= 0, 0.0, a),
}
NAMED = {
    "arith.addf": "add", "arith.subf": "sub", "arith.mulf": "mul", "arith.divf": "div",
    "arith.maximumf": "max", "arith.negf": "negf", "math.absf": "abs", "math.sqrt": "sqrt",
    "math.rsqrt": "rsqrt", "math.exp": "exp", "math.log": "log", "math.powf": "powf",
}


INFINITE = {"f16": "0x7C00", "bf16": "0x7F80", "f32": "0x7F800000", "f64": "0x7FF0000000000000"}


def literal(number, element):
    """A float attribute's text."""
    return INFINITE[element] if np.isinf(number) else f"{float(number):.17e}"


@dataclasses.dataclass
class Result:
    """What a function returns: a value, perhaps reshaped, and how it is judged."""
    value: "Value"
    kind: str  # of its tensor
    shape: list
    role: str
    part: object = None


@dataclasses.dataclass
class Value:
    """One element for each index: a tensor read by `layout`, a scalar or an op."""
    element: str
    array: np.ndarray
    ssa: str = ""
    layout: list = None  # of a tensor: dimension of x, or None for an extent of 1
    op: str = ""
    operands: tuple = ()

    @property
    def axes(self):
        if self.op:
            return sorted(set().union(*(v.axes for v in self.operands)))
        return sorted(a for a in self.layout or [] if a is not None)


class Function:
    def __init__(self, name, rng, shape, dynamic, cut):
        self.name, self.rng, self.shape, self.dynamic = name, rng, shape, dynamic
        self.cut = cut  # how likely an op gets a linalg op of its own
        self.arguments, self.lines, self.count = [], [], 0
        self.extents, self.results = {}, []
        self.sized = None  # a tensor over all of x's dimensions, and its type
        self.flags = ""  # of sums and products
        self.is_exact = False  # powers are products
        self.scalars_outside = False  # scalar ops on scalars are in no body

    # Text.

    def line(self, text):
        self.lines.append("  " + text)

    def define(self, text):
        self.count += 1
        self.line(f"%{self.count} = {text}")
        return f"%{self.count}"

    def extent(self, axis):
        return "1" if axis is None else "?" if axis in self.dynamic else str(self.shape[axis])

    def type(self, layout, element):
        return "tensor<" + "".join(self.extent(a) + "x" for a in layout) + element + ">"

    def size(self, axis):
        """The extent of a dynamic dimension as an index."""
        if axis not in self.extents:
            index = self.define(f"arith.constant {axis} : index")
            x, kind = self.sized or self.arguments[0][:2]
            self.extents[axis] = self.define(f"tensor.dim {x}, {index} : {kind}")
        return self.extents[axis]

    def empty(self, layout, element):
        sizes = ", ".join(self.size(a) for a in layout if a in self.dynamic)
        return self.define(f"tensor.empty({sizes}) : {self.type(layout, element)}")

    def text(self):
        arguments = ", ".join(f"{name}: {kind}" for name, kind, _, _ in self.arguments)
        kinds = ", ".join(r.kind for r in self.results)
        values = ", ".join(r.value.ssa for r in self.results)
        return (f"func.func @{self.name}({arguments}) -> ({kinds}) {{\n" + "\n".join(self.lines)
                + f"\n  return {values} : {kinds}\n}}\n")

    # Leaves.

    def spread(self, array, layout):
        """`array` over `layout` as an array over x's dimensions."""
        kept = [a for a in layout if a is not None]
        array = np.asarray(array).reshape([self.shape[a] for a in kept])
        array = np.transpose(array, np.argsort(kept)) if kept else array
        return array.reshape([n if a in kept else 1 for a, n in enumerate(self.shape)])

    def argument(self, layout, element, array):
        name = f"%arg{len(self.arguments)}"
        self.arguments.append((name, self.type(layout, element), array, element))
        return Value(element, self.spread(array, layout), name, list(layout))

    def constant(self, number, element, layout=(), kinds=("scalar", "rank0", "splat", "fill")):
        """A constant as a scalar or as a tensor of equal elements."""
        kind = self.rng.choice(kinds)
        array = np.full([1] * len(self.shape), float(number))
        text = literal(number, element)
        if kind == "splat" and any(a in self.dynamic for a in layout):
            kind = "fill"
        if kind == "rank0" or (kind != "scalar" and not layout):
            kind, layout = "splat", ()
        if kind == "splat":
            ssa = self.define(f"arith.constant dense<{text}> : {self.type(layout, element)}")
            return Value(element, array, ssa, list(layout))
        ssa = self.define(f"arith.constant {text} : {element}")
        if kind == "fill":
            return Value(element, array, self.fill(ssa, element, layout), list(layout))
        return Value(element, array, ssa)

    def fill(self, scalar, element, layout):
        empty, kind = self.empty(layout, element), self.type(layout, element)
        return self.define(f"linalg.fill ins({scalar} : {element}) outs({empty} : {kind}) -> {kind}")

    # Elementwise ops.

    def op(self, name, *operands, element=None):
        array = SCALAR_OPS[name](*(v.array for v in operands))
        value = Value(element or operands[0].element, array, op=name, operands=operands)
        if self.scalars_outside and all(not v.op and v.layout is None for v in operands):
            return Value(value.element, array, self.body(value, {}, {}))
        return self.tensor(value) if self.rng.random() < self.cut else value

    def cast(self, value, element):
        if BITS[element] == BITS[value.element]:
            return value
        name = "arith.extf" if BITS[element] > BITS[value.element] else "arith.truncf"
        return self.op(name, value, element=element)

    def leaves(self, value):
        if not value.op:
            return [value] if value.layout is not None else []
        found = []
        for v in value.operands:
            found += [l for l in self.leaves(v) if all(l is not f for f in found)]
        return found

    def body(self, value, names, seen):
        """Ops of a linalg body that compute `value`; its name."""
        if not value.op:
            return names.get(id(value), value.ssa)
        if id(value) in seen:
            return seen[id(value)]
        args = [self.body(v, names, seen) for v in value.operands]
        kind = value.element
        if value.op in ("square", "cube"):
            seen[id(value)] = self.power(args[0], 2 if value.op == "square" else 3, kind)
        elif value.op == "drop nan":
            test = self.define(f"arith.cmpf uno, {args[0]}, {args[0]} : {kind}")
            zero = self.define(f"arith.constant 0.0 : {kind}")
            seen[id(value)] = self.define(f"arith.select {test}, {zero}, {args[0]} : {kind}")
        elif value.op in ("relu ogt", "relu ugt"):
            zero = self.define(f"arith.constant 0.0 : {kind}")
            test = self.define(f"arith.cmpf {value.op[-3:]}, {args[0]}, {zero} : {kind}")
            seen[id(value)] = self.define(f"arith.select {test}, {args[0]}, {zero} : {kind}")
        elif value.op in ("arith.extf", "arith.truncf"):
            seen[id(value)] = self.define(
                f"{value.op} {args[0]} : {value.operands[0].element} to {kind}")
        else:
            flags = self.flags_of(kind) if value.op in ("arith.addf", "arith.mulf") else ""
            seen[id(value)] = self.define(f"{value.op} {', '.join(args)}{flags} : {kind}")
        return seen[id(value)]

    def flags_of(self, kind):
        """In 16 bits a sum and its product have a rounding each."""
        return self.flags if kind in ("f32", "f64") else ""

    def power(self, arg, exponent, kind):
        form = "mulf" if self.is_exact else self.rng.choice(["mulf", "powf", "fpowi"])
        if form == "powf":
            number = self.define(f"arith.constant {exponent}.0 : {kind}")
            return self.define(f"math.powf {arg}, {number} : {kind}")
        if form == "fpowi":
            number = self.define(f"arith.constant {exponent} : i32")
            return self.define(f"math.fpowi {arg}, {number} : {kind}, i32")
        result = arg
        for _ in range(exponent - 1):
            result = self.define(f"arith.mulf {result}, {arg}{self.flags_of(kind)} : {kind}")
        return result

    def map(self, loops, layout):
        names = [f"d{i}" for i in range(len(loops))]
        # An extent of 1 is the loop of extent 1 where there is one, else 0.
        def index(position, axis):
            if axis is not None:
                return names[loops.index(axis)]
            unit = ("unit", position)
            return names[loops.index(unit)] if unit in loops else "0"
        results = ", ".join(index(i, a) for i, a in enumerate(layout))
        return f"affine_map<({', '.join(names)}) -> ({results})>"

    def generic(self, value, layout, reduced=(), init=None, fused=False):
        """A linalg.generic of `value`, or of its sum over `reduced`; the tensor's name.
        `fused`: the sum of squares by math.fma."""
        loops = [("unit", i) if a is None else a for i, a in enumerate(layout)]
        if reduced and self.rng.random() < 0.5:
            loops = [a for a in loops if not isinstance(a, tuple)]  # constant 0 in the map
        loops += list(reduced)
        if self.rng.random() < 0.2:
            self.rng.shuffle(loops)
        elif reduced:
            loops.sort(key=lambda a: a[1] if isinstance(a, tuple) else a)
        inputs = self.leaves(value)
        out = init or self.empty(layout, value.element)
        maps = ", ".join(self.map(loops, v.layout) for v in inputs + [Value("", None, layout=layout)])
        kinds = ", ".join(f'"{"reduction" if a in reduced else "parallel"}"' for a in loops)
        types = ", ".join(self.type(v.layout, v.element) for v in inputs)
        ins = f"ins({', '.join(v.ssa for v in inputs)} : {types}) " if inputs else ""
        kind = self.type(layout, value.element)
        self.count += 1
        result = f"%{self.count}"
        self.line(f"{result} = linalg.generic {{indexing_maps = [{maps}], "
                  f"iterator_types = [{kinds}]}} {ins}outs({out} : {kind}) {{")
        names = {id(v): f"%in{self.count}_{i}" for i, v in enumerate(inputs)}
        arguments = [f"{names[id(v)]}: {v.element}" for v in inputs]
        self.line(f"^bb0({', '.join(arguments + [f'%out{self.count}: {value.element}'])}):")
        accumulator = f"%out{self.count}"
        if fused:
            factor = self.body(value.operands[0], names, {})
            element = self.define(f"math.fma {factor}, {factor}, {accumulator} : {value.element}")
        else:
            element = self.body(value, names, {})
        if reduced and not fused:
            pair = self.rng.choice([f"{element}, {accumulator}", f"{accumulator}, {element}"])
            flags = self.flags_of(value.element) if self.combiner == "arith.addf" else ""
            element = self.define(f"{self.combiner} {pair}{flags} : {value.element}")
        self.line(f"  linalg.yield {element} : {value.element}")
        self.line(f"}} -> {kind}")
        return result

    combiner = "arith.addf"

    def tensor(self, value, axes=None):
        """`value` as a tensor over its dimensions, or over `axes`."""
        if not value.op and value.layout is not None and axes is None:
            return value
        layout = list(value.axes if axes is None else axes)
        if axes is None and len(layout) < len(self.shape) and self.rng.random() < 0.3:
            layout = [a if a in layout else None for a in range(len(self.shape))]
        operands = value.operands
        alike = all(v.layout is not None and not v.op and v.layout == layout for v in operands)
        if value.op in NAMED and alike and self.rng.random() < 0.6:
            kind = self.type(layout, value.element)
            out = self.empty(layout, value.element)
            types = ", ".join(kind for _ in operands)
            ssa = self.define(f"linalg.{NAMED[value.op]} ins({', '.join(v.ssa for v in operands)}"
                              f" : {types}) outs({out} : {kind}) -> {kind}")
        else:
            ssa = self.generic(value, layout)
        return Value(value.element, value.array, ssa, layout)

    # Reductions and shapes.

    def collapsed(self, pair):
        """The shape with the static dimensions `pair` and the next one as one."""
        shape = list(self.shape)
        return shape[:pair] + [shape[pair] * shape[pair + 1]] + shape[pair + 2:]

    def collapsed_type(self, pair, element):
        return "tensor<" + "".join(f"{n}x" for n in self.collapsed(pair)) + element + ">"

    def groups(self, pair):
        return [[a] for a in range(pair)] + [[pair, pair + 1]] + [
            [a] for a in range(pair + 2, len(self.shape))]

    def expanded_argument(self, pair, element, array):
        """An argument whose dimension `pair` is split in two."""
        layout = list(range(len(self.shape)))
        name, kind = f"%arg{len(self.arguments)}", self.collapsed_type(pair, element)
        self.arguments.append((name, kind, array.reshape(self.collapsed(pair)), element))
        ssa = self.define(f"tensor.expand_shape {name} {self.groups(pair)} output_shape "
                          f"{self.shape} : {kind} into {self.type(layout, element)}")
        return Value(element, array, ssa, layout)

    def first(self, tensor, axis, count):
        """The first `count` elements of a tensor, while the shape says so."""
        kind = self.type(tensor.layout, tensor.element)
        whole, self.shape = self.shape, list(self.shape)
        self.shape[axis] = count
        sizes = [self.size(a) if a in self.dynamic else self.extent(a) for a in tensor.layout]
        ones = [1] * len(sizes)
        ssa = self.define(f"tensor.extract_slice {tensor.ssa}{[0] * len(sizes)} "
                          f"[{', '.join(map(str, sizes))}] {ones} : {kind} to "
                          f"{self.type(tensor.layout, tensor.element)}")
        array = np.take(tensor.array, range(count), axis)
        return Value(tensor.element, array, ssa, tensor.layout), whole

    def result(self, value, role, pair=None, part=None):
        """Returns a tensor, with the dimensions `pair` collapsed."""
        kind = self.type(value.layout, value.element)
        shape = [1 if a is None else self.shape[a] for a in value.layout]
        if pair is not None:
            collapsed = self.collapsed_type(pair, value.element)
            ssa = self.define(f"tensor.collapse_shape {value.ssa} {self.groups(pair)} : "
                              f"{kind} into {collapsed}")
            value = dataclasses.replace(value, ssa=ssa)
            kind, shape = collapsed, self.collapsed(pair)
        self.results.append(Result(value, kind, shape, role, part))

    def product(self, value, dims, factor):
        """The sum over a last or a first dimension, times `factor`, as a product with a
        vector; None where there is no named op for it."""
        rank, layout = len(self.shape), list(range(len(self.shape)))
        names = {(1, 0): "dot", (2, 1): "matvec", (2, 0): "vecmat", (3, 2): "batch_matvec"}
        name = names.get((rank, dims[0])) if len(dims) == 1 else None
        if not name or value.axes != layout:
            return None
        matrix, kept = self.tensor(value, layout), [a for a in layout if a not in dims]
        batch = kept[:1] if name == "batch_matvec" else []
        vector = self.constant(factor, value.element, batch + dims, ("fill", "splat"))
        zero = self.constant(0.0, value.element, kept, ("fill",))
        out = zero.ssa if zero.layout == kept and kept else self.fill(
            self.define(f"arith.constant 0.0 : {value.element}"), value.element, kept)
        pair = [(matrix.ssa, layout), (vector.ssa, batch + dims)]
        if name == "vecmat":
            pair.reverse()
        types = ", ".join(self.type(at, value.element) for _, at in pair)
        kind = self.type(kept, value.element)
        ssa = self.define(f"linalg.{name} ins({', '.join(v for v, _ in pair)} : {types}) "
                          f"outs({out} : {kind}) -> {kind}")
        full = np.broadcast_to(value.array, self.shape)
        array = full.sum(axis=tuple(dims), keepdims=True) * factor
        return Value(value.element, array, ssa, kept)

    def extract(self, value):
        """The one element of a tensor, as a scalar."""
        zero = self.define("arith.constant 0 : index") if value.layout else ""
        at = ", ".join(zero for _ in value.layout)
        ssa = self.define(f"tensor.extract {value.ssa}[{at}] : {self.type(value.layout, value.element)}")
        return Value(value.element, value.array, ssa)

    def sum(self, value, dims, start=0.0, form="body"):
        kept = [a for a in value.axes if a not in dims]
        layout = kept
        if self.rng.random() < 0.3:
            layout = [a if a in kept else None for a in range(len(self.shape))]
        zero = self.constant(start, value.element, layout, ("fill", "splat"))
        if zero.layout != layout:
            zero = Value(value.element, zero.array, self.fill(
                self.define(f"arith.constant {start} : {value.element}"), value.element, layout), layout)
        function = {"arith.addf": np.add, "arith.mulf": np.multiply,
                    "arith.maximumf": np.maximum}[self.combiner]
        full = np.broadcast_to(value.array, self.shape)
        array = function(function.reduce(full, axis=tuple(dims), keepdims=True), start)
        if form == "fma" and value.op == "square":
            ssa = self.generic(value, layout, list(dims), zero.ssa, fused=True)
            return Value(value.element, array, ssa, layout)
        whole = not value.op and value.layout == list(range(len(self.shape)))
        if whole and layout == kept and self.rng.random() < 0.5:
            source, kind = self.type(value.layout, value.element), self.type(layout, value.element)
            ssa = self.define(f"linalg.reduce {{ {self.combiner} }} ins({value.ssa} : {source}) "
                              f"outs({zero.ssa} : {kind}) dimensions = [{', '.join(map(str, dims))}]")
        else:
            ssa = self.generic(value, layout, list(dims), zero.ssa)
        return Value(value.element, array, ssa, layout)

    def reshape(self, value):
        """Perhaps keeps the reduced dimensions of a tensor, in one of the ways."""
        form = self.rng.choice(["none", "none", "expand", "broadcast"])
        if value.op or value.layout is None or None in value.layout or form == "none":
            return value
        rank, kind = len(self.shape), self.type(value.layout, value.element)
        if value.layout != sorted(value.layout):  # the mutation of a wrong axis
            return value
        if form == "broadcast":
            dims = [a for a in range(rank) if a not in value.layout]
            layout = list(range(rank))
            full = self.type(layout, value.element)
            out = self.empty(layout, value.element)
            ssa = self.define(f"linalg.broadcast ins({value.ssa} : {kind}) outs({out} : {full}) "
                              f"dimensions = [{', '.join(map(str, dims))}]")
            return Value(value.element, value.array, ssa, layout)
        layout = [a if a in value.layout else None for a in range(rank)]
        ends = [a + 1 for a in value.layout]
        groups = [list(range(0 if i == 0 else ends[i - 1], end)) for i, end in enumerate(ends)]
        if groups:
            groups[-1] += list(range(ends[-1], rank))
        shape = ", ".join("1" if a is None else self.size(a) if a in self.dynamic
                          else str(self.shape[a]) for a in layout)
        ssa = self.define(f"tensor.expand_shape {value.ssa} {groups} output_shape [{shape}] : "
                          f"{kind} into {self.type(layout, value.element)}")
        return Value(value.element, value.array, ssa, layout)
