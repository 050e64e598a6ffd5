"""Programs with a norm per head and a rotary embedding, and their results.

    rotary.py program FORM HEAD_DIM TYPE   prints the program
    rotary.py check FORM HEAD_DIM TYPE PREFIX PROGRAM

FORM is half or interleaved, -selected if the halves are chosen by index as StableHLO's
concatenate is lowered, -inserted if they are inserted into an empty tensor, and
-transposed if heads come before positions. The result is compared with f64, and with the
rotation of the norm that the program computes itself, bit for bit: every product and sum
rounds to TYPE.
"""
import sys

import numpy as np
from normtest import compile_shared, norm, run_compiled, store, widen

BATCH, HEADS = 2, 3
LENGTHS = (1, 5, 17)


def elementwise(name, op, operands, result, element):
    """An elementwise op; operands are (value, map, type)."""
    names = [f"%a{i}" for i in range(len(operands))]
    return f"""
  %{name}_e = tensor.empty(%s) : {result}
  %{name} = linalg.generic {{indexing_maps = [{', '.join(m for _, m, _ in operands)}, #id],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}}
      ins({', '.join(v for v, _, _ in operands)} : {', '.join(t for _, _, t in operands)}) outs(%{name}_e : {result}) {{
  ^bb0({', '.join(f'{n}: {element}' for n in names)}, %o: {element}):
    %v = {op} {', '.join(names)} : {element}
    linalg.yield %v : {element}
  }} -> {result}"""


