# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Encodings as parts of a `compiled_attention.Graph`, each with the oracle's own formula."""

from __future__ import annotations

import numpy as np
from compiled_attention import NUMPY, Part, Sizes, Terms

from posenc.reference import alibi as alibi_reference
from posenc.reference import bucketed_bias as bucketed_reference
from posenc.reference import causal as causal_reference
from posenc.reference import document as document_reference
from posenc.reference import padding as padding_reference
from posenc.reference import window as window_reference

Number = "tensor<i64>"


def _index(name: str) -> str:
    """%name as an index, from the rank-0 tensor %name_t."""
    return f"""
  %{name}_e = tensor.extract %{name}_t[] : tensor<i64>
  %{name} = arith.index_cast %{name}_e : i64 to index"""


def _read_mask(tensor: str, kind: str, at: str) -> str:
    return f"""
        %zero_{tensor} = arith.constant 0 : index
        {{m}} = tensor.extract %{tensor}[{at.replace('0', f'%zero_{tensor}')}] : {kind}
"""


def _add_bias(tensor: str, kind: str, at: str) -> str:
    return f"""
        %zero_{tensor} = arith.constant 0 : index
        %e_{tensor} = tensor.extract %{tensor}[{at.replace('0', f'%zero_{tensor}')}] : {kind}
        {{y}} = arith.addf {{x}}, %e_{tensor} : f32
"""


def causal(offset: int | str = 0) -> Part:
    """Visible up to the row's own key; `offset` a number, or "bottom_right": keys - rows."""

    def value(sizes: Sizes) -> int:
        return sizes.keys - sizes.rows if offset == "bottom_right" else offset

    return Part(
        arguments=(("causal_t", Number),),
        inputs=lambda rng, sizes: [np.asarray(value(sizes), np.int64)],
        body=_index("causal") + """
  %triangle = posenc.causal sizes(%rows, %keys) offset(%causal) : tensor<1x1x?x?xi1>
""",
        mask=_read_mask("triangle", "tensor<1x1x?x?xi1>", "0, 0, %i, %j"),
        terms=lambda sizes, given: Terms(mask=causal_reference.causal(sizes.rows, sizes.keys, offset=value(sizes))),
    )


# Without an offset operand: the top-left triangle.
TRIANGLE = Part(
    body="\n  %plain = posenc.causal sizes(%rows, %keys) : tensor<1x1x?x?xi1>\n",
    mask=_read_mask("plain", "tensor<1x1x?x?xi1>", "0, 0, %i, %j"),
    terms=lambda sizes: Terms(mask=causal_reference.causal(sizes.rows, sizes.keys, offset=0)),
)


def window(left: int | None, right: int | None, offset: int = 0, dilation: int = 1) -> Part:
    sides = [(name, value) for name, value in (("left", left), ("right", right)) if value is not None]
    clauses = " ".join(f"{name}(%{name})" for name, _ in sides)
    return Part(
        arguments=tuple((f"{name}_t", Number) for name, _ in sides) + (("shift_t", Number),),
        inputs=lambda rng, sizes: [np.asarray(value, np.int64) for _, value in sides] + [np.asarray(offset, np.int64)],
        body="".join(_index(name) for name, _ in sides) + _index("shift") + f"""
  %band = posenc.window sizes(%rows, %keys) {clauses} offset(%shift)
      {{dilation = {dilation} : i64}} : tensor<1x1x?x?xi1>
""",
        mask=_read_mask("band", "tensor<1x1x?x?xi1>", "0, 0, %i, %j"),
        terms=lambda sizes, *given: Terms(
            mask=window_reference.window(sizes.rows, sizes.keys, left=left, right=right, offset=offset,
                                         dilation=dilation)),
    )


def padding(side: str = "right", shortest: int = 0) -> Part:
    """Random lengths; batch entry 0 has the shortest."""

    def lengths(rng: np.random.Generator, sizes: Sizes) -> list[np.ndarray]:
        drawn = rng.integers(shortest, sizes.keys + 1, sizes.batch)
        drawn[:1] = min(shortest, sizes.keys)
        return [drawn.astype(np.int64)]

    return Part(
        arguments=(("lengths", "tensor<?xi64>"),),
        inputs=lengths,
        body=f"""
  %real = posenc.padding lengths(%lengths : tensor<?xi64>) sizes(%batch, %keys) {"left" if side == "left" else ""}
      : tensor<?x1x1x?xi1>
""",
        mask=_read_mask("real", "tensor<?x1x1x?xi1>", "%b, 0, 0, %j"),
        terms=lambda sizes, given: Terms(mask=padding_reference.padding(given, sizes.keys, side=side)),
    )


DOCUMENTS = Part(
    arguments=(("query_ids", "tensor<?x?xi32>"), ("key_ids", "tensor<?x?xi32>")),
    inputs=lambda rng, sizes: [np.sort(rng.integers(0, 4, (sizes.batch, length)), axis=1).astype(np.int32)
                               for length in (sizes.rows, sizes.keys)],
    body="""
  %same = posenc.document query_ids(%query_ids : tensor<?x?xi32>) key_ids(%key_ids : tensor<?x?xi32>)
      sizes(%batch, %rows, %keys) : tensor<?x1x?x?xi1>
""",
    mask=_read_mask("same", "tensor<?x1x?x?xi1>", "%b, 0, %i, %j"),
    terms=lambda sizes, queries, keys: Terms(mask=document_reference.document(queries, keys)),
)


