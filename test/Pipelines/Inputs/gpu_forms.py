"""Programs around a norm of rows, and what each reads and writes.

A form is a function of the row length and the element type that returns a Form.
"""
import collections
import math

BYTES = {"bf16": 2, "f16": 2, "f32": 4, "i8": 1, "f8E4M3FN": 1}

# A program, and what its kernel does: the element types of the rows that are read (x
# first), of the vectors that all rows read and of the rows that are written; how many
# sums or maxima a row has, how many scalars it writes, and how many buffers are loaded
# before the first reduction waits.
Form = collections.namedtuple("Form", "text reads weights writes reductions scalars early", defaults=(1, 0, 2))

PREFIX = """#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#vec = affine_map<(d0) -> (d0)>
"""


def get_attributes(kind, names):
    """Rounding to the element type, which f32 has already."""
    return "" if kind == "f32" else "".join(" %s_type = %s" % (name, kind) for name in names)


def norm(n, kind, x, y, attributes, weight=True):
    row = "tensor<?x%dx%s>" % (n, kind)
    ins = "%s, %%w : %s, tensor<%dx%s>" % (x, row, n, kind) if weight else "%s : %s" % (x, row)
    return "  %s = norm.rmsnorm ins(%s) outs(%%i : %s) dims = [1] epsilon = 1.0e-5 : f32%s -> %s\n" % (
        y, ins, row, attributes, row)


def elementwise(y, ins, out, body):
    """An op on rows: `ins` are (value, type, argument), `out` is (value, type)."""
    maps = ["#row" if "?x" in t and t.count("x") == 1 else "#id" for _, t, _ in ins] + ["#id"]
    element = lambda t: t[t.rindex("x") + 1:-1]
    return """  %s = linalg.generic {indexing_maps = [%s], iterator_types = ["parallel", "parallel"]}
      ins(%s : %s) outs(%s : %s) {
  ^bb0(%s, %%o: %s):
%s  } -> %s
""" % (y, ", ".join(maps), ", ".join(v for v, _, _ in ins), ", ".join(t for _, t, _ in ins), out[0], out[1],
       ", ".join("%s: %s" % (a, element(t)) for _, t, a in ins), element(out[1]), body, out[1])


def function(name, arguments, results, body):
    return "func.func @%s(%s) -> (%s) {\n%s  return %s : %s\n}\n" % (
        name, ", ".join("%s: %s" % a for a in arguments), ", ".join(t for _, t in results), body,
        ", ".join(v for v, _ in results), ", ".join(t for _, t in results))


def get_types(n, kind):
    return "tensor<?x%dx%s>" % (n, kind), "tensor<%dx%s>" % (n, kind)


def normed(*names, weight=True):
    def form(name, n, kind):
        x, w = get_types(n, kind)
        arguments = [("%x", x)] + [("%w", w)] * weight + [("%i", x)]
        text = function(name, arguments, [("%y", x)],
                        norm(n, kind, "%x", "%y", get_attributes(kind, names), weight))
        return Form(text, [kind], [kind] * weight, [kind], early=1 + weight)
    return form


def residual(name, n, kind):
    x, w = get_types(n, kind)
    body = elementwise("%h", [("%x", x, "%a"), ("%r", x, "%b")], ("%k", x),
                       "    %%v = arith.addf %%a, %%b : %s\n    linalg.yield %%v : %s\n" % (kind, kind))
    body += norm(n, kind, "%h", "%y", get_attributes(kind, ["normalized"]))
    text = function(name, [("%x", x), ("%r", x), ("%w", w), ("%k", x), ("%i", x)], [("%h", x), ("%y", x)], body)
    return Form(text, [kind, kind], [kind], [kind, kind], early=3)


def widen(kind, value, wide):
    return "" if kind == "f32" else "    %s = arith.extf %s : %s to f32\n" % (wide, value, kind)


def gate(name, n, kind):
    """y * z / (1 + exp(-z)), in f32."""
    x, w = get_types(n, kind)
    y, z = ("%a", "%b") if kind == "f32" else ("%af", "%bf")
    body = norm(n, kind, "%x", "%y", get_attributes(kind, ["normalized"]))
    gated = widen(kind, "%a", "%af") + widen(kind, "%b", "%bf") + """    %%one = arith.constant 1.0 : f32
    %%n = arith.negf %s : f32
    %%e = math.exp %%n : f32
    %%d = arith.addf %%e, %%one : f32
    %%s = arith.divf %s, %%d : f32
    %%v = arith.mulf %s, %%s : f32
""" % (z, z, y)
    result = "%v"
    if kind != "f32":
        gated, result = gated + "    %%t = arith.truncf %%v : f32 to %s\n" % kind, "%t"
    body += elementwise("%g", [("%y", x, "%a"), ("%z", x, "%b")], ("%i", x),
                        gated + "    linalg.yield %s : %s\n" % (result, kind))
    text = function(name, [("%x", x), ("%w", w), ("%z", x), ("%i", x)], [("%g", x)], body)
    return Form(text, [kind, kind], [kind], [kind])


