"""Programs whose results, loops and branches share tensors, against numpy.

Each program is compiled and run by the given command (norm-run with options) and
each result compared, bit by bit: all numbers are small integers.
"""
import os
import subprocess
import sys

import numpy as np

T, R = "tensor<4x8xf32>", "tensor<4xf32>"
HEAD = """#m = affine_map<(d0, d1) -> (d0, d1)>
#r = affine_map<(d0, d1) -> (d0)>
"""
CONSTANTS = """  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i3 = arith.constant 3 : i32
  %t0 = arith.constant dense<0> : tensor<i32>
  %flag0 = tensor.extract %flags[%c0] : tensor<1xf32>
  %flag = arith.cmpf ogt, %flag0, %zero : f32
  %k = arith.constant dense<5.0> : tensor<4x8xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %er = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %fr = linalg.fill ins(%zero : f32) outs(%er : tensor<4xf32>) -> tensor<4xf32>
"""


def total(name, x, out="%fr"):
    return f"""  {name} = linalg.generic {{indexing_maps = [#m, #r], iterator_types = ["parallel", "reduction"]}} ins({x} : {T}) outs({out} : {R}) {{
  ^bb0(%in: f32, %o: f32):
    %value = arith.addf %o, %in : f32
    linalg.yield %value : f32
  }} -> {R}
"""


def binary(op, name, x, y, out="%e"):
    return f"""  {name} = linalg.generic {{indexing_maps = [#m, #m, #m], iterator_types = ["parallel", "parallel"]}} ins({x}, {y} : {T}, {T}) outs({out} : {T}) {{
  ^bb0(%in: f32, %by: f32, %o: f32):
    %value = arith.{op}f %in, %by : f32
    linalg.yield %value : f32
  }} -> {T}
"""


def accumulate(name, x, out):
    return f"""  {name} = linalg.generic {{indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel"]}} ins({x} : {T}) outs({out} : {T}) {{
  ^bb0(%in: f32, %o: f32):
    %value = arith.addf %in, %o : f32
    linalg.yield %value : f32
  }} -> {T}
"""


def loop(body, yields, inits, results="%l"):
    names = ["%p", "%q", "%s"][: len(inits)]
    args = ", ".join(f"{n} = {i}" for n, i in zip(names, inits))
    types = ", ".join([T] * len(inits))
    count = f":{len(inits)}" if len(inits) > 1 else ""
    return (f"  {results}{count} = scf.for %i = %c0 to %c3 step %c1 "
            f"iter_args({args}) -> ({types}) {{\n{body}"
            f"  scf.yield {', '.join(yields)} : {types}\n  }}\n")


def while_loop(body, yields, inits):
    names = [["%bp", "%bq"], ["%p", "%q"]]
    n = len(inits)
    types = ", ".join([T] * n)
    args = ", ".join(f"{b} = {i}" for b, i in zip(names[0], inits))
    after = ", ".join(f"{a}: {T}" for a in names[1][:n])
    return f"""  %w:{n + 1} = scf.while (%bn = %t0, {args}) : (tensor<i32>, {types}) -> (tensor<i32>, {types}) {{
    %count = tensor.extract %bn[] : tensor<i32>
    %go = arith.cmpi slt, %count, %i3 : i32
    scf.condition(%go) %bn, {", ".join(names[0][:n])} : tensor<i32>, {types}
  }} do {{
  ^bb0(%n: tensor<i32>, {after}):
    %ne = tensor.empty() : tensor<i32>
    %nn = linalg.generic {{indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}} ins(%n : tensor<i32>) outs(%ne : tensor<i32>) {{
    ^bb0(%u: i32, %o: i32):
      %value = arith.addi %u, %i1 : i32
      linalg.yield %value : i32
    }} -> tensor<i32>
{body}    scf.yield %nn, {", ".join(yields)} : tensor<i32>, {types}
  }}
"""


def branch(name, then, then_value, other, other_value):
    return (f"  {name} = scf.if %flag -> ({T}) {{\n{then}  scf.yield {then_value} : {T}\n"
            f"  }} else {{\n{other}  scf.yield {other_value} : {T}\n  }}\n")


SLICE = f"""  %lo = tensor.extract_slice %h[0, 0] [2, 8] [1, 1] : {T} to tensor<2x8xf32>
  %hi = tensor.extract_slice %h[2, 0] [2, 8] [1, 1] : {T} to tensor<2x8xf32>
"""
FLAT = f"  %g = tensor.collapse_shape %h [[0, 1]] : {T} into tensor<32xf32>\n"
ADD = lambda x, y, flag: x + y  # noqa: E731


