# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types and values of an imported graph."""

from __future__ import annotations

from dataclasses import dataclass

import ml_dtypes
import numpy as np
from onnx import TensorProto

from ..._errors import ImportFailure
from .symbols import Extent


@dataclass(frozen=True)
class ElementType:
    """An ONNX element type: `mlir` spells it, `kind` is f, i or b (bool)."""

    onnx: int
    mlir: str
    numpy: np.dtype
    kind: str

    @property
    def compute(self) -> str:
        """The type scalars are computed in: 16-bit floats widen to f32."""
        return "f32" if self.is_half else self.mlir

    @property
    def is_half(self) -> bool:
        return self.mlir in ("f16", "bf16")


F32 = ElementType(TensorProto.FLOAT, "f32", np.dtype(np.float32), "f")
F16 = ElementType(TensorProto.FLOAT16, "f16", np.dtype(np.float16), "f")
BF16 = ElementType(TensorProto.BFLOAT16, "bf16", np.dtype(ml_dtypes.bfloat16), "f")
F64 = ElementType(TensorProto.DOUBLE, "f64", np.dtype(np.float64), "f")
I64 = ElementType(TensorProto.INT64, "i64", np.dtype(np.int64), "i")
I32 = ElementType(TensorProto.INT32, "i32", np.dtype(np.int32), "i")
I16 = ElementType(TensorProto.INT16, "i16", np.dtype(np.int16), "i")
I8 = ElementType(TensorProto.INT8, "i8", np.dtype(np.int8), "i")
BOOL = ElementType(TensorProto.BOOL, "i1", np.dtype(np.bool_), "b")

ELEMENT_TYPES = {
    element.onnx: element for element in (F32, F16, BF16, F64, I64, I32, I16, I8, BOOL)
}

Shape = tuple[Extent, ...]


def tensor_type(element: ElementType, shape: Shape) -> str:
    """`tensor<1x?x64xf32>`."""
    extents = "".join(f"{'?' if extent.static is None else extent.static}x" for extent in shape)
    return f"tensor<{extents}{element.mlir}>"


class Value:
    """A tensor of the graph.

    `content`, where the importer knows it, is an array of the element's numpy
    type, or of dtype object that holds `Extent`s. `ssa` is the name of the MLIR
    value once there is one. A value computed in the graph, because its formula
    is worth more than a table, may still have its integers known: `evaluated`;
    `uniform` is the one number that all its elements are.
    """

    def __init__(
        self,
        element: ElementType,
        shape: Shape,
        *,
        ssa: str | None = None,
        content: np.ndarray | None = None,
    ):
        self.element = element
        self.shape = tuple(Extent.of(extent) for extent in shape)
        if any(extent.static is not None and extent.static < 0 for extent in self.shape):
            sizes = ", ".join(map(str, self.shape))
            raise ImportFailure(f"makes a tensor of the sizes [{sizes}]; none may be negative")
        self.ssa = ssa
        self.content = content
        self.evaluated: np.ndarray | None = None
        self._uniform: int | float | None = None

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def type(self) -> str:
        return tensor_type(self.element, self.shape)

    @property
    def is_number(self) -> bool:
        """Whether the content is known without any dimension."""
        return self.content is not None and self.content.dtype != object

    @property
    def numbers(self) -> np.ndarray | None:
        """All elements, where they are known without any dimension, however they are computed."""
        return self.content if self.is_number else self.evaluated

    @property
    def uniform(self):
        """The number that every element is, or None."""
        if self._uniform is None and self.numbers is not None and self.numbers.size:
            first = self.numbers.flat[0]
            return first if (self.numbers == first).all() else None
        return self._uniform

    @uniform.setter
    def uniform(self, number) -> None:
        self._uniform = number

    def scalar(self):
        """The only element of the content as a number or an Extent, or None."""
        if self.content is None or self.content.size != 1:
            return None
        return self.content.reshape(-1)[0]

    def static_shape(self) -> tuple[int, ...] | None:
        sizes = tuple(extent.static for extent in self.shape)
        return None if None in sizes else sizes
