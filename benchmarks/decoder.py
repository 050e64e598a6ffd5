#!/usr/bin/env python3
"""A decoder of N blocks as linalg on tensors, the way that front ends emit it.

Each block is h + attention(norm(h)), then h + mlp(norm(h)): RMSNorm as unfused
generics, rotary embedding by slices, a causal mask of i1, softmax, a SiLU gate.
The sequence may be dynamic (--dynamic), the type f32, f16 or bf16 with norms and
softmax in f32 (Llama's order of rounding). Weights are arguments, as exporters
that keep parameters apart emit them. With --products-apart, the results of the matrix
products are arguments too, and what they multiply are results: all but the products.

    decoder.py --blocks=2 --seq=16 --hidden=64 --heads=4 --ffn=128 > model.mlir
"""

import argparse
import sys


class Writer:
    """Lines of one function, each value with a name of its own."""

    def __init__(self, options):
        self.options, self.lines, self.count, self.arguments = options, [], 0, []
        self.results = {}  # of products that are not computed: name -> type
        self.seq = "?" if options.dynamic else str(options.seq)

    def type(self, *dims, element=None):
        return f"tensor<{'x'.join(map(str, dims))}x{element or self.options.type}>"

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def op(self, text):
        name = self.name()
        self.lines.append(f"{name} = {text}")
        return name

    def argument(self, name, *dims):
        self.arguments.append(f"%{name}: {self.type(*dims)}")
        return f"%{name}"

    def empty(self, *dims, element=None):
        sizes = ", ".join("%seq" for dim in dims if dim == "?")
        return self.op(f"tensor.empty({sizes}) : {self.type(*dims, element=element)}")

    def fill(self, value, *dims, element=None):
        element = element or self.options.type
        to = self.type(*dims, element=element)
        init = self.empty(*dims, element=element)
        constant = self.op(f"arith.constant {value} : {element}")
        return self.op(
            f"linalg.fill ins({constant} : {element}) outs({init} : {to}) -> {to}")

    def matmul(self, a, a_dims, b, b_dims, batch=False):
        m, n = a_dims[-2], b_dims[-1]
        dims = [*a_dims[:-2], m, n]
        if self.options.products_apart:
            self.results[a] = self.type(*a_dims)
            if batch:
                self.results[b] = self.type(*b_dims)
            return self.argument(f"product{len(self.arguments)}", *dims)
        out = self.fill("0.0", *dims)
        op = "linalg.batch_matmul" if batch else "linalg.matmul"
        return self.op(
            f"{op} ins({a}, {b} : {self.type(*a_dims)}, {self.type(*b_dims)}) "
            f"outs({out} : {self.type(*dims)}) -> {self.type(*dims)}")

    def generic(self, inputs, dims, body, element=None, reduce=0, init=None):
        """`inputs`: (value, dims, element, map results); `body`: lines that end
        with the name of what is yielded; `reduce`: trailing loops that reduce."""
        element = element or self.options.type
        loops = ", ".join(f"d{i}" for i in range(len(dims) + reduce))
        result = ", ".join(f"d{i}" for i in range(len(dims)))
        maps = [f"affine_map<({loops}) -> ({m})>" for *_, m in inputs]
        maps.append(f"affine_map<({loops}) -> ({result})>")
        kinds = ", ".join(['"parallel"'] * len(dims) + ['"reduction"'] * reduce)
        out = init or self.empty(*dims, element=element)
        arguments = ", ".join([f"%in{i}: {e}" for i, (_, _, e, _) in enumerate(inputs)]
                              + [f"%out: {element}"])
        ins = ""
        if inputs:
            ins = (f"ins({', '.join(v for v, *_ in inputs)} : "
                   f"{', '.join(self.type(*d, element=e) for _, d, e, _ in inputs)}) ")
        to = self.type(*dims, element=element)
        *body, last = body
        return self.op("\n".join(
            [f"linalg.generic {{indexing_maps = [{', '.join(maps)}], "
             f"iterator_types = [{kinds}]}} {ins}outs({out} : {to}) {{",
             f"^bb0({arguments}):", *body, f"linalg.yield {last} : {element}",
             f"}} -> {to}"]))


