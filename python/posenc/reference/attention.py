# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention in float64, written to be read.

Source: Attention Is All You Need (Vaswani et al. 2017), section 3.2, with
grouped heads (Ainslie et al. 2023), soft-cap (Gemma 2) and sinks (gpt-oss).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from . import checks


def attention(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    *,
    return_logsumexp: bool = False,
    **options: Any,
) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
    """Sum over keys of probability times value.

    q: [B, Hq, Lq, D]; k: [B, Hkv, Lk, D]; v: [B, Hkv, Lk, Dv]; query head h reads
    kv head h // (Hq / Hkv). `options` are those of `probabilities`.

    Returns float64 [B, Hq, Lq, Dv]; with return_logsumexp also the log-sum-exp,
    [B, Hq, Lq].
    Raises ValueError for shapes that do not fit, and as `probabilities`.
    """
    weights, logsumexp = probabilities(q, k, **options)
    v = np.asarray(v, dtype=np.float64)
    if v.ndim != 4 or v.shape[:3] != np.shape(k)[:3]:
        raise ValueError(
            f"value has shape {v.shape}, key {np.shape(k)}; batch, heads and length must agree"
        )
    output = weighted_sum(weights, v)
    return (output, logsumexp) if return_logsumexp else output


def probabilities(
    q: np.ndarray,
    k: np.ndarray,
    *,
    scale: float | None = None,
    bias: np.ndarray | None = None,
    mask: np.ndarray | None = None,
    soft_cap: float | None = None,
    sinks: np.ndarray | None = None,
    score: Callable[[np.ndarray], np.ndarray] | None = None,
    empty_rows: str = "zero",
) -> tuple[np.ndarray, np.ndarray]:
    """The attention probabilities and the log-sum-exp of every row.

    In this order: q.k * scale (default 1/sqrt(D)); soft_cap: c tanh(x / c);
    bias: added; score: a function of the whole matrix [B, Hq, Lq, Lk] for
    anything else; mask: True = keep; softmax. bias and mask broadcast to
    [B, Hq, Lq, Lk], right-aligned.

    A masked key has probability zero whatever it holds, NaN included; a score of
    minus infinity masks too.
    sinks: [Hq], one logit more in the maximum and the denominator of every row of
    head h, without a value.
    empty_rows: a row with no key (and no sink) has probabilities "zero", or
    "average": 1/Lk each, which is what a graph computes that masks by adding the
    lowest finite number. With sinks both are zero, in such a graph too.

    The log-sum-exp is the logarithm of the denominator, sink included: minus
    infinity for a row with neither key nor sink.

    Returns float64 ([B, Hq, Lq, Lk], [B, Hq, Lq]).
    Raises ValueError for shapes that do not fit, a mask that is not boolean,
    soft_cap <= 0, or an unknown empty_rows.
    """
    checks.one_of("empty_rows", empty_rows, ("zero", "average"))
    scores = _scores(q, k, scale, soft_cap)
    if bias is not None:
        scores = scores + _broadcast("bias", bias, scores.shape)
    if score is not None:
        scores = np.asarray(score(scores), dtype=np.float64)
    if mask is not None:
        if np.asarray(mask).dtype != np.bool_:
            raise ValueError(
                f"mask has type {np.asarray(mask).dtype}; it must be bool (True = "
                "keep); an additive mask is a bias"
            )
        scores = np.where(_broadcast("mask", mask, scores.shape), scores, -np.inf)

    sink = np.full((scores.shape[1], 1, 1), -np.inf)
    if sinks is not None:
        if np.shape(sinks) != (scores.shape[1],):
            raise ValueError(
                f"sinks have shape {np.shape(sinks)}; {scores.shape[1]} query heads "
                f"need [{scores.shape[1]}]"
            )
        sink[:, 0, 0] = sinks
    return _softmax(scores, sink, empty_rows)


