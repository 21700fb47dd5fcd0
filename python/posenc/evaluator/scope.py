# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values that operations see, and how they run their regions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .parser import Block


class Scope(dict):
    """Values by name. A region sees the values around it: regions capture."""

    def __init__(self, run: Callable[[Block, Scope], list[np.ndarray]], values: dict | None = None):
        super().__init__(values or {})
        self.runner = run
        self.indices: Sequence[np.ndarray] = ()

    def run(
        self, block: Block, arguments: Sequence[np.ndarray], indices: Sequence[np.ndarray] = ()
    ) -> list[np.ndarray]:
        """What the region yields for arrays that broadcast, all at once.

        `indices` are those of the loops around it, for `linalg.index`.
        """
        inner = Scope(self.runner, self)
        inner.indices = indices or self.indices
        inner.update(zip(block.arguments, arguments))
        return self.runner(block, inner)

    def sizes(self, names: Sequence[str]) -> list[int]:
        """Index operands as numbers."""
        return [int(self[name]) for name in names]


def grid(sizes: Sequence[int]) -> list[np.ndarray]:
    """An array of indices for each loop, which broadcast to `sizes`."""
    return list(np.ogrid[tuple(slice(size) for size in sizes)])
