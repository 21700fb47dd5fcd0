# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Normalization with the sum before it: SkipLayerNormalization and its relatives."""

from __future__ import annotations

from ...registry import NodeContext, handles
from ...scalars import Scalars
from ...values import Value
from ..normalization import layer_normalize, rms_normalize

MICROSOFT = "com.microsoft"


@handles("SimplifiedLayerNormalization", domain=MICROSOFT)
def simplified_layer_normalization(ctx: NodeContext):
    """RMSNormalization by its older name; also 1 / deviation."""
    x = ctx.input(0)
    axes = list(range(ctx.axis(ctx.attribute("axis", -1), x.rank), x.rank))
    return list(rms_normalize(ctx.build, x, ctx.input(1), axes, ctx.attribute("epsilon", 1e-5)))


def _sum(ctx: NodeContext, bias: Value | None) -> Value:
    """input + skip + bias; the skip may lack the batch or have a batch of 1."""
    x, skip = ctx.input(0), ctx.input(1)
    operands = [x, skip] + ([] if bias is None else [bias])
    element = ctx.build.same_element(operands)

    def body(s: Scalars, v: list[str]) -> str:
        total = v[0]
        for term in v[1:]:
            total = s.binary("Add", total, term, element)
        return total

    return ctx.build.elementwise(operands, element, body, x.shape)


@handles("SkipLayerNormalization", domain=MICROSOFT)
def skip_layer_normalization(ctx: NodeContext):
    """Layer norm of input + skip + bias; also mean, 1 / deviation and the sum itself."""
    total = _sum(ctx, ctx.optional(4))
    epsilon = ctx.attribute("epsilon", 1e-12)
    axes = [total.rank - 1]
    gamma, beta = ctx.input(2), ctx.optional(3)
    return [*layer_normalize(ctx.build, total, gamma, beta, axes, epsilon), total]


@handles("SkipSimplifiedLayerNormalization", domain=MICROSOFT)
def skip_simplified_layer_normalization(ctx: NodeContext):
    """RMS norm of input + skip + bias; also 1 / deviation and the sum itself."""
    total = _sum(ctx, ctx.optional(3))
    epsilon = ctx.attribute("epsilon", 1e-12)
    y, inverse = rms_normalize(ctx.build, total, ctx.input(2), [total.rank - 1], epsilon)
    return [y, None, inverse, total]