def alibi(heads: int, *, symmetric: bool = False, slopes: bool = False, offset: int = 0) -> Part:
    """ALiBi by the paper's slopes, or with random ones as an operand."""
    kind = f"tensor<1x{'?' if slopes else heads}x?x?xf32>"

    def terms(sizes: Sizes, *given: np.ndarray) -> Terms:
        used = given[1] if slopes else alibi_reference.slopes(heads)
        return Terms(bias=alibi_reference.bias(used, sizes.rows, sizes.keys, offset=offset, symmetric=symmetric))

    return Part(
        arguments=(("linear_t", Number),) + ((("slopes", "tensor<?xf32>"),) if slopes else ()),
        inputs=lambda rng, sizes: [np.asarray(offset, np.int64)]
        + ([rng.uniform(0.1, 1, heads).astype(np.float32)] if slopes else []),
        body=_index("linear") + f"""
  %heads = arith.constant {heads} : index
  %linear_bias = posenc.alibi sizes({"%heads, " if slopes else ""}%rows, %keys) offset(%linear)
      {"slopes(%slopes : tensor<?xf32>)" if slopes else ""} {"symmetric" if symmetric else ""} : {kind}
""",
        score=_add_bias("linear_bias", kind, "0, %h, %i, %j"),
        terms=terms,
    )


def bucketed(heads: int, *, bidirectional: bool, offset: int = 0, element: str = "f32") -> Part:
    """T5's relative bias with 32 buckets."""
    kind, result = f"tensor<32x{heads}x{element}>", f"tensor<1x{heads}x?x?xf32>"
    return Part(
        arguments=(("bucket_t", Number), ("table", kind)),
        inputs=lambda rng, sizes: [np.asarray(offset, np.int64),
                                   rng.standard_normal((32, heads)).astype(NUMPY[element])],
        body=_index("bucket") + f"""
  %bucket_bias = posenc.bucketed_bias %table sizes(%rows, %keys) offset(%bucket)
      {"bidirectional" if bidirectional else ""} {{max_distance = 128 : i64}} : {kind} -> {result}
""",
        score=_add_bias("bucket_bias", result, "0, %h, %i, %j"),
        terms=lambda sizes, given, table: Terms(bias=bucketed_reference.bias(
            table, sizes.rows, sizes.keys, max_distance=128, bidirectional=bidirectional, offset=offset)),
    )


def dense(kind: str, axes: str, heads: int) -> Part:
    """A whole tensor as bias ("f32") or mask ("i1") over the axes of `axes`, say "hij"; others are broadcast.

    A bias holds minus infinities, and both leave the first row of batch entry 0 without a key
    where they tell rows and batch entries apart.
    """
    extents = {"b": "?", "h": str(heads), "i": "?", "j": "?"}
    spelled = f"tensor<{''.join(extents[axis] + 'x' for axis in axes)}{kind}>"
    name = f"dense_{kind}"

    def draw(rng: np.random.Generator, sizes: Sizes) -> list[np.ndarray]:
        shape = [{"b": sizes.batch, "h": heads, "i": sizes.rows, "j": sizes.keys}[axis] for axis in axes]
        keep = rng.random(shape) < 0.7
        if axes == "bhij" and sizes.batch and sizes.rows:
            keep[0, :, 0] = False
        if kind == "i1":
            return [keep]
        return [np.where(keep, rng.standard_normal(shape), -np.inf).astype(np.float32)]

    def terms(sizes: Sizes, given: np.ndarray) -> Terms:
        index = tuple(slice(None) if axis in axes else np.newaxis for axis in "bhij")
        return Terms(mask=given[index]) if kind == "i1" else Terms(bias=given[index].astype(np.float64))

    at = ", ".join(f"%{axis}" for axis in axes)
    return Part(
        arguments=((name, spelled),),
        inputs=draw,
        score=_add_bias(name, spelled, at) if kind == "f32" else "",
        mask=_read_mask(name, spelled, at) if kind == "i1" else "",
        terms=terms,
    )


def soft_cap(cap: float) -> Part:
    return Part(
        score=f"""
        %cap = arith.constant {cap:e} : f32
        %ratio = arith.divf {{x}}, %cap : f32
        %tanh = math.tanh %ratio : f32
        {{y}} = arith.mulf %tanh, %cap : f32
""",
        terms=lambda sizes: Terms(soft_cap=cap),
    )


def sinks(heads: int) -> Part:
    return Part(
        arguments=(("sinks", f"tensor<{heads}xf32>"),),
        inputs=lambda rng, sizes: [rng.standard_normal(heads).astype(np.float32)],
        clause=f"sinks(%sinks : tensor<{heads}xf32>)",
        terms=lambda sizes, given: Terms(sinks=given),
    )
