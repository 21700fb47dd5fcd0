# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that write at positions given as data.

Where the positions are known at import the result is a formula of what is
written: an inserted slice, or a choice by a table. Else it is a loop; a write
outside the tensor is left out, so that no input makes compiled code write
elsewhere.
"""

from __future__ import annotations

import numpy as np

from ...._errors import ImportFailure
from ..registry import NodeContext, handles, known
from ..scalars import Scalars
from ..symbols import Extent, product, smaller
from ..values import BOOL, I64, Value
from .indexing import as_integers, require_inside

_COMBINE = {"add": "Add", "mul": "Mul", "min": "Min", "max": "Max"}


@handles("ScatterND")
def scatter_nd(ctx: NodeContext):
    """data [D0...], indices [..., w], updates [..., Dw...]."""
    data, indices, updates = ctx.input(0), as_integers(ctx.input(1)), ctx.input(2)
    width = indices.shape[-1].static if indices.rank else None
    if not width or width > data.rank:
        raise ImportFailure(
            f"the indices are {indices.type}; their last dimension must be static and at most "
            f"the rank of the data, {data.rank}"
        )
    shape = indices.shape[:-1] + data.shape[width:]
    if updates.rank != len(shape):
        raise ImportFailure(f"the updates have rank {updates.rank}; it must be {len(shape)}")
    for left, right in zip(updates.shape, shape):
        ctx.build.agree(left, right)
    rows = ctx.build.reshape(updates, (product(indices.shape[:-1]), *data.shape[width:]))
    numbers = indices.numbers
    if numbers is not None:
        for axis in range(width):
            require_inside(ctx, numbers[..., axis], data.shape[axis])
    if numbers is not None and all(extent.static is not None for extent in data.shape[:width]):
        sizes = np.array([extent.static for extent in data.shape[:width]])
        targets = np.where(numbers < 0, numbers + sizes, numbers)
        result = _known_scatter(ctx, data, targets, updates, rows)
        if result is not None:
            return [result]
    return [_loop(ctx, data, ctx.build.reshape(indices, (rows.shape[0], width)), rows)]


@handles("ScatterElements")
def scatter_elements(ctx: NodeContext):
    """ScatterND whose tuples are the place in the updates but for one axis."""
    data, indices, updates = ctx.input(0), as_integers(ctx.input(1)), ctx.input(2)
    axis = ctx.axis(ctx.attribute("axis", 0), data.rank)
    if not data.rank == indices.rank == updates.rank:
        raise ImportFailure(
            f"data, indices and updates have ranks {data.rank}, {indices.rank}, {updates.rank}; "
            "they must be equal"
        )
    for left, right in zip(indices.shape, updates.shape):
        ctx.build.agree(left, right)
    slice_ = _one_slice(ctx, data, indices, updates, axis)
    if slice_ is not None:
        return [slice_]
    whole = (*indices.shape, Extent.of(data.rank))

    def body(s: Scalars, x: list[str]) -> str:
        position, result = s.loop(data.rank), s.to_index(x[0], indices.element)
        for d in (d for d in range(data.rank) if d != axis):
            here = s.op(f"arith.cmpi eq, {position}, {s.index(d)} : index")
            result = s.op(f"arith.select {here}, {s.loop(d)}, {result} : index")
        return s.op(f"arith.index_cast {result} : index to i64")

    subscripts = ", ".join(f"d{d}" for d in range(data.rank))
    tuples = ctx.build.generic([indices], [subscripts], I64, whole, body)
    count = product(indices.shape)
    tuples = ctx.build.reshape(tuples, (count, Extent.of(data.rank)))
    return [_loop(ctx, data, tuples, ctx.build.reshape(updates, (count,)))]


def _one_slice(
    ctx: NodeContext, data: Value, indices: Value, updates: Value, axis: int
) -> Value | None:
    """One row along the axis, replaced whole at a position known at import."""
    position = indices.uniform
    fits = all(
        size == (1 if d == axis else extent)
        for d, (size, extent) in enumerate(zip(updates.shape, data.shape))
    )
    if position is None or not fits or ctx.attribute("reduction", "none") != "none":
        return None
    require_inside(ctx, np.array([position]), data.shape[axis])
    extent = data.shape[axis]
    offsets = [Extent.of(0)] * data.rank
    offsets[axis] = Extent.of(int(position)) if position >= 0 else extent + int(position)
    return ctx.build.insert(updates, data, offsets, [1] * data.rank)


def _known_scatter(
    ctx: NodeContext, data: Value, targets: np.ndarray, updates: Value, rows: Value
) -> Value | None:
    """`targets`, of the shape [..., w], are positions in the first w dimensions."""
    reduction = ctx.attribute("reduction", "none")
    width = targets.shape[-1]
    box = _box(targets) if reduction == "none" else None
    if box is not None:
        offsets, counts, steps = box
        rest = data.shape[width:]
        part = ctx.build.reshape(updates, (*map(Extent.of, counts), *rest))
        offsets = [*map(Extent.of, offsets), *([Extent.of(0)] * len(rest))]
        return ctx.build.insert(part, data, offsets, [*steps, *([1] * len(rest))])
    sizes = [extent.static for extent in data.shape[:width]]
    flat = np.ravel_multi_index(tuple(targets.reshape(-1, width).T), sizes)
    if reduction != "none" and len(np.unique(flat)) != len(flat):
        return None
    row_of = np.full(int(np.prod(sizes)), -1, np.int64)
    row_of[flat] = np.arange(len(flat))
    table = known(row_of.reshape(sizes), I64)
    source = ctx.emit.ssa(rows)

    def body(s: Scalars, x: list[str]) -> str:
        written = s.op(f"arith.cmpi sge, {x[1]}, {s.constant(I64, 0)} : i64")
        row = s.op(f"arith.maxsi {x[1]}, {s.constant(I64, 0)} : i64")
        at = [s.to_index(row, I64), *(s.loop(d) for d in range(width, data.rank))]
        update = s.op(f"tensor.extract {source}[{', '.join(at)}] : {rows.type}")
        return s.select(written, _combined(s, x[0], update, data, reduction), x[0], data.element)

    every = [f"d{d}" for d in range(data.rank)]
    maps = [", ".join(every), ", ".join(every[:width])]
    return ctx.build.generic([data, table], maps, data.element, data.shape, body)


def _box(targets: np.ndarray) -> tuple[list[int], list[int], list[int]] | None:
    """(offsets, counts, steps) of the grid whose points, in order, are the targets."""
    width = targets.shape[-1]
    points = targets.reshape(-1, width)
    if not len(points):
        return None
    offsets, counts, steps = [], [], []
    for column in points.T:
        values = np.unique(column)
        step = int(values[1] - values[0]) if len(values) > 1 else 1
        offsets.append(int(values[0]))
        counts.append(len(values))
        steps.append(step)
    if np.prod(counts) != len(points):
        return None
    grid = np.indices(counts).reshape(width, -1).T * steps + offsets
    return (offsets, counts, steps) if (grid == points).all() else None


def _combined(s: Scalars, old: str, new: str, data: Value, reduction: str) -> str:
    if reduction == "none":
        return new
    if reduction not in _COMBINE:
        raise ImportFailure(f"the reduction '{reduction}' is not known")
    return s.binary(_COMBINE[reduction], old, new, data.element)


def _loop(ctx: NodeContext, data: Value, tuples: Value, rows: Value) -> Value:
    """Row after row of `rows` [N, rest...] to where `tuples` [N, w] says."""
    ctx.build.same_element([data, rows])
    reduction, emit = ctx.attribute("reduction", "none"), ctx.emit
    width, rest = tuples.shape[1].static, data.shape[tuples.shape[1].static :]
    indices, source, start = emit.ssa(tuples), emit.ssa(rows), emit.ssa(data)
    extents = [emit.index(extent) for extent in data.shape[:width]]
    sizes = emit.mixed_sizes((*[Extent.of(1)] * width, *rest))
    row_type = Value(data.element, rest).type
    row_sizes = emit.mixed_sizes((Extent.of(1), *rest))
    zeros = ", 0" * len(rest)
    # Without elements there is no place to write to.
    count = rows.shape[0] * smaller(product(data.shape[:width]), 1)
    bounds = [emit.index(0), emit.index(count), emit.index(1)]
    s, row, result = Scalars(emit), emit.fresh(), emit.fresh()
    valid, at = s.constant(BOOL, True), []
    for axis, extent in enumerate(extents):
        number = s.op(f"tensor.extract {indices}[{row}, {s.index(axis)}] : {tuples.type}")
        wanted = s.from_the_front(s.to_index(number, tuples.element), extent)
        at.append(s.within(wanted, extent))
        inside = s.op(f"arith.cmpi eq, {wanted}, {at[-1]} : index")
        valid = s.op(f"arith.andi {valid}, {inside} : i1")
    place = f"[{', '.join(at)}{zeros}] {sizes} {[1] * data.rank}"
    old = s.op(f"tensor.extract_slice {result}{place} : {data.type} to {row_type}")
    new = s.op(
        f"tensor.extract_slice {source}[{row}{zeros}] {row_sizes} {[1] * rows.rank} "
        f": {rows.type} to {row_type}"
    )
    written = _written_row(s, old, new, valid, Value(data.element, rest), reduction)
    after = s.op(
        f"tensor.insert_slice {written} into {result}{place} : {row_type} into {data.type}"
    )
    lines = "".join(f"  {line}\n" for line in s.lines)
    loop = emit.op(
        f"scf.for {row} = {bounds[0]} to {bounds[1]} step {bounds[2]} "
        f"iter_args({result} = {start}) -> ({data.type}) {{\n{lines}"
        f"  scf.yield {after} : {data.type}\n}}"
    )
    return ctx.build.with_sizes(Value(data.element, data.shape, ssa=loop))


def _written_row(
    s: Scalars, old: str, new: str, valid: str, row: Value, reduction: str
) -> str:
    """linalg.generic over one row, written over the old one."""
    loops = ", ".join(f"d{d}" for d in range(row.rank))
    body = s.nested()
    update, current = body.fresh(), body.fresh()
    combined = _combined(body, current, update, row, reduction)
    kept = body.select(valid, combined, current, row.element)
    lines = "".join(f"  {line}\n" for line in body.lines)
    kinds = ", ".join(['"parallel"'] * row.rank)
    same = f"affine_map<({loops}) -> ({loops})>"
    return s.op(
        f"linalg.generic {{indexing_maps = [{same}, {same}], iterator_types = [{kinds}]}} "
        f"ins({new} : {row.type}) outs({old} : {row.type}) {{\n"
        f"^bb0({update}: {row.element.mlir}, {current}: {row.element.mlir}):\n{lines}"
        f"  linalg.yield {kept} : {row.element.mlir}\n}} -> {row.type}"
    )


@handles("TensorScatter", since=24)
def tensor_scatter(ctx: NodeContext):
    """The cache with `update` in it from the row write_indices[b] on, along one axis."""
    cache, update, starts = ctx.input(0), ctx.input(1), ctx.optional(2)
    ctx.build.same_element([cache, update])
    axis = ctx.axis(ctx.attribute("axis", -2), cache.rank)
    circular = ctx.attribute("mode", "linear") == "circular"
    for d in (d for d in range(cache.rank) if d != axis):
        ctx.build.agree(cache.shape[d], update.shape[d])
    source = ctx.emit.ssa(update)
    rows, length = ctx.emit.index(update.shape[axis]), ctx.emit.index(cache.shape[axis])

    def body(s: Scalars, x: list[str]) -> str:
        at = [s.loop(d) for d in range(cache.rank)]
        row = at[axis]
        if starts is not None:
            row = s.op(f"arith.subi {row}, {s.to_index(x[1], starts.element)} : index")
        if circular:
            row = s.from_the_front(s.op(f"arith.remsi {row}, {length} : index"), length)
        after = s.op(f"arith.cmpi sge, {row}, {s.index(0)} : index")
        before = s.op(f"arith.cmpi slt, {row}, {rows} : index")
        at[axis] = s.within(row, rows)
        new = s.op(f"tensor.extract {source}[{', '.join(at)}] : {update.type}")
        return s.select(s.binary("And", after, before, BOOL), new, x[0], cache.element)

    loops = ", ".join(f"d{d}" for d in range(cache.rank))
    operands = [cache] if starts is None else [cache, as_integers(starts)]
    maps = [loops, "d0"][: len(operands)]
    return [ctx.build.generic(operands, maps, cache.element, cache.shape, body)]
