"""A user of the types: the last two lines are wrong."""
from pathlib import Path

import norm_mlir

program: norm_mlir.Module = norm_mlir.parse(Path("norm.mlir"))
norm: norm_mlir.Function = program.compile(threads=2)
types: tuple[norm_mlir.TensorType, ...] = norm.arguments
found: norm_mlir.Recognition = norm_mlir.recognize(Path("norm.mlir"), rounding="exact")
epsilons: list[float | None] = [each.epsilon for each in found.recognized]
reasons: list[str] = [rejected.reason for rejected in found.rejected]
text: str = program.ptx() + norm_mlir.explain("module {}") + norm_mlir.llvm_version
norm_mlir.compile(Path("norm.mlir"), threads="2")
program.recognize(rounding="sloppy")
