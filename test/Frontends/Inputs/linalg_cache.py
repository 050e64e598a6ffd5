"""What was recognized in a part is kept on disk: another process does not recognize it again,
unless the file is damaged or there is no folder."""
import os
import pathlib

import torch
from linalg_ops import make_part

import norm_mlir
from norm_mlir._parts import find_norms


def norm(x):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)


def layer_norm(x):
    return x * torch.rsqrt((x - x.mean(-1, keepdim=True)).pow(2).mean(-1, keepdim=True) + 1e-6)


def count_recognitions():
    count, recognize = 0, norm_mlir.Module.recognize

    def counting(module, **options):
        nonlocal count
        count += 1
        return recognize(module, **options)

    norm_mlir.Module.recognize = counting
    outcomes = [find_norms(*make_part(f, torch.ones(4, 96))) for f in (norm, layer_norm)]
    norm_mlir.Module.recognize = recognize
    assert [(o.forward, o.backward, bool(o.module)) for o in outcomes] == [
        (1, 0, True), (0, 0, False)] and "not an RMSNorm" in outcomes[1].reason
    return count


folder = pathlib.Path(os.environ["NORM_MLIR_CACHE"])
print(f"first: {count_recognitions()}, again: {count_recognitions()}")
for file in folder.iterdir():
    file.write_bytes(file.read_bytes()[:-1] + b"?")
print(f"damaged: {count_recognitions()}, again: {count_recognitions()}")
os.environ["NORM_MLIR_CACHE"] = ""
print(f"no folder: {count_recognitions()}")
