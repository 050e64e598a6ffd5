"""Runs products of matrices and compares with f64.

    products.py PREFIX SHARE OPTIONS...

The cases are drawn: subscripts of an einsum, extents that fill no tile, no block of columns and no
pair, types, extents that are not known. The bound of a sum of k products is that of docs/Codegen.md.
SHARE says of how many cases one runs. OPTIONS are norm-compile's, each of which draws other cases.
"""
import random
import sys
import zlib

import numpy as np
from normtest import UNIT, compile_shared, run_compiled, store, widen

prefix, SHARE, options = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
SEED = zlib.crc32(" ".join(options).encode())
draw, numbers = random.Random(SEED), np.random.default_rng(SEED)
SUBSCRIPTS = ("mk,kn->mn", "mk,nk->mn", "km,kn->mn", "mk,kn->nm", "bmk,bkn->bmn", "bmk,bnk->bmn", "mk,khn->mhn",
              "hmd,hdn->mn", "k,kn->n", "nk,k->n", "bk,bkn->bn", "bm,bmn->bn")
EXTENTS = {"m": (1, 2, 5, 8, 9, 13, 37, 64), "k": (1, 2, 7, 16, 111, 130, 384, 600), "n": (1, 15, 16, 33, 64, 129, 192, 200),
           "b": (1, 3), "h": (2, 3), "d": (8, 16, 30)}
# Types of both factors, of the result, and the one in which products are added.
TYPES = (("f32", "f32", "f32"), ("bf16", "bf16", "f32"), ("bf16", "f32", "f32"), ("f16", "f16", "f32"),
         ("f64", "f64", "f64"), ("i8", "i32", "i32"), ("u8", "i32", "i32"))
NUMPY = {"i8": np.int8, "u8": np.uint8, "i32": np.int32}
WIDENING = {"i8": "extsi", "u8": "extui"}


def get_type(subscript, extents, element, dynamic):
    return "tensor<" + "".join(f"{'?' if i in dynamic else extents[i]}x" for i in subscript) + f"{element.replace('u', 'i')}>"


def write_widening(value, element, wide):
    if element == wide:
        return "", value
    return f"  {value}w = arith.{WIDENING.get(element, 'extf')} {value} : {element.replace('u', 'i')} to {wide}\n", f"{value}w"


def write(name, subscripts, extents, types, dynamic):
    """The product as front ends emit it: narrow results are sums in their own type."""
    (a, b), c = subscripts.split("->")[0].split(","), subscripts.split("->")[1]
    element, result, _ = types
    loops = c + "".join(sorted(set(a + b) - set(c)))
    maps = ", ".join(f"affine_map<({','.join(loops)})->({','.join(i)})>" for i in (a, b, c))
    kinds = ", ".join('"parallel"' if i in c else '"reduction"' for i in loops)
    ta, tb = (get_type(i, extents, element, dynamic) for i in (a, b))
    tc = get_type(c, extents, result, dynamic)
    dims = "".join(f"  %d{i} = tensor.dim %{'a' if i in a else 'b'}, %c{(a if i in a else b).index(i)} : "
                   f"{ta if i in a else tb}\n" for i in c if i in dynamic)
    sizes = ", ".join(f"%d{i}" for i in c if i in dynamic)
    kind = "i" if result == "i32" else "f"
    scalar = element.replace("u", "i")
    wide_x, x = write_widening("%x", element, result)
    wide_y, y = write_widening("%y", element, result)
    return f"""func.func @{name}(%a: {ta}, %b: {tb}) -> {tc} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
{dims}  %zero = arith.constant {'0' if kind == 'i' else '0.0'} : {result}
  %empty = tensor.empty({sizes}) : {tc}
  %start = linalg.fill ins(%zero : {result}) outs(%empty : {tc}) -> {tc}
  %c = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}
      ins(%a, %b : {ta}, {tb}) outs(%start : {tc}) {{
  ^bb0(%x: {scalar}, %y: {scalar}, %sum: {result}):
{wide_x}{wide_y}  %xy = arith.mul{kind} {x}, {y} : {result}
  %s = arith.add{kind} %sum, %xy : {result}
  linalg.yield %s : {result}
  }} -> {tc}
  return %c : {tc}
}}
"""


