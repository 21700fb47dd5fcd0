# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a compiled library offers, read from the C header beside it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ._errors import Error

_ARGUMENT = re.compile(
    r"^ \*   (in |out) (\w+): (\w+) \[(.*?)\](, updated in place)?$", re.MULTILINE
)
_FUNCTION = re.compile(r"^/\* (\w+): runs the graph\..*?\*/$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Argument:
    """One parameter of a function.

    element: NumPy's name of the type, `bool` and `bfloat16` included. dimensions: numbers,
    names or expressions of dynamic sizes, or `?`. is_donated: the call updates it in place.
    """

    name: str
    element: str
    dimensions: tuple[str, ...]
    is_output: bool
    is_donated: bool


@dataclass(frozen=True)
class Signature:
    """A function of a library: its inputs come before its outputs."""

    name: str
    arguments: tuple[Argument, ...]

    @property
    def inputs(self) -> list[Argument]:
        return [argument for argument in self.arguments if not argument.is_output]

    @property
    def outputs(self) -> list[Argument]:
        return [argument for argument in self.arguments if argument.is_output]


def read_header(text: str) -> dict[str, Signature]:
    """The signatures of all functions that a generated header declares."""
    signatures = {}
    for comment in _FUNCTION.finditer(text):
        arguments = []
        for role, name, element, dimensions, donated in _ARGUMENT.findall(comment.group(0)):
            sizes = tuple(part.strip() for part in dimensions.split(",")) if dimensions else ()
            arguments.append(Argument(name, element, sizes, role == "out", bool(donated)))
        signatures[comment.group(1)] = Signature(comment.group(1), tuple(arguments))
    if not signatures:
        raise Error("the header is not one that posenc wrote; keep the .h of a library beside it")
    return signatures