def norm(w, h, weight, dims):
    t, wide = w.options.type, t_wide(w)
    rows = dims[:1]
    x = (h, dims, t, "d0, d1")
    zero = w.fill("0.0", *rows, element=wide)
    widen = [] if t == wide else [f"%wide = arith.extf %in0 : {t} to {wide}"]
    value = "%wide" if widen else "%in0"
    total = w.generic([x], rows, widen + [
        f"%q = arith.mulf {value}, {value} : {wide}",
        f"%s = arith.addf %q, %out : {wide}", "%s"], wide, reduce=1, init=zero)
    r = w.generic([(total, rows, wide, "d0")], rows, [
        f"%m = arith.divf %in0, %hidden : {wide}",
        f"%e = arith.addf %m, %eps : {wide}",
        f"%r = math.rsqrt %e : {wide}", "%r"], wide)
    narrow = [f"%z = arith.mulf {value}, %in1 : {wide}"]
    if widen:
        narrow.append(f"%zn = arith.truncf %z : {wide} to {t}")
    z = "%zn" if widen else "%z"
    return w.generic(
        [x, (r, rows, wide, "d0"), (weight, dims[1:], t, "d1")], dims,
        widen + narrow + [f"%y = arith.mulf {z}, %in2 : {t}", "%y"])


def t_wide(w):
    return "f32"


