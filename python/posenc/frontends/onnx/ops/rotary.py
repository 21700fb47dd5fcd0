# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""RotaryEmbedding becomes posenc.rotary with caches, which may hold any numbers."""

from __future__ import annotations

from ...._errors import ImportFailure
from ..registry import NodeContext, handles
from ..values import Value


@handles("RotaryEmbedding", since=23)
def rotary_embedding(ctx: NodeContext):
    """X [B,H,S,D] or [B,S,H*D]; caches [rows,r/2] with positions, else [B or 1,S,r/2]."""
    x = ctx.input(0)
    heads = _by_heads(ctx, x)
    rotated = rotate(
        ctx,
        heads,
        "bhld" if x.rank == 4 else "blhd",
        ctx.input(1),
        ctx.input(2),
        ctx.optional(3),
        ctx.attribute("rotary_embedding_dim", 0),
        bool(ctx.attribute("interleaved", 0)),
    )
    return [ctx.build.reshape(rotated, x.shape)]


def rotate(
    ctx: NodeContext,
    heads: Value,
    layout: str,
    cos: Value,
    sin: Value,
    positions: Value | None,
    count: int,
    interleaved: bool,
) -> Value:
    """posenc.rotary of `heads`, in `layout`; `count` lanes of a head rotate, 0 for all."""
    for operand in (heads, cos, sin):
        ctx.build.refuse_f64(operand)
        if operand.element.kind != "f":
            raise ImportFailure(
                f"the input and the caches must be floats, not {operand.element.mlir}"
            )
    head_size = heads.shape[3].static
    if head_size is None:
        raise ImportFailure("the head size is dynamic; export the model with a fixed head size")
    if head_size == 0:
        raise ImportFailure("the head size is 0; a head needs at least two lanes")
    count = count or head_size
    if count % 2 or count > head_size:
        raise ImportFailure(
            f"rotates {count} lanes of a head of {head_size}; "
            "the number must be even and not larger"
        )
    row_axis = 2 if layout == "bhld" else 1
    _check_caches(ctx, cos, sin, count // 2, heads, row_axis, positions)
    pairing = "interleaved" if interleaved else "half"
    operands = [ctx.emit.ssa(heads)]
    if positions is not None:
        operands.append(f"positions({ctx.emit.ssa(positions)} : {positions.type})")
    operands += [
        f"cos({ctx.emit.ssa(cos)} : {cos.type})",
        f"sin({ctx.emit.ssa(sin)} : {sin.type})",
        f"lanes(<{pairing}, first = 0, count = {count}>)",
    ]
    if layout != "bhld":
        operands.append(f"layout(<{layout}>)")
    return Value(
        heads.element,
        heads.shape,
        ssa=ctx.emit.op(f"posenc.rotary {' '.join(operands)} : {heads.type}"),
    )


def _by_heads(ctx: NodeContext, x: Value) -> Value:
    """The input as [B, H, S, D] or [B, S, H, D]."""
    if x.rank == 4:
        return x
    if x.rank != 3:
        raise ImportFailure(f"the input has rank {x.rank}; it must be 3 or 4")
    heads = ctx.attribute("num_heads", 0)
    if not heads:
        raise ImportFailure("an input of rank 3 needs the attribute num_heads")
    return ctx.build.split_heads(x, heads, "input")


def _check_caches(
    ctx: NodeContext,
    cos: Value,
    sin: Value,
    pairs: int,
    heads: Value,
    row_axis: int,
    positions: Value | None,
) -> None:
    if cos.type != sin.type:
        raise ImportFailure(
            f"the cos cache is {cos.type} and the sin cache {sin.type}; they must be alike"
        )
    expected = 3 if positions is None else 2
    if cos.rank != expected:
        raise ImportFailure(
            f"the caches have rank {cos.rank}; {'without' if positions is None else 'with'} "
            f"position_ids it must be {expected}"
        )
    if cos.shape[-1].static not in (None, pairs):
        raise ImportFailure(
            f"the caches are {cos.shape[-1]} wide; {2 * pairs} rotated lanes need {pairs}"
        )
    for cache, name in ((cos, "cos"), (sin, "sin")):
        if cache.shape[-1] != pairs:
            ctx.emit.require("eq", cache.shape[-1], pairs, f"the {name} cache must be {pairs} wide")
        if positions is None:
            # A batch of 1 serves all: exporters write it, though the operator does not foresee it.
            if cache.shape[0] != 1:
                ctx.build.agree(cache.shape[0], heads.shape[0])
            ctx.build.agree(cache.shape[1], heads.shape[row_axis])
    if positions is not None:
        if positions.rank != 2 or positions.element.kind != "i":
            raise ImportFailure(f"position_ids is {positions.type}; it must be integers of rank 2")
        if positions.shape[0] != 1:
            ctx.build.agree(positions.shape[0], heads.shape[0])
        ctx.build.agree(positions.shape[1], heads.shape[row_axis])
