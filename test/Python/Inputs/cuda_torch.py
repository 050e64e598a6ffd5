"""Functions for nvvm on torch's tensors, on a GPU: numbers beside f64, streams, graphs, threads, memory."""
import threading

import torch
from programs import DYNAMIC, elementwise, reject

import norm_mlir

TYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
# Threads that share a warp, warps, blocks, rows that begin anywhere, clusters, strips.
COLS = [1, 7, 64, 111, 128, 257, 1024, 1152, 2880, 4095, 4096, 4097, 8192, 16384, 32768, 65536,
        262144, 400000]
EPSILON = 1e-6


def write_llama(element, cols):
    """A norm that rounds before the weight, of open rows; and of open columns where `cols` is '?'."""
    row, rows = f"tensor<{cols}x{element}>", f"tensor<?x{cols}x{element}>"
    sizes = "%rows, %cols" if cols == "?" else "%rows"
    normalized = "" if element == "f32" else f" normalized_type = {element}"
    return f"""
func.func @main(%x: {rows}, %w: {row}) -> {rows} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : {rows}
  %cols = tensor.dim %x, %c1 : {rows}
  %init = tensor.empty({sizes}) : {rows}
  %y = norm.rmsnorm ins(%x, %w : {rows}, {row}) outs(%init : {rows})
       dims = [1] epsilon = {EPSILON:e} : f32{normalized} -> {rows}
  return %y : {rows}
}}
"""


def compute(x, w):
    """The same norm in f64, rounded where the program rounds."""
    wide = x.double()
    wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + EPSILON)
    return (w.double() * wide.to(x.dtype).double()).to(x.dtype)


def make_hostile(rows, cols, dtype):
    """Rows of ordinary numbers, and of NaN, infinities, zeros, subnormals and huge ones."""
    x = torch.randn(rows, cols, device="cuda")
    x = x * torch.logspace(-6, 3, rows, device="cuda")[:, None]
    x = x.clamp(-1000, 1000).to(dtype)
    if rows > 8:
        tiny = torch.finfo(dtype).smallest_normal
        x[1, cols // 2] = float("nan")
        x[2, -1] = float("inf")
        x[3, 0] = float("-inf")
        x[4] = 0
        x[5] = -0.0
        x[6] = tiny / 4
        x[7, : cols // 2] = 0
    return x


def count_ulp(found, expected):
    """Units in the last place of the type; NaN is equal to NaN alone."""
    assert torch.equal(found.isnan(), expected.isnan()), "NaN elsewhere"
    infinite = expected.isinf()
    assert torch.equal(found[infinite], expected[infinite]), "infinities elsewhere"
    a, b = found.double(), expected.double()
    info = torch.finfo(found.dtype)
    unit = torch.maximum(b.abs(), torch.tensor(info.smallest_normal, device=b.device).double())
    unit = torch.exp2(torch.floor(torch.log2(unit))) * info.eps
    good = ~(infinite | expected.isnan())
    return ((a - b).abs() / unit)[good].max().item() if good.any() else 0.0


def check_numbers(element, cols):
    dtype = TYPES[element]
    norm = norm_mlir.compile(write_llama(element, "?" if cols == 111 else cols), target="nvvm")
    worst = 0.0
    for rows in (1, 3, 67, 1031):
        if rows * cols > 1 << 26:
            continue
        x = make_hostile(rows, cols, dtype)
        w = torch.linspace(-2, 2, cols, device="cuda").to(dtype)
        worst = max(worst, count_ulp(norm(x, w), compute(x, w)))
        # One element on, nothing is aligned.
        moved = torch.empty(x.numel() + 1, dtype=dtype, device="cuda")[1:].view(x.shape)
        moved.copy_(x)
        out = torch.full_like(x, 7)
        assert norm(moved, w, out=out) is out
        worst = max(worst, count_ulp(out, compute(x, w)))
    # f32 rounds 5 times; 16 bits once more where the rounding before the weight differs.
    assert worst <= (6 if element == "f32" else 2), (element, cols, worst)
    return worst


def check_streams(norm, x, w):
    """A call stands in the order of the current stream."""
    side = torch.cuda.Stream()
    expected = compute(x, w)
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        late = x * 0
        torch.cuda._sleep(20_000_000)
        late.copy_(x)
        y = norm(late, w)
        doubled = y * 2
    side.synchronize()
    assert count_ulp(doubled / 2, expected) <= 6


def check_graph(norm, x, w):
    """Calls are captured, and replayed on new numbers."""
    still = x.clone()
    norm(still, w)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = norm(still, w)
    for scale in (1, 3):
        still.copy_(x * scale)
        graph.replay()
        torch.cuda.synchronize()
        assert count_ulp(y, compute(still, w)) <= 6


def check_threads(norm, w):
    wrong = []

    def work(seed):
        with torch.cuda.stream(torch.cuda.Stream()):
            for i in range(50):
                x = torch.full((64, w.numel()), float(seed + i), device="cuda")
                if count_ulp(norm(x, w), compute(x, w)) > 6:
                    wrong.append((seed, i))
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong


def check_memory(norm, x, w):
    """Results come from torch's allocator, and nothing is kept."""
    norm(x, w)
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    y = norm(x, w)
    assert torch.cuda.memory_allocated() >= before + y.nbytes
    del y
    assert torch.cuda.memory_allocated() == before


for element in TYPES:
    for cols in COLS:
        print(f"{element} {cols}: {check_numbers(element, cols):.2f} ulp", flush=True)
x, w = make_hostile(512, 4096, torch.float32), torch.linspace(-2, 2, 4096, device="cuda")
norm = norm_mlir.compile(DYNAMIC, target="nvvm")
for check in check_streams, check_graph, check_memory:
    check(norm, x, w)
    print(check.__name__, "holds")
check_threads(norm, w)
print("check_threads holds")
add = norm_mlir.compile(elementwise("tensor<?xbf16>"), target="nvvm")
half = torch.full((32,), 0.5, device="cuda", dtype=torch.bfloat16)
assert torch.equal(add(half, half), half + half)
assert norm(x[:0], w).shape == (0, 4096)
print("bfloat16 and no rows")
reject(lambda: norm(x.t(), w))
reject(lambda: norm(x.cpu(), w))
reject(lambda: norm(x.double(), w))
reject(lambda: norm(x, w[:7]))
reject(lambda: norm(x, w, out=x))
torch.cuda.synchronize()
