"""Runs norm.rmsnorm_backward and compares it with its rules B1 to B9 in long doubles.

    backward.py bounds PREFIX PART RUNNER ARGS       every value inside its interval
    backward.py differences PREFIX PART RUNNER ARGS  f64 beside finite differences of the norm
    backward.py special PREFIX PART RUNNER ARGS      NaN, infinities, zeros, overflow

Each value of the specification is an interval here. An operation on intervals rounds both
ends, which is exact, because rounding is monotonic. A sum of which the order is not
specified widens its interval by what Higham's bound allows: u times the number of
additions that a term goes through, times the sum of the magnitudes.
"""
import itertools
import sys

import numpy as np
from normtest import pick, run, store, widen

L = np.longdouble
# Bits of the significand, exponent of the least normal number, largest number.
TYPES = {
    "f64": (53, -1022, L(np.finfo(np.float64).max)),
    "f32": (24, -126, L(np.finfo(np.float32).max)),
    "f16": (11, -14, L(65504)),
    "bf16": (8, -126, L(2) ** 127 * (2 - L(2) ** -7)),
}


def rounded(v, to):
    """v rounded to the nearest number of a type, ties to even."""
    bits, least, largest = TYPES[to]
    with np.errstate(all="ignore"):
        exponent = np.frexp(v)[1] - 1
        unit = np.ldexp(L(1), np.maximum(exponent, least) - bits + 1)
        r = np.where(np.isfinite(v), np.rint(v / unit) * unit, v)
        return np.where(np.abs(r) > largest, np.copysign(L(np.inf), r), r)


class Interval:
    """The values that a rounding to `type` may have given."""

    def __init__(self, lo, hi, kind):
        self.lo, self.hi, self.type = lo, hi, kind

    def rounded(self, to):
        return Interval(rounded(self.lo, to), rounded(self.hi, to), to)

    def apply(self, function, other):
        with np.errstate(all="ignore"):
            ends = [function(a, b) for a, b in itertools.product((self.lo, self.hi), (other.lo, other.hi))]
            return Interval(np.minimum.reduce(ends), np.maximum.reduce(ends), self.type).rounded(self.type)

    def __mul__(self, other):
        return self.apply(np.multiply, other)

    def __sub__(self, other):
        return self.apply(np.subtract, other)

    def __add__(self, other):
        return self.apply(np.add, other)

    def __truediv__(self, other):
        return self.apply(np.divide, other)

    def root(self):
        with np.errstate(all="ignore"):
            return Interval(np.sqrt(np.maximum(self.lo, 0) if not np.isnan(self.lo).any() else self.lo), np.sqrt(self.hi), self.type)

    def spread(self, axes):
        """Puts back the dimensions that a sum took away."""
        return Interval(np.expand_dims(self.lo, axes), np.expand_dims(self.hi, axes), self.type)

    def sum(self, axes, additions):
        """A sum in f32, or in f64 for f64, in any order of that depth."""
        to = "f64" if self.type == "f64" else "f32"
        with np.errstate(all="ignore"):
            slack = additions * L(2) ** -TYPES[to][0] * np.maximum(np.abs(self.lo), np.abs(self.hi)).sum(axes)
            lo, hi = self.lo.sum(axes), self.hi.sum(axes)
            finite = np.isfinite(slack)
            lo, hi = np.where(finite, lo - slack, lo), np.where(finite, hi + slack, hi)
        return Interval(lo, hi, to).rounded(to)


def exact(v, kind):
    return Interval(v, v, kind)


def wider(a, b):
    if a == b:
        return a
    return "f32" if {a, b} == {"f16", "bf16"} else max(a, b, key=lambda t: TYPES[t][0] * 100 + (t == "f32"))


def default(**given):
    """A configuration: shapes, types and attributes of the op."""
    config = dict(shape=(5, 64), dims=(1,), wdims=None, type="f32", weight="f32", dy=None, dx=None, compute=None,
                  normalized=None, mode="inside", epsilon=1e-6, count=None, form="reciprocal", saved=False,
                  results=("dx", "dw"))
    config.update(given)
    config["dy"] = config["dy"] or config["type"]
    config["dx"] = config["dx"] or config["type"]
    config["wdims"] = config["dims"] if config["wdims"] is None else config["wdims"]
    config["compute"] = config["compute"] or ("f32" if config["type"] in ("f16", "bf16") else config["type"])
    return config


