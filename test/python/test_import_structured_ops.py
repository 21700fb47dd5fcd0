# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolution, Einsum, Resize, scatters, branches and norms a channel, as in `test_import_ops.py`.

Each family runs with static and with dynamic sizes; the oracle is ONNX's
reference evaluator.
"""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import posenc
from execution import execute
from onnx_models import evaluate, make_model, node
from posenc.frontends.onnx import import_model

RANDOM = np.random.default_rng(11)


def random(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(np.float32)


FEEDS = {
    "x1": random(2, 4, 11),
    "x2": random(2, 4, 7, 6),
    "a": random(2, 3, 5, 4),
    "b": random(5, 6, 4),
    "square": random(3, 5, 5),
    "cache": random(2, 6, 3),
    "rows": random(2, 2, 3),
    "row": random(4, 3),
    "at": np.array([[[0, 1], [1, 5]], [[0, 0], [1, -2]]]),
    "columns": np.array([[[0, 5, -1]], [[2, 2, 1]]]),
    "single": random(2, 1, 3),
    "starts": np.array([1, 4]),
    "flag": np.array(True),
}
SYMBOLS = {
    "x1": ("B", 4, "L"),
    "x2": ("B", 4, "H", 6),
    "a": ("B", "N", "I", 4),
    "b": ("I", "J", 4),
    "square": ("N", "I", "I"),
    "cache": ("B", "L", 3),
    "rows": ("B", 2, 3),
    "at": ("B", 2, 2),
    "columns": ("B", 1, 3),
    "single": ("B", 1, 3),
    "starts": ("B",),
}
CONSTANTS = {
    "w1": random(6, 4, 3),
    "depthwise": random(4, 1, 3),
    "grouped": random(6, 2, 2),
    "pointwise": random(5, 4, 1),
    "w2": random(5, 4, 3, 2),
    "patches": random(5, 4, 2, 2),
    "bias5": random(5),
    "bias6": random(6),
    "scales": np.array([1, 1, 1, 1.5], np.float32),
    "half": np.array([1, 1, 1, 0.5], np.float32),
    "place": np.array([[[1, 2], [0, 3]]]),
    "grid": np.array([[[1, 1], [1, 3]]]),
    "few": random(1, 2, 3),
    "gamma": random(4),
    "beta": random(4),
    "mean": random(4),
    "variance": np.abs(random(4)) + 0.5,
    "around": np.array([0, 0, 2, 0, 0, 3]),
    "depth": np.array(5),
    "off_on": np.array([-1, 2], np.float32),
    "minus": np.array(-1),
    "zero_index": np.zeros((2, 1, 3), np.int64),
    "yes": np.array(True),
}


def conv(inputs: str, output: str, **attributes):
    return node("Conv", inputs, output, **attributes)


FAMILIES = {
    "convolutions": [
        conv("x1 w1 bias6", "plain"),
        conv("x1 w1", "strided", strides=[3], pads=[1, 2], dilations=[2]),
        conv("x1 w1", "upper", auto_pad="SAME_UPPER", strides=[2]),
        conv("x1 w1", "lower", auto_pad="SAME_LOWER"),
        conv("x1 w1", "valid", auto_pad="VALID", strides=[5]),
        conv("x1 depthwise", "depthwise_out", group=4, pads=[2, 0]),
        conv("x1 grouped bias6", "grouped_out", group=2),
        conv("x1 pointwise bias5", "pointwise_out"),
        conv("x2 w2 bias5", "two", pads=[1, 0, 1, 2], strides=[2, 1]),
        conv("x2 patches", "patches_out", strides=[2, 2]),
    ],
    "einsums": [
        node("Einsum", "a b", "shaw", equation="bhld,lrd->bhlr"),
        node("Einsum", "a b", "outer", equation="bhld, lrd -> bhlrd"),
        node("Einsum", "square", "diagonal", equation="...ii->...i"),
        node("Einsum", "square", "trace", equation="bii"),
        node("Einsum", "square", "turned", equation="b...->...b"),
        node("Einsum", "square square", "product", equation="bij,bjk"),
        node("Einsum", "square square square", "chain", equation="...ij,...jk,...kl->...il"),
    ],
    "resizes": [
        node("Resize", "x2 _ scales", "nearest", mode="nearest"),
        node("Resize", "x2 _ scales", "linear", mode="linear"),
        node("Resize", "x2 _ half", "shrunk", mode="linear", antialias=1),
        node("Resize", "x2 _ scales", "cubic", mode="cubic", cubic_coeff_a=-0.5),
        node(
            "Resize",
            "x2 _ scales",
            "corners",
            mode="cubic",
            coordinate_transformation_mode="align_corners",
        ),
        node(
            "Resize",
            "x2 _ scales",
            "floor",
            nearest_mode="floor",
            coordinate_transformation_mode="asymmetric",
        ),
    ],
    "scatters": [
        node("ScatterND", "cache at rows", "written"),
        node("ScatterND", "cache at rows", "added", reduction="add"),
        node("ScatterND", "cache place few", "at_known_rows"),
        node("ScatterND", "cache place few", "largest_at_known_rows", reduction="max"),
        node("ScatterND", "cache grid few", "slice"),
        node("ScatterElements", "cache columns single", "elements", axis=1),
        node("ScatterElements", "cache columns single", "product", axis=1, reduction="mul"),
        node("ScatterElements", "cache zero_index single", "first_row", axis=1),
        node("TensorScatter", "cache rows starts", "appended"),
        node("TensorScatter", "cache rows starts", "circular", mode="circular"),
    ],
    "channels": [
        node("BatchNormalization", "x1 gamma beta mean variance", "batch"),
        node("InstanceNormalization", "x2 gamma beta", "instance"),
        node("GlobalAveragePool", "x2", "average"),
        node("GlobalMaxPool", "x2", "largest"),
        node("SpaceToDepth", "patches", "depth_out", blocksize=2),
        node("DepthToSpace", "x2", "space", blocksize=2),
        node("Pad", "x1 around", "edge", mode="edge"),
        node("Pad", "x1 around", "reflect", mode="reflect"),
        node("Pad", "x1 around", "wrap", mode="wrap"),
    ],
    "choices": [
        node("ArgMax", "x1", "first_max", axis=2),
        node("ArgMax", "columns", "last_max", axis=2, keepdims=0, select_last_index=1),
        node("ArgMin", "x1", "first_min", axis=1),
        node("OneHot", "columns depth off_on", "one_hot"),
        node("OneHot", "columns depth off_on", "one_hot1", axis=1),
        node("EyeLike", "row", "eye", k=1),
        node("Sum", "x1 x1 x1", "total"),
        node("Mean", "x1 x1", "middle"),
        node("IsInf", "x1", "infinite"),
        node("Elu", "x1", "elu"),
        node("LeakyRelu", "x1", "leaky"),
        node("LogSoftmax", "x1", "log_softmax", axis=1),
    ],
}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_family(family: str, dynamic: bool) -> None:
    nodes = FAMILIES[family]
    outputs = [name for one in nodes for name in one.output]
    used = {name for one in nodes for name in one.input}
    feeds = {name: array for name, array in FEEDS.items() if name in used}
    constants = {name: array for name, array in CONSTANTS.items() if name in used}
    model = make_model(nodes, feeds, outputs, constants, SYMBOLS if dynamic else None)
    ours = execute(import_model(model), list(feeds.values()))
    for name, result, expected in zip(outputs, ours, evaluate(model, feeds), strict=True):
        assert result.dtype == expected.dtype, name
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=5e-6, err_msg=name)


@pytest.mark.parametrize("automatic", [{"pads": [5, 4]}, {"auto_pad": "SAME_UPPER"}], ids=str)
def test_convolution_of_dynamic_channels(automatic: dict) -> None:
    """The weight says how many there are: [N, C, L] is taken as [N, 4, L]."""
    model = make_model(
        [conv("x1 w1", "r", **automatic)],
        feeds := {"x1": FEEDS["x1"]},
        ["r"],
        {"w1": CONSTANTS["w1"]},
        {"x1": ("N", "C", "L")},
    )
    text = import_model(model)
    assert "tensor<?x4x?xf32>" in text and text.count("cf.assert") == 1
    (expected,) = evaluate(model, feeds)
    result = posenc.compile(model)(FEEDS["x1"])
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=5e-6)


def test_group_normalization() -> None:
    x, gamma, beta = FEEDS["x2"], CONSTANTS["gamma"], CONSTANTS["beta"]
    model = make_model(
        [node("GroupNormalization", "x2 gamma beta", "r", num_groups=2)],
        {"x2": x},
        ["r"],
        {"gamma": gamma, "beta": beta},
        SYMBOLS,
        ranks={"r": 4},
    )
    grouped = x.reshape(2, 2, -1).astype(np.float64)
    normal = grouped - grouped.mean(-1, keepdims=True)
    normal = (normal / np.sqrt(grouped.var(-1, keepdims=True) + 1e-5)).reshape(x.shape)
    scale, bias = gamma[:, None, None], beta[:, None, None]
    np.testing.assert_allclose(posenc.compile(model)(x), normal * scale + bias, rtol=1e-5, atol=1e-5)


def branches(then: str, otherwise: str, sizes: tuple = ("B", 4, "L")):
    """A node If whose branches read `x1` from outside."""

    def graph(name: str, op: str):
        result = helper.make_tensor_value_info(f"{name}_out", TensorProto.FLOAT, sizes)
        nodes = [node(op, "x1", f"{name}_inner"), node("Mul", f"{name}_inner two", f"{name}_out")]
        return helper.make_graph(nodes, name, [], [result])

    return graph("then", then), graph("else", otherwise)


def branch_model(condition: str, constants=None, otherwise: str = "Cos"):
    then_branch, else_branch = branches("Sin", otherwise)
    nodes = [node("If", condition, "r", then_branch=then_branch, else_branch=else_branch)]
    feeds = {"x1": FEEDS["x1"]} | ({"flag": FEEDS["flag"]} if condition == "flag" else {})
    constants = {"two": np.float32(2)} | (constants or {})
    return make_model(nodes, feeds, ["r"], constants, SYMBOLS, ranks={"r": 3})


def test_branch_known_at_import_leaves_no_trace() -> None:
    text = import_model(branch_model("yes", {"yes": np.array(True)}))
    assert "scf.if" not in text and "math.cos" not in text and "math.sin" in text


@pytest.mark.parametrize("flag", [True, False])
def test_branch_by_data(flag: bool) -> None:
    compiled = posenc.compile(branch_model("flag"))
    expected = 2 * (np.sin if flag else np.cos)(FEEDS["x1"])
    np.testing.assert_allclose(compiled(FEEDS["x1"], np.array(flag)), expected, rtol=1e-5, atol=1e-6)


def test_branches_by_data_need_equal_sizes() -> None:
    with pytest.raises(posenc.ImportFailure, match="give them the same sizes"):
        import_model(branch_model("flag", otherwise="Shape"))


@pytest.mark.parametrize("position", [-100, -7, 6, 100])
def test_no_write_outside_the_tensor(position: int) -> None:
    """ONNX leaves such a position undefined; here the row is left out."""
    feeds = {"row": FEEDS["row"], "at": np.array([[position]]), "new": random(1, 3)}
    model = make_model([node("ScatterND", "row at new", "r")], feeds, ["r"])
    np.testing.assert_array_equal(posenc.compile(model)(*feeds.values()), feeds["row"])


def test_a_scatter_into_nothing() -> None:
    feeds = {"row": np.zeros((0, 3), np.float32), "at": np.array([[0]]), "new": random(1, 3)}
    symbols = {"row": ("N", 3)}
    model = make_model([node("ScatterND", "row at new", "r")], feeds, ["r"], symbols=symbols)
    assert posenc.compile(model)(*feeds.values()).shape == (0, 3)


@pytest.mark.parametrize(
    ("op", "reason"),
    [
        ("NonZero", "a tensor whose size depends on data"),
        ("Loop", "export a model without loops"),
        ("LinearAttention", "posenc compiles softmax attention"),
        ("RandomNormalLike", "export the model for inference"),
    ],
)
def test_refused_by_name_with_the_remedy(op: str, reason: str) -> None:
    from posenc.frontends.onnx.registry import find_handler

    handler = find_handler("", op, 27)
    with pytest.raises(posenc.ImportFailure, match=reason):
        handler(None)


def test_external_data_is_mapped_and_equal_weights_embedded_once(tmp_path) -> None:
    weight, x = random(8, 8), random(3, 8)
    weights = {"w": weight, "tied": weight.copy()}
    nodes = [node("MatMul", "x w", "y"), node("MatMul", "y tied", "z")]
    model = make_model(nodes, {"x": x}, ["z"], weights)
    onnx.save(model, tmp_path / "m.onnx", save_as_external_data=True, location="w.bin", size_threshold=0)
    text = import_model(tmp_path / "m.onnx")
    assert text.count("dense_resource<weight_0>") == 2 and text.count(': "0x') == 1
    (result,) = execute(text, [x])
    np.testing.assert_allclose(result, x @ weight @ weight, rtol=1e-5, atol=1e-5)
