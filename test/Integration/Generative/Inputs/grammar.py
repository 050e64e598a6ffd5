"""The grammar: RMSNorm in random spellings, and mutations that change its mathematics."""
import dataclasses

import numpy as np

from program import Function, Value, rounded, ulp

# What a mutation needs of the program: two equal extents, an epsilon, a weight.
MUTATIONS = {
    "divisor n-1": "", "divisor n+1": "", "divisor next float": "static single",
    "divisor other extent": "batch", "wrong axis": "square", "other numerator": "",
    "other square": "", "product of two": "", "transposed square": "square",
    "transposed numerator": "square", "shifted slice": "static", "mean subtracted": "",
    "abs": "", "cube": "", "epsilon negative": "epsilon", "epsilon per row": "epsilon batch",
    "init not zero": "", "max": "", "product": "", "root omitted": "", "fourth root": "",
    "weight axis": "square weight", "no division": "",
}


@dataclasses.dataclass
class Spec:
    """What the program is, whatever its spelling."""
    shape: list
    dynamic: set
    dims: list
    element: str
    compute: str
    epsilon: float
    mode: str  # inside, outside, clamp
    weight: list = None  # dimensions of the weight
    one_plus: bool = False
    cast: str = "late"  # early: x * r is rounded before the weight multiplies
    post: str = "none"
    residual: bool = False
    cut: float = 1.0

    @property
    def terms(self):
        return int(np.prod([self.shape[d] for d in self.dims]))

    @property
    def normalized(self):
        early = self.cast == "early" and self.weight is not None
        return self.element if early and self.element != self.compute else None


def choose(rng, needs, is_mutant):
    rank = rng.choice([1, 2, 2, 3, 3, 4])
    if "square" in needs or "batch" in needs:
        rank = max(rank, 2)
    shape = rng.sample([3, 5, 6, 7, 8, 12], rank)
    dims = [rank - 1]
    if rank > 1 and rng.random() < 0.3:
        dims = [rng.randrange(rank)]
    if rank > 2 and rng.random() < 0.25 and "square" not in needs:
        dims = sorted(rng.sample(range(rank), 2))
    batch = [a for a in range(rank) if a not in dims]
    if "square" in needs:
        shape[batch[0]] = shape[dims[0]]
    elif batch and rng.random() < 0.15 and "batch" not in needs:
        shape[batch[0]] = 1
    may = [] if "square" in needs else [a for a in batch if shape[a] > 1]
    if "static" not in needs and "square" not in needs and rng.random() < 0.4:
        may += dims
    dynamic = {a for a in may if rng.random() < 0.5} if rng.random() < 0.4 else set()
    element = rng.choice(["f16", "bf16", "f32", "f32", "f64"])
    compute = "f64" if element == "f64" else "f32"
    if "single" in needs:  # the reference is in f64: it sees no last bit of f64
        element, compute = rng.choice(["f16", "bf16", "f32"]), "f32"
    elif element == "f32" and rng.random() < 0.15:
        compute = "f64"
    mode = rng.choice(["inside"] * 4 + ["outside", "clamp", "absent"])
    if "epsilon" in needs and mode in ("absent", "clamp"):
        mode = "inside"
    # Rounded to f32 so that the text, the op and this number are one value.
    epsilon = float(np.float32(rng.choice([1e-6, 1e-5, 1e-3, 0.0625])))
    if mode == "clamp" and not is_mutant and rng.random() < 0.5:
        epsilon = 1.0  # some rows are clamped, others not
    if mode == "absent":
        mode, epsilon = "inside", 0.0
    weight = rng.choice([None, dims, dims, dims, [], "head"])
    if weight == "head":
        weight = sorted(dims + batch[-1:])
    # Over every dimension it would be a gate.
    wide = [a for a in range(rank) if shape[a] > 1]
    if weight and not set(wide) - set(weight):
        weight = dims
    if "weight" in needs:
        weight = dims
    post = rng.choice(["none", "none", "bias", "gate", "residual"])
    residual = rng.random() < 0.2
    cut = rng.choice([0.0, 0.4, 1.0])
    # Where no dimension is a batch, or unit ones are folded, a gate is a weight.
    if post == "gate" and (not set(wide) - set(dims) or len(wide) < rank):
        post = "none"
    return Spec(shape, dynamic, dims, element, compute, epsilon, mode, weight,
                weight is not None and rng.random() < 0.2, rng.choice(["late", "early"]), post,
                residual, cut)


