# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MultiHeadAttention becomes posenc.attention."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ....._errors import ImportFailure
from ...registry import NodeContext, handles
from ...scalars import Scalars
from ...symbols import Extent
from ...values import F32, Value
from ..attention import AttentionInputs, emit_attention, with_past
from .normalization import MICROSOFT


@dataclass
class Operand:
    """[B, L, H, D], or as a cache has it [B, H, L, D]."""

    value: Value
    by_heads: bool

    @property
    def layout(self) -> str:
        return "bhld" if self.by_heads else "blhd"


@handles("MultiHeadAttention", domain=MICROSOFT)
def multi_head_attention(ctx: NodeContext):
    """Output [B, S, H*Dv], present_key and present_value [B, H, T, D]."""
    heads = ctx.attribute("num_heads", 0)
    if heads < 1:
        raise ImportFailure("needs the attribute num_heads")
    for position, name in ((8, "past_sequence_length"), (9, "cache_indirection")):
        if ctx.optional(position) is not None:
            raise ImportFailure(f"{name} is not known; export without a shared or beam cache")
    if ctx.wants(3):
        raise ImportFailure("the raw scores as an output are not known; use Attention")
    query, key, value = _with_bias(ctx, *_operands(ctx, heads), heads)
    presents = []
    for position, operand in ((1, key), (2, value)):
        past, wanted = ctx.optional(5 + position), ctx.wants(position)
        present = with_past(ctx, operand.value, past, not operand.by_heads, wanted)
        presents.append(present)
        if past is not None or wanted:
            operand.value, operand.by_heads = present, True
    past = ctx.optional(6)
    offset = past.shape[2] if past is not None else Extent.of(0)
    inputs = make_inputs(ctx, query, key, value, scale_of(ctx, query.value))
    inputs.mask = _bias(ctx, inputs)
    inputs.causal, inputs.offset = bool(ctx.attribute("unidirectional", 0)), offset
    return [emit_attention(ctx, inputs), *presents]


def scale_of(ctx: NodeContext, query: Value) -> float:
    head_size = query.shape[3].static
    if not head_size:
        raise ImportFailure(f"the head size is {query.shape[3]}; it must be a number above 0")
    return ctx.attribute("scale", 0.0) or 1.0 / math.sqrt(head_size)


def make_inputs(
    ctx: NodeContext, query: Operand, key: Operand, value: Operand, scale: float
) -> AttentionInputs:
    """Attention without mask or bias; the sizes are checked against each other."""

    def bhld(operand: Operand):
        b, first, second, d = operand.value.shape
        return (b, first, second, d) if operand.by_heads else (b, second, first, d)

    ctx.build.same_element([query.value, key.value, value.value])
    batch, query_heads, query_rows, head_size = bhld(query)
    key_batch, key_heads, key_rows, key_size = bhld(key)
    value_batch, value_heads, value_rows, value_size = bhld(value)
    for left, right in (
        (batch, key_batch),
        (batch, value_batch),
        (key_heads, value_heads),
        (key_rows, value_rows),
        (head_size, key_size),
    ):
        ctx.build.agree(left, right)
    return AttentionInputs(
        query=query.value,
        key=key.value,
        value=value.value,
        query_layout=query.layout,
        key_layout=key.layout,
        value_layout=value.layout,
        scale=scale,
        softcap=0.0,
        mask=None,
        batch=batch,
        query_heads=query_heads,
        key_heads=key_heads,
        query_rows=query_rows,
        key_rows=key_rows,
        head_size=head_size.static,
        value_size=value_size,
        causal=False,
        left=-1,
        right=-1,
        offset=Extent.of(0),
        lengths=None,
    )


