# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention (opsets 23, 24, 25) becomes posenc.attention.

Its mask and bias are read by the op's regions (`attention_masks.py`). The raw
scores, which a fused attention does not have, are computed a second time where
the graph asks for them (`attention_scores.py`).
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np
from onnx import TensorProto

from ...._errors import ImportFailure
from ..emitter import literal
from ..registry import NodeContext, handles, node_name
from ..scalars import Scalars
from ..symbols import Extent
from ..values import BOOL, F32, I64, ElementType, Shape, Value
from .attention_masks import read_mask, visibility


@dataclass
class AttentionInputs:
    """What the node asks for, in the axis order b, h, l, d."""

    query: Value
    key: Value
    value: Value
    query_layout: str
    key_layout: str
    value_layout: str
    scale: float
    softcap: float
    mask: Value | None  # bool or float, last dimension as long as the keys
    batch: Extent
    query_heads: Extent
    key_heads: Extent
    query_rows: Extent
    key_rows: Extent
    head_size: int
    value_size: Extent
    causal: bool
    left: int  # inclusive distances of the window, -1 without limit
    right: int
    offset: Extent  # key index of query row 0, where it is the same for the whole batch
    lengths: Value | None  # i64 [B]: keys in use; the offset is then lengths[b] - query_rows
    lengths_hide: bool = True  # whether a key past its length is hidden from rows that are later
    sinks: Value | None = None  # f32 [query_heads]: the score of one more key, without a value

    @property
    def score_shape(self) -> Shape:
        return (self.batch, self.query_heads, self.query_rows, self.key_rows)


@handles("Attention", since=23)
def attention(ctx: NodeContext):
    """Y, present_key, present_value, qk_matmul_output."""
    inputs, present_key, present_value = _read_inputs(ctx)
    result = emit_attention(ctx, inputs)
    scores = None
    if ctx.wants(3):
        from .attention_scores import emit_scores

        scores = emit_scores(ctx, inputs, ctx.attribute("qk_matmul_output_mode", 0))
    return [result, present_key, present_value, scores]


# Inputs.


