"""Scans, scatters, sorts and topks of torch-mlir's dialect on hostile values,
beside Python, element by element and bit by bit.

    tm_tensor.py KINDS ARGUMENTS...   runs norm-run with ARGUMENTS on each case
    tm_tensor.py --part=SEED/N KINDS ...   runs each Nth case
    tm_tensor.py --wrong KINDS ...    expects one other element, and must fail
    tm_tensor.py --print NAME         writes the program of a case
"""
import itertools
import sys
import tempfile

import numpy as np
from normtest import pick, run

DTYPES = {"f32": np.float32, "f64": np.float64, "i64": np.int64,
          "i32": np.int32, "i8": np.int8}
rng = np.random.default_rng(7)


def values(shape, element, hostile=True):
    """Small integers, so that many are equal; NaN, infinities, both zeros."""
    x = rng.integers(-4, 5, shape).astype(DTYPES[element])
    if element[0] == "f" and hostile:
        odd = np.array([np.nan, np.inf, -np.inf, -0.0, 0.5], x.dtype)
        where = rng.random(shape) < .4
        x[where] = rng.choice(odd, shape)[where]
    return x


def tensor(shape, element, is_open=False):
    extents = ["?" if is_open else str(extent) for extent in shape]
    return "tensor<" + "".join(e + "x" for e in extents) + element + ">"


class Case:
    """A function `main` of the inputs, and what it returns."""

    def __init__(self, name, arguments, types, body, results, result_types):
        self.name, self.inputs, self.expected = name, arguments, results
        given = ", ".join(f"%a{i}: {t}" for i, t in enumerate(types))
        returned = ", ".join(f"%r#{i}" for i in range(len(results)))
        listed = ", ".join(result_types)
        self.text = (f"func.func @main({given}) -> ({listed}) {{\n{body}\n"
                     f"  return {returned} : {listed}\n}}\n")

    def run(self, command, wrong):
        with tempfile.TemporaryDirectory() as folder:
            open(f"{folder}/in.mlir", "w").write(self.text)
            results = run([*command, f"{folder}/in.mlir"], f"{folder}/in", self.inputs, len(self.expected))
        for i, (got, want) in enumerate(zip(results, self.expected)):
            self.compare(i, got, want + 1 if wrong else want)

    def compare(self, number, got, want):
        same = got == want
        if want.dtype.kind == "f":
            same |= np.isnan(got) & np.isnan(want)
            # Zeros have a sign.
            same &= (np.signbit(got) == np.signbit(want)) | np.isnan(want)
        if got.shape != want.shape or not same.all():
            sys.exit(f"{self.name}: result {number} is\n{got}\nand not\n{want}")


def along(dim, function, *tensors):
    """Applies `function` to each row along `dim` of all tensors."""
    moved = [np.moveaxis(t, dim, -1) for t in tensors]
    outs = None
    for place in np.ndindex(moved[0].shape[:-1]):
        rows = function(*[m[place] for m in moved])
        outs = outs or [np.zeros(moved[0].shape[:-1] + r.shape, r.dtype)
                        for r in rows]
        for out, row in zip(outs, rows):
            out[place] = row
    return [np.moveaxis(out, -1, dim) for out in outs]


def key(value, descending):
    """NaN is greatest; Python's sort is stable."""
    if value != value:
        return (-1, 0) if descending else (1, 0)
    return (0, -value if descending else value)


def numbers(row):
    return [v.item() for v in row]


def sort_case(shape, dim, element, predicate, is_open=False):
    x = values(shape, element)
    places = np.broadcast_to(
        np.arange(shape[dim]).reshape([-1] + [1] * (len(shape) - dim - 1)),
        shape).astype(np.int64)
    descending = "g" in predicate
    def expect(row, index):
        order = sorted(range(len(row)),
                       key=lambda i: key(row[i].item(), descending))
        return row[order], index[order]
    want = along(dim, expect, x, places) if x.size else [x, places]
    first, second = tensor(shape, element, is_open), tensor(shape, "i64", is_open)
    compare = "cmpf" if element[0] == "f" else "cmpi"
    body = f"""  %r:2 = tm_tensor.sort dimension({dim}) outs(%a0, %a1 : {first}, {second}) {{
  ^bb0(%x: {element}, %y: {element}, %i: i64, %j: i64):
    %c = arith.{compare} {predicate}, %x, %y : {element}
    tm_tensor.yield %c : i1
  }} -> {first}, {second}"""
    name = f"sort {shape} {dim} {element} {predicate} {is_open}"
    return Case(name, [x, places], [first, second], body, want, [first, second])


