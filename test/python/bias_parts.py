# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Learned and computed score biases as parts of a `compiled_attention.Graph`."""

from __future__ import annotations

import math

import numpy as np
from compiled_attention import NUMPY, Part, Sizes, Terms
from encoding_parts import Number, _add_bias, _index

from posenc.reference import alibi as alibi_reference
from posenc.reference import bucketed_bias as bucketed_reference
from posenc.reference import fire as fire_reference
from posenc.reference import forgetting as forgetting_reference
from posenc.reference import kerple as kerple_reference
from posenc.reference import relative_bias as relative_reference
from posenc.reference import relative_bias_2d as window_reference
from posenc.reference import sandwich as sandwich_reference


def _number(value: int) -> np.ndarray:
    return np.asarray(value, np.int64)


def _dynamic(heads: int) -> str:
    return f"tensor<1x{heads}x?x?xf32>"


def kerple(heads: int, kernel: str, *, later_keys: str, offset: int = 0) -> Part:
    name, kind, result = f"kerple_{kernel}", f"tensor<{heads}xf32>", _dynamic(heads)
    return Part(
        arguments=((f"{name}_from_t", Number), (f"{name}_p", kind), (f"{name}_a", kind)),
        inputs=lambda rng, sizes: [_number(offset),
                                   *rng.uniform(-0.2, 1.5 if kernel == "log" else 0.9, (2, heads)).astype(np.float32)],
        body=_index(f"{name}_from") + f"""
  %{name} = posenc.kerple %{name}_p, %{name}_a sizes(%rows, %keys) offset(%{name}_from)
      kernel(<{kernel}>) later_keys(<{later_keys}>) clamp : {kind}, {kind} -> {result}
""",
        score=_add_bias(name, result, "0, %h, %i, %j"),
        terms=lambda sizes, _, p, a: Terms(bias=kerple_reference.bias(
            p, a, sizes.rows, sizes.keys, kernel=kernel, later_keys=later_keys, clamp=True, offset=offset)),
    )


def sandwich(heads: int, width: int, *, offset: int = 0) -> Part:
    result = _dynamic(heads)
    return Part(
        arguments=(("sandwich_from_t", Number),),
        inputs=lambda rng, sizes: [_number(offset)],
        body=_index("sandwich_from") + f"""
  %sandwich = posenc.sandwich sizes(%rows, %keys) offset(%sandwich_from) {{width = {width} : i64}} : {result}
""",
        score=_add_bias("sandwich", result, "0, %h, %i, %j"),
        terms=lambda sizes, _: Terms(bias=sandwich_reference.bias(
            sandwich_reference.ratios(heads), sizes.rows, sizes.keys, width=width, offset=offset)),
    )


def fire(heads: int, units: int, *, first: int, offset: int = 0) -> Part:
    layers = {"w0": f"tensor<{units}xf32>", "b0": f"tensor<{units}xf32>",
              "w1": f"tensor<{heads}x{units}xf32>", "b1": f"tensor<{heads}xf32>"}
    result = _dynamic(heads)

    def draw(rng: np.random.Generator, sizes: Sizes) -> list[np.ndarray]:
        shapes = ((units,), (units,), (heads, units), (heads,))
        drawn = [(rng.standard_normal(shape) / math.sqrt(units)).astype(np.float32) for shape in shapes]
        return [_number(offset), np.asarray(0.375, np.float32), np.asarray(6.5, np.float32), *drawn]

    return Part(
        arguments=(("fire_from_t", Number), ("fire_scale", "tensor<f32>"), ("fire_threshold", "tensor<f32>"),
                   *((f"fire_{name}", kind) for name, kind in layers.items())),
        inputs=draw,
        body=_index("fire_from") + f"""
  %c = tensor.extract %fire_scale[] : tensor<f32>
  %t = tensor.extract %fire_threshold[] : tensor<f32>
  %fire = posenc.fire hidden(%fire_w0, %fire_b0 : {layers["w0"]}, {layers["b0"]})
      output(%fire_w1, %fire_b1 : {layers["w1"]}, {layers["b1"]}) scale(%c) threshold(%t)
      sizes(%rows, %keys) offset(%fire_from) {{first_position = {first} : i64}} : {result}
""",
        score=_add_bias("fire", result, "0, %h, %i, %j"),
        terms=lambda sizes, _, c, t, w0, b0, w1, b1: Terms(bias=fire_reference.bias(
            (w0, b0), (w1, b1), sizes.rows, sizes.keys, scale=float(c), threshold=float(t), first_position=first,
            offset=offset)),
    )


