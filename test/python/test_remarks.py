# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the compiler says of an ONNX model: remarks that name its nodes, and the report."""

import html
import pathlib
import re

import onnx
import pytest

import posenc
from posenc._compiler import Options, module_from
from posenc._remarks import Remark, Subject, group_by_op, parse_remarks

LLAMA = pathlib.Path(__file__).resolve().parents[2] / "examples/llama_rope/model.onnx"
QUERY, KEY, CAUSAL, ATTENTION = (
    f"model.onnx: node '{name}'"
    for name in (
        "node_RotaryEmbedding_235",
        "node_RotaryEmbedding_238",
        "node_le",
        "node_scaled_dot_product_attention",
    )
)


@pytest.fixture(scope="module")
def llama() -> posenc.CompiledFunction:
    return posenc.compile(LLAMA, cpu="x86-64-v3")


@pytest.fixture(scope="module")
def subjects(llama) -> dict[str, Subject]:
    return {subject.place: subject for subject in group_by_op(parse_remarks(llama.remarks()))}


def test_remarks_name_the_nodes_of_the_model(llama) -> None:
    assert (
        f"{QUERY}: remark: 'posenc.rotary' of the query fused into 'posenc.attention' at "
        "node 'node_scaled_dot_product_attention' [fuse-rotation]"
    ) in llama.remarks().splitlines()


def test_each_encoding_and_attention_is_told_of(subjects) -> None:
    assert {place: subject.op for place, subject in subjects.items()} == {
        QUERY: "posenc.rotary",
        KEY: "posenc.rotary",
        CAUSAL: "posenc.causal",
        ATTENTION: "posenc.attention",
    }


def test_what_fused_and_what_did_not(subjects) -> None:
    assert "base = 10000.0" in subjects[QUERY].found[0] and not subjects[QUERY].missed
    assert subjects[CAUSAL].done[0].startswith("fused into 'posenc.attention'")
    assert "a key is read for every block of query rows" in subjects[KEY].missed[0]


def test_tables_and_kernels_of_attention(subjects) -> None:
    attention = subjects[ATTENTION]
    assert attention.tables == [
        "reads 2 tables of type tensor<?x8xf32>, computed once a call by query row"
    ]
    assert [re.search(r"cpu_(\w+)<", said)[1] for said in attention.schedules] == [
        "decode",
        "prefill",
    ]


def test_the_tool_and_the_library_say_the_same(llama, monkeypatch) -> None:
    monkeypatch.setattr("posenc._library.load_compiler", lambda path: None)
    module = module_from(LLAMA, None, Options(cpu="x86-64-v3"))
    by_tool = module.compile("x.mlir", "mlir", to="codegen", remarks=True)
    assert by_tool.remarks == llama.remarks()


def test_without_fusion_every_op_says_why() -> None:
    remarks = parse_remarks(posenc.compile(LLAMA, fuse=False).remarks())
    missed = [remark for remark in remarks if remark.missed]
    assert {remark.place for remark in missed} == {QUERY, KEY, CAUSAL, ATTENTION}
    assert all("--no-fuse" in remark.sentence for remark in missed)


def attention_with_raw_scores() -> onnx.ModelProto:
    def info(name: str, shape: list[int]) -> onnx.ValueInfoProto:
        return onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)

    node = onnx.helper.make_node(
        "Attention", ["q", "k", "v"], ["y", "", "", "raw"], name="/layer0/attn"
    )
    heads = [1, 4, 7, 16]
    graph = onnx.helper.make_graph(
        [node],
        "raw",
        [info(name, heads) for name in "qkv"],
        [info("y", heads), info("raw", [1, 4, 7, 7])],
    )
    return onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", 24)], ir_version=10
    )


def test_raw_scores_are_computed_a_second_time() -> None:
    remarks = parse_remarks(posenc.compile(attention_with_raw_scores()).remarks())
    (missed,) = [remark for remark in remarks if remark.missed]
    assert missed.place.endswith("node '/layer0/attn'")
    assert "computes the scores of 'posenc.attention'" in missed.sentence
    assert missed.sentence.endswith("drop what reads them")


def test_report_names_what_fused_and_why_not(llama, tmp_path) -> None:
    pytest.importorskip("jinja2")
    llama.report(tmp_path / "report.html")
    page = html.unescape((tmp_path / "report.html").read_text())
    rows = {
        place: row
        for row in re.findall(r"<tr>(?:(?!</tr>).)*</tr>", page, re.DOTALL)
        for place in (QUERY, KEY, CAUSAL, ATTENTION)
        if f"<td>{place}</td>" in row
    }
    assert "of the query fused into 'posenc.attention'" in rows[QUERY]
    assert 'class="missed"><p>of the key stays before' in rows[KEY]
    assert "fused into 'posenc.attention'" in rows[CAUSAL]
    assert "reads 2 tables" in rows[ATTENTION] and "prefill" in rows[ATTENTION]
    assert "What was nearly one" not in page


def test_report_has_what_was_nearly_one(tmp_path) -> None:
    pytest.importorskip("jinja2")
    posenc.compile(attention_with_raw_scores()).report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "What was nearly one" in page and "<td>linalg.generic</td>" in page


def test_parsing() -> None:
    assert parse_remarks("a.mlir:1:2: remark: 'x.y', the key, is: so [p-q: missed]\n") == [
        Remark("a.mlir:1:2", "x.y", "the key, is: so", "p-q", missed=True)
    ]
    with pytest.raises(ValueError, match="not a remark: nonsense"):
        parse_remarks("nonsense")
