# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention and RotaryEmbedding through the importer, executed by stock passes, against the oracle.

Random signed inputs; the oracle is `posenc.reference.onnx_ops`: float64, from the operators' text.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import helper

from execution import execute
from onnx_models import make_model
from posenc import ImportFailure
from posenc.frontends.onnx import import_model
from posenc.reference import onnx_ops

B, HEADS, KV_HEADS, ROWS, KEYS, PAST, D, DV = 2, 4, 2, 3, 5, 2, 8, 6
INPUTS = "Q K V attn_mask past_key past_value nonpad_kv_seqlen".split()
OUTPUTS = "Y present_key present_value qk_matmul_output".split()
SYMBOLS = {
    "Q": ("B", HEADS, "S", D),
    "K": ("B", KV_HEADS, "T", D),
    "V": ("B", KV_HEADS, "T", DV),
    "past_key": ("B", KV_HEADS, "P", D),
    "past_value": ("B", KV_HEADS, "P", DV),
}
PACKED = {"Q": ("B", "S", HEADS * D), "K": ("B", "T", KV_HEADS * D), "V": ("B", "T", KV_HEADS * DV)}


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def holes(*shape: int) -> np.ndarray:
    """A bool mask whose first row sees nothing."""
    mask = np.random.default_rng(len(shape)).random(shape) < 0.6
    mask[..., 0, :] = False
    return mask


def minus_infinity(mask: np.ndarray) -> np.ndarray:
    return np.where(mask, normal(*mask.shape), np.float32(-np.inf))


def feeds_of(packed: bool = False, past: bool = False, **more: np.ndarray) -> dict[str, np.ndarray]:
    feeds = {
        "Q": normal(B, HEADS, ROWS, D),
        "K": normal(B, KV_HEADS, KEYS, D),
        "V": normal(B, KV_HEADS, KEYS, DV),
    }
    if packed:
        feeds = {
            name: x.transpose(0, 2, 1, 3).reshape(B, x.shape[2], -1) for name, x in feeds.items()
        }
    if past:
        feeds |= {
            "past_key": normal(B, KV_HEADS, PAST, D),
            "past_value": normal(B, KV_HEADS, PAST, DV),
        }
    return feeds | more


def attention_model(
    feeds: dict[str, np.ndarray],
    opset: int,
    attributes: dict[str, Any],
    outputs: list[str],
    dynamic: bool = True,
):
    last = max(INPUTS.index(name) for name in feeds)
    names = [name if name in feeds else "" for name in INPUTS[: last + 1]]
    node = helper.make_node(
        "Attention", names, OUTPUTS[: len(outputs)], name="attention", **attributes
    )
    symbols = None
    if dynamic:
        symbols = SYMBOLS | (PACKED if feeds["Q"].ndim == 3 else {})
    return make_model(
        [node],
        {name: feeds[name] for name in INPUTS if name in feeds},
        outputs,
        symbols=symbols,
        opset=opset,
        ranks={name: feeds["Q"].ndim if name == "Y" else 4 for name in outputs},
    )


def check(
    feeds: dict[str, np.ndarray],
    opset: int = 25,
    outputs: int = 4,
    dynamic: bool = True,
    **attributes: Any,
) -> None:
    """Every output within 2e-6 of the largest value."""
    if feeds["Q"].ndim == 3:
        attributes |= {"q_num_heads": HEADS, "kv_num_heads": KV_HEADS}
    model = attention_model(feeds, opset, attributes, OUTPUTS[:outputs], dynamic)
    results = execute(import_model(model), [feeds[name] for name in INPUTS if name in feeds])
    named = {"q": "Q", "k": "K", "v": "V"} | {name: name for name in INPUTS[3:]}
    expected = onnx_ops.attention(
        **{ours: feeds[name] for ours, name in named.items() if name in feeds},
        opset=opset,
        **attributes,
    )
    for name, result, oracle in zip(OUTPUTS, results, expected):
        assert result.shape == oracle.shape, name
        finite = np.isfinite(oracle)
        np.testing.assert_array_equal(np.isfinite(result), finite, err_msg=name)
        scale = np.abs(oracle[finite]).max(initial=1e-3)
        np.testing.assert_allclose(
            result[finite], oracle[finite], rtol=0, atol=2e-6 * scale, err_msg=name
        )