def forgetting(heads: int, *, bidirectional: bool, offset: int = 0) -> Part:
    kind, result = f"tensor<?x{heads}x?xf32>", f"tensor<?x{heads}x?x?xf32>"
    names = ["sums", "backward"] if bidirectional else ["sums"]

    def draw(rng: np.random.Generator, sizes: Sizes) -> list[np.ndarray]:
        gates = np.log(rng.uniform(0.5, 1, (len(names), sizes.batch, heads, sizes.keys)))
        return [_number(offset), *np.cumsum(gates, axis=-1).astype(np.float32)]

    return Part(
        arguments=(("gates_from_t", Number), *((name, kind) for name in names)),
        inputs=draw,
        body=_index("gates_from") + f"""
  %forgotten = posenc.forgetting %sums {f"backward(%backward : {kind})" if bidirectional else ""}
      sizes(%batch, %rows, %keys) offset(%gates_from) : {kind} -> {result}
""",
        score=_add_bias("forgotten", result, "%b, %h, %i, %j"),
        terms=lambda sizes, _, sums, backward=None: Terms(bias=forgetting_reference.bias_of_sums(
            sums, sizes.rows, backward=backward, offset=offset)),
    )


def relative(heads: int, rows: int, *, sign: str, outside: str, origin: int, element: str = "f32",
             offset: int = 0) -> Part:
    name, kind, result = f"relative_{outside}", f"tensor<{rows}x{heads}x{element}>", _dynamic(heads)
    return Part(
        arguments=((f"{name}_from_t", Number), (f"{name}_origin_t", Number), (f"{name}_table", kind)),
        inputs=lambda rng, sizes: [_number(offset), _number(origin),
                                   rng.standard_normal((rows, heads)).astype(NUMPY[element])],
        body=_index(f"{name}_from") + _index(f"{name}_origin") + f"""
  %{name} = posenc.relative_bias %{name}_table origin(%{name}_origin) sizes(%rows, %keys) offset(%{name}_from)
      sign(<{sign}>) outside(<{outside}>) : {kind} -> {result}
""",
        score=_add_bias(name, result, "0, %h, %i, %j"),
        terms=lambda sizes, *given: Terms(bias=relative_reference.bias(
            given[2], sizes.rows, sizes.keys, origin=origin, sign=sign, outside=outside, offset=offset)),
    )


def _layer(name: str, x: str, shape: tuple[str, str, str], then: str) -> str:
    """%name = then(%x * weight + bias) as linalg, from %e to %y; shape: rows, inputs, outputs."""
    rows, inputs, outputs = shape
    size = "%distances" if rows == "?" else ""
    kind, weight, bias = f"tensor<{rows}x{outputs}xf32>", f"tensor<{inputs}x{outputs}xf32>", f"tensor<{outputs}xf32>"
    return f"""
  %{name}_e = tensor.empty({size}) : {kind}
  %{name}_z = linalg.fill ins(%nought : f32) outs(%{name}_e : {kind}) -> {kind}
  %{name}_p = linalg.matmul ins({x}, %{name}_weight : tensor<{rows}x{inputs}xf32>, {weight})
      outs(%{name}_z : {kind}) -> {kind}
  %{name} = linalg.generic {{
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>,
                       affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}}
      ins(%{name}_p, %{name}_bias : {kind}, {bias}) outs(%{name}_e : {kind}) {{
    ^bb0(%p: f32, %s: f32, %o: f32):
      %e = arith.addf %p, %s : f32
      {then}
      linalg.yield %y : f32
  }} -> {kind}
"""


SILU = """%m = arith.negf %e : f32
      %g = math.exp %m : f32
      %d = arith.addf %g, %unit : f32
      %y = arith.divf %e, %d : f32"""
RELU = "%y = arith.maximumf %e, %nought : f32"
SAME = "%y = arith.addf %e, %nought : f32"
SIGMOID_16 = """%m = arith.negf %e : f32
      %g = math.exp %m : f32
      %d = arith.addf %g, %unit : f32
      %y = arith.divf %sixteen, %d : f32"""
CONSTANTS = """
  %nought = arith.constant 0.0 : f32
  %unit = arith.constant 1.0 : f32
  %sixteen = arith.constant 16.0 : f32
"""