def make(shape, element):
    if element == "i16":
        return numbers.integers(-32768, 32768, shape).astype(np.int16)
    if element in WIDENING:
        return numbers.integers(-128, 128, shape).astype(np.int8).view(NUMPY[element])
    return store(numbers.standard_normal(shape), element)


def set_special_values(a, b, subscripts, element):
    """A row and a column that are not finite, and one of tiny and huge numbers."""
    if element in WIDENING or a.ndim < 2 or b.ndim < 2 or min(a.shape + b.shape) < 2:
        return
    special = store(np.array([np.nan, np.inf, 0.0, 1e-30 if element != "f16" else 6e-8, 1e15 if element != "f16" else 6e4]), element)
    a[(0,) * a.ndim], b[(-1,) * b.ndim] = special[0], special[1]
    if a.shape[0] > 3:
        a[1], a[2] = special[2], special[3]
        a[(3,) + (0,) * (a.ndim - 1)] = special[4]


def convert(stored):
    return widen(stored).astype(np.float64) if stored.dtype.kind not in "iu" or stored.dtype == np.uint16 else stored.astype(np.int64)


def check(name, library, case):
    subscripts, extents, types, _ = case
    (a, b), c = subscripts.split("->")[0].split(","), subscripts.split("->")[1]
    x, y = (make([extents[i] for i in s], types[0]) for s in (a, b))
    set_special_values(x, y, subscripts, types[0])
    result = np.empty([extents[i] for i in c], NUMPY.get(types[1]) or store(np.zeros(1), types[1]).dtype)
    actual = convert(run_compiled(library, name, [x, y], [result])[0])
    with np.errstate(all="ignore"):
        expected = np.einsum(subscripts, convert(x), convert(y))
        total = np.einsum(subscripts, abs(convert(x)), abs(convert(y)))
        if types[1] == "i32":
            return bool((actual == expected).all())
        k = np.prod([extents[i] for i in set(a + b) - set(c)])
        bound = (k + 1) * UNIT[types[2]] * total
        if types[1] != types[2]:
            bound = bound + 2 * UNIT[types[1]] * abs(expected)  # both are rounded
        expected = convert(store(expected.astype(np.float32) if types[2] == "f32" else expected, types[1]))
        bound = bound + np.spacing(np.float32(1e-38)) * k + (2.0**-24 if types[1] == "f16" else 0)
        return bool(((abs(actual - expected) <= bound) | (actual == expected) | (np.isnan(actual) & np.isnan(expected))).all())


def draw_case():
    subscripts, types = draw.choice(SUBSCRIPTS), draw.choice(TYPES)
    extents = {i: draw.choice(EXTENTS[i]) for i in sorted(set(subscripts) - set(",->"))}
    dynamic = draw.choice(("", "", "m", "n", "mkn"))
    return subscripts, extents, types, dynamic


def run_cases(name, cases, check=check, write=write):
    cases = cases[::SHARE]
    path = f"{prefix}.{name}.mlir"
    with open(path, "w") as file:
        file.writelines(write(f"f{i}", *case) for i, case in enumerate(cases))
    library = compile_shared(path, f"{prefix}.{name}.so", *options)
    wrong = [case for i, case in enumerate(cases) if not check(f"f{i}", library, case)]
    for case in wrong:
        print("WRONG:", *case)
    print(f"{name}: {len(cases)} products, {len(wrong)} wrong")


run_cases("drawn", [draw_case() for _ in range(50)])


def draw_permuted():
    """Loops of all kinds, in any order of memory: what is adjacent in one operand is not in another."""
    operands = {"b": "abc", "m": "ac", "n": "bc", "k": "ab", "h": draw.choice(("ab", "ac", "bc", "abc"))}
    loops = "kn" + "".join(loop for loop in "bmh" if draw.random() < 0.5)
    orders = [draw.sample(dims, len(dims)) for dims in ([i for i in loops if name in operands[i]] for name in "abc")]
    a, b, c = map("".join, orders)
    extents = {i: draw.choice(EXTENTS[i]) for i in loops} | ({"h": draw.choice((1, 2, 16, 17))} if "h" in loops else {})
    return f"{a},{b}->{c}", extents, draw.choice(TYPES), draw.choice(("", "", "m", "n", "mkn"))