def program(c):
    """The function of a configuration; rows are dynamic if dim 0 is a batch one."""
    tensor = lambda shape, kind: f"tensor<{''.join(f'{n}x' for n in shape)}{kind}>"
    shape = ["?" if d == 0 and 0 not in c["dims"] + c["wdims"] else n for d, n in enumerate(c["shape"])]
    rows = [n for d, n in enumerate(shape) if d not in c["dims"]]
    x, dy, dx = (tensor(shape, c[k]) for k in ("type", "dy", "dx"))
    w, r = tensor([c["shape"][d] for d in c["wdims"]], c["weight"]), tensor(rows, c["compute"])
    dynamic = "(%n)" if "?" in shape else "()"
    attributes = f"dims = {list(c['dims'])} epsilon = {c['epsilon']:e} : f64 weight_dims = {list(c['wdims'])}"
    attributes += f" compute_type = {c['compute']} root_form = {c['form']} epsilon_mode = {c['mode']}"
    attributes += f" normalized_type = {c['normalized']}" if c["normalized"] else ""
    attributes += f" count = {c['count']}" if c["count"] else ""
    saved = ("inv_rms" if c["mode"] == "inside" else "rms") if c["saved"] else None
    kinds = {"dx": dx, "dw": w}
    outs = " ".join(f"{k}(%i{k} : {kinds[k]})" for k in c["results"])
    types = ", ".join(kinds[k] for k in c["results"])
    return f"""
func.func @f(%dy: {dy}, %x: {x}, %w: {w}{f', %r: {r}' if saved else ''}) -> ({types}) {{
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : {x}
  %idx = tensor.empty{dynamic} : {dx}
  %idw = tensor.empty() : {w}
  %d:{len(c['results'])} = norm.rmsnorm_backward ins(%dy, %x : {dy}, {x}) weight(%w : {w}) {f'{saved}(%r : {r})' if saved else ''} {outs}
    {attributes} -> {types}
  return {', '.join(f'%d#{i}' for i in range(len(c['results'])))} : {types}
}}"""


def roots(x, c):
    """Intervals of r (or the root that divides) and of the root before epsilon."""
    kind, axes = c["compute"], c["dims"]
    counted = x if not c["count"] else x.take(range(c["count"]), axis=axes[0])
    n = int(np.prod([counted.shape[d] for d in axes]))
    v = exact(counted, kind)
    m = (v * v).sum(axes, n).rounded(kind) / exact(rounded(L(n), kind), kind)
    e = exact(rounded(L(c["epsilon"]), kind), kind)
    if c["mode"] == "inside":
        return (m + e).root().rounded(kind), None, n, e
    s = m.root().rounded(kind)
    return outside(s, e, c), s, n, e


LARGEST = {"f64": np.finfo(np.float64).max, "f32": np.finfo(np.float32).max, "bf16": 255 * 2.0 ** 120, "f16": 65504.0}


def outside(s, e, c):
    if c["mode"] == "outside":
        return s + e
    return Interval(np.maximum(s.lo, e.lo), np.maximum(s.hi, e.hi), s.type)


def reference(dy, x, w, c, saved):
    """Intervals of dx and dw, by B1 to B9."""
    kind, axes = c["compute"], c["dims"]
    normalized = c["normalized"] or kind
    product = wider(normalized, c["weight"])
    root, s, n, e = roots(x, c)
    if saved is not None and c["mode"] != "inside":
        s = exact(saved, kind)
        root = outside(s, e, c)
    one = exact(L(1), kind)
    r = exact(saved, kind) if saved is not None and c["mode"] == "inside" else one / root
    if c["form"] == "quotient" and saved is not None and c["mode"] == "inside":
        root = one / r
    scale = lambda v, r: v / root.spread(axes) if c["form"] == "quotient" else v * r.spread(axes)
    z = scale(exact(x, kind), r)
    batch = tuple(d for d in range(x.ndim) if d not in c["wdims"])
    weight = exact(rounded(np.expand_dims(w, batch), product), product)
    cotangent = exact(rounded(dy, product), product)
    g = (cotangent * weight).rounded(normalized).rounded(kind)
    g.type = kind
    length = int(np.prod([x.shape[d] for d in axes]))
    mean = (z * g).sum(axes, length).rounded(kind) / exact(rounded(L(n), kind), kind)
    if c["mode"] == "outside":
        largest = exact(L(LARGEST[kind]), kind)
        finite = Interval(np.minimum(s.lo, largest.lo), np.minimum(s.hi, largest.hi), s.type)
        mean = mean * ((finite + e) / finite)
    if c["mode"] == "clamp":
        mean = Interval(np.where(s.lo < e.lo, 0, mean.lo), np.where(s.hi < e.hi, 0, mean.hi), kind)
    rest = g - z * mean.spread(axes)
    if c["count"]:
        column = np.arange(x.shape[axes[0]]).reshape([-1 if d == axes[0] else 1 for d in range(x.ndim)])
        isCounted = column < c["count"]
        rest = Interval(np.where(isCounted, rest.lo, g.lo), np.where(isCounted, rest.hi, g.hi), kind)
    dx = scale(rest, r).rounded(c["dx"])
    term = cotangent * z.rounded(normalized).rounded(product)
    rows = int(np.prod([x.shape[d] for d in batch]))
    dw = term.sum(batch, max(rows, 1)).rounded(c["weight"])
    return {"dx": dx, "dw": dw}