LENGTHS = np.array([5, 2], np.int64)
EMPTY = np.array([1, 4], np.int64)  # Fewer keys than rows in batch 0: its first rows are empty.
CASES = {
    "plain": (feeds_of(), {}),
    "packed": (feeds_of(packed=True), {}),
    "causal": (feeds_of(), {"is_causal": 1}),
    "causal_packed": (feeds_of(packed=True), {"is_causal": 1}),
    "past": (feeds_of(past=True), {}),
    "past_causal": (feeds_of(past=True), {"is_causal": 1}),
    "past_packed": (feeds_of(packed=True, past=True), {"is_causal": 1}),
    "bool_mask": (feeds_of(attn_mask=holes(ROWS, KEYS)), {}),
    "bool_mask_rank4_causal": (feeds_of(attn_mask=holes(B, 1, ROWS, KEYS)), {"is_causal": 1}),
    "float_mask_rank3": (feeds_of(attn_mask=minus_infinity(holes(HEADS, ROWS, KEYS))), {}),
    "float_mask_softcap": (feeds_of(attn_mask=minus_infinity(holes(ROWS, KEYS))), {"softcap": 0.5}),
    "mask_rank1": (feeds_of(attn_mask=np.array([1, 0, 1, 1, 0], bool)), {}),
    "short_mask": (feeds_of(attn_mask=holes(ROWS, KEYS - 2)), {}),
    "short_float_mask_past": (feeds_of(past=True, attn_mask=normal(B, 1, ROWS, KEYS)), {}),
    "padding": (feeds_of(nonpad_kv_seqlen=LENGTHS), {}),
    "padding_causal": (feeds_of(nonpad_kv_seqlen=LENGTHS), {"is_causal": 1}),
    "padding_causal_empty": (feeds_of(nonpad_kv_seqlen=EMPTY), {"is_causal": 1}),
    "window": (feeds_of(), {"left_window_size": 1, "right_window_size": 0}),
    "window_past": (feeds_of(past=True), {"left_window_size": 2, "is_causal": 1}),
    "window_padding": (
        feeds_of(nonpad_kv_seqlen=LENGTHS),
        {"left_window_size": 1, "right_window_size": 1},
    ),
    "scale": (feeds_of(), {"scale": 0.7}),
    "scale_zero": (feeds_of(), {"scale": 0.0}),
    "scale_negative": (feeds_of(), {"scale": -1.0}),
}


@pytest.mark.parametrize("name", CASES)
def test_attention_equals_oracle(name: str) -> None:
    feeds, attributes = CASES[name]
    check(dict(feeds), outputs=3, **attributes)


@pytest.mark.parametrize("mode", range(4))
@pytest.mark.parametrize("packed", [False, True])
def test_scores_as_an_output(mode: int, packed: bool) -> None:
    feeds = feeds_of(packed, past=True, attn_mask=minus_infinity(holes(ROWS, KEYS + PAST)))
    check(feeds, qk_matmul_output_mode=mode, softcap=2.0, is_causal=1)


@pytest.mark.parametrize("opset", [23, 24])
def test_older_opsets(opset: int) -> None:
    check(feeds_of(past=True, attn_mask=holes(ROWS, KEYS + PAST)), opset=opset, is_causal=1)


def test_static_sizes() -> None:
    check(feeds_of(attn_mask=holes(ROWS, KEYS)), dynamic=False, is_causal=1)


def test_empty_past_is_no_past() -> None:
    feeds = feeds_of() | {
        "past_key": np.zeros((B, KV_HEADS, 0, D), np.float32),
        "past_value": np.zeros((B, KV_HEADS, 0, DV), np.float32),
    }
    check(feeds, outputs=3, is_causal=1)