def turns(step, state, n=3):
    for _ in range(n):
        state = step(*state)
    return state


# name: (body, results, reference); x, y and the flag are the arguments.
F32 = "tensor<2x8xf32>"
CASES = {
    "fill": (total("%a", "%x") + total("%b", "%y"), ["%a", "%b"],
             lambda x, y, f: (x.sum(1), y.sum(1))),
    "fill_thrice": (total("%a", "%x") + total("%b", "%y") + binary("mul", "%h", "%x", "%y") + total("%c", "%h"),
                    ["%c", "%b", "%a", "%fr"],
                    lambda x, y, f: ((x * y).sum(1), y.sum(1), x.sum(1), np.zeros(4))),
    "fill_temporary": (total("%a", "%x") + total("%b", "%y") + f"""  %c = linalg.generic {{indexing_maps = [#m, #r, #m], iterator_types = ["parallel", "parallel"]}} ins(%x, %b : {T}, {R}) outs(%e : {T}) {{
  ^bb0(%in: f32, %by: f32, %o: f32):
    %value = arith.subf %in, %by : f32
    linalg.yield %value : f32
  }} -> {T}
""", ["%a", "%c"], lambda x, y, f: (x.sum(1), x - y.sum(1)[:, None])),
    "empty": (binary("add", "%a", "%x", "%y") + binary("mul", "%b", "%x", "%y"), ["%a", "%b"],
              lambda x, y, f: (x + y, x * y)),
    "constant": (accumulate("%a", "%x", "%k") + accumulate("%b", "%y", "%k"), ["%a", "%b", "%k"],
                 lambda x, y, f: (x + 5, y + 5, np.full((4, 8), 5))),
    "argument": (accumulate("%a", "%x", "%y") + accumulate("%b", "%y", "%x"), ["%a", "%b", "%x", "%y"],
                 lambda x, y, f: (x + y, x + y, x, y)),
    "twice": (binary("add", "%a", "%x", "%y"), ["%a", "%a", "%x", "%x"],
              lambda x, y, f: (x + y, x + y, x, x)),
    "chain": (binary("add", "%a", "%x", "%y") + accumulate("%b", "%x", "%a") + accumulate("%c", "%y", "%a"),
              ["%b", "%c"], lambda x, y, f: (2 * x + y, x + 2 * y)),
    "chain_kept": (binary("add", "%a", "%x", "%y") + accumulate("%b", "%x", "%a") + accumulate("%c", "%y", "%b"),
                   ["%c", "%b", "%a"], lambda x, y, f: (2 * x + 2 * y, 2 * x + y, x + y)),
    "accumulated_fill": (accumulate("%a", "%x", "%f") + accumulate("%b", "%y", "%f") + accumulate("%c", "%y", "%a"),
                         ["%c", "%b", "%f", "%a"], lambda x, y, f: (x + y, y, 0 * x, x)),
    "input_of_other": (binary("add", "%a", "%x", "%y") + binary("mul", "%b", "%a", "%y", "%x"),
                       ["%b", "%a"], lambda x, y, f: ((x + y) * y, x + y)),
    "slices": (binary("add", "%h", "%x", "%y") + SLICE, ["%lo", "%hi", "%h", "%lo"],
               lambda x, y, f: ((x + y)[:2], (x + y)[2:], x + y, (x + y)[:2])),
    "insert": (binary("add", "%h", "%x", "%y") + SLICE +
               f"  %a = tensor.insert_slice %hi into %h[0, 0] [2, 8] [1, 1] : {F32} into {T}\n"
               f"  %b = tensor.insert_slice %lo into %h[2, 0] [2, 8] [1, 1] : {F32} into {T}\n",
               ["%a", "%b", "%lo"],
               lambda x, y, f: (np.tile((x + y)[2:], (2, 1)), np.tile((x + y)[:2], (2, 1)), (x + y)[:2])),
    "reshapes": (binary("add", "%h", "%x", "%y") + FLAT +
                 "  %v = tensor.expand_shape %g [[0, 1]] output_shape [8, 4] : tensor<32xf32> into tensor<8x4xf32>\n",
                 ["%g", "%v", "%h", "%g"],
                 lambda x, y, f: ((x + y).ravel(), (x + y).reshape(8, 4), x + y, (x + y).ravel())),
    "private": (f"  %a = func.call @double(%x) : ({T}) -> {T}\n  %b = func.call @double(%a) : ({T}) -> {T}\n"
                f"  %c:2 = func.call @same(%x, %y) : ({T}, {T}) -> ({T}, {T})\n",
                ["%b", "%a", "%c#0", "%c#1"], lambda x, y, f: (4 * x, 2 * x, y, x)),
    "private_slice": (f"  %a = func.call @half(%x) : ({T}) -> {F32}\n  %b = func.call @half(%x) : ({T}) -> {F32}\n",
                      ["%a", "%b"], lambda x, y, f: (x[2:], x[2:])),
    "for_accumulate": (loop(accumulate("%h", "%x", "%p"), ["%h"], ["%f"]), ["%l", "%f"],
                       lambda x, y, f: (3 * x, 0 * x)),
    "for_argument": (loop(accumulate("%h", "%y", "%p"), ["%h"], ["%x"]), ["%l", "%x"],
                     lambda x, y, f: (x + 3 * y, x)),
    "for_new": (loop(binary("add", "%h", "%p", "%y"), ["%h"], ["%x"]), ["%l"],
                lambda x, y, f: (x + 3 * y,)),
    "for_shared_init": (loop(binary("add", "%h", "%p", "%x"), ["%h"], ["%f"]) +
                        loop(binary("add", "%h", "%p", "%y"), ["%h"], ["%f"], "%l2"), ["%l", "%l2"],
                        lambda x, y, f: (3 * x, 3 * y)),
    "for_swap": (loop("", ["%q", "%p"], ["%x", "%y"]), ["%l#0", "%l#1"], lambda x, y, f: (y, x)),
    "for_rotate": (loop("", ["%q", "%s", "%p"], ["%x", "%y", "%f"]), ["%l#0", "%l#1", "%l#2"],
                   lambda x, y, f: (x, y, 0 * x)),
    "for_fibonacci": (loop(binary("add", "%h", "%p", "%q"), ["%q", "%h"], ["%x", "%y"]), ["%l#0", "%l#1"],
                      lambda x, y, f: turns(lambda p, q: (q, p + q), (x, y))),
    "for_same_twice": (loop(binary("add", "%h", "%p", "%q"), ["%h", "%h"], ["%x", "%y"]), ["%l#1", "%l#0"],
                       lambda x, y, f: turns(lambda p, q: (p + q, p + q), (x, y))),
    "for_same_init": (loop(accumulate("%h", "%x", "%p") + accumulate("%g", "%h", "%q"), ["%h", "%g"], ["%f", "%f"]),
                      ["%l#0", "%l#1"], lambda x, y, f: turns(lambda p, q: (p + x, q + p + x), (0 * x, 0 * x))),
    "for_cross": (loop(accumulate("%h", "%y", "%q") + accumulate("%g", "%y", "%p"), ["%h", "%g"], ["%x", "%y"]),
                  ["%l#0", "%l#1"], lambda x, y, f: turns(lambda p, q: (q + y, p + y), (x, y))),
    "for_constant": (loop("", ["%k"], ["%x"]), ["%l"], lambda x, y, f: (np.full((4, 8), 5),)),
    "for_outer": (loop(binary("add", "%h", "%p", "%q"), ["%x", "%h"], ["%y", "%x"]), ["%l#0", "%l#1"],
                  lambda x, y, f: turns(lambda p, q: (x, p + q), (y, x))),
    "for_not_run": ("  %l = scf.for %i = %c3 to %c1 step %c1 iter_args(%p = %x) -> (" + T + ") {\n" +
                    binary("add", "%h", "%p", "%y") + f"  scf.yield %h : {T}\n  }}\n", ["%l", "%x"],
                    lambda x, y, f: (x, x)),
    "for_slice": (loop(f"  %u = tensor.extract_slice %p[1, 0] [3, 8] [1, 1] : {T} to tensor<3x8xf32>\n"
                       f"  %h = tensor.insert_slice %u into %p[0, 0] [3, 8] [1, 1] : tensor<3x8xf32> into {T}\n",
                       ["%h"], ["%x"]), ["%l"], lambda x, y, f: (np.tile(x[3], (4, 1)),)),
    "for_reshape": (loop(f"  %g = tensor.collapse_shape %p [[0, 1]] : {T} into tensor<32xf32>\n"
                         f"  %h = tensor.expand_shape %g [[0, 1]] output_shape [4, 8] : tensor<32xf32> into {T}\n",
                         ["%h", "%h"], ["%x", "%y"]), ["%l#0", "%l#1"], lambda x, y, f: (x, x)),
    "for_nested": (loop(f"  %n = scf.for %j = %c0 to %c3 step %c1 iter_args(%s = %p) -> ({T}) {{\n" +
                        binary("add", "%h", "%s", "%q") + f"  scf.yield %h : {T}\n  }}\n", ["%q", "%n"],
                        ["%x", "%y"]), ["%l#0", "%l#1"],
                   lambda x, y, f: turns(lambda p, q: (q, p + 3 * q), (x, y))),
    "for_branch": (loop(branch("%h", binary("add", "%g", "%p", "%y"), "%g", "", "%q"), ["%h", "%p"], ["%x", "%y"]),
                   ["%l#0", "%l#1"],
                   lambda x, y, f: turns(lambda p, q: ((p + y) if f else q, p), (x, y))),
    "if_computed": (branch("%h", binary("add", "%g", "%x", "%y"), "%g", binary("mul", "%g", "%x", "%y"), "%g"),
                    ["%h", "%h"], lambda x, y, f: ((x + y, x + y) if f else (x * y, x * y))),
    "if_argument": (branch("%h", "", "%x", "", "%y"), ["%h", "%x"], lambda x, y, f: (x if f else y, x)),
    "if_shared": (branch("%h", accumulate("%g", "%x", "%f"), "%g", "", "%f") + accumulate("%z", "%y", "%h"),
                  ["%h", "%z", "%f"],
                  lambda x, y, f: (x if f else 0 * x, (x if f else 0 * x) + y, 0 * x)),
    "if_constant": (branch("%h", "", "%k", binary("add", "%g", "%x", "%y"), "%g") + accumulate("%z", "%y", "%h"),
                    ["%z", "%h"], lambda x, y, f: ((5 + y, 5 + 0 * y) if f else (x + 2 * y, x + y))),
    "switch": (f"  %ix = arith.index_castui %flag : i1 to index\n  %h = scf.index_switch %ix -> {T}\n  case 0 {{\n" +
               binary("add", "%g", "%x", "%y") + f"  scf.yield %g : {T}\n  }}\n  default {{\n  scf.yield %x : {T}\n  }}\n",
               ["%h", "%x"], lambda x, y, f: (x if f else x + y, x)),
    "region": (f"  %h = scf.execute_region -> {T} {{\n" + binary("add", "%g", "%x", "%y") +
               f"  scf.yield %g : {T}\n  }}\n", ["%h", "%h"], lambda x, y, f: (x + y, x + y)),
    "select": (f"  %h = arith.select %flag, %x, %y : {T}\n" + accumulate("%z", "%y", "%h"), ["%h", "%z"],
               lambda x, y, f: (x if f else y, (x if f else y) + y)),
    "forall": (f"""  %h = scf.forall (%i) in (4) shared_outs(%o = %f) -> ({T}) {{
    %u = tensor.extract_slice %x[%i, 0] [1, 8] [1, 1] : {T} to tensor<1x8xf32>
    scf.forall.in_parallel {{
      tensor.parallel_insert_slice %u into %o[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into {T}
    }}
  }}
""", ["%h", "%f"], lambda x, y, f: (x, 0 * x)),
    "while_new": (while_loop(binary("add", "%h", "%p", "%y"), ["%h"], ["%x"]), ["%w#1"],
                  lambda x, y, f: (x + 3 * y,)),
    "while_swap": (while_loop("", ["%q", "%p"], ["%x", "%y"]), ["%w#1", "%w#2"], lambda x, y, f: (y, x)),
    "while_fibonacci": (while_loop(binary("add", "%h", "%p", "%q"), ["%q", "%h"], ["%x", "%y"]), ["%w#2", "%w#1"],
                        lambda x, y, f: turns(lambda p, q: (q, p + q), (x, y))[::-1]),
    "while_constant": (while_loop(accumulate("%h", "%q", "%p"), ["%h", "%k"], ["%f", "%f"]), ["%w#1", "%f"],
                       lambda x, y, f: (0 * x + 10, 0 * x)),
    "while_other": (f"""  %w:2 = scf.while (%n = %i0, %p = %x, %q = %y) : (i32, {T}, {T}) -> ({T}, i32) {{
    %go = arith.cmpi slt, %n, %i3 : i32
{binary("add", "%h", "%p", "%q")}    scf.condition(%go) %h, %n : {T}, i32
  }} do {{
  ^bb0(%h: {T}, %n: i32):
    %m = arith.addi %n, %i1 : i32
    scf.yield %m, %h, %x : i32, {T}, {T}
  }}
""", ["%w#0"], lambda x, y, f: (4 * x + y,)),
}

