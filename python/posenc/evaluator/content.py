# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""posenc's biases that queries and keys decide, by the functions of posenc.reference."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .. import reference
from .encodings import _choice, _offset, _optional, _sizes
from .parser import Operation
from .scope import Scope


def _shaw_vectors(
    operation: Operation, scope: Scope, table: str, offset: list[str], queries: int, keys: int
) -> np.ndarray:
    outside = _choice(operation, "outside")
    return reference.shaw.embeddings(
        scope[table],
        queries,
        keys,
        left=operation.attributes["left"],
        relative=_choice(operation, "relative"),
        # Whether every row exists is checked when the graph is compiled or called.
        outside="clip" if outside == "error" else outside,
        offset=_offset(offset, scope),
    )


def _heads_of(key: np.ndarray | None, heads: int) -> np.ndarray | None:
    """With a head for every query head."""
    return None if key is None else np.repeat(key, heads // key.shape[1], axis=1)


def _shaw(operation: Operation, scope: Scope) -> np.ndarray:
    query, key, (table,), sizes, offset = operation.segments()
    _, heads, queries, keys = _sizes(operation, scope, sizes)
    return reference.shaw.bias(
        _shaw_vectors(operation, scope, table, offset, queries, keys),
        query=_optional(query, scope),
        key=_heads_of(_optional(key, scope), heads),
    )


def _shaw_values(operation: Operation, scope: Scope) -> np.ndarray:
    probabilities, table, *offset = operation.operands
    *_, queries, keys = scope[probabilities].shape
    vectors = _shaw_vectors(operation, scope, table, offset, queries, keys)
    return reference.shaw.values(scope[probabilities], vectors)


def _disentangled(operation: Operation, scope: Scope) -> np.ndarray:
    query, pos_key, key, pos_query, sizes, offset = operation.segments()
    _, heads, queries, keys = _sizes(operation, scope, sizes)
    table = (pos_key or pos_query)[0]
    index = reference.disentangled.rows(
        queries,
        keys,
        span=scope[table].shape[-2] // 2,
        bucket_size=operation.attributes.get("bucket_size"),
        max_position=operation.attributes.get("max_position"),
        offset=_offset(offset, scope),
    )
    return reference.disentangled.bias(
        index,
        query=_optional(query, scope),
        pos_key=_optional(pos_key, scope),
        key=_heads_of(_optional(key, scope), heads),
        pos_query=_optional(pos_query, scope),
    )


def _transformer_xl(operation: Operation, scope: Scope) -> np.ndarray:
    (query,), query_bias, (relative,), sizes, offset = operation.segments()
    return reference.transformer_xl.bias(
        scope[query],
        scope[relative],
        _sizes(operation, scope, sizes)[3],
        rows=_choice(operation, "rows"),
        query_bias=_optional(query_bias, scope),
        offset=_offset(offset, scope),
    )


def _decomposed_2d(operation: Operation, scope: Scope) -> np.ndarray:
    query, rel_h, rel_w, *_ = operation.operands
    query_grid, key_grid = (
        tuple(operation.attributes[name]) for name in ("query_grid", "key_grid")
    )
    return reference.decomposed_2d.bias(
        scope[query],
        scope[rel_h],
        scope[rel_w],
        query_grid=query_grid,
        key_grid=key_grid,
        class_token="class_token" in operation.attributes,
    )


def _cope(operation: Operation, scope: Scope) -> np.ndarray:
    query, key, table, scale, *mask = operation.operands
    return reference.cope.bias(
        scope[query],
        scope[key],
        scope[table],
        scale=float(scope[scale]),
        mask=_optional(mask, scope),
    )


OPERATIONS: dict[str, Callable] = {
    "posenc.cope": _cope,
    "posenc.decomposed_2d": _decomposed_2d,
    "posenc.disentangled": _disentangled,
    "posenc.shaw": _shaw,
    "posenc.shaw_values": _shaw_values,
    "posenc.transformer_xl": _transformer_xl,
}
