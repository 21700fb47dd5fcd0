# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""onnxruntime's own operators (com.microsoft), compiled, against NumPy and onnxruntime.

The oracles are written from the operators' documentation, in float64. A case is
one node; every float input of it is random, every dimension named in `SYMBOLS`
dynamic. onnxruntime is a second oracle where it is installed and has the case.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import posenc

RANDOM = np.random.default_rng(5)
B, S, P, H, G, D = 2, 5, 3, 4, 2, 16


def random(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(np.float32)


@dataclass
class Case:
    """One node: inputs by name in order (None left out), outputs, what NumPy says of them."""

    op: str
    inputs: dict[str, np.ndarray | None]
    oracle: Callable[..., list[np.ndarray]]
    outputs: tuple[int, ...] = (0,)  # the positions of those asked for
    attributes: dict[str, Any] = field(default_factory=dict)
    symbols: dict[str, tuple] = field(default_factory=dict)
    constants: tuple[str, ...] = ()
    domain: str = "com.microsoft"
    runtime: bool = True  # whether onnxruntime's CPU provider computes it

    def feeds(self) -> dict[str, np.ndarray]:
        return {
            name: array
            for name, array in self.inputs.items()
            if array is not None and name not in self.constants
        }

    def model(self) -> onnx.ModelProto:
        infos = [
            helper.make_tensor_value_info(
                name, helper.np_dtype_to_tensor_dtype(a.dtype), self.symbols.get(name, a.shape)
            )
            for name, a in self.feeds().items()
        ]
        places = range(self.outputs[-1] + 1)
        results = [f"r{i}" if i in self.outputs else "" for i in places]
        names = [name if array is not None else "" for name, array in self.inputs.items()]
        nodes = [helper.make_node(self.op, names, results, domain=self.domain, **self.attributes)]
        ranks = [array.ndim for array in self.expected()]
        values = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, [None] * rank)
            for name, rank in zip(filter(None, results), ranks, strict=True)
        ]
        constants = [numpy_helper.from_array(self.inputs[name], name) for name in self.constants]
        imports = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
        graph = helper.make_graph(nodes, "contrib", infos, values, constants)
        return helper.make_model(graph, opset_imports=imports, ir_version=10)

    def expected(self) -> list[np.ndarray]:
        arrays = [
            a.astype(np.float64) if a is not None and a.dtype == np.float32 else a
            for a in self.inputs.values()
        ]
        results = self.oracle(*arrays)
        return [results[position] for position in self.outputs]


# Formulas, in float64.


def erf_gelu(x, bias=0.0):
    x = x + bias
    return [x * 0.5 * (1 + np.vectorize(math.erf)(x / np.sqrt(2)))]


def tanh_gelu(x, bias=0.0):
    x = x + bias
    return [x * 0.5 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))]


def quick_gelu(x):
    return [x / (1 + np.exp(-1.702 * x))]


def rms(x, scale, epsilon=1e-5):
    inverse = 1 / np.sqrt((x**2).mean(-1, keepdims=True) + epsilon)
    return [x * inverse * scale, inverse]


def skip_layer_norm(x, skip, gamma, beta, bias):
    total = x + skip + bias
    mean = total.mean(-1, keepdims=True)
    inverse = 1 / np.sqrt(total.var(-1, keepdims=True) + 1e-5)
    return [(total - mean) * inverse * gamma + beta, mean, inverse, total]


def rotated(x, positions, cos, sin, interleaved=False):
    """x [B, S, H, D]; caches [rows, r/2]; positions [B, S]."""
    pairs = cos.shape[1]
    c, s = cos[positions][:, :, None], sin[positions][:, :, None]
    first = slice(0, 2 * pairs, 2) if interleaved else slice(0, pairs)
    second = slice(1, 2 * pairs, 2) if interleaved else slice(pairs, 2 * pairs)
    result = x.copy()
    result[..., first] = x[..., first] * c - x[..., second] * s
    result[..., second] = x[..., first] * s + x[..., second] * c
    return result


def heads(x, count):
    return x.reshape(*x.shape[:2], count, -1)


