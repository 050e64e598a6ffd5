"""Runs PTX kernels on the CPU: a numpy interpreter of the subset that
norm-to-nvvm emits.

All threads of a block go in lockstep; those at the smallest program counter
run, so that branches join again where they meet. It stops with an error on an
instruction that it does not know, on an access outside a buffer or not aligned
to its size, on a shuffle that not all threads of the warp reach, on a barrier
of a cluster that not all its threads reach, and on an access to another block's
memory before the first such barrier.
"""
import re
import numpy as np
from normtest import narrow, widen

RAW = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
FLOAT = {"f16": np.float16, "f32": np.float32, "f64": np.float64}


def bits_of(kind):
    return 1 if kind == "pred" else int(re.search(r"\d+", kind)[0]) * (
        2 if kind.endswith("x2") else 1)


def to_values(raw, kind):
    """Register bits as numbers of a PTX type."""
    if kind in ("f16x2", "bf16x2"):
        return to_values(np.ascontiguousarray(raw).view(np.uint16), kind[:-2])
    if kind == "bf16":
        return widen(raw)
    if kind in FLOAT:
        return np.ascontiguousarray(raw).view(FLOAT[kind])
    if kind == "pred":
        return raw
    return raw.view(np.dtype("i%d" % (bits_of(kind) // 8))) if kind[0] == "s" else raw


def to_raw(values, kind):
    if kind in ("f16x2", "bf16x2"):
        return to_raw(values, kind[:-2]).view(np.uint32)
    if kind == "bf16":
        return narrow(values)
    if kind in FLOAT:
        return np.asarray(values, FLOAT[kind]).view(RAW[bits_of(kind)])
    if kind == "pred":
        return np.asarray(values, bool)
    return np.asarray(values).astype(RAW[bits_of(kind)])


def permute(low, high, selector):
    """prmt.b32: each nibble of the selector names one of eight bytes."""
    both = high.astype(np.uint64) << np.uint64(32) | low.astype(np.uint64)
    result = np.zeros_like(low)
    for i in range(4):
        nibble = selector >> np.uint32(4 * i) & np.uint32(15)
        byte = (both >> (nibble & np.uint32(7)).astype(np.uint64) * np.uint64(8)).astype(np.uint32) & np.uint32(255)
        byte = np.where(nibble & np.uint32(8), np.where(byte & np.uint32(128), 255, 0), byte)
        result |= byte.astype(np.uint32) << np.uint32(8 * i)
    return result


def saturate_fp8(values, kind):
    """cvt.rn.satfinite: what would be too large is the largest number."""
    import fp8  # only the programs that need it have it in their path
    largest = {"e4m3": 448.0, "e5m2": 57344.0}[kind]
    codes = fp8.round_to(np.clip(values, -largest, largest), kind)
    return np.where(np.isnan(values), 0x7F, codes).astype(np.uint16)


class Kernel:
    def __init__(self, name, params, body):
        self.name, self.params = name, params
        self.shared, self.shared_bytes = {}, 0
        self.code, self.labels = [], {}
        for line in body.split("\n"):
            line = line.split("//")[0].strip()
            shared = re.match(r"\.shared \.align (\d+) \.b8 (\w+)\[(\d+)\]", line)
            if shared:
                align, size = int(shared[1]), int(shared[3])
                self.shared_bytes = -(-self.shared_bytes // align) * align
                self.shared[shared[2]] = self.shared_bytes
                self.shared_bytes += size
            elif line.endswith(":"):
                self.labels[line[:-1]] = len(self.code)
            elif line and not line.startswith("."):
                self.code.append(self.parse(line.rstrip(";")))

    @staticmethod
    def parse(line):
        guard = re.match(r"@(!?)(%p\d+)\s+", line)
        if guard:
            line = line[guard.end():]
        opcode, _, rest = line.partition(" ") if " " in line else line.partition("\t")
        operands = re.findall(r"\{[^}]*\}|\[[^\]]*\]|[^,\s]+", rest)
        return guard and (guard[2], guard[1] == "!"), opcode.strip().split("."), operands


def parse_kernels(text):
    kernels = {}
    pattern = r"\.entry (\w+)\((.*?)\)\s*(?:\.\w+[^\n{]*\n)*\{(.*?)\n\}"
    for name, params, body in re.findall(pattern, text, re.S):
        sizes = []  # name, bytes
        for line in params.split("\n"):
            scalar = re.match(r"\s*\.param \.[a-z](\d+)(?: \.ptr)?(?: \.align \d+)? (\w+)", line)
            array = re.match(r"\s*\.param \.align \d+ \.b8 (\w+)\[(\d+)\]", line)
            if scalar:
                sizes.append((scalar[2], int(scalar[1]) // 8))
            elif array:
                sizes.append((array[1], int(array[2])))
        kernels[name] = Kernel(name, sizes, body)
    return kernels


class Memory:
    """The buffers that a kernel may touch."""

    def __init__(self):
        self.buffers = {}

    def add(self, address, array):
        self.buffers[address] = array.reshape(-1).view(np.uint8)

    def access(self, addresses, size):
        for start, data in self.buffers.items():
            if (addresses >= start).all() and (addresses + size <= start + data.size).all():
                if (addresses % size).any():
                    raise RuntimeError("access of %d bytes is not aligned" % size)
                return data, (addresses - start).astype(np.int64)
        raise RuntimeError("access outside the buffers")


class Block:
    def __init__(self, kernel, memory, params, block_id, sizes, cluster):
        """`cluster`: the blocks of its cluster, by rank; this one joins it."""
        self.kernel, self.memory, self.params = kernel, memory, params
        self.cluster, self.cluster_barriers, rank = cluster, 0, len(cluster)
        cluster.append(self)
        count = int(np.prod(sizes[3:]))
        thread = np.arange(count)
        self.count = count
        ids = (thread % sizes[3], thread // sizes[3] % sizes[4],
               thread // (sizes[3] * sizes[4]))
        self.special = {}
        for i, axis in enumerate("xyz"):
            for name, value in (("tid", ids[i]), ("ctaid", block_id[i]),
                                ("ntid", sizes[3 + i]), ("nctaid", sizes[i])):
                self.special["%%%s.%s" % (name, axis)] = np.broadcast_to(
                    np.uint32(value), count).astype(np.uint32)
        for name, value in (("clusterid.x", block_id[0] // sizes[6]), ("cluster_ctaid.x", rank),
                            ("cluster_ctarank", rank), ("cluster_nctaid.x", sizes[6])):
            self.special["%" + name] = np.full(count, value, np.uint32)
        self.shared = Memory()
        self.shared.add(0, np.zeros(max(kernel.shared_bytes, 1), np.uint8))
        self.registers = {}
        self.loads = self.stores = self.shuffles = 0
        self.warps = np.arange(self.count) // 32

    # Operands

    def is_unset(self, text):
        return text.startswith("%") and text not in self.special and text not in self.registers

    def read_raw(self, text, bits):
        if text in self.special:
            return self.special[text].astype(RAW[bits])
        if text.startswith("%"):
            return self.registers[text]
        if text in self.kernel.shared:
            return np.full(self.count, self.kernel.shared[text], RAW[bits])
        if text[:2] in ("0f", "0d"):
            return np.full(self.count, int(text[2:], 16), RAW[bits])
        value = int(text.rstrip("U"), 0) & ((1 << bits) - 1) if bits > 1 else bool(int(text))
        return np.full(self.count, value, bool if bits == 1 else RAW[bits])

    def read(self, text, kind):
        return to_values(self.read_raw(text, bits_of(kind)), kind)

    def write(self, name, raw):
        old = self.registers.get(name)
        if old is None:
            old = np.zeros(self.count, raw.dtype)
        self.registers[name] = np.where(self.mask, raw, old)

    def put(self, name, values, kind):
        self.write(name, to_raw(values, kind))

    # Control

    def run(self):
        """Yields where all its threads wait for the cluster."""
        code = self.kernel.code
        pcs = np.zeros(self.count, np.int64)
        done, waiting = np.zeros(self.count, bool), np.zeros(self.count, bool)
        outside = np.zeros(self.count, bool)  # wait for the cluster
        early = np.zeros(self.count, bool)  # wait at a shuffle for the rest of their warp
        while not done.all():
            ready = ~done & ~waiting & ~outside & ~early
            if not ready.any():
                if early.any():
                    raise RuntimeError("a shuffle that not all threads of a warp reach")
                if outside.any():
                    if waiting.any() or done.any():
                        raise RuntimeError("a barrier of the cluster that not all threads reach")
                    yield
                    self.cluster_barriers += 1
                waiting[:] = outside[:] = False
                continue
            pc = pcs[ready].min()
            active = ready & (pcs == pc)
            guard, opcode, operands = code[pc]
            self.mask = active
            if guard:
                self.mask = active & (self.registers[guard[0]] ^ guard[1])
            pcs[active] += 1
            name = opcode[0]
            if name == "bra":
                pcs[self.mask] = self.kernel.labels[operands[0]]
            elif name in ("ret", "exit"):
                done |= self.mask
            elif name == "griddepcontrol":
                # Kernels run one after the other, so the one ahead has ended.
                pass
            elif name == "bar":
                waiting |= self.mask
            elif name == "barrier" and opcode[1] == "cluster":
                if opcode[2] == "wait":
                    outside |= self.mask
            elif name == "shfl":
                pcs[active] = pc
                arrived = (pcs == pc) & (active | early)
                whole = arrived & ~np.isin(self.warps, self.warps[~arrived])
                early = (early | active) & ~whole
                pcs[whole] = pc + 1
                self.mask = whole
                if whole.any():
                    self.shuffle(opcode, operands)
            else:
                with np.errstate(all="ignore"):
                    self.execute(name, opcode, operands)

    def shuffle(self, opcode, operands):
        assert opcode[1:4] == ["sync", "bfly", "b32"], opcode
        assert operands[3:] == ["31", "-1"], operands
        partner = np.arange(self.count) ^ int(operands[2])
        self.write(operands[0], self.registers[operands[1]][partner])
        self.shuffles += 1

    # Memory

    def address(self, operand):
        base, _, offset = operand.strip("[]").partition("+")
        raw = self.read_raw(base, 64)
        return (raw + np.uint64(int(offset or 0) & 2**64 - 1))[self.mask]

    def transfer(self, opcode, operands, is_load):
        space = ("param" if "param" in opcode else "global" if "global" in opcode else "shared")
        kind = opcode[-1]
        bits = bits_of(kind)
        if space == "param":
            name, _, offset = operands[1].strip("[]").partition("+")
            raw = np.frombuffer(self.params[name], RAW[bits], 1, int(offset or 0))
            self.write(operands[0], np.full(self.count, raw[0], RAW[bits]))
            return
        where, what = (operands[1], operands[0]) if is_load else operands[:2]
        names = what.strip("{}").replace(" ", "").split(",")
        if not self.mask.any():
            return
        size = bits // 8 * len(names)
        if "shared::cluster" in opcode:
            return self.store_remotely(where, names, bits)
        memory = self.shared if space == "shared" else self.memory
        data, offsets = memory.access(self.address(where), size)
        if space == "global":
            self.loads += is_load
            self.stores += not is_load
        for i, name in enumerate(names):
            at = offsets[:, None] + i * bits // 8 + np.arange(bits // 8)
            if is_load:
                raw = np.zeros(self.count, RAW[bits])
                raw[self.mask] = data[at].copy().view(RAW[bits])[:, 0]
                # A register may be wider than what it loads.
                wide = bits < 32 and re.match(r"%r\d", name)
                self.write(name, raw.astype(RAW[32]) if wide else raw)
            else:
                raw = self.read_raw(name, bits)[self.mask]
                data[at] = np.ascontiguousarray(raw)[:, None].view(np.uint8)

    def store_remotely(self, where, names, bits):
        if self.cluster_barriers == 0:
            raise RuntimeError("an access to a block of the cluster that may not have started")
        raw = self.read_raw(names[0], bits)[self.mask]
        for address, value in zip(self.address(where), raw):
            peer = self.cluster[int(address) >> 32]
            data, at = peer.shared.access(np.array([int(address) & 0xFFFFFFFF]), bits // 8)
            data[at[0]:at[0] + bits // 8] = np.frombuffer(value.tobytes(), np.uint8)

    # Arithmetic

    def move(self, kind, to, source):
        if to.startswith("{"):
            names = to.strip("{}").replace(" ", "").split(",")
            raw = self.read_raw(source, bits_of(kind))
            part = bits_of(kind) // len(names)
            for i, name in enumerate(names):
                self.write(name, (raw >> raw.dtype.type(i * part)).astype(RAW[part]))
        elif source.startswith("{"):
            names = source.strip("{}").replace(" ", "").split(",")
            part = bits_of(kind) // len(names)
            raw = np.zeros(self.count, RAW[bits_of(kind)])
            # LLVM leaves a register unset where the bits are masked away later.
            unset = np.full(self.count, 0xA5A5, RAW[part])
            for i, name in enumerate(names):
                half = unset if self.is_unset(name) else self.read_raw(name, part)
                raw |= half.astype(raw.dtype) << raw.dtype.type(i * part)
            self.write(to, raw)
        else:
            self.write(to, self.read_raw(source, bits_of(kind)))

    def convert(self, opcode, operands):
        to, source = opcode[-2:]
        if to in ("e4m3x2", "e5m2x2"):
            high, low = (saturate_fp8(self.read(o, source), to[:-2]) for o in operands[1:3])
            self.write(operands[0], high << np.uint16(8) | low)
            return
        if to.endswith("x2"):
            high, low = (to_raw(self.read(o, source), to[:-2]).astype(np.uint32) for o in operands[1:3])
            self.write(operands[0], high << np.uint32(16) | low)
            return
        values = self.read(operands[1], source)
        if "sat" in opcode:
            values = np.clip(values, 0, 1)
        if to[0] in "su" and source[0] == "f":
            values = np.rint(values) if "rni" in opcode else np.trunc(values)
            values = values.astype(np.int64)
        self.put(operands[0], values, to)

    def compare(self, opcode, operands):
        how, kind = opcode[1], opcode[-1]
        a, b = self.read(operands[1], kind), self.read(operands[2], kind)
        unordered = np.zeros(self.count, bool)
        if "f" in kind:
            unordered = np.isnan(a) | np.isnan(b)
        if how in ("nan", "num"):
            result = unordered if how == "nan" else ~unordered
        else:
            table = {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}
            if how in table:
                result = table[how] & ~unordered
            else:
                result = table[how[:-1]] | unordered
        self.write(operands[0], result)

    def fma(self, opcode, kind, sources):
        """f32 through f64, where the product is exact."""
        a, b, c = (s.astype(np.float64) for s in sources)
        exact = a * b + c
        result = exact.astype(np.float32)
        if "rm" in opcode:
            below = np.nextafter(result, np.float32(-np.inf))
            result = np.where(result.astype(np.float64) > exact, below, result)
        return result

    @staticmethod
    def approximate_rsqrt(a):
        """As far off as PTX allows, a factor of 1 + 2^-22.9: up or down by a bit of a."""
        with np.errstate(all="ignore"):
            exact = 1 / np.sqrt(a.astype(np.float64))
            sign = np.where(a.view(np.uint32) & 1, 1.0, -1.0)
            result = (exact * (1 + sign * 2**-22.9)).astype(np.float32)
            toward = np.nextafter(result, exact.astype(np.float32))
            is_far = np.abs(result / exact - 1) > 2**-22.9
        return np.where(is_far, toward, result)

    def execute(self, name, opcode, operands):
        kind = opcode[-1]
        if name in ("ld", "st"):
            return self.transfer(opcode, operands, name == "ld")
        if name == "mov":
            return self.move(kind, *operands)
        if name == "prmt":
            return self.write(operands[0], permute(*(self.read_raw(o, 32) for o in operands[1:])))
        if name == "mapa":
            rank = self.read_raw(operands[2], 32).astype(np.uint64)
            return self.write(operands[0], rank << np.uint64(32) | self.read_raw(operands[1], 64))
        if name == "cvta":
            return self.write(operands[0], self.read_raw(operands[1], 64))
        if name == "cvt":
            return self.convert(opcode, operands)
        if name == "setp":
            return self.compare(opcode, operands)
        if name == "selp":
            bits = bits_of(kind)
            return self.write(operands[0], np.where(self.registers[operands[3]],
                                                    self.read_raw(operands[1], bits),
                                                    self.read_raw(operands[2], bits)))
        if name == "shf":
            low, high, amount = (self.read_raw(o, 32).astype(np.uint64) for o in operands[1:])
            assert opcode[1:3] == ["r", "wrap"], opcode
            both = high << np.uint64(32) | low
            return self.write(operands[0], (both >> (amount & np.uint64(31))).astype(np.uint32))
        if name in ("shl", "shr"):
            shift = self.read_raw(operands[2], 32)
            value = self.read(operands[1], kind)
            amount = np.minimum(shift, bits_of(kind) - 1).astype(value.dtype)
            return self.put(operands[0], value << amount if name == "shl" else value >> amount, kind)
        if "wide" in opcode:
            wide = np.int64 if kind[0] == "s" else np.uint64
            a, b = (self.read(o, kind).astype(wide) for o in operands[1:3])
            return self.write(operands[0], (a * b).view(np.uint64))
        if "hi" in opcode:  # divisions by constants
            a, b = (self.read(o, kind) for o in operands[1:3])
            high = a.astype(object) * b.astype(object) >> bits_of(kind)
            return self.put(operands[0], high.astype(a.dtype), kind)
        if name == "bfe":
            value, (start, length) = self.read(operands[1], kind), map(int, operands[2:])
            return self.put(operands[0], (value >> value.dtype.type(start)) & value.dtype.type((1 << length) - 1), kind)
        sources = [self.read(o, kind) for o in operands[1:]]
        if name == "fma":
            return self.put(operands[0], self.fma(opcode, kind, sources), kind)
        if name == "mad":
            return self.put(operands[0], sources[0] * sources[1] + sources[2], kind)
        operations = {
            "add": np.add, "sub": np.subtract, "mul": np.multiply, "neg": np.negative,
            "abs": np.abs, "sqrt": np.sqrt, "ex2": np.exp2, "and": np.bitwise_and,
            "or": np.bitwise_or, "xor": np.bitwise_xor, "not": np.invert,
            "rsqrt": self.approximate_rsqrt,
            "rcp": lambda a: a.dtype.type(1) / a, "rem": np.remainder,
            "div": np.divide if "f" in kind else np.floor_divide,
            "min": np.fmin, "max": np.maximum if "NaN" in opcode else np.fmax,
        }
        if name not in operations:
            raise RuntimeError("unknown instruction " + ".".join(opcode))
        self.put(operands[0], operations[name](*sources), kind)


def launch(kernel, memory, params, sizes):
    """Runs every block; returns how often a block loaded, stored, shuffled."""
    sizes = list(sizes) + [1] * (9 - len(sizes))  # no clusters
    if sizes[0] % sizes[6] or sizes[7:9] != [1, 1]:
        raise RuntimeError("a grid that is not whole clusters along x")
    for z in range(sizes[2]):
        for y in range(sizes[1]):
            for first in range(0, sizes[0], sizes[6]):
                cluster = []
                for x in range(first, first + sizes[6]):
                    Block(kernel, memory, params, (x, y, z), sizes, cluster)
                run_cluster(cluster)
    block = cluster[-1]
    return block.loads, block.stores, block.shuffles


def run_cluster(blocks):
    running = [block.run() for block in blocks]
    while running:
        still = [block for block in running if next(block, "done") != "done"]
        if len(still) not in (0, len(running)):
            raise RuntimeError("a barrier of the cluster that not all blocks reach")
        running = still
