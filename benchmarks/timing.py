# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fair timing: alternating sides, wall clock, medians of ratios."""

import dataclasses
import statistics
import time
from collections.abc import Callable


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Two sides timed alternately: seconds a call (medians) and the median of their ratios."""

    ours: float
    theirs: float
    #: Their time over ours: above one, ours is faster.
    ratio: float


def seconds(function: Callable[[], object]) -> float:
    begin = time.perf_counter()
    function()
    return time.perf_counter() - begin


def compare(ours: Callable[[], object], theirs: Callable[[], object], budget: float = 2.0) -> Comparison:
    """Times both sides alternately for about `budget` seconds, at least seven pairs."""
    for function in (ours, theirs):
        function()
    once = seconds(ours) + seconds(theirs)
    pairs = max(7, min(200, int(budget / once)))
    # Which side goes first alternates too: the second of a pair finds warmer caches.
    times = []
    for pair in range(pairs):
        if pair % 2:
            theirs_time, ours_time = seconds(theirs), seconds(ours)
        else:
            ours_time, theirs_time = seconds(ours), seconds(theirs)
        times.append((ours_time, theirs_time))
    return Comparison(
        statistics.median(ours_time for ours_time, _ in times),
        statistics.median(theirs_time for _, theirs_time in times),
        statistics.median(theirs_time / ours_time for ours_time, theirs_time in times),
    )
