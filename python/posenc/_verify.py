# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`posenc verify`: fused against unfused against ONNX's evaluator, on random inputs."""

from __future__ import annotations

import pathlib

import numpy as np

from ._compiler import Module
from ._errors import Error
from ._function import CompiledFunction, compile_module
from ._signature import Signature

_FIRST_SIZE = 7


def verify_model(module: Module, model: str, sizes: list[str], seed: int, tolerance: float) -> int:
    """Prints the differences; the status is 1 if one is larger than `tolerance`.

    sizes: `DIMENSION=N` each, of dynamic dimensions by name. Raises `posenc.Error` for
    a size that no input has, and for what compiling and calling raise.
    """
    given = _parse_sizes(sizes)
    fused = compile_module(module)
    unfused = compile_module(module.without_fusion())
    inputs = random_inputs(fused.signature, given, seed)
    ours = _results(fused, inputs)
    others = {"unfused": _results(unfused, inputs)}
    if pathlib.Path(model).suffix == ".onnx":
        others["reference"] = _reference(model, inputs)
    worst = 0.0
    for name, results in others.items():
        for argument, left, right in zip(fused.signature.outputs, ours, results):
            difference = relative_difference(left, right)
            worst = max(worst, difference)
            print(
                f"{argument.name}: fused and {name} differ by {difference:.1e} of the largest value"
            )
    if not worst <= tolerance:
        print(f"more than the tolerance {tolerance:.1e}")
        return 1
    return 0


def relative_difference(left: np.ndarray, right: np.ndarray) -> float:
    """The largest difference over the largest value of `right`.

    Infinite where shapes differ, or infinities and NaNs stand in other places.
    """
    if left.shape != right.shape:
        return float("inf")
    left, right = left.astype(np.float64), right.astype(np.float64)
    if not np.array_equal(np.isfinite(left), np.isfinite(right)):
        return float("inf")
    finite = np.isfinite(right)
    largest = np.abs(right[finite]).max(initial=0.0)
    return float(np.abs(left[finite] - right[finite]).max(initial=0.0) / (largest or 1.0))


def random_inputs(signature: Signature, sizes: dict[str, int], seed: int) -> list[np.ndarray]:
    """Normal floats, integers in [0, 4), booleans mostly true.

    `sizes` has dynamic dimensions by name; those it lacks become 7, 8, ...
    """
    names = {size for argument in signature.inputs for size in argument.dimensions}
    for name in sizes:
        if name not in names or name.isdigit():
            dynamic = sorted(size for size in names if not size.isdigit())
            known = ", ".join(dynamic) or "none"
            raise Error(f"--size {name}: no input has that dimension; there are {known}")
    random = np.random.default_rng(seed)
    sizes = dict(sizes)
    arrays = []
    for argument in signature.inputs:
        shape = []
        for dimension in argument.dimensions:
            if not dimension.isdigit():
                sizes.setdefault(dimension, _FIRST_SIZE + len(sizes))
            shape.append(int(dimension) if dimension.isdigit() else sizes[dimension])
        arrays.append(_random_array(random, argument.element, shape))
    return arrays


def _random_array(random: np.random.Generator, element: str, shape: list[int]) -> np.ndarray:
    if element == "bool":
        return random.random(shape) < 0.9
    if element == "bfloat16":
        import ml_dtypes

        return random.standard_normal(shape).astype(ml_dtypes.bfloat16)
    if element.startswith("float"):
        return random.standard_normal(shape).astype(element)
    return random.integers(0, 4, shape).astype(element)


def _parse_sizes(sizes: list[str]) -> dict[str, int]:
    parsed = {}
    for size in sizes:
        name, _, number = size.rpartition("=")
        if not name or not number.isdigit():
            raise Error(f"--size {size} is not of the form DIMENSION=N")
        parsed[name] = int(number)
    return parsed


def _results(function: CompiledFunction, inputs: list[np.ndarray]) -> tuple[np.ndarray, ...]:
    results = function(*inputs)
    return results if isinstance(results, tuple) else (results,)


def _reference(model: str, inputs: list[np.ndarray]) -> list[np.ndarray]:
    """The results by ONNX's evaluator, in the element types of the model."""
    import onnx
    from onnx.reference import ReferenceEvaluator

    try:
        evaluator = ReferenceEvaluator(onnx.load(model))
        return evaluator.run(None, dict(zip(evaluator.input_names, inputs)))
    except Exception as error:  # Each of its operators raises types of its own.
        raise Error(f"ONNX's reference evaluator fails on {model}: {error}") from error
