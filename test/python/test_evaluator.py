# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The float64 evaluator of MLIR against ONNX's own, and against compiled code on posenc's ops."""

import numpy as np
import pytest

import posenc
from onnx_models import evaluate
from posenc.__main__ import main
from posenc._compiler import Options, module_from
from posenc.evaluator import evaluate_function
from posenc.evaluator.parser import Opaque, Operation, parse_module
from posenc.evaluator.scalars import evaluate_scalar
from test_import_ops import FAMILIES, FEEDS, SYMBOLS, model_of


def generic(text: str) -> str:
    return module_from(text, None, Options()).generic_form()


@pytest.mark.parametrize("family", FAMILIES)
def test_what_the_importer_prints(family: str) -> None:
    """Every operator's graph has the meaning that ONNX's evaluator gives to the operator."""
    model, feeds = model_of(FAMILIES[family], FEEDS, SYMBOLS)
    text = module_from(model, None, Options()).generic_form()
    results = evaluate_function(text, None, list(feeds.values()))
    for info, result, expected in zip(model.graph.output, results, evaluate(model, feeds)):
        assert result.shape == expected.shape, info.name
        np.testing.assert_allclose(
            result.astype(np.float64), expected.astype(np.float64), 2e-6, 2e-6, err_msg=info.name
        )


