# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Einsum: products summed over the labels that the result does not have."""

from __future__ import annotations

import string
from collections.abc import Sequence

from ...._errors import ImportFailure
from ..emitter import literal
from ..registry import NodeContext, handles
from ..scalars import Scalars
from ..structured import Structured
from ..symbols import Extent
from ..values import F32, Value

# A label of the equation, or "...0", "...1" for the axes an ellipsis stands for, from the right.
Labels = list[str]


@handles("Einsum")
def einsum(ctx: NodeContext):
    """More than two operands are contracted from left to right."""
    operands = [ctx.input(i) for i in range(len(ctx.inputs))]
    element = ctx.build.same_element(operands)
    if element.kind == "b":
        raise ImportFailure("sums booleans; cast to int64 first")
    terms, result = _parse(ctx.attribute("equation", ""), [value.rank for value in operands])
    left, labels = operands[0], terms[0]
    if len(operands) == 1:
        return [ctx.build.cast(_contract(ctx.build, [left], terms, result), element)]
    for position, right in enumerate(operands[1:], 1):
        later = {label for term in [*terms[position + 1 :], result] for label in term}
        joined = list(dict.fromkeys(labels + terms[position]))
        kept = [label for label in joined if label in later]
        if position == len(operands) - 1:
            kept = result
        left = _contract(ctx.build, [left, right], [labels, terms[position]], kept)
        labels = kept
    return [ctx.build.cast(left, element)]


def _parse(equation: str, ranks: Sequence[int]) -> tuple[list[Labels], Labels]:
    text = equation.replace(" ", "")
    inputs, arrow, output = text.partition("->")
    parts = inputs.split(",")
    if len(parts) != len(ranks):
        raise ImportFailure(
            f"the equation '{equation}' is of {len(parts)} operands, but there are {len(ranks)}"
        )
    terms = [_labels(equation, part, rank) for part, rank in zip(parts, ranks)]
    every = [label for term in terms for label in term]
    widest = max(sum(label.startswith("...") for label in term) for term in terms)
    if arrow:
        rank = len(output.replace("...", "")) + (widest if "..." in output else 0)
        result = _labels(equation, output, rank)
    else:
        once = {label for label in every if every.count(label) == 1}
        single = sorted(label for label in once if len(label) == 1)
        result = _ellipsis(widest) + single
    unknown = [label for label in result if label not in every]
    if unknown or len(set(result)) != len(result):
        raise ImportFailure(f"the result of '{equation}' has labels the operands do not give it")
    return terms, result


def _ellipsis(axes: int) -> Labels:
    return [f"...{axis}" for axis in reversed(range(axes))]


def _labels(equation: str, part: str, rank: int) -> Labels:
    before, dots, after = part.partition("...")
    letters = before + after
    missing = rank - len(letters)
    if any(c not in string.ascii_letters for c in letters) or missing < 0 or missing and not dots:
        raise ImportFailure(f"the equation '{equation}' does not fit an operand of rank {rank}")
    return [*before, *_ellipsis(missing), *after]


def _contract(
    build: Structured, operands: list[Value], terms: list[Labels], result: Labels
) -> Value:
    """The sum over the labels not in `result`; f32 for 16-bit floats."""
    sizes: dict[str, Extent] = {}
    for value, term in zip(operands, terms):
        for label, extent in zip(term, value.shape):
            known = sizes.get(label, Extent.of(1))
            if known == 1 or extent == 1:
                sizes[label] = extent if known == 1 else known
            else:
                sizes[label] = build.agree(known, extent)
    summed = [label for label in sizes if label not in result]
    loops = {label: f"d{i}" for i, label in enumerate(result)}
    loops |= {label: f"r{i}" for i, label in enumerate(summed)}
    # What is repeated has no subscript: contractions read by plain loops are known as such.
    kept = [
        [axis for axis, label in enumerate(term) if value.shape[axis] != 1 or sizes[label] == 1]
        for value, term in zip(operands, terms)
    ]
    maps = [", ".join(loops[term[a]] for a in axes) for axes, term in zip(kept, terms)]
    operands = [
        build.reshape(value, tuple(value.shape[axis] for axis in axes))
        for axes, value in zip(kept, operands)
    ]
    shape = tuple(sizes[label] for label in result)
    element = F32 if operands[0].element.is_half else operands[0].element

    def product(s: Scalars, x: list[str]) -> str:
        factors = [s.convert(v, value.element, element) for v, value in zip(x, operands)]
        return factors[0] if len(factors) == 1 else s.binary("Mul", *factors, element)

    if not summed:
        return build.generic(operands, maps, element, shape, product)
    zero = build.emit.scalar(element.mlir, literal(element, 0))
    return build.generic(
        operands,
        maps,
        element,
        shape,
        lambda s, x: s.binary("Add", x[-1], product(s, x), element),
        reduced=list(loops[label] for label in summed),
        out_map=", ".join(loops[label] for label in result),
        init=build.emit.filled(element, shape, zero),
    )