def test_nan_behind_a_mask_stays_there() -> None:
    """Key 1 and value 1 are NaN and no row sees them."""
    feeds = feeds_of(attn_mask=np.array([[True, False, True, True, True]] * ROWS))
    clean = dict(feeds)
    feeds["K"], feeds["V"] = feeds["K"].copy(), feeds["V"].copy()
    feeds["K"][:, :, 1], feeds["V"][:, :, 1] = np.nan, np.nan
    text = import_model(attention_model(feeds, 25, {}, ["Y"]))
    (result,) = execute(text, list(feeds.values()))
    (expected,) = execute(text, list(clean.values()))
    np.testing.assert_array_equal(result, expected)


ROTARY = {
    "half": {},
    "interleaved": {"interleaved": 1},
    "partial": {"rotary_embedding_dim": 4},
    "partial_interleaved": {"rotary_embedding_dim": 4, "interleaved": 1},
}


@pytest.mark.parametrize("name", ROTARY)
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("positions", [False, True])
def test_rotary_equals_oracle(name: str, packed: bool, positions: bool) -> None:
    pairs = ROTARY[name].get("rotary_embedding_dim", D) // 2
    feeds = {"X": normal(B, HEADS, ROWS, D)}
    if packed:
        feeds["X"] = feeds["X"].transpose(0, 2, 1, 3).reshape(B, ROWS, HEADS * D)
    shape = (50, pairs) if positions else (B, ROWS, pairs)
    feeds |= {"cos": normal(*shape), "sin": normal(*shape, 1)[..., 0]}
    if positions:
        feeds["ids"] = np.array([[7, 0, 49], [1, 1, 2]], np.int64)
    attributes = ROTARY[name] | ({"num_heads": HEADS} if packed else {})
    model = make_model(
        [helper.make_node("RotaryEmbedding", list(feeds), ["Y"], **attributes)],
        feeds,
        ["Y"],
        symbols={"X": ("B", "S", HEADS * D) if packed else ("B", HEADS, "S", D)},
        opset=23,
    )
    (result,) = execute(import_model(model), list(feeds.values()))
    expected = onnx_ops.rotary_embedding(*feeds.values(), **attributes)
    np.testing.assert_allclose(result, expected, rtol=0, atol=2e-6 * np.abs(expected).max())


def test_a_cache_of_batch_one_serves_all() -> None:
    """Exporters write it, though the operator does not foresee it."""
    feeds = {
        "X": normal(B, HEADS, ROWS, D),
        "cos": normal(1, ROWS, D // 2),
        "sin": normal(1, ROWS, D // 2),
    }
    model = make_model(
        [helper.make_node("RotaryEmbedding", list(feeds), ["Y"])], feeds, ["Y"], opset=23
    )
    (result,) = execute(import_model(model), list(feeds.values()))
    wide = {name: np.repeat(x, B, 0) if name != "X" else x for name, x in feeds.items()}
    expected = onnx_ops.rotary_embedding(*wide.values())
    np.testing.assert_allclose(result, expected, rtol=0, atol=2e-6 * np.abs(expected).max())


REFUSED = {
    "past_key and past_value come together": (feeds_of(past_key=normal(B, KV_HEADS, PAST, D)), {}),
    "3 key heads do not divide 4 query heads": (
        {"Q": normal(B, 4, ROWS, D), "K": normal(B, 3, KEYS, D), "V": normal(B, 3, KEYS, DV)},
        {},
    ),
    "attn_mask covers 9 keys of 5": (feeds_of(attn_mask=holes(ROWS, 9)), {}),
    "attn_mask has elements of type i64": (
        feeds_of(attn_mask=np.zeros((ROWS, KEYS), np.int64)),
        {},
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_refusals(message: str) -> None:
    feeds, attributes = REFUSED[message]
    with pytest.raises(ImportFailure, match=message):
        import_model(attention_model(feeds, 25, attributes, ["Y"], dynamic=False))
