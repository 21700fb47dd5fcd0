# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the MLIR text of one function: names, constants, index arithmetic.

An operation is kept as its text and the names it uses, so that what nothing
needs (shape arithmetic that folded, mostly) is left out of the module.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from .symbols import Extent, ExtentLike, Operation, at_least
from .values import BOOL, I64, ElementType, Shape, Value, tensor_type

_NAME = re.compile(r"%[A-Za-z0-9_]+")
_MAX_INLINE_ELEMENTS = 32


def quote(text: str) -> str:
    """A string attribute."""
    escaped = "".join(
        c
        if 32 <= ord(c) < 127 and c not in '"\\'
        else "".join(f"\\{byte:02X}" for byte in c.encode())
        for c in text
    )
    return f'"{escaped}"'


def literal(element: ElementType, number) -> str:
    """One element as an attribute of its type, without loss."""
    if element.kind == "b":
        return "true" if number else "false"
    if element.kind == "i":
        return str(int(number))
    array = np.asarray(number, dtype=element.numpy)
    if not np.isfinite(array.astype(np.float64)):
        bits = int(array.view(f"u{array.itemsize}"))
        return f"0x{bits:0{2 * array.itemsize}X}"
    return f"{float(array):.{17 if element.mlir == 'f64' else 9}e}"


@dataclass
class _Operation:
    text: str
    result: str | None
    uses: frozenset[str]


