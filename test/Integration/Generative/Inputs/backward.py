"""The backward pass of RMSNorm in random spellings, and mutations of it.

A program returns dx, dw or both. Front ends write dx in one of FORMS, with the statistic
computed or passed in; dw is a sum over rows. A mutant returns the one result that it
changes, so that what is right beside it does not count. A dw with the root of another
norm (OTHER_ROOTS) is right, but not in the op of dx.
"""
import dataclasses
import re

import numpy as np

from normtest import get_ulp, round_to
from program import Function, Value

# How dx is written: see `Backward.dx`.
FORMS = ["autograd", "apex", "liger", "fused", "textbook", "jax"]
# What each needs of the program.
DX_MUTATIONS = {
    "weight twice": "weight", "projection of dy": "weight", "projection missing": "",
    "divisor n-1": "", "divisor n+1": "", "divisor 1.6 % off": "", "sum, not mean": "",
    "r once more": "", "r once less": "", "mean subtracted": "", "sum over rows": "square",
    "other x in the sum": "", "other x in the projection": "", "sign": "",
    "half of the projection": "", "statistic of another tensor": "computed", "g of another row": "square",
    "two epsilons": "computed", "projection twice": "", "weight of another axis": "square weight",
    "init not zero": "", "maximum": "", "abs": "",
    "r rounded beside g": "computed", "r rounded in the sum": "computed", "power of r rounded": "",
}
DW_MUTATIONS = {
    "dw without r": "", "dw of another x": "computed", "dw r squared": "",
    "dw of another r": "", "dw init not zero": "", "dw maximum": "", "dw x squared": "",
}
MUTATIONS = {**DX_MUTATIONS, **DW_MUTATIONS}
# How the root of dw differs from that of dx.
OTHER_ROOTS = ["factor", "sign", "inverse", "epsilon", "rounding", "type"]


@dataclasses.dataclass
class Spec:
    """A backward pass, and how far its text may stray."""
    shape: list
    dynamic: set
    dims: list
    element: str
    compute: str
    epsilon: float
    mode: str
    weight: list = None  # dimensions of the weight
    one_plus: bool = False
    early: bool = False  # z is rounded to the element type, and products with dy too
    saved: bool = False  # the statistic is an argument
    results: tuple = ("dx", "dw")
    form: str = "autograd"
    residual: bool = False  # a gradient is added to dx
    other_root: str = ""  # of OTHER_ROOTS
    cut: float = 1.0


def choose(rng, needs, mutation):
    rank = rng.choice([2, 2, 3, 3, 4])
    shape = rng.sample([3, 5, 6, 7, 8, 12], rank)
    dims = [rank - 1] if rng.random() < 0.85 else [rng.randrange(rank)]
    if "square" in needs:
        dims = [rank - 1]
        shape[rank - 2] = shape[rank - 1]
    batch = [a for a in range(rank) if a not in dims]
    dynamic = set()
    if "square" not in needs and rng.random() < 0.4:
        dynamic = {a for a in batch if rng.random() < 0.6}
    element = rng.choice(["f16", "bf16", "f32", "f32", "f32", "f64"])
    compute = "f64" if element == "f64" else "f32"
    weight = rng.choice([None, dims, dims, dims, sorted(dims + batch[-1:]) if rank > 2 else dims])
    if "weight" in needs:
        weight = dims
    spec = Spec(shape, dynamic, dims, element, compute,
                float(np.float32(rng.choice([1e-6, 1e-5, 1e-3, 0.0625]))),
                rng.choice(["inside"] * 5 + ["outside"]), weight)
    spec.one_plus = weight is not None and rng.random() < 0.2
    spec.early = element in ("f16", "bf16") and rng.random() < 0.5
    spec.saved = "computed" not in needs and rng.random() < 0.4
    spec.form = rng.choice(FORMS)
    spec.residual = rng.random() < 0.2
    spec.cut = rng.choice([0.0, 0.4, 1.0, 1.0])
    spec.results = rng.choice([("dx", "dw"), ("dx", "dw"), ("dx",), ("dw",)])
    if spec.mode == "outside" or (mutation and rng.random() < 0.5):
        spec.form = "apex"
    if mutation:
        spec.results = ("dx",) if mutation in DX_MUTATIONS else ("dw",)
        spec.mode, spec.residual, spec.one_plus = "inside", False, False
        spec.early = False  # a rounding may undo what a mutation does
    if "dw" in spec.results and spec.weight is None:
        spec.weight = dims
    if spec.weight is None:
        spec.early = False  # g is dy, which has the element type
    # Of dw alone with a given r nothing tells which dimensions are normalized but that r
    # lacks them; only the last one is taken for that.
    if spec.results == ("dw",) and spec.dims != [rank - 1]:
        spec.saved = False
    if not mutation and spec.results == ("dx", "dw") and not spec.early and rng.random() < 0.3:
        kinds = [k for k in OTHER_ROOTS if k != "type" or spec.compute == "f32"]
        spec.other_root = rng.choice([k for k in kinds if k != "epsilon" or not spec.saved])
    return spec


