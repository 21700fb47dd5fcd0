# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scalar operations on arrays: floats in float64 whatever their type, integers in int64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._errors import NoReference
from .parser import Operation, element_of

Scalar = Callable[..., np.ndarray]

_INTEGER_PREDICATES = [
    np.equal,
    np.not_equal,
    np.less,
    np.less_equal,
    np.greater,
    np.greater_equal,
]
# Ordered comparisons by their number; unordered ones are true for NaN besides.
_FLOAT_PREDICATES = {
    1: np.equal,
    2: np.greater,
    3: np.greater_equal,
    4: np.less,
    5: np.less_equal,
    6: np.not_equal,
}


def _unsigned(x: np.ndarray) -> np.ndarray:
    return np.asarray(x).view(np.uint64) if np.asarray(x).dtype == np.int64 else x


def _divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Towards zero; what is divided by zero is of no matter."""
    b = np.where(b == 0, 1, b)
    return np.where((a < 0) != (b < 0), -(np.abs(a) // np.abs(b)), np.abs(a) // np.abs(b))


def _remainder(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a - _divide(a, b) * np.where(b == 0, 1, b)


def _erf(x: np.ndarray) -> np.ndarray:
    import math

    return np.vectorize(math.erf, otypes=[np.float64])(x)


def _same(x: np.ndarray) -> np.ndarray:
    return x


def _truncate(x: np.ndarray) -> np.ndarray:
    return np.trunc(x).astype(np.int64)


SCALARS: dict[str, Scalar] = {
    "arith.addf": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
    "arith.divf": np.divide,
    "arith.remf": np.fmod,
    "arith.negf": np.negative,
    "arith.maximumf": np.maximum,
    "arith.minimumf": np.minimum,
    "arith.maxnumf": np.fmax,
    "arith.minnumf": np.fmin,
    "arith.addi": np.add,
    "arith.subi": np.subtract,
    "arith.muli": np.multiply,
    "arith.divsi": _divide,
    "arith.divui": _divide,
    "arith.remsi": _remainder,
    "arith.remui": _remainder,
    "arith.floordivsi": lambda a, b: np.floor_divide(a, np.where(b == 0, 1, b)),
    "arith.ceildivsi": lambda a, b: -np.floor_divide(-a, np.where(b == 0, 1, b)),
    "arith.maxsi": np.maximum,
    "arith.minsi": np.minimum,
    "arith.maxui": np.maximum,
    "arith.minui": np.minimum,
    "arith.andi": np.bitwise_and,
    "arith.ori": np.bitwise_or,
    "arith.xori": np.bitwise_xor,
    "arith.shli": np.left_shift,
    "arith.shrsi": np.right_shift,
    "arith.select": np.where,
    "arith.extf": _same,
    "arith.truncf": _same,
    "arith.extsi": lambda x: -x.astype(np.int64) if x.dtype == np.bool_ else x,
    "arith.extui": lambda x: x.astype(np.int64),
    "arith.index_cast": _same,
    "arith.index_castui": _same,
    "arith.sitofp": lambda x: x.astype(np.float64),
    "arith.uitofp": lambda x: x.astype(np.float64),
    "arith.fptosi": _truncate,
    "arith.fptoui": _truncate,
    "math.exp": np.exp,
    "math.exp2": np.exp2,
    "math.log": np.log,
    "math.log2": np.log2,
    "math.log1p": np.log1p,
    "math.sqrt": np.sqrt,
    "math.rsqrt": lambda x: 1 / np.sqrt(x),
    "math.sin": np.sin,
    "math.cos": np.cos,
    "math.tanh": np.tanh,
    "math.erf": _erf,
    "math.absf": np.abs,
    "math.absi": np.abs,
    "math.floor": np.floor,
    "math.ceil": np.ceil,
    "math.roundeven": np.round,
    "math.trunc": np.trunc,
    "math.powf": np.power,
    "math.fpowi": np.power,
    "math.ipowi": np.power,
    "math.fma": lambda a, b, c: a * b + c,
}


def evaluate_scalar(operation: Operation, operands: list[Any]) -> np.ndarray:
    """The result on arrays that broadcast. Raises `NoReference` for an unknown operation."""
    values = [np.asarray(operand) for operand in operands]
    if operation.name == "arith.cmpi":
        return _compare_integers(operation.attributes["predicate"], *values)
    if operation.name == "arith.cmpf":
        return _compare_floats(operation.attributes["predicate"], *values)
    if operation.name == "arith.trunci":
        narrow = element_of(operation.result_types[0])
        return (values[0] & 1).astype(np.bool_) if narrow == "i1" else values[0]
    if operation.name not in SCALARS:
        raise NoReference(f"posenc.reference has no '{operation.name}'")
    return SCALARS[operation.name](*values)


def _compare_integers(predicate: int, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if predicate >= len(_INTEGER_PREDICATES):  # ult, ule, ugt, uge
        a, b, predicate = _unsigned(a), _unsigned(b), predicate - 4
    return _INTEGER_PREDICATES[predicate](a, b)


def _compare_floats(predicate: int, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    unordered = np.isnan(a) | np.isnan(b)
    if predicate in (0, 15):
        return np.full(np.broadcast_shapes(a.shape, b.shape), predicate == 15)
    if predicate in (7, 14):
        return ~unordered if predicate == 7 else unordered
    # 1 to 6 are ordered, 8 to 13 the same and unordered.
    if predicate < 7:
        return _FLOAT_PREDICATES[predicate](a, b) & ~unordered
    return _FLOAT_PREDICATES[predicate - 7](a, b) | unordered
