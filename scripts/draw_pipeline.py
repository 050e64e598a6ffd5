"""Draws docs/pipeline.svg: the way of a program from linalg to code.

    draw_pipeline.py [OUTPUT]      default: standard output

The stages are those of norm-compile's --emit, whose names are written on the arrows.
"""
import sys
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 890, 270
STYLE = """
  text { font: 13px sans-serif; fill: #24292f; text-anchor: middle }
  .small { font-size: 11px; fill: #57606a }
  .emit { font: 11px monospace; fill: #0550ae }
  rect { fill: #f6f8fa; stroke: #8c959f; rx: 6px }
  .norm { fill: #ddf4ff; stroke: #0969da }
  path { stroke: #57606a; fill: none; marker-end: url(#tip) }
"""
# Name: (x, y of the middle, width, lines, class).
BOXES = {
    "in": (100, 90, 180, ["linalg on tensors", "torch-mlir, JAX, ONNX, TOSA"], ""),
    "norm": (305, 90, 130, ["norm.rmsnorm", "beside upstream ops"], "norm"),
    "linalg": (472, 90, 120, ["linalg", "fused by rows"], ""),
    "vector": (628, 90, 110, ["vector", "on buffers"], ""),
    "cpu": (795, 50, 150, ["LLVM: x86, AArch64", "object, .so, header"], ""),
    "gpu": (795, 130, 150, ["NVVM: kernels", "PTX, cubin, launcher"], ""),
    "why": (305, 225, 170, ["remark", "found, or why it is none"], ""),
    "yours": (520, 225, 150, ["your kernels", "calls, composites"], ""),
}
ARROWS = [("in", "norm", "--norm-recognize"), ("norm", "linalg", ""), ("linalg", "vector", ""),
          ("vector", "cpu", ""), ("vector", "gpu", ""), ("norm", "why", ""), ("norm", "yours", "")]
EMITS = {"norm": "--emit=norm", "linalg": "--emit=linalg", "vector": "--emit=vector",
         "cpu": "--emit=asm, obj, shared", "gpu": "--emit=ptx, cubin"}
BOX_HEIGHT = 44


def draw_box(name):
    x, y, width, (title, note), kind = BOXES[name]
    yield f'<rect class="{kind}" x="{x - width / 2}" y="{y - BOX_HEIGHT / 2}" width="{width}" height="{BOX_HEIGHT}"/>'
    yield f'<text x="{x}" y="{y - 3}">{escape(title)}</text>'
    yield f'<text class="small" x="{x}" y="{y + 14}">{escape(note)}</text>'
    if name in EMITS:
        yield f'<text class="emit" x="{x}" y="{y + BOX_HEIGHT / 2 + 14}">{EMITS[name]}</text>'


def draw_arrow(start, end, label):
    x, y, width, *_ = BOXES[start]
    to_x, to_y, to_width, *_ = BOXES[end]
    if to_y > y + 100:  # downwards, past the text below the box
        yield f'<path d="M{x},{y + BOX_HEIGHT / 2 + 20} L{to_x},{to_y - BOX_HEIGHT / 2 - 4}"/>'
        return
    left, right = x + width / 2, to_x - to_width / 2 - 4
    yield f'<path d="M{left},{y} L{right},{to_y}"/>'
    if label:
        yield f'<text class="emit" x="{(left + right) / 2}" y="{y - BOX_HEIGHT / 2 - 8}">{label}</text>'


def draw():
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">'
    yield "<title>From linalg to code</title>"
    yield f"<style>{STYLE}</style>"
    yield ('<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
           '<path d="M0,0 L8,4 L0,8 z" style="fill:#57606a;stroke:none"/></marker></defs>')
    yield f'<rect width="{WIDTH}" height="{HEIGHT}" style="fill:#ffffff;stroke:none"/>'
    for arrow in ARROWS:
        yield from draw_arrow(*arrow)
    for name in BOXES:
        yield from draw_box(name)
    yield "</svg>"


text = "\n".join(draw()) + "\n"
if len(sys.argv) > 1:
    with open(sys.argv[1], "w", encoding="utf8") as file:
        file.write(text)
else:
    sys.stdout.write(text)
