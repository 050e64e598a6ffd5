"""A user of the types: the last line is wrong."""
import norm_mlir

norm: norm_mlir.Function = norm_mlir.compile("norm.mlir", threads=2)
names: tuple[str, ...] = norm.arguments
found: norm_mlir.Recognition = norm_mlir.recognize("norm.mlir", rounding="exact")
reasons: list[str] = [rejected.reason for rejected in found.rejected]
text: str = norm_mlir.ptx("norm.mlir") + norm_mlir.explain("norm.mlir") + norm_mlir.llvm_version
norm_mlir.compile("norm.mlir", threads="2")
