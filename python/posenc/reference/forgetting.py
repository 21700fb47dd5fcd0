# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forgetting attention: what the gates between a key and a query leave of it.

Sources: Forgetting Transformer (Lin et al. 2025); x-transformers
DataDependentAlibi and PerRowDataDependentAlibi.
"""

from __future__ import annotations

import numpy as np


def bias(
    log_gates: np.ndarray,
    queries: int,
    *,
    later_log_gates: np.ndarray | None = None,
    offset: int,
) -> np.ndarray:
    """The sum of ln f over the gates after key j up to query i, for j <= i.

    Query i is key row i + offset, which must exist. Keys after the query: minus
    the sum over the gates from i + 1 to j, or the sum of `later_log_gates` over
    them where given (bidirectional models).

    log_gates: [B, H, Lk]. Returns float64 [B, H, Lq, Lk].
    Raises IndexError for a query that is no key row.
    """
    keys = np.shape(log_gates)[-1]
    if queries and not 0 <= offset <= keys - queries:
        raise IndexError(
            f"queries are key rows {offset} to {offset + queries - 1} of {keys} keys; "
            "every query needs gates"
        )
    result = np.zeros((*np.shape(log_gates)[:-1], queries, keys))
    for i in range(queries):
        row = i + offset
        for j in range(keys):
            if j <= row:
                result[..., i, j] = np.sum(log_gates[..., j + 1 : row + 1], axis=-1)
            elif later_log_gates is not None:
                result[..., i, j] = np.sum(later_log_gates[..., row + 1 : j + 1], axis=-1)
            else:
                result[..., i, j] = -np.sum(log_gates[..., row + 1 : j + 1], axis=-1)
    return result


def bias_of_sums(
    sums: np.ndarray, queries: int, *, backward: np.ndarray | None = None, offset: int
) -> np.ndarray:
    """`bias`, from running sums of the gates; queries that are no key row take the nearest.

    sums, backward: [B, H, Lk]. Returns float64 [B, H, Lq, Lk].
    """
    sums = np.asarray(sums, dtype=np.float64)
    keys = sums.shape[-1]
    at = np.arange(queries) + offset
    rows = np.clip(at, 0, max(keys - 1, 0))
    result = sums[..., rows, np.newaxis] - sums[..., np.newaxis, :]
    if backward is not None:
        backward = np.asarray(backward, dtype=np.float64)
        after = backward[..., np.newaxis, :] - backward[..., rows, np.newaxis]
        result = np.where(np.arange(keys) > at[:, np.newaxis], after, result)
    return result


def bias_per_row(row_log_gates: np.ndarray) -> np.ndarray:
    """Gates of every query and key: the sum over the keys l >= j before query i.

    row_log_gates: [.., L, L], read below the diagonal. Returns float64 likewise.
    Depends on scores, so no compiled formula has it.
    """
    below = np.tril(np.asarray(row_log_gates, dtype=np.float64), k=-1)
    return np.flip(np.cumsum(np.flip(below, axis=-1), axis=-1), axis=-1)
