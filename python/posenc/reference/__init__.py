# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reference implementations in float64 numpy, written from the papers.

One file an encoding, and a slow, readable attention. Nothing here is derived
from the compiler or shares code with it: the compiler is tested against it.
Needs numpy only.
"""

from . import (
    add,
    alibi,
    attention,
    bucketed_bias,
    causal,
    document,
    frequencies,
    learned,
    onnx_ops,
    padding,
    positions,
    rotary,
    sinusoidal,
    window,
)

__all__ = [
    "add",
    "alibi",
    "attention",
    "bucketed_bias",
    "causal",
    "document",
    "frequencies",
    "learned",
    "onnx_ops",
    "padding",
    "positions",
    "rotary",
    "sinusoidal",
    "window",
]
