"""What users do with compiled models: each case agrees with eager mode and has all norms
compiled."""
import copy
import os
import pickle
import threading

import torch
from backend import OPTIONS, Block, check, x
from models import make_inputs, make_model
from torch.nn.parallel import DistributedDataParallel
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.checkpoint import checkpoint

from norm_mlir.torch import NormBackend


def compile_model(model):
    torch._dynamo.reset()
    backend = NormBackend()
    return torch.compile(model, backend=backend, options=OPTIONS), backend


def report(title, backend):
    assert backend.programs
    print(f"{title}: forward {backend.forward}, backward {backend.backward}")


def train(model, *inputs):
    model.zero_grad()
    y = model(*inputs)
    y.float().pow(3).sum().backward()
    return [y.detach(), *(p.grad.clone() for p in model.parameters())]


def compare(actual, expected, ulps=64):
    for ours, eager in zip(actual, expected):
        check(ours, eager, ulps)


def copy_model():
    model = Block()
    compiled, backend = compile_model(model)
    compare(train(compiled, x), train(model, x))
    copied = copy.deepcopy(compiled)
    with torch.no_grad():
        copied._orig_mod.norm.weight.mul_(2)
    compare(train(copied, x), train(copied._orig_mod, x))
    compare(train(compiled, x), train(model, x))
    average = AveragedModel(compiled, multi_avg_fn=get_ema_multi_avg_fn(0.5))
    for _ in range(2):
        average.update_parameters(compiled)
    compare(train(average, x), train(model, x))
    report("copies and averages", backend)


def branch():
    """Norms in the branches of torch.cond, which inductor compiles as graphs of their own."""
    norm = torch.nn.functional.rms_norm
    choose = lambda x, w: torch.cond(x.sum() > 0, lambda x, w: norm(x, (96,), w, 1e-6),
                                     lambda x, w: norm(x, (96,), w, 1e-6) + 1, (x, w))
    compiled, backend = compile_model(choose)
    w = torch.rand(96)
    with torch.no_grad():
        for given in (x.detach().abs(), -x.detach().abs()):
            check(compiled(given, w), choose(given, w), 64)
    report("branches", backend)


class Scaled(torch.nn.Module):
    """A norm whose epsilon is an attribute, of which dynamic=True makes an input."""

    def __init__(self):
        super().__init__()
        self.epsilon = 1e-6

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.epsilon)


def open_epsilon():
    for specialize in (False, True):
        torch._dynamo.reset()
        backend = NormBackend()
        with torch._dynamo.config.patch(specialize_float=specialize), torch.no_grad():
            torch.compile(Scaled(), backend=backend, options=OPTIONS, dynamic=True)(x)
        print(f"open extents: forward {backend.forward}", *backend.fallbacks)


def pickle_model():
    compiled, _ = compile_model(Block())
    again = pickle.loads(pickle.dumps(compiled))
    compare(train(again, x), train(again._orig_mod, x))
    print("pickled")


def distribute():
    os.environ.update(MASTER_ADDR="localhost", MASTER_PORT="0")
    torch.distributed.init_process_group("gloo", rank=0, world_size=1,
                                         store=torch.distributed.HashStore())
    model = Block()
    compiled, backend = compile_model(DistributedDataParallel(copy.deepcopy(model)))
    compare(train(compiled, x), train(model, x))
    torch.distributed.destroy_process_group()
    report("data parallel", backend)


class Checkpointed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.ModuleList(Block() for _ in range(2))

    def forward(self, x):
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return x


def recompute():
    model = Checkpointed()
    compiled, backend = compile_model(model)
    compare(train(compiled, x), train(model, x), ulps=256)
    report("checkpoints", backend)


def cast():
    model = Block()
    compiled, backend = compile_model(model)
    with torch.autocast("cpu", torch.bfloat16):
        compare(train(compiled, x), train(model, x), ulps=1 << 17)
    report("autocast", backend)


def generate(cache):
    model = make_model("Llama", 64, 2)
    tokens = make_inputs("Llama", 2, 5)["input_ids"]
    options = {"max_new_tokens": 6, "do_sample": False, "cache_implementation": cache}
    expected = model.generate(tokens, **options)
    model.forward, backend = compile_model(model.forward)
    assert torch.equal(model.generate(tokens, **options), expected)
    report(f"generation with a {cache} cache", backend)


def compile_in_threads():
    """Each thread has a model of its own."""
    torch._dynamo.reset()
    models = [(Block(), NormBackend()) for _ in range(3)]
    results = {}

    def work(number):
        model, backend = models[number]
        results[number] = train(torch.compile(model, backend=backend, options=OPTIONS), x)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(len(models))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, (model, backend) in enumerate(models):
        compare(results[number], train(model, x))
        report("a thread", backend)


if __name__ == "__main__":
    copy_model()
    pickle_model()
    branch()
    open_epsilon()
    distribute()
    recompute()
    cast()
    generate("dynamic")
    generate("static")
    compile_in_threads()
