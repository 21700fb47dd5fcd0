# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`posenc verify`: what it compares, with which tolerance, and that it notices a wrong result."""

import pathlib
import re

import ml_dtypes
import numpy as np
import pytest
from onnx import helper

import posenc
from onnx_models import make_model, node
from posenc import _verify
from posenc.__main__ import main
from posenc._inputs import likely_sizes, random_inputs
from posenc._signature import Argument, Signature
from posenc.evaluator.scalars import SCALARS
from scale_graph import TEXT
from test_calls import ACCUMULATE
from test_execution_caches import step

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "test" / "data" / "models"


@pytest.fixture
def graph(tmp_path) -> pathlib.Path:
    path = tmp_path / "graph.mlir"
    path.write_text(TEXT)
    return path


def verified(capsys, *arguments: object) -> list[str]:
    """The lines of a `posenc verify` that finds nothing."""
    assert main(["verify", *map(str, arguments)]) == 0, capsys.readouterr().err
    return capsys.readouterr().out.splitlines()


def parts(lines: list[str], phrase: str) -> list[float]:
    """The differences that lines with this phrase tell."""
    return [float(re.search("differ by ([^,]+),", line)[1]) for line in lines if phrase in line]


def refused(capsys, *arguments: object) -> str:
    """The one line of a `posenc verify` that finds something."""
    assert main(["verify", *map(str, arguments)]) == 1
    error = capsys.readouterr().err
    assert error.startswith("posenc: error: ") and error.count("\n") == 1
    return error


def test_mlir_goes_to_posencs_reference(graph, capsys) -> None:
    lines = verified(capsys, graph, "--size", "N=5")
    assert "2.0e-06 of a row's scale, for inputs and results of float32" in lines[0]
    assert lines[1:4] == [
        "random inputs of N=5, seed 0:",
        "  y: fused and unfused differ by 0.0e+00, 4.0e-06 allowed",
        "  z: fused and unfused differ by 0.0e+00, 4.0e-06 allowed",
    ]
    assert [line.split(" differ")[0] for line in lines[4:]] == [
        f"  {name}: {code} and posenc.reference in float64"
        for code in ("fused", "unfused")
        for name in ("y", "z")
    ]
    assert 0 < max(parts(lines, "posenc.reference")) < 2e-7


@pytest.mark.parametrize("name", ["llama_rope.sdpa.dynamo23.dyn", "llama_llama3.sdpa.dynamo18.dyn"])
def test_onnx_goes_to_onnxs_evaluator(name: str, capsys) -> None:
    lines = verified(capsys, MODELS / name / "model.onnx")
    assert [line for line in lines if line.startswith("random")] == [
        "random inputs of s75=67, seed 0:",
        "random inputs of s75=256, seed 0:",
    ]
    assert sum("ONNX's evaluator in float64" in line for line in lines) == 4


@pytest.mark.parametrize("name", sorted(path.name for path in MODELS.glob("*linalg*")))
def test_linalg_graphs(name: str, capsys) -> None:
    lines = verified(capsys, MODELS / name / "model.mlir")
    assert "posenc.reference in float64" in "".join(lines)


def test_a_graph_of_posenc_ops(capsys) -> None:
    lines = verified(capsys, ROOT / "examples" / "c" / "attention.mlir")
    assert "random inputs of B=2, Lq=67, Lk=256, seed 0:" in lines
    assert "random inputs of B=2, Lq=256, Lk=256, seed 0:" in lines


@pytest.mark.parametrize(
    "element, allowed", [("f16", "2.0e-03"), ("bf16", "1.6e-02"), ("f32", "2.0e-06")]
)
def test_the_tolerance_follows_the_type(element: str, allowed: str, tmp_path, capsys) -> None:
    path = tmp_path / "graph.mlir"
    path.write_text(TEXT.replace("f32", element))
    assert f"allowed: {allowed} of a row's scale" in verified(capsys, path)[0]
    assert "1.0e-01 of a row's scale, by --tolerance" in verified(capsys, path, "--tolerance=.1")[0]


