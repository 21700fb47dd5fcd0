# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a function: values by name, operations in order, each by the table of its dialect."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .._errors import NoReference
from . import caches, content, encodings, structured, tensors
from .parser import Block, Operation, parse_module, shape_of
from .scalars import evaluate_scalar
from .scope import Scope

_TABLES: tuple[dict[str, Callable], ...] = (
    tensors.OPERATIONS,
    structured.OPERATIONS,
    encodings.OPERATIONS,
    caches.OPERATIONS,
    content.OPERATIONS,
)


def evaluate_function(
    text: str, name: str | None, inputs: Sequence[np.ndarray]
) -> list[np.ndarray]:
    """The results of a function of a module in generic form, floats as float64.

    Those that are written over a donated argument come last, in the order of the arguments.
    `name` is the function's, where the module has several public ones. Raises `NoReference`
    for an operation that is not known here, and `posenc.Error` where an assertion of the graph
    fails.
    """
    function = _find(parse_module(text), name)
    (body,) = function.regions
    scope = Scope(_run)
    for argument, type_, value in zip(body.arguments, body.types, inputs):
        shape_of(type_)
        scope[argument] = _widened(value)
    with np.errstate(all="ignore"):
        results = [np.asarray(result) for result in _run(body, scope)]
    arguments = function.attributes.get("arg_attrs", [])
    donated = [given["posenc.donated"] for given in arguments if "posenc.donated" in given]
    kept = [number for number in range(len(results)) if number not in donated]
    return [results[number] for number in (*kept, *donated)]


def _widened(array: np.ndarray) -> np.ndarray:
    if array.dtype == np.bool_:
        return array
    return array.astype(np.float64 if "float" in array.dtype.name else np.int64)


def _find(module: Operation, name: str | None) -> Operation:
    functions = {
        operation.attributes["sym_name"]: operation
        for operation in module.regions[0].operations
        if operation.name == "func.func" and "sym_visibility" not in operation.attributes
    }
    if name is None and len(functions) == 1:
        return next(iter(functions.values()))
    if name not in functions:
        raise NoReference(
            f"the reference has no function '{name}'; there are {', '.join(functions)}"
        )
    return functions[name]


def _run(block: Block, scope: Scope) -> list[np.ndarray]:
    """The operands of the block's terminator."""
    for operation in block.operations:
        if operation.name.split(".")[-1] in ("yield", "return"):
            return [scope[operand] for operand in operation.operands]
        results = _evaluate(operation, scope)
        for result, value in zip(operation.results, results):
            scope[result] = value
    return []


def _evaluate(operation: Operation, scope: Scope) -> Sequence[np.ndarray]:
    for table in _TABLES:
        if operation.name in table:
            results = table[operation.name](operation, scope)
            return results if isinstance(results, tuple) else (results,)
    return (evaluate_scalar(operation, [scope[operand] for operand in operation.operands]),)
