# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random inputs of a function, of sizes that are given or likely."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ._dlpack import dtype_of
from ._errors import Error
from ._expressions import evaluate
from ._signature import Signature

_BATCH = 2
# Neither is a multiple of a tile or a vector; the second fills several tiles.
_LENGTHS = (67, 256)


def parse_sizes(given: Sequence[str], signature: Signature) -> dict[str, int]:
    """`DIMENSION=N` each; raises `posenc.Error` for a dimension that no input has."""
    names = [size for argument in signature.inputs for size in argument.dimensions if size != "?"]
    dynamic = sorted({size for size in names if isinstance(size, str)})
    sizes = {}
    for size in given:
        name, _, number = size.rpartition("=")
        if not name or not number.isdigit():
            raise Error(f"--size {size} is not of the form DIMENSION=N")
        if name not in dynamic:
            known = ", ".join(dynamic) or "none"
            raise Error(f"--size {name}: no input has that dimension; there are {known}")
        sizes[name] = int(number)
    return sizes


def likely_sizes(signature: Signature, given: dict[str, int]) -> Iterator[dict[str, int]]:
    """The sizes of the dynamic dimensions by name, once for each set that is worth a run.

    What leads an input of several dimensions, or says so, is a batch of 2. The others are 67
    and 256 in turns, then all 256: a graph is run with both, and with different ones where it
    has several dimensions. A size that is an expression follows from those of its names.
    """
    batch, lengths = [], []
    for argument in signature.inputs:
        for axis, name in enumerate(argument.dimensions):
            if not isinstance(name, str) or name in given or not name.isidentifier():
                continue
            leads = axis == 0 and len(argument.dimensions) > 1
            kind = batch if leads or "batch" in name.lower() else lengths
            if name not in batch and name not in lengths:
                kind.append(name)
    for turn in range(len(_LENGTHS) if lengths else 1):
        sizes = given | dict.fromkeys(batch, _BATCH)
        for number, name in enumerate(lengths):
            sizes[name] = _LENGTHS[min(number % len(_LENGTHS) + turn, len(_LENGTHS) - 1)]
        yield sizes


def random_inputs(signature: Signature, sizes: dict[str, int], seed: int) -> list[np.ndarray]:
    """Normal floats, integers in [0, 4), booleans mostly true; a size not in `sizes` is 67."""
    random = np.random.default_rng(seed)
    arrays = []
    for argument in signature.inputs:
        shape = [_size(dimension, sizes) for dimension in argument.dimensions]
        if any(extent < 0 for extent in shape):
            raise Error(f"'{argument.name}' would have the sizes {shape}; give others by --size")
        arrays.append(_random_array(random, argument.element, shape))
    return arrays


def _size(dimension: int | str, sizes: dict[str, int]) -> int:
    if not isinstance(dimension, str):
        return dimension
    if dimension in sizes:
        return sizes[dimension]
    found = evaluate(dimension, lambda name: sizes.get(name, _LENGTHS[0]), int)
    return _LENGTHS[0] if found is None else found


def _random_array(random: np.random.Generator, element: str, shape: list[int]) -> np.ndarray:
    if element == "bool":
        return random.random(shape) < 0.9
    if "float" in element:
        return random.standard_normal(shape).astype(dtype_of(element))
    return random.integers(0, 4, shape).astype(element)