run_cases("permuted", [draw_permuted() for _ in range(40)])
# Tiles of 16 rows and 16 words, which hold whole sums; rows that fill none, where their number is not known.
tiles = [(s, {"m": m, "k": k, "n": n, "b": 2}, types, dynamic) for s in ("mk,kn->mn", "mk,nk->mn", "bmk,bkn->bmn", "mk,kbn->mbn", "mk,kbn->bmn", "mbk,bkn->mn")
         for m in (5, 16, 17, 31, 50) for k in (32, 320, 640) for n in (16, 200) for types in (TYPES[1], TYPES[2], *TYPES[5:])
         for dynamic in ("", "m")]
run_cases("tiles", draw.sample(tiles, 30))
# A B that tiles read in place for several tiles of rows.
in_place = [("mk,nk->mn", {"m": m, "k": 640 * group, "n": n}, types, "")
            for types, group in ((TYPES[1], 2), (TYPES[2], 2), *((types, 4) for types in TYPES[5:]))
            for m in (17, 32, 33, 40) for n in (64, 192)]
run_cases("in place", draw.sample(in_place, 12))


def write_scaled(name, _, extents, types, dynamic):
    """Weights that are integers, with a scale per column or without, in both orders of memory."""
    m, k, n = ("?" if i in dynamic else extents[i] for i in "mkn")
    layout, x, weight, scale = types
    integer, conversion = weight.replace("u", "i"), "uitofp" if weight == "u8" else "sitofp"
    w, column, right = (f"{n}x{k}", "d0", "n, k") if layout == "nk" else (f"{k}x{n}", "d1", "k, n")
    order = "%dn, %dk" if layout == "nk" else "%dk, %dn"
    sizes = ", ".join(v for v in order.split(", ") if v[2] in dynamic)
    tw, tf, tc = f"tensor<{w}x{integer}>", f"tensor<{w}x{x}>", f"tensor<{m}x{n}x{x}>"
    rows = ", ".join(f"%d{i}" for i in "mn" if i in dynamic)
    return f"""func.func @{name}(%a: tensor<{m}x{k}x{x}>, %w: {tw}, %s: tensor<{n}x{x}>) -> {tc} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %dm = tensor.dim %a, %c0 : tensor<{m}x{k}x{x}>
  %dk = tensor.dim %a, %c1 : tensor<{m}x{k}x{x}>
  %dn = tensor.dim %s, %c0 : tensor<{n}x{x}>
  %zero = arith.constant 0.0 : {x}
  %wide = tensor.empty({sizes}) : {tf}
  %b = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ({column})>,
      affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}}
      ins(%w, %s : {tw}, tensor<{n}x{x}>) outs(%wide : {tf}) {{
  ^bb0(%x: {integer}, %y: {x}, %o: {x}):
    %f = arith.{conversion} %x : {integer} to {x}
    %v = arith.mulf %f, %y : {x}
    linalg.yield {"%v" if scale else "%f"} : {x}
  }} -> {tf}
  %empty = tensor.empty({rows}) : {tc}
  %start = linalg.fill ins(%zero : {x}) outs(%empty : {tc}) -> {tc}
  %c = linalg.generic {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> ({right})>,
      affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%a, %b : tensor<{m}x{k}x{x}>, {tf}) outs(%start : {tc}) {{
  ^bb0(%x: {x}, %y: {x}, %sum: {x}):
    %xy = arith.mulf %x, %y : {x}
    %v = arith.addf %sum, %xy : {x}
    linalg.yield %v : {x}
  }} -> {tc}
  return %c : {tc}
}}
"""


def check_scaled(name, library, case):
    _, extents, (layout, element, weight, scale), _ = case
    m, k, n = (extents[i] for i in "mkn")
    a, s = make([m, k], element), make([n], element)
    w = make([n, k] if layout == "nk" else [k, n], weight)
    result = np.empty([m, n], a.dtype)
    actual = convert(run_compiled(library, name, [a, w, s], [result])[0])
    wide = convert(store(w.astype(np.float32), element)) if element == "bf16" else w.astype(np.float64)
    wide = (convert(s) if scale else 1) * (wide.T if layout == "nk" else wide)
    if element == "bf16":
        wide = convert(store(wide.astype(np.float32), element))
    expected, total = convert(a) @ wide, abs(convert(a)) @ abs(wide)
    bound = (k + 2) * UNIT["f32"] * total + (2 * UNIT[element] * abs(expected) if element == "bf16" else 0)
    return bool((abs(actual - expected) <= bound).all())


