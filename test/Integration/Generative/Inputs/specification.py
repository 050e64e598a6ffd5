"""What a generated program is, whatever its spelling."""
import dataclasses

import numpy as np


@dataclasses.dataclass
class Spec:
    """An RMSNorm, and how far its text may stray."""
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
    cut: float = 1.0  # how likely an op gets a linalg op of its own
    scale: str = None  # r is rounded: narrow, the product too; wide, it is widened again
    count: int = None  # the statistic is of the first elements
    pair: int = None  # x comes, and the result goes, with two dimensions as one
    root_form: str = "mean"  # l2: x / root(sum) * root(n); clamp mean: below the root
    extra: str = "none"  # a second result: the residual sum, r, or a norm of the same x
    factor: float = 1.0  # a constant in place of a weight: of -x, or of a scaled root
    detensorized: bool = False  # a sum of all elements is extracted, its root is scalars
    sum_form: str = "body"  # of the sum: math.fma, or a product with ones or with 1 / n
    bound: str = "none"  # what changes no mean square: max(mean, 0), |mean|

    @property
    def terms(self):
        return self.count or int(np.prod([self.shape[d] for d in self.dims]))

    @property
    def arithmetic(self):
        native = self.element == self.compute and "16" in self.element
        return f"{self.element} arithmetic" if native else self.element

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
        dims = sorted(rng.sample(range(rank), 2)) if "part" not in needs else dims
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
    spec = Spec(shape, dynamic, dims, element, compute, epsilon, mode, weight,
                weight is not None and rng.random() < 0.2, rng.choice(["late", "early"]), post,
                residual, cut)
    choose_rare(rng, spec)
    if is_mutant:  # one norm of the mean, in the arithmetic that the mutation needs
        spec.extra, spec.root_form, spec.count = "none", "mean", None
        spec.factor, spec.detensorized, spec.sum_form, spec.bound = 1.0, False, "body", "none"
        if "exact" in needs and spec.arithmetic != spec.element:
            spec.compute = "f32"
        if "static" in needs:
            spec.pair = None
    if "part" in needs:
        spec.count = rng.randrange(2, spec.shape[spec.dims[0]])
    return spec


def choose_rare(rng, spec):
    """What only a part of all programs has."""
    narrow = spec.element in ("f16", "bf16") and spec.compute == "f32"
    if narrow and rng.random() < 0.2:
        # Arithmetic in 16 bits, where a sum may be off by many units: small numbers.
        spec.compute = spec.element
        spec.epsilon = rng.choice([0.0625, 2.0**-8]) if spec.epsilon else 0.0
    elif narrow and rng.random() < 0.2:
        spec.scale = rng.choice(["narrow", "wide"])
        if spec.scale == "narrow":
            spec.cast = "early"
    axis, rank = spec.dims[0], len(spec.shape)
    if len(spec.dims) == 1 and axis not in spec.dynamic and rng.random() < 0.15:
        spec.count = rng.randrange(2, spec.shape[axis])
    if rank > 1 and not spec.dynamic and rng.random() < 0.2:
        spec.pair = rng.randrange(rank - 1)
    plain = spec.compute in ("f32", "f64") and not spec.scale
    if plain:
        spec.sum_form = rng.choice(["body"] * 6 + ["fma", "ones", "inverse"])
    spec.bound = rng.choice(["none"] * 10 + ["max", "abs"])
    # An epsilon times n is a constant where n is one.
    scales = not spec.epsilon or not set(spec.dims) & spec.dynamic
    if plain and scales and not spec.count and rng.random() < 0.15:
        spec.root_form = "l2"
    elif spec.mode == "clamp" and spec.epsilon in (1.0, 0.0625) and rng.random() < 0.5:
        spec.root_form = "clamp mean"
    extras = ["none"] * 6 + ["twin"] * (spec.weight is not None)
    extras += ["sum"] * spec.residual + ["inv_rms"] * (spec.root_form != "l2")
    spec.extra = rng.choice(extras)
    if plain and spec.weight is None and spec.extra == "none" and rng.random() < 0.3:
        spec.factor = rng.choice([-1.0, 0.5])
    if len(spec.dims) == rank and spec.extra == "none" and spec.pair is None:
        spec.detensorized = rng.random() < 0.4
