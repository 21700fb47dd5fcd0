# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Positions of tokens: coordinates of a score matrix, and the padding rules.

Positions are int64 throughout.
"""

from __future__ import annotations

import numpy as np


def coordinates(queries: int, keys: int, offset: int | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Query and key coordinates of a score matrix, ready to broadcast.

    The coordinate of query i is i + offset, that of key j is j: `offset` is the
    key coordinate of query 0 (the number of cached keys in decoding).

    Returns (i, j): j is [keys]; i is [queries, 1] for a scalar offset and
    [B, 1, queries, 1] for an offset a batch entry, [B].
    Raises ValueError for a negative size or an offset of rank 2 or more.
    """
    if queries < 0 or keys < 0:
        raise ValueError(f"sizes are {queries} queries, {keys} keys; none may be < 0")
    offset = np.asarray(offset, dtype=np.int64)
    if offset.ndim > 1:
        raise ValueError(
            f"offset has shape {offset.shape}; it must be a scalar or one a batch entry"
        )
    i = np.arange(queries, dtype=np.int64)[:, np.newaxis]
    if offset.ndim == 1:
        i = i + offset[:, np.newaxis, np.newaxis, np.newaxis]
    else:
        i = i + offset
    return i, np.arange(keys, dtype=np.int64)


def from_tokens(token_ids: np.ndarray, *, padding_idx: int, past: int = 0) -> np.ndarray:
    """Positions by the rule of fairseq and RoBERTa.

    Real token number k (k = 1, 2, ... counts real tokens only) of a row has
    position padding_idx + past + k; a padding token has position padding_idx,
    whatever `past` is. With padding_idx = 1 the first real token is at 2.

    token_ids: [B, L] integers. Returns [B, L].
    Source: fairseq utils.make_positions; transformers
    RobertaEmbeddings.create_position_ids_from_input_ids.
    """
    real = (np.asarray(token_ids) != padding_idx).astype(np.int64)
    return (np.cumsum(real, axis=-1) + past) * real + padding_idx


def from_mask(attention_mask: np.ndarray, *, pad_position: int) -> np.ndarray:
    """Positions that count real tokens from 0, so that left padding shifts nothing.

    Real token number k (k = 0, 1, ...) has position k. What a padding token
    gets differs between libraries: -1 in OPT (which then adds its row offset 2),
    0 in BLOOM's ALiBi, 1 in transformers' generation loop.

    attention_mask: [B, L], non-zero = real. Returns [B, L].
    """
    real = np.asarray(attention_mask) != 0
    return np.where(real, np.cumsum(real, axis=-1) - 1, pad_position)


def counted(
    mask: np.ndarray, *, first: int, padding: int, length: int | None = None, offset: int = 0
) -> np.ndarray:
    """Positions of the last `length` tokens of a mask, all without it.

    Real token number k (k = 0, 1, ...) has position first + offset + k, a padding
    token `padding`. from_tokens is first = padding_idx + 1 and padding =
    padding_idx, with the past as offset; from_mask is first = 0.

    mask: [B, T], non-zero = real. Returns int64 [B, length].
    """
    real = np.asarray(mask) != 0
    positions = np.where(real, np.cumsum(real, axis=-1) - 1 + first + offset, padding)
    return positions[:, real.shape[1] - (real.shape[1] if length is None else length) :]