def dynamic(heads: int, units: int) -> Part:
    """A dynamic position bias: a perceptron of every distance is the table."""
    result, table = _dynamic(heads), f"tensor<?x{heads}xf32>"
    weights = {"first_weight": (1, units), "first_bias": (units,), "last_weight": (units, heads), "last_bias": (heads,)}

    def terms(sizes: Sizes, w0, b0, w1, b1) -> Terms:
        distances = np.arange(1 - sizes.keys, sizes.rows)
        made = relative_reference.dynamic_table([(w0.T, b0), (w1.T, b1)], distances, log_distance=False)
        return Terms(bias=relative_reference.bias(
            made, sizes.rows, sizes.keys, origin=sizes.keys - 1, sign="query_minus_key", outside="clip", offset=0))

    return Part(
        arguments=tuple((name, f"tensor<{''.join(f'{size}x' for size in shape)}f32>")
                        for name, shape in weights.items()),
        inputs=lambda rng, sizes: [(rng.standard_normal(shape) / 4).astype(np.float32)
                                   for shape in weights.values()],
        body=CONSTANTS + f"""
  %one = arith.constant 1 : index
  %farthest = arith.subi %keys, %one : index
  %distances = arith.addi %rows, %farthest : index
  %column = tensor.empty(%distances) : tensor<?x1xf32>
  %signed = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}} outs(%column : tensor<?x1xf32>) {{
    ^bb0(%o: f32):
      %at = linalg.index 0 : index
      %distance = arith.subi %at, %farthest : index
      %whole = arith.index_cast %distance : index to i32
      %real = arith.sitofp %whole : i32 to f32
      linalg.yield %real : f32
  }} -> tensor<?x1xf32>
""" + _layer("first", "%signed", ("?", "1", str(units)), SILU)
        + _layer("last", "%first", ("?", str(units), str(heads)), SAME) + f"""
  %dynamic = posenc.relative_bias %last origin(%farthest) sizes(%rows, %keys)
      sign(<query_minus_key>) outside(<clip>) : {table} -> {result}
""",
        score=_add_bias("dynamic", result, "0, %h, %i, %j"),
        terms=terms,
    )


def _window_bias(heads: int, window: tuple[int, int], class_token: bool, table: str, rows: int,
                 element: str) -> tuple[str, str]:
    """The op's text and its type."""
    tokens = window[0] * window[1] + class_token
    result = f"tensor<1x{heads}x{tokens}x{tokens}xf32>"
    return f"""
  %within = posenc.relative_bias_2d {table} {"class_token" if class_token else ""}
      {{window = array<i64: {window[0]}, {window[1]}>}} : tensor<{rows}x{heads}x{element}> -> {result}
""", result


def swin(heads: int, window: tuple[int, int], *, class_token: bool = False, element: str = "f32") -> Part:
    rows = (2 * window[0] - 1) * (2 * window[1] - 1) + 3 * class_token
    body, result = _window_bias(heads, window, class_token, "%window_table", rows, element)
    return Part(
        arguments=(("window_table", f"tensor<{rows}x{heads}x{element}>"),),
        inputs=lambda rng, sizes: [rng.standard_normal((rows, heads)).astype(NUMPY[element])],
        body=body,
        score=_add_bias("within", result, "0, %h, %i, %j"),
        terms=lambda sizes, table: Terms(bias=window_reference.bias(table, window, class_token=class_token)),
    )


def swin_v2(heads: int, window: tuple[int, int], units: int) -> Part:
    """The table is a perceptron of log-spaced coordinates; the second layer's bias is zero in Swin v2."""
    rows = (2 * window[0] - 1) * (2 * window[1] - 1)
    body, result = _window_bias(heads, window, False, "%last", rows, "f32")
    weights = {"first_weight": (2, units), "first_bias": (units,), "last_weight": (units, heads), "last_bias": (heads,)}

    def draw(rng: np.random.Generator, sizes: Sizes) -> list[np.ndarray]:
        return [(rng.standard_normal(shape) if name != "last_bias" else np.zeros(shape)).astype(np.float32)
                for name, shape in weights.items()]

    def terms(sizes: Sizes, w0, b0, w1, _) -> Terms:
        coordinates = window_reference.log_spaced_coordinates(window, spacing="window")
        table = window_reference.swin_v2_table(coordinates, w0.T, b0, w1.T)
        return Terms(bias=window_reference.bias(table, window, class_token=False))

    return Part(
        arguments=tuple((name, f"tensor<{''.join(f'{size}x' for size in shape)}f32>")
                        for name, shape in weights.items()),
        inputs=draw,
        body=CONSTANTS + f"""
  %coordinates = posenc.log_spaced_coordinates spacing(<window>)
      {{window = array<i64: {window[0]}, {window[1]}>}} : tensor<{rows}x2xf32>
""" + _layer("first", "%coordinates", (str(rows), "2", str(units)), RELU)
        + _layer("last", "%first", (str(rows), str(units), str(heads)), SIGMOID_16) + body,
        score=_add_bias("within", result, "0, %h, %i, %j"),
        terms=terms,
    )


