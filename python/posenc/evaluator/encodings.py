# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""posenc's ops, by the functions of posenc.reference."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from .. import reference
from .._errors import NoReference
from . import rotations
from .parser import Block, Operation, shape_of
from .scope import Scope, grid


def _words(operation: Operation, name: str) -> list[str]:
    """`#posenc.layout<bhld>` as ["bhld"]."""
    text = operation.attributes[name].text
    return re.split(r"[,\s]+", text[text.index("<") + 1 : -1])


def _choice(operation: Operation, name: str) -> str:
    return _words(operation, name)[0]


def _optional(names: list[str], scope: Scope):
    return scope[names[0]] if names else None


def _offset(names: list[str], scope: Scope) -> int:
    return int(scope[names[0]]) if names else 0


def _sizes(operation: Operation, scope: Scope, dynamic: list[str]) -> list[int]:
    rest = iter(scope.sizes(dynamic))
    shape = shape_of(operation.result_types[0])
    return [next(rest) if size is None else size for size in shape]


def _as_matrix(operation: Operation, scope: Scope, dynamic: list[str], array: np.ndarray):
    """With the leading dimensions of 1 that the op's result has."""
    return np.broadcast_to(array, _sizes(operation, scope, dynamic))


def _positions(given: list[str], offset: list[str], length: int, scope: Scope) -> np.ndarray:
    return scope[given[0]] if given else np.arange(length) + _offset(offset, scope)


# Biases and masks.


def _alibi(operation: Operation, scope: Scope) -> np.ndarray:
    sizes, offset, slopes, later, first = operation.segments()
    _, heads, queries, keys = _sizes(operation, scope, sizes)
    given = _optional(slopes, scope)
    if given is None:
        total = operation.attributes.get("total_heads", heads)
        rule = reference.alibi.slopes(total, max_bias=operation.attributes["max_bias"])
        # The op has no rule for a head that is none of the whole; it takes the nearest.
        given = rule[np.clip(np.arange(heads) + _offset(first, scope), 0, total - 1)]
    if later:
        bias = reference.alibi.two_sided_bias(
            given, scope[later[0]], queries, keys, offset=_offset(offset, scope)
        )
        return _as_matrix(operation, scope, sizes, bias)
    bias = reference.alibi.bias(
        given,
        queries,
        keys,
        offset=_offset(offset, scope),
        symmetric="symmetric" in operation.attributes,
    )
    return _as_matrix(operation, scope, sizes, bias)


def _bucketed_bias(operation: Operation, scope: Scope) -> np.ndarray:
    (table,), sizes, offset, gate = operation.segments()
    _, _, queries, keys = _sizes(operation, scope, sizes)
    bias = reference.bucketed_bias.bias(
        scope[table],
        queries,
        keys,
        max_distance=operation.attributes["max_distance"],
        bidirectional="bidirectional" in operation.attributes,
        offset=_offset(offset, scope),
    )
    if gate:
        bias = bias * scope[gate[0]][..., np.newaxis]
    return _as_matrix(operation, scope, sizes, bias)


def _kerple(operation: Operation, scope: Scope) -> np.ndarray:
    (p,), (a,), sizes, offset = operation.segments()
    *_, queries, keys = _sizes(operation, scope, sizes)
    bias = reference.kerple.bias(
        scope[p],
        scope[a],
        queries,
        keys,
        kernel=_choice(operation, "kernel"),
        later_keys=_choice(operation, "later_keys"),
        clamp="clamp" in operation.attributes,
        offset=_offset(offset, scope),
    )
    return _as_matrix(operation, scope, sizes, bias)


def _sandwich(operation: Operation, scope: Scope) -> np.ndarray:
    sizes, offset, ratios = operation.segments()
    _, heads, queries, keys = _sizes(operation, scope, sizes)
    attributes = operation.attributes
    given = _optional(ratios, scope)
    if given is None:
        given = reference.sandwich.ratios(heads, max_ratio=attributes["max_ratio"])
    bias = reference.sandwich.bias(
        given,
        queries,
        keys,
        width=attributes["width"],
        base=attributes["base"],
        offset=_offset(offset, scope),
    )
    return _as_matrix(operation, scope, sizes, bias)


def _fire(operation: Operation, scope: Scope) -> np.ndarray:
    *single, sizes, offset = operation.segments()
    *layers, scale, threshold = (scope[name] for (name,) in single)
    *_, queries, keys = _sizes(operation, scope, sizes)
    bias = reference.fire.bias(
        layers[:2],
        layers[2:],
        queries,
        keys,
        scale=float(scale),
        threshold=float(threshold),
        first_position=operation.attributes["first_position"],
        epsilon=operation.attributes["epsilon"],
        offset=_offset(offset, scope),
    )
    return _as_matrix(operation, scope, sizes, bias)


