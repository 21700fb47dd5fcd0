# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators through the importer, executed by stock passes, against ONNX's reference evaluator.

Sizes are dynamic, so that nothing folds; a case is one model with many outputs.
"""

import ml_dtypes
import numpy as np
import pytest

from execution import execute
from onnx_models import evaluate, make_model, node
from posenc.frontends.onnx import import_model

RANDOM = np.random.default_rng(7)
X = RANDOM.standard_normal((3, 4, 5)).astype(np.float32)
Y = RANDOM.standard_normal((4, 1)).astype(np.float32)
POSITIVE = np.abs(X) + 0.5
INTEGERS = RANDOM.integers(-7, 8, (3, 4)).astype(np.int64)
DIVISORS = np.where(RANDOM.integers(0, 2, (3, 4)), 3, -2).astype(np.int64)
FLAGS = RANDOM.random((3, 4)) < 0.5
FEEDS = {
    "x": X,
    "y": Y,
    "p": POSITIVE,
    "n": INTEGERS,
    "d": DIVISORS,
    "b": FLAGS,
    "c": ~FLAGS.T[:, :1] | True,
}
SYMBOLS = {
    "x": ("B", "H", "L"),
    "y": ("H", 1),
    "p": ("B", "H", "L"),
    "n": ("B", "H"),
    "d": ("B", "H"),
    "b": ("B", "H"),
    "c": ("H", 1),
}
ROWS = np.array([[0, -1], [2, 1]], np.int64)

CONSTANTS = {
    "one": np.float32(1.0),
    "two": np.float32(2.0),
    "half": np.float32(0.5),
    "three": np.int64(3),
    "axis0": np.array([0]),
    "axis1": np.array([1]),
    "axis2": np.array([2]),
    "axes12": np.array([1, 2]),
    "i0": np.int64(0),
    "i1": np.int64(1),
    "big": np.array([2**63 - 1]),
    "least": np.array([-(2**63)]),
    "m1": np.array([-1]),
    "m2": np.array([-2]),
    "step2": np.array([2]),
    "start1": np.array([1]),
    "rows": ROWS,
    "columns": np.array([[0, -1], [2, 1], [3, 3]]),
    "low": np.float32(-0.5),
    "flat": np.array([-1]),
    "keep0": np.array([0, -1]),
    "merge": np.array([0, -1, 1]),
    "pads": np.array([0, 1, 0, 0, 0, 2]),
    "fill": np.float32(-3.0),
    "repeats": np.array([1, 2, 3]),
    "wide": np.array([2, 1, 1, 1]),
    "nd": np.array([[0, 1], [2, -1]]),
    "scale": RANDOM.standard_normal(5).astype(np.float32),
    "bias": RANDOM.standard_normal(5).astype(np.float32),
    "matrix": RANDOM.standard_normal((5, 6)).astype(np.float32),
    "vector": RANDOM.standard_normal(5).astype(np.float32),
    "bias6": RANDOM.standard_normal(6).astype(np.float32),
    "sizes": np.array([1, 2]),
    "k1": np.int64(1),
    "km1": np.int64(-1),
}

FAMILIES = {
    "arithmetic": [
        node(op, "x y", f"r{i}") for i, op in enumerate(["Add", "Sub", "Mul", "Div", "Max", "Min"])
    ]
    + [
        node("Max", "x y one", "max3"),
        node("Sum", "x y one", "sum3"),
        node("Sum", "x", "sum1"),
        node("Pow", "p two", "square"),
        node("Pow", "p half", "root"),
        node("Pow", "p x", "power"),
        node("Where", "c x y", "where"),
        node("Clip", "x low one", "clip"),
        node("Clip", "x _ half", "clip_above"),
    ],
    "integers": [
        node(op, "n d", f"r{i}")
        for i, op in enumerate(["Add", "Sub", "Mul", "Div", "Mod", "Max", "Min"])
    ]
    + [
        node("Mod", "n d", "mod_c", fmod=1),
        node("Abs", "n", "abs"),
        node("Neg", "n", "neg"),
        node("Sign", "n", "sign"),
        node("Cast", "n", "as_float", to=1),
        node("Cast", "n", "as_bool", to=9),
        node("Cast", "n", "as_i32", to=6),
        node("Cast", "b", "from_bool", to=7),
        node("CumSum", "n i1", "cumsum"),
        node("CumSum", "n i1", "cumsum_strict", exclusive=1),
        node("CumSum", "n i0", "cumsum_back", reverse=1),
    ],
    "logic": [
        node(op, "x y", f"r{i}")
        for i, op in enumerate(["Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"])
    ]
    + [node(op, "b b2", f"l{i}") for i, op in enumerate(["And", "Or", "Xor"])]
    + [node("Greater", "n d", "b2"), node("Not", "b", "no"), node("IsNaN", "x", "nan")],
    "functions": [
        node(op, "x", f"f{i}")
        for i, op in enumerate(
            [
                "Exp",
                "Tanh",
                "Sin",
                "Cos",
                "Erf",
                "Floor",
                "Ceil",
                "Round",
                "Abs",
                "Neg",
                "Sigmoid",
                "Relu",
                "Reciprocal",
                "Sign",
                "Identity",
                "Softplus",
                "Swish",
                "Mish",
                "HardSwish",
                "Gelu",
            ]
        )
    ]
    + [
        node("Sqrt", "p", "sqrt"),
        node("Log", "p", "log"),
        node("Gelu", "x", "gelu_tanh", approximate="tanh"),
    ],
    "reductions": [
        node(op, "x axis1", f"r{i}")
        for i, op in enumerate(["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL2"])
    ]
    + [
        node("ReduceSum", "x axes12", "two_axes", keepdims=0),
        node("ReduceMean", "x", "everything", keepdims=0),
        node("ReduceMax", "n axis0", "of_integers"),
        node("ReduceSum", "x _", "nothing", noop_with_empty_axes=1),
        node("Softmax", "x", "softmax"),
        node("Softmax", "x", "softmax1", axis=1),
    ],
    "normalization": [
        node("LayerNormalization", "x scale bias", "layer"),
        node("LayerNormalization", "x scale", "plain mean_out inverse_out", epsilon=1e-3),
        node("RMSNormalization", "x scale", "rms"),
    ],
    "shapes": [
        node("Transpose", "x", "reversed"),
        node("Transpose", "x", "turned", perm=[1, 0, 2]),
        node("Reshape", "x flat", "flat_out"),
        node("Reshape", "x keep0", "kept"),
        node("Reshape", "x merge", "merged"),
        node("Flatten", "x", "flattened", axis=2),
        node("Unsqueeze", "x axis1", "unsqueezed"),
        node("Squeeze", "y axis1", "squeezed"),
        node("Expand", "y wide", "expanded"),
        node("Tile", "x repeats", "tiled"),
        node("Concat", "x p", "joined", axis=1),
        node("Pad", "x pads fill", "padded"),
        node("Trilu", "x", "upper"),
        node("Trilu", "x k1", "lower", upper=0),
        node("Trilu", "x km1", "upper_m1"),
        node("Shape", "x", "shape", start=1),
        node("Size", "x", "size"),
    ],
    "slices": [
        node("Slice", "x start1 big axis1", "from1"),
        node("Slice", "x m2 big axis2", "last2"),
        node("Slice", "x least m1 axis1", "but_last"),
        node("Slice", "x axis0 big axis2 step2", "every2"),
        node("Slice", "x m1 least axis2 m1", "backwards"),
        node("Slice", "x m1 m2 axis0", "empty"),
        node("Split", "x sizes", "first second", axis=0),
        node("Split", "x", "left right", axis=2, num_outputs=2),
    ],
    "gathers": [
        node("Gather", "x rows", "gather0", axis=0),
        node("Gather", "x rows", "gather1", axis=1),
        node("Gather", "x three", "row", axis=1),
        node("GatherND", "x nd", "nd_out"),
        node("GatherElements", "n columns", "elements", axis=1),
    ],
    "products": [
        node("MatMul", "x matrix", "by_matrix"),
        node("MatMul", "x xt", "batched"),
        node("Transpose", "x", "xt", perm=[0, 2, 1]),
        node("MatMul", "x vector", "by_vector"),
        node("Unsqueeze", "x axis1", "x4"),
        node("MatMul", "x4 xt", "broadcast"),
        node("Gemm", "matrix matrix", "gemm", transA=1, alpha=0.5),
        node("Gemm", "matrix matrix bias6", "gemm_bias", transA=1, beta=2.0),
    ],
}


def executed(nodes, feeds, symbols):
    """(names, results by posenc's importer, results by ONNX) for all outputs of `nodes`."""
    model, feeds = model_of(nodes, feeds, symbols)
    outputs = [info.name for info in model.graph.output]
    return outputs, execute(import_model(model), list(feeds.values())), evaluate(model, feeds)


def model_of(nodes, feeds, symbols):
    """A model of all outputs of `nodes`, and the inputs of `feeds` that it reads."""
    outputs = [name for one in nodes for name in one.output]
    used = {name for one in nodes for name in one.input}
    feeds = {name: array for name, array in feeds.items() if name in used}
    constants = {name: array for name, array in CONSTANTS.items() if name in used}
    nodes = _sorted(nodes, set(feeds) | set(constants) | {""})
    return make_model(nodes, feeds, outputs, constants, symbols), feeds


def _sorted(nodes, known):
    """Nodes after what they read."""
    nodes, result = list(nodes), []
    while nodes:
        ready = next(one for one in nodes if known.issuperset(one.input))
        nodes.remove(ready)
        known = known | set(ready.output)
        result.append(ready)
    return result


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_family(family: str, dynamic: bool) -> None:
    names, ours, reference = executed(FAMILIES[family], FEEDS, SYMBOLS if dynamic else None)
    for name, result, expected in zip(names, ours, reference, strict=True):
        assert result.dtype == expected.dtype, name
        np.testing.assert_allclose(result, expected, rtol=2e-6, atol=2e-6, err_msg=name)


@pytest.mark.parametrize("element", [np.float16, ml_dtypes.bfloat16], ids=["f16", "bf16"])
def test_half_precision_rounds_once_an_operator(element) -> None:
    x, y = X.astype(element), (Y * 100).astype(element)
    nodes = [
        node("Add", "x y", "sum"),
        node("Mul", "x y", "product"),
        node("MatMul", "x xt", "square"),
        node("Transpose", "x", "xt", perm=[0, 2, 1]),
        node("ReduceSum", "x axis2", "total"),
        node("Softmax", "x", "softmax"),
        node("Sigmoid", "x", "gate"),
    ]
    names, ours, _ = executed(nodes, {"x": x, "y": y}, {"x": ("B", "H", "L"), "y": ("H", 1)})
    wide_x, wide_y = x.astype(np.float64), y.astype(np.float64)
    exponentials = np.exp(wide_x - wide_x.max(-1, keepdims=True))
    expected = {
        "sum": wide_x + wide_y,
        "product": wide_x * wide_y,
        "square": wide_x @ wide_x.transpose(0, 2, 1),
        "total": wide_x.sum(2, keepdims=True),
        "softmax": exponentials / exponentials.sum(-1, keepdims=True),
        "gate": 1 / (1 + np.exp(-wide_x)),
    }
    for name, result in zip(names, ours, strict=True):
        if name == "xt":
            continue
        unit = float(ml_dtypes.finfo(element).eps)
        assert result.dtype == element, name
        np.testing.assert_allclose(
            result.astype(np.float64), expected[name], rtol=0.51 * unit, atol=1e-6, err_msg=name
        )


def test_sum_in_half_precision_does_not_stall() -> None:
    """4,096 ones: a sum in f16 would stop at 2,048."""
    ones = np.ones((1, 4096), np.float16)
    _, (total,), _ = executed([node("ReduceSum", "x axis1", "total")], {"x": ones}, None)
    assert total == 4096
