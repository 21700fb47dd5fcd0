# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sliding-window mask: a query sees keys within a distance of its coordinate."""

from __future__ import annotations

import numpy as np

from . import checks
from .positions import coordinates


def window(
    queries: int,
    keys: int,
    *,
    left: int | None,
    right: int | None,
    offset: int | np.ndarray,
    dilation: int = 1,
) -> np.ndarray:
    """True where i + offset - left <= j <= i + offset + right.

    Both distances are inclusive, None is unbounded: left = 2, right = 0 keeps
    three keys. A model's "window W" is left = W - 1, right = 0 where it is
    causal (Mistral, Gemma); both-sided, it is W on either side in transformers'
    masking_utils and W - 1 in its Gemma 3.

    dilation: of every how many keys one is seen; distances count those that are
    (Longformer's dilated window: left = right = w / 2).

    offset: a scalar, or [B]. Returns bool [Lq, Lk], or [B, 1, Lq, Lk].
    Raises ValueError for a negative distance.
    """
    for name, distance in (("left", left), ("right", right)):
        if distance is not None and distance < 0:
            raise ValueError(f"{name} is {distance}; a distance is at least 0, None is unbounded")
    checks.positive("dilation", dilation)
    i, j = coordinates(queries, keys, offset)
    keep = np.ones(np.broadcast_shapes(i.shape, j.shape), dtype=bool)
    if left is not None:
        keep &= j >= i - left * dilation
    if right is not None:
        keep &= j <= i + right * dilation
    return keep & ((j - i) % dilation == 0)
