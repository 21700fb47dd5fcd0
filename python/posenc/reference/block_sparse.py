# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Block-sparse mask: which blocks of queries see which blocks of keys."""

from __future__ import annotations

import numpy as np


def block_sparse(
    blocks: np.ndarray,
    queries: int,
    keys: int,
    *,
    query_block: int,
    key_block: int,
    offset: int = 0,
) -> np.ndarray:
    """True at the queries and keys of visible blocks; what lies beyond is of the last.

    blocks: bool [B, H, nQ, nK]. offset: how many queries precede query 0 in the
    first block row. Returns bool [B, H, Lq, Lk].
    Source: Child et al. 2019; FlexAttention's BlockMask.
    """
    blocks = np.asarray(blocks, bool)
    rows, columns = blocks.shape[-2:]
    row = np.clip((np.arange(queries) + offset) // query_block, 0, rows - 1)
    column = np.clip(np.arange(keys) // key_block, 0, columns - 1)
    return blocks[..., row[:, np.newaxis], column]


def from_lists(numbers: np.ndarray, indices: np.ndarray, columns: int) -> np.ndarray:
    """Visible blocks from FlexAttention's lists.

    numbers: [B, H, nQ], kv_num_blocks, how many of each row of `indices` count;
    indices: [B, H, nQ, <= nK], kv_indices. Returns bool [B, H, nQ, nK].
    """
    numbers, indices = np.asarray(numbers), np.asarray(indices)
    blocks = np.zeros((*numbers.shape, columns), bool)
    for at in np.ndindex(numbers.shape):
        blocks[at][indices[at][: numbers[at]]] = True
    return blocks