def run_program(prefix, command, c, operands):
    with open(f"{prefix}.mlir", "w", encoding="utf-8") as f:
        f.write(program(c))
    kinds = [c["dy"], c["type"], c["weight"], c["compute"]]
    arrays = [store(v, kind) for v, kind in zip(operands, kinds)]
    results = run([*command, f"{prefix}.mlir", "--function=f"], prefix, arrays, len(c["results"]))
    return {k: widen(v).astype(L) for k, v in zip(c["results"], results)}


def draw(c, rng):
    """dy, x and w, rows of x of different size; and what the forward op saved."""
    shape = c["shape"]
    size = np.ldexp(L(1), rng.integers(-8, 8, size=[1 if d in c["dims"] else n for d, n in enumerate(shape)]))
    x = rounded(rng.standard_normal(shape).astype(L) * size, c["type"])
    dy = rounded(rng.standard_normal(shape).astype(L), c["dy"])
    w = rounded(rng.standard_normal([shape[d] for d in c["wdims"]]).astype(L) + 1, c["weight"])
    if not c["saved"]:
        return [dy, x, w]
    root, s, _, _ = roots(x, c)
    return [dy, x, w, (exact(L(1), c["compute"]) / root).lo if s is None else s.lo]


def inside(got, wanted):
    with np.errstate(invalid="ignore"):
        return ((got >= wanted.lo) & (got <= wanted.hi)) | (np.isnan(got) & np.isnan(wanted.lo))


def configurations():
    for shape in ((1, 1), (3, 7), (7, 111), (4, 128), (16, 1024), (2, 4099)):
        for kind in ("f32", "bf16", "f16"):
            yield default(shape=shape, type=kind, weight=kind)
            yield default(shape=shape, type=kind, weight=kind, normalized=None if kind == "f32" else kind, saved=True)
    for kind in ("f32", "bf16"):
        three = dict(shape=(2, 5, 48), dims=(2,), type=kind, weight=kind)
        yield default(**three)
        yield default(**three, wdims=(1, 2))
        yield default(**three, wdims=(1,))
        yield default(**three, wdims=())
        yield default(shape=(3, 6, 40), dims=(1,), type=kind, weight=kind)
        yield default(shape=(3, 6, 40), dims=(1, 2), type=kind, weight=kind)
        yield default(shape=(4, 64), type=kind, weight="f32", normalized=kind)
        for mode, saved, form in itertools.product(("inside", "outside", "clamp"), (False, True), ("reciprocal", "quotient")):
            yield default(shape=(9, 64), type=kind, weight=kind, mode=mode, saved=saved, form=form, epsilon=1e-1)
        for results in (("dx",), ("dw",)):
            yield default(shape=(9, 96), type=kind, weight=kind, results=results)
        yield default(shape=(5, 64), type=kind, weight=kind, count=20)
    yield default(type="bf16", weight="f32", dy="f32", dx="f32", normalized="bf16")
    yield default(type="f64", weight="f64")
    yield default(shape=(5, 64), type="f16", weight="f16", compute="f16")
    yield default(shape=(600, 32), type="f32", weight="f32")
    yield default(shape=(0, 32), type="f32", weight="f32")


def check_bounds(prefix, command, part):
    rng = np.random.default_rng(20)
    for c in pick(configurations(), part):
        operands = draw(c, rng)
        got = run_program(prefix, command, c, operands)
        wanted = reference(*operands[:3], c, operands[3] if c["saved"] else None)
        for name, value in got.items():
            fits = inside(value, wanted[name])
            if not fits.all():
                at = np.argwhere(~fits)[0]
                lo, hi = wanted[name].lo[tuple(at)], wanted[name].hi[tuple(at)]
                print(f"WRONG {name} of {c}: {np.count_nonzero(~fits)} values, at {at} {value[tuple(at)]} outside [{lo}, {hi}]")
                continue
        print("inside the interval:", " ".join(got), *c["shape"], c["type"], c["mode"])


