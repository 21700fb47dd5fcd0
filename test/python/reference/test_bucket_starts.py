# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where T5's buckets start: published values, and the formula with logarithms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from posenc.reference import bucketed_bias


def test_published_starts() -> None:
    starts = bucketed_bias.bucket_starts
    both = [*range(8), 8, 12, 16, 23, 32, 46, 64, 91]
    causal = [
        *range(16),
        16,
        19,
        21,
        24,
        27,
        31,
        35,
        40,
        46,
        52,
        59,
        67,
        77,
        87,
        99,
        113,
    ]
    assert starts(32, 128, bidirectional=True) == both
    assert starts(32, 128, bidirectional=False) == causal


def test_smallest_table() -> None:
    """Four buckets, two tokens: [[b0, b3], [b1, b0]]."""
    table = np.array([[10.0], [11.0], [12.0], [13.0]])
    bias = bucketed_bias.bias(table, 2, 2, max_distance=8, bidirectional=True, offset=0)
    assert bias.tolist() == [[[10, 13], [11, 10]]]


@given(
    buckets=st.integers(2, 400),
    beyond=st.integers(1, 2000),
    distance=st.integers(0, 5000),
)
def test_starts_agree_with_logarithms(buckets: int, beyond: int, distance: int) -> None:
    """The float formula decides, but for thresholds, where its rounding would."""
    exact = buckets // 2
    max_distance = exact + beyond
    actual = int(bucketed_bias.buckets(-distance, buckets, max_distance, bidirectional=False))
    if distance < exact:
        assert actual == distance
        return
    step = math.log(distance / exact) / math.log(max_distance / exact)
    step *= buckets - exact
    lowest, highest = (
        min(exact + math.trunc(step + error), buckets - 1) for error in (-1e-9, 1e-9)
    )
    assert lowest <= actual <= highest


@pytest.mark.parametrize(
    ("num_buckets", "max_distance", "bidirectional", "message"),
    [
        (7, 128, True, "num_buckets is 7"),
        (2, 128, True, "at least 4"),
        (1, 128, False, "at least 2"),
        (32, 8, True, "max_distance is 8; it must be above 8"),
    ],
)
def test_refuses(num_buckets: int, max_distance: int, bidirectional: bool, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bucketed_bias.bucket_starts(num_buckets, max_distance, bidirectional=bidirectional)