class Backward:
    """One function with its inputs, what it computes, and what the gradients are."""

    def __init__(self, name, rng, mutation=None):
        self.rng, self.mutation, self.name = rng, mutation, name
        self.spec = spec = choose(rng, MUTATIONS.get(mutation, ""), mutation)
        self.numpy = np.random.default_rng(rng.getrandbits(32))
        self.function = Function(name, rng, spec.shape, spec.dynamic, spec.cut)
        self.rows = [a for a in range(len(spec.shape)) if a not in spec.dims]
        self.build()

    def draw(self, layout):
        """Multiples of 1/64, as in grammar.py."""
        return self.numpy.integers(-112, 113, [self.spec.shape[a] for a in layout]) / 64

    def input(self, layout, element=None):
        return self.function.argument(layout, element or self.spec.element, self.draw(layout))

    def mul(self, *factors):
        """A product, in any order and association."""
        factors = list(factors)
        self.rng.shuffle(factors)
        while len(factors) > 1:
            a = factors.pop(self.rng.randrange(len(factors)))
            b = factors.pop(self.rng.randrange(len(factors)))
            factors.append(self.function.op("arith.mulf", a, b))
        return factors[0]

    def constant(self, number, like):
        return self.function.constant(number, like.element, like.axes)

    @property
    def terms(self):
        return int(np.prod([self.spec.shape[d] for d in self.spec.dims]))

    def build(self):
        f, spec = self.function, self.spec
        layout = list(range(len(spec.shape)))
        self.dy, self.x = self.input(layout), self.input(layout)
        f.sized = (self.x.ssa, f.type(layout, spec.element))
        self.wide = f.cast(self.x, spec.compute)
        self.find_root(self.wide)
        wanted = list(spec.results)
        self.rng.shuffle(wanted)
        self.weight = self.make_weight()
        made = {role: getattr(self, role)() for role in wanted}
        for role in spec.results:
            axes = layout if role == "dx" else spec.weight
            value = f.cast(made[role], spec.element)
            if role == "dx" and spec.residual:
                self.tangent = self.input(layout)
                value = f.op("arith.addf", f.tensor(value), self.tangent)
            if value.op or value.layout != axes:
                value = f.tensor(value, axes)
            f.result(value, role)

    # r.

    def find_root(self, x):
        """r, and with epsilon outside the root before it."""
        f, spec = self.function, self.spec
        if spec.saved:
            array = (np.abs(self.draw(self.rows)) + 0.25)
            layout = list(self.rows)
            if self.rng.random() < 0.5:
                layout = [a if a in self.rows else None for a in range(len(spec.shape))]
            # A unit dimension is one of the array too, which the descriptor describes.
            array = array.reshape([1 if a is None else spec.shape[a] for a in layout])
            saved = f.argument(layout, spec.compute, array)
            self.root = saved if spec.mode == "outside" else None
            self.r = self.invert_outside(saved) if self.root else saved
            return
        if self.mutation == "statistic of another tensor":
            x = f.cast(self.input(list(range(len(spec.shape)))), spec.compute)
        mean = self.divide(f.sum(f.op("square", x), spec.dims))
        mean = f.reshape(mean)
        if spec.mode == "outside":
            self.root = f.op("math.sqrt", mean)
            self.r = self.invert_outside(self.root)
            return
        self.root, self.mean = None, mean
        self.shifted = f.op("arith.addf", mean, self.constant(spec.epsilon, mean))
        self.r = self.reciprocal_root(self.shifted)

    def reciprocal_root(self, v):
        f = self.function
        form = self.rng.choice(["rsqrt", "rsqrt", "sqrt", "powf"])
        if form == "rsqrt":
            return f.op("math.rsqrt", v)
        if form == "powf":
            return f.op("math.powf", v, self.constant(-0.5, v))
        return f.op("arith.divf", self.constant(1.0, v), f.op("math.sqrt", v))

    def invert_outside(self, root):
        f = self.function
        self.full = f.op("arith.addf", root, self.constant(self.spec.epsilon, root))
        return f.op("arith.divf", self.constant(1.0, root), self.full)

    def divide(self, total):
        """The sum by n, in one of its spellings."""
        if self.rng.random() < 0.6:
            return self.function.op("arith.divf", total, self.constant(self.terms, total))
        inverse = self.constant(float(round_to(1.0 / self.terms, total.element)), total)
        inverse.array = np.full([1] * len(self.spec.shape), 1.0 / self.terms)
        return self.function.op("arith.mulf", total, inverse)

    def make_weight(self):
        spec, f = self.spec, self.function
        if spec.weight is None or ("dx" not in spec.results):
            return None
        element = spec.element if spec.early else spec.compute
        w = f.cast(self.input(spec.weight), element)
        if spec.one_plus:
            w = f.op("arith.addf", f.constant(1.0, element, w.axes), w)
        self.weight_array = w.array
        if self.mutation == "weight of another axis":
            w = f.tensor(w)
            a = spec.dims[0]
            layout = [a - 1 if i == a else i for i in w.layout]
            w = Value(w.element, np.swapaxes(w.array, a, a - 1), w.ssa, layout)
        return w

    # dx.

    def cotangent(self):
        """g = dy * w in the compute type, and dy there too."""
        f, spec = self.function, self.spec
        if spec.early:
            g = self.mul(self.dy, self.weight) if self.weight else self.dy
            return f.cast(g, spec.compute), None
        dy = f.cast(self.dy, spec.compute)
        return (self.mul(dy, self.weight) if self.weight else dy), dy

    def row_sum(self, value):
        """The sum that the projection has, or a mutation of it."""
        f, spec, mutation = self.function, self.spec, self.mutation
        if mutation == "abs":
            value = f.op("math.absf", value)
        f.combiner = "arith.maximumf" if mutation == "maximum" else "arith.addf"
        axes = spec.dims
        if mutation == "sum over rows":
            axes = [spec.dims[0] - 1]
        total = f.sum(value, axes, 1.0 if mutation == "init not zero" else 0.0)
        f.combiner = "arith.addf"
        if mutation == "sum over rows":
            a = spec.dims[0]
            layout = [a - 1 if i == a else i for i in total.layout]
            total = Value(total.element, np.swapaxes(total.array, a, a - 1), total.ssa, layout)
        return f.reshape(total)

    def factor(self):
        """1/n of the projection as a constant, or a mutation of it."""
        n = {"divisor n-1": self.terms - 1, "divisor n+1": self.terms + 1,
             "divisor 1.6 % off": self.terms * 1.016, "sum, not mean": 1}.get(self.mutation, self.terms)
        return n

    def by_terms(self, value):
        n = self.factor()
        if self.mutation or self.rng.random() < 0.6:
            return self.function.op("arith.divf", value, self.constant(n, value))
        inverse = self.constant(float(round_to(1.0 / n, value.element)), value)
        inverse.array = np.full([1] * len(self.spec.shape), 1.0 / n)
        return self.function.op("arith.mulf", value, inverse)

    def dx(self):
        f, spec, mutation = self.function, self.spec, self.mutation
        g, dy = self.cotangent()
        x, r = self.wide, self.r
        projected = dy if mutation == "projection of dy" else g
        in_sum = in_term = x
        if mutation in ("other x in the sum", "other x in the projection"):
            other = f.cast(self.input(list(range(len(spec.shape)))), spec.compute)
            in_sum, in_term = (other, x) if "sum" in mutation else (x, other)
        if mutation == "g of another row":
            projected = f.tensor(projected)
            a = spec.dims[0]
            layout = [{a: a - 1, a - 1: a}.get(i, i) for i in projected.layout]
            projected = Value(projected.element, np.swapaxes(projected.array, a, a - 1), projected.ssa, layout)
        direct = self.mul(g, self.weight) if mutation == "weight twice" else g
        if mutation == "mean subtracted":
            direct = f.op("arith.subf", direct, f.reshape(self.by_terms(f.sum(g, spec.dims))))
        if mutation == "r once more":
            direct = self.mul(direct, r)
        if mutation == "projection missing":
            return self.mul(direct, r)
        if spec.mode == "outside":
            return self.outside(g, x)
        forms = {"r rounded in the sum": "fused", "r rounded beside g": "apex", "power of r rounded": "apex"}
        write = {"autograd": self.autograd, "apex": self.apex, "liger": self.liger, "fused": self.fused,
                 "textbook": self.textbook, "jax": self.jax}[forms.get(mutation, spec.form)]
        return write(direct, projected, in_sum, in_term, r)

    def join(self, direct, projection):
        """direct - projection, or a mutation of it."""
        f = self.function
        if self.mutation == "half of the projection":
            projection = self.mul(projection, self.constant(0.5, projection))
        if self.mutation == "projection twice":
            projection = self.mul(projection, self.constant(2.0, projection))
        if self.mutation == "r once less":
            projection = f.op("arith.divf", projection, self.r)
        if self.mutation == "sign":
            return f.op("arith.addf", direct, projection)
        if self.rng.random() < 0.3:
            return f.op("arith.addf", direct, f.op("arith.negf", projection))
        return f.op("arith.subf", direct, projection)

    def narrow(self, value):
        """`value` rounded to bf16."""
        wide = self.function.cast(self.function.cast(value, "bf16"), value.element)
        wide.array = round_to(value.array, "bf16")
        return wide

    def cube(self, r):
        """r^3, of another epsilon or rounded if the mutation says so."""
        f = self.function
        if self.mutation == "power of r rounded":
            return self.narrow(f.op("cube", r))
        if self.mutation == "two epsilons":
            other = f.op("arith.addf", self.mean, self.constant(self.spec.epsilon * 2 + 0.125, self.mean))
            r = self.reciprocal_root(other)
        return f.op("cube", r)

    def autograd(self, direct, g, in_sum, x, r):
        """g r + (-1/2 sum(g x) r^3 / n) (2 x)."""
        f = self.function
        total = self.mul(self.row_sum(self.mul(g, in_sum)), self.constant(0.5, r))
        scaled = self.by_terms(self.mul(total, self.cube(r)))
        return self.join(self.mul(direct, r), self.mul(scaled, self.mul(x, self.constant(2.0, x))))

    def apex(self, direct, g, in_sum, x, r):
        """g r - x sum(g x) r^3 / n."""
        total = self.row_sum(self.mul(g, in_sum))
        beside = self.narrow(r) if self.mutation == "r rounded beside g" else r
        return self.join(self.mul(direct, beside), self.by_terms(self.mul(x, total, self.cube(r))))

    def liger(self, direct, g, in_sum, x, r):
        """r (g - r^2 / n sum(g x) x)."""
        f = self.function
        if self.mutation == "two epsilons":
            return self.apex(direct, g, in_sum, x, r)
        total = self.row_sum(self.mul(g, in_sum))
        return self.mul(r, self.join(direct, self.mul(self.by_terms(f.op("square", r)), total, x)))

    def fused(self, direct, g, in_sum, x, r):
        """(g - (x r) / n sum(x r g)) r."""
        if self.mutation == "two epsilons":
            return self.apex(direct, g, in_sum, x, r)
        summed = self.narrow(r) if self.mutation == "r rounded in the sum" else r
        total = self.row_sum(self.mul(g, self.mul(in_sum, summed)))
        return self.mul(self.join(direct, self.mul(self.by_terms(self.mul(x, r)), total)), r)

    def textbook(self, direct, g, in_sum, x, r):
        """r (g - z mean(z g))."""
        if self.mutation == "two epsilons":
            return self.apex(direct, g, in_sum, x, r)
        mean = self.by_terms(self.row_sum(self.mul(self.mul(in_sum, r), g)))
        return self.mul(r, self.join(direct, self.mul(self.mul(x, r), mean)))

    def jax(self, direct, g, in_sum, x, r):
        """g r + (sum(g x) (-1/2 r / (mean + e)) / n) (2 x)."""
        f = self.function
        if self.spec.saved or self.mutation == "two epsilons":
            return self.apex(direct, g, in_sum, x, r)
        slope = self.mul(self.constant(0.5, r), f.op("arith.divf", r, self.shifted))
        scaled = self.by_terms(self.mul(self.row_sum(self.mul(in_sum, g)), slope))
        return self.join(self.mul(direct, r), self.mul(scaled, self.mul(self.constant(2.0, x), x)))

    def outside(self, g, x):
        """g / t - x sum(g x) / (t^2 s n) with t = s + e."""
        f = self.function
        total = self.row_sum(self.mul(g, x))
        below = self.mul(f.op("square", self.full), self.root)
        scaled = self.by_terms(f.op("arith.divf", total, below))
        return f.op("arith.subf", f.op("arith.divf", g, self.full), self.mul(scaled, x))

    # dw.

    def find_other_root(self):
        """The root of dw, in the type that its products have."""
        f, kind, r = self.function, self.spec.other_root, self.r
        if kind == "factor":
            return self.mul(r, self.constant(self.rng.choice([2.0, 0.75, -1.5]), r))
        if kind == "sign":
            return f.op("arith.negf", r)
        if kind == "inverse":
            return f.op("arith.divf", self.constant(1.0, r), r)
        if kind == "epsilon":
            base = self.root if self.root else self.mean
            full = f.op("arith.addf", base, self.constant(self.spec.epsilon * 2 + 0.125, base))
            return f.op("arith.divf", self.constant(1.0, full), full) if self.root else self.reciprocal_root(full)
        if kind == "rounding":
            return self.narrow(r)
        return f.cast(r, "f64")

    def dw(self):
        f, spec, mutation = self.function, self.spec, self.mutation
        x, r = self.wide, self.r
        if spec.other_root:
            r = self.find_other_root()
            self.other_root = r.array
            x = f.cast(x, r.element)
        if mutation == "dw of another x":
            x = f.cast(self.input(list(range(len(spec.shape)))), spec.compute)
        if mutation == "dw of another r":
            r = f.argument(self.rows, spec.compute, np.abs(self.draw(self.rows)) + 0.25)
            r = self.mul(r, self.r)
        if mutation == "dw r squared":
            r = f.op("square", r)
        if mutation == "dw x squared":
            x = f.op("square", x)
        z = x if mutation == "dw without r" else self.mul(x, r)
        # The product may be widened for the sum, which is then rounded.
        widens = spec.early and self.rng.random() < 0.5
        if spec.early:
            product = self.mul(self.dy, f.cast(z, spec.element))
            product = f.cast(product, spec.compute) if widens else product
        else:
            product = self.mul(f.cast(self.dy, r.element), z)
        f.combiner = "arith.maximumf" if mutation == "dw maximum" else "arith.addf"
        axes = [a for a in range(len(spec.shape)) if a not in spec.weight]
        total = f.sum(product, axes, 1.0 if mutation == "dw init not zero" else 0.0)
        f.combiner = "arith.addf"
        return f.cast(total, spec.element) if widens else total

    # The reference: from the specification, never from the text.

    def gradients(self):
        """dx and dw in f64, and the sizes that their errors are relative to."""
        spec = self.spec
        x, dy = self.x.array, self.dy.array
        w = self.weight_array if self.weight is not None else np.ones([1] * x.ndim)
        axes = tuple(spec.dims)
        if spec.saved:
            s = np.broadcast_to(self.function.arguments[2][2].reshape(
                [n if a in self.rows else 1 for a, n in enumerate(spec.shape)]), [
                    n if a in self.rows else 1 for a, n in enumerate(spec.shape)])
            r = 1 / (s + spec.epsilon) if spec.mode == "outside" else s
        else:
            mean = (x * x).mean(axis=axes, keepdims=True)
            s = np.sqrt(mean)
            r = 1 / (s + spec.epsilon) if spec.mode == "outside" else 1 / np.sqrt(mean + spec.epsilon)
        g, z = dy * w, x * r
        ratio = 1 / (r * s) if spec.mode == "outside" else 1.0
        mean = (z * g).mean(axis=axes, keepdims=True) * ratio
        size = np.abs(z * g).mean(axis=axes, keepdims=True) * ratio
        summed = dy * (x * self.other_root if spec.other_root else z)
        rows = tuple(a for a in range(x.ndim) if a not in (spec.weight or []))
        return {"dx": (r * (g - z * mean), r * (np.abs(g) + np.abs(z) * size)),
                "dw": (summed.sum(axis=rows, keepdims=True), np.abs(summed).sum(axis=rows, keepdims=True))}

    def expected(self, result):
        value, size = self.gradients()[result.role]
        if result.role == "dx" and self.spec.residual:
            value, size = value + self.tangent.array, size + np.abs(self.tangent.array)
        return value, size

    def is_changed(self):
        return any(self.differs(r) for r in self.function.results)

    def differs(self, result):
        expected, size = self.expected(result)
        got = np.broadcast_to(result.value.array, expected.shape)
        return not np.all(np.abs(got - expected) <= (size + 1e-3) * 1e-12)

    def errors(self, outputs):
        """Worst errors in ulp of the element type at the size, and whether one is too large."""
        worst, too_large = {}, False
        for result, output in zip(self.function.results, outputs):
            expected, size = (v.reshape(output.shape) for v in map(
                lambda v: np.broadcast_to(v, self.shape_of(result)), self.expected(result)))
            distance = np.where(np.isfinite(output), np.abs(output - expected), np.inf)
            error = float((distance / get_ulp(size, self.spec.element)).max())
            kind = f"{result.role} {self.spec.element}" + (" early" if self.spec.early else "")
            worst[kind] = max(worst.get(kind, 0.0), error)
            too_large |= not error <= self.limit(result.role)
        return worst, too_large

    def shape_of(self, result):
        return [n if result.role == "dx" or a in self.spec.weight else 1 for a, n in enumerate(self.spec.shape)]

    def limit(self, role):
        """ulp of the size: roundings to 16 bits are half a ulp each, others small."""
        if self.spec.element in ("f16", "bf16"):
            return (4.0 if self.spec.early else 0.52) + (0.5 if self.spec.residual and role == "dx" else 0)
        return 12.0


