# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which keys a row of Attention sees: attn_mask, causal, window, padding.

Masks that are the same for the whole batch are posenc ops. With
nonpad_kv_seqlen the causal offset differs from batch to batch: those conditions
are written out in the region.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..registry import NodeContext
from ..scalars import Scalars
from ..symbols import Extent
from ..values import BOOL, I64, Shape, Value

if TYPE_CHECKING:
    from .attention import AttentionInputs

Position = tuple[str, str, str, str]  # The index values b, h, i, j.


def read_mask(ctx: NodeContext, s: Scalars, mask: Value, at: Position) -> str:
    """One element of a mask that broadcasts, right-aligned, to [B, Hq, Lq, Lk]."""
    indices = [
        s.index(0) if extent == 1 else index
        for extent, index in zip(mask.shape, at[4 - mask.rank :])
    ]
    return s.op(f"tensor.extract {ctx.emit.ssa(mask)}[{', '.join(indices)}] : {mask.type}")


def visibility(ctx: NodeContext, a: AttentionInputs) -> Callable[[Scalars, Position], str] | None:
    """(scalars, (b, h, i, j)) -> i1: the conjunction of all masks; None without any."""
    tensors: list[Value] = []
    if a.mask is not None and a.mask.element == BOOL:
        tensors.append(a.mask)
    has_window = a.left >= 0 or a.right >= 0
    if a.lengths is None:
        tensors += _uniform_masks(ctx, a, has_window)
    elif a.lengths_hide:
        lengths = f"lengths({ctx.emit.ssa(a.lengths)} : {a.lengths.type})"
        tensors.append(
            _mask_op(
                ctx, "padding", [lengths], [], (a.batch, Extent.of(1), Extent.of(1), a.key_rows)
            )
        )
    per_batch = a.lengths is not None and (a.causal or has_window)
    if not tensors and not per_batch:
        return None
    for tensor in tensors:
        ctx.emit.ssa(tensor)
    limits = _Limits(ctx, a) if per_batch else None

    def body(s: Scalars, at) -> str:
        terms = [read_mask(ctx, s, tensor, at) for tensor in tensors]
        if limits:
            terms += limits.terms(s, at)
        result = terms[0]
        for term in terms[1:]:
            result = s.op(f"arith.andi {result}, {term} : i1")
        return result

    return body


def _mask_op(
    ctx: NodeContext, name: str, before: list[str], after: list[str], shape: Shape
) -> Value:
    """A mask op; its clauses stand before and after `sizes`."""
    sizes = ctx.emit.dynamic_sizes(shape)
    clauses = before + ([f"sizes({', '.join(sizes)})"] if sizes else []) + after
    mask = Value(BOOL, shape)
    mask.ssa = ctx.emit.op(" ".join([f"posenc.{name}", *clauses, ":", mask.type]))
    return mask


def _uniform_masks(ctx: NodeContext, a: AttentionInputs, has_window: bool) -> list[Value]:
    """Causal and window masks with one offset for the whole batch."""
    shape = (Extent.of(1), Extent.of(1), a.query_rows, a.key_rows)
    offset = [f"offset({ctx.emit.index(a.offset)})"] if a.offset != 0 else []
    masks = []
    if a.causal:
        masks.append(_mask_op(ctx, "causal", [], offset, shape))
    if has_window:
        sides = [
            f"{name}({ctx.emit.index(distance)})"
            for name, distance in (("left", a.left), ("right", a.right))
            if distance >= 0
        ]
        masks.append(_mask_op(ctx, "window", [], sides + offset, shape))
    return masks


class _Limits:
    """Causal and window conditions whose offset, lengths[b] - Lq, differs in the batch."""

    def __init__(self, ctx: NodeContext, a: AttentionInputs):
        self.a = a
        self.lengths = ctx.emit.ssa(a.lengths)
        self.rows = ctx.emit.index(a.query_rows)

    def terms(self, s: Scalars, at) -> list[str]:
        b, _, i, j = at
        a = self.a
        batch = s.index(0) if a.lengths.shape[0] == 1 else b
        length = s.to_index(s.op(f"tensor.extract {self.lengths}[{batch}] : {a.lengths.type}"), I64)
        offset = s.op(f"arith.subi {length}, {self.rows} : index")
        if not a.lengths_hide:  # A row past the end of its prompt sees what precedes it.
            offset = s.op(f"arith.maxsi {offset}, {s.index(0)} : index")
        position = s.op(f"arith.addi {i}, {offset} : index")
        terms = []
        if a.causal:
            terms.append(s.op(f"arith.cmpi sle, {j}, {position} : index"))
        if a.left >= 0:
            first = s.op(f"arith.subi {position}, {s.index(a.left)} : index")
            terms.append(s.op(f"arith.cmpi sge, {j}, {first} : index"))
        if a.right >= 0:
            last = s.op(f"arith.addi {position}, {s.index(a.right)} : index")
            terms.append(s.op(f"arith.cmpi sle, {j}, {last} : index"))
        return terms
