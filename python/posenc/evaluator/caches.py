# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""posenc's ops of caches, grids, convolutions and token positions, by posenc.reference."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .. import reference
from .encodings import _as_matrix, _choice, _offset, _sizes, _to_bhld
from .parser import Operation
from .scope import Scope


def _cache_append(operation: Operation, scope: Scope) -> np.ndarray:
    rows, lengths, cache = (scope[operand] for operand in operation.operands)
    layout = _choice(operation, "layout")
    result = reference.cache_append.cache_append(
        _to_bhld(cache, layout),
        _to_bhld(rows, layout),
        lengths,
        ring="ring" in operation.attributes,
    )
    return _to_bhld(result, layout)


def _conv(operation: Operation, scope: Scope) -> np.ndarray:
    return reference.conv.conv(*(scope[operand] for operand in operation.operands))


def _ring(operation: Operation, scope: Scope) -> np.ndarray:
    (lengths,), sizes, left = operation.segments()
    *_, queries, keys = _sizes(operation, scope, sizes)
    mask = reference.ring.ring(
        scope[lengths], queries, keys, left=int(scope[left[0]]) if left else None
    )
    return _as_matrix(operation, scope, sizes, mask)


def _token_positions(operation: Operation, scope: Scope) -> np.ndarray:
    (mask,), length, offset = operation.segments()
    static = operation.result_types[0].split("<")[1].split("x")[1]
    if length:
        count = int(scope[length[0]])
    else:
        count = None if static == "?" else int(static)
    return reference.positions.counted(
        scope[mask],
        first=operation.attributes["first"],
        padding=operation.attributes["padding"],
        length=count,
        offset=_offset(offset, scope),
    )


def _sinusoidal_2d(operation: Operation, scope: Scope) -> np.ndarray:
    return reference.sinusoidal_2d.sinusoidal_2d(
        *_sizes(operation, scope, operation.operands),
        first=_choice(operation, "first"),
        order=_choice(operation, "order"),
        base=operation.attributes["base"],
        axis_scale=operation.attributes.get("axis_scale", (1.0, 1.0)),
    )


def _learned_2d(operation: Operation, scope: Scope) -> np.ndarray:
    attributes = operation.attributes
    return reference.learned_2d.learned_2d(
        scope[operation.operands[0]],
        attributes["grid"],
        attributes["new_grid"],
        prefix_tokens=attributes["prefix_tokens"],
        interpolation=_choice(operation, "interpolation"),
        antialias="antialias" in attributes,
        align_corners="align_corners" in attributes,
    )


OPERATIONS: dict[str, Callable] = {
    "posenc.cache_append": _cache_append,
    "posenc.conv": _conv,
    "posenc.learned_2d": _learned_2d,
    "posenc.ring": _ring,
    "posenc.sinusoidal_2d": _sinusoidal_2d,
    "posenc.token_positions": _token_positions,
}
