# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GroupQueryAttention becomes posenc.rotary, a cache with the new rows in it, posenc.attention."""

from __future__ import annotations

from ....._errors import ImportFailure
from ...registry import NodeContext, handles
from ...scalars import Scalars
from ...symbols import Extent, larger
from ...values import F32, I64, Value
from ..attention import check_heads, emit_attention
from ..rotary import rotate
from .attention import Operand, make_inputs, scale_of
from .normalization import MICROSOFT
from .rotary import counted_from

_REFUSED_INPUTS = {12: "k_scale", 13: "v_scale", 14: "q_norm_weight", 16: "query_seqlens"}
_REFUSED_ATTRIBUTES = ("sliding_window_cache", "qk_output", "kv_cache_bit_width")


@handles("GroupQueryAttention", domain=MICROSOFT)
def group_query_attention(ctx: NodeContext):
    """Output [B, S, H*D], present_key and present_value [B, Hkv, T, D]."""
    for position, name in _REFUSED_INPUTS.items():
        if ctx.optional(position) is not None:
            raise ImportFailure(f"the input {name} is not known; export without it")
    for name in _REFUSED_ATTRIBUTES:
        if ctx.attribute(name, 0):
            raise ImportFailure(f"the attribute {name} is not known; export without it")
    query, key, value = _heads(ctx)
    lengths = _lengths(ctx)
    first = _first_positions(ctx, lengths, query.shape[1])
    if ctx.attribute("do_rotary", 0):
        query, key = (_rotated(ctx, x, first) for x in (query, key))
    present_key = _present(ctx, key, ctx.optional(3), first)
    present_value = _present(ctx, value, ctx.optional(4), first)
    inputs = make_inputs(
        ctx,
        Operand(query, False),
        Operand(present_key, True),
        Operand(present_value, True),
        scale_of(ctx, query),
    )
    check_heads(inputs.query_heads, inputs.key_heads)
    window = ctx.attribute("local_window_size", -1)
    inputs.softcap = ctx.attribute("softcap", 0.0)
    inputs.mask = ctx.optional(10)
    inputs.causal = bool(ctx.attribute("causal", 1))
    inputs.left = window - 1 if window > 0 else -1
    inputs.lengths, inputs.lengths_hide = lengths, not inputs.causal
    inputs.sinks = _sinks(ctx, inputs.query_heads)
    return [emit_attention(ctx, inputs), present_key, present_value]


def _heads(ctx: NodeContext) -> tuple[Value, Value, Value]:
    """Query [B, S, H, D], key and value [B, S, Hkv, D]."""
    heads, groups = ctx.attribute("num_heads", 0), ctx.attribute("kv_num_heads", 0)
    if heads < 1 or groups < 1 or heads % groups:
        raise ImportFailure(f"{groups} key heads do not divide {heads} query heads")
    query = ctx.input(0)
    if ctx.optional(1) is not None:
        key, value = ctx.input(1), ctx.input(2)
        return (
            ctx.build.split_heads(query, heads, "query"),
            ctx.build.split_heads(key, groups, "key"),
            ctx.build.split_heads(value, groups, "value"),
        )
    packed = ctx.build.split_heads(query, heads + 2 * groups, "packed query")
    b, rows, _, size = packed.shape
    parts, offset = [], 0
    for count in (heads, groups, groups):
        offsets = [Extent.of(offset if axis == 2 else 0) for axis in range(4)]
        parts.append(ctx.build.slice(packed, offsets, (b, rows, Extent.of(count), size)))
        offset += count
    return tuple(parts)


def _lengths(ctx: NodeContext) -> Value:
    """i64 [B]: the keys of each sequence, old and new; seqlens_k is one less."""
    given = ctx.input(5)
    if given.rank == 2:
        given = ctx.build.reshape(given, (given.shape[0],))
    if given.rank != 1 or given.element.kind != "i":
        raise ImportFailure(f"seqlens_k is {given.type}; it must be integers of rank 1")

    def body(s: Scalars, x: list[str]) -> str:
        return s.binary("Add", s.convert(x[0], given.element, I64), s.constant(I64, 1), I64)

    return ctx.build.elementwise([given], I64, body, given.shape)


