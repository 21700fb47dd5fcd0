# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Learned absolute encodings: rows of a trained table, and the row rules."""

from __future__ import annotations

import numpy as np

from . import checks
from .positions import from_mask, from_tokens


def learned(
    table: np.ndarray,
    positions: np.ndarray,
    *,
    row_offset: int = 0,
    out_of_range: str = "error",
) -> np.ndarray:
    """Rows table[position + row_offset].

    table: [rows, dim]; positions: [L] or [B, L] integers.
    out_of_range: a row outside the table is an "error", or is moved to the
    nearest row ("clamp"). Negative rows never count from the end.
    Returns float64 [*positions, dim].
    Raises IndexError for a row outside the table with "error", ValueError for an
    unknown choice or an empty table.
    """
    checks.one_of("out_of_range", out_of_range, ("error", "clamp"))
    table = np.asarray(table, dtype=np.float64)
    checks.positive("the table's number of rows", table.shape[0])
    rows = np.asarray(positions, dtype=np.int64) + row_offset
    outside = rows[(rows < 0) | (rows >= table.shape[0])]
    if outside.size and out_of_range == "error":
        raise IndexError(
            f"row {outside[0]} (row offset {row_offset} included) is outside the "
            f"table of {table.shape[0]} rows; pass a longer table, or "
            "out_of_range='clamp'"
        )
    return table[np.clip(rows, 0, table.shape[0] - 1)]


def roberta_rows(token_ids: np.ndarray, *, padding_idx: int, past: int = 0) -> np.ndarray:
    """Rows by RoBERTa's rule, which is fairseq's: see positions.from_tokens.

    token_ids: [B, L]. Returns [B, L] int64.
    """
    return from_tokens(token_ids, padding_idx=padding_idx, past=past)


def opt_rows(attention_mask: np.ndarray, *, past: int = 0, row_offset: int = 2) -> np.ndarray:
    """Rows by OPT's rule: row_offset + cumsum(mask) * mask - 1.

    The mask [B, past + L] covers past and new tokens; the rows of the new ones
    are returned, [B, L] int64. Masked tokens read row row_offset - 1.
    Source: transformers OPTLearnedPositionalEmbedding; BioGPT likewise.
    """
    return from_mask(attention_mask, pad_position=-1)[:, past:] + row_offset


def bart_rows(batch: int, length: int, *, past: int = 0, row_offset: int = 2) -> np.ndarray:
    """Rows by BART's rule: row_offset + past + index. Padding is not looked at.

    Returns [batch, length] int64.
    Source: transformers BartLearnedPositionalEmbedding.
    """
    rows = np.arange(length, dtype=np.int64) + past + row_offset
    return np.broadcast_to(rows, (batch, length)).copy()
