# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""RotaryEmbedding of onnxruntime: positions come second, and may be one offset."""

from __future__ import annotations

from ....._errors import ImportFailure
from ...registry import NodeContext, handles
from ...scalars import Scalars
from ...symbols import Extent
from ...values import I64, Value
from ..rotary import rotate
from .normalization import MICROSOFT


@handles("RotaryEmbedding", domain=MICROSOFT)
def rotary_embedding(ctx: NodeContext):
    """X [B, S, H*D] or [B, H, S, D]; positions [B, S], or [1]: that of the first row."""
    x, positions, cos, sin = ctx.input(0), ctx.input(1), ctx.input(2), ctx.input(3)
    if ctx.attribute("is_packed_batching", 0):
        raise ImportFailure("is_packed_batching is not known; pad the rows to a batch")
    if ctx.attribute("scale", 1.0) != 1.0:
        raise ImportFailure("scale is not known; scale the caches or the positions")
    count, heads = ctx.attribute("rotary_embedding_dim", 0), ctx.attribute("num_heads", 0)
    layout, by_heads = "bhld", x
    if x.rank == 3:
        layout = "blhd"
        if not heads:
            columns, pairs = x.shape[2].static, cos.shape[1].static
            if not columns or not pairs:
                raise ImportFailure("an input of rank 3 needs the attribute num_heads")
            heads = columns // (2 * pairs)
        by_heads = ctx.build.split_heads(x, heads, "input")
    elif x.rank != 4:
        raise ImportFailure(f"the input has rank {x.rank}; it must be 3 or 4")
    rows = by_heads.shape[2 if layout == "bhld" else 1]
    if positions.rank == 1:
        positions = counted_from(ctx, positions, rows)
    rotated = rotate(
        ctx, by_heads, layout, cos, sin, positions, count, bool(ctx.attribute("interleaved", 0))
    )
    return [ctx.build.reshape(rotated, x.shape)]


def counted_from(ctx: NodeContext, first: Value, rows: Extent) -> Value:
    """Positions [N, rows] that count up from `first` [N]."""

    def body(s: Scalars, x: list[str]) -> str:
        row = s.op(f"arith.index_cast {s.loop(1)} : index to i64")
        return s.binary("Add", s.convert(x[0], first.element, I64), row, I64)

    return ctx.build.generic([first], ["d0"], I64, (first.shape[0], rows), body)