def _first_positions(ctx: NodeContext, lengths: Value, rows: Extent) -> Value:
    """i64 [B]: where the first new row stands; 0 for a prompt, which may be padded at its end."""
    count = ctx.emit.integer(rows)

    def body(s: Scalars, x: list[str]) -> str:
        first = s.op(f"arith.subi {x[0]}, {count} : i64")
        return s.op(f"arith.maxsi {first}, {s.constant(I64, 0)} : i64")

    return ctx.build.elementwise([lengths], I64, body, lengths.shape)


def _rotated(ctx: NodeContext, x: Value, first: Value) -> Value:
    positions = ctx.optional(9)
    if positions is None:
        positions = counted_from(ctx, first, x.shape[1])
    cos, sin = ctx.input(7), ctx.input(8)
    pairs = cos.shape[-1].static
    if pairs is None:
        raise ImportFailure(f"the width of the cache {cos.type} is dynamic; give it a number")
    interleaved = bool(ctx.attribute("rotary_interleaved", 0))
    return rotate(ctx, x, "blhd", cos, sin, positions, 2 * pairs, interleaved)


def _present(ctx: NodeContext, new: Value, past: Value | None, first: Value) -> Value:
    """The cache [B, Hkv, T, D] with the new rows [B, S, Hkv, D] from `first` on."""
    batch, rows, heads, size = new.shape
    if past is None or past.shape[2] == 0:
        return ctx.build.transpose(new, [0, 2, 1, 3])
    ctx.build.same_element([new, past])
    for left, right in ((past.shape[0], batch), (past.shape[1], heads), (past.shape[3], size)):
        ctx.build.agree(left, right)
    total = ctx.input(6)
    if total.content is None:
        raise ImportFailure(
            "total_sequence_length depends on data; compute it from a shape (of the attention "
            "mask, say), so that the size of the cache is known"
        )
    length = larger(past.shape[2], ctx.extents(total, "total_sequence_length")[0])
    shape = (batch, heads, length, size)
    old_rows, new_rows = ctx.emit.index(past.shape[2]), ctx.emit.index(rows)
    old_name, new_name = ctx.emit.ssa(past), ctx.emit.ssa(new)

    def body(s: Scalars, x: list[str]) -> str:
        b, h, row, lane = (s.loop(axis) for axis in range(4))
        place = s.op(f"arith.subi {row}, {s.to_index(x[0], I64)} : index")
        after = s.op(f"arith.cmpi sge, {place}, {s.index(0)} : index")
        before = s.op(f"arith.cmpi slt, {place}, {new_rows} : index")
        is_new = s.op(f"arith.andi {after}, {before} : i1")
        at = s.within(place, new_rows)
        fresh = s.op(f"tensor.extract {new_name}[{b}, {at}, {h}, {lane}] : {new.type}")
        at = s.within(row, old_rows)
        old = s.op(f"tensor.extract {old_name}[{b}, {h}, {at}, {lane}] : {past.type}")
        return s.select(is_new, fresh, old, new.element)

    return ctx.build.generic([first], ["d0"], new.element, shape, body)


def _sinks(ctx: NodeContext, heads: Extent) -> Value | None:
    """head_sink [H]; smooth_softmax is a sink of 0 for every head."""
    sinks = ctx.optional(11)
    if sinks is not None:
        return ctx.build.cast(sinks, F32)
    if not ctx.attribute("smooth_softmax", 0):
        return None
    zeros = ctx.emit.filled(F32, (heads,), ctx.emit.scalar("f32", "0.0"))
    return Value(F32, (heads,), ssa=zeros)