scaled = [("", {"m": m, "k": k, "n": n}, (order, element, weight, scale), dynamic)
          for m in (1, 2, 4, 8, 9, 37) for k in (16, 33, 192) for n in (33, 64, 200) for order in ("kn", "nk") for dynamic in ("", "", "m", "mkn")
          for element in ("f32", "bf16") for weight in ("i8", "u8", "i16") for scale in (True, False)]
scaled = draw.sample(scaled, 76) + [("", {"m": 37, "k": 1280, "n": n}, ("nk", "bf16", weight, True), "") for n in (64, 128) for weight in ("i8", "i16")]
run_cases("scaled", scaled, check_scaled, write_scaled)
# What AVX512-BF16 loses of subnormals has a bound of its own; other code loses nothing.
FLUSHES = "--mcpu=native" in options and not {"--rounding=exact", "--products=loops"} & set(options)


def check_magnitudes(name, library, case):
    """Products of subnormal and of large numbers, which are normal, and of huge ones, which are infinite."""
    subscripts, extents, types, _ = case
    (a, b), c = subscripts.split("->")[0].split(","), subscripts.split("->")[1]
    good = True
    for x_size, y_size in ((1e-39, 1e30), (1e37, 1e3)):
        x, y = (store(numbers.uniform(1, 9, [extents[i] for i in s]) * size, types[0]) for s, size in ((a, x_size), (b, y_size)))
        result = np.empty([extents[i] for i in c], store(np.zeros(1), types[1]).dtype)
        actual = convert(run_compiled(library, name, [x, y], [result])[0])
        if x_size > 1:
            good &= bool(np.isposinf(actual).all())
            continue
        expected = np.einsum(subscripts, convert(x), convert(y))
        lost = extents["k"] * 2.0**-126 * convert(y).max() if FLUSHES and types[0] == "bf16" else 0
        bound = ((extents["k"] + 1) * UNIT["f32"] + 2 * UNIT[types[1]]) * expected + lost
        good &= bool((abs(actual - expected) <= bound).all())
    return good


magnitudes = [(s, {"m": m, "k": k, "n": 64}, types, "") for s in SUBSCRIPTS[:2] for m in (2, 16) for k in (32, 33)
              for types in TYPES[:3]]
run_cases("magnitudes", draw.sample(magnitudes, len(magnitudes)), check_magnitudes)
# No rows, no columns, nothing to add, where the extents are not known.
nothing = [("mk,kn->mn", {"m": 16, "k": 32, "n": 64} | {i: 0}, types, "mkn") for i in "mkn" for types in TYPES[:2]]
run_cases("empty", draw.sample(nothing, len(nothing)))


def write_shared(name, _, extents, types, dynamic):
    """Two products of one A, whose parts of the sum have other lengths where they have other columns."""
    m, k = ("?" if i in dynamic else extents[i] for i in "mk")
    ta, zero = f"tensor<{m}x{k}x{types[0]}>", "0" if types[1] == "i32" else "0.0"
    tb, tc = ([f"tensor<{rows}x{extents[i]}x{element}>" for i in "nj"] for rows, element in ((k, types[0]), (m, types[1])))
    products = "".join(f"""  %empty{i} = tensor.empty({'%m' if m == '?' else ''}) : {tc[i]}
  %start{i} = linalg.fill ins(%zero : {types[1]}) outs(%empty{i} : {tc[i]}) -> {tc[i]}
  %c{i} = linalg.matmul ins(%a, %b{i} : {ta}, {tb[i]}) outs(%start{i} : {tc[i]}) -> {tc[i]}
""" for i in range(2))
    return f"""func.func @{name}(%a: {ta}, %b0: {tb[0]}, %b1: {tb[1]}) -> ({tc[0]}, {tc[1]}) {{
  %first = arith.constant 0 : index
  %m = tensor.dim %a, %first : {ta}
  %zero = arith.constant {zero} : {types[1]}
{products}  return %c0, %c1 : {tc[0]}, {tc[1]}
}}
"""


def check_shared(name, library, case):
    _, extents, types, _ = case
    a, *b = (make([extents[i] for i in s], types[0]) for s in ("mk", "kn", "kj"))
    results = [np.empty([extents[i] for i in s], np.int32 if types[1] == "i32" else np.float32) for s in ("mn", "mj")]
    results = run_compiled(library, name, [a, *b], results)
    bound = (extents["k"] + 1) * UNIT["f32"] if types[1] == "f32" else 0
    x = convert(a)
    return all(bool((abs(convert(c) - x @ convert(y)) <= bound * (abs(x) @ abs(convert(y)))).all()) for y, c in zip(b, results))


