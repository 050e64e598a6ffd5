"""norm_mlir.rms_norm and its gradient on numpy arrays, beside numpy in f64."""
import itertools

import numpy as np
import programs  # without a cache on disk

import norm_mlir

TYPES = ("f8", "f4", "f2")
# What the gradient of a weight sums may cancel: the error is one of its largest value.
BOUNDS = {"f8": 4e-15, "f4": 2e-6, "f2": 4e-3}


def exact(x, w, eps):
    x = x.astype(float)
    r = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + eps)
    return x * r if w is None else x * r * w.astype(float)


def exact_gradient(dy, x, w, eps):
    x, dy, w = (a.astype(float) for a in (x, dy, np.ones(x.shape[-1]) if w is None else w))
    r = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + eps)
    g, z = dy * w, x * r
    return (r * (g - z * (z * g).mean(-1, keepdims=True)),
            (dy * z).sum(axis=tuple(range(x.ndim - 1))))


def check(actual, expected, bound, what):
    assert actual.shape == expected.shape, what
    error = abs(actual - expected).max() if actual.size else 0
    assert error <= bound * max(abs(expected).max(initial=0), 1), (what, error)


random = np.random.default_rng(7)
count = 0
for shape, dtype, weight_dtype in itertools.product(
        ((64,), (3, 64), (2, 3, 100), (5, 1), (0, 8), (2, 1, 2, 2, 1, 1, 3, 7)), TYPES,
        (None, *TYPES)):
    eps = (0, 1e-6, 0.5, 1e-5, 2)[count % 5]
    x, dy = (random.standard_normal(shape).astype(dtype) for _ in range(2))
    w = weight_dtype and random.standard_normal(shape[-1]).astype(weight_dtype)
    what = shape, dtype, weight_dtype, eps
    y = norm_mlir.rms_norm(x, w, eps)
    assert y.dtype == dtype
    check(y, exact(x, w, eps), BOUNDS[dtype], what)
    gradients = norm_mlir.rms_norm_backward(dy, x, w, eps)
    dx, *dw = gradients if weight_dtype else (gradients,)
    expected_dx, expected_dw = exact_gradient(dy, x, w, eps)
    assert dx.dtype == dtype
    check(dx, expected_dx, 2 * BOUNDS[dtype], what)
    if dw:
        assert dw[0].dtype == weight_dtype
        check(dw[0], expected_dw, 2 * max(BOUNDS[dtype], BOUNDS[weight_dtype]), what)
    count += 1
print(count, "norms with their gradients")

# An array is copied where it has steps, and a program serves other numbers of rows.
x, w = random.standard_normal((6, 32)).astype("f"), np.ones(16, "f")
assert (norm_mlir.rms_norm(x[::2, ::2], w) == norm_mlir.rms_norm(x[::2, ::2].copy(), w)).all()
many = random.standard_normal((20000, 16)).astype("f")
one = norm_mlir.rms_norm(many, w)
assert norm_mlir.rms_norm(many, w, threads=2).tobytes() == one.tobytes()
print("steps and threads: the same bits")


def reject(*arguments, function=norm_mlir.rms_norm, **options):
    try:
        print("not rejected", function(*arguments, **options))
    except (TypeError, ValueError) as error:
        print(f"{type(error).__name__}: {error}")


x = np.ones((4, 8), "f")
reject(x, np.ones(7, "f"))
reject(x, np.ones((1, 8), "f"))
reject(x.astype(int))
reject(x, np.ones(8, int))
reject(np.float32(1))
reject(x, None, -1.0)
reject(x, None, float("nan"))
reject(x, None, 1e300)
reject(x[:, :7], x, function=norm_mlir.rms_norm_backward)
reject(x, None, "small")
reject(x, None, threads="2")