def forward(x, w, c):
    """The norm itself, exact to 64 bits."""
    counted = x if not c["count"] else x.take(range(c["count"]), axis=c["dims"][0])
    m = np.mean(counted * counted, axis=c["dims"], keepdims=True)
    s, e = np.sqrt(m), L(c["epsilon"])
    root = {"inside": np.sqrt(m + e), "outside": s + e, "clamp": np.maximum(s, e)}[c["mode"]]
    return x / root * np.expand_dims(w, tuple(d for d in range(x.ndim) if d not in c["wdims"]))


def slope(function, v, h):
    """The gradient of a function of v by central differences."""
    gradient = np.zeros_like(v)
    for at in np.ndindex(*v.shape):
        step = np.zeros_like(v)
        step[at] = h
        gradient[at] = (function(v + step) - function(v - step)) / (2 * h)
    return gradient


def check_differences(prefix, command, part):
    rng = np.random.default_rng(21)
    small = dict(type="f64", weight="f64", shape=(3, 12))
    for c in pick((default(**small), default(**small, mode="outside", epsilon=0.3), default(**small, mode="clamp", epsilon=1.0),
              default(**small, count=5), default(**{**small, "shape": (2, 3, 5)}, dims=(1, 2)),
              default(**{**small, "shape": (2, 3, 5)}, dims=(1,), wdims=(1, 2)), default(**small, form="quotient"),
              default(**{**small, "shape": (4, 3, 6)}, dims=(2,), wdims=(1,))), part):
        x, w, dy = (rng.standard_normal(s).astype(L).astype(np.float64).astype(L)
                    for s in (c["shape"], [c["shape"][d] for d in c["wdims"]], c["shape"]))
        got = run_program(prefix, command, c, [dy, x, w])
        h = L(2) ** -20
        differences = {"dx": slope(lambda v: (dy * forward(v, w, c)).sum(), x, h),
                       "dw": slope(lambda v: (dy * forward(x, v, c)).sum(), w, h)}
        worst = max(np.abs(got[k] - differences[k]).max() for k in got)
        print("differences" if worst < 1e-9 else "WRONG differences", c["mode"], *c["shape"], f"{float(worst):.1e}")


def check_special(prefix, command, part):
    for kind, normalized in (("f32", None), ("bf16", None), ("bf16", "bf16")):
        c = default(shape=(9, 70), type=kind, weight=kind, normalized=normalized)
        dy, x, w = draw(c, np.random.default_rng(22))
        x[0, 3], dy[1, 4], x[2, 5], dy[3, 6] = np.nan, np.nan, np.inf, -np.inf
        x[4] = 0
        x[5] = rounded(L(3e30), kind)  # the squares overflow
        x[6, 1:] = 0
        x[7] *= rounded(L(1e-10), kind)
        check_rows(prefix, command, c, [dy, x, w], f"{kind} rows")
        # Without the rows that put a NaN into each column of dw.
        check_rows(prefix, command, c, [v[4:] if v.ndim == 2 else v for v in (dy, x, w)], f"{kind} dw")
    for mode, epsilon in (("inside", 0.0), ("outside", 1e-3), ("clamp", 1e-3)):
        c = default(shape=(3, 16), mode=mode, epsilon=epsilon)
        dy, x, w = draw(c, np.random.default_rng(23))
        x[1], x[2] = 0, 3e30
        check_rows(prefix, command, c, [dy, x, w], f"a zero row {mode}")


def check_rows(prefix, command, c, operands, what):
    c = {**c, "shape": operands[1].shape}
    got = run_program(prefix, command, c, operands)
    wanted = reference(*operands, c, None)
    wrong = {k: np.argwhere(~inside(v, wanted[k])) for k, v in got.items()}
    for name, places in wrong.items():
        if len(places):
            at = tuple(places[0])
            print(f"WRONG {what} {name} at {at}: {got[name][at]}, expected [{wanted[name].lo[at]}, {wanted[name].hi[at]}]")
            return
    nans = {k: np.count_nonzero(np.isnan(v)) for k, v in got.items()}
    print(f"special: {what}, NaN in {nans['dx']} of dx and {nans['dw']} of dw")


if __name__ == "__main__":
    {"bounds": check_bounds, "differences": check_differences, "special": check_special}[sys.argv[1]](
        sys.argv[2], sys.argv[4:], sys.argv[3])