# An op and its types, in the graph below them; %b, %l and %k are a batch and two lengths.
OPS = {
    "alibi": ("posenc.alibi sizes(%l, %k)", "1x4x?x?xf32"),
    "alibi_odd": ("posenc.alibi sizes(%l, %k) offset(%two) symmetric", "1x6x?x?xf32"),
    "alibi_slopes": (
        "posenc.alibi sizes(%l, %k) slopes(%four : tensor<4xf32>)",
        "1x4x?x?xf32",
    ),
    "bucketed": (
        "posenc.bucketed_bias %table sizes(%l, %k) offset(%two) {max_distance = 50 : i64}",
        "tensor<32x4xf32> -> 1x4x?x?xf32",
    ),
    "bidirectional": (
        "posenc.bucketed_bias %table sizes(%l, %k) bidirectional {max_distance = 128 : i64}",
        "tensor<32x4xf32> -> 1x4x?x?xf32",
    ),
    "alibi_sides": (
        "posenc.alibi sizes(%l, %k) slopes(%four : tensor<4xf32>) "
        "later_slopes(%four : tensor<4xf32>)",
        "1x4x?x?xf32",
    ),
    "alibi_shard": (
        "posenc.alibi sizes(%l, %k) first_head(%two) {total_heads = 6 : i64}",
        "1x4x?x?xf32",
    ),
    "gated": (
        "posenc.bucketed_bias %table sizes(%b, %l, %k) gate(%rows : tensor<?x4x?xf32>) "
        "{max_distance = 50 : i64}",
        "tensor<32x4xf32> -> ?x4x?x?xf32",
    ),
    "fire": (
        "posenc.fire hidden(%four, %four : tensor<4xf32>, tensor<4xf32>) "
        "output(%square, %four : tensor<4x4xf32>, tensor<4xf32>) scale(%half) threshold(%half) "
        "sizes(%l, %k) offset(%two) {first_position = 1 : i64}",
        "1x4x?x?xf32",
    ),
    "forgetting": (
        "posenc.forgetting %rows backward(%rows : tensor<?x4x?xf32>) sizes(%b, %l, %l)",
        "tensor<?x4x?xf32> -> ?x4x?x?xf32",
    ),
    "kerple": (
        "posenc.kerple %four, %four sizes(%l, %k) kernel(<log>) later_keys(<symmetric>) clamp",
        "tensor<4xf32>, tensor<4xf32> -> 1x4x?x?xf32",
    ),
    "log_spaced": (
        "posenc.log_spaced_coordinates spacing(<window>) "
        "{window = array<i64: 2, 3>, pretrained_window = array<i64: 8, 8>}",
        "15x2xf32",
    ),
    "relative": (
        "posenc.relative_bias %table origin(%two) sizes(%l, %k) sign(<query_minus_key>) "
        "outside(<zero>)",
        "tensor<32x4xf32> -> 1x4x?x?xf32",
    ),
    "relative_2d": (
        "posenc.relative_bias_2d %table class_token {window = array<i64: 1, 15>}",
        "tensor<32x4xf32> -> 1x4x16x16xf32",
    ),
    "sandwich": ("posenc.sandwich sizes(%l, %k) {width = 16 : i64}", "1x4x?x?xf32"),
    "shaw": (
        "posenc.shaw query(%x : tensor<?x4x?x16xf32>) key(%x : tensor<?x4x?x16xf32>) "
        "table(%eight : tensor<8x16xf32>) sizes(%b, %l, %l) offset(%two) "
        "relative(<query_minus_key>) outside(<zero>) {left = 3 : i64}",
        "?x4x?x?xf32",
    ),
    "disentangled": (
        "posenc.disentangled query(%x : tensor<?x4x?x16xf32>) pos_key(%eight : tensor<8x16xf32>) "
        "sizes(%b, %l, %l) buckets(<logarithmic>) {bucket_size = 4 : i64, max_position = 8 : i64}",
        "?x4x?x?xf32",
    ),
    "transformer_xl": (
        "posenc.transformer_xl query(%x : tensor<?x4x?x16xf32>) relative(%eight : tensor<8x16xf32>) "
        "sizes(%b, %l, %l) rows(<xlnet>)",
        "?x4x?x?xf32",
    ),
    "cope": (
        "posenc.cope query(%x : tensor<?x4x?x16xf32>) key(%x : tensor<?x4x?x16xf32>) "
        "table(%pair : tensor<2x16xf32>) scale(%half)",
        "?x4x?x?xf32",
    ),
    "causal": ("posenc.causal sizes(%l, %k)", "1x1x?x?xi1"),
    "causal_offset": ("posenc.causal sizes(%l, %k) offset(%two)", "1x1x?x?xi1"),
    "prefix": (
        "posenc.prefix lengths(%lengths : tensor<?xi64>) sizes(%b, %l, %k) offset(%two)",
        "?x1x?x?xi1",
    ),
    "prefix_blocks": (
        "posenc.prefix query_blocks(%ids : tensor<?x?xi64>) key_blocks(%ids : tensor<?x?xi64>) "
        "sizes(%b, %l, %l)",
        "?x1x?x?xi1",
    ),
    "chunked": ("posenc.chunked sizes(%l, %k) offset(%two) {chunk = 3 : i64}", "1x1x?x?xi1"),
    "chunked_starts": (
        "posenc.chunked sizes(%b, %l, %k) starts(%lengths : tensor<?xi64>) {chunk = 3 : i64}",
        "?x1x?x?xi1",
    ),
    "global_tokens": (
        "posenc.global_tokens query_global(%flags : tensor<?x?xi1>) "
        "key_global(%flags : tensor<?x?xi1>) sizes(%b, %l, %l)",
        "?x1x?x?xi1",
    ),
    "global_keys": (
        "posenc.global_tokens key_global(%flags : tensor<?x?xi1>) sizes(%b, %k, %l)",
        "?x1x?x?xi1",
    ),
    "tree": (
        "posenc.tree ancestors(%squares : tensor<?x?x?xi1>) cached(%lengths : tensor<?xi64>) "
        "sizes(%b, %l, %k)",
        "?x1x?x?xi1",
    ),
    "block_sparse": (
        "posenc.block_sparse blocks(%squares4 : tensor<1x4x?x?xi1>) sizes(%l, %k) offset(%two) "
        "{query_block = 2 : i64, key_block = 3 : i64}",
        "1x4x?x?xi1",
    ),
    "document_ids": (
        "posenc.document_ids %bounds sizes(%l) number(<id>)",
        "tensor<4xi32> -> 1x?xi32",
    ),
    "document_positions": (
        "posenc.document_ids %bounds sizes(%l) number(<position>)",
        "tensor<4xi32> -> 1x?xi32",
    ),
    "window_dilated": (
        "posenc.window sizes(%l, %k) left(%two) right(%two) {dilation = 2 : i64}",
        "1x1x?x?xi1",
    ),
    "window": ("posenc.window sizes(%l, %k) left(%two) right(%two)", "1x1x?x?xi1"),
    "window_left": ("posenc.window sizes(%l, %k) left(%two) offset(%two)", "1x1x?x?xi1"),
    "document": (
        "posenc.document query_ids(%ids : tensor<?x?xi64>) key_ids(%ids : tensor<?x?xi64>) "
        "sizes(%b, %l, %l)",
        "?x1x?x?xi1",
    ),
    "padding": ("posenc.padding lengths(%lengths : tensor<?xi64>) sizes(%b, %k)", "?x1x1x?xi1"),
    "padding_left": (
        "posenc.padding lengths(%lengths : tensor<?xi64>) sizes(%b, %k) left",
        "?x1x1x?xi1",
    ),
    "learned": (
        "posenc.learned %table positions(%ids : tensor<?x?xi64>) sizes(%b, %l) "
        "out_of_range(<clamp>) {row_offset = 2 : i64}",
        "tensor<32x4xf32> -> ?x?x4xf32",
    ),
    "learned_2d": (
        "posenc.learned_2d %table interpolation(<bicubic>) antialias {grid = array<i64: 5, 6>, "
        "new_grid = array<i64: 4, 3>, prefix_tokens = 2 : i64}",
        "tensor<32x4xf32> -> 14x4xf32",
    ),
    "ring": (
        "posenc.ring lengths(%lengths : tensor<?xi64>) sizes(%b, %l, %k) left(%two)",
        "?x1x?x?xi1",
    ),
    "token_positions": (
        "posenc.token_positions %flags offset(%two) {first = 2 : i64, padding = 1 : i64}",
        "tensor<?x?xi1> -> ?x?xi64",
    ),
    "sinusoidal_2d": (
        "posenc.sinusoidal_2d sizes(%l, %k) first(<column>) order(<functions_apart>) "
        "{axis_scale = array<f64: 0.5, 2.0>}",
        "?x?x8xf32",
    ),
    "sinusoidal": (
        "posenc.sinusoidal sizes(%l) offset(%two) order(<interleaved>) exponents(<model_dim>)",
        "?x16xf32",
    ),
    "sinusoidal_positions": (
        "posenc.sinusoidal positions(%ids : tensor<?x?xi64>) sizes(%b, %l) order(<concatenated>) "
        "exponents(<half_dim>) odd(<zero_column>) cos_first "
        "{shift = 1.0 : f64, padding_position = 1 : i64, scale = 3.0 : f64}",
        "?x?x17xf32",
    ),
    "rotary": (
        "posenc.rotary %x positions(%ids : tensor<?x?xi64>) lanes(<half, first = 0, count = 16>) "
        "frequencies(#posenc.frequencies<base = 10000.0>)",
        "?x4x?x16xf32",
    ),
    "rotary_part": (
        "posenc.rotary %x offset(%two) lanes(<interleaved, first = 4, count = 8>) "
        "frequencies(#posenc.frequencies<base = 500000.0, scaling = #posenc.llama3<factor = 8.0, "
        "low_freq_factor = 1.0, high_freq_factor = 4.0, original_length = 64>>) inverse",
        "?x4x?x16xf32",
    ),
    "rotary_linear": (
        "posenc.rotary %x lanes(<half, first = 0, count = 4>) frequencies("
        "#posenc.frequencies<base = 100.0, scaling = #posenc.linear<factor = 4.0>>)",
        "?x4x?x16xf32",
    ),
    "rotary_explicit": (
        "posenc.rotary %x lanes(<half, first = 0, count = 4>) frequencies("
        "#posenc.explicit_frequencies<[1.0, 0.25], attention_factor = 1.5>)",
        "?x4x?x16xf32",
    ),
    "rotary_caches": (
        "posenc.rotary %x positions(%ids : tensor<?x?xi64>) cos(%table : tensor<32x4xf32>) "
        "sin(%table : tensor<32x4xf32>) lanes(<half, first = 0, count = 8>)",
        "?x4x?x16xf32",
    ),
    "rotary_yarn": (
        "posenc.rotary %x lanes(<half, first = 0, count = 16>) frequencies("
        "#posenc.frequencies<base = 10000.0, scaling = #posenc.yarn<factor = 8.0, "
        "original_length = 2048, beta_fast = 32.0, beta_slow = 1.0, truncate = false, "
        "mscale = 1.0, mscale_all_dim = 0.5>>)",
        "?x4x?x16xf32",
    ),
    "rotary_of_length": (
        "posenc.rotary %x length(%l) lanes(<half, first = 0, count = 16>) frequencies("
        "#posenc.frequencies<base = 10000.0, scaling = "
        "#posenc.dynamic_ntk<factor = 2.0, original_length = 2>>)",
        "?x4x?x16xf32",
    ),
    "rotary_longrope": (
        "posenc.rotary %x length(%l) lanes(<half, first = 0, count = 4>) frequencies("
        "#posenc.frequencies<base = 10000.0, scaling = #posenc.longrope<short_factor = [1.0, 2.0], "
        "long_factor = [1.5, 8.0], original_length = 2, factor = 4.0>>)",
        "?x4x?x16xf32",
    ),
    "rotary_axes": (
        "posenc.rotary %x positions(%places : tensor<3x?x?xi64>) "
        "lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) "
        "sections(<interleaved, [2, 3, 3], ordinary>)",
        "?x4x?x16xf32",
    ),
    "rotary_blocks": (
        "posenc.rotary %x positions(%places : tensor<3x?x?xi64>) "
        "lanes(<interleaved, first = 0, count = 16>) frequencies("
        "#posenc.frequencies<base = 10000.0, scaling = #posenc.proportional<fraction = 0.8, "
        "factor = 2.0>>) sections(<chunked, [2, 2, 4], restarting>)",
        "?x4x?x16xf32",
    ),
    "rotary_decay": (
        "posenc.rotary %x centre(%two) lanes(<interleaved, first = 0, count = 16>) "
        "frequencies(#posenc.frequencies<base = 10000.0>) decay(<key, scale_base = 64.0>)",
        "?x4x?x16xf32",
    ),
    "query_temperature": (
        "posenc.query_temperature %x positions(%ids : tensor<?x?xi64>) "
        "lanes(<half, first = 4, count = 8>) {beta = 0.5 : f64, original_length = 2 : i64, "
        "position_shift = 1 : i64}",
        "?x4x?x16xf32",
    ),
    "pope": (
        "posenc.pope %x positions(%ids : tensor<?x?xi64>) phase(%phase : tensor<1x16xf32>) "
        "frequencies(#posenc.frequencies<base = 10000.0>)",
        "tensor<?x4x?x16xf32> -> ?x4x?x32xf32",
    ),
}
GRAPH = """
func.func @graph(%x: tensor<?x4x?x16xf32> {{posenc.symbols = ["B", "", "L", ""]}},
    %ids: tensor<?x?xi64> {{posenc.symbols = ["B", "L"]}},
    %lengths: tensor<?xi64> {{posenc.symbols = ["B"]}}, %keys: tensor<?xf32>,
    %flags: tensor<?x?xi1> {{posenc.symbols = ["B", "L"]}},
    %squares: tensor<?x?x?xi1> {{posenc.symbols = ["B", "L", "L"]}},
    %squares4: tensor<1x4x?x?xi1>,
    %places: tensor<3x?x?xi64> {{posenc.symbols = ["", "B", "L"]}},
    %rows: tensor<?x4x?xf32> {{posenc.symbols = ["B", "", "L"]}},
    %phase: tensor<1x16xf32>, %four: tensor<4xf32>, %square: tensor<4x4xf32>,
    %table: tensor<32x4xf32>, %eight: tensor<8x16xf32>, %pair: tensor<2x16xf32>) -> {result} {{
  %c0 = arith.constant 0 : index
  %two = arith.constant 2 : index
  %bounds = arith.constant dense<[0, 2, 2, 3]> : tensor<4xi32>
  %half = arith.constant 0.5 : f32
  %b = tensor.dim %x, %c0 : tensor<?x4x?x16xf32>
  %l = tensor.dim %x, %two : tensor<?x4x?x16xf32>
  %k = tensor.dim %keys, %c0 : tensor<?xf32>
  %y = {op} : {types}
  return %y : {result}
}}
"""


