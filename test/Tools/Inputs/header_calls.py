"""Random signatures: each function is called from C and C++ by its header, and what comes
back is compared with what went in, byte by byte (header-calls.test).

    header_calls.py FOLDER SEED FUNCTIONS

A result is an argument, an element of one, or a sum or a constant. No call may change an
argument, a descriptor or the memory beside its results.
"""
import pathlib
import random
import struct
import subprocess
import sys

FOLDER = pathlib.Path(sys.argv[1])
SEED, COUNT = int(sys.argv[2]), int(sys.argv[3])
numbers = random.Random(SEED)

# The type in MLIR: that in C, bytes, and one value of a part as bytes.
def integer(code, low, high):
    return lambda: struct.pack("<" + code, numbers.randint(low, high))

TYPES = {
    "f64": ("double", lambda: struct.pack("<d", numbers.gauss(0, 9))),
    "f32": ("float", lambda: struct.pack("<f", numbers.gauss(0, 9))),
    "f16": ("uint16_t", lambda: struct.pack("<e", numbers.gauss(0, 9))),
    "bf16": ("uint16_t", lambda: struct.pack("<f", numbers.gauss(0, 9))[2:]),
    "f8E4M3FN": ("uint8_t", integer("B", 0, 126)),
    "f8E5M2": ("uint8_t", integer("B", 128, 251)),
    "i1": ("bool", integer("B", 0, 1)),
    "i8": ("int8_t", integer("b", -128, 127)),
    "i16": ("int16_t", integer("h", -2**15, 2**15 - 1)),
    "i32": ("int32_t", integer("i", -2**31, 2**31 - 1)),
    "i64": ("int64_t", integer("q", -2**63, 2**63 - 1)),
    "ui8": ("uint8_t", integer("B", 0, 255)),
    "ui16": ("uint16_t", integer("H", 0, 2**16 - 1)),
    "ui32": ("uint32_t", integer("I", 0, 2**32 - 1)),
    "si16": ("int16_t", integer("h", -2**15, 2**15 - 1)),
    "index": ("intptr_t", integer("q", -2**63, 2**63 - 1)),
    "complex<f32>": ("float", lambda: struct.pack("<2f", numbers.gauss(0, 9), numbers.gauss(0, 9))),
    "complex<f64>": ("double", lambda: struct.pack("<2d", numbers.gauss(0, 9), numbers.gauss(0, 9))),
}
SUMS = {"i32": ("arith.addi", "i"), "i64": ("arith.addi", "q"), "f64": ("arith.addf", "d")}


class Value:
    """An argument or a result: an element type, a shape or None, and its bytes."""

    def __init__(self, element, shape=None, dynamic=None, data=None):
        self.element, self.shape = element, shape
        self.dynamic = dynamic or []
        self.is_complex = element.startswith("complex")
        count = 1
        for extent in shape or []:
            count *= extent
        self.data = data if data is not None else b"".join(TYPES[element][1]() for _ in range(count))

    @property
    def ctype(self):
        return TYPES[self.element][0]

    @property
    def mlir(self):
        if self.shape is None:
            return self.element
        extents = "".join(("?" if d in self.dynamic else str(e)) + "x" for d, e in enumerate(self.shape))
        return f"tensor<{extents}{self.element}>"


def make_argument():
    element = numbers.choice(list(TYPES))
    if numbers.random() < 0.5:
        return Value(element)
    shape = [numbers.randint(1, 4) for _ in range(numbers.randint(0, 3))]
    dynamic = [d for d in range(len(shape)) if numbers.random() < 0.4]
    return Value(element, shape, dynamic)


