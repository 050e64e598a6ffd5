"""Writes backward passes of norms as linalg.

    backward_program.py rms|saved|llama|layer TYPE ROWS COLUMNS

`saved` takes the inverse roots as an argument; `llama` rounds what the forward pass
rounds, and each product of the gradient of the weight; `layer` has a bias and saved
means. ROWS may be ?.
"""
import sys

MAPS = {
    "x": "affine_map<(d0, d1) -> (d0, d1)>",
    "r": "affine_map<(d0, d1) -> (d0)>",
    "w": "affine_map<(d0, d1) -> (d1)>",
    "1": "affine_map<(d0) -> (d0)>",
}


class Program:
    def __init__(self, form, element, rows, columns):
        self.form, self.element, self.rows, self.columns = form, element, rows, columns
        self.types = {
            "x": f"tensor<{rows}x{columns}x{element}>",
            "w": f"tensor<{columns}x{element}>",
            "r": f"tensor<{rows}xf32>",
            "c": f"tensor<{columns}xf32>",
        }
        self.lines = []

    def widen(self, to, value):
        if self.element == "f32":
            return f"%{to} = arith.addf %{value}, %nothing : f32"
        return f"%{to} = arith.extf %{value} : {self.element} to f32"

    def narrow(self, to, value):
        if self.element == "f32":
            return f"%{to} = arith.addf %{value}, %nothing : f32"
        return f"%{to} = arith.truncf %{value} : f32 to {self.element}"

    def generic(self, name, iterators, inputs, output, body):
        """`inputs`: (value, map, kind of tensor, element's name); `output`: the same; the
        body yields %result."""
        operands = inputs + [output]
        element = {k: self.element if k in "xw" else "f32" for k in "xwrc"}
        arguments = ", ".join(f"%{o[3]}: {element[o[2]]}" for o in operands)
        kinds = ", ".join('"reduction"' if c == "R" else '"parallel"' for c in iterators)
        self.lines += [
            f"  %{name} = linalg.generic {{indexing_maps = [{', '.join(MAPS[o[1]] for o in operands)}], iterator_types = [{kinds}]}}"
            f" ins({', '.join('%' + o[0] for o in inputs)} : {', '.join(self.types[o[2]] for o in inputs)})"
            f" outs(%{output[0]} : {self.types[output[2]]}) {{",
            f"  ^bb0({arguments}):",
        ]
        self.lines += ["    " + line for line in body]
        self.lines += [f"    linalg.yield %result : {element[output[2]]}",
                       f"  }} -> {self.types[output[2]]}"]

    def statistics(self):
        if self.form in ("saved", "layer"):
            return
        self.generic("squares", "PR", [("x", "x", "x", "a")], ("zeros", "r", "r", "sum"), [
            self.widen("b", "a"), "%c = arith.mulf %b, %b : f32", "%result = arith.addf %sum, %c : f32"])
        self.generic("r", "P", [("squares", "1", "r", "a")], ("rows", "1", "r", "out"), [
            "%b = arith.divf %a, %n : f32", "%c = arith.addf %b, %epsilon : f32",
            "%d = math.sqrt %c : f32", "%result = arith.divf %one, %d : f32"])

    def operands(self):
        """x, the statistics, dy and w."""
        means = [("mean", "r", "r", "m")] if self.form == "layer" else []
        return [("x", "x", "x", "a"), ("r", "r", "r", "i"), ("dy", "x", "x", "g")] + means

    def normalized(self):
        """%z and, with its rounding, %zt."""
        lines = [self.widen("ax", "a")]
        if self.form == "layer":
            lines += ["%am = arith.subf %ax, %m : f32", "%z = arith.mulf %am, %i : f32"]
        else:
            lines += ["%z = arith.mulf %ax, %i : f32"]
        return lines

    def scaled(self):
        """%s: the gradient times the weight."""
        if self.form == "llama":
            return [f"%sw = arith.mulf %g, %v : {self.element}", self.widen("s", "sw")]
        return [self.widen("gx", "g"), self.widen("wx", "v"), "%s = arith.mulf %gx, %wx : f32"]

    def sum_of_row(self, name, value):
        self.generic(name + "_sum", "PR", self.operands() + [("w", "w", "w", "v")],
                     ("zeros", "r", "r", "sum"), self.normalized() + self.scaled() + [
                         "%p = arith.mulf %z, %s : f32",
                         f"%result = arith.addf %sum, %{value} : f32"])
        self.generic(name, "P", [(name + "_sum", "1", "r", "a")], ("rows", "1", "r", "out"), [
            "%result = arith.divf %a, %n : f32"])

    def gradient_of_input(self):
        self.sum_of_row("projection", "p")
        inputs = self.operands() + [("w", "w", "w", "v"), ("projection", "r", "r", "p")]
        body = self.normalized() + self.scaled() + [
            "%zp = arith.mulf %z, %p : f32", "%c = arith.subf %s, %zp : f32"]
        if self.form == "layer":
            self.sum_of_row("shift", "s")
            inputs.append(("shift", "r", "r", "q"))
            body += ["%d = arith.subf %c, %q : f32"]
        else:
            body += ["%d = arith.addf %c, %nothing : f32"]
        self.generic("dx", "PP", inputs, ("like", "x", "x", "out"), body + [
            "%e = arith.mulf %i, %d : f32", self.narrow("result", "e")])

    def sum_of_columns(self, name, body):
        self.generic(name + "_sum", "RP", self.operands(), ("zero_columns", "w", "c", "sum"), body + [
            "%result = arith.addf %sum, %p : f32"])
        self.generic(name, "P", [(name + "_sum", "1", "c", "a")], ("columns", "1", "w", "out"), [
            self.narrow("result", "a")])

    def gradient_of_weight(self):
        if self.form == "llama":
            product = [self.narrow("zt", "z"), f"%pt = arith.mulf %g, %zt : {self.element}", self.widen("p", "pt")]
        else:
            product = [self.widen("gx", "g"), "%p = arith.mulf %gx, %z : f32"]
        self.sum_of_columns("dw", self.normalized() + product)
        if self.form == "layer":
            self.sum_of_columns("db", [self.widen("p", "g")])

    def write(self):
        types = self.types
        arguments = [("x", "x"), ("dy", "x"), ("w", "w")]
        arguments += {"saved": [("r", "r")], "layer": [("r", "r"), ("mean", "r")]}.get(self.form, [])
        results = [("dx", "x"), ("dw", "w")] + ([("db", "w")] if self.form == "layer" else [])
        size = "%count" if self.rows == "?" else ""
        self.lines = [
            f"func.func @main({', '.join(f'%{n}: {types[t]}' for n, t in arguments)}) -> ({', '.join(types[t] for _, t in results)}) {{",
            "  %zero = arith.constant 0.0 : f32", "  %nothing = arith.constant -0.0 : f32",
            "  %one = arith.constant 1.0 : f32", "  %epsilon = arith.constant 1.0e-6 : f32",
            f"  %n = arith.constant {self.columns}.0 : f32"]
        if size:
            self.lines += ["  %c0 = arith.constant 0 : index", f"  %count = tensor.dim %x, %c0 : {types['x']}"]
        self.lines += [
            f"  %rows = tensor.empty({size}) : {types['r']}", f"  %like = tensor.empty({size}) : {types['x']}",
            f"  %sums = tensor.empty() : {types['c']}", f"  %columns = tensor.empty() : {types['w']}",
            f"  %zeros = linalg.fill ins(%zero : f32) outs(%rows : {types['r']}) -> {types['r']}",
            f"  %zero_columns = linalg.fill ins(%zero : f32) outs(%sums : {types['c']}) -> {types['c']}"]
        self.statistics()
        self.gradient_of_input()
        self.gradient_of_weight()
        self.lines += [f"  return {', '.join('%' + n for n, _ in results)} : {', '.join(types[t] for _, t in results)}", "}"]
        return "\n".join(self.lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(Program(*sys.argv[1:5]).write())