def logit_scale(heads: int) -> Part:
    """Swin v2's learned scale of a head's scores, exp(min(s, ln 100)); goes before the biases."""
    greatest = math.log(100)
    return Part(
        arguments=(("logit_scale", f"tensor<{heads}xf32>"),),
        inputs=lambda rng, sizes: [np.linspace(-1, 1, heads, dtype=np.float32)],
        score=f"""
        %greatest = arith.constant {greatest:.9e} : f32
        %learned = tensor.extract %logit_scale[%h] : tensor<{heads}xf32>
        %bounded = arith.minimumf %learned, %greatest : f32
        %sharpness = math.exp %bounded : f32
        {{y}} = arith.mulf {{x}}, %sharpness : f32
""",
        terms=lambda sizes, given: Terms(
            turn_query=lambda q: q * np.exp(np.minimum(given.astype(np.float64), greatest))[:, None, None]),
    )


def alibi_two_sided(heads: int, *, offset: int = 0) -> Part:
    kind, result = f"tensor<{heads}xf32>", _dynamic(heads)
    return Part(
        arguments=(("sides_from_t", Number), ("earlier", kind), ("later", kind)),
        inputs=lambda rng, sizes: [_number(offset), *rng.uniform(0.05, 0.5, (2, heads)).astype(np.float32)],
        body=_index("sides_from") + f"""
  %sides = posenc.alibi sizes(%rows, %keys) offset(%sides_from) slopes(%earlier : {kind})
      later_slopes(%later : {kind}) : {result}
""",
        score=_add_bias("sides", result, "0, %h, %i, %j"),
        terms=lambda sizes, _, earlier, later: Terms(bias=alibi_reference.two_sided_bias(
            earlier, later, sizes.rows, sizes.keys, offset=offset)),
    )


def alibi_shard(heads: int, *, total: int, first: int) -> Part:
    """Heads first ... first + heads - 1 of a model of `total`, as a shard of it has them."""
    result = _dynamic(heads)
    return Part(
        arguments=(("first_head_t", Number),),
        inputs=lambda rng, sizes: [_number(first)],
        body=_index("first_head") + f"""
  %shard = posenc.alibi sizes(%rows, %keys) first_head(%first_head) {{total_heads = {total} : i64}} : {result}
""",
        score=_add_bias("shard", result, "0, %h, %i, %j"),
        terms=lambda sizes, _: Terms(bias=alibi_reference.bias(
            alibi_reference.slopes(total)[first : first + heads], sizes.rows, sizes.keys, offset=0, symmetric=False)),
    )


def gated(heads: int) -> Part:
    """WavLM: T5's bias times a gate of the row."""
    kind, gate, result = f"tensor<32x{heads}xf32>", f"tensor<?x{heads}x?xf32>", f"tensor<?x{heads}x?x?xf32>"
    return Part(
        arguments=(("gated_table", kind), ("gate", gate)),
        inputs=lambda rng, sizes: [rng.standard_normal((32, heads)).astype(np.float32),
                                   rng.uniform(1, 3, (sizes.batch, heads, sizes.rows)).astype(np.float32)],
        body=f"""
  %gated = posenc.bucketed_bias %gated_table sizes(%batch, %rows, %keys) gate(%gate : {gate}) bidirectional
      {{max_distance = 128 : i64}} : {kind} -> {result}
""",
        score=_add_bias("gated", result, "%b, %h, %i, %j"),
        terms=lambda sizes, table, given: Terms(bias=given[..., np.newaxis].astype(np.float64)
                                                * bucketed_reference.bias(table, sizes.rows, sizes.keys,
                                                                          max_distance=128, bidirectional=True,
                                                                          offset=0)),
    )
