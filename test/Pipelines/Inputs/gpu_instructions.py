"""Counts the instructions that a thread of a kernel executes.

From machine code (the text of nvdisasm) along the path of ordinary numbers: conditional
branches are not taken, except around a call, which is a slow path (a subnormal divisor, a
root of an infinity). Predicated instructions count: they take their turn. From PTX every
operation in the text but declarations, labels and moves, which mostly become nothing.
A loop counts once.
"""
import re
import subprocess

INSTRUCTION = re.compile(r"\s*/\*[0-9a-f]+\*/\s+(?:(@!?U?P[T\d]+) )?\s*(\S+?)(?:\s+(.*?))?\s*;")
LABEL = re.compile(r"\s*(\.L\w+):")


def disassemble(nvdisasm, cubin):
    return subprocess.run([nvdisasm, "-c", cubin], check=True, capture_output=True, text=True).stdout


def get_code(sass, name):
    """The instructions of a kernel and the index at which each label stands."""
    code, labels = [], {}
    text = re.search(r"^\.text\.%s:\n(.*?)(?=^//-----|\Z)" % re.escape(name), sass, re.S | re.M)[1]
    for line in text.split("\n"):
        if label := LABEL.match(line):
            labels[label[1]] = len(code)
        elif instruction := INSTRUCTION.match(line):
            code.append(instruction.groups(default=""))
    return code, labels


def get_target(operands, labels):
    label = re.search(r"\.L\w+", operands)
    return labels[label[0]] if label else None


def count_sass(sass, name):
    code, labels = get_code(sass, name)
    count = at = 0
    while True:
        predicate, opcode, operands = code[at]
        count += 1
        if opcode == "EXIT" and not predicate:
            return count
        if opcode.startswith("CALL") and not predicate:
            raise ValueError("%s: a call on the path of ordinary numbers" % name)
        at += 1
        # BRA.DIV leaves only where a warp has diverged.
        if not opcode.startswith("BRA") or opcode.startswith("BRA.DIV"):
            continue
        target = get_target(operands, labels)
        if target is None or target < at:
            continue
        is_slow = any(skipped.startswith("CALL") for _, skipped, _ in code[at:target])
        # A uniform predicate is the first operand, not a prefix.
        is_conditional = predicate or re.match(r"!?U?P\d", operands)
        if not is_conditional or is_slow:
            at = target


def count_ptx(text):
    """`text` is one kernel."""
    opcodes = re.findall(r"^\s*(?:@!?%p\d+ )?\s*([a-z][\w.]*)[^;\n]*;", text, re.M)
    return sum(not opcode.startswith("mov.") for opcode in opcodes)