def test_16_bit_onnx_models(tmp_path, capsys) -> None:
    head = np.zeros((2, 4, 7, 16), np.float16)
    model = make_model(
        [node("Attention", "q k v", "y", is_causal=1)],
        {"q": head, "k": head, "v": head},
        ["y"],
        symbols=dict.fromkeys("qkv", ("batch", 4, "length", 16)),
    )
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString())
    lines = verified(capsys, path)
    assert "2.0e-03" in lines[0] and "batch=2, length=67" in lines[1]
    # Against float64, results in float16 cannot agree better than this.
    assert min(parts(lines, "ONNX's evaluator")) > 1e-5


def test_donated_inputs_are_results(tmp_path, monkeypatch, capsys) -> None:
    path = tmp_path / "step.mlir"
    path.write_text(step("f32"))
    lines = verified(capsys, path, "--size=N=3")
    code = "unfused and posenc.reference in float64"
    found = [line.split(":")[0].strip() for line in lines if code in line]
    assert found == 2 * ["output", "keys", "values"]
    # Where the donated result is not the last.
    (tmp_path / "sum.mlir").write_text(ACCUMULATE)
    lines = verified(capsys, tmp_path / "sum.mlir")
    assert [line.split(":")[0].strip() for line in lines if code in line] == 2 * ["twice", "sum"]
    # A cache that is not updated is noticed.
    results = _verify._results
    monkeypatch.setattr(_verify, "_results", lambda f, given: [*results(f, given)[:1], *given[3:5]])
    assert re.search(r"keys\[\d, \d, \d, \d+\] is ", refused(capsys, path, "--size=N=3"))


class Wrong:
    """A compiled function one of whose results is off at one place."""

    def __init__(self, function: posenc.CompiledFunction, place: tuple, value: float):
        self.function, self.place, self.value = function, place, value
        self.signature = function.signature

    def __call__(self, *arguments):
        y, z = self.function(*arguments)
        y[self.place] = self.value
        return y, z


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e3])
@pytest.mark.parametrize("fuse", [True, False])
def test_a_wrong_result_is_named(graph, monkeypatch, capsys, value: float, fuse: bool) -> None:
    compile_module = _verify.compile_module

    def compile_wrong(module):
        function = compile_module(module)
        return Wrong(function, (3, 1), value) if module.options.fuse == fuse else function

    monkeypatch.setattr(_verify, "compile_module", compile_wrong)
    error = refused(capsys, graph, "--size=N=5")
    assert "y[3, 1] is " in error and str(np.float32(value)) in error
    assert "fused" in error and " allowed" in error


def test_a_reference_that_differs_is_named(graph, monkeypatch, capsys) -> None:
    """Both compiled functions agree, and are wrong."""
    by_reference = _verify._by_posenc_reference

    def changed(*arguments):
        y, z = by_reference(*arguments)
        z = z.copy()
        z[1, 0] += 1e-3
        return [y, z]

    monkeypatch.setattr(_verify, "_by_posenc_reference", changed)
    error = refused(capsys, graph)
    assert "z[1, 0] is " in error and "posenc.reference in float64" in error


def test_integers_are_compared_exactly() -> None:
    left = np.array([[2**40, 7]])
    assert _verify.largest_difference(left, left + [[0, 1]], exact=True).part == 1
    assert _verify.largest_difference(left, left, exact=True).part == 0


def test_integers_may_not_differ_at_all() -> None:
    output = Argument("n", "int64", (1,), True, False)
    results = {"fused": [np.array([2**40])], "unfused": [np.array([2**40 + 1])]}
    with pytest.raises(posenc.Error, match=r"n\[0\] is 1099511627776 .*1.0e\+00, 0.0e\+00 allowed"):
        _verify._compare([output], results, "fused", "unfused", 2e-6)


