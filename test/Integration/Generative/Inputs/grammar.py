"""The grammar: RMSNorm in random spellings, and mutations that change its mathematics."""
import dataclasses

import numpy as np

from normtest import get_ulp, round_to
from program import Function, Value
from specification import Spec, choose

# What a mutation needs of the program: two equal extents, an epsilon, a weight;
# exact: no arithmetic in 16 bits, whose roundings may undo it.
MUTATIONS = {
    "divisor n-1": "exact", "divisor n+1": "exact", "divisor next float": "static single exact",
    "divisor other extent": "batch exact", "wrong axis": "square", "other numerator": "",
    "other square": "", "product of two": "", "transposed square": "square",
    "transposed numerator": "square", "shifted slice": "static", "mean subtracted": "",
    "abs": "", "cube": "", "epsilon negative": "epsilon exact",
    "epsilon per row": "epsilon batch exact", "part divided by whole": "static part exact",
    "init not zero": "", "max": "", "product": "", "root omitted": "", "fourth root": "",
    "weight axis": "square weight", "no division": "", "divisor 1.6 % off": "static exact",
    "numerator squared": "", "drops NaN": "", "swapped statistics": "",
    "minnum statistic": "", "relu statistic": "", "unsigned divisor": "static exact",
    "wide divisor": "static exact", "mean bounded": "exact", "mean minnum infinity": "",
}
# Mutations that are seen where x has a NaN.
NEED_NAN = ("drops NaN", "minnum statistic", "relu statistic", "mean minnum infinity")
# Steps that are right, but not to the last bit: rounding=exact rejects them.
INEXACT = ("root of the reciprocal", "root of the root", "square by log", "square by root")


def choose_exact(spec):
    """Makes a specification one that rounding=exact takes, if its text is."""
    spec.compute = spec.element = "f32" if spec.element in ("f16", "bf16") else spec.element
    spec.mode, spec.epsilon = "inside", spec.epsilon or 2.0**-10
    spec.root_form, spec.extra, spec.cast, spec.scale = "mean", "none", "late", None
    spec.sum_form, spec.bound, spec.factor, spec.detensorized = "body", "none", 1.0, False
    spec.one_plus, spec.weight, spec.count, spec.post = False, None, None, "none"
    spec.dynamic = set()


@dataclasses.dataclass
class Part:
    """One norm of the program, and what belongs to it alone."""
    weight: np.ndarray = None
    post: np.ndarray = 0.0


