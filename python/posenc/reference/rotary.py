# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rotary encoding: pairs of lanes turned by an angle proportional to position.

Source: RoFormer (Su et al. 2021). Pair (x, y) with cos c and sin s becomes
(x c - y s, x s + y c). Which lanes make a pair differs between libraries, so
`lanes` has no default:
  "half"         pair i is lanes (i, i + r/2)  (GPT-NeoX, transformers' Llama)
  "interleaved"  pair i is lanes (2i, 2i + 1)  (GPT-J, Meta's Llama)
where r = rotary_dim lanes at one side of the head rotate, the rest passes.
"""

from __future__ import annotations

import numpy as np

from . import checks


def cos_sin(
    positions: np.ndarray, inv_freq: np.ndarray, attention_factor: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """cos and sin of position * inv_freq, both times attention_factor.

    positions: [L] or [B, L]; inv_freq: [r/2], radians a position.
    Returns two float64 arrays [L, r/2] or [B, L, r/2].
    """
    positions = np.asarray(positions, dtype=np.float64)
    angles = positions[..., np.newaxis] * np.asarray(inv_freq, dtype=np.float64)
    return np.cos(angles) * attention_factor, np.sin(angles) * attention_factor


def cache_rows(cache: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """The rows of a cos or sin cache [max_position, r/2] at `positions`.

    positions: [L] or [B, L] integers. Returns [..., L, r/2] float64.
    Raises IndexError for a position outside the cache: there is no row for it.
    """
    cache = np.asarray(cache, dtype=np.float64)
    positions = np.asarray(positions)
    outside = positions[(positions < 0) | (positions >= cache.shape[0])]
    if outside.size:
        raise IndexError(
            f"position {outside[0]} is outside the cache of {cache.shape[0]} rows; "
            "pass a longer cache or compute cos and sin from frequencies"
        )
    return cache[positions]


def rotate(
    x: np.ndarray,
    cos: np.ndarray,
    sin: np.ndarray,
    *,
    lanes: str,
    rotary_dim: int | None = None,
    side: str = "first",
    inverse: bool = False,
    output_lanes: str | None = None,
) -> np.ndarray:
    """Turns the pairs of x by given cos and sin, which may be any numbers.

    x: [B, H, L, D]; cos, sin: [L, r/2] or [B, L, r/2], r = rotary_dim
    (default D), shared by the heads. Nothing is normalized: caches need not
    satisfy cos^2 + sin^2 = 1.
    side: which end of the head rotates, "first" or "last" lanes.
    inverse: the transposed matrix, (x c + y s, y c - x s); it undoes the
    rotation where cos^2 + sin^2 = 1.
    output_lanes: where pairs are written, when not where they were read
    (DeepSeek-V3 in transformers reads "interleaved" and writes "half").

    Returns float64 [B, H, L, D].
    Raises ValueError for an odd rotary_dim, one above D, an unknown choice, or
    cos and sin that do not fit.
    """
    output_lanes = lanes if output_lanes is None else output_lanes
    checks.one_of("lanes", lanes, ("half", "interleaved"))
    checks.one_of("output_lanes", output_lanes, ("half", "interleaved"))
    checks.one_of("side", side, ("first", "last"))
    x = np.asarray(x, dtype=np.float64)
    head_size = x.shape[-1]
    rotary_dim = head_size if rotary_dim is None else rotary_dim
    checks.even("rotary_dim", rotary_dim)
    if rotary_dim > head_size:
        raise ValueError(f"rotary_dim is {rotary_dim}, the head has {head_size} lanes")
    cos = _per_head("cos", cos, x, rotary_dim // 2)
    sin = _per_head("sin", sin, x, rotary_dim // 2)
    if inverse:
        sin = -sin

    start = 0 if side == "first" else head_size - rotary_dim
    first, second = (start + lane for lane in _pairs(rotary_dim, lanes))
    out_first, out_second = (start + lane for lane in _pairs(rotary_dim, output_lanes))
    result = x.copy()
    result[..., out_first] = x[..., first] * cos - x[..., second] * sin
    result[..., out_second] = x[..., first] * sin + x[..., second] * cos
    return result


def rotary(
    x: np.ndarray,
    positions: np.ndarray,
    inv_freq: np.ndarray,
    *,
    lanes: str,
    attention_factor: float = 1.0,
    side: str = "first",
    inverse: bool = False,
    output_lanes: str | None = None,
) -> np.ndarray:
    """Rotary encoding from positions and frequencies.

    x: [B, H, L, D]; positions: [L] or [B, L]; inv_freq: [r/2], which also says
    how many lanes rotate, r. The other arguments, result and errors are those
    of `rotate`.
    """
    cos, sin = cos_sin(positions, inv_freq, attention_factor)
    return rotate(
        x,
        cos,
        sin,
        lanes=lanes,
        rotary_dim=2 * np.asarray(inv_freq).shape[0],
        side=side,
        inverse=inverse,
        output_lanes=output_lanes,
    )


def _pairs(rotary_dim: int, lanes: str) -> tuple[np.ndarray, np.ndarray]:
    """Lane numbers of the first and second members of all pairs."""
    pair = np.arange(rotary_dim // 2)
    if lanes == "half":
        return pair, pair + rotary_dim // 2
    return 2 * pair, 2 * pair + 1


def _per_head(name: str, table: np.ndarray, x: np.ndarray, pairs: int) -> np.ndarray:
    """`table` as float64 [1 or B, 1, L, pairs], to broadcast over heads."""
    table = np.asarray(table, dtype=np.float64)
    batch, _, length, _ = x.shape
    if table.ndim == 2:
        table = table[np.newaxis]
    if table.shape not in ((1, length, pairs), (batch, length, pairs)):
        raise ValueError(
            f"{name} has shape {table.shape}; {length} tokens with {pairs} pairs "
            f"need [{length}, {pairs}] or [{batch}, {length}, {pairs}]"
        )
    return table[:, np.newaxis]
