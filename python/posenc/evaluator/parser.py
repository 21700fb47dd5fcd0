# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MLIR's generic form as Python objects: operations, regions, attributes.

The form is regular: every operation is `%r = "name"(%operands) <{properties}> ({regions})
{attributes} : type`. Types stay text but for tensors' shapes, which readers ask for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._errors import NoReference

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|->|[%#@^!]?[\w$.\-]+|\S')
_NUMBER = re.compile(r"[-+]?(?:0x[0-9A-Fa-f]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)")
_ESCAPE = re.compile(r"\\([0-9A-Fa-f]{2}|.)")
_OPENING, _CLOSING = "<([{", ">)]}"
_FLOAT_BITS = {"f64": "u8", "f32": "u4", "f16": "u2", "bf16": "u2"}


@dataclass
class Block:
    """A region's one block: `arguments` are names, `types` theirs."""

    arguments: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)


@dataclass
class Operation:
    """`attributes` has properties, too; an empty region is a block without operations."""

    name: str
    operands: list[str]
    results: list[str]
    attributes: dict[str, Any]
    regions: list[Block]
    operand_types: list[str]
    result_types: list[str]

    def segments(self) -> list[list[str]]:
        """The operands by group, as ODS declares them; one group without sizes."""
        sizes = self.attributes.get("operandSegmentSizes")
        if sizes is None:
            return [[operand] for operand in self.operands]
        ends = np.cumsum(sizes)
        return [self.operands[end - size : end] for size, end in zip(sizes, ends)]


@dataclass(frozen=True)
class Opaque:
    """An attribute that is kept as text: `#posenc.layout<bhld>`."""

    text: str


def parse_module(text: str) -> Operation:
    """The one top-level operation. Raises `NoReference` for what is not of this form."""
    return _Parser(text).module()


def shape_of(type_: str) -> tuple[int | None, ...]:
    """Sizes of `tensor<4x?xf32>`, None where dynamic."""
    inside = re.fullmatch(r"tensor<((?:[\d?]+x)*)[^x].*>", type_)
    if inside is None:
        raise NoReference(f"{type_} is no ranked tensor")
    return tuple(None if size == "?" else int(size) for size in inside[1].split("x")[:-1])


def element_of(type_: str) -> str:
    """`f32` of `tensor<4x?xf32>` or of `f32`."""
    inside = re.fullmatch(r"tensor<(?:[\d?]+x)*([^,]+).*>", type_)
    return inside[1] if inside else type_


def array_of(element: str, words: list[str]) -> np.ndarray:
    """Literals of an element type: floats as float64, i1 as bool, integers as int64."""
    if element in _FLOAT_BITS:
        return np.array([_real(word, element) for word in words], np.float64)
    numbers = [{"true": 1, "false": 0}.get(word) for word in words]
    integers = [int(word) if n is None else n for word, n in zip(words, numbers)]
    return np.array(integers, np.bool_ if element == "i1" else np.int64)


def _real(word: str, element: str) -> float:
    if not word.startswith("0x"):
        return float(word)
    size = int(_FLOAT_BITS[element][1:])
    return float(raw_floats(int(word, 16).to_bytes(size, "little"), element)[0])


def raw_floats(data: bytes, element: str) -> np.ndarray:
    """Little-endian floats as float64."""
    if element == "bf16":  # The upper half of a float32.
        wide = np.frombuffer(data, "<u2").astype(np.uint32) << 16
        return wide.view(np.float32).astype(np.float64)
    return np.frombuffer(data, f"<f{_FLOAT_BITS[element][1:]}").astype(np.float64)