def verify(text: str, tmp_path, capsys) -> None:
    (tmp_path / "graph.mlir").write_text(text)
    code = main(["verify", str(tmp_path / "graph.mlir")])
    shown = capsys.readouterr()
    assert code == 0, shown.err
    assert "posenc.reference in float64 differ" in shown.out


@pytest.mark.parametrize("name", OPS)
def test_encodings(name: str, tmp_path, capsys) -> None:
    op, types = OPS[name]
    operand, arrow, shape = types.rpartition(" -> ")
    result = f"tensor<{shape}>"
    verify(GRAPH.format(op=op, types=operand + arrow + result, result=result), tmp_path, capsys)


ATTENTION = """
func.func @attention(%q: tensor<?x?x4x16xf16> {posenc.symbols = ["B", "Lq", "", ""]},
                     %k: tensor<?x2x?x16xf16> {posenc.symbols = ["B", "", "Lk", ""]},
                     %v: tensor<?x2x?x8xf16> {posenc.symbols = ["B", "", "Lk", ""]},
                     %sinks: tensor<4xf32>)
    -> (tensor<?x?x4x8xf16>, tensor<?x4x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %q, %c0 : tensor<?x?x4x16xf16>
  %l = tensor.dim %q, %c1 : tensor<?x?x4x16xf16>
  %scale = arith.constant 0.25 : f32
  %init = tensor.empty(%b, %l) : tensor<?x?x4x8xf16>
  %lse = tensor.empty(%b, %l) : tensor<?x4x?xf32>
  %o, %m = posenc.attention query(%q : tensor<?x?x4x16xf16>) key(%k : tensor<?x2x?x16xf16>)
      value(%v : tensor<?x2x?x8xf16>) scale(%scale) sinks(%sinks : tensor<4xf32>)
      outs(%init : tensor<?x?x4x8xf16>) logsumexp(%lse : tensor<?x4x?xf32>)
      layouts(blhd, bhld, bhld, blhd) query_lanes(<half, first = 0, count = 8>)
      score(%x, %bb, %h, %i, %j) {
        %cap = arith.constant 5.0 : f32
        %part = arith.divf %x, %cap : f32
        %t = math.tanh %part : f32
        %y = arith.mulf %t, %cap : f32
        posenc.yield %y : f32
      }
      mask(%bb, %h, %i, %j) {
        %late = arith.addi %i, %c1 : index
        %visible = arith.cmpi sle, %j, %late : index
        posenc.yield %visible : i1
      }
      rotate_query(%bb, %h, %i, %pair) {
        %hi = arith.constant 0.125 : f32
        %lo = arith.constant 1.0e-9 : f32
        %i32 = arith.index_cast %i : index to i32
        %p = arith.sitofp %i32 : i32 to f32
        %cos, %sin = posenc.cos_sin %p, %hi, %lo : f32
        posenc.yield %cos, %sin : f32, f32
      } -> tensor<?x?x4x8xf16>, tensor<?x4x?xf32>
  return %o, %m : tensor<?x?x4x8xf16>, tensor<?x4x?xf32>
}
"""


