# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes as exporters print them: sums, products and quotients of numbers and names."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import TypeVar

Number = TypeVar("Number")

_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}


def evaluate(
    text: str, name: Callable[[str], Number], number: Callable[[int], Number]
) -> Number | None:
    """The value of `2*s75 - 1`, where `name` and `number` say what its leaves are.

    None for text that is no such expression; what `name` and the arithmetic raise passes.
    """

    def value(node: ast.AST) -> Number:
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            return _OPERATORS[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.Name):
            return name(node.id)
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return number(node.value)
        raise SyntaxError(f"no sum or product: {type(node).__name__}")

    try:
        return value(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