def _forgetting(operation: Operation, scope: Scope) -> np.ndarray:
    (sums,), backward, sizes, offset = operation.segments()
    *_, queries, _ = _sizes(operation, scope, sizes)
    bias = reference.forgetting.bias_of_sums(
        scope[sums], queries, backward=_optional(backward, scope), offset=_offset(offset, scope)
    )
    return _as_matrix(operation, scope, sizes, bias)


def _relative_bias(operation: Operation, scope: Scope) -> np.ndarray:
    (table,), (origin,), sizes, offset = operation.segments()
    *_, queries, keys = _sizes(operation, scope, sizes)
    bias = reference.relative_bias.bias(
        scope[table],
        queries,
        keys,
        origin=int(scope[origin]),
        sign=_choice(operation, "sign"),
        outside=_choice(operation, "outside"),
        offset=_offset(offset, scope),
    )
    return _as_matrix(operation, scope, sizes, bias)


def _relative_bias_2d(operation: Operation, scope: Scope) -> np.ndarray:
    table, *sizes = operation.operands
    bias = reference.relative_bias_2d.bias(
        scope[table],
        operation.attributes["window"],
        class_token="class_token" in operation.attributes,
    )
    return _as_matrix(operation, scope, sizes, bias)


def _log_spaced_coordinates(operation: Operation, scope: Scope) -> np.ndarray:
    return reference.relative_bias_2d.log_spaced_coordinates(
        operation.attributes["window"],
        pretrained_window=operation.attributes.get("pretrained_window"),
        spacing=_choice(operation, "spacing"),
    )


def _causal(operation: Operation, scope: Scope) -> np.ndarray:
    sizes, offset = operation.segments()
    *_, queries, keys = _sizes(operation, scope, sizes)
    mask = reference.causal.causal(queries, keys, offset=_offset(offset, scope))
    return _as_matrix(operation, scope, sizes, mask)


def _window(operation: Operation, scope: Scope) -> np.ndarray:
    sizes, left, right, offset = operation.segments()
    *_, queries, keys = _sizes(operation, scope, sizes)
    mask = reference.window.window(
        queries,
        keys,
        left=int(scope[left[0]]) if left else None,
        right=int(scope[right[0]]) if right else None,
        offset=_offset(offset, scope),
        dilation=operation.attributes["dilation"],
    )
    return _as_matrix(operation, scope, sizes, mask)


def _padding(operation: Operation, scope: Scope) -> np.ndarray:
    lengths, *sizes = operation.operands
    keys = _sizes(operation, scope, sizes)[-1]
    # The op has no rule for a length that is none; those keep no key, or all.
    inside = np.clip(scope[lengths], 0, keys)
    return reference.padding.padding(
        inside, keys, side="left" if "left" in operation.attributes else "right"
    )


def _document(operation: Operation, scope: Scope) -> np.ndarray:
    queries, keys, *sizes = operation.operands
    mask = reference.document.document(scope[queries], scope[keys])
    return _as_matrix(operation, scope, sizes, mask)


def _block_sparse(operation: Operation, scope: Scope) -> np.ndarray:
    (blocks,), sizes, offset = operation.segments()
    *_, queries, keys = _sizes(operation, scope, sizes)
    return reference.block_sparse.block_sparse(
        scope[blocks],
        queries,
        keys,
        query_block=operation.attributes["query_block"],
        key_block=operation.attributes["key_block"],
        offset=_offset(offset, scope),
    )


def _chunked(operation: Operation, scope: Scope) -> np.ndarray:
    sizes, offset, starts = operation.segments()
    *_, queries, keys = _sizes(operation, scope, sizes)
    mask = reference.chunked.chunked(
        queries,
        keys,
        chunk=operation.attributes["chunk"],
        offset=_offset(offset, scope),
        starts=_optional(starts, scope),
    )
    return _as_matrix(operation, scope, sizes, mask)


def _document_ids(operation: Operation, scope: Scope) -> np.ndarray:
    boundaries, *sizes = operation.operands
    length = _sizes(operation, scope, sizes)[-1]
    # What lies behind the last boundary is a document.
    bounds = np.append(np.minimum(scope[boundaries], length), length)
    ids = reference.document.ids_from_cumulative_lengths(bounds, length)[np.newaxis]
    if _choice(operation, "number") == "position":
        return reference.document.reset_positions(ids)
    return ids


def _global_tokens(operation: Operation, scope: Scope) -> np.ndarray:
    rows, columns, sizes = operation.segments()
    _, _, queries, keys = _sizes(operation, scope, sizes)
    query = scope[rows[0]] if rows else np.zeros((1, queries), bool)
    key = scope[columns[0]] if columns else np.zeros((1, keys), bool)
    mask = reference.global_tokens.global_tokens(query, key)
    return _as_matrix(operation, scope, sizes, mask)


