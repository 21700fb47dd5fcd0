# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the importer refuses, and in which words: one line that says what is wrong."""

import re

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

import posenc
from onnx_models import make_model, node
from posenc.frontends.onnx import import_model
from test_import_models import CASES
from tools import posenc_opt

X = np.zeros((2, 3), np.float32)
SYMBOLS = {"x": ("B", "S")}


def failure(model) -> str:
    with pytest.raises(posenc.ImportFailure) as caught:
        import_model(model)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_unknown_operators_are_listed_at_once() -> None:
    nodes = [
        helper.make_node("Sparkle", ["x"], ["a"], name="first", domain="com.example"),
        helper.make_node("Neg", ["a"], ["b"]),
        helper.make_node("Det", ["b"], ["c"], name="second"),
    ]
    info = helper.make_tensor_value_info("x", TensorProto.FLOAT, [3, 3])
    result = helper.make_tensor_value_info("c", TensorProto.FLOAT, [])
    model = helper.make_model(
        helper.make_graph(nodes, "g", [info], [result]),
        ir_version=10,
        opset_imports=[helper.make_opsetid("", 22), helper.make_opsetid("com.example", 1)],
    )
    message = failure(model)
    assert message.startswith("posenc does not know 2 of the model's 3 nodes: ")
    assert "Sparkle (domain 'com.example', opset 1, node 'first')" in message
    assert "Det (domain 'ai.onnx', opset 22, node 'second')" in message


def test_old_opset() -> None:
    info = helper.make_tensor_value_info("x", TensorProto.FLOAT, [3])
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, [3])
    model = helper.make_model(
        helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "g", [info], [result]),
        opset_imports=[helper.make_opsetid("", 12)],
        ir_version=7,
    )
    assert "opset 12; posenc takes 13 and later" in failure(model)


def test_missing_file(tmp_path) -> None:
    assert "none.onnx" in failure(tmp_path / "none.onnx")


def test_sizes_that_cannot_agree() -> None:
    model = make_model([node("Add", "x y", "z")], {"x": X, "y": X[:, :2]}, ["z"], ranks={"z": 2})
    assert failure(model) == "node 'z' (Add): sizes 3 and 2 do not agree"


def test_shape_that_depends_on_data() -> None:
    feeds = {"x": X, "n": np.array([3, 2])}
    model = make_model([node("Reshape", "x n", "y")], feeds, ["y"], symbols=SYMBOLS, ranks={"y": 2})
    assert "node 'y' (Reshape): the new shape depends on data" in failure(model)


def test_float64_is_refused() -> None:
    model = make_model([node("Exp", "x", "y")], {"x": X.astype(np.float64)}, ["y"])
    assert (
        "computes in float64, which posenc does not compile; export the model in float32"
        in failure(model)
    )


def test_unknown_element_type() -> None:
    model = make_model([node("Identity", "x", "y")], {"x": X.astype(np.uint8)}, ["y"])
    assert "input 'x' has elements of type UINT8" in failure(model)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**31), st.integers(1, 200))
def test_damaged_files(seed: int, length: int) -> None:
    """Bytes lost and bytes overwritten: a refusal or an import, nothing else."""
    content = bytearray((CASES[0] / "model.onnx").read_bytes())
    random = np.random.default_rng(seed)
    if seed % 2:
        content = content[: random.integers(0, len(content))]
    for position in random.integers(0, max(len(content), 1), length):
        if position < len(content):
            content[position] = random.integers(0, 256)
    try:
        import_model(bytes(content))
    except posenc.ImportFailure as error:
        assert "\n" not in str(error)


def mutate(model: onnx.ModelProto, random: np.random.Generator) -> None:
    """Changes one attribute, one dimension or element type of an input, or one edge."""
    node, info = (random.choice(list(items)) for items in (model.graph.node, model.graph.input))
    tensor, kind = info.type.tensor_type, random.integers(0, 4)
    if kind == 0 and node.attribute:
        attribute = node.attribute[random.integers(0, len(node.attribute))]
        if attribute.type == onnx.AttributeProto.INT:
            attribute.i = random.choice([-5, -1, 0, 1, 3, 1 << 40])
        elif attribute.ints:
            attribute.ints[0] = random.choice([-2, 0, 1, 3, 9])
    elif kind == 1 and tensor.shape.dim:
        dimension = tensor.shape.dim[random.integers(0, len(tensor.shape.dim))]
        dimension.dim_value = random.choice([0, 1, 2, 5, 64])
    elif kind == 2:
        tensor.elem_type = random.choice([1, 7, 9, 10, 11, 16])
    elif node.input:
        node.input[random.integers(0, len(node.input))] = random.choice(
            [info.name, *model.graph.node[0].output]
        )


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 2**31))
def test_mutated_graphs(seed: int) -> None:
    """A graph changed at random is refused, or imported to IR that is valid."""
    random = np.random.default_rng(seed)
    model = onnx.load(random.choice(CASES) / "model.onnx")
    for _ in range(random.integers(1, 4)):
        mutate(model, random)
    try:
        text = import_model(model)
    except posenc.ImportFailure as error:
        assert "\n" not in str(error)
    else:
        posenc_opt(text)


def test_functions_of_the_model_are_inlined() -> None:
    function = helper.make_function(
        "local",
        "Twice",
        ["a"],
        ["b"],
        [helper.make_node("Add", ["a", "a"], ["b"])],
        [helper.make_opsetid("", 22)],
    )
    info = helper.make_tensor_value_info("x", TensorProto.FLOAT, [3])
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, [3])
    graph = helper.make_graph(
        [helper.make_node("Twice", ["x"], ["y"], domain="local")], "g", [info], [result]
    )
    model = helper.make_model(
        graph,
        functions=[function],
        ir_version=10,
        opset_imports=[helper.make_opsetid("", 22), helper.make_opsetid("local", 1)],
    )
    assert "arith.addf" in import_model(model)