# A wrong expectation, which only a test of this script asks for.
WRONG = {"wrong": (total("%a", "%x"), ["%a"], lambda x, y, f: (y.sum(1),))}

# Helpers that "private" and "private_slice" call.
PRIVATE = {
    "@double": f"func.func private @double(%x: {T}) -> {T} {{\n  %e = tensor.empty() : {T}\n" +
               binary("add", "%h", "%x", "%x") + f"  return %h : {T}\n}}\n",
    "@same": f"func.func private @same(%x: {T}, %y: {T}) -> ({T}, {T}) {{\n  return %y, %x : {T}, {T}\n}}\n",
    "@half": f"func.func private @half(%x: {T}) -> {F32} {{\n"
             f"  %h = tensor.extract_slice %x[2, 0] [2, 8] [1, 1] : {T} to {F32}\n  return %h : {F32}\n}}\n",
}


def make_program(name, dynamic):
    body, results, reference = CASES[name]
    x = (np.arange(32) % 7 + 1).reshape(4, 8).astype(np.float32)
    y = (np.arange(32) % 5 + 2).reshape(4, 8).astype(np.float32)
    shapes = [np.asarray(r).shape for r in reference(x, y, True)]
    types = ["tensor<" + "".join(f"{n}x" for n in s) + "f32>" for s in shapes]
    text = (f"func.func @{name}(%x: {T}, %y: {T}, %flags: tensor<1xf32>) -> ({', '.join(types)}) {{\n"
            f"{CONSTANTS}{body}  return {', '.join(results)} : {', '.join(types)}\n}}\n")
    if dynamic:
        text = text.replace("4x8x", "?x8x").replace("4xf32", "?xf32")
        text = text.replace("tensor.empty() : tensor<?", "tensor.empty(%d) : tensor<?")
        text = text.replace("  %k = arith.constant dense<5.0> : tensor<?x8xf32>",
                            "  %k4 = arith.constant dense<5.0> : tensor<4x8xf32>\n"
                            "  %k = tensor.cast %k4 : tensor<4x8xf32> to tensor<?x8xf32>")
        text = text.replace("  %e = ", "  %d = tensor.dim %x, %c0 : tensor<?x8xf32>\n  %e = ")
    return text, x, y


