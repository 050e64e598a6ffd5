"""Runs the launches of fake_cuda.c in the PTX interpreter: text, kernel, sizes,
buffers and parameters come by standard input, device memory is a shared file.
Usage: fake_cuda.py MEMORY"""
import mmap
import sys
import numpy as np
import ptx


def read_launch(stream, kernels):
    text = stream.read(int(stream.readline())).decode()
    if text not in kernels:
        kernels[text] = ptx.parse_kernels(text)
    name, base, *sizes = stream.readline().split()
    fields = stream.readline().split()[1:]
    buffers = [(int(address, 16), int(count)) for address, count in zip(fields[::2], fields[1::2])]
    values = [bytes.fromhex(stream.readline().decode()) for _ in range(int(stream.readline()))]
    return kernels[text][name.decode()], int(base, 16), [int(s) for s in sizes], buffers, values


def main(path):
    with open(path, "r+b") as file:
        device = np.frombuffer(mmap.mmap(file.fileno(), 0), np.uint8)
    stream, kernels = sys.stdin.buffer, {}
    while stream.peek(1):
        kernel, base, sizes, buffers, values = read_launch(stream, kernels)
        memory = ptx.Memory()
        for address, count in buffers:
            memory.add(address, device[address - base:address - base + count])
        try:
            names = [name for name, _ in kernel.params]
            ptx.launch(kernel, memory, dict(zip(names, values)), sizes)
            answer = "ok"
        except Exception as error:  # the driver makes it a failed launch
            answer = "error: %s" % error
        print(answer, flush=True)


main(sys.argv[1])
