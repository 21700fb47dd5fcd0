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
    """Prints the differences; the status is 1 if one is larger than `tolerance`."""
    fused = compile_module(module)
    unfused = compile_module(module.without_fusion())
    inputs = random_inputs(fused.signature, _parse_sizes(sizes), seed)
    results = {"unfused": _results(unfused, inputs)}
    if pathlib.Path(model).suffix == ".onnx":
        results["reference"] = _reference(model, inputs)
    worst = 0.0
    for name, others in results.items():
        for argument, ours, theirs in zip(fused.signature.outputs, _results(fused, inputs), others):
            difference = relative_difference(ours, theirs)
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


def _reference(model: str, inputs: list[np.ndarray]) -> list[np.ndarray] | None:
    import onnx
    from onnx.reference import ReferenceEvaluator

    evaluator = ReferenceEvaluator(onnx.load(model))
    return evaluator.run(None, dict(zip(evaluator.input_names, inputs)))
