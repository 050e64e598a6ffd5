"""What torch knows of a tensor and DLPack does not, and which class results have."""
import torch
from programs import elementwise

import norm_mlir

add = norm_mlir.compile(elementwise("tensor<4xf32>"))
x = torch.ones(4)
weight = torch.nn.Parameter(x)


def reject(*arguments, **keywords):
    try:
        add(*arguments, **keywords)
    except norm_mlir.NormError as error:
        print(f"NormError: {error}")
    else:
        print("not rejected")


class Subclass(torch.Tensor):
    pass


freed = torch.ones(4)
freed.untyped_storage().resize_(0)

reject(x, weight)
reject(x, x, out=weight)
reject(torch._neg_view(x), x)
reject(freed, x)
with torch.autograd.forward_ad.dual_level():
    reject(torch.autograd.forward_ad.make_dual(x, x), x)
with torch.no_grad():
    print(add(x, weight), add(weight, x))
print(add(x, weight.detach()), add(x.as_subclass(Subclass), x))