def _prefix(operation: Operation, scope: Scope) -> np.ndarray:
    lengths, rows, columns, sizes, offset = operation.segments()
    *_, queries, keys = _sizes(operation, scope, sizes)
    if lengths:
        mask = reference.prefix.prefix(
            scope[lengths[0]], queries, keys, offset=_offset(offset, scope)
        )
    else:
        mask = reference.prefix.blocks(
            scope[rows[0]], scope[columns[0]], offset=_offset(offset, scope)
        )
    return _as_matrix(operation, scope, sizes, mask)


def _tree(operation: Operation, scope: Scope) -> np.ndarray:
    ancestors, cached, *sizes = operation.operands
    *_, queries, keys = _sizes(operation, scope, sizes)
    matrix = scope[ancestors]
    if matrix.dtype != np.bool_:
        matrix = reference.tree.unpacked(matrix, queries)
    return reference.tree.tree(matrix, scope[cached], keys)


# Absolute encodings.


def _learned(operation: Operation, scope: Scope) -> np.ndarray:
    (table,), positions, sizes, offset = operation.segments()
    shape = _sizes(operation, scope, sizes)
    rows = reference.learned.learned(
        scope[table],
        _positions(positions, offset, shape[-2], scope),
        row_offset=operation.attributes["row_offset"],
        out_of_range=_choice(operation, "out_of_range"),
    )
    return np.broadcast_to(rows, shape)


def _sinusoidal(operation: Operation, scope: Scope) -> np.ndarray:
    positions, sizes, offset = operation.segments()
    shape = _sizes(operation, scope, sizes)
    attributes = operation.attributes
    shift = attributes.get("shift")
    if shift not in (None, 1.0):
        raise NoReference(f"posenc.reference has no sinusoids of the shift {shift}")
    at = _positions(positions, offset, shape[-2], scope)
    table = reference.sinusoidal.sinusoidal(
        at * attributes["angle_scale"],
        shape[-1],
        layout=_choice(operation, "order"),
        exponents="paper" if shift is None else "tensor2tensor",
        base=attributes["base"],
        odd=_choice(operation, "odd") if "odd" in attributes else None,
        cos_first="cos_first" in attributes,
        scale=attributes["scale"],
    )
    if "padding_position" in attributes:
        table = np.where((at == attributes["padding_position"])[..., np.newaxis], 0.0, table)
    return np.broadcast_to(table, shape)


def _add(operation: Operation, scope: Scope) -> np.ndarray:
    x, encoding = (scope[operand] for operand in operation.operands)
    return reference.add.add(x, encoding, embedding_scale=operation.attributes["embedding_scale"])


# Rotations.


def _lanes(operation: Operation, name: str) -> tuple[str, int, int]:
    """Pairing, first lane and their number."""
    text = operation.attributes[name].text
    pairing, first, count = re.search(r"<(\w+), first = (\d+), count = (\d+)>", text).groups()
    return pairing, int(first), int(count)


def _rotary(operation: Operation, scope: Scope) -> np.ndarray:
    (x,), positions, offset, cos, sin, length, centre = operation.segments()
    rows = _to_bhld(scope[x], _choice(operation, "layout"))
    pairing, first, count = _lanes(operation, "lanes")
    at = _positions(positions, offset, rows.shape[2], scope)
    if "frequencies" in operation.attributes:
        angles, factor = rotations.angles(operation, at, count, _optional(length, scope))
        if "decay" in operation.attributes:
            factor *= rotations.decay(operation, at, count, int(scope[centre[0]]))
        cosines, sines = np.cos(angles) * factor, np.sin(angles) * factor
    else:
        cosines, sines = (
            scope[table[0]]
            if scope[table[0]].ndim == 3
            else reference.rotary.cache_rows(scope[table[0]], at)
            for table in (cos, sin)
        )
    result = rows.copy()
    result[..., first : first + count] = reference.rotary.rotate(
        rows[..., first : first + count],
        cosines,
        sines,
        lanes=pairing,
        inverse="inverse" in operation.attributes,
    )
    return _to_bhld(result, _choice(operation, "layout"))


def _query_temperature(operation: Operation, scope: Scope) -> np.ndarray:
    (x,), positions, offset = operation.segments()
    rows = _to_bhld(scope[x], _choice(operation, "layout"))
    _, first, count = _lanes(operation, "lanes")
    shift = operation.attributes["position_shift"]
    factors = reference.query_temperature.factors(
        np.maximum(_positions(positions, offset, rows.shape[2], scope), -shift),
        beta=operation.attributes["beta"],
        original_length=operation.attributes["original_length"],
        position_shift=shift,
    )
    result = rows.copy()
    lanes = slice(first, first + count)
    result[..., lanes] *= np.atleast_2d(factors)[:, np.newaxis, :, np.newaxis]
    return _to_bhld(result, _choice(operation, "layout"))