def piece(name, form, d, tensor, number):
    """A part of n, without the other ones."""
    half, inner = tensor(d // 2), "interleaved" in form
    offset, stride = (number, 2) if inner else (number * d // 2, 1)
    b, s, h = ("2", "3", "%s") if "transposed" in form else ("2", "%s", "3")
    return f"""
  %{name} = tensor.extract_slice %n[0, 0, 0, {offset}] [{b}, {s}, {h}, {d // 2}] [1, 1, 1, {stride}] : {tensor(d)} to {half}"""


def join(form, d, tensor, element):
    """r consists of minus the second part and the first one."""
    whole, half = tensor(d), tensor(d // 2)
    sizes = f"2, 3, %s" if "transposed" in form else f"2, %s, 3"
    if "interleaved" in form:
        column, pair = half[:-len(element) - 2] + f"x1x{element}>", half[:-len(element) - 2] + f"x2x{element}>"
        expand = lambda v: f"""
  %{v}_c = tensor.expand_shape %{v} [[0], [1], [2], [3, 4]] output_shape [{sizes}, {d // 2}, 1] : {half} into {column}"""
        return expand("minus") + expand("first") + f"""
  %pairs = tensor.concat dim(4) %minus_c, %first_c : ({column}, {column}) -> {pair}
  %r = tensor.collapse_shape %pairs [[0], [1], [2], [3, 4]] : {pair} into {whole}"""
    if "inserted" in form:
        at = lambda offset: f"[0, 0, 0, {offset}] [{sizes}, {d // 2}] [1, 1, 1, 1] : {half} into {whole}"
        return f"""
  %r_e = tensor.empty(%s) : {whole}
  %r_0 = tensor.insert_slice %minus into %r_e{at(0)}
  %r = tensor.insert_slice %first into %r_0{at(d // 2)}"""
    if "selected" in form:
        return f"""
  %seam = arith.constant {d // 2} : index
  %r_e = tensor.empty(%s) : {whole}
  %r = linalg.generic {{indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}} outs(%r_e : {whole}) {{
  ^bb0(%o: {element}):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %l = linalg.index 3 : index
    %is = arith.cmpi ult, %l, %seam : index
    %v = scf.if %is -> ({element}) {{
      %e = tensor.extract %minus[%i, %j, %k, %l] : {half}
      scf.yield %e : {element}
    }} else {{
      %m = arith.subi %l, %seam : index
      %e = tensor.extract %first[%i, %j, %k, %m] : {half}
      scf.yield %e : {element}
    }}
    linalg.yield %v : {element}
  }} -> {whole}"""
    return f"""
  %r = tensor.concat dim(3) %minus, %first : ({half}, {half}) -> {whole}"""


def print_program(form, d, element):
    isTransposed = "transposed" in form
    tensor = lambda n: f"tensor<{'2x3x?' if isTransposed else '2x?x3'}x{n}x{element}>"
    table, source, whole, half = f"tensor<?x{d}x{element}>", f"tensor<2x?x3x{d}x{element}>", tensor(d), tensor(d // 2)
    rounding = f" normalized_type = {element}" if element != "f32" else ""
    head = f"""  %c1 = arith.constant 1 : index
  %s = tensor.dim %x, %c1 : {source}
  %n_e = tensor.empty(%s) : {source}
  %{'m' if isTransposed else 'n'} = norm.rmsnorm ins(%x, %w : {source}, tensor<{d}x{element}>) outs(%n_e : {source}) dims = [3] epsilon = 1.0e-6 : f32{rounding} -> {source}"""
    if isTransposed:
        head += f"""
  %t_e = tensor.empty(%s) : {whole}
  %n = linalg.transpose ins(%m : {source}) outs(%t_e : {whole}) permutation = [0, 2, 1, 3]"""
    arguments = f"%x: {source}, %w: tensor<{d}x{element}>"
    body = head + piece("first", form, d, tensor, 0) + piece("second", form, d, tensor, 1)
    body += elementwise("minus", "arith.negf", [("%second", "#id", half)], half, element)
    body += join(form, d, tensor, element)
    body += elementwise("a", "arith.mulf", [("%n", "#id", whole), ("%cos", "#table", table)], whole, element)
    body += elementwise("b", "arith.mulf", [("%r", "#id", whole), ("%sin", "#table", table)], whole, element)
    body += elementwise("y", "arith.addf", [("%a", "#id", whole), ("%b", "#id", whole)], whole, element)
    print(f"""#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#table = affine_map<(d0, d1, d2, d3) -> ({'d2' if isTransposed else 'd1'}, d3)>
func.func @norm({arguments}) -> {whole} {{
{head}
  return %n : {whole}
}}
func.func @rotary({arguments}, %cos: {table}, %sin: {table}) -> {whole} {{
{body}
  return %y : {whole}
}}""")


def rotate(n, form, cos, sin, rounded):
    """n * cos + r * sin, where `rounded` follows each operation."""
    first, second = (n[..., 0::2], n[..., 1::2]) if "interleaved" in form else np.split(n, 2, axis=-1)
    r = (np.stack((-second, first), -1).reshape(n.shape) if "interleaved" in form
         else np.concatenate((-second, first), -1))
    if "transposed" not in form:
        cos, sin = cos[:, None], sin[:, None]
    return rounded(rounded(n * cos) + rounded(r * sin))


def draw(d, length, isNarrow, special):
    random = np.random.default_rng(d + length)
    values = {"x": random.standard_normal((BATCH, length, HEADS, d)), "w": random.uniform(0.5, 1.5, d)}
    angle = random.uniform(0, 7, (length, d // 2))
    angle = np.concatenate((angle, angle), -1)
    values |= {"cos": np.cos(angle), "sin": np.sin(angle)}
    values = {key: value.astype(np.float32) for key, value in values.items()}
    if special:
        values["x"][0, 0, 0, 1] = np.nan
        values["x"][1, -1, 1, d - 1] = np.inf
        values["x"][0, -1, 2] = 0
        values["x"][1, 0, 2] = -0.0
        values["cos"][-1, 3], values["sin"][-1, d - 2] = np.inf, np.nan
    return {key: store(value, "bf16") if isNarrow else value for key, value in values.items()}


def isEqual(x, y):
    """Bit by bit, but any NaN is a NaN."""
    return ((x.view(np.uint32) == y.view(np.uint32)) | (np.isnan(x) & np.isnan(y))).all()


def check(form, d, element, prefix, program):
    library = compile_shared(program, f"{prefix}.so", "--mcpu=native")
    isNarrow = element == "bf16"
    rounded = lambda v: widen(store(v.astype(np.float32), element))
    passed, worst = True, 0
    for length in LENGTHS:
        for special in (False, True):
            values = draw(d, length, isNarrow, special)
            like = values["x"].swapaxes(1, 2).copy() if "transposed" in form else values["x"]
            n, y = (widen(run_compiled(library, function, list(values.values())[:count], [like])[0])
                    for function, count in (("norm", 2), ("rotary", 4)))
            with np.errstate(all="ignore"):
                cos, sin = widen(values["cos"]), widen(values["sin"])
                passed &= bool(isEqual(y, rotate(n, form, cos, sin, rounded)))
                if special:
                    continue
                exact = norm(widen(values["x"]), widen(values["w"]))
                if "transposed" in form:
                    exact = exact.swapaxes(1, 2)
                wide = lambda v: v.astype(np.float64)
                # An error of either product is one of the sum, whose ulp may be smaller.
                expected = rotate(exact, form, wide(cos), wide(sin), lambda v: v)
                size = np.maximum(rotate_sizes(exact, form, wide(cos), wide(sin)), np.abs(expected))
                ulp = size * 2.0**(-8 if isNarrow else -24)
                worst = max(worst, np.max(np.abs(y - expected) / ulp))
    good = passed and worst <= 8
    print(f"{form} {d} {element}: {'equal bits, within the bound' if good else 'OVER'} ({worst:.1f} half ulp)")
    return 0 if good else 1


def rotate_sizes(n, form, cos, sin):
    """The sum of the magnitudes of both products."""
    plain = lambda v: v
    return (np.abs(rotate(n, form, cos, 0 * sin, plain)) + np.abs(rotate(n, form, 0 * cos, sin, plain)))


if sys.argv[1] == "program":
    print_program(sys.argv[2], int(sys.argv[3]), sys.argv[4])
else:
    sys.exit(check(sys.argv[2], int(sys.argv[3]), *sys.argv[4:7]))