def make_function(name):
    """The text in MLIR, arguments and results."""
    # Enough of them that some are on the stack.
    arguments = [make_argument() for _ in range(numbers.choice([0, 1, 1, 2, 3, 5, 9, 14]))]
    body, results, names = [], [], []
    for r in range(numbers.choice([0, 1, 1, 1, 2, 2, 3, 5])):
        source = numbers.randrange(len(arguments)) if arguments else None
        value = arguments[source] if arguments else None
        if value is None or numbers.random() < 0.1:
            result = Value("i64")
            number = struct.unpack("<q", result.data)[0]
            body.append(f"%r{r} = arith.constant {number} : i64")
            names.append(f"%r{r}")
        elif value.shape is None and value.element in SUMS:
            op, code = SUMS[value.element]
            number = struct.unpack("<" + code, value.data)[0]
            total = number + number
            if code != "d":
                bits = 8 * len(value.data)
                total = (total + 2**(bits - 1)) % 2**bits - 2**(bits - 1)
            body.append(f"%r{r} = {op} %a{source}, %a{source} : {value.element}")
            result = Value(value.element, data=struct.pack("<" + code, total))
            names.append(f"%r{r}")
        elif value.shape is not None and numbers.random() < 0.5:
            where = [numbers.randrange(e) for e in value.shape]
            for d, place in enumerate(where):
                body.append(f"%r{r}_{d} = arith.constant {place} : index")
            operands = ", ".join(f"%r{r}_{d}" for d in range(len(where)))
            body.append(f"%r{r} = tensor.extract %a{source}[{operands}] : {value.mlir}")
            flat = 0
            for extent, place in zip(value.shape, where):
                flat = flat * extent + place
            size = len(value.data)
            for extent in value.shape:
                size //= extent
            result = Value(value.element, data=value.data[flat * size:][:size])
            names.append(f"%r{r}")
        else:
            result = Value(value.element, value.shape, value.dynamic, value.data)
            names.append(f"%a{source}")
        results.append(result)
    parameters = ", ".join(f"%a{i}: {a.mlir}" for i, a in enumerate(arguments))
    types = ", ".join(r.mlir for r in results)
    text = f"func.func @{name}({parameters}) -> ({types}) {{\n"
    text += "".join(f"  {line}\n" for line in body)
    text += "  return" + (f" {', '.join(names)} : {types}" if names else "") + "\n}\n"
    return text, arguments, results


def write_tensor(name, value, data):
    """Declarations of a buffer with a margin, and of its descriptor."""
    content = ", ".join(map(str, data + b"\xA5" * 16))
    strides, stride = [], 1
    for extent in reversed(value.shape):
        strides.insert(0, stride)
        stride *= extent
    sizes = f", {{{', '.join(map(str, value.shape))}}}, {{{', '.join(map(str, strides))}}}" if value.shape else ""
    return (f"  unsigned char {name}_data[] __attribute__((aligned(64))) = {{{content}}};\n"
            f"  norm_memref_{len(value.shape)}d {name} = {{{name}_data, {name}_data, 0{sizes}}};\n"
            f"  norm_memref_{len(value.shape)}d {name}_before = {name};\n")


def write_scalar(name, ctype, data):
    content = ", ".join(map(str, data))
    return (f"  unsigned char {name}_data[] = {{{content}}};\n"
            f"  {ctype} {name};\n  memcpy(&{name}, {name}_data, sizeof({name}));\n")


