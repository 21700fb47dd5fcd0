# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""qk_matmul_output of Attention: the scores as a tensor, in linalg.

Modes: 0 scaled product, 1 after the soft-cap, 2 after soft-cap and bias (minus
infinity where masked), 3 softmax, with zeros in rows that see no key. Always
[B, Hq, Lq, Lk], computed in f32 and rounded once.
"""

from __future__ import annotations

import numpy as np

from ...._errors import ImportFailure
from ..registry import NodeContext
from ..scalars import Scalars
from ..values import BOOL, F32, Value
from .attention import AttentionInputs, soft_cap
from .attention_masks import read_mask, visibility
from .reduction import fold_axes, softmax_of


def emit_scores(ctx: NodeContext, a: AttentionInputs, mode: int) -> Value:
    scores = _scaled_product(ctx, a)
    if mode >= 1 and a.softcap:
        scores = ctx.build.elementwise(
            [scores], F32, lambda s, x: soft_cap(s, x[0], a.softcap), a.score_shape
        )
    if mode >= 2:
        scores = _biased(ctx, a, scores)
    if mode == 3:
        scores = _probabilities(ctx, a, scores)
    return ctx.build.cast(scores, a.query.element)


def _scaled_product(ctx: NodeContext, a: AttentionInputs) -> Value:
    """Each query head against its key head: the group is a loop of its own."""
    if a.query_heads.static is None or a.key_heads.static is None:
        raise ImportFailure("the scores as an output need a static number of heads")
    query = ctx.build.transpose(a.query, [0, 2, 1, 3]) if a.query_layout == "blhd" else a.query
    group = a.query_heads.static // a.key_heads.static
    b, _, rows, d = query.shape
    grouped = ctx.build.reshape(query, (b, a.key_heads, a.key_heads.of(group), rows, d))
    key_map = "d0, d4, d1, r0" if a.key_layout == "blhd" else "d0, d1, d4, r0"
    shape = (a.batch, a.key_heads, a.key_heads.of(group), rows, a.key_rows)
    product = ctx.build.contract(grouped, "d0, d1, d2, d3, r0", a.key, key_map, shape)
    scaled = ctx.build.elementwise(
        [product], F32, lambda s, x: s.binary("Mul", x[0], s.constant(F32, a.scale), F32), shape
    )
    return ctx.build.reshape(scaled, a.score_shape)


def _loops(s: Scalars) -> tuple[str, str, str, str]:
    return tuple(s.loop(d) for d in range(4))


def _biased(ctx: NodeContext, a: AttentionInputs, scores: Value) -> Value:
    visible = visibility(ctx, a)
    bias = a.mask if a.mask is not None and a.mask.element != BOOL else None

    def body(s: Scalars, x: list[str]) -> str:
        at = _loops(s)
        result = x[0]
        if bias is not None:
            result = s.binary(
                "Add", result, s.convert(read_mask(ctx, s, bias, at), bias.element, F32), F32
            )
        if visible is not None:
            result = s.select(visible(s, at), result, s.constant(F32, -np.inf), F32)
        return result

    return ctx.build.elementwise([scores], F32, body, a.score_shape)


def _probabilities(ctx: NodeContext, a: AttentionInputs, scores: Value) -> Value:
    """Softmax; a row whose largest score is minus infinity sees no key and is zero."""
    largest = fold_axes(ctx.build, scores, [3], "ReduceMax", keep=True)
    weights = softmax_of(ctx.build, scores, 3)

    def body(s: Scalars, x: list[str]) -> str:
        empty = s.compare("Equal", x[1], s.constant(F32, -np.inf), F32)
        return s.select(empty, s.constant(F32, 0.0), x[0], F32)

    return ctx.build.elementwise([weights, largest], F32, body, a.score_shape)
