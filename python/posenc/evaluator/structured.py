# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""linalg: any operation with indexing maps by its region, the others by what they say."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from .._errors import NoReference
from .parser import Block, Opaque, Operation
from .scope import Scope, grid

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
# What an element may go through without changing in float64.
_CASTS = ("arith.extf", "arith.truncf")


class _Map:
    """An affine map whose results are dimensions and numbers, each dimension once."""

    def __init__(self, attribute: Opaque):
        loops, results = re.fullmatch(r"\((.*?)\) -> \((.*)\)", attribute.text).groups()
        self.loops = len([loop for loop in loops.split(",") if loop.strip()])
        self.results: list[int | str] = []
        for result in (part.strip() for part in results.split(",") if part.strip()):
            if not re.fullmatch(r"d\d+|\d+", result):
                raise NoReference(f"posenc.reference has no affine map '{attribute.text}'")
            self.results.append(int(result) if result.isdigit() else result)

    def axes(self) -> list[int]:
        """The loops that the results are, in their order."""
        return [int(result[1:]) for result in self.results if isinstance(result, str)]

    def read(self, array: np.ndarray) -> np.ndarray:
        """The operand with an axis a loop, of size 1 for the loops it does not depend on."""
        array = array[tuple(r if isinstance(r, int) else slice(None) for r in self.results)]
        axes = self.axes()
        array = array.transpose(np.argsort(axes))
        return np.expand_dims(array, [loop for loop in range(self.loops) if loop not in axes])


def _generic(operation: Operation, scope: Scope) -> tuple[np.ndarray, ...]:
    ins, outs = operation.segments()
    maps = [_Map(attribute) for attribute in operation.attributes["indexing_maps"]]
    arrays = [np.asarray(scope[name]) for name in (*ins, *outs)]
    sizes = _loop_sizes(maps, arrays)
    (body,) = operation.regions
    out_maps = maps[len(ins) :]
    reduced = sorted(set(range(len(sizes))) - set(out_maps[0].axes()))
    if reduced and (product := _contraction(body, maps, arrays)) is not None:
        return (arrays[-1] + product,)
    reads = [map_.read(array) for map_, array in zip(maps, arrays)]
    results = reads[len(ins) :]
    places = grid(sizes)
    # One element of the reduced loops after the other, all of the others at once.
    for at in np.ndindex(*(sizes[loop] for loop in reduced)):
        chosen = dict(zip(reduced, at))
        inputs = [_at(read, chosen) for read in reads[: len(ins)]]
        indices = [_at(place, chosen) for place in places]
        results = scope.run(body, [*inputs, *results], indices)
    kept = tuple(1 if loop in reduced else size for loop, size in enumerate(sizes))
    return tuple(
        np.broadcast_to(result, kept).transpose([*map_.axes(), *reduced]).reshape(array.shape)
        for map_, result, array in zip(out_maps, results, arrays[len(ins) :])
    )


def _at(array: np.ndarray, chosen: dict[int, int]) -> np.ndarray:
    """The slice at one place of some loops, with size 1 there."""
    return array[
        tuple(
            slice(chosen[loop], chosen[loop] + 1) if loop in chosen and size != 1 else slice(None)
            for loop, size in enumerate(array.shape)
        )
    ]


def _loop_sizes(maps: Sequence[_Map], arrays: Sequence[np.ndarray]) -> tuple[int, ...]:
    sizes = [1] * maps[0].loops
    for map_, array in zip(maps, arrays):
        for result, size in zip(map_.results, array.shape):
            if isinstance(result, str):
                sizes[int(result[1:])] = size
    return tuple(sizes)


def _contraction(
    body: Block, maps: Sequence[_Map], arrays: Sequence[np.ndarray]
) -> np.ndarray | None:
    """A sum of products of two operands, without an array of all products; None for another."""
    producers = {name: op for op in body.operations for name in op.results}

    def source(name: str) -> str:
        while name in producers and producers[name].name in _CASTS:
            (name,) = producers[name].operands
        return name

    def producer(name: str, *names: str) -> Operation | None:
        operation = producers.get(source(name))
        return operation if operation is not None and operation.name in names else None

    *_, terminator = body.operations
    total = producer(terminator.operands[0], "arith.addf", "arith.addi")
    if total is None or body.arguments[-1] not in total.operands or len(maps) != 3:
        return None
    terms = [operand for operand in total.operands if operand != body.arguments[-1]]
    product = producer(terms[0], "arith.mulf", "arith.muli") if terms else None
    if product is None or {*map(source, product.operands)} != {*body.arguments[:2]}:
        return None
    if any(isinstance(result, int) for map_ in maps for result in map_.results):
        return None
    left, right, out = ("".join(_LETTERS[axis] for axis in map_.axes()) for map_ in maps)
    return np.einsum(f"{left},{right}->{out}", *arrays[:2], optimize=True)


def _index(operation: Operation, scope: Scope) -> np.ndarray:
    return scope.indices[operation.attributes["dim"]]


def _fill(operation: Operation, scope: Scope) -> np.ndarray:
    value, init = (np.asarray(scope[operand]) for operand in operation.operands)
    return np.broadcast_to(value, init.shape)


def _transpose(operation: Operation, scope: Scope) -> np.ndarray:
    return scope[operation.operands[0]].transpose(operation.attributes["permutation"])


def _broadcast(operation: Operation, scope: Scope) -> np.ndarray:
    source, init = (scope[operand] for operand in operation.operands)
    return np.broadcast_to(np.expand_dims(source, operation.attributes["dimensions"]), init.shape)


def _softmax(operation: Operation, scope: Scope) -> np.ndarray:
    x, axis = scope[operation.operands[0]], operation.attributes["dimension"]
    weights = np.exp(x - x.max(axis=axis, keepdims=True, initial=-np.inf))
    return weights / weights.sum(axis=axis, keepdims=True)


def _elementwise(function: Callable) -> Callable:
    def run(operation: Operation, scope: Scope) -> np.ndarray:
        ins, _ = operation.segments()
        return function(*(scope[name] for name in ins))

    return run


OPERATIONS: dict[str, Callable] = {
    "linalg.generic": _generic,
    "linalg.matmul": _generic,
    "linalg.batch_matmul": _generic,
    "linalg.contract": _generic,
    "linalg.index": _index,
    "linalg.fill": _fill,
    "linalg.transpose": _transpose,
    "linalg.broadcast": _broadcast,
    "linalg.softmax": _softmax,
    "linalg.add": _elementwise(np.add),
    "linalg.sub": _elementwise(np.subtract),
    "linalg.mul": _elementwise(np.multiply),
    "linalg.div": _elementwise(np.divide),
    "linalg.exp": _elementwise(np.exp),
    "linalg.tanh": _elementwise(np.tanh),
    "linalg.negf": _elementwise(np.negative),
}