def test_attention_with_all_its_regions(tmp_path, capsys) -> None:
    verify(ATTENTION, tmp_path, capsys)


def compared(name: str, predicate: int, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    operation = Operation(name, ["%a", "%b"], ["%c"], {"predicate": predicate}, [], [], ["i1"])
    return evaluate_scalar(operation, [a, b])


RELATIONS = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def test_comparisons_of_floats() -> None:
    """In the order of MLIR's predicates."""
    a, b = np.meshgrid([np.nan, -1.0, 0.0, 1.0], [np.nan, -1.0, 0.0, 1.0])
    unordered = np.isnan(a) | np.isnan(b)
    names = "false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true".split()
    for number, name in enumerate(names):
        if name in ("false", "true"):
            expected = np.full(a.shape, name == "true")
        elif name in ("ord", "uno"):
            expected = unordered == (name == "uno")
        elif name.startswith("o"):
            expected = RELATIONS[name[1:]](a, b) & ~unordered
        else:
            expected = RELATIONS[name[1:]](a, b) | unordered
        np.testing.assert_array_equal(compared("arith.cmpf", number, a, b), expected, name)


def test_comparisons_of_integers() -> None:
    a, b = np.meshgrid([-2, -1, 0, 3], [-2, -1, 0, 3])
    for number, name in enumerate("eq ne slt sle sgt sge ult ule ugt uge".split()):
        left, right = (x.view(np.uint64) if name[0] == "u" else x for x in (a, b))
        expected = RELATIONS[name[-2:]](left, right)
        np.testing.assert_array_equal(compared("arith.cmpi", number, a, b), expected, name)


def test_an_assertion_of_the_graph(tmp_path) -> None:
    text = generic("""
    func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %n = tensor.dim %x, %c0 : tensor<?xf32>
      %short = arith.cmpi sle, %n, %c8 : index
      cf.assert %short, "at most 8"
      return %x : tensor<?xf32>
    }""")
    x = np.zeros(9, np.float32)
    assert evaluate_function(text, None, [x[:8]])[0].shape == (8,)
    with pytest.raises(posenc.Error, match="the graph asserts: at most 8"):
        evaluate_function(text, None, [x])


def test_the_parser_reads_every_kind_of_attribute() -> None:
    module = parse_module("""
#map = affine_map<(d0) -> (d0)>
"builtin.module"() ({
  %0:2 = "test.op"(%a, %b#1) <{a = array<i64: 1, -2>, b = "x\\22\\0Ay", c = [1 : i32, true], d,
      e = dense<[[1.0, 0x7FC00000], [-2.5e-1, 0xFF800000]]> : tensor<2x2xf32>,
      f = dense<"0x0100000002000000"> : tensor<2xi32>, g = #map, h = #t.x<a = [1], "b>">,
      i = dense_resource<blob> : tensor<2xbf16>, j = @symbol, k = {l = 2.5 : f64},
      m = (tensor<?xf32>) -> (), n = 0x7FF0000000000000 : f64, o = dense<> : tensor<0xi1>}> ({
  ^bb0(%c: tensor<4x?xf32, strided<[1], offset: ?>>):
    "test.yield"() : () -> ()
  }, {
  }) : (f32, !t.y<1>) -> (f32, f32)
}) : () -> ()

{-#
  dialect_resources: {
    builtin: {
      blob: "0x02000000803FC0C0"
    }
  }
#-}
""")
    (op,) = module.regions[0].operations
    assert op.results == ["%0#0", "%0#1"] and op.operands == ["%a", "%b#1"]
    assert op.operand_types == ["f32", "!t.y<1>"] and op.result_types == ["f32", "f32"]
    assert [len(region.operations) for region in op.regions] == [1, 0]
    found = op.attributes
    assert (found["a"], found["b"], found["c"], found["d"]) == ([1, -2], 'x"\ny', [1, True], True)
    np.testing.assert_array_equal(found["e"], [[1, np.nan], [-0.25, -np.inf]])
    assert found["f"].tolist() == [1, 2] and found["i"].tolist() == [1.0, -6.0]
    assert found["g"] == Opaque("(d0) -> (d0)") and found["h"] == Opaque('#t.x<a = [1], "b>">')
    assert found["k"] == {"l": 2.5} and found["n"] == np.inf and found["o"].shape == (0,)
