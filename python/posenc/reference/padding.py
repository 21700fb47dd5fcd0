# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Padding mask: keys that are padding are seen by no query.

Padded queries are not masked here; what their rows hold is nobody's business.
"""

from __future__ import annotations

import numpy as np

from . import checks


def padding(lengths: np.ndarray, keys: int, *, side: str) -> np.ndarray:
    """True at the lengths[b] keys that are real.

    side: where the padding is: "right" keeps j < length, "left" keeps
    j >= Lk - length.
    lengths: [B] integers. Returns bool [B, 1, 1, Lk].
    Raises ValueError for a length outside 0 ... Lk or an unknown side.
    """
    checks.one_of("side", side, ("right", "left"))
    lengths = np.asarray(lengths, dtype=np.int64)
    outside = lengths[(lengths < 0) | (lengths > keys)]
    if outside.size:
        raise ValueError(f"length {outside[0]} is outside 0 ... {keys}, the keys")
    j = np.arange(keys, dtype=np.int64)
    lengths = lengths[:, np.newaxis]
    return from_keep(j < lengths if side == "right" else j >= keys - lengths)


def from_keep(keep: np.ndarray) -> np.ndarray:
    """A mask a key, [B, Lk] with non-zero = real, as bool [B, 1, 1, Lk].

    The general form: padding on both sides, or holes.
    """
    return (np.asarray(keep) != 0)[:, np.newaxis, np.newaxis, :]