class Program:
    """One function with its inputs, what it computes, and what RMSNorm would."""

    def __init__(self, name, rng, mutation=None):
        self.rng, self.mutation, self.name = rng, mutation, name
        self.spec = spec = choose(rng, MUTATIONS.get(mutation, ""), mutation is not None)
        self.numpy = np.random.default_rng(rng.getrandbits(32))
        self.function = Function(name, rng, spec.shape, spec.dynamic, spec.cut)
        self.build()

    def draw(self, layout):
        # Multiples of 1/64: sums of two and 1 + w are exact in every type.
        return self.numpy.integers(-112, 113, [self.spec.shape[a] for a in layout]) / 64

    def input(self, layout, element=None):
        return self.function.argument(layout, element or self.spec.element, self.draw(layout))

    def mul(self, a, b):
        pair = (a, b) if self.rng.random() < 0.5 else (b, a)
        return self.function.op("arith.mulf", *pair)

    def build(self):
        f, spec = self.function, self.spec
        x = self.make_x()
        self.x_array = np.broadcast_to(x.array, spec.shape)
        wide = f.cast(x, spec.compute)
        numerator, squared = self.mutate_x(x, wide)
        value = self.weigh(numerator, self.statistic(squared, wide))
        value = self.surround(value)
        if not value.op and value.layout == list(range(len(spec.shape))):
            f.results.append(value)
        else:
            f.results.append(f.tensor(value, range(len(spec.shape))))

    def make_x(self):
        f, spec = self.function, self.spec
        layout = list(range(len(spec.shape)))
        if self.mutation == "shifted slice":
            return self.slices(layout)
        x = self.input(layout)
        if spec.residual:
            x = f.op("arith.addf", x, self.input(layout))
        return x

    def slices(self, layout):
        """x and x one element further along its first normalised dimension."""
        f, spec = self.function, self.spec
        axis, shape = spec.dims[0], list(spec.shape)
        shape[axis] += 1
        array = self.numpy.integers(-112, 113, shape) / 64
        source = "tensor<" + "".join(f"{n}x" for n in shape) + spec.element + ">"
        spec.dynamic.clear()
        f.arguments.append(("%arg0", source, array, spec.element))
        found = []
        for start in (0, 1):
            offsets = [start if a == axis else 0 for a in layout]
            ssa = f.define(f"tensor.extract_slice %arg0{offsets} {spec.shape} {[1] * len(shape)}"
                           f" : {source} to {f.type(layout, spec.element)}")
            part = np.take(array, range(start, start + spec.shape[axis]), axis)
            found.append(Value(spec.element, part, ssa, layout))
        self.shifted = found[1]
        return found[0]

    def mutate_x(self, x, wide):
        """The values that are scaled and squared."""
        f, spec = self.function, self.spec
        if self.mutation in ("other numerator", "other square", "product of two"):
            other = f.cast(self.input(list(range(len(spec.shape)))), spec.compute)
            self.other = other
            return (other, wide) if "numerator" in self.mutation else (wide, other)
        if self.mutation == "shifted slice":
            return f.cast(self.shifted, spec.compute), wide
        if self.mutation in ("transposed square", "transposed numerator"):
            tensor, a = f.tensor(wide), spec.dims[0]
            b = next(i for i in range(len(spec.shape)) if i not in spec.dims)
            layout = [{a: b, b: a}.get(i, i) for i in tensor.layout]
            swapped = Value(wide.element, np.swapaxes(tensor.array, a, b), tensor.ssa, layout)
            return (wide, swapped) if "square" in self.mutation else (swapped, wide)
        return wide, wide

    def statistic(self, value, wide):
        f, spec = self.function, self.spec
        if self.mutation == "mean subtracted":
            total = f.sum(value, spec.dims)
            mean = f.op("arith.divf", total, f.constant(spec.terms, spec.compute, total.layout))\
                if not set(spec.dims) & spec.dynamic else self.divide(total)
            value = f.op("arith.subf", value, mean)
        if self.mutation == "abs":
            square = f.op("math.absf", value)
        elif self.mutation == "cube":
            square = f.op("cube", f.op("math.absf", value))
        elif self.mutation == "product of two":
            square = f.op("math.absf", self.mul(value, wide))
        else:
            square = f.op("square", value)
        f.combiner = {"max": "arith.maximumf", "product": "arith.mulf"}.get(
            self.mutation, "arith.addf")
        start = 1.0 if self.mutation in ("init not zero", "product") else 0.0
        dims = spec.dims
        if len(dims) == 2 and self.rng.random() < 0.3 and self.mutation not in ("init not zero",):
            # A sum of sums, the last dimension first.
            total = f.sum(f.sum(square, dims[1:], start), dims[:1], start)
        else:
            total = f.sum(square, dims, start)
        if self.mutation == "wrong axis":
            total = self.swap_axis(total)
        return self.divide(f.reshape(total))

    def swap_axis(self, total):
        """The statistic of row i for column i, which has as many."""
        a = self.spec.dims[0]
        b = next(i for i in range(len(self.spec.shape)) if i != a)
        layout = [a if i == b else i for i in total.layout]
        return Value(total.element, np.swapaxes(total.array, a, b), total.ssa, layout)

    def extent_value(self, dims):
        """The product of extents as a float, from run-time sizes where needed."""
        f, spec = self.function, self.spec
        product = None
        for d in dims:
            if d in spec.dynamic:
                term = f.define(f"arith.index_cast {f.size(d)} : index to i64")
            else:
                term = f.define(f"arith.constant {spec.shape[d]} : i64")
            product = term if product is None else f.define(f"arith.muli {product}, {term} : i64")
        number = int(np.prod([spec.shape[d] for d in dims]))
        off = {"divisor n-1": -1, "divisor n+1": 1}.get(self.mutation, 0)
        if off:
            one = f.define(f"arith.constant {off} : i64")
            product = f.define(f"arith.addi {product}, {one} : i64")
        ssa = f.define(f"arith.sitofp {product} : i64 to {spec.compute}")
        return Value(spec.compute, np.full([1] * len(spec.shape), float(number + off)), ssa)

    def divide(self, total):
        f, spec, mutation = self.function, self.spec, self.mutation
        dims, rank1 = spec.dims, [1] * len(spec.shape)
        if mutation == "no division":
            return total
        if mutation == "divisor other extent":
            dims = [next(i for i in range(len(spec.shape)) if i not in dims)] + dims[1:]
        if set(dims) & spec.dynamic or self.rng.random() < 0.2:
            if mutation != "divisor next float":
                return f.op("arith.divf", total, self.extent_value(dims))
        n = int(np.prod([spec.shape[d] for d in dims]))
        n += {"divisor n-1": -1, "divisor n+1": 1}.get(mutation, 0)
        if mutation != "divisor next float" and self.rng.random() < 0.5:
            return f.op("arith.divf", total, f.constant(n, spec.compute, total.layout))
        inverse = 1.0 / n
        stored = np.float64(inverse) if spec.compute == "f64" else np.float32(inverse)
        exact = inverse
        if mutation == "divisor next float":
            stored = np.nextafter(stored, stored.dtype.type(2))
            exact = float(stored)
        factor = f.constant(float(stored), spec.compute, total.layout)
        factor.array = np.full(rank1, exact)
        return f.op("arith.mulf", total, factor)

    def epsilon(self, number, like):
        f, spec = self.function, self.spec
        if self.mutation == "epsilon negative":
            number = -number
        if self.mutation == "epsilon per row":
            batch = [a for a in range(len(spec.shape)) if a not in spec.dims]
            array = number * (1 + self.numpy.integers(0, 8, [spec.shape[a] for a in batch]) / 8)
            array.flat[0] = number * 3
            return f.argument(batch, spec.compute, rounded(array, spec.compute))
        layout = like.layout if like.layout is not None else like.axes
        return f.constant(number, spec.compute, layout)

    def root(self, mean):
        """(divisor or factor, whether it divides) of x."""
        f, spec, e = self.function, self.spec, self.spec.epsilon
        if self.mutation == "root omitted":
            return (f.op("arith.addf", mean, self.epsilon(e, mean)) if e else mean), True
        if spec.mode == "inside":
            m = f.op("arith.addf", mean, self.epsilon(e, mean)) if e else mean
            form = self.rng.choice(["rsqrt", "rsqrt", "sqrt", "powf", "powf half"])
            if self.mutation == "fourth root":
                return f.op("math.powf", m, f.constant(-0.25, spec.compute, m.axes)), False
            if form == "rsqrt":
                return f.op("math.rsqrt", m), False
            if form == "powf":
                return f.op("math.powf", m, f.constant(-0.5, spec.compute, m.axes)), False
            if form == "powf half":
                return f.op("math.powf", m, f.constant(0.5, spec.compute, m.axes)), True
            return f.op("math.sqrt", m), True
        root = f.op("math.sqrt", mean)
        if self.mutation == "fourth root":
            root = f.op("math.sqrt", root)
        name = "arith.addf"
        if spec.mode == "clamp":
            name = self.rng.choice(["arith.maximumf", "arith.maxnumf"])
        return f.op(name, root, self.epsilon(e, root)), True

    def weight_value(self, element):
        """The weight in `element`, and its number."""
        f, spec = self.function, self.spec
        w = self.input(spec.weight, spec.element)
        w = f.cast(w, element)
        if spec.one_plus:
            w = f.op("arith.addf", f.constant(1.0, element, w.axes), w)
        self.weight_array = w.array
        if self.mutation == "weight axis":
            a = spec.dims[0]
            b = next(i for i in range(len(spec.shape)) if i != a)
            w = f.tensor(w)
            layout = [b if i == a else a if i == b else i for i in w.layout]
            w = Value(w.element, np.swapaxes(w.array, a, b), w.ssa, layout)
        return w

    def weigh(self, x, mean):
        f, spec = self.function, self.spec
        scale, divides = self.root(mean)
        if divides and self.rng.random() < 0.6:
            one = f.constant(1.0, spec.compute, scale.axes)
            scale, divides = f.op("arith.divf", one, scale), False
        apply = lambda v: f.op("arith.divf", v, scale) if divides else self.mul(v, scale)
        if spec.weight is None:
            return f.cast(apply(x), spec.element)
        if spec.normalized:
            z = f.cast(apply(x), spec.element)
            if self.rng.random() < 0.3:  # exact, and rounded once: the same product
                pair = f.cast(z, spec.compute), self.weight_value(spec.compute)
                return f.cast(self.mul(*pair), spec.element)
            return self.mul(z, self.weight_value(spec.element))
        w = self.weight_value(spec.compute)
        if self.rng.random() < 0.3:
            return f.cast(apply(self.mul(x, w)), spec.element)
        return f.cast(self.mul(apply(x), w), spec.element)

    def surround(self, value):
        f, spec = self.function, self.spec
        self.post_array = 0.0
        if spec.post == "none":
            return value
        layout = list(range(len(spec.shape))) if spec.post != "bias" else spec.dims
        other = self.input(layout)
        self.post_array = other.array
        return self.mul(value, other) if spec.post == "gate" else f.op("arith.addf", value, other)

    # The reference: from the specification, never from the text.

    def scaled(self):
        spec, x = self.spec, self.x_array
        mean = (x**2).sum(axis=tuple(spec.dims), keepdims=True) / spec.terms
        e = spec.epsilon
        r = {"inside": lambda: 1 / np.sqrt(mean + e), "outside": lambda: 1 / (np.sqrt(mean) + e),
             "clamp": lambda: 1 / np.maximum(np.sqrt(mean), e)}[spec.mode]()
        return x * r

    def finish(self, z, keep):
        """S4 to S6 and what follows them; `keep` rounds between."""
        spec = self.spec
        if spec.normalized:
            z = keep(z)
        if spec.weight is not None:
            z = z * self.weight_array
        if spec.post == "none":
            return z, z
        z = keep(z)
        return (z * self.post_array if spec.post == "gate" else z + self.post_array), z

    def mathematics(self):
        return self.finish(self.scaled(), lambda v: v)[0]

    def is_changed(self):
        """Whether the text means something else than the specification."""
        expected, got = self.mathematics(), self.function.results[0].array
        size = np.abs(self.finish(self.scaled(), lambda v: v)[1]) + np.abs(expected) + 1e-3
        difference = np.abs(np.broadcast_to(got, expected.shape) - expected) / size
        return not np.all(difference < 1e-13 * 64)

    def errors(self, result):
        """Worst error in ulp of the compiled result, and whether that is too large."""
        spec, keep = self.spec, lambda v: rounded(v, self.spec.element)
        z = self.scaled()
        if spec.element in ("f16", "bf16"):
            # The f32 statistic may flip a rounding: the result lies between these.
            slack = 8 * 2.0**-24
            ends = [self.finish(z * (1 + s), keep)[0] for s in (-slack, slack)]
            low, high = np.minimum(*ends), np.maximum(*ends)
            size, limit = np.maximum(np.abs(low), np.abs(high)), 0.51
        else:
            low, scale = self.finish(z, lambda v: v)
            high, limit = low, 4.0
            size = np.maximum(np.abs(low), np.abs(scale))
        distance = np.maximum(np.maximum(low - result, result - high), 0)
        distance = np.where(np.isfinite(result), distance, np.inf)
        worst = float((distance / ulp(size, spec.element)).max())
        return worst, worst > limit
