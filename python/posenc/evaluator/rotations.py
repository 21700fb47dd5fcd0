# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the attributes of rotary ops say, by the functions of posenc.reference."""

from __future__ import annotations

import re

import numpy as np

from .. import reference
from .._errors import NoReference
from .parser import Operation

_REAL = r"([-+\d.eE]+)"


def _numbers(text: str) -> dict[str, float]:
    return {key: float(value) for key, value in re.findall(rf"(\w+) = {_REAL}", text)}


def _lists(text: str) -> dict[str, list[float]]:
    found = re.findall(r"(\w+) = \[([^\]]*)\]", text)
    return {key: [float(value) for value in values.split(",")] for key, values in found}


def frequencies(text: str, count: int, length: int | None) -> tuple[np.ndarray, float]:
    """Radians a position for each pair of `count` lanes, and the factor of cosines and sines."""
    if text.startswith("#posenc.explicit_frequencies"):
        values, factor = re.fullmatch(r".*<\[(.*)\], attention_factor = (.*)>", text).groups()
        return np.array([float(value) for value in values.split(",")]), float(factor)
    numbers = _numbers(text)
    if text.startswith("#posenc.pixel_frequencies"):
        spacing = re.search(r"<(\w+),", text)[1]
        return reference.frequencies.pixel(count // 2, numbers["max_frequency"], spacing=spacing)
    base = numbers.pop("base")
    scaling = re.search(r"scaling = #posenc\.(\w+)<", text)
    if scaling is None:
        return reference.frequencies.default(count, base)
    if scaling[1] in ("linear", "ntk"):
        return getattr(reference.frequencies, scaling[1])(count, base, *numbers.values())
    if scaling[1] == "proportional":
        return reference.frequencies.proportional(count, base, **numbers)
    numbers["original_max_position"] = int(numbers.pop("original_length"))
    if scaling[1] == "llama3":
        return reference.frequencies.llama3(count, base, **numbers)
    if scaling[1] == "yarn":
        truncate = "truncate = true" in text
        return reference.frequencies.yarn(count, base, truncate=truncate, **numbers)
    if scaling[1] == "dynamic_ntk":
        return reference.frequencies.dynamic_ntk(count, base, length=int(length), **numbers)
    if scaling[1] == "longrope":
        return reference.frequencies.longrope(
            count, base, length=int(length), **_lists(text), **numbers
        )
    raise NoReference(f"posenc.reference has no frequencies scaled by '{scaling[1]}'")


def angles(
    operation: Operation, positions: np.ndarray, count: int, length: int | None
) -> tuple[np.ndarray, float]:
    """The angle of each row and pair, [..., L, count / 2], and the factor of both tables."""
    text = operation.attributes["frequencies"].text
    if "sections" not in operation.attributes:
        inverse, factor = frequencies(text, count, length)
        return np.asarray(positions, np.float64)[..., np.newaxis] * inverse, factor
    order, pairs, rule = re.search(
        r"<(\w+), \[([\d, ]+)\], (\w+)>", operation.attributes["sections"].text
    ).groups()
    sections = [int(number) for number in pairs.split(",")]
    if rule == "restarting":
        own = [frequencies(text, 2 * number, length) for number in sections]
        return reference.multi_axis.restarting(positions, [each for each, _ in own]), own[0][1]
    inverse, factor = frequencies(text, count, length)
    if rule == "strided":
        return reference.multi_axis.strided(positions, inverse), factor
    return reference.multi_axis.mrope(positions, inverse, sections, order=order), factor


def decay(operation: Operation, positions: np.ndarray, count: int, centre: int) -> np.ndarray:
    """What xPos multiplies both tables by."""
    if "sections" in operation.attributes:
        raise NoReference("posenc.reference has no decay over several axes")
    text = operation.attributes["decay"].text
    return reference.xpos.decay(
        positions,
        count,
        role=re.search(r"<(\w+),", text)[1],
        centre=centre,
        **_numbers(text),
    )
