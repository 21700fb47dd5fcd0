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
    block_sparse,
    bucketed_bias,
    causal,
    chunked,
    document,
    fire,
    forgetting,
    frequencies,
    global_tokens,
    kerple,
    learned,
    multi_axis,
    onnx_ops,
    padding,
    pope,
    positions,
    prefix,
    query_temperature,
    relative_bias,
    relative_bias_2d,
    rotary,
    sandwich,
    sinusoidal,
    tree,
    window,
    xpos,
)

__all__ = [
    "add",
    "alibi",
    "attention",
    "block_sparse",
    "bucketed_bias",
    "causal",
    "chunked",
    "document",
    "fire",
    "forgetting",
    "frequencies",
    "global_tokens",
    "kerple",
    "learned",
    "multi_axis",
    "onnx_ops",
    "padding",
    "pope",
    "positions",
    "prefix",
    "query_temperature",
    "relative_bias",
    "relative_bias_2d",
    "rotary",
    "sandwich",
    "sinusoidal",
    "tree",
    "window",
    "xpos",
]