def heads_of(w, x, rotary):
    """[S, H*K] to [H, S, K], each half of a head turned by the position."""
    o = w.options
    s, hidden, heads, k = w.seq, o.hidden, o.heads, o.hidden // o.heads
    flat, split, turned = [s, hidden], [s, heads, k], [heads, s, k]
    shape = "%seq" if o.dynamic else s
    x = w.op(f"tensor.expand_shape {x} [[0], [1, 2]] output_shape [{shape}, {heads}, "
             f"{k}] : {w.type(*flat)} into {w.type(*split)}")
    out = w.empty(*turned)
    x = w.op(f"linalg.transpose ins({x} : {w.type(*split)}) outs({out} : "
             f"{w.type(*turned)}) permutation = [1, 0, 2]")
    if not rotary:
        return x
    half = [heads, s, k // 2]
    size = "%seq" if o.dynamic else s
    lower, upper = (w.op(
        f"tensor.extract_slice {x}[0, 0, {at}] [{heads}, {size}, {k // 2}] [1, 1, 1] : "
        f"{w.type(*turned)} to {w.type(*half)}") for at in (0, k // 2))
    negated = w.generic([(upper, half, o.type, "d0, d1, d2")], half, [
        f"%n = arith.negf %in0 : {o.type}", "%n"])
    both = w.empty(*turned)
    for part, at in ((negated, 0), (lower, k // 2)):
        both = w.op(
            f"tensor.insert_slice {part} into {both}[0, 0, {at}] [{heads}, {size}, "
            f"{k // 2}] [1, 1, 1] : {w.type(*half)} into {w.type(*turned)}")
    table = [s, k]
    return w.generic(
        [(x, turned, o.type, "d0, d1, d2"), (both, turned, o.type, "d0, d1, d2"),
         ("%cos", table, o.type, "d1, d2"), ("%sin", table, o.type, "d1, d2")], turned, [
            f"%a = arith.mulf %in0, %in2 : {o.type}",
            f"%b = arith.mulf %in1, %in3 : {o.type}",
            f"%y = arith.addf %a, %b : {o.type}", "%y"])


def softmax(w, scores, dims):
    t, wide, all_dims, rows = w.options.type, t_wide(w), "d0, d1, d2", "d0, d1"
    widen = [] if t == wide else [f"%wide = arith.extf %in0 : {t} to {wide}"]
    value = "%wide" if widen else "%in0"
    scaled = w.generic(
        [(scores, dims, t, all_dims), ("%mask", dims[1:], "i1", "d1, d2")], dims,
        widen + [f"%y = arith.mulf {value}, %scale : {wide}",
                 f"%m = arith.select %in1, %y, %masked : {wide}", "%m"], wide)
    x = (scaled, dims, wide, all_dims)
    top = w.generic([x], dims[:2], [
        f"%m = arith.maximumf %in0, %out : {wide}", "%m"], wide, reduce=1,
        init=w.fill("0xFF800000", *dims[:2], element=wide))
    raised = w.generic([x, (top, dims[:2], wide, rows)], dims, [
        f"%d = arith.subf %in0, %in1 : {wide}", f"%e = math.exp %d : {wide}", "%e"], wide)
    total = w.generic([(raised, dims, wide, all_dims)], dims[:2], [
        f"%m = arith.addf %in0, %out : {wide}", "%m"], wide, reduce=1,
        init=w.fill("0.0", *dims[:2], element=wide))
    narrow = [f"%n = arith.truncf %d : {wide} to {t}", "%n"] if widen else ["%d"]
    return w.generic([(raised, dims, wide, all_dims), (total, dims[:2], wide, rows)], dims,
                     [f"%d = arith.divf %in0, %in1 : {wide}", *narrow], t)


def attention(w, y, block):
    o = w.options
    s, hidden, heads, k = w.seq, o.hidden, o.heads, o.hidden // o.heads
    flat, split, turned = [s, hidden], [s, heads, k], [heads, s, k]
    q, key, value = (
        heads_of(w, w.matmul(y, flat, w.argument(f"{n}{block}", hidden, hidden),
                             [hidden, hidden]), rotary=n != "wv")
        for n in ("wq", "wk", "wv"))
    across = [heads, k, s]
    key = w.op(f"linalg.transpose ins({key} : {w.type(*turned)}) outs("
               f"{w.empty(*across)} : {w.type(*across)}) permutation = [0, 2, 1]")
    scores = w.matmul(q, turned, key, across, batch=True)
    p = softmax(w, scores, [heads, s, s])
    mixed = w.matmul(p, [heads, s, s], value, turned, batch=True)
    out = w.empty(*split)
    mixed = w.op(f"linalg.transpose ins({mixed} : {w.type(*turned)}) outs({out} : "
                 f"{w.type(*split)}) permutation = [1, 0, 2]")
    mixed = w.op(f"tensor.collapse_shape {mixed} [[0], [1, 2]] : {w.type(*split)} into "
                 f"{w.type(*flat)}")
    return w.matmul(mixed, flat, w.argument(f"wo{block}", hidden, hidden),
                    [hidden, hidden])


def mlp(w, y, block):
    o, t = w.options, w.options.type
    flat, wide = [w.seq, o.hidden], [w.seq, o.ffn]
    gate, up = (w.matmul(y, flat, w.argument(f"{n}{block}", o.hidden, o.ffn),
                         [o.hidden, o.ffn]) for n in ("wg", "wu"))
    one = w.op(f"arith.constant 1.0 : {t}")
    gated = w.generic([(gate, wide, t, "d0, d1"), (up, wide, t, "d0, d1")], wide, [
        f"%n = arith.negf %in0 : {t}", f"%e = math.exp %n : {t}",
        f"%d = arith.addf %e, {one} : {t}", f"%g = arith.divf %in0, %d : {t}",
        f"%y = arith.mulf %g, %in1 : {t}", "%y"])
    return w.matmul(gated, wide, w.argument(f"wd{block}", o.ffn, o.hidden),
                    [o.ffn, o.hidden])


def add(w, a, b, dims):
    t = w.options.type
    return w.generic([(a, dims, t, "d0, d1"), (b, dims, t, "d0, d1")], dims,
                     [f"%y = arith.addf %in0, %in1 : {t}", "%y"])


def decoder(options):
    w = Writer(options)
    dims, k = [w.seq, options.hidden], options.hidden // options.heads
    h = w.argument("x", *dims)
    w.argument("cos", w.seq, k)
    w.argument("sin", w.seq, k)
    mask = w.empty(w.seq, w.seq, element="i1")
    mask = w.generic([], [w.seq, w.seq], [
        "%i = linalg.index 0 : index", "%j = linalg.index 1 : index",
        "%m = arith.cmpi sge, %i, %j : index", "%m"], "i1", init=mask)
    w.lines[-1] = w.lines[-1].replace(f"{mask} =", "%mask =", 1)
    for block in range(options.blocks):
        y = norm(w, h, w.argument(f"n{block}", options.hidden), dims)
        h = add(w, h, attention(w, y, block), dims)
        y = norm(w, h, w.argument(f"m{block}", options.hidden), dims)
        h = add(w, h, mlp(w, y, block), dims)
    h = norm(w, h, w.argument("last", options.hidden), dims)
    constants = [f"%hidden = arith.constant {options.hidden}.0 : f32",
                 "%eps = arith.constant 1.0e-5 : f32",
                 f"%scale = arith.constant {k ** -0.5!r} : f32",
                 "%masked = arith.constant 0xFF800000 : f32"]
    if options.dynamic:
        constants += ["%first = arith.constant 0 : index",
                      f"%seq = tensor.dim %x, %first : {w.type(*dims)}"]
    body = "\n".join(constants + w.lines)
    results = {h: w.type(*dims), **w.results}
    types = ", ".join(results.values())
    return (f"func.func @main({', '.join(w.arguments)}) -> ({types}) {{\n{body}\n"
            f"return {', '.join(results)} : {types}\n}}\n")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("blocks", 1), ("seq", 16), ("hidden", 64), ("heads", 4),
                          ("ffn", 128)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--type", choices=["f32", "f16", "bf16"], default="f32")
    parser.add_argument("--dynamic", action="store_true", help="the sequence is dynamic")
    parser.add_argument("--products-apart", action="store_true", help="all but the matrix products")
    sys.stdout.write(decoder(parser.parse_args()))


if __name__ == "__main__":
    main()
