#!/usr/bin/env python3
"""Times an attention, written out as front ends do, beside torch's fused one.

    peers-venv/bin/python benchmarks/attention.py [--build BUILD] [--update FILE]

softmax(q k^T / sqrt(d)) v of HxQxKxD: heads, queries, keys and the length of a head. In bf16 the program
rounds scores, scaled scores and probabilities, as PyTorch does op by op; scaled_dot_product_attention
keeps them in f32. The best of all calls counts, which alternate. The difference is the largest one,
relative to the largest number of the result. Without torch, it is left out.
"""
import numpy as np

import report
from layers import to_f32
from peer_numerics import aligned
from products import STORAGE, Compiler, make, measure, parse_arguments

SHAPES = ("16x2048x2048x64", "16x512x512x64", "8x2048x2048x128", "32x1x512x64", "32x1x2048x128")


def write_attention(heads, queries, keys, head, element):
    q, k, s = (f"{heads}x{dims}" for dims in (f"{queries}x{head}", f"{keys}x{head}", f"{queries}x{keys}"))
    row = f"tensor<{heads}x{queries}xf32>"
    whole, reduced = "affine_map<(h, i, j) -> (h, i, j)>", "affine_map<(h, i, j) -> (h, i)>"

    def product(name, a, b, a_dims, b_dims, dims):
        """Sums in f32, rounded once."""
        sums = f"tensor<{dims}xf32>"
        yield f"%{name}_start = tensor.splat %zero : {sums}"
        yield (f"%{name}_sums = linalg.batch_matmul indexing_maps = [{a_dims[1]}, {b_dims[1]}, "
               "affine_map<(h, m, n, k) -> (h, m, n)>] "
               f"ins(%{a}, %{b} : tensor<{a_dims[0]}x{element}>, tensor<{b_dims[0]}x{element}>) "
               f"outs(%{name}_start : {sums}) -> {sums}")
        yield from convert(name, f"{name}_sums", dims, "f32", element)

    def convert(name, source, dims, old, new):
        if old == new:
            yield from map_elements(name, [source], [f"tensor<{dims}x{old}>"], [whole], dims, new, "", "a")
        else:
            op = "truncf" if old == "f32" else "extf"
            yield from map_elements(name, [source], [f"tensor<{dims}x{old}>"], [whole], dims, new,
                                    f"%o = arith.{op} %a : {old} to {new}\n    ", "o")

    def map_elements(name, sources, types, maps, dims, result, body, out):
        names = "abc"
        arguments = ", ".join(f"%{n}: {t[:-1].rpartition('x')[2]}" for n, t in zip(names, types))
        yield f"%{name}_empty = tensor.empty() : tensor<{dims}x{result}>"
        yield f"""%{name} = linalg.generic {{indexing_maps = [{', '.join(maps + [whole])}],
      iterator_types = ["parallel", "parallel", "parallel"]}}
      ins({', '.join('%' + s for s in sources)} : {', '.join(types)}) outs(%{name}_empty : tensor<{dims}x{result}>) {{
  ^bb0({arguments}, %out: {result}):
    {body}linalg.yield %{out} : {result}
  }} -> tensor<{dims}x{result}>"""

    def reduce(name, source, start, op):
        yield f"%{name}_start = tensor.splat %{start} : {row}"
        yield (f"%{name} = linalg.reduce {{ arith.{op} }} ins(%{source} : tensor<{s}xf32>) "
               f"outs(%{name}_start : {row}) dimensions = [2]")

    m_k, n_k, k_n = (f"affine_map<(h, m, n, k) -> (h, {dims})>" for dims in ("m, k", "n, k", "k, n"))
    wide = f"tensor<{s}xf32>"
    lines = [f"%scale = arith.constant {head ** -0.5} : {element}", "%zero = arith.constant 0.0 : f32",
             "%low = arith.constant 0xFF800000 : f32",
             *product("scores", "q", "k", (q, m_k), (k, n_k), s),
             *map_elements("scaled", ["scores"], [f"tensor<{s}x{element}>"], [whole], s, element,
                           f"%o = arith.mulf %a, %scale : {element}\n    ", "o"),
             *convert("x", "scaled", s, element, "f32"),
             *reduce("most", "x", "low", "maximumf"),
             *map_elements("e", ["x", "most"], [wide, row], [whole, reduced], s, "f32",
                           "%d = arith.subf %a, %b : f32\n    %o = math.exp %d : f32\n    ", "o"),
             *reduce("sum", "e", "zero", "addf"),
             *map_elements("p", ["e", "sum"], [wide, row], [whole, reduced], s, "f32",
                           "%o = arith.divf %a, %b : f32\n    ", "o"),
             *convert("probabilities", "p", s, "f32", element),
             *product("y", "probabilities", "v", (s, m_k), (k, k_n), q)]
    types = f"%q: tensor<{q}x{element}>, %k: tensor<{k}x{element}>, %v: tensor<{k}x{element}>"
    return (f"func.func @main({types}) -> tensor<{q}x{element}> {{\n  " + "\n  ".join(lines) +
            f"\n  return %y : tensor<{q}x{element}>\n}}\n")


def make_torch(arrays, element, threads):
    """Computes with torch; returns its results as the arrays have them."""
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(threads)
    q, k, v = (torch.from_numpy(a if element == "f32" else a.view(np.int16))[None] for a in arrays)
    if element == "bf16":
        q, k, v = (t.view(torch.bfloat16) for t in (q, k, v))

    def run():
        with torch.no_grad():
            y = torch.nn.functional.scaled_dot_product_attention(q, k, v)[0]
        return (y.view(torch.int16) if element == "bf16" else y).numpy().view(arrays[0].dtype)

    return run


def get_rows(compiler, arguments):
    for element in arguments.types.split(","):
        for shape in arguments.shapes.split(","):
            heads, queries, keys, head = map(int, shape.split("x"))
            inputs = [make((heads, n, head), element) for n in (queries, keys, keys)]
            y = aligned((heads, queries, head), STORAGE[element])
            ours = compiler.compile(write_attention(heads, queries, keys, head, element), [*inputs, y])
            theirs = make_torch(inputs, element, arguments.threads)
            times = measure([ours] + [theirs] * (theirs is not None), arguments.seconds, arguments.threads)
            rate = 4e-9 * heads * queries * keys * head / times[0]
            other = to_f32(theirs()) if theirs else None
            yield [f"{element} {shape}", f"{times[0] * 1e3:.3f}", f"{rate:.1f}",
                   f"{times[1] * 1e3:.3f}" if theirs else "", f"{times[0] / times[1]:.2f}" if theirs else "",
                   f"{np.abs(to_f32(y) - other).max() / np.abs(other).max():.1e}" if theirs else ""]


def main():
    arguments = parse_arguments(__doc__, "f32,bf16", "HxQxKxD", SHAPES, 1, "attentions")
    about = report.machine()
    header = ["attention", "ms", "GFLOP/s", "torch, ms", "of torch's time", "difference"]
    lines = [f"{report.describe(about)}; --mcpu={arguments.mcpu}, {arguments.threads} threads.", "",
             *report.markdown([header] + list(get_rows(Compiler(arguments), arguments)))]
    print("\n".join(lines))
    if arguments.update:
        report.update(arguments.update, "attention", lines)


if __name__ == "__main__":
    main()