def sort_cases():
    for element, predicates in [("f32", ["ole", "oge", "olt", "ogt"]),
                                ("i64", ["sle", "sge", "slt"]), ("i8", ["sgt"]),
                                ("f64", ["ule", "ugt"])]:
        for predicate in predicates:
            yield sort_case((3, 37), 1, element, predicate)
    for extent in (0, 1, 2, 3, 4, 5, 8, 64, 65, 1000):
        yield sort_case((extent,), 0, "f32", "ole", is_open=extent % 2 == 1)
    yield sort_case((5, 3, 4), 0, "f32", "oge")
    yield sort_case((5, 7, 4), 1, "f32", "ole", is_open=True)
    yield sort_case((0, 7), 1, "f32", "ole", is_open=True)
    yield sort_case((3, 0), 1, "f32", "ole")


def maximum(x, y):
    """Zeros are ordered, which numpy leaves open."""
    return min(x, y, key=np.signbit) if x == y == 0 else np.maximum(x, y)


SCANS = {"addf": lambda s, e: s + e, "mulf": lambda s, e: s * e,
         "addi": lambda s, e: s + e, "muli": lambda s, e: s * e,
         # Not commutative: the sum is the first argument.
         "subf": lambda s, e: s - e,
         "maximumf": maximum, "maxsi": np.maximum}


def scan_case(shape, dim, element, op, inclusive, is_open=False):
    x = values(shape, element, hostile=op == "maximumf")
    others = shape[:dim] + shape[dim + 1:]
    start = values(others, element, hostile=False)
    def expect(row, accumulator):
        total, out = accumulator[0], []
        for i, e in enumerate(row):
            if inclusive:
                total = e if i == 0 else SCANS[op](total, e)
            elif i:
                total = SCANS[op](total, row[i - 1])
            out.append(total)
        return np.array(out, row.dtype), np.array([total], row.dtype)
    want = along(dim, expect, x, np.expand_dims(start, dim)) if x.size \
        else [x, np.expand_dims(start, dim)]
    want[1] = want[1].reshape(others)
    first, second = tensor(shape, element, is_open), tensor(others, element, is_open)
    body = f"""  %r:2 = tm_tensor.scan dimension({dim}) inclusive({str(inclusive).lower()}) ins(%a0 : {first}) outs(%a0, %a1 : {first}, {second}) {{
  ^bb0(%s: {element}, %e: {element}):
    %c = arith.{op} %s, %e : {element}
    tm_tensor.yield %c : {element}
  }} -> {first}, {second}"""
    name = f"scan {shape} {dim} {element} {op} {inclusive} {is_open}"
    return Case(name, [x, start], [first, second], body, want, [first, second])


def scan_cases():
    for op in SCANS:
        element = "f32" if op[-1] == "f" else "i64"
        for inclusive in (True, False):
            yield scan_case((3, 7, 5), 1, element, op, inclusive)
    for shape, dim in [((9,), 0), ((3, 9), 1), ((4, 9, 70), 1), ((6, 128), 0),
                       ((5, 200), 0), ((2, 3, 4, 5), 0), ((2, 1, 4), 1),
                       ((1,), 0), ((0,), 0), ((3, 0), 1), ((0, 3), 1)]:
        for is_open, inclusive in itertools.product((False, True), repeat=2):
            yield scan_case(shape, dim, "f64", "addf", inclusive, is_open)


def scatter_case(shape, window, dims, count, element, op, unique, is_open=False):
    """`window` are the extents of an update, `dims` those that are indexed."""
    into, offset = values(shape, element, False), len(shape) - len(window)
    updates = values((count,) + window, element, False)
    extents = [1] * offset + list(window)
    indices = np.array([[rng.integers(0, shape[d] - extents[d] + 1) for d in dims]
                        for _ in range(count)], np.int64).reshape(count, len(dims))
    want = into.copy()
    for u in range(count):
        start = [0] * len(shape)
        for column, d in enumerate(dims):
            start[d] = indices[u, column]
        for place in np.ndindex(*window):
            at = tuple(s + p for s, p in zip(start, (0,) * offset + place))
            update, held = updates[(u,) + place], want[at]
            want[at] = update if op == "set" else \
                update - held if op == "subf" else SCANS[op](held, update)
    types = [tensor(updates.shape, element, is_open), f"tensor<{count}x{len(dims)}xi64>",
             tensor(shape, element, is_open)]
    combine = f"%c = arith.{op} %u, %o : {element}\n    tm_tensor.yield %c" \
        if op != "set" else "tm_tensor.yield %u"
    body = f"""  %s = tm_tensor.scatter {{dimension_map = array<i64: {', '.join(map(str, dims))}>}} unique_indices({str(unique).lower()}) ins(%a0, %a1 : {types[0]}, {types[1]}) outs(%a2 : {types[2]}) {{
  ^bb0(%u: {element}, %o: {element}):
    {combine} : {element}
  }} -> {types[2]}
  %r:1 = scf.execute_region -> {types[2]} {{ scf.yield %s : {types[2]} }}"""
    name = f"scatter {shape} {window} {dims} {count} {element} {op} {is_open}"
    return Case(name, [updates, indices, into], types, body, [want], [types[2]])