def run(command, path, name, x, y, flag):
    text, expected = path + ".mlir", CASES[name][2](x, y, flag)
    arguments = []
    for i, value in enumerate((x, y)):
        np.save(f"{path}.{i}.npy", value)
        arguments.append(f"--input=@{path}.{i}.npy")
    arguments.append(f"--input=1xf32={int(flag)}")
    for i, value in enumerate(expected):
        np.save(f"{path}.out{i}.npy", np.asarray(value, np.float32))
        arguments.append(f"--expected-output=@{path}.out{i}.npy")
    return subprocess.run([*command, text, f"--function={name}", "--max-ulp=0", *arguments],
                          capture_output=True, text=True, timeout=120)


STATIC = ("reshape", "slice", "insert", "forall", "private")


def main():
    path, shapes, *command = sys.argv[1:]
    if shapes.startswith("--only="):
        names, shapes = shapes[7:].split(","), command.pop(0)
        CASES.update(WRONG)
    else:
        names = list(CASES)
    if shapes == "dynamic": # the types of some are static
        names = [n for n in names if not any(s in n for s in STATIC)]
    failed = []
    for name in names:
        text, x, y = make_program(name, shapes == "dynamic")
        helpers = "".join(f for n, f in PRIVATE.items() if n + "(" in text)
        with open(path + ".mlir", "w") as file:
            file.write(HEAD + helpers + text)
        flags = (True, False) if "%flag" in CASES[name][0] else (True,)
        for flag in flags:
            done = run(command, path, name, x, y, flag)
            if done.returncode:
                failed.append(name)
                print(f"{name} (flag {flag}):", done.stdout[-400:], done.stderr[-400:])
    print(f"{len(names) - len(set(failed))} of {len(names)} right", *failed)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