class Program:
    """One function with its inputs, what it computes, and what RMSNorm would."""

    def __init__(self, name, rng, mutation=None, inexact=None):
        self.rng, self.mutation, self.name = rng, mutation, name
        self.inexact = inexact  # None: any spelling; "": one that is exact; a step of INEXACT
        self.spec = spec = choose(rng, MUTATIONS.get(mutation, ""), mutation is not None)
        if inexact is not None:
            choose_exact(spec)
        self.numpy = np.random.default_rng(rng.getrandbits(32))
        self.function = Function(name, rng, spec.shape, spec.dynamic, spec.cut)
        # A bias that is fused with the product keeps it: what remains has no value of its own.
        can_fuse = spec.compute in ("f32", "f64") and inexact is None and spec.post == "none"
        if can_fuse and rng.random() < 0.3:
            self.function.flags = " fastmath<contract>"  # math-uplift-to-fma asks for it
        self.function.is_exact = inexact is not None
        self.build()

    def draw(self, layout):
        # Multiples of 1/64: sums of two and 1 + w are exact in every type.
        array = self.numpy.integers(-112, 113, [self.spec.shape[a] for a in layout]) / 64
        if self.mutation in NEED_NAN and not self.function.arguments:
            array.flat[0] = np.nan
        if not layout:  # neither w nor 1 + w makes everything 0
            array = np.abs(array) + (array == 0)
        return array

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
        if self.mutation == "swapped statistics":
            other = f.cast(self.input(list(range(len(spec.shape)))), spec.compute)
            means = self.statistic(wide, wide), self.statistic(other, other)
            self.finish_norm(wide, x, means[1])
            self.finish_norm(other, x, means[0])
            return
        for _ in range(2 if spec.extra == "twin" else 1):
            numerator, squared = self.mutate_x(x, wide)
            self.finish_norm(numerator, x, self.statistic(squared, wide, x))

    def finish_norm(self, numerator, x, mean):
        """One norm from its mean square on, and what the function returns of it."""
        f, spec = self.function, self.spec
        self.part = Part()
        value = self.surround(self.weigh(numerator, x, mean))
        layout = list(range(len(spec.shape)))
        if value.op or value.layout != layout:
            value = f.tensor(value, layout)
        f.result(value, "norm", spec.pair, self.part)
        if spec.extra == "sum":
            f.result(f.tensor(x), "sum")

    def make_x(self):
        f, spec = self.function, self.spec
        layout = list(range(len(spec.shape)))
        if self.mutation == "shifted slice":
            return self.slices(layout)
        if spec.pair is not None:
            x = f.expanded_argument(spec.pair, spec.element, self.draw(layout))
        else:
            x = self.input(layout)
        f.sized = (x.ssa, f.type(layout, spec.element))
        if spec.residual:
            x = f.op("arith.addf", x, self.input(layout))
            if spec.extra == "sum" and self.rng.random() < 0.7:
                x = f.tensor(x)
        return x

    def slices(self, layout):
        """x and x one element further along its first normalized dimension."""
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
        if self.mutation == "numerator squared":
            return f.op("square", wide), wide
        if self.mutation == "drops NaN":
            return wide, f.op("drop nan", wide)
        if self.mutation in ("minnum statistic", "relu statistic"):
            return self.mix_nan_rules(wide)
        if self.mutation in ("transposed square", "transposed numerator"):
            tensor, a = f.tensor(wide), spec.dims[0]
            b = next(i for i in range(len(spec.shape)) if i not in spec.dims)
            layout = [{a: b, b: a}.get(i, i) for i in tensor.layout]
            swapped = Value(wide.element, np.swapaxes(tensor.array, a, b), tensor.ssa, layout)
            return (wide, swapped) if "square" in self.mutation else (swapped, wide)
        return wide, wide

    def mix_nan_rules(self, wide):
        """One function of x for the statistic and for the scaling, but for NaN: what is
        scaled is the x of the specification."""
        f, rules = self.function, ["relu ugt", "relu ogt"]
        if self.mutation == "minnum statistic":
            bound = f.constant(self.rng.choice([0.5, 1.0]), wide.element)
            pair = [f.op(rule, wide, bound) for rule in ("arith.minimumf", "arith.minnumf")]
        else:
            self.rng.shuffle(rules)
            pair = [f.op(rule, wide) for rule in rules]
        self.x_array = np.broadcast_to(pair[0].array, self.spec.shape)
        return pair

    def square(self, value):
        """value^2, by way of a step that is not exact where one is asked for."""
        f = self.function
        if self.inexact == "square by log":
            two = f.constant(2.0, value.element, value.axes)
            return f.op("math.exp", self.mul(f.op("math.log", f.op("math.absf", value)), two))
        if self.inexact == "square by root":
            return f.op("square", f.op("square", f.op("math.sqrt", f.op("math.absf", value))))
        return f.op("square", value)

    def statistic(self, value, wide, x=None):
        f, spec, whole = self.function, self.spec, None
        if spec.count:
            value, whole = f.first(f.tensor(self.rng.choice([value, x])), spec.dims[0], spec.count)
            value = f.cast(value, spec.compute)
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
            square = self.square(value)
        f.combiner = {"max": "arith.maximumf", "product": "arith.mulf"}.get(
            self.mutation, "arith.addf")
        start = 1.0 if self.mutation in ("init not zero", "product") else 0.0
        total, is_mean = self.sum_by_product(square)
        if total is None:
            total = self.sum_in_body(square, start)
        if whole:
            f.shape = whole
        if self.mutation == "wrong axis":
            total = self.swap_axis(total)
        if spec.detensorized:
            f.scalars_outside = True
            total = f.extract(f.tensor(total))
        else:
            total = f.reshape(total)
        return total if is_mean or spec.root_form == "l2" else self.divide(total)

    def sum_in_body(self, square, start):
        f, spec, dims = self.function, self.spec, self.spec.dims
        if len(dims) == 2 and self.rng.random() < 0.3 and self.mutation not in ("init not zero",):
            # A sum of sums, the last dimension first.
            return f.sum(f.sum(square, dims[1:], start), dims[:1], start)
        return f.sum(square, dims, start, spec.sum_form)

    def sum_by_product(self, square):
        """(sum or mean as a product with a vector or None, whether it is the mean)."""
        f, spec = self.function, self.spec
        if spec.sum_form not in ("ones", "inverse"):
            return None, False
        is_mean = spec.sum_form == "inverse" and spec.root_form != "l2" and not set(spec.dims) & spec.dynamic
        inverse = float(round_to(1.0 / spec.terms, spec.compute)) if is_mean else 1.0
        total = f.product(square, spec.dims, inverse)
        if total and is_mean:
            total.array = total.array / inverse / spec.terms
        return total, is_mean and bool(total)

    def swap_axis(self, total):
        """The statistic of row i for column i, which has as many."""
        a = self.spec.dims[0]
        b = next(i for i in range(len(self.spec.shape)) if i != a)
        layout = [a if i == b else i for i in total.layout]
        return Value(total.element, np.swapaxes(total.array, a, b), total.ssa, layout)

    def extent_value(self, dims):
        """The product of extents as a float, from run-time sizes where needed."""
        f, spec = self.function, self.spec
        if self.mutation is None and set(dims) & spec.dynamic and self.rng.random() < 0.25:
            return self.extent_by_apply(dims)
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
        if self.mutation is None and set(dims) & spec.dynamic and self.rng.random() < 0.15:
            # Of no elements there is no result.
            one = f.define("arith.constant 1 : i64")
            product = f.define(f"arith.maxsi {product}, {one} : i64")
        ssa = f.define(f"arith.sitofp {product} : i64 to {spec.compute}")
        return Value(spec.compute, np.full([1] * len(spec.shape), float(number + off)), ssa)

    def extent_by_apply(self, dims):
        """The product of extents by an affine map, as passes that reify shapes leave it."""
        f, spec = self.function, self.spec
        symbols = [d for d in dims if d in spec.dynamic]
        terms = [f"s{symbols.index(d)}" if d in symbols else str(spec.shape[d]) for d in
                 symbols + [d for d in dims if d not in symbols]]
        names = ", ".join(f"s{i}" for i in range(len(symbols)))
        sizes = ", ".join(f.size(d) for d in symbols)
        index = f.define(f"affine.apply affine_map<()[{names}] -> ({' * '.join(terms)})>()[{sizes}]")
        cast = f.define(f"arith.index_cast {index} : index to i64")
        ssa = f.define(f"arith.sitofp {cast} : i64 to {spec.compute}")
        number = float(np.prod([spec.shape[d] for d in dims]))
        return Value(spec.compute, np.full([1] * len(spec.shape), number), ssa)

    def unsigned_divisor(self, total):
        """Divides by two narrow numbers that are negative with a sign: -p * -q is n."""
        f, n = self.function, self.spec.terms
        p = self.rng.choice([d for d in range(1, n + 1) if n % d == 0 and max(d, n // d) <= 128])
        wide, form = (256 - p) * (256 - n // p), self.rng.choice(["extui", "uitofp", "index"])
        narrow = [f.define(f"arith.constant {-v} : i8") for v in (p, n // p)]
        scalar = lambda ssa, number: Value(total.element, np.full([1] * len(self.spec.shape), float(number)), ssa)
        if form == "uitofp":
            for ssa, number in zip(narrow, (256 - p, 256 - n // p)):
                number = scalar(f.define(f"arith.uitofp {ssa} : i8 to {total.element}"), number)
                total = f.op("arith.divf", total, number)
            return total
        kind, name = ("i64", "extui") if form == "extui" else ("index", "index_castui")
        narrow = [f.define(f"arith.{name} {ssa} : i8 to {kind}") for ssa in narrow]
        product = f.define(f"arith.muli {', '.join(narrow)} : {kind}")
        if kind == "index":
            product = f.define(f"arith.index_cast {product} : index to i64")
        ssa = f.define(f"arith.sitofp {product} : i64 to {total.element}")
        return f.op("arith.divf", total, scalar(ssa, wide))

    def wide_divisor(self, total):
        """Divides by an integer whose low 64 bits are n."""
        f = self.function
        number = 2**64 + self.spec.terms
        ssa = f.define(f"arith.constant {number} : i128")
        ssa = f.define(f"arith.sitofp {ssa} : i128 to {total.element}")
        array = np.full([1] * len(self.spec.shape), float(number))
        return f.op("arith.divf", total, Value(total.element, array, ssa))

    def divide(self, total):
        f, spec, mutation = self.function, self.spec, self.mutation
        dims, rank1 = spec.dims, [1] * len(spec.shape)
        layout = total.layout or ()
        if mutation == "no division":
            return total
        if mutation == "unsigned divisor":
            return self.unsigned_divisor(total)
        if mutation == "wide divisor":
            return self.wide_divisor(total)
        if mutation == "divisor other extent":
            dims = [next(i for i in range(len(spec.shape)) if i not in dims)] + dims[1:]
        if set(dims) & spec.dynamic or (self.rng.random() < 0.2 and not spec.count):
            if mutation not in ("divisor next float", "divisor 1.6 % off"):
                return f.op("arith.divf", total, self.extent_value(dims))
        is_part = spec.count and mutation != "part divided by whole"
        n = spec.count if is_part else int(np.prod([spec.shape[d] for d in dims]))
        n += {"divisor n-1": -1, "divisor n+1": 1}.get(mutation, 0)
        n *= 1.016 if mutation == "divisor 1.6 % off" else 1
        if self.inexact is not None or (mutation != "divisor next float" and self.rng.random() < 0.5):
            return f.op("arith.divf", total, f.constant(n, spec.compute, layout))
        inverse = 1.0 / n
        stored = np.float64(inverse) if spec.compute == "f64" else np.float32(
            round_to(inverse, spec.compute))
        exact = inverse
        if mutation == "divisor next float":
            stored = np.nextafter(stored, stored.dtype.type(2))
            exact = float(stored)
        factor = f.constant(float(stored), spec.compute, layout)
        factor.array = np.full(rank1, exact)
        return f.op("arith.mulf", total, factor)

    def epsilon(self, number, like, scale=1.0):
        f, spec = self.function, self.spec
        if self.mutation == "epsilon negative":
            number = -number
        if self.mutation == "epsilon per row":
            batch = [a for a in range(len(spec.shape)) if a not in spec.dims]
            array = number * (1 + self.numpy.integers(0, 8, [spec.shape[a] for a in batch]) / 8)
            array.flat[0] = number * 3
            return f.argument(batch, spec.compute, round_to(array, spec.compute))
        layout = like.layout if like.layout is not None else like.axes
        return f.constant(number * scale, spec.compute, layout)

    def bound_mean(self, mean):
        """The mean by way of what leaves a mean square as it is, or by a mutation."""
        f, spec = self.function, self.spec
        axes = mean.layout if mean.layout is not None else mean.axes
        if self.mutation == "mean bounded":
            bound = f.constant(self.rng.choice([0.25, 0.5]), spec.compute, axes)
            return f.op(self.rng.choice(["arith.minimumf", "arith.minnumf"]), mean, bound)
        if self.mutation == "mean minnum infinity":
            return f.op("arith.minnumf", mean, f.constant(np.inf, spec.compute, axes))
        if spec.bound == "abs":
            return f.op("math.absf", mean)
        if spec.bound == "max":
            pair = [mean, f.constant(0.0, spec.compute, axes)]
            self.rng.shuffle(pair)
            return f.op("arith.maximumf", *pair)
        return mean

    def exact_root(self, m):
        """1 / sqrt(m), or one of INEXACT."""
        f = self.function
        one = lambda: f.constant(1.0, m.element, m.axes)
        if self.inexact == "root of the reciprocal":
            return f.op("math.sqrt", f.op("arith.divf", one(), m)), False
        if self.inexact == "root of the root":
            return f.op("square", f.op("math.sqrt", f.op("math.sqrt", m))), True
        return f.op("math.sqrt", m), True

    def root(self, mean):
        """(divisor or factor, whether it divides) of x."""
        f, spec, e = self.function, self.spec, self.spec.epsilon
        mean = self.bound_mean(mean)
        # Of a sum that is not divided, epsilon is larger.
        larger = spec.terms if spec.root_form == "l2" else 1
        if self.mutation == "root omitted":
            return (f.op("arith.addf", mean, self.epsilon(e, mean)) if e else mean), True
        if spec.mode == "inside":
            m = f.op("arith.addf", mean, self.epsilon(e, mean, larger)) if e else mean
            if self.inexact is not None:
                return self.exact_root(m)
            forms = ["rsqrt", "rsqrt", "sqrt", "powf", "powf half"]
            form = self.rng.choice(forms + (["log"] if spec.compute in ("f32", "f64") else []))
            if form == "log" and self.mutation != "fourth root":
                sign = self.rng.choice([-1, 1])
                half = f.constant(0.5 * sign, spec.compute, m.axes)
                power = self.mul(half, f.op("math.log", m))
                return f.op("math.exp", power if sign < 0 else f.op("arith.negf", power)), False
            if self.mutation == "fourth root":
                return f.op("math.powf", m, f.constant(-0.25, spec.compute, m.axes)), False
            if form == "rsqrt":
                return f.op("math.rsqrt", m), False
            if form == "powf":
                return f.op("math.powf", m, f.constant(-0.5, spec.compute, m.axes)), False
            if form == "powf half":
                return f.op("math.powf", m, f.constant(0.5, spec.compute, m.axes)), True
            return f.op("math.sqrt", m), True
        if spec.root_form == "clamp mean":
            m = f.op(self.rng.choice(["arith.maximumf", "arith.maxnumf"]), mean,
                     self.epsilon(e, mean, e))
            inverts = self.rng.random() < 0.5
            return f.op("math.rsqrt" if inverts else "math.sqrt", m), not inverts
        root = f.op("math.sqrt", mean)
        if self.mutation == "fourth root":
            root = f.op("math.sqrt", root)
        name = "arith.addf"
        if spec.mode == "clamp":
            name = self.rng.choice(["arith.maximumf", "arith.maxnumf"])
        return f.op(name, root, self.epsilon(e, root, larger**0.5)), True

    def weight_value(self, element):
        """The weight in `element`, and its number."""
        f, spec = self.function, self.spec
        w = self.input(spec.weight, spec.element)
        w = f.cast(w, element)
        if spec.one_plus:
            w = f.op("arith.addf", f.constant(1.0, element, w.axes), w)
        self.part.weight = w.array
        if self.mutation == "weight axis":
            a = spec.dims[0]
            b = next(i for i in range(len(spec.shape)) if i != a)
            w = f.tensor(w)
            layout = [b if i == a else a if i == b else i for i in w.layout]
            w = Value(w.element, np.swapaxes(w.array, a, b), w.ssa, layout)
        return w

    def weigh(self, x, stored, mean):
        """x, in the compute type and as it is stored, scaled and weighed."""
        f, spec = self.function, self.spec
        scale, divides = self.root(mean)
        held = spec.extra == "inv_rms" and not set(scale.axes) & set(spec.dims)
        if spec.extra == "inv_rms" and not held:
            spec.extra = "none"  # r is there for each element
        if divides and (held or spec.scale or self.rng.random() < 0.6):
            one = f.constant(1.0, spec.compute, scale.axes)
            scale, divides = f.op("arith.divf", one, scale), False
        if held:
            scale = f.tensor(scale)
            f.result(scale, "inv_rms")
        if spec.factor == -1.0:
            x = f.op("arith.negf", x)
        elif spec.factor == 0.5:
            number = f.constant(2.0 if divides else 0.5, spec.compute, scale.axes)
            scale = self.mul(number, scale)
        if spec.scale:
            scale = f.cast(scale, spec.element)
            if spec.scale == "wide":
                scale = f.cast(scale, spec.compute)
            else:
                x = f.cast(x, spec.element) if self.mutation else stored

        def apply(v):
            if spec.root_form == "l2" and self.rng.random() < 0.3:
                v = self.mul(v, self.root_of_terms())
                return f.op("arith.divf", v, scale) if divides else self.mul(v, scale)
            v = f.op("arith.divf", v, scale) if divides else self.mul(v, scale)
            return self.mul(v, self.root_of_terms()) if spec.root_form == "l2" else v
        if spec.weight is None:
            return f.cast(apply(x), spec.element)
        if spec.normalized:
            z = f.cast(apply(x), spec.element)
            if self.rng.random() < 0.3:  # exact, and rounded once: the same product
                pair = f.cast(z, spec.compute), self.weight_value(spec.compute)
                return f.cast(self.mul(*pair), spec.element)
            return self.mul(z, self.weight_value(spec.element))
        w = self.weight_value(spec.compute)
        # x * w may leave the range of f16 where x * r does not.
        if self.rng.random() < 0.3 and spec.compute != "f16":
            return f.cast(apply(self.mul(x, w)), spec.element)
        return f.cast(self.mul(apply(x), w), spec.element)

    def root_of_terms(self):
        """sqrt(n), for a sum that is not divided."""
        f, spec = self.function, self.spec
        if set(spec.dims) & spec.dynamic:
            return f.op("math.sqrt", self.extent_value(spec.dims))
        return f.constant(spec.terms**0.5, spec.compute)

    def surround(self, value):
        f, spec = self.function, self.spec
        if spec.post == "none":
            return value
        layout = list(range(len(spec.shape))) if spec.post != "bias" else spec.dims
        other = self.input(layout)
        self.part.post = other.array
        return self.mul(value, other) if spec.post == "gate" else f.op("arith.addf", value, other)

    # The reference: from the specification, never from the text.

    def inverse_root(self):
        spec, x = self.spec, self.x_array
        used = np.take(x, range(spec.count), spec.dims[0]) if spec.count else x
        mean = (used**2).sum(axis=tuple(spec.dims), keepdims=True) / spec.terms
        e = spec.epsilon
        return {"inside": lambda: 1 / np.sqrt(mean + e), "outside": lambda: 1 / (np.sqrt(mean) + e),
                "clamp": lambda: 1 / np.maximum(np.sqrt(mean), e)}[spec.mode]()

    def finish(self, z, keep, part):
        """S4 to S6 and what follows them; `keep` rounds between."""
        spec = self.spec
        z = z * spec.factor
        if spec.normalized:
            z = keep(z)
        if spec.weight is not None:
            z = z * part.weight
        if spec.post == "none":
            return z, z
        z = keep(z)
        return (z * part.post if spec.post == "gate" else z + part.post), z

    def is_changed(self):
        """Whether the text means something else than the specification."""
        return any(self.differs(r) for r in self.function.results if r.role == "norm")

    def differs(self, result):
        z = self.x_array * self.inverse_root()
        expected, scaled = self.finish(z, lambda v: v, result.part)
        got = np.broadcast_to(result.value.array, expected.shape)
        size = np.abs(scaled) + np.abs(expected) + 1e-3
        same = (np.abs(got - expected) / size < 1e-13 * 64) | (np.isnan(got) & np.isnan(expected))
        return not np.all(same)

    def errors(self, outputs):
        """Worst errors in ulp of the compiled results, and whether one is too large."""
        worst, too_large = {}, False
        for result, output in zip(self.function.results, outputs):
            low, high, size, limit = getattr(self, f"expect_{result.role}")(result)
            low, high, size = (np.broadcast_to(v, self.spec.shape) if v.size > output.size or
                               result.role == "norm" else v for v in (low, high, size))
            low, high, size = (v.reshape(output.shape) for v in (low, high, size))
            distance = np.maximum(np.maximum(low - output, output - high), 0)
            distance = np.where(np.isfinite(output), distance, np.inf)
            error = float((distance / get_ulp(size, result.value.element)).max())
            kind = result.value.element + self.spec.arithmetic.removeprefix(self.spec.element)
            worst[kind] = max(worst.get(kind, 0.0), error)
            too_large |= error > limit
        return worst, too_large

    @property
    def slack(self):
        """ulp that the statistic, and products in another order, may be off."""
        spec = self.spec
        return spec.terms / 2 + 6 if spec.arithmetic != spec.element else 4.0

    def expect_sum(self, result):
        exact = result.value.array
        return exact, exact, np.abs(exact), 0.0

    def expect_inv_rms(self, result):
        r = self.inverse_root()
        return r, r, np.abs(r), self.slack

    def expect_norm(self, result):
        spec, keep = self.spec, lambda v: round_to(v, self.spec.element)
        r = self.inverse_root()
        if spec.element in ("f16", "bf16") and spec.compute == "f32":
            # The f32 statistic may flip a rounding: the result lies between these.
            slack = 8 * 2.0**-24
            ends = []
            for s in (-slack, slack):
                scale = keep(r * (1 + s)) if spec.scale else r * (1 + s)
                ends += [self.finish(self.x_array * scale * (1 + t), keep, result.part)[0]
                         for t in (-slack, slack)]
            low, high = np.minimum.reduce(ends), np.maximum.reduce(ends)
            return low, high, np.maximum(np.abs(low), np.abs(high)), 0.51
        low, scale = self.finish(self.x_array * r, lambda v: v, result.part)
        return low, low, np.maximum(np.abs(low), np.abs(scale)), self.slack
