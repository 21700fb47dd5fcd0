# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Evaluates the element formula of an op with posenc-opt, on numpy arrays.

evaluate("posenc.padding lengths({n} : {n.type}) : tensor<2x1x1x5xi1>", n=lengths)
"""

from __future__ import annotations

import dataclasses
import re

import numpy as np

from tools import NUMPY, posenc_opt

_NAMES = {dtype: name for name, dtype in NUMPY.items()}
_CONSTANT = re.compile(r"arith\.constant dense<(.*)> : tensor<([\dx]*)x(\w+)>")


@dataclasses.dataclass(frozen=True)
class Operand:
    """A constant as an op's text names it: `{x}` its value, `{x.type}` its type."""

    name: str
    value: np.ndarray | int | float

    @property
    def type(self) -> str:
        if isinstance(self.value, int):
            return "index"
        if isinstance(self.value, float):
            return "f32"
        extents = [str(extent) for extent in self.value.shape]
        return f"tensor<{'x'.join([*extents, _NAMES[self.value.dtype]])}>"

    @property
    def literal(self) -> str:
        if isinstance(self.value, int):
            return f"{self.value} : index"
        if isinstance(self.value, float):
            return f"{self.value:.9e} : f32"
        value = self.value
        if value.dtype == np.bool_:
            value = np.packbits(value, bitorder="little")
        data = np.ascontiguousarray(value).tobytes().hex().upper()
        return f'dense<"0x{data}"> : {self.type}'

    def __str__(self) -> str:
        return f"%{self.name}"


def evaluate(op: str, **operands: np.ndarray | int | float) -> np.ndarray:
    """Every element of the result of `op`, whose operands are the constants given.

    op: the assembly of one op, with `{name}` and `{name.type}` for the operands:
    an int is an index, a float an f32, an array a tensor. Its result type is static. Returns an
    array of the result's shape and type.
    """
    return evaluate_each(op, [operands])[0]


def evaluate_each(op: str, calls: list[dict[str, np.ndarray | int | float]]) -> list[np.ndarray]:
    """`evaluate` for each of several sets of operands, in one run of posenc-opt."""
    functions = []
    for number, operands in enumerate(calls):
        constants = {name: Operand(name, value) for name, value in operands.items()}
        body = [f"%{name} = arith.constant {c.literal}" for name, c in constants.items()]
        body += [f"%result = {op.format(**constants)}", "return"]
        functions.append("\n  ".join([f"func.func @formula{number}() {{", *body]) + "\n}\n")
    printed = posenc_opt(
        "".join(functions),
        "--test-posenc-formula",
        "--mlir-print-elementsattrs-with-hex-if-larger=0",
    )
    results = []
    for function in printed.split("func.func @formula")[1:]:
        # The result takes the op's place, so it is the last constant.
        literal, extents, element = _CONSTANT.findall(function)[-1]
        shape = [int(extent) for extent in extents.split("x")]
        results.append(_parse(literal, shape, NUMPY[element]))
    return results


def _parse(literal: str, shape: list[int], dtype: np.dtype) -> np.ndarray:
    """A dense literal: bytes in hexadecimal, or one element for all."""
    if not literal.startswith('"0x'):
        value = literal == "true" if dtype == np.bool_ else float(literal)
        return np.full(shape, value, dtype)
    data = np.frombuffer(bytes.fromhex(literal[3:-1]), np.uint8)
    if dtype == np.bool_:
        bits = np.unpackbits(data, bitorder="little", count=int(np.prod(shape)))
        return bits.astype(np.bool_).reshape(shape)
    return data.view(dtype).reshape(shape)