def is_taken(program, text):
    """Whether the mutated result became an op. Beside it z may be a forward norm, and a sum
    of dy z over rows is a dw, whatever it is for."""
    found = re.findall(r"norm\.rmsnorm_backward .*", text)
    return any(" dx(" in line or program.mutation in DW_MUTATIONS for line in found)


def judge(program, text):
    """What is wrong with the recognized text; empty if nothing."""
    spec = program.spec
    if not program.function.results or program.is_changed():
        return "the generator's program is no backward pass"
    lines = re.findall(r"norm\.rmsnorm_backward .*", text)
    expected = spec.results
    if spec.other_root:  # dw is another op, or none
        lines = [line for line in lines if " dx(" in line]
        expected = ("dx",)
    if len(lines) != 1:
        return f"{len(lines)} backward norms found"
    line = lines[0]
    found = lambda pattern: bool(re.search(pattern, line))
    wrong = []
    if found(r" dx\(") != ("dx" in expected) or found(r" dw\(") != ("dw" in expected):
        wrong.append(f"results, expected {expected}")
    if found(r" weight\(") != (program.weight is not None):
        wrong.append(f"weight, expected {program.weight is not None}")
    # The norm with the root of dw may give r to dx.
    if found(r" (inv_)?rms\(") != spec.saved and not (spec.other_root and not spec.saved):
        wrong.append(f"a given statistic, expected {spec.saved}")
    mode = re.search(r"epsilon_mode =\s+(\w+)", line)
    if not (spec.results == ("dw",) and spec.saved) and (mode.group(1) if mode else "inside") != spec.mode:
        wrong.append(f"epsilon_mode, expected {spec.mode}")
    epsilon = re.search(r" epsilon = (\S+)", line)
    if not spec.saved and not np.isclose(float(epsilon.group(1)), spec.epsilon, rtol=3e-7, atol=0):
        wrong.append(f"epsilon {epsilon.group(1)}, expected {spec.epsilon}")
    normalized = re.search(r"normalized_type = (\w+)", line)
    if (normalized.group(1) if normalized else None) != (spec.element if spec.early else None):
        wrong.append(f"normalized_type, expected early = {spec.early}")
    return ", ".join(wrong)