def weighted_sum(weights: np.ndarray, v: np.ndarray) -> np.ndarray:
    """sum_j weights[b, h, i, j] v[b, h // group, j, d].

    A key of weight zero adds nothing, even where its value is NaN or infinite.

    weights: [B, Hq, Lq, Lk]; v: [B, Hkv, Lk, Dv]. Returns [B, Hq, Lq, Dv].
    """
    v = _repeat_heads(np.asarray(v, dtype=np.float64), weights.shape[1])
    if np.isfinite(v).all():
        return weights @ v
    output = np.zeros(weights.shape[:3] + v.shape[-1:])
    for b, h, i in np.ndindex(*weights.shape[:3]):
        used = weights[b, h, i] != 0
        output[b, h, i] = weights[b, h, i, used] @ v[b, h, used]
    return output


def error_scale(weights: np.ndarray, v: np.ndarray) -> np.ndarray:
    """A = max_d sum_j p_j |v_jd| of every row: what tolerances are multiples of.

    A rounding of p or v moves an output lane by at most its relative size times
    this, however much the lane itself cancels.

    weights: [B, Hq, Lq, Lk]; v: [B, Hkv, Lk, Dv]. Returns [B, Hq, Lq].
    """
    magnitudes = np.abs(np.asarray(v, dtype=np.float64))
    return weighted_sum(weights, magnitudes).max(axis=-1, initial=0.0)


def _scores(
    q: np.ndarray, k: np.ndarray, scale: float | None, soft_cap: float | None
) -> np.ndarray:
    """Scaled and capped scores [B, Hq, Lq, Lk]."""
    q = np.asarray(q, dtype=np.float64)
    k = np.asarray(k, dtype=np.float64)
    if q.ndim != 4 or k.ndim != 4:
        raise ValueError(
            f"query has shape {q.shape}, key {k.shape}; both must be "
            "[batch, heads, length, head size]"
        )
    if q.shape[0] != k.shape[0] or q.shape[3] != k.shape[3]:
        raise ValueError(
            f"query has shape {q.shape}, key {k.shape}; batch and head size must agree"
        )
    scale = 1 / math.sqrt(q.shape[3]) if scale is None else scale
    # Keys that a mask drops later may hold infinities: no warning for those.
    with np.errstate(invalid="ignore"):
        scores = q @ np.swapaxes(_repeat_heads(k, q.shape[1]), -1, -2) * scale
    if soft_cap is not None:
        checks.positive("soft_cap", soft_cap)
        scores = soft_cap * np.tanh(scores / soft_cap)
    return scores


def _softmax(
    scores: np.ndarray, sink: np.ndarray, empty_rows: str
) -> tuple[np.ndarray, np.ndarray]:
    """Softmax and log-sum-exp over the last axis, `sink` [Hq, 1, 1] one more logit."""
    maximum = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    maximum = np.maximum(maximum, sink)
    empty = np.isneginf(maximum)
    # exp(-inf - -inf) would be NaN: an empty row is measured from zero instead.
    origin = np.where(empty, 0.0, maximum)
    numerators = np.exp(scores - origin)
    denominators = numerators.sum(axis=-1, keepdims=True) + np.exp(sink - origin)
    weights = numerators / np.where(empty, 1.0, denominators)
    with np.errstate(divide="ignore"):
        logsumexp = (origin + np.log(denominators))[..., 0]
    if empty_rows == "average" and scores.shape[-1]:
        weights = np.where(empty, 1 / scores.shape[-1], weights)
    return weights, logsumexp


def _repeat_heads(x: np.ndarray, query_heads: int) -> np.ndarray:
    """[B, Hkv, ...] as [B, Hq, ...]: head h is kv head h // (Hq / Hkv)."""
    kv_heads = x.shape[1]
    if kv_heads < 1 or query_heads % kv_heads:
        raise ValueError(
            f"{query_heads} query heads do not divide into groups over {kv_heads} kv heads"
        )
    return np.repeat(x, query_heads // kv_heads, axis=1)


def _broadcast(name: str, x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """`x` broadcast to `shape`, with a message that names it."""
    try:
        return np.broadcast_to(np.asarray(x), shape)
    except ValueError:
        raise ValueError(
            f"{name} has shape {np.shape(x)}, which does not broadcast to the scores' {shape}"
        ) from None
