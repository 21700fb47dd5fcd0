# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`posenc verify`: fused against unfused against a reference, on random inputs."""

from __future__ import annotations

import pathlib
import platform
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ._compiler import Module
from ._errors import Error, NoReference
from ._function import CompiledFunction, compile_module
from ._inputs import likely_sizes, parse_sizes, random_inputs
from ._signature import Argument, Signature

# What a result may differ by, as a part of its row's scale, by the storage type: 2e-6 for
# float32; four roundings (2^-11, 2^-8 each) for 16 bits, of q, k, the probabilities' product
# and the result.
_TOLERANCES = {"float16": 4 * 2.0**-11, "bfloat16": 4 * 2.0**-8, "float32": 2e-6}
# A row of small values may be a sum of larger ones: its scale is at least this part of the
# largest value of the result.
_LEAST_SCALE = 1 / 8
_PLAIN_CPU = "x86-64-v3" if platform.machine() == "x86_64" else "native"


@dataclass(frozen=True)
class Difference:
    """The largest of a comparison, as a part of its row's scale, and where it is."""

    part: float
    index: tuple[int, ...]


def verify_model(
    module: Module, model: str, sizes: Sequence[str], seed: int, tolerance: float | None
) -> int:
    """Prints what was compared with what, and the differences.

    sizes: `DIMENSION=N` each, of dynamic dimensions by name. tolerance: that of floats, where
    it does not follow from their types. Raises `posenc.Error` for a difference that is larger
    (the result, the place and both values), for a size that no input has, and for what
    compiling and calling raise.
    """
    fused = compile_module(module)
    unfused = compile_module(module.with_options(fuse=False))
    allowed, reason = _allowed(fused.signature, tolerance)
    print(f"allowed: {allowed:.1e} of a row's scale, {reason}; integers and booleans are equal")
    given = parse_sizes(sizes, fused.signature)
    compared = [*fused.signature.outputs, *filter(_is_donated, fused.signature.inputs)]
    for chosen in likely_sizes(fused.signature, given):
        inputs = random_inputs(fused.signature, chosen, seed)
        said = ", ".join(f"{name}={size}" for name, size in chosen.items())
        print(f"random inputs{' of ' + said if said else ''}, seed {seed}:")
        results = {"fused": _results(fused, inputs), "unfused": _results(unfused, inputs)}
        reference, results[reference] = _reference(module, model, inputs)
        # Two results that each keep within what is allowed may differ by twice as much.
        _compare(compared, results, "fused", "unfused", 2 * allowed)
        _compare(compared, results, "fused", reference, allowed)
        _compare(compared, results, "unfused", reference, allowed)
    return 0


def _allowed(signature: Signature, tolerance: float | None) -> tuple[float, str]:
    if tolerance is not None:
        return tolerance, "by --tolerance"
    stored = {argument.element for argument in signature.arguments}
    for element, part in _TOLERANCES.items():
        if element in stored:
            return part, f"for inputs and results of {element}, scores up to 16"
    return _TOLERANCES["float32"], "for float32 inside, as no input or result has floats"


def _compare(
    outputs: Sequence[Argument],
    results: dict[str, Sequence[np.ndarray]],
    left: str,
    right: str,
    allowed: float,
) -> None:
    """Prints the largest difference of each result; raises where one is larger than allowed."""
    for output, ours, theirs in zip(outputs, results[left], results[right]):
        if ours.shape != theirs.shape:
            raise Error(
                f"'{output.name}' is {list(ours.shape)} {left}, {list(theirs.shape)} by {right}"
            )
        exact = "float" not in output.element
        difference = largest_difference(ours, theirs, exact=exact)
        limit = 0.0 if exact else allowed
        said = f"{difference.part:.1e}, {limit:.1e} allowed"
        print(f"  {output.name}: {left} and {right} differ by {said}")
        if not difference.part <= limit:
            place = ", ".join(map(str, difference.index))
            raise Error(
                f"{output.name}[{place}] is {ours[difference.index]} ({left}), "
                f"{theirs[difference.index]} ({right}): they differ by {said}"
            )


def largest_difference(left: np.ndarray, right: np.ndarray, *, exact: bool = False) -> Difference:
    """The largest difference of arrays of one shape, relative to the scale of `right`'s row.

    A row is the last dimension; its scale is the largest value in it, at least an eighth of the
    largest of all. Infinite where infinities and NaNs stand in other places. exact: the scale
    is 1.
    """
    if left.size == 0:
        return Difference(0.0, (0,) * left.ndim)
    left, right = left.astype(np.float64), right.astype(np.float64)
    with np.errstate(invalid="ignore"):
        same = (left == right) | (np.isnan(left) & np.isnan(right))
        distance = np.where(same, 0.0, np.abs(left - right))
    distance[np.isnan(distance)] = np.inf
    if not exact:
        size = np.abs(np.where(np.isfinite(right), right, 0.0))
        row = size.max(axis=-1, keepdims=True) if right.ndim else size
        scale = np.maximum(row, _LEAST_SCALE * size.max())
        distance /= np.where(scale == 0, 1.0, scale)
    index = np.unravel_index(np.argmax(distance), distance.shape)
    return Difference(float(distance[index]), tuple(int(at) for at in index))


def _is_donated(argument: Argument) -> bool:
    return argument.is_donated


def _results(function: CompiledFunction, inputs: list[np.ndarray]) -> list[np.ndarray]:
    """The outputs, then the donated inputs as they are afterwards."""
    given = [array.copy() for array in inputs]
    results = function(*given)
    outputs = results if isinstance(results, tuple) else (results,)
    donated = [array for array, i in zip(given, function.signature.inputs) if i.is_donated]
    return [*outputs, *donated]


def _reference(
    module: Module, model: str, inputs: list[np.ndarray]
) -> tuple[str, Sequence[np.ndarray]]:
    """What computed it, and the results: the most independent of what can run the graph."""
    attempts = [
        ("posenc.reference in float64", _by_posenc_reference),
        (f"unfused code for {_PLAIN_CPU} on one thread", _by_plain_code),
    ]
    if pathlib.Path(model).suffix == ".onnx":
        attempts.insert(0, ("ONNX's evaluator in float64", _by_onnx))
    for name, attempt in attempts[:-1]:
        try:
            return name, attempt(module, model, inputs)
        except NoReference as error:
            print(f"  not compared with {name}: {' '.join(str(error).split())}")
    name, attempt = attempts[-1]
    return name, attempt(module, model, inputs)


def _by_onnx(module: Module, model: str, inputs: list[np.ndarray]) -> Sequence[np.ndarray]:
    from ._onnx_reference import evaluate_model

    return evaluate_model(pathlib.Path(model), inputs)


def _by_posenc_reference(
    module: Module, model: str, inputs: list[np.ndarray]
) -> Sequence[np.ndarray]:
    from .evaluator import evaluate_function

    try:
        return evaluate_function(module.generic_form(), module.options.function, inputs)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise NoReference(f"it fails on the graph: {error}") from error


def _by_plain_code(module: Module, model: str, inputs: list[np.ndarray]) -> Sequence[np.ndarray]:
    """Other vectors and another order of work, where no reference knows the graph."""
    plain = module.with_options(fuse=False, cpu=_PLAIN_CPU, threads="serial")
    return _results(compile_module(plain), inputs)
