# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Document mask: packed documents in one row do not see one another."""

from __future__ import annotations

import numpy as np


def document(query_ids: np.ndarray, key_ids: np.ndarray) -> np.ndarray:
    """True where query and key have the same document id.

    query_ids: [B, Lq]; key_ids: [B, Lk]. Returns bool [B, 1, Lq, Lk].
    """
    query_ids = np.asarray(query_ids)[:, np.newaxis, :, np.newaxis]
    key_ids = np.asarray(key_ids)[:, np.newaxis, np.newaxis, :]
    return query_ids == key_ids


def ids_from_cumulative_lengths(cumulative_lengths: np.ndarray, length: int) -> np.ndarray:
    """Document ids of one packed row from its boundaries 0, n0, n0 + n1, ..., length.

    cumulative_lengths: [documents + 1] (cu_seqlens in FlashAttention); documents
    may be empty. Returns [length] int64.
    Raises ValueError unless the boundaries ascend from 0 to length.
    """
    bounds = np.asarray(cumulative_lengths, dtype=np.int64)
    if bounds.size == 0 or bounds[0] != 0 or bounds[-1] != length or (np.diff(bounds) < 0).any():
        raise ValueError(
            f"cumulative lengths are {bounds.tolist()}; they must ascend from 0 to {length}"
        )
    return np.repeat(np.arange(bounds.size - 1), np.diff(bounds))


def ids_from_positions(positions: np.ndarray) -> np.ndarray:
    """Document ids where a document starts wherever positions do not grow by one.

    positions: [B, L]. Returns [B, L] int64, counting from 0 in every row.
    Source: transformers masking_utils find_packed_sequence_indices.
    """
    positions = np.asarray(positions, dtype=np.int64)
    starts = np.zeros_like(positions)
    starts[:, 1:] = np.diff(positions, axis=-1) != 1
    return np.cumsum(starts, axis=-1)


def reset_positions(ids: np.ndarray) -> np.ndarray:
    """Positions that count from 0 in every document.

    ids: [L] or [B, L]; a document is a run of equal ids. Returns int64 likewise.
    """
    ids = np.asarray(ids)
    index = np.broadcast_to(np.arange(ids.shape[-1], dtype=np.int64), ids.shape)
    starts = np.zeros_like(index)
    starts[..., 1:] = np.where(ids[..., 1:] != ids[..., :-1], index[..., 1:], 0)
    return index - np.maximum.accumulate(starts, axis=-1)
