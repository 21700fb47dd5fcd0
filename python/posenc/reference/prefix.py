# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prefix-LM mask: causal, except that a prefix, or any block, sees all of itself."""

from __future__ import annotations

import numpy as np

from .causal import causal


def prefix(lengths: np.ndarray, queries: int, keys: int, *, offset: int) -> np.ndarray:
    """True at keys up to the query's own and at the lengths[b] keys of the prefix.

    lengths: [B]. Returns bool [B, 1, Lq, Lk].
    Source: Raffel et al. 2020, section 3.2.1.
    """
    within = np.arange(keys) < np.asarray(lengths)[:, np.newaxis]
    return causal(queries, keys, offset=offset) | within[:, np.newaxis, np.newaxis, :]


def blocks(query_blocks: np.ndarray, key_blocks: np.ndarray, *, offset: int) -> np.ndarray:
    """True at keys up to the query's own and at those of its block.

    A negative id is of no block (text between images).
    query_blocks: [B, Lq]; key_blocks: [B, Lk]. Returns bool [B, 1, Lq, Lk].
    Source: transformers masking_utils blockwise_overlay.
    """
    query, key = np.asarray(query_blocks), np.asarray(key_blocks)
    same = query[:, np.newaxis, :, np.newaxis] == key[:, np.newaxis, np.newaxis, :]
    same &= query[:, np.newaxis, :, np.newaxis] >= 0
    return causal(query.shape[1], key.shape[1], offset=offset) | same
