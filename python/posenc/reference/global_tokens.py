# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Global tokens: they see every key, and every query sees them."""

from __future__ import annotations

import numpy as np


def global_tokens(query_global: np.ndarray, key_global: np.ndarray) -> np.ndarray:
    """True where the query or the key is global; meant for a union with a window.

    query_global: bool [B, Lq]; key_global: bool [B, Lk]. Returns bool [B, 1, Lq, Lk].
    Source: Beltagy et al. 2020, section 3.1.
    """
    query, key = np.asarray(query_global), np.asarray(key_global)
    return query[:, np.newaxis, :, np.newaxis] | key[:, np.newaxis, np.newaxis, :]
