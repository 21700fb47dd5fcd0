# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Evaluates the element formula of an op with posenc-opt, on numpy arrays.

    evaluate("posenc.padding lengths({n} : {n.type}) : tensor<2x1x1x5xi1>", n=lengths)
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
import subprocess

import ml_dtypes
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("POSENC_BUILD_DIR", ROOT / "build"))

_ELEMENTS = {
    "f32": np.dtype(np.float32),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "i1": np.dtype(np.bool_),
}
_NAMES = {dtype: name for name, dtype in _ELEMENTS.items()}
_CONSTANT = re.compile(r"arith\.constant dense<(.*)> : tensor<([\dx]*)x(\w+)>")


@dataclasses.dataclass(frozen=True)
class Operand:
    """A constant as an op's text names it: `{x}` its value, `{x.type}` its type."""

    name: str
    value: np.ndarray | int

    @property
    def type(self) -> str:
        if isinstance(self.value, int):
            return "index"
        extents = [str(extent) for extent in self.value.shape]
        return f"tensor<{'x'.join([*extents, _NAMES[self.value.dtype]])}>"

    @property
    def literal(self) -> str:
        if isinstance(self.value, int):
            return f"{self.value} : index"
        data = np.ascontiguousarray(self.value).tobytes().hex().upper()
        return f'dense<"0x{data}"> : {self.type}'

    def __str__(self) -> str:
        return f"%{self.name}"


def run(source: str, *flags: str) -> str:
    """What posenc-opt prints for `source`; AssertionError with its messages if it fails."""
    command = [str(BUILD / "bin" / "posenc-opt"), *flags]
    done = subprocess.run(command, input=source, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{source}\n{done.stderr}"
    return done.stdout


def evaluate(op: str, **operands: np.ndarray | int) -> np.ndarray:
    """Every element of the result of `op`, whose operands are the constants given.

    op: the assembly of one op, with `{name}` and `{name.type}` for the operands:
    an int is an index, an array (bool excepted) a tensor. Its result type is
    static. Returns an array of the result's shape and type.
    """
    return evaluate_each(op, [operands])[0]


def evaluate_each(
    op: str, calls: list[dict[str, np.ndarray | int]]
) -> list[np.ndarray]:
    """`evaluate` for each of several sets of operands, in one run of posenc-opt."""
    functions = []
    for number, operands in enumerate(calls):
        constants = {name: Operand(name, value) for name, value in operands.items()}
        body = [f"%{name} = arith.constant {c.literal}" for name, c in constants.items()]
        body += [f"%result = {op.format(**constants)}", "return"]
        functions.append(
            "\n  ".join([f"func.func @formula{number}() {{", *body]) + "\n}\n"
        )
    printed = run(
        "".join(functions),
        "--test-posenc-formula",
        "--mlir-print-elementsattrs-with-hex-if-larger=0",
    )
    results = []
    for function in printed.split("func.func @formula")[1:]:
        # The result takes the op's place, so it is the last constant.
        literal, extents, element = _CONSTANT.findall(function)[-1]
        shape = [int(extent) for extent in extents.split("x")]
        results.append(_parse(literal, shape, _ELEMENTS[element]))
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
