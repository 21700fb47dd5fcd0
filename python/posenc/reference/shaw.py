# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Relative keys and values: a learned vector for every relative position.

Source: Self-Attention with Relative Position Representations (Shaw et al. 2018);
its code, tensor2tensor dot_product_attention_relative. Variants as in
transformers' VITS, Wav2Vec2-BERT, SpeechT5 and BERT (position_embedding_type).
"""

from __future__ import annotations

import numpy as np

from .positions import coordinates


def embeddings(
    table: np.ndarray,
    queries: int,
    keys: int,
    *,
    left: int,
    relative: str,
    outside: str,
    offset: int,
) -> np.ndarray:
    """a[i, j], the vector of every query and key.

    table: [R, D] or [H, R, D]; row `left` is that of relative position 0.
    relative: "key_minus_query" (Shaw) or "query_minus_key" (SpeechT5, BERT).
    outside: for relative positions without a row, "clip" takes the nearest row,
    "zero" a vector of zeros (VITS), "error" raises IndexError (BERT).

    Returns float64 [Lq, Lk, D] or [H, Lq, Lk, D].
    Raises ValueError for another `relative` or `outside`.
    """
    if relative not in ("key_minus_query", "query_minus_key"):
        raise ValueError(f"relative is {relative!r}; it must be key_minus_query or query_minus_key")
    if outside not in ("clip", "zero", "error"):
        raise ValueError(f"outside is {outside!r}; it must be clip, zero or error")
    table = np.asarray(table, dtype=np.float64)
    rows = table.shape[-2]
    i, j = coordinates(queries, keys, offset)
    row = (j - i if relative == "key_minus_query" else i - j) + left
    inside = (row >= 0) & (row < rows)
    if outside == "error" and not inside.all():
        raise IndexError(f"relative positions need rows {row.min()} to {row.max()} of {rows}")
    vectors = np.take(table, np.clip(row, 0, rows - 1), axis=-2)
    return np.where(inside[..., np.newaxis] | (outside != "zero"), vectors, 0.0)


def bias(
    vectors: np.ndarray, *, query: np.ndarray | None = None, key: np.ndarray | None = None
) -> np.ndarray:
    """q_i . a_ij, k_j . a_ij, or their sum (relative_key_query), not scaled.

    vectors: of `embeddings`. query: [B, Hq, Lq, D]. key: [B, Hkv, Lk, D], each of
    its heads read by Hq / Hkv query heads; Hq is the query's, or the table's.
    Returns float64 [B, Hq, Lq, Lk].
    """
    total: np.ndarray | float = 0.0
    if query is not None:
        total = total + np.einsum("bhid,hijd->bhij", query, _by_head(vectors, query.shape[1]))
    if key is not None:
        heads = _heads(vectors, query, key)
        key = np.repeat(key, heads // key.shape[1], axis=1)
        total = total + np.einsum("bhjd,hijd->bhij", key, _by_head(vectors, heads))
    return np.asarray(total)


def values(probabilities: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """sum_j p_ij a_ij, what is added to attention's output: [B, H, Lq, Dv]."""
    return np.einsum(
        "bhij,hijd->bhid", probabilities, _by_head(vectors, np.shape(probabilities)[1])
    )


def _heads(vectors: np.ndarray, query: np.ndarray | None, key: np.ndarray) -> int:
    if query is not None:
        return query.shape[1]
    return vectors.shape[0] if vectors.ndim == 4 else key.shape[1]


def _by_head(vectors: np.ndarray, heads: int) -> np.ndarray:
    return np.broadcast_to(vectors, (heads, *vectors.shape[-3:]))