def scatter_cases():
    for op, unique in [("set", True), ("set", False), ("addf", False),
                       ("subf", False), ("maximumf", False)]:
        yield scatter_case((5,), (), [0], 40, "f32", op, unique)
        yield scatter_case((5, 6), (1, 6), [0], 40, "f32", op, unique)
        yield scatter_case((5, 6, 7), (2, 6, 3), [0, 2], 20, "f32", op, unique)
        yield scatter_case((5, 6, 7), (4,), [2, 0, 1], 20, "f32", op, unique)
        yield scatter_case((5, 6), (5, 1), [1], 9, "f32", op, unique, is_open=True)
    yield scatter_case((1, 1), (1, 1), [0, 1], 3, "i64", "addi", False)
    yield scatter_case((4, 3), (3,), [0], 0, "i32", "muli", False)
    yield scatter_case((8, 3), (3,), [0], 12, "i8", "maxsi", False)


def topk_case(shape, dim, k, element, predicate, held=None, is_open=False):
    """`held` are values that the destination has, with indices from 100 on."""
    x = values(shape, element)
    descending = "g" in predicate
    out_shape = shape[:dim] + (k,) + shape[dim + 1:]
    types = [tensor(shape, element, is_open), tensor(out_shape, element, is_open),
             tensor(out_shape, "i32", is_open)]
    def expect(row):
        found = [(key(v.item(), descending), i, v) for i, v in enumerate(row)]
        if held is not None:
            found += [(key(held, descending), 100, held)] * k
        found = sorted(found, key=lambda f: f[:2])[:k]
        return (np.array([f[2] for f in found], row.dtype),
                np.array([f[1] for f in found], np.int32))
    want = along(dim, expect, x)
    compare = "cmpf" if element[0] == "f" else "cmpi"
    last = held if held is not None else \
        np.iinfo(DTYPES[element]).min if element[0] == "i" else -np.inf
    if held is None and not descending:
        last = np.iinfo(DTYPES[element]).max if element[0] == "i" else np.inf
    bits = {"f32": "0x7F800000", "f64": "0x7FF0000000000000"}
    literal = str(last) if element[0] == "i" else repr(float(last))
    if np.isinf(last):
        literal = bits[element] if last > 0 else bits[element].replace("0x7", "0xF")
    body = f"""  %last = arith.constant {literal} : {element}
  %none = arith.constant 100 : i32
  %v = linalg.fill ins(%last : {element}) outs(%a1 : {types[1]}) -> {types[1]}
  %i = linalg.fill ins(%none : i32) outs(%a2 : {types[2]}) -> {types[2]}
  %r:2 = tm_tensor.topk dimension({dim}) ins(%a0 : {types[0]}) outs(%v, %i : {types[1]}, {types[2]}) {{
  ^bb0(%x: {element}, %y: {element}):
    %c = arith.{compare} {predicate}, %x, %y : {element}
    tm_tensor.yield %c : i1
  }} -> {types[1]}, {types[2]}"""
    name = f"topk {shape} {dim} {k} {element} {predicate} {held} {is_open}"
    outs = [np.zeros(out_shape, DTYPES[element]), np.zeros(out_shape, np.int32)]
    return Case(name, [x] + outs, types, body, want, types[1:])


def topk_cases():
    for k in (1, 4, 40):
        yield topk_case((3, 40), 1, k, "f32", "ogt")
        yield topk_case((40, 3), 0, k, "f32", "olt")
    for k in (64, 65, 100):  # Sorted from 65 on, and where k is open.
        yield topk_case((3, 100), 1, k, "f32", "ogt")
        yield topk_case((100,), 0, k, "f64", "olt", is_open=k < 100)
        yield topk_case((2, 100), 1, k, "i32", "slt", held=-1)
    for k in (1, 5, 30):
        yield topk_case((2, 30), 1, k, "i64", "slt")
        yield topk_case((2, 30), 1, k, "f32", "ogt", held=2.0)
    yield topk_case((2, 1), 1, 1, "f32", "olt")


KINDS = {"sort": sort_cases, "scan": scan_cases, "scatter": scatter_cases,
         "topk": topk_cases}


def main():
    arguments = sys.argv[1:]
    if arguments[0] == "--print":
        for make in KINDS.values():
            for case in make():
                if case.name == arguments[1]:
                    return print(case.text, end="")
        sys.exit("no such case")
    option = arguments.pop(0) if arguments[0].startswith("--") else ""
    kinds, *command = arguments
    cases = [case for kind in kinds.split(",") for case in KINDS[kind]()]
    cases = pick(cases, option.removeprefix("--part=") if "part" in option else "")
    for case in cases:
        case.run(command, option == "--wrong" and
                 all(w.size for w in case.expected))
    print(f"{len(cases)} cases are right")


main()