def _operands(ctx: NodeContext, heads: int) -> list[Operand]:
    """Query, key and value, taken apart where they are packed."""
    query, key, value = ctx.input(0), ctx.optional(1), ctx.optional(2)
    if query.rank == 5:
        return [_part(ctx, query, index) for index in range(3)]
    if key is None:
        raise ImportFailure(f"has no key, and the query {query.type} is not packed")
    operands = [Operand(ctx.build.split_heads(query, heads, "query"), False)]
    if key.rank == 5:
        return operands + [_part(ctx, key, index) for index in range(2)]
    for name, operand in (("key", key), ("value", ctx.input(2) if value is None else value)):
        if operand.rank == 4:
            operands.append(Operand(operand, True))
        else:
            operands.append(Operand(ctx.build.split_heads(operand, heads, name), False))
    return operands


def _part(ctx: NodeContext, packed: Value, index: int) -> Operand:
    """[B, L, H, parts, D] to [B, L, H, D]."""
    b, rows, heads, _, size = packed.shape
    offsets = [Extent.of(index if axis == 3 else 0) for axis in range(5)]
    part = ctx.build.slice(packed, offsets, (b, rows, heads, Extent.of(1), size))
    return Operand(ctx.build.reshape(part, (b, rows, heads, size)), False)


def _with_bias(
    ctx: NodeContext, query: Operand, key: Operand, value: Operand, heads: int
) -> tuple[Operand, Operand, Operand]:
    """Adds the bias of the projections, which lies in one row: query, key, value."""
    bias = ctx.optional(3)
    offset = Extent.of(0)
    for operand in (query, key, value) if bias is not None else ():
        size = operand.value.shape[3]
        part = ctx.build.slice(bias, [offset], [size * heads])
        offset = offset + size * heads
        if operand.by_heads:  # Keys that were projected before have theirs.
            continue
        row = ctx.build.reshape(part, (Extent.of(heads), size))
        element = ctx.build.same_element([operand.value, row])
        operand.value = ctx.build.elementwise(
            [operand.value, row],
            element,
            lambda s, x, element=element: s.binary("Add", *x, element),
            operand.value.shape,
        )
    return query, key, value


def _bias(ctx: NodeContext, a: AttentionInputs) -> Value | None:
    """attention_bias, plus mask_filter_value where a key is padding: f32 [B, H, S, T]."""
    padding, bias = ctx.optional(4), ctx.optional(5)
    if padding is None:
        return bias
    if padding.element.kind != "i":
        raise ImportFailure(f"key_padding_mask is {padding.type}; it must be integers")
    hidden = ctx.attribute("mask_filter_value", -10000.0)
    added = _hidden_keys(ctx, a, padding, hidden)
    if bias is None:
        return added
    return ctx.build.elementwise(
        [added, bias],
        F32,
        lambda s, x: s.binary("Add", x[0], s.convert(x[1], bias.element, F32), F32),
    )


def _hidden_keys(ctx: NodeContext, a: AttentionInputs, padding: Value, hidden: float) -> Value:
    """`hidden` where a key does not count, 0 elsewhere; its shape broadcasts to the scores'."""
    one = Extent.of(1)
    if padding.rank == 1:
        if padding.shape[0] != a.batch:
            raise ImportFailure(
                f"key_padding_mask is {padding.type}; posenc takes the lengths [{a.batch}], "
                "[batch, keys] or [batch, rows, keys]"
            )
        shape, source = (a.batch, one, one, a.key_rows), "d0"
    elif padding.rank == 2:
        ctx.build.agree(padding.shape[1], a.key_rows)
        shape, source = (a.batch, one, one, a.key_rows), "d0, d3"
    elif padding.rank == 3:
        shape, source = (a.batch, one, a.query_rows, a.key_rows), "d0, d2, d3"
    else:
        raise ImportFailure(f"key_padding_mask is {padding.type}; its rank must be 1 to 3")

    def body(s: Scalars, x: list[str]) -> str:
        if padding.rank == 1:
            key = s.op(f"arith.index_cast {s.loop(3)} : index to {padding.element.mlir}")
            counts = s.compare("Less", key, x[0], padding.element)
        else:
            zero = s.constant(padding.element, 0)
            counts = s.invert(s.compare("Equal", x[0], zero, padding.element))
        return s.select(counts, s.constant(F32, 0.0), s.constant(F32, hidden), F32)

    return ctx.build.generic([padding], [source], F32, shape, body)