shared = [("", {"m": m, "k": k, "n": n, "j": j}, types, dynamic) for m in (1, 5, 16, 33) for k in (64, 320) for n, j in ((16, 600), (600, 16), (200, 1100))
          for types in (TYPES[0], TYPES[2], TYPES[5]) for dynamic in ("", "m")]
run_cases("shared", draw.sample(shared, 18), check_shared, write_shared)


def get_part(shape, view):
    """The shape of a tensor, and the offsets and strides of the part of it that a product has."""
    whole, offsets, strides = list(shape), [0] * len(shape), [1] * len(shape)
    if view == "stride":
        whole[-1], offsets[-1], strides[-1] = 2 * shape[-1] + 1, 1, 2
    elif view == "rows":
        whole[0], offsets[0] = shape[0] + 1, 1
    elif view == "one of two":
        whole, offsets, strides = whole + [2], offsets + [1], strides + [1]
    return whole, offsets, strides


def write_views(name, subscripts, extents, types, views):
    """A product of parts of tensors, some with a stride, into a part of a third one."""
    text = write(name, subscripts, extents, types, "")
    names, subs = "abc", (*subscripts.split("->")[0].split(","), subscripts.split("->")[1])
    elements, slices, wholes, places = (types[0], types[0], types[1]), "", [], []
    for i, s in enumerate(subs):
        shape = [extents[j] for j in s]
        whole, offsets, strides = get_part(shape, views[i])
        element = elements[i].replace("u", "i")
        wholes.append("tensor<" + "".join(f"{e}x" for e in whole) + f"{element}>")
        places.append(f"{offsets} {shape + [1] * (len(whole) - len(shape))} {strides} : ")
        if i < 2:
            slices += f"  %{names[i]} = tensor.extract_slice %w{names[i]}{places[i]}{wholes[i]} to {get_type(s, extents, elements[i], '')}\n"
    head, body = text.split("{\n", 1)
    result = get_type(subs[2], extents, elements[2], "")
    return (f"func.func @{name}(%wa: {wholes[0]}, %wb: {wholes[1]}, %wc: {wholes[2]}) -> {wholes[2]} {{\n" + slices + body.replace(
        f"  return %c : {result}", f"  %whole = tensor.insert_slice %c into %wc{places[2]}{result} into {wholes[2]}\n  return %whole : {wholes[2]}"))


def check_views(name, library, case):
    subscripts, extents, types, views = case
    (a, b), c = subscripts.split("->")[0].split(","), subscripts.split("->")[1]
    wholes, parts = [], []
    for s, element, view in zip((a, b, c), (types[0], types[0], types[1]), views):
        shape, offsets, strides = get_part([extents[i] for i in s], view)
        wholes.append(np.full(shape, 7, np.int32) if element == "i32" else make(shape, element))
        index = [slice(o, None, t) for o, t in zip(offsets, strides)]
        parts.append(index[:-1] + [1] if view == "one of two" else index)
    actual = run_compiled(library, name, wholes, [wholes[2]])[0]
    x, y = (convert(w)[tuple(p)] for w, p in zip(wholes[:2], parts))
    expected, total = np.einsum(subscripts, x, y), np.einsum(subscripts, abs(x), abs(y))
    bound = 0 if types[1] == "i32" else (extents["k"] + 2) * UNIT[types[2]] * total + 2 * UNIT[types[1]] * abs(expected)
    good = bool((abs(convert(actual)[tuple(parts[2])] - expected) <= bound).all())
    # What is around the part is as it was.
    actual[tuple(parts[2])] = wholes[2][tuple(parts[2])]
    return good and actual.tobytes() == wholes[2].tobytes()


views = [(s, {"m": m, "k": k, "n": n}, types, view) for s in ("mk,kn->mn", "mk,nk->mn", "km,kn->mn") for m in (1, 4, 24, 37) for k in (32, 66, 640)
         for n in (16, 64, 129) for types in TYPES for view in (("", "stride", ""), ("stride", "", ""), ("", "one of two", ""), ("one of two", "", ""),
                                                                ("", "", "stride"), ("", "", "one of two"), ("rows", "stride", "stride"))]
run_cases("views", draw.sample(views, 40), check_views, write_views)
