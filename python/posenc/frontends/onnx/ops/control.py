# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""If: the branch that is known to be taken, else scf.if with both."""

from __future__ import annotations

from collections.abc import Sequence

from ...._errors import ImportFailure
from ..emitter import Emitter
from ..registry import NodeContext, handles
from ..values import BOOL, Value


@handles("If")
def if_(ctx: NodeContext):
    condition = ctx.input(0)
    if condition.element != BOOL:
        raise ImportFailure(f"the condition is {condition.type}; it must be one bool")
    taken = condition.scalar() if condition.is_number else condition.uniform
    if taken is not None:
        return ctx.subgraph("then_branch" if taken else "else_branch")
    at = ", ".join([ctx.emit.index(0)] * condition.rank)
    flag = ctx.emit.op(f"tensor.extract {ctx.emit.ssa(condition)}[{at}] : {condition.type}")
    branches = []
    for name in ("then_branch", "else_branch"):
        with ctx.emit.region() as operations:
            values = ctx.subgraph(name)
            names = [ctx.emit.ssa(value) for value in values]
        branches.append((values, names, operations))
    (values, _, _), (others, _, _) = branches
    for value, other in zip(values, others):
        if value.element != other.element or value.shape != other.shape:
            raise ImportFailure(
                f"the branches give {value.type} and {other.type}, by a condition that depends on "
                "data; give them the same sizes"
            )
    types = ", ".join(value.type for value in values)
    texts = [_branch(ctx.emit, operations, names, types) for _, names, operations in branches]
    result = ctx.emit.op(f"scf.if {flag} -> ({types}) {texts[0]} else {texts[1]}", len(values))
    results = [f"{result}#{i}" for i in range(len(values))] if len(values) > 1 else [result]
    return [
        ctx.build.with_sizes(Value(value.element, value.shape, ssa=ssa))
        for value, ssa in zip(values, results)
    ]


def _branch(emit: Emitter, operations: list, names: Sequence[str], types: str) -> str:
    lines = emit.lines(operations, names)
    return "{\n" + "\n".join([*lines, f"  scf.yield {', '.join(names)} : {types}"]) + "\n}"