class Emitter:
    """The body of one function and the resources it refers to."""

    def __init__(self) -> None:
        # Of the function, and of the regions being written; the innermost last.
        self._scopes: list[list[_Operation]] = [[]]
        self._resources: dict[str, str] = {}
        self._keys: dict[bytes, str] = {}
        self._extents: dict[Extent, str] = {}
        self._scalars: dict[tuple[str, str], str] = {}
        self._asserted: set[str] = set()
        self._origins: dict[str, str] = {}
        self._counter = 0
        self.location: str | None = None

    # Operations.

    def fresh(self) -> str:
        name = f"%{self._counter}"
        self._counter += 1
        return name

    def op(self, text: str, results: int = 1, scope: int = -1) -> str:
        """Appends an operation; returns the name of its results (several are name#0, name#1)."""
        result = self.fresh()
        left = result if results == 1 else f"{result}:{results}"
        self._append(f"{left} = {text}", result, scope)
        return result

    def _hoisted(self, text: str) -> str:
        """An operation that every region may use: sizes and constants, which are shared."""
        return self.op(text, scope=0)

    def _append(self, text: str, result: str | None, scope: int = -1) -> None:
        if self.location:
            text += f" loc({quote(self.location)})"
        uses = frozenset(_NAME.findall(text)) - {result}
        self._scopes[scope].append(_Operation(text, result, uses))

    @contextmanager
    def region(self) -> Iterator[list[_Operation]]:
        """Collects the operations written meanwhile, for the region of another."""
        asserted = set(self._asserted)
        self._scopes.append([])
        try:
            yield self._scopes[-1]
        finally:
            self._scopes.pop()
            self._asserted = asserted

    @staticmethod
    def lines(operations: list[_Operation], returned: Sequence[str]) -> list[str]:
        """The texts, indented, of what `returned` needs."""
        needed = {name.partition("#")[0] for name in returned}
        kept: list[str] = []
        for operation in reversed(operations):
            if operation.result is None or operation.result in needed:
                needed |= operation.uses
                kept.append(operation.text)
        return ["  " + text.replace("\n", "\n  ") for text in reversed(kept)]

    # Scalars.

    def scalar(self, element_type: str, attribute: str) -> str:
        """A scalar constant; equal ones are shared."""
        key = (element_type, attribute)
        if key not in self._scalars:
            typed = attribute if element_type == "i1" else f"{attribute} : {element_type}"
            self._scalars[key] = self._hoisted(f"arith.constant {typed}")
        return self._scalars[key]

    def bind(self, symbol: str, ssa: str, origin: str) -> None:
        """Makes `ssa`, an index, the size of a dimension; `origin` says whose. The first counts."""
        self._extents.setdefault(Extent.symbol(symbol), ssa)
        self._origins.setdefault(symbol, origin)

    def where(self, *extents: Extent) -> str:
        """`, where S is dimension 1 of 'x'`, for every dimension the extents depend on."""
        names = sorted(set().union(*(extent.symbols() for extent in extents)))
        said = " and ".join(
            f"{name} is {self._origins[name]}" for name in names if name in self._origins
        )
        return f", where {said}" if said else ""

    def is_bound(self, symbol: str) -> bool:
        return symbol in self._origins

    def index(self, extent: ExtentLike) -> str:
        """The extent as a value of type index."""
        extent = Extent.of(extent)
        if extent.static is not None:
            return self.scalar("index", str(extent.static))
        if extent not in self._extents:
            self._extents[extent] = self._sum(extent)
        return self._extents[extent]

    def _sum(self, extent: Extent) -> str:
        total: str | None = None
        for monomial, coefficient in extent.terms.items():
            term: str | None = None
            for atom in monomial:
                factor = self._atom(atom)
                if term is not None:
                    factor = self._hoisted(f"arith.muli {term}, {factor} : index")
                term = factor
            if term is None:
                term = self.index(coefficient)
            elif coefficient != 1:
                term = self._hoisted(f"arith.muli {term}, {self.index(coefficient)} : index")
            total = term if total is None else self._hoisted(f"arith.addi {total}, {term} : index")
        assert total is not None
        return total

    def _atom(self, atom) -> str:
        extent = Extent({(atom,): 1})
        if extent in self._extents:
            return self._extents[extent]
        assert isinstance(atom, Operation), f"dimension {atom} has no value"
        left, right = self.index(atom.left), self.index(atom.right)
        if atom.kind in ("floordiv", "mod"):
            # A divisor is positive unless a dimension of a degenerate call is 0.
            right = self._hoisted(f"arith.maxsi {right}, {self.index(1)} : index")
        name = {"floordiv": "divsi", "mod": "remsi", "min": "minsi", "max": "maxsi"}[atom.kind]
        self._extents[extent] = self._hoisted(f"arith.{name} {left}, {right} : index")
        return self._extents[extent]

    def integer(self, extent: ExtentLike, element: ElementType = I64) -> str:
        """The extent as a scalar of an integer type."""
        extent = Extent.of(extent)
        if extent.static is not None:
            return self.scalar(element.mlir, str(extent.static))
        return self._hoisted(f"arith.index_cast {self.index(extent)} : index to {element.mlir}")

    # Conditions on sizes.

    def require(self, predicate: str, left: ExtentLike, right: ExtentLike, message: str) -> None:
        """A run-time check that `left predicate right` (eq, sge), of sizes."""
        left, right = Extent.of(left), Extent.of(right)
        if f"{left} {predicate} {right}" in self._asserted:
            return
        self._asserted.add(f"{left} {predicate} {right}")
        holds = self.op(f"arith.cmpi {predicate}, {self.index(left)}, {self.index(right)} : index")
        self._append(f"cf.assert {holds}, {quote(message)}", None)

    def at_least(self, left: ExtentLike, right: ExtentLike) -> bool:
        """Whether `left >= right`, if need be on the condition that no dimension is 0."""
        known = at_least(left, right)
        if known is not None:
            return known
        if not at_least(left, right, least=1):
            return False
        for name in sorted((Extent.of(left) - right).symbols()):
            self.require(
                "sge",
                Extent.symbol(name),
                1,
                f"the graph needs {name} >= 1{self.where(Extent.symbol(name))}",
            )
        return True

    # Tensors.

    def ssa(self, value: Value) -> str:
        """The value's MLIR name; emits constants and shape tensors on first use."""
        if value.ssa is None:
            if value.is_number:
                value.ssa = self.constant(value.element, value.content)
            else:
                assert value.content is not None
                elements = ", ".join(
                    self.integer(e, value.element) for e in value.content.reshape(-1)
                )
                text = f"tensor.from_elements {elements} : {value.type}"
                value.ssa = self._hoisted(text)
        return value.ssa

    def constant(self, element: ElementType, content: np.ndarray) -> str:
        """A constant tensor; more than 32 elements go to a resource."""
        content = np.ascontiguousarray(content, dtype=element.numpy).reshape(content.shape)
        type_ = tensor_type(element, tuple(Extent.of(size) for size in content.shape))
        flat = content.reshape(-1)
        raw = flat.view(np.uint8).reshape(flat.size, -1) if flat.size else flat
        if flat.size == 0:
            attribute = "dense<>"
        elif (raw == raw[0]).all():
            attribute = f"dense<{literal(element, flat[0])}>"
        elif flat.size <= _MAX_INLINE_ELEMENTS or element == BOOL:
            attribute = f"dense<{_nested(element, content)}>"
        else:
            attribute = f"dense_resource<{self._resource(element, flat)}>"
        return self._hoisted(f"arith.constant {attribute} : {type_}")

    def _resource(self, element: ElementType, flat: np.ndarray) -> str:
        """The key of a blob; the same bytes, a weight that is tied, are embedded once."""
        blob = element.numpy.itemsize.to_bytes(4, "little").hex() + flat.tobytes().hex()
        digest = hashlib.sha256(blob.encode()).digest()
        key = self._keys.setdefault(digest, f"weight_{len(self._keys)}")
        self._resources.setdefault(key, blob)
        return key

    def dynamic_sizes(self, shape: Shape) -> list[str]:
        return [self.index(extent) for extent in shape if extent.static is None]

    def mixed_sizes(self, extents: Sequence[Extent]) -> str:
        """`[%a, 4]`: the form of output_shape, offsets and sizes."""
        return (
            "["
            + ", ".join(self.index(e) if e.static is None else str(e.static) for e in extents)
            + "]"
        )

    def empty(self, element: ElementType, shape: Shape) -> str:
        sizes = ", ".join(self.dynamic_sizes(shape))
        return self.op(f"tensor.empty({sizes}) : {tensor_type(element, shape)}")

    def filled(self, element: ElementType, shape: Shape, scalar: str) -> str:
        """A tensor all of whose elements are `scalar`."""
        type_ = tensor_type(element, shape)
        init = self.empty(element, shape)
        return self.op(
            f"linalg.fill ins({scalar} : {element.mlir}) outs({init} : {type_}) -> {type_}"
        )

    # The module.

    def function(
        self, name: str, arguments: list[str], results: list[tuple[str, str]], returned: list[str]
    ) -> str:
        """The module: `arguments` are `%arg: type {attributes}`, `results` (type, attributes)."""
        types = ", ".join(f"{type_} {attributes}" for type_, attributes in results)
        bare = ", ".join(type_ for type_, _ in results)
        lines = [f"func.func @{name}({', '.join(arguments)}) -> ({types}) {{"]
        body = self.lines(self._scopes[0], returned)
        lines += body
        lines += [f"  return {', '.join(returned)} : {bare}", "}"]
        used = {
            key: blob
            for key, blob in self._resources.items()
            if any(f"dense_resource<{key}>" in text for text in body)
        }
        if used:
            blobs = ",\n".join(f'      {key}: "0x{blob}"' for key, blob in used.items())
            lines += [
                "",
                "{-#",
                "  dialect_resources: {",
                "    builtin: {",
                blobs,
                "    }",
                "  }",
                "#-}",
            ]
        return "\n".join(lines) + "\n"


def _nested(element: ElementType, content: np.ndarray) -> str:
    if content.ndim == 0:
        return literal(element, content[()])
    return "[" + ", ".join(_nested(element, row) for row in content) + "]"