def test_name_becomes_a_c_identifier() -> None:
    model = make_model([node("Neg", "x", "y")], {"x": X}, ["y"])
    model.graph.name = "my model/1"
    assert "func.func @my_model_1(" in import_model(model)
    assert "func.func @other(" in import_model(model, "other")
    onnx.checker.check_model(model)


def test_initializers_that_do_not_fit_their_data() -> None:
    weight = numpy_helper.from_array(np.ones((2, 3), np.float32), "w")
    model = make_model([node("Add", "x w", "y")], {"x": X}, ["y"], {"w": X})
    for data, sizes in ((b"\0" * 20, [2, 3]), (b"\0" * 28, [2, 3]), (b"\0" * 24, [2, -1])):
        weight.raw_data = data
        weight.dims[:] = sizes
        model.graph.initializer[0].CopyFrom(weight)
        assert re.search(r"\bw\b", failure(model))


def test_external_data_that_is_too_short(tmp_path) -> None:
    model = make_model([node("Add", "x w", "y")], {"x": X}, ["y"], {"w": X})
    (tmp_path / "w.bin").write_bytes(b"\0" * 24)
    weight = model.graph.initializer[0]
    weight.ClearField("raw_data")
    weight.data_location = TensorProto.EXTERNAL
    for key, value in (("location", "w.bin"), ("offset", "4")):
        weight.external_data.add(key=key, value=value)
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    assert "initializer 'w' of the sizes [2, 3] does not fit" in failure(tmp_path / "model.onnx")


# A node on x of 2 x 3, its constants, and the words of the refusal.
INVALID_NODES = {
    "negative_split": (node("Split", "x s", "y z", axis=1), {"s": [-1, 4]}, "sizes [2, -1]"),
    "short_split": (node("Split", "x s", "y z", axis=1), {"s": [1, 1]}, "add up to 2"),
    "split_of_three": (node("Split", "x s", "y z", axis=1), {"s": [1, 1, 1]}, "3 sizes for 2"),
    "many_splits": (
        node("Split", "x", "y b c d e f g", axis=1, num_outputs=7),
        {},
        "sizes [2, -3]",
    ),
    "row": (node("Gather", "x i", "y"), {"i": 5}, "row 5 is outside"),
    "rows": (node("Gather", "x i", "y"), {"i": [0, -3]}, "row -3 is outside"),
    "tuples": (
        node("GatherND", "x i", "y"),
        {"i": [[0, 0], [1, 3]]},
        "row 3 is outside a dimension of size 3",
    ),
    "batched_tuples": (
        node("GatherND", "x i", "y", batch_dims=1),
        {"i": [[-4], [0]]},
        "row -4 is outside a dimension of size 3",
    ),
    "elements": (node("GatherElements", "x i", "y"), {"i": [[2, 0, 0]]}, "row 2 is outside"),
    "reduced_twice": (node("ReduceSum", "x a", "y"), {"a": [1, -1]}, "[1, -1] name one"),
    "unsqueezed_twice": (node("Unsqueeze", "x a", "y"), {"a": [0, 0]}, "[0, 0] name one"),
    "sliced_twice": (
        node("Slice", "x s e a", "y"),
        {"s": [0, 0], "e": [1, 1], "a": [1, 1]},
        "[1, 1] name one",
    ),
    "ragged_slice": (node("Slice", "x s e", "y"), {"s": [0, 0], "e": [1]}, "2 starts, 1 ends"),
    "negative_shape": (node("Reshape", "x s", "y"), {"s": [-2, -3]}, "sizes [-2, -3]"),
    "unknown_type": (node("Cast", "x", "y", to=999), {}, "elements of type 999"),
    "no_type": (node("Cast", "x", "y"), {}, "Cast"),
}


@pytest.mark.parametrize("name", INVALID_NODES)
def test_invalid_nodes(name: str) -> None:
    wrong, constants, words = INVALID_NODES[name]
    arrays = {key: np.asarray(value) for key, value in constants.items()}
    message = failure(make_model([wrong], {"x": X}, ["y"], arrays, ranks={"y": 2}))
    assert words in message
    assert message.startswith(f"node 'y' ({wrong.op_type}): ") or "valid" in message


def test_negative_size_of_an_input() -> None:
    model = make_model([node("Neg", "x", "y")], {"x": X}, ["y"], symbols={"x": (-4, 3)})
    model.graph.ClearField("value_info")
    assert failure(model).startswith("input 'x' has the size -4 in dimension 0;")


def test_no_outputs() -> None:
    assert "the model has no outputs" in failure(make_model([node("Neg", "x", "y")], {"x": X}, []))


@pytest.mark.parametrize(
    "size, mask, words",
    [(16, np.array(True), "attn_mask is tensor<i1>"), (0, np.array([True]), "the head size is 0")],
)
def test_invalid_attention(size: int, mask: np.ndarray, words: str) -> None:
    head = np.zeros((1, 2, 3, size), np.float32)
    feeds = {"q": head, "k": head, "v": head, "m": mask}
    message = failure(make_model([node("Attention", "q k v m", "y")], feeds, ["y"], ranks={"y": 4}))
    assert message.startswith("node 'y' (Attention): ") and words in message
