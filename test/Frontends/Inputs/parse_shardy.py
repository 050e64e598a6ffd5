"""Parses each `OP: RULE` line of standard input with the Shardy that jaxlib carries."""
import sys

from jax._src.interpreters import mlir
from jaxlib.mlir import ir

with mlir.make_ir_context():
    for line in sys.stdin:
        op, rule = line.split(": ", 1)
        print(op, "has", ir.Attribute.parse(rule))
