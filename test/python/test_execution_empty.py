# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX tensors without elements: slices past the end, operands of a static size 0."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx_models import evaluate, make_model, node

import posenc

X = np.arange(6, dtype=np.float32).reshape(2, 3)
NONE = np.zeros((0, 3), np.float32)
LAST = 2**63 - 1

# The nodes up to y, the inputs, and the constants.
CASES: dict[str, tuple[list[onnx.NodeProto], dict[str, np.ndarray], dict[str, list[int]]]] = {
    "past_the_end": ([node("Slice", "x s e", "y")], {"x": X}, {"s": [2], "e": [LAST]}),
    "crossed": ([node("Slice", "x s e a", "y")], {"x": X}, {"s": [2], "e": [1], "a": [1]}),
    "backwards": (
        [node("Slice", "x s e a t", "y")],
        {"x": X},
        {"s": [0], "e": [1], "a": [1], "t": [-1]},
    ),
    "split": ([node("Split", "x s", "y z", axis=1)], {"x": X}, {"s": [0, 3]}),
    "joined": (
        [node("Slice", "x s e", "p"), node("Concat", "p x", "y", axis=0)],
        {"x": X},
        {"s": [2], "e": [LAST]},
    ),
    "elementwise": ([node("Exp", "x", "y")], {"x": NONE}, {}),
    "transposed": ([node("Transpose", "x", "y")], {"x": NONE}, {}),
    "reduced": ([node("ReduceSum", "x a", "y")], {"x": NONE}, {"a": [0]}),
    "softmax": ([node("Softmax", "x", "y")], {"x": NONE}, {}),
    "product": ([node("MatMul", "x w", "y")], {"x": X[:, :0], "w": NONE}, {}),
    "rotary": (
        [node("RotaryEmbedding", "x c s p", "y")],
        {
            "x": np.zeros((0, 2, 4, 8), np.float32),
            "c": np.ones((4, 4), np.float32),
            "s": np.ones((4, 4), np.float32),
            "p": np.zeros((0, 4), np.int64),
        },
        {},
    ),
    "attention": (
        [node("Attention", "q k k", "y")],
        {"q": np.zeros((1, 2, 0, 8), np.float32), "k": np.zeros((1, 2, 3, 8), np.float32)},
        {},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_tensors_without_elements(name: str) -> None:
    nodes, inputs, lists = CASES[name]
    constants = {key: np.asarray(value) for key, value in lists.items()}
    model = make_model(nodes, inputs, ["y"], constants)
    result = posenc.compile(model)(*inputs.values())
    np.testing.assert_array_equal(result, evaluate(model, inputs)[0])


def test_an_empty_slice_of_a_dynamic_dimension() -> None:
    """x[S:] of S rows has none."""
    nodes = [node("Shape", "x", "n", start=0, end=1), node("Slice", "x n e", "y")]
    constants = {"e": np.array([LAST])}
    model = make_model(nodes, {"x": X}, ["y"], constants, symbols={"x": ("S", 3)}, ranks={"y": 2})
    assert posenc.compile(model)(X).shape == (0, 3)