def write_call(name, arguments, results):
    """A function of C that calls and compares."""
    code, operands, checks = f"static void call_{name}(void) {{\n", [], ""

    def check(what, address, data, size):
        nonlocal code, checks
        content = ", ".join(map(str, data))
        code += f"  unsigned char {what}_want[] = {{{content}}};\n"
        checks += f"  expect(\"{name} {what}\", {address}, {what}_want, {size});\n"

    for i, value in enumerate(arguments):
        what = f"arg{i}"
        if value.shape is not None:
            code += write_tensor(what, value, value.data)
            check(what, f"{what}_data", value.data + b"\xA5" * 16, len(value.data) + 16)
            checks += f"  expect(\"{name} {what} descriptor\", &{what}, &{what}_before, sizeof({what}));\n"
            operands.append("&" + what)
        elif value.is_complex:
            half = len(value.data) // 2
            code += write_scalar(what + "_real", value.ctype, value.data[:half])
            code += write_scalar(what + "_imag", value.ctype, value.data[half:])
            operands += [what + "_real", what + "_imag"]
        else:
            code += write_scalar(what, value.ctype, value.data)
            operands.append(what)
    scalars = [(i, v) for i, v in enumerate(results) if v.shape is None]
    is_struct = len(scalars) > 1 or any(v.is_complex for _, v in scalars)
    if is_struct:
        code += (f"  struct {{\n    norm_results_{name} all;\n    unsigned char margin[64];\n  }} results;\n"
                 "  memset(&results, 0xA5, sizeof(results));\n")
        operands.insert(0, "&results.all")
        check("margin", "results.margin", b"\xA5" * 64, 64)
    for i, value in enumerate(results):
        what = f"result{i}"
        if value.shape is not None:
            code += write_tensor(what, value, b"\xEE" * len(value.data))
            check(what, f"{what}_data", value.data + b"\xA5" * 16, len(value.data) + 16)
            operands.append("&" + what)
            checks += f"  expect(\"{name} {what} descriptor\", &{what}, &{what}_before, sizeof({what}));\n"
            continue
        place = f"results.all.{what}" if is_struct else what
        check(what, "&" + place, value.data, len(value.data))
        if not value.is_complex and value.element not in ("f64", "f32"):
            # C's compiler may rely on how a narrow integer is extended.
            is_signed = value.ctype.startswith("int")
            number = int.from_bytes(value.data, "little", signed=is_signed)
            suffix = "LL - 1" if number == -2**63 else "LL"
            text = f"{number + (number == -2**63)}{suffix}"
            checks += f"  expect_number(\"{name} {what}\", (long long){place}, {text});\n"
    call = f"_mlir_ciface_{name}({', '.join(operands)});\n"
    single = scalars and not is_struct
    code += f"  {scalars[0][1].ctype} result{scalars[0][0]} = {call}" if single else "  " + call
    return code + checks + "}\n"


functions = [(f"f{i}", *make_function(f"f{i}")) for i in range(COUNT)]
(FOLDER / "calls.mlir").write_text("".join(text for _, text, _, _ in functions))
source = """#include "calls.h"
#include <stdio.h>
#include <string.h>
static int wrong;
static void expect(const char *what, const void *got, const void *want, size_t size) {
  if (memcmp(got, want, size) != 0 && ++wrong)
    printf("WRONG %s\\n", what);
}
static void expect_number(const char *what, long long got, long long want) {
  if (got != want && ++wrong)
    printf("WRONG %s: %lld, expected %lld\\n", what, got, want);
}
"""
source += "".join(write_call(name, arguments, results) for name, _, arguments, results in functions)
source += "int main(void) {\n  (void)expect_number;\n"
source += "".join(f"  call_{name}();\n" for name, *_ in functions)
source += "  return wrong != 0;\n}\n"
(FOLDER / "calls.c").write_text(source)


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"WRONG {' '.join(map(str, command))}: {done.stdout}{done.stderr}")


library, header = FOLDER / "calls.so", FOLDER / "calls.h"
run("norm-compile", FOLDER / "calls.mlir", "--emit=header", "-o", header)
run("norm-compile", FOLDER / "calls.mlir", "--emit=shared", "-o", library)
for language, standard in [("c", "c11"), ("c++", "c++17")]:
    program = FOLDER / f"calls-{language}"
    run("clang-22", "-x", language, f"-std={standard}", "-O2", "-Wall", "-Werror", FOLDER / "calls.c",
        "-x", "none", library, "-o", program)
    run(program)
scalars = sum(v.shape is None for *_, results in functions for v in results)
print(f"seed {SEED}: {COUNT} functions with {scalars} scalar results, right from C and C++")