def attention(q, k, v, bias=0.0, scale=None, softcap=0.0, sink=None):
    """q [B, S, H, D], k and v [B, Hkv, T, D]; `bias` broadcasts to the scores."""
    k, v = (np.repeat(x, q.shape[2] // x.shape[1], axis=1) for x in (k, v))
    scores = np.einsum("bshd,bhtd->bhst", q, k) * (scale or 1 / np.sqrt(q.shape[-1]))
    scores = (softcap * np.tanh(scores / softcap) if softcap else scores) + bias
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    total = weights.sum(-1, keepdims=True)
    if sink is not None:
        total = total + np.exp(sink[None, :, None, None] - scores.max(-1, keepdims=True))
    result = np.einsum("bhst,bhtd->bshd", weights / total, v)
    return result.reshape(*result.shape[:2], -1)


def multi_head(causal=False, hidden=-10000.0, scale=None):
    def oracle(q, k, v, bias, padding, extra, past_k=None, past_v=None):
        parts = [q, k, v]
        if bias is not None:
            parts = [x + b for x, b in zip(parts, np.split(bias, 3))]
        q, k, v = (heads(x, H) for x in parts)
        k, v = k.swapaxes(1, 2), v.swapaxes(1, 2)
        past = 0
        if past_k is not None:
            past = past_k.shape[2]
            k, v = np.concatenate([past_k, k], 2), np.concatenate([past_v, v], 2)
        total = np.zeros((1, 1, q.shape[1], k.shape[2])) if extra is None else extra
        if padding is not None and padding.ndim == 1:
            padding = np.arange(k.shape[2])[None] < padding[:, None]
        if padding is not None:
            wide = padding[:, None, None] if padding.ndim == 2 else padding[:, None]
            total = total + np.where(wide, 0, hidden)
        if causal:
            total = total + np.where(np.tri(q.shape[1], k.shape[2], past), 0, -np.inf)
        return [attention(q, k, v, total, scale), k, v]

    return oracle


def group_query(interleaved=False, window=0, rotary=True, packed=False, **options):
    def oracle(q, k, v, past_k, past_v, seqlens, total, cos, sin, ids=None, bias=0.0, sink=None):
        if packed:
            q, k, v = np.split(q, [H * D, (H + G) * D], axis=-1)
        q, k, v = heads(q, H), heads(k, G), heads(v, G)
        first = np.maximum(seqlens + 1 - q.shape[1], 0)
        positions = first[:, None] + np.arange(q.shape[1])
        if rotary:
            at = positions if ids is None else ids
            q, k = (rotated(x, at, cos, sin, interleaved) for x in (q, k))
        k, v = k.swapaxes(1, 2), v.swapaxes(1, 2)
        if past_k is not None:
            old = max(past_k.shape[2], int(total))
            caches = []
            for past, new in ((past_k, k), (past_v, v)):
                cache = np.zeros((past.shape[0], G, old, D))
                cache[:, :, : past.shape[2]] = past
                for b in range(past.shape[0]):
                    cache[b, :, first[b] : first[b] + new.shape[2]] = new[b]
                caches.append(cache)
            k, v = caches
        keys = np.arange(k.shape[2])
        visible = keys <= positions[..., None]
        if window:
            visible &= keys > positions[..., None] - window
        hidden = np.where(visible[:, None], 0, -np.inf)
        return [attention(q, k, v, hidden + (0 if bias is None else bias), sink=sink, **options), k, v]

    return oracle


ANGLES = np.arange(16)[:, None] * 10.0 ** -np.arange(D // 2)
COS, SIN = np.cos(ANGLES).astype(np.float32), np.sin(ANGLES).astype(np.float32)
ROWS = {name: ("B", "S", H * D) for name in ("q", "k", "v", "x", "skip")}
CACHES = {name: ("B", G, "P", D) for name in ("past_k", "past_v")}


def mha(**changes) -> dict[str, np.ndarray | None]:
    given = {"q": random(B, S, H * D), "k": random(B, S, H * D), "v": random(B, S, H * D)}
    given |= {"bias": None, "padding": None, "extra": None, "past_k": None, "past_v": None}
    return given | changes


def gqa(past=P, **changes) -> dict[str, np.ndarray | None]:
    total = past + S
    batch = 1 if past else B  # onnxruntime takes several new rows after a past of one sequence only
    given = {"q": random(batch, S, H * D)} | {name: random(batch, S, G * D) for name in "kv"}
    cache = (batch, G, past, D)
    given |= {"past_k": random(*cache) if past else None, "past_v": random(*cache) if past else None}
    given |= {"seqlens": np.full(batch, total - 1, np.int32), "total": np.array(total, np.int32)}
    return given | {"cos": COS, "sin": SIN, "ids": None, "extra": None, "sink": None} | changes


KV = {"num_heads": H, "kv_num_heads": G, "do_rotary": 1}
CASES = {
    "bias-gelu": Case("BiasGelu", {"x": random(B, S, 6), "b": random(6)}, erf_gelu),
    "gelu": Case("Gelu", {"x": random(B, S, 6)}, erf_gelu, symbols={"x": ("B", "S", 6)}),
    "fast-gelu": Case("FastGelu", {"x": random(B, S, 6), "b": random(6)}, tanh_gelu),
    "fast-gelu-no-bias": Case("FastGelu", {"x": random(B, 6)}, tanh_gelu, symbols={"x": ("B", 6)}),
    "quick-gelu": Case("QuickGelu", {"x": random(B, S, 6)}, quick_gelu),
    "fused-matmul": Case(
        "FusedMatMul",
        {"a": random(B, 6, S), "b": random(B, 7, 6)},
        lambda a, b: [0.5 * a.swapaxes(1, 2) @ b.swapaxes(1, 2)],
        attributes={"transA": 1, "transB": 1, "alpha": 0.5},
        symbols={"a": ("B", 6, "S"), "b": ("B", 7, 6)},
    ),
    "fused-matmul-batch": Case(
        "FusedMatMul",
        {"a": random(S, B, H, 6), "b": random(B, H, 6, 7)},
        lambda a, b: [a.transpose(1, 2, 0, 3) @ b],
        attributes={"transBatchA": 1},
    ),
    "rms": Case(
        "SimplifiedLayerNormalization",
        {"x": random(B, S, 8), "scale": random(8)},
        rms,
        outputs=(0, 1),
        attributes={"axis": -1, "epsilon": 1e-5},
        domain="",
    ),
    "skip-layer-norm": Case(
        "SkipLayerNormalization",
        {"x": random(B, S, H * D), "skip": random(B, S, H * D)}
        | {name: random(H * D) for name in ("gamma", "beta", "bias")},
        skip_layer_norm,
        outputs=(0, 3),
        attributes={"epsilon": 1e-5},
        symbols=ROWS,
    ),
    "skip-rms": Case(
        "SkipSimplifiedLayerNormalization",
        {"x": random(B, S, H * D), "skip": random(B, S, H * D), "gamma": random(H * D)},
        lambda x, skip, gamma: [*rms(x + skip, gamma), None, x + skip],
        outputs=(0, 3),
        attributes={"epsilon": 1e-5},
        symbols=ROWS,
    ),
    "rotary": Case(
        "RotaryEmbedding",
        {"x": random(B, S, H * D), "ids": RANDOM.integers(0, 16, (B, S)), "cos": COS, "sin": SIN},
        lambda x, ids, c, s: [rotated(heads(x, H), ids, c, s).reshape(x.shape)],
        symbols=ROWS | {"ids": ("B", "S")},
    ),
    "rotary-offset": Case(
        "RotaryEmbedding",
        {"x": random(B, S, H * D), "ids": np.array([7]), "cos": COS, "sin": SIN},
        lambda x, ids, c, s: [
            rotated(heads(x, H), np.tile(7 + np.arange(S), (B, 1)), c, s, True).reshape(x.shape)
        ],
        attributes={"interleaved": 1},
        symbols=ROWS,
    ),
    "mha": Case(
        "MultiHeadAttention", mha(), multi_head(), attributes={"num_heads": H}, symbols=ROWS
    ),
    "mha-bias": Case(
        "MultiHeadAttention",
        mha(bias=random(3 * H * D), extra=random(1, H, S, S)),
        multi_head(scale=0.5),
        attributes={"num_heads": H, "scale": 0.5},
        symbols=ROWS | {"extra": (1, H, "S", "S")},
    ),
    "mha-padding": Case(
        "MultiHeadAttention",
        mha(padding=np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], np.int32)),
        multi_head(),
        attributes={"num_heads": H},
        symbols=ROWS | {"padding": ("B", "S")},
    ),
    "mha-lengths": Case(
        "MultiHeadAttention",
        mha(padding=np.array([3, 5], np.int32)),
        multi_head(),
        attributes={"num_heads": H},
        runtime=False,
    ),
    "mha-causal-past": Case(
        "MultiHeadAttention",
        mha(past_k=random(B, H, P, D), past_v=random(B, H, P, D)),
        multi_head(causal=True),
        outputs=(0, 1, 2),
        attributes={"num_heads": H, "unidirectional": 1},
        symbols=ROWS | {name: ("B", H, "P", D) for name in CACHES},
    ),
    "gqa-prompt": Case(
        "GroupQueryAttention", gqa(past=0), group_query(), outputs=(0, 1, 2), attributes=KV
    ),
    "gqa-prompt-padded": Case(
        "GroupQueryAttention",
        gqa(past=0, seqlens=np.array([2, 4], np.int32)),
        group_query(),
        outputs=(0, 1, 2),
        attributes=KV,
        runtime=False,  # computes other numbers in the rows of the padding
    ),
    "gqa-past": Case(
        "GroupQueryAttention",
        gqa(),
        group_query(),
        outputs=(0, 1, 2),
        attributes=KV,
        constants=("total",),
        symbols={"q": ("B", "S", H * D)} | {name: ("B", "S", G * D) for name in "kv"} | CACHES,
    ),
    "gqa-packed": Case(
        "GroupQueryAttention",
        gqa(past=0, q=random(B, S, (H + 2 * G) * D), k=None, v=None),
        group_query(packed=True),
        attributes=KV,
        outputs=(0, 1, 2),
    ),
    "gqa-shared-buffer": Case(
        "GroupQueryAttention",
        gqa(q=random(B, 1, H * D), k=random(B, 1, G * D), v=random(B, 1, G * D))
        | {name: random(B, G, 12, D) for name in CACHES}
        | {"seqlens": np.array([4, 8], np.int32), "total": np.array(9, np.int32)},
        group_query(),
        outputs=(0, 1, 2),
        attributes=KV,
        constants=("total",),
        runtime=False,  # leaves rows of the cache that are not in use undefined
    ),
    "gqa-window-cap": Case(
        "GroupQueryAttention",
        gqa(),
        group_query(interleaved=True, window=3, softcap=2.0),
        outputs=(0, 1, 2),
        attributes=KV | {"local_window_size": 3, "softcap": 2.0, "rotary_interleaved": 1},
        constants=("total",),
    ),
    "gqa-sink-bias": Case(
        "GroupQueryAttention",
        gqa(sink=random(H), extra=random(1, H, S, P + S)),
        group_query(rotary=False, scale=0.3),
        outputs=(0, 1, 2),
        attributes=KV | {"do_rotary": 0, "scale": 0.3},
        constants=("total",),
    ),
}


def results_of(case: Case) -> list[np.ndarray]:
    results = posenc.compile(case.model())(*case.feeds().values())
    return list(results) if isinstance(results, tuple) else [results]


@pytest.mark.parametrize("name", CASES)
def test_equals_its_documentation(name: str) -> None:
    case = CASES[name]
    for result, expected in zip(results_of(case), case.expected()):
        np.testing.assert_allclose(result, expected, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.runtime])
def test_equals_onnxruntime(name: str) -> None:
    runtime = pytest.importorskip("onnxruntime")
    case = CASES[name]
    session = runtime.InferenceSession(case.model().SerializeToString())
    for result, expected in zip(results_of(case), session.run(None, case.feeds()), strict=True):
        np.testing.assert_allclose(result, expected, rtol=2e-5, atol=2e-6)