def test_a_row_has_its_own_scale() -> None:
    right = np.array([[8.0, 1.0], [1.0, 0.5]])
    left = right + [[0, 0], [0, 1e-6]]
    difference = _verify.largest_difference(left, right)
    assert difference.index == (1, 1) and difference.part == pytest.approx(1e-6)
    # An eighth of the largest of all where the row is smaller.
    right[1] = [1e-9, 0]
    difference = _verify.largest_difference(right + [[0, 0], [0, 1e-6]], right)
    assert difference.part == pytest.approx(1e-6)


def test_what_no_reference_knows_is_compared_with_plainer_code(graph, monkeypatch, capsys) -> None:
    monkeypatch.delitem(SCALARS, "arith.mulf")
    text = "".join(verified(capsys, graph))
    assert "  not compared with posenc.reference in float64: posenc.reference has no" in text
    assert "'arith.mulf'" in text and "on one thread differ" in text


def test_an_onnx_graph_that_the_evaluator_does_not_run(tmp_path, monkeypatch, capsys) -> None:
    x = np.zeros((3, 5), np.float32)
    model = make_model([node("Neg", "x", "y")], {"x": x}, ["y"])
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString())
    monkeypatch.setattr("onnx.reference.ReferenceEvaluator.run", None)
    text = "".join(verified(capsys, path))
    assert "ONNX's evaluator in float64: ONNX's evaluator fails on model.onnx" in text
    assert "posenc.reference in float64 differ by 0.0e+00" in text


def signature(*shapes: tuple) -> Signature:
    return Signature(
        "f", tuple(Argument(f"x{i}", "float32", s, False, False) for i, s in enumerate(shapes))
    )


def test_likely_sizes() -> None:
    turns = list(likely_sizes(signature(("B", "Lq", 8), ("B", "Lk", 8), ("batch_size",)), {}))
    assert turns == [
        {"B": 2, "batch_size": 2, "Lq": 67, "Lk": 256},
        {"B": 2, "batch_size": 2, "Lq": 256, "Lk": 256},
    ]
    assert list(likely_sizes(signature((4, 8)), {})) == [{}]
    assert list(likely_sizes(signature(("B", "L")), {"L": 3})) == [{"L": 3, "B": 2}]


def test_sizes_that_are_expressions_follow() -> None:
    shapes = signature(("past",), ("new",), ("past + 2*new - 1",), ("?",), ("a b",))
    arrays = random_inputs(shapes, {"past": 5, "new": 3}, seed=1)
    assert [array.shape for array in arrays] == [(5,), (3,), (10,), (67,), (67,)]
    with pytest.raises(posenc.Error, match=r"'x0' would have the sizes \[-1\]; give others"):
        random_inputs(signature(("past - 6",)), {"past": 5}, seed=1)


def test_inputs_have_their_types() -> None:
    arguments = tuple(
        Argument(name, name, (50,), False, False)
        for name in ("bfloat16", "float16", "bool", "int64", "int8")
    )
    arrays = random_inputs(Signature("f", arguments), {}, seed=3)
    assert [array.dtype for array in arrays] == [
        np.dtype(ml_dtypes.bfloat16),
        np.float16,
        np.bool_,
        np.int64,
        np.int8,
    ]
    assert arrays[2].any() and set(arrays[3]) == {0, 1, 2, 3}


def test_values_given_as_floats_are_widened(tmp_path, capsys) -> None:
    """A float32 constant in the graph does not take the reference back to float32."""
    nodes = [
        helper.make_node("Constant", [], ["c"], value_float=0.1),
        helper.make_node("Constant", [], ["d"], value_floats=[0.1, 0.2, 0.3]),
        node("Mul", "x c", "a"),
        node("Add", "a d", "b"),
        helper.make_node("Cast", ["b"], ["y"], to=1),
    ]
    model = make_model(nodes, {"x": np.zeros((2, 3), np.float32)}, ["y"])
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString())
    lines = verified(capsys, path)
    assert 0 < min(parts(lines, "ONNX's evaluator")) < 1e-6