def quantized(code, most, convert):
    """Codes with a scale a row, which maps the largest magnitude to `most`."""
    def form(name, n, kind):
        x, w = get_types(n, kind)
        q, s = "tensor<?x%dx%s>" % (n, code), "tensor<?xf32>"
        wide = "%a" if kind == "f32" else "%af"
        body = norm(n, kind, "%x", "%y", get_attributes(kind, ["normalized"])) + """  %%zero = arith.constant 0.0 : f32
  %%start = linalg.fill ins(%%zero : f32) outs(%%t : %s) -> %s
  %%top = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%%y : %s) outs(%%start : %s) {
  ^bb0(%%a: %s, %%o: f32):
%s    %%m = math.absf %s : f32
    %%v = arith.maximumf %%o, %%m : f32
    linalg.yield %%v : f32
  } -> %s
  %%scale = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]}
      ins(%%top : %s) outs(%%t : %s) {
  ^bb0(%%a: f32, %%o: f32):
    %%most = arith.constant %s : f32
    %%d = arith.divf %%a, %%most : f32
    %%least = arith.constant 1.0e-30 : f32
    %%v = arith.maximumf %%d, %%least : f32
    linalg.yield %%v : f32
  } -> %s
""" % (s, s, x, s, kind, widen(kind, "%a", "%af"), wide, s, s, s, most, s)
        body += elementwise("%q", [("%y", x, "%a"), ("%scale", s, "%b")], ("%i8", q),
                            widen(kind, "%a", "%af") + "    %%d = arith.divf %s, %%b : f32\n" % wide + convert)
        text = function(name, [("%x", x), ("%w", w), ("%i", x), ("%t", s), ("%i8", q)],
                        [("%q", q), ("%scale", s)], body)
        return Form(text, [kind], [kind], [code], reductions=2, scalars=1)
    return form


INT8 = """    %r = math.roundeven %d : f32
    %most = arith.constant 127.0 : f32
    %u = arith.minimumf %r, %most : f32
    %least = arith.constant -127.0 : f32
    %k = arith.maximumf %u, %least : f32
    %v = arith.fptosi %k : f32 to i8
    linalg.yield %v : i8
"""
FP8 = """    %v = arith.truncf %d : f32 to f8E4M3FN
    linalg.yield %v : f8E4M3FN
"""

FORMS = {
    "normalized": normed("normalized"),
    "plain": normed(),
    "scaled": normed("scale"),
    "scaled-normalized": normed("scale", "normalized"),
    "weightless": normed(weight=False),
    "residual": residual,
    "gate": gate,
    "int8": quantized("i8", "127.0", INT8),
    "fp8": quantized("f8E4M3FN", "448.0", FP8),
}
# In f32 these are `normalized`: nothing is rounded.
ROUNDED_ONLY = {"plain", "scaled", "scaled-normalized"}

# Registers an element beyond the schedule's bound, which is of a norm with one weight:
# for all rows, and more for rows that do not fill their threads' vectors.
SPARE = {
    # The mean of 2880 or 5000 is a division, whose slow path is a call beside masks and a
    # weight that is widened.
    ("plain", "f16"): (0, 0.25), ("scaled", "f16"): (0, 0.25),
    # The sum is written after the reduction, so it stays, in its own type and in f32.
    ("residual", "bf16"): (0.125, 0.5), ("residual", "f16"): (0.5, 0.5), ("residual", "f32"): (0, 0.25),
    # Divisions of many elements are computed at the same time, each with a slow path that
    # is a call: an approximate division has 46 registers for 64 at 4096, 56 for 112 at 1024.
    ("gate", "bf16"): (2, 0.25), ("gate", "f16"): (2, 0.25), ("gate", "f32"): (2, 0),
    # The bound is that of the narrowest type, of which 8 are one access: x in f32 has two
    # in its place, each with masks.
    ("int8", "bf16"): (0.125, 1.5), ("int8", "f16"): (0.125, 1.5), ("int8", "f32"): (1.125, 1.5),
    ("fp8", "bf16"): (0.125, 1.5), ("fp8", "f16"): (0.125, 1.5), ("fp8", "f32"): (1.125, 1.5),
}

# Bytes that ptxas 13.0 spills, where it does: it wants three blocks an SM there.
SPILLED = {("gate", 257, "bf16"): 4}


def get_spare(form, kind, elements, is_masked):
    each, masked = SPARE.get((form, kind), (0, 0))
    return math.ceil((each + masked * is_masked) * elements / 8) * 8