def _read_inputs(ctx: NodeContext) -> tuple[AttentionInputs, Value, Value]:
    query, key, value = ctx.input(0), ctx.input(1), ctx.input(2)
    past_key, past_value, lengths = ctx.optional(4), ctx.optional(5), ctx.optional(6)
    if (past_key is None) != (past_value is None):
        raise ImportFailure("past_key and past_value come together or not at all")
    if lengths is not None and past_key is not None:
        raise ImportFailure("nonpad_kv_seqlen cannot come with past_key and past_value")
    for operand in (query, key, value):
        ctx.build.refuse_f64(operand)
        if operand.element.kind != "f":
            raise ImportFailure(f"query, key and value must be floats, not {operand.element.mlir}")
    if lengths is not None and (lengths.element != I64 or lengths.rank != 1):
        raise ImportFailure(f"nonpad_kv_seqlen is {lengths.type}; it must be i64 of rank 1")
    packed = query.rank == 3
    if any(operand.rank != query.rank for operand in (key, value)) or query.rank not in (3, 4):
        raise ImportFailure(
            f"query, key and value have ranks {query.rank}, {key.rank}, {value.rank}; "
            "all must be 3 or all 4"
        )
    if packed:
        query_heads, key_heads = (_heads(ctx, name) for name in ("q_num_heads", "kv_num_heads"))
        query = ctx.build.split_heads(query, query_heads, "query")
        key = ctx.build.split_heads(key, key_heads, "key")
        value = ctx.build.split_heads(value, key_heads, "value")
    present_key = with_past(ctx, key, past_key, packed, ctx.wants(1))
    present_value = with_past(ctx, value, past_value, packed, ctx.wants(2))
    key_is_packed = packed and past_key is None
    key_source = key if key_is_packed else present_key
    value_source = value if key_is_packed else present_value
    batch, heads, rows, head_size = bhld(query, packed)
    key_batch, key_heads, key_rows, key_size = bhld(key_source, key_is_packed)
    value_batch, value_heads, value_rows, value_size = bhld(value_source, key_is_packed)
    if head_size.static is None or value_size.static is None:
        raise ImportFailure("the head size is dynamic; export the model with a fixed head size")
    if head_size == 0:
        raise ImportFailure("the head size is 0; a head needs at least one lane")
    for left, right in (
        (head_size, key_size),
        (key_rows, value_rows),
        (batch, key_batch),
        (batch, value_batch),
        (key_heads, value_heads),
    ):
        ctx.build.agree(left, right)
    check_heads(heads, key_heads)
    past_rows = past_key.shape[2] if past_key is not None else Extent.of(0)
    layout = "blhd" if key_is_packed else "bhld"
    inputs = AttentionInputs(
        query=query,
        key=key_source,
        value=value_source,
        query_layout="blhd" if packed else "bhld",
        key_layout=layout,
        value_layout=layout,
        scale=_scale(ctx, head_size.static, query.element),
        softcap=ctx.attribute("softcap", 0.0),
        mask=_mask(ctx, key_rows),
        batch=batch,
        query_heads=heads,
        key_heads=key_heads,
        query_rows=rows,
        key_rows=key_rows,
        head_size=head_size.static,
        value_size=value_size,
        causal=bool(ctx.attribute("is_causal", 0)),
        left=ctx.attribute("left_window_size", -1),
        right=ctx.attribute("right_window_size", -1),
        offset=past_rows,
        lengths=lengths,
    )
    if ctx.attribute("softmax_precision", TensorProto.FLOAT) == TensorProto.DOUBLE:
        warnings.warn(
            f"node '{node_name(ctx.node)}' asks for a softmax in float64; "
            "posenc computes it in float32",
            stacklevel=2,
        )
    if inputs.mask is not None:
        ctx.build.broadcast_shapes([inputs.mask.shape, inputs.score_shape])
    return inputs, present_key, present_value


def _heads(ctx: NodeContext, name: str) -> int:
    heads = ctx.attribute(name, 0)
    if not heads:
        raise ImportFailure(f"inputs of rank 3 need the attribute {name}")
    return heads


def with_past(ctx: NodeContext, x: Value, past: Value | None, packed: bool, wanted: bool) -> Value:
    """The cache [B, H, past + S, D]; without a past just x, in that order if it is wanted."""
    if past is None and not wanted:
        return x
    x = ctx.build.transpose(x, [0, 2, 1, 3]) if packed else x
    return x if past is None else ctx.build.concat([past, x], 2)


def bhld(x: Value, packed: bool) -> Shape:
    b, first, second, d = x.shape
    return (b, second, first, d) if packed else (b, first, second, d)


def check_heads(query: Extent, key: Extent) -> None:
    if (
        query.static is not None
        and key.static is not None
        and (key == 0 or query.static % key.static)
    ):
        raise ImportFailure(f"{key} key heads do not divide {query} query heads")


def _scale(ctx: NodeContext, head_size: int, element: ElementType) -> float:
    """Query and key are scaled by the root, rounded to their type; a negative scale is NaN."""
    scale = ctx.attribute("scale")
    if scale is None:
        scale = 1.0 / math.sqrt(head_size)
    if scale < 0:
        return math.nan
    root = float(np.float32(math.sqrt(np.float32(scale))).astype(element.numpy))
    return root * root


