"""Which dimensions of a jaxpr's arguments and results are the same rows, so that each device can
compute its own.

Dimensions that elements share are joined. One may be divided between devices if nothing needs all
of it, except for sums whose results are a sum of parts too: what comes behind is linear.
"""
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax.extend import core

from ._jaxpr import WRITERS
from ._sharding import Dims
from ._writer import find_groups

MOVES = {"broadcast_in_dim", "expand_dims", "reshape", "squeeze", "transpose"}
REDUCTIONS = {"reduce_max", "reduce_min", "reduce_sum"}
ELEMENTWISE = {*WRITERS} - MOVES - REDUCTIONS
#: What gives a sum of parts for one, beside what moves dimensions.
LINEAR = {"convert_element_type", "copy", "copy_p", "neg"}


class Rows(NamedTuple):
    """The dimensions of a jaxpr, with the names of each variable's, and the results before a sum
    is rounded to 16 bits last."""

    dims: Dims
    names: dict[Any, tuple[str, ...]]
    sums: list[Any]


class _Finder:
    """Numbers the dimensions of variables; those that are joined have one root."""

    def __init__(self) -> None:
        self.parents: list[int] = []
        self.whole: set[int] = set()
        self.dims: dict[Any, tuple[int, ...]] = {}
        #: Of a variable that is a sum of parts: the dimensions that were summed.
        self.summed: dict[Any, frozenset[int]] = {}
        #: A sum that was rounded to 16 bits, of which there is no sum of parts.
        self.rounded: dict[Any, Any] = {}

    def add(self) -> int:
        self.parents.append(len(self.parents))
        return len(self.parents) - 1

    def find(self, dim: int) -> int:
        while self.parents[dim] != dim:
            dim = self.parents[dim]
        return dim

    def join(self, dims: Sequence[int]) -> int:
        """Makes dimensions one, or a new one of none."""
        first, *others = [self.find(d) for d in dims] or [self.add()]
        for other in others:
            self.parents[self.find(other)] = first
        return first

    def keep_whole(self, dims: Any) -> None:
        self.whole.update(dims)

    def get(self, atom: Any) -> tuple[int, ...]:
        return () if isinstance(atom, core.Literal) else self.dims[atom]

    def get_summed(self, atom: Any) -> frozenset[int]:
        return frozenset() if isinstance(atom, core.Literal) else self.summed.get(
            atom, frozenset())

    def move(self, eqn: Any) -> list[int]:
        """The dimensions behind an op that moves them."""
        x, out = eqn.invars[0], eqn.outvars[0].aval.shape
        name, source, dims = eqn.primitive.name, x.aval.shape, self.get(x)
        if name == "transpose":
            return [dims[d] for d in eqn.params["permutation"]]
        result = [self.add() for _ in out]
        if name == "broadcast_in_dim":
            pairs = [([d] if source[d] != 1 else [], [int(place)])
                     for d, place in enumerate(eqn.params["broadcast_dimensions"])]
        else:
            pairs = find_groups(source, out)
        for a, b in pairs:
            if len(a) == len(b) == 1 and source[a[0]] == out[b[0]]:
                result[b[0]] = dims[a[0]]
            else:
                self.keep_whole([*(dims[d] for d in a), *(result[d] for d in b if a)])
        return result

    def visit_sums(self, eqn: Any) -> None:
        """What becomes of arguments that are sums of parts."""
        name, (out,) = eqn.primitive.name, eqn.outvars
        given = [self.get_summed(atom) for atom in eqn.invars]
        parts = frozenset().union(*given)
        rounded = [v for v in eqn.invars if not isinstance(v, core.Literal) and v in self.rounded]
        is_linear = (name in MOVES | LINEAR or name == "reduce_sum"
                     or name in ("add", "add_any", "sub") and all(g == parts for g in given)
                     or name == "mul" and sum(map(bool, given)) == 1
                     or name == "div" and not given[1])
        is_float = all(jnp.issubdtype(v.aval.dtype, jnp.floating) for v in (*eqn.invars, out))
        if not is_linear or rounded or not is_float:
            self.keep_whole(parts)
        elif name == "convert_element_type" and out.aval.dtype.itemsize == 2 and parts:
            self.rounded[out] = eqn.invars[0]
        self.summed[out] = parts

    def visit(self, eqn: Any) -> None:
        name, (out,) = eqn.primitive.name, eqn.outvars
        shape = out.aval.shape
        self.visit_sums(eqn)
        if name in MOVES:
            self.dims[out] = tuple(self.move(eqn))
        elif name in REDUCTIONS:
            axes, dims = {int(a) for a in eqn.params["axes"]}, self.get(eqn.invars[0])
            reduced = [d for i, d in enumerate(dims) if i in axes]
            self.dims[out] = tuple(d for i, d in enumerate(dims) if i not in axes)
            self.summed[out] |= frozenset(reduced)
            # A sum of 16 bits is rounded, and a maximum is no sum.
            if name != "reduce_sum" or out.aval.dtype.itemsize < 4:
                self.keep_whole(reduced)
        else:
            self.dims[out] = tuple(
                self.join([self.get(v)[d] for v in eqn.invars
                           if v.aval.shape and v.aval.shape[d] == extent != 1])
                for d, extent in enumerate(shape))


def find_rows(jaxpr: Any) -> Rows:
    """The rows of an inlined jaxpr."""
    finder = _Finder()
    arguments = [*jaxpr.invars, *jaxpr.constvars]
    for v in arguments:
        finder.dims[v] = tuple(finder.add() for _ in v.aval.shape)
    for eqn in jaxpr.eqns:
        finder.visit(eqn)
    name = lambda atom: tuple(f"d{finder.find(d)}" for d in finder.get(atom))
    names = {v: name(v) for v in finder.dims}
    rows = {n for v in arguments for n, extent in zip(names[v], v.aval.shape) if extent > 1}
    rows -= {f"d{finder.find(d)}" for d in finder.whole}
    for v, dims in finder.summed.items():
        # A sum that is spread over its own rows again needs all of it.
        rows -= {f"d{finder.find(d)}" for d in dims} & {*names[v]}
    for dims in names.values():
        rows -= {n for n in dims if dims.count(n) > 1}
    for atom in jaxpr.outvars:
        # What has none of the rows must be their sum.
        summed = {f"d{finder.find(d)}" for d in finder.get_summed(atom)}
        rows &= {*name(atom), *summed}
    # All others are of one array alone.
    rename = lambda kind, atoms: [tuple(
        n if n in rows else f"{kind}{i}_{d}" for d, n in enumerate(name(atom)))
        for i, atom in enumerate(atoms)]
    return Rows(Dims(rename("argument", arguments), rename("result", jaxpr.outvars),
                     frozenset(rows)), names,
                [atom if isinstance(atom, core.Literal) else finder.rounded.get(atom, atom)
                 for atom in jaxpr.outvars])
