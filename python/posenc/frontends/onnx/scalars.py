# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scalar code: the bodies of linalg.generic and the regions of posenc.attention.

16-bit floats are widened to f32 for each operation and rounded after it, which
is what ONNX says of one operator.
"""

from __future__ import annotations

from collections.abc import Callable

from ..._errors import ImportFailure
from .emitter import Emitter, literal
from .values import BOOL, F32, ElementType

_FLOAT_BINARY = {
    "Add": "addf",
    "Sub": "subf",
    "Mul": "mulf",
    "Div": "divf",
    "Min": "minimumf",
    "Max": "maximumf",
}
_INT_BINARY = {
    "Add": "addi",
    "Sub": "subi",
    "Mul": "muli",
    "Div": "divsi",
    "Min": "minsi",
    "Max": "maxsi",
    "And": "andi",
    "Or": "ori",
    "Xor": "xori",
}
_COMPARE = {
    "Equal": ("oeq", "eq"),
    "Less": ("olt", "slt"),
    "LessOrEqual": ("ole", "sle"),
    "Greater": ("ogt", "sgt"),
    "GreaterOrEqual": ("oge", "sge"),
}
_MATH = {
    "Sqrt": "sqrt",
    "Exp": "exp",
    "Log": "log",
    "Tanh": "tanh",
    "Sin": "sin",
    "Cos": "cos",
    "Erf": "erf",
    "Floor": "floor",
    "Ceil": "ceil",
    "Round": "roundeven",
    "Abs": "absf",
}


class Scalars:
    """Collects the lines of one region."""

    def __init__(self, emit: Emitter):
        self._emit = emit
        self.lines: list[str] = []

    def op(self, text: str) -> str:
        name = self._emit.fresh()
        self.lines.append(f"{name} = {text}")
        return name

    def nested(self) -> Scalars:
        """For a region inside this one."""
        return Scalars(self._emit)

    def fresh(self) -> str:
        return self._emit.fresh()

    def loop(self, dimension: int) -> str:
        return self.op(f"linalg.index {dimension} : index")

    def constant(self, element: ElementType, number) -> str:
        return self._emit.scalar(element.mlir, literal(element, number))

    def index(self, number: int) -> str:
        return self._emit.scalar("index", str(number))

    def _in_f32(
        self, element: ElementType, operands: list[str], compute: Callable[[list[str]], str]
    ) -> str:
        """Computes on floats: in f32 for 16-bit ones, rounded once."""
        if not element.is_half:
            return compute(operands)
        wide = [self.op(f"arith.extf {x} : {element.mlir} to f32") for x in operands]
        return self.op(f"arith.truncf {compute(wide)} : f32 to {element.mlir}")

    def binary(self, name: str, left: str, right: str, element: ElementType) -> str:
        if element.kind == "f":
            compute = element.compute
            return self._in_f32(
                element,
                [left, right],
                lambda x: self.op(f"arith.{_FLOAT_BINARY[name]} {x[0]}, {x[1]} : {compute}"),
            )
        return self.op(f"arith.{_INT_BINARY[name]} {left}, {right} : {element.mlir}")

    def compare(self, name: str, left: str, right: str, element: ElementType) -> str:
        ordered, signed = _COMPARE[name]
        if element.kind == "f":
            return self.op(f"arith.cmpf {ordered}, {left}, {right} : {element.mlir}")
        if element.kind == "b" and name != "Equal":
            raise ImportFailure("orders booleans, which have no order")
        return self.op(f"arith.cmpi {signed}, {left}, {right} : {element.mlir}")

    def select(self, condition: str, yes: str, no: str, element: ElementType) -> str:
        return self.op(f"arith.select {condition}, {yes}, {no} : {element.mlir}")

    def math(self, name: str, operand: str, element: ElementType) -> str:
        """A unary function of floats."""
        if element.kind != "f":
            raise ImportFailure(f"{name} of {element.numpy} is not known; cast to float32 first")
        compute = element.compute
        return self._in_f32(
            element, [operand], lambda x: self.op(f"math.{_MATH[name]} {x[0]} : {compute}")
        )

    def of_float(self, operand: str, element: ElementType, formula: Callable[[str], str]) -> str:
        """`formula`, on f32, of one float."""
        return self._in_f32(element, [operand], lambda x: formula(x[0]))

    def negate(self, operand: str, element: ElementType) -> str:
        if element.kind == "f":
            return self.op(f"arith.negf {operand} : {element.mlir}")
        return self.binary("Sub", self.constant(element, 0), operand, element)

    def invert(self, operand: str) -> str:
        return self.op(f"arith.xori {operand}, {self.constant(BOOL, True)} : i1")

    def sigmoid(self, operand: str) -> str:
        """1 / (1 + exp(-x)) of an f32."""
        one = self.constant(F32, 1.0)
        return self.binary(
            "Div",
            one,
            self.binary("Add", one, self.math("Exp", self.negate(operand, F32), F32), F32),
            F32,
        )

    def convert(self, operand: str, source: ElementType, target: ElementType) -> str:
        """ONNX Cast between the types posenc knows."""
        if source == target:
            return operand
        if target.kind == "b":
            zero = self.constant(source, 0)
            predicate = "cmpf une" if source.kind == "f" else "cmpi ne"
            return self.op(f"arith.{predicate}, {operand}, {zero} : {source.mlir}")
        kinds = source.kind + target.kind
        if kinds == "ff":
            return self._convert_float(operand, source, target)
        if kinds == "fi":
            return self.op(f"arith.fptosi {operand} : {source.mlir} to {target.mlir}")
        if kinds == "ii":
            name = "extsi" if source.numpy.itemsize < target.numpy.itemsize else "trunci"
            return self.op(f"arith.{name} {operand} : {source.mlir} to {target.mlir}")
        if kinds == "bi":
            return self.op(f"arith.extui {operand} : i1 to {target.mlir}")
        name = "uitofp" if source.kind == "b" else "sitofp"
        return self.op(f"arith.{name} {operand} : {source.mlir} to {target.mlir}")

    def _convert_float(self, operand: str, source: ElementType, target: ElementType) -> str:
        if source.is_half and target.is_half:
            operand, source = self.op(f"arith.extf {operand} : {source.mlir} to f32"), F32
        name = "extf" if source.numpy.itemsize < target.numpy.itemsize else "truncf"
        return self.op(f"arith.{name} {operand} : {source.mlir} to {target.mlir}")

    def to_index(self, operand: str, element: ElementType) -> str:
        return self.op(f"arith.index_cast {operand} : {element.mlir} to index")

    def from_the_front(self, position: str, extent: str) -> str:
        """An index that may count from the end, counted from the front."""
        negative = self.op(f"arith.cmpi slt, {position}, {self.index(0)} : index")
        wrapped = self.op(f"arith.addi {position}, {extent} : index")
        return self.op(f"arith.select {negative}, {wrapped}, {position} : index")

    def row_within(self, position: str, extent: str) -> str:
        """An index that may count from the end, clamped into [0, extent): reads stay inside."""
        return self.within(self.from_the_front(position, extent), extent)

    def within(self, position: str, extent: str) -> str:
        """An index clamped into [0, extent)."""
        last = self.op(f"arith.subi {extent}, {self.index(1)} : index")
        position = self.op(f"arith.minsi {position}, {last} : index")
        return self.op(f"arith.maxsi {position}, {self.index(0)} : index")
