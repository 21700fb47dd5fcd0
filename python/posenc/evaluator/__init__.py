# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MLIR graphs in float64 NumPy: the second opinion of `posenc verify`.

Reads the graph as it was given, before any pass, in MLIR's generic form; posenc's ops go to
`posenc.reference`, which is written from the papers. It shares nothing with the compiler but
the parser that printed the generic form, and is written to be read, not to be fast.
"""

from .functions import evaluate_function

__all__ = ["evaluate_function"]
