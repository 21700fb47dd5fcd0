# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Handlers of ONNX operators, a file a family; importing them registers them."""

from . import (  # noqa: F401
    attention,
    contrib,
    control,
    convolution,
    einsum,
    elementwise,
    indexing,
    matmul,
    normalization,
    padding,
    reduction,
    refused,
    resize,
    rotary,
    scatter,
    shape,
)