def raw_array(data: bytes, element: str) -> np.ndarray:
    """Little-endian elements, as `array_of` has them."""
    if element in _FLOAT_BITS:
        return raw_floats(data, element)
    size = 8 if element == "index" else max(int(element.lstrip("iu")) // 8, 1)
    return np.frombuffer(data, f"<i{size}").astype(np.bool_ if element == "i1" else np.int64)


class _Parser:
    """Recursive descent over the text; `at` is the next character."""

    def __init__(self, text: str):
        self.text = text
        self.at = 0
        self.aliases: dict[str, Any] = {}
        self.resources: dict[str, bytes] = {}
        head, separator, tail = text.partition("\n{-#")
        if separator:
            self.text = head
            blobs = re.findall(r'([\w.$\-]+|"[^"]*"): "0x([0-9A-Fa-f]*)"', tail)
            # The first four bytes are the alignment.
            self.resources = {key.strip('"'): bytes.fromhex(blob)[4:] for key, blob in blobs}

    # Characters.

    def peek(self) -> str:
        """The next token, without taking it."""
        match = _TOKEN.search(self.text, self.at)
        return match[0] if match else ""

    def take(self, expected: str | None = None) -> str:
        match = _TOKEN.search(self.text, self.at)
        token = match[0] if match else ""
        if match is None or (expected is not None and token != expected):
            line = self.text.count("\n", 0, self.at) + 1
            raise NoReference(f"generic IR, line {line}: expected {expected}, got '{token}'")
        self.at = match.end()
        return token

    def accept(self, token: str) -> bool:
        if self.peek() != token:
            return False
        self.take()
        return True

    def balanced(self) -> str:
        """`<...>` with all that is nested in it, without white space at its ends."""
        start = self.text.index("<", self.at)
        depth, at = 0, start
        while True:
            c = self.text[at]
            if c == '"':
                at = _TOKEN.match(self.text, at).end()  # type: ignore[union-attr]
                continue
            if c == "-" and self.text[at + 1] == ">":
                at += 2
                continue
            depth += (c in _OPENING) - (c in _CLOSING)
            at += 1
            if depth == 0:
                self.at = at
                return self.text[start:at]

    # Structure.

    def module(self) -> Operation:
        while self.peek().startswith("#"):
            name = self.take()
            self.take("=")
            self.aliases[name] = self.attribute()
        return self.operation()

    def operation(self) -> Operation:
        results = []
        if self.peek().startswith("%"):
            results = self.list_of(self.result)
            self.take("=")
        name = self.take()[1:-1]
        self.take("(")
        operands = [] if self.peek() == ")" else self.list_of(self.value)
        self.take(")")
        attributes: dict[str, Any] = {}
        if self.peek() == "<":
            self.take("<")
            attributes |= self.dictionary()
            self.take(">")
        regions = []
        if self.accept("("):
            regions = self.list_of(self.region)
            self.take(")")
        if self.peek() == "{":
            attributes |= self.dictionary()
        self.take(":")
        ins, outs = self.function_type()
        return Operation(name, operands, sum(results, []), attributes, regions, ins, outs)

    def list_of(self, item: Callable[[], Any]) -> list[Any]:
        items = [item()]
        while self.accept(","):
            items.append(item())
        return items

    def result(self) -> list[str]:
        """`%3` or `%3:2`, which is `%3#0` and `%3#1`."""
        name = self.take()
        if not self.accept(":"):
            return [name]
        return [f"{name}#{number}" for number in range(int(self.take()))]

    def value(self) -> str:
        name = self.take()
        return name + self.take() if self.peek().startswith("#") else name

    def region(self) -> Block:
        self.take("{")
        block = Block()
        if self.peek().startswith("^"):
            self.take()
            if self.accept("("):
                for name, type_ in self.list_of(self.block_argument):
                    block.arguments.append(name)
                    block.types.append(type_)
                self.take(")")
            self.take(":")
        while self.peek() not in ("}", ""):
            block.operations.append(self.operation())
        self.take("}")
        return block

    def block_argument(self) -> tuple[str, str]:
        name = self.take()
        self.take(":")
        return name, self.type()

    # Types.

    def type(self) -> str:
        if self.peek() == "(":
            ins, outs = self.function_type()
            return f"({', '.join(ins)}) -> ({', '.join(outs)})"
        name = self.take()
        return name + self.balanced() if self.peek() == "<" else name

    def types(self) -> list[str]:
        if not self.accept("("):
            return [self.type()]
        types = [] if self.peek() == ")" else self.list_of(self.type)
        self.take(")")
        return types

    def function_type(self) -> tuple[list[str], list[str]]:
        ins = self.types()
        self.take("->")
        return ins, self.types()

    # Attributes.

    def dictionary(self) -> dict[str, Any]:
        self.take("{")
        entries = {}
        while not self.accept("}"):
            name = self.take().strip('"')
            entries[name] = self.attribute() if self.accept("=") else True
            self.accept(",")
        return entries

    def attribute(self) -> Any:
        token = self.peek()
        if token.startswith('"'):
            return self.typed(_ESCAPE.sub(_unescape, self.take()[1:-1]))
        if token == "[":
            self.take()
            items = [] if self.peek() == "]" else self.list_of(self.attribute)
            self.take("]")
            return items
        if token == "{":
            return self.dictionary()
        if token in ("true", "false"):
            return self.take() == "true"
        if token == "unit":
            self.take()
            return True
        if token[0] in "#@":
            return self.named()
        if token in ("array", "dense", "dense_resource", "affine_map", "strided", "sparse"):
            return getattr(self, f"_{token}", self.opaque)()
        if token[0] in "+-" or token[0].isdigit():
            return self.number()
        return Opaque(self.type())

    def typed(self, value: Any) -> Any:
        if self.accept(":"):
            self.type()
        return value

    def named(self) -> Any:
        name = self.take()
        if name in self.aliases:
            return self.aliases[name]
        return self.typed(Opaque(name + (self.balanced() if self.peek() == "<" else "")))

    def opaque(self) -> Opaque:
        return self.typed(Opaque(self.take() + self.balanced()))

    def number(self) -> int | float:
        match = _NUMBER.search(self.text, self.at)
        assert match is not None
        self.at = match.end()
        word = match[0]
        type_ = self.type() if self.accept(":") else "i64"
        return array_of(type_, [word])[0].item()

    def _array(self) -> list[Any]:
        """`array<i64: 1, 2>`."""
        self.take()
        type_, _, words = self.balanced()[1:-1].partition(":")
        return array_of(type_.strip(), [w.strip() for w in words.split(",") if w]).tolist()

    def _affine_map(self) -> Opaque:
        self.take()
        return Opaque(self.balanced()[1:-1])

    def _dense(self) -> np.ndarray:
        self.take()
        body = self.balanced()[1:-1]
        self.take(":")
        type_ = self.type()
        shape, element = shape_of(type_), element_of(type_)
        if body.startswith('"0x'):
            flat = raw_array(bytes.fromhex(body[3:-1]), element)
        else:
            flat = array_of(element, re.findall(r"[^\[\],\s]+", body))
        return np.broadcast_to(flat[0], shape) if flat.size == 1 else flat.reshape(shape)

    def _dense_resource(self) -> np.ndarray:
        self.take()
        key = self.balanced()[1:-1].strip('"')
        self.take(":")
        type_ = self.type()
        if key not in self.resources:
            raise NoReference(f"generic IR: the constant '{key}' has no content")
        return raw_array(self.resources[key], element_of(type_)).reshape(shape_of(type_))


def _unescape(match: re.Match) -> str:
    return chr(int(match[1], 16)) if len(match[1]) == 2 else match[1]