def _mask(ctx: NodeContext, key_rows: Extent) -> Value | None:
    """attn_mask; one shorter than the keys (opset 24 on) hides the rest."""
    mask = ctx.optional(3)
    if mask is None:
        return None
    if mask.element != BOOL and mask.element.kind != "f":
        raise ImportFailure(
            f"attn_mask has elements of type {mask.element.mlir}; they must be bool or float"
        )
    if not 1 <= mask.rank <= 4:
        raise ImportFailure(f"attn_mask is {mask.type}; its rank must be 1 to 4")
    length = mask.shape[-1]
    if length == key_rows or length == 1 or ctx.opset < 24:
        return mask
    missing = key_rows - length
    if not ctx.emit.at_least(missing, 0):
        if missing.static is not None:
            raise ImportFailure(f"attn_mask covers {length} keys of {key_rows}")
        ctx.emit.require("sge", key_rows, length, f"attn_mask covers {length} keys of {key_rows}")
    hidden = literal(mask.element, False if mask.element == BOOL else -np.inf)
    padding = [Extent.of(0)] * (mask.rank - 1)
    padded = ctx.build.pad(
        mask,
        padding + [Extent.of(0)],
        padding + [missing],
        ctx.emit.scalar(mask.element.mlir, hidden),
    )
    return ctx.build.retyped(padded, mask.shape[:-1] + (key_rows,))


# The op.


def emit_attention(ctx: NodeContext, a: AttentionInputs) -> Value:
    output_shape = (a.batch, a.query_heads, a.query_rows, a.value_size)
    packed = a.query_layout == "blhd"
    if packed:
        output_shape = (a.batch, a.query_rows, a.query_heads, a.value_size)
    output = Value(a.query.element, output_shape)
    query, key, value = (ctx.emit.ssa(x) for x in (a.query, a.key, a.value))
    scale = ctx.emit.scalar("f32", literal(F32, a.scale))
    init = ctx.emit.empty(output.element, output_shape)
    layouts = [a.query_layout, a.key_layout, a.value_layout, a.query_layout]
    clauses = f" layouts({', '.join(layouts)})" if "blhd" in layouts else ""
    sinks = f" sinks({ctx.emit.ssa(a.sinks)} : {a.sinks.type})" if a.sinks is not None else ""
    regions = _score_region(ctx, a) + _mask_region(ctx, a)
    output.ssa = ctx.emit.op(
        f"posenc.attention query({query} : {a.query.type}) key({key} : {a.key.type}) "
        f"value({value} : {a.value.type}) "
        f"scale({scale}){sinks} outs({init} : {output.type}){clauses}{regions} -> {output.type}"
    )
    if not packed:
        return output
    return ctx.build.reshape(output, (a.batch, a.query_rows, a.query_heads * a.value_size))


def _region(ctx: NodeContext, name: str, arguments: list[str], body) -> str:
    s = Scalars(ctx.emit)
    names = [ctx.emit.fresh() for _ in arguments]
    yielded, type_ = body(s, *names)
    lines = "".join(f"  {line}\n" for line in s.lines)
    return f"\n{name}({', '.join(names)}) {{\n{lines}  posenc.yield {yielded} : {type_}\n}}"


def _score_region(ctx: NodeContext, a: AttentionInputs) -> str:
    bias = a.mask if a.mask is not None and a.mask.element != BOOL else None
    if not a.softcap and bias is None:
        return ""

    def body(s: Scalars, x, b, h, i, j):
        if a.softcap:
            x = soft_cap(s, x, a.softcap)
        if bias is not None:
            x = s.binary(
                "Add", x, s.convert(read_mask(ctx, s, bias, (b, h, i, j)), bias.element, F32), F32
            )
        return x, "f32"

    if bias is not None:
        ctx.emit.ssa(bias)
    return _region(ctx, "score", ["x", "b", "h", "i", "j"], body)


def soft_cap(s: Scalars, x: str, cap: float) -> str:
    """cap * tanh(x / cap), before any mask or bias."""
    limit = s.constant(F32, cap)
    return s.binary("Mul", limit, s.math("Tanh", s.binary("Div", x, limit, F32), F32), F32)


def _mask_region(ctx: NodeContext, a: AttentionInputs) -> str:
    visible = visibility(ctx, a)
    if visible is None:
        return ""
    return _region(ctx, "mask", ["b", "h", "i", "j"], lambda s, *at: (visible(s, at), "i1"))
