# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the function of weights.mlir: y = x + (1, 2, 3, 4)."""

from __future__ import annotations

import sys

import numpy as np
from library import Library

library = Library(sys.argv[1])
x = np.arange(12, dtype=np.float32).reshape(3, 4)
y = np.empty_like(x)
library.run("add_weights", x, y)
assert np.array_equal(y, x + np.array([1, 2, 3, 4], np.float32)), y
