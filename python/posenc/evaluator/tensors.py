# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tensor, arith.constant and cf.assert."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .._errors import Error
from .parser import Operation, array_of, element_of, shape_of
from .scope import Scope, grid

_DYNAMIC = -(2**63)


def _blank(element: str, shape: Sequence[int]) -> np.ndarray:
    """Uninitialized: NaN where there is one, so that reading it shows."""
    dtype = array_of(element, []).dtype
    return np.full(shape, np.nan if dtype == np.float64 else 0, dtype)


def _mixed(static: Sequence[int], dynamic: Sequence[int]) -> list[int]:
    """Static numbers with the dynamic ones in the places of the marks."""
    rest = iter(dynamic)
    return [next(rest) if size == _DYNAMIC else size for size in static]


def _shape(operation: Operation, dynamic: Sequence[int]) -> list[int]:
    rest = iter(dynamic)
    sizes = shape_of(operation.result_types[0])
    return [next(rest) if size is None else size for size in sizes]


def _constant(operation: Operation, scope: Scope) -> np.ndarray:
    return np.asarray(operation.attributes["value"])


def _assert(operation: Operation, scope: Scope) -> tuple:
    if not np.all(scope[operation.operands[0]]):
        raise Error(f"the graph asserts: {operation.attributes['msg']}")
    return ()


def _empty(operation: Operation, scope: Scope) -> np.ndarray:
    return _blank(
        element_of(operation.result_types[0]), _shape(operation, scope.sizes(operation.operands))
    )


def _dim(operation: Operation, scope: Scope) -> np.ndarray:
    tensor, axis = (scope[operand] for operand in operation.operands)
    return np.int64(tensor.shape[int(axis)])


def _extract(operation: Operation, scope: Scope) -> np.ndarray:
    tensor, *at = (scope[operand] for operand in operation.operands)
    # Where a condition drops the element later, its index may lie outside.
    inside = [np.clip(index, 0, max(size - 1, 0)) for index, size in zip(at, tensor.shape)]
    if tensor.size == 0:
        return np.zeros(np.broadcast_shapes(*(np.shape(index) for index in at)), tensor.dtype)
    return tensor[tuple(inside)]


def _slices(operation: Operation, scope: Scope, groups: list[list[str]]) -> tuple[slice, ...]:
    names = ("static_offsets", "static_sizes", "static_strides")
    offsets, sizes, strides = (
        _mixed(operation.attributes[name], scope.sizes(group)) for name, group in zip(names, groups)
    )
    return tuple(
        slice(offset, offset + (size - 1) * stride + 1 if size else offset, stride)
        for offset, size, stride in zip(offsets, sizes, strides)
    )


def _extract_slice(operation: Operation, scope: Scope) -> np.ndarray:
    (source,), *groups = operation.segments()
    part = scope[source][_slices(operation, scope, groups)]
    shape = [size if size is not None else -1 for size in shape_of(operation.result_types[0])]
    if len(shape) == part.ndim:
        return part
    # The dropped dimensions have size 1; what is left keeps its order.
    kept = [size for size in part.shape if size != 1]
    sizes = iter(kept)
    return part.reshape([1 if size == 1 else next(sizes) for size in shape])


def _insert_slice(operation: Operation, scope: Scope) -> np.ndarray:
    (source,), (target,), *groups = operation.segments()
    result = scope[target].copy()
    part = result[_slices(operation, scope, groups)]
    part[...] = scope[source].reshape(part.shape)
    return result


def _expand_shape(operation: Operation, scope: Scope) -> np.ndarray:
    source, *dynamic = operation.operands
    sizes = _mixed(operation.attributes["static_output_shape"], scope.sizes(dynamic))
    return scope[source].reshape(sizes)


def _collapse_shape(operation: Operation, scope: Scope) -> np.ndarray:
    source = scope[operation.operands[0]]
    groups = operation.attributes["reassociation"]
    return source.reshape([int(np.prod([source.shape[d] for d in group])) for group in groups])


def _reshape(operation: Operation, scope: Scope) -> np.ndarray:
    source, shape = (scope[operand] for operand in operation.operands)
    return source.reshape([int(size) for size in shape])


def _concat(operation: Operation, scope: Scope) -> np.ndarray:
    parts = [scope[operand] for operand in operation.operands]
    return np.concatenate(parts, axis=operation.attributes["dim"])


def _cast(operation: Operation, scope: Scope) -> np.ndarray:
    return scope[operation.operands[0]]


def _from_elements(operation: Operation, scope: Scope) -> np.ndarray:
    elements = [np.asarray(scope[operand]) for operand in operation.operands]
    return np.array(elements).reshape(_shape(operation, ()))


def _splat(operation: Operation, scope: Scope) -> np.ndarray:
    element, *dynamic = operation.operands
    return np.broadcast_to(scope[element], _shape(operation, scope.sizes(dynamic)))


def _generate(operation: Operation, scope: Scope) -> np.ndarray:
    shape = tuple(_shape(operation, scope.sizes(operation.operands)))
    (element,) = scope.run(operation.regions[0], grid(shape))
    return np.broadcast_to(element, shape)


def _pad(operation: Operation, scope: Scope) -> np.ndarray:
    (source,), low, high = operation.segments()
    inner = scope[source]
    before = _mixed(operation.attributes["static_low"], scope.sizes(low))
    after = _mixed(operation.attributes["static_high"], scope.sizes(high))
    shape = tuple(b + size + a for b, size, a in zip(before, inner.shape, after))
    (padding,) = scope.run(operation.regions[0], grid(shape))
    result = np.array(np.broadcast_to(padding, shape))
    result[tuple(slice(b, b + size) for b, size in zip(before, inner.shape))] = inner
    return result


OPERATIONS: dict[str, Callable] = {
    "arith.constant": _constant,
    "cf.assert": _assert,
    "tensor.empty": _empty,
    "tensor.dim": _dim,
    "tensor.extract": _extract,
    "tensor.extract_slice": _extract_slice,
    "tensor.insert_slice": _insert_slice,
    "tensor.expand_shape": _expand_shape,
    "tensor.collapse_shape": _collapse_shape,
    "tensor.reshape": _reshape,
    "tensor.concat": _concat,
    "tensor.cast": _cast,
    "tensor.from_elements": _from_elements,
    "tensor.splat": _splat,
    "tensor.generate": _generate,
    "tensor.pad": _pad,
}
