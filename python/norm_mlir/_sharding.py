"""Calls of compiled functions that each device makes on the rows that it has.

XLA knows nothing of what a custom call computes: without this it gathers sharded arguments.
"""
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
from jax.experimental.custom_partitioning import custom_partitioning
from jax.sharding import NamedSharding, PartitionSpec


class Dims(NamedTuple):
    """The dimensions of arguments and results, by names: those with one name are the same. `rows`
    may be divided between devices; a result without one of them is a sum over it."""

    arguments: Sequence[tuple[str, ...]]
    results: Sequence[tuple[str, ...]]
    rows: frozenset[str]

    def print_rule(self) -> str:
        join = lambda arrays: ", ".join(map(" ".join, arrays))
        return f"{join(self.arguments)} -> {join(self.results)}"


def _find_axes(dims: Dims, mesh: Any, arrays: Sequence[Any]) -> dict[str, tuple[str, ...]]:
    """The axes of the mesh between whose devices each of the rows is divided: those that the
    first argument has, where they divide its extent."""
    axes: dict[str, tuple[str, ...]] = {}
    for names, array in zip(dims.arguments, arrays):
        for name, extent, entry in zip(names, array.shape, array.sharding.spec):
            found = (entry,) if isinstance(entry, str) else tuple(entry or ())
            taken = {axis for other in axes.values() for axis in other}
            if (name in dims.rows and name not in axes and found and not taken & {*found}
                    and extent % math.prod(mesh.shape[a] for a in found) == 0):
                axes[name] = found
    return axes


def _make_local(call: Callable[..., Any], call_part: Callable[..., Any], dims: Dims,
                axes: dict[str, tuple[str, ...]], results: Sequence[Any]) -> Callable[..., Any]:
    """What each device calls on its rows; `results` have the types of the whole."""
    def get_summed(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(a for name, found in axes.items() if name not in names for a in found)

    def run(*local: Any) -> Any:
        function = call_part if any(map(get_summed, dims.results)) else call
        return tuple(jax.lax.psum(part, get_summed(names)).astype(result.dtype)
                     for part, names, result in zip(function(*local), dims.results, results))

    return run


def keep_sharded(call: Callable[..., Any], call_part: Callable[..., Any],
                 dims: Dims) -> Callable[..., Any]:
    """`call`, a function of arrays with a tuple of results, such that each device calls it on its
    rows. `call_part` is the same with sums in a type that they can be added in; those of the
    devices are."""
    def partition(mesh: Any, arrays: Sequence[Any], results: Sequence[Any]) -> Any:
        axes = _find_axes(dims, mesh, arrays)
        place = lambda names: NamedSharding(mesh, PartitionSpec(*map(axes.get, names)))
        return (mesh, _make_local(call, call_part, dims, axes, results),
                tuple(map(place, dims.results)), tuple(map(place, dims.arguments)))

    whole = {name for names in (*dims.arguments, *dims.results) for name in names} - dims.rows
    partitioned = custom_partitioning(call)
    partitioned.def_partition(partition=partition, sharding_rule=dims.print_rule(),
                              need_replication_factors=tuple(sorted(whole)))
    return partitioned


def find_explicit_mesh(arrays: Sequence[Any]) -> Any:
    """The mesh with explicit axes that types of arrays name, or None."""
    meshes = (jax.typeof(array).sharding.mesh for array in arrays)
    return next((m for m in meshes if jax.sharding.AxisType.Explicit in m.axis_types), None)


def keep_explicit(call: Callable[..., Any], call_part: Callable[..., Any], dims: Dims,
                  mesh: Any) -> Callable[..., Any]:
    """As `keep_sharded`, of arrays whose types have shardings: XLA decides nothing of these."""
    def run(*arrays: Any) -> Any:
        types = [*map(jax.typeof, arrays)]
        axes = _find_axes(dims, mesh, types)
        place = lambda names: PartitionSpec(*map(axes.get, names))
        results = jax.eval_shape(call, *(jax.ShapeDtypeStruct(t.shape, t.dtype) for t in types))
        mapped = jax.shard_map(_make_local(call, call_part, dims, axes, results), mesh=mesh,
                               in_specs=tuple(map(place, dims.arguments)),
                               out_specs=tuple(map(place, dims.results)))
        return mapped(*(jax.sharding.reshard(a, NamedSharding(mesh, place(names)))
                        for a, names in zip(arrays, dims.arguments)))
    return run