def _pope(operation: Operation, scope: Scope) -> np.ndarray:
    (x,), positions, offset, phase, length = operation.segments()
    rows = scope[x]
    inverse, factor = rotations.frequencies(
        operation.attributes["frequencies"].text, 2 * rows.shape[-1], _optional(length, scope)
    )
    at = _positions(positions, offset, rows.shape[2], scope)
    return factor * reference.pope.pope(rows, at, inverse, phase=_optional(phase, scope))


def _cos_sin(operation: Operation, scope: Scope) -> tuple[np.ndarray, np.ndarray]:
    """Of a position times a frequency in turns."""
    position, high, low = (scope[operand] for operand in operation.operands)
    angle = 2 * np.pi * position * (high + low)
    return np.cos(angle), np.sin(angle)


# Attention.


def _to_bhld(x: np.ndarray, layout: str) -> np.ndarray:
    """From or to [B, H, L, D]: the exchange of two axes is its own inverse."""
    return x if layout == "bhld" else x.transpose(0, 2, 1, 3)


def _rotated(x: np.ndarray, block: Block, lanes: tuple[str, int, int], scope: Scope) -> np.ndarray:
    """Rows rotated by what the region yields for batch, head, row and pair."""
    pairing, first, count = lanes
    cos, sin = scope.run(block, grid((*x.shape[:3], count // 2)))
    pair = np.arange(count // 2)
    a, b = (pair, pair + count // 2) if pairing == "half" else (2 * pair, 2 * pair + 1)
    result = x.copy()
    left, right = x[..., first + a], x[..., first + b]
    result[..., first + a] = left * cos - right * sin
    result[..., first + b] = left * sin + right * cos
    return result


def _attention(operation: Operation, scope: Scope) -> tuple[np.ndarray, ...]:
    (q,), (k,), (v,), (scale,), sinks, pages, _, logsumexp = operation.segments()
    if pages:
        raise NoReference("posenc.reference has no attention over pages")
    query, key, value = (
        _to_bhld(scope[name], _choice(operation, f"{role}_layout"))
        for name, role in ((q, "query"), (k, "key"), (v, "value"))
    )
    score, mask, rotate_query, rotate_key, *_ = operation.regions
    if rotate_query.operations:
        query = _rotated(query, rotate_query, _lanes(operation, "query_lanes"), scope)
    if rotate_key.operations:
        key = _rotated(key, rotate_key, _lanes(operation, "key_lanes"), scope)
    places = grid((*query.shape[:3], key.shape[2]))

    def modified(scores: np.ndarray) -> np.ndarray:
        return scope.run(score, [scores, *places])[0]

    result, denominators = reference.attention.attention(
        query,
        key,
        value,
        scale=float(scope[scale]),
        score=modified if score.operations else None,
        mask=scope.run(mask, places)[0] if mask.operations else None,
        sinks=_optional(sinks, scope),
        empty_rows=_choice(operation, "empty_rows"),
        return_logsumexp=True,
    )
    result = _to_bhld(result, _choice(operation, "output_layout"))
    return (result, denominators) if logsumexp else (result,)


OPERATIONS: dict[str, Callable] = {
    "posenc.add": _add,
    "posenc.alibi": _alibi,
    "posenc.attention": _attention,
    "posenc.block_sparse": _block_sparse,
    "posenc.bucketed_bias": _bucketed_bias,
    "posenc.causal": _causal,
    "posenc.chunked": _chunked,
    "posenc.cos_sin": _cos_sin,
    "posenc.document": _document,
    "posenc.document_ids": _document_ids,
    "posenc.fire": _fire,
    "posenc.forgetting": _forgetting,
    "posenc.global_tokens": _global_tokens,
    "posenc.kerple": _kerple,
    "posenc.learned": _learned,
    "posenc.log_spaced_coordinates": _log_spaced_coordinates,
    "posenc.padding": _padding,
    "posenc.pope": _pope,
    "posenc.prefix": _prefix,
    "posenc.query_temperature": _query_temperature,
    "posenc.relative_bias": _relative_bias,
    "posenc.relative_bias_2d": _relative_bias_2d,
    "posenc.rotary": _rotary,
    "posenc.sandwich": _sandwich,
    "posenc.sinusoidal": _sinusoidal,
    "posenc.tree": _tree,
    "posenc.window": _window,
}
