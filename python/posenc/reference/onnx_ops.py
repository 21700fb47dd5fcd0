# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ONNX operators Attention (opset 23, 24, 25) and RotaryEmbedding (23).

Built on this package's attention and rotary. All arithmetic is float64: the
casts that the operators prescribe for narrow types are not modeled, so a
compiled graph differs from this by the rounding of its types only.
Source: the operator schemas of ONNX 1.23.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from . import checks, rotary
from .attention import attention as plain_attention
from .attention import probabilities
from .causal import causal
from .padding import padding
from .window import window


class AttentionOutputs(NamedTuple):
    """Outputs of Attention, in the operator's order; the last three are 4-D."""

    y: np.ndarray
    present_key: np.ndarray
    present_value: np.ndarray
    qk_matmul_output: np.ndarray


def attention(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    attn_mask: np.ndarray | None = None,
    past_key: np.ndarray | None = None,
    past_value: np.ndarray | None = None,
    nonpad_kv_seqlen: np.ndarray | None = None,
    *,
    opset: int,
    is_causal: int = 0,
    kv_num_heads: int | None = None,
    left_window_size: int = -1,
    q_num_heads: int | None = None,
    qk_matmul_output_mode: int = 0,
    right_window_size: int = -1,
    scale: float | None = None,
    softcap: float = 0.0,
    softmax_precision: int | None = None,
) -> AttentionOutputs:
    """Attention by the schema text of `opset`.

    q, k, v: [B, heads, length, size], or [B, length, heads * size] with
    q_num_heads and kv_num_heads. past_*: [B, Hkv, past, size], in front of k and
    v; present_* are the two together. T = past + length of k.
    attn_mask: bool (True = attend) or additive; right-aligned to [B, Hq, S, T].
    Its last axis may be shorter than T from opset 24 on: the rest is masked.
    nonpad_kv_seqlen: [B], opset 24 on; keys from there on are masked.
    Query i has coordinate i + offset: the past length, or nonpad_kv_seqlen[b] - S,
    or 0 (top-left). is_causal keeps j <= i + offset; the windows (opset 25; -1 =
    unbounded) keep coordinate - left <= j <= coordinate + right.
    scale: q and k are each multiplied by its square root, so a negative one gives
    NaN. softcap (0 = off) acts before masks.
    A row whose bias is minus infinity throughout gives zeros.
    qk_matmul_output: by mode 0 scaled scores, 1 after softcap, 2 with bias too,
    3 probabilities. (For mode 0 with softcap the schema text and the function
    body agree, onnx's Python reference returns mode 1.)
    softmax_precision: checked, without effect in float64.

    Returns AttentionOutputs; y has q's layout.
    Raises ValueError for what the schema of `opset` does not allow.
    """
    checks.one_of("opset", opset, (23, 24, 25))
    checks.one_of("qk_matmul_output_mode", qk_matmul_output_mode, (0, 1, 2, 3))
    checks.one_of("softmax_precision", softmax_precision, (None, 1, 10, 11, 16))
    _check_inputs(opset, q, past_key, past_value, nonpad_kv_seqlen)
    _check_windows(opset, left_window_size, right_window_size)
    packed = np.ndim(q) == 3
    q = _heads("Q", q, q_num_heads, opset)
    k = _heads("K", k, kv_num_heads, opset)
    v = _heads("V", v, kv_num_heads, opset)
    if past_key is not None:
        k = np.concatenate([np.asarray(past_key, dtype=np.float64), k], axis=2)
        v = np.concatenate([np.asarray(past_value, dtype=np.float64), v], axis=2)

    bias = None
    keep = _operator_mask(
        q.shape[2],
        k.shape[2],
        offset=_offset(q.shape[2], past_key, nonpad_kv_seqlen),
        is_causal=is_causal,
        windows=(left_window_size, right_window_size),
        nonpad_kv_seqlen=nonpad_kv_seqlen,
    )
    if attn_mask is not None:
        user_keep, bias = _user_mask(attn_mask, k.shape[2], opset)
        keep = keep & user_keep

    scale = 1 / math.sqrt(q.shape[3]) if scale is None else float(scale)
    with np.errstate(invalid="ignore"):
        root = np.sqrt(scale)
    settings = {
        "scale": 1.0,
        "soft_cap": softcap if softcap > 0 else None,
        "bias": bias,
        "mask": keep,
    }
    y = plain_attention(q * root, k * root, v, **settings)
    scores = _exposed_scores(q * root, k * root, settings, qk_matmul_output_mode)
    if packed:
        y = np.swapaxes(y, 1, 2).reshape(q.shape[0], q.shape[2], q.shape[1] * v.shape[3])
    return AttentionOutputs(y, k, v, scores)


def rotary_embedding(
    x: np.ndarray,
    cos_cache: np.ndarray,
    sin_cache: np.ndarray,
    position_ids: np.ndarray | None = None,
    *,
    interleaved: int = 0,
    num_heads: int = 0,
    rotary_embedding_dim: int = 0,
) -> np.ndarray:
    """RotaryEmbedding, opset 23.

    x: [B, H, S, D], or [B, S, H * D] with num_heads. The first
    r = rotary_embedding_dim (0: D) lanes of each head rotate.
    Caches: [positions, r/2], read at position_ids [B, S]; without position_ids
    [B, S, r/2], read as they are.

    Returns float64 of x's shape.
    Raises ValueError for shapes that do not fit, IndexError for a position
    outside the caches.
    """
    packed = np.ndim(x) == 3
    heads = _heads("X", x, num_heads or None, 23)
    if position_ids is not None:
        _check_rank("cos_cache", cos_cache, 2)
        _check_rank("sin_cache", sin_cache, 2)
        cos = rotary.cache_rows(cos_cache, position_ids)
        sin = rotary.cache_rows(sin_cache, position_ids)
    else:
        _check_rank("cos_cache", cos_cache, 3)
        _check_rank("sin_cache", sin_cache, 3)
        cos, sin = cos_cache, sin_cache
    y = rotary.rotate(
        heads,
        cos,
        sin,
        lanes="interleaved" if interleaved else "half",
        rotary_dim=rotary_embedding_dim or heads.shape[3],
    )
    return np.swapaxes(y, 1, 2).reshape(np.shape(x)) if packed else y


def _offset(
    queries: int,
    past_key: np.ndarray | None,
    nonpad_kv_seqlen: np.ndarray | None,
) -> int | np.ndarray:
    """The key coordinate of query 0: a scalar, or [B] with nonpad_kv_seqlen."""
    if past_key is not None:
        return np.shape(past_key)[2]
    if nonpad_kv_seqlen is not None:
        return np.asarray(nonpad_kv_seqlen) - queries
    return 0


def _operator_mask(
    queries: int,
    keys: int,
    *,
    offset: int | np.ndarray,
    is_causal: int,
    windows: tuple[int, int],
    nonpad_kv_seqlen: np.ndarray | None,
) -> np.ndarray:
    """What the attributes and nonpad_kv_seqlen keep, bool [(B, 1,) S, T]."""
    left, right = (None if size < 0 else size for size in windows)
    keep = window(queries, keys, left=left, right=right, offset=offset)
    if is_causal:
        keep = keep & causal(queries, keys, offset=offset)
    if nonpad_kv_seqlen is not None:
        keep = keep & padding(nonpad_kv_seqlen, keys, side="right")
    return keep


def _exposed_scores(q: np.ndarray, k: np.ndarray, settings: dict, mode: int) -> np.ndarray:
    """qk_matmul_output [B, Hq, S, T] of already scaled q and k."""
    if mode == 3:
        return probabilities(q, k, **settings)[0]
    captured = []

    def capture(scores: np.ndarray) -> np.ndarray:
        captured.append(scores)
        return scores

    soft_cap = settings["soft_cap"] if mode > 0 else None
    bias = settings["bias"] if mode == 2 else None
    probabilities(q, k, scale=1.0, soft_cap=soft_cap, bias=bias, score=capture)
    scores = captured[0]
    return np.where(settings["mask"], scores, -np.inf) if mode == 2 else scores


def _user_mask(
    attn_mask: np.ndarray, keys: int, opset: int
) -> tuple[np.ndarray, np.ndarray | None]:
    """attn_mask as (keep, bias); bias is None where the mask is boolean."""
    attn_mask = np.asarray(attn_mask)
    boolean = attn_mask.dtype == np.bool_
    missing = keys - attn_mask.shape[-1]
    if missing > 0 and opset >= 24:
        attn_mask = np.pad(
            attn_mask,
            [(0, 0)] * (attn_mask.ndim - 1) + [(0, missing)],
            constant_values=False if boolean else -np.inf,
        )
    if boolean:
        return attn_mask, None
    return attn_mask != -np.inf, attn_mask.astype(np.float64)


def _heads(name: str, x: np.ndarray, heads: int | None, opset: int) -> np.ndarray:
    """`x` as float64 [B, heads, length, size]."""
    x = np.asarray(x, dtype=np.float64)
    if x.ndim == 4:
        if heads is not None and (opset >= 25 or heads != x.shape[1]):
            raise ValueError(
                f"{name} is 4-D with {x.shape[1]} heads, and the attribute says "
                f"{heads}; leave the number of heads out for 4-D inputs"
            )
        return x
    _check_rank(name, x, 3)
    if heads is None or heads < 1 or x.shape[2] % heads:
        raise ValueError(
            f"{name} has shape {x.shape} and the number of heads is {heads}; a 3-D "
            "input needs one that divides its last axis"
        )
    split = x.reshape(x.shape[0], x.shape[1], heads, x.shape[2] // heads)
    return np.swapaxes(split, 1, 2)


def _check_rank(name: str, x: np.ndarray, rank: int) -> None:
    if np.ndim(x) != rank:
        raise ValueError(f"{name} has shape {np.shape(x)}; its rank must be {rank}")


def _check_inputs(
    opset: int,
    q: np.ndarray,
    past_key: np.ndarray | None,
    past_value: np.ndarray | None,
    nonpad_kv_seqlen: np.ndarray | None,
) -> None:
    """Which optional inputs go together."""
    if (past_key is None) != (past_value is None):
        raise ValueError("past_key and past_value must be given together")
    if nonpad_kv_seqlen is None:
        return
    if opset < 24:
        raise ValueError("nonpad_kv_seqlen needs opset 24")
    if past_key is not None:
        raise ValueError("nonpad_kv_seqlen and past_key exclude each other")
    if np.shape(nonpad_kv_seqlen) != (np.shape(q)[0],):
        raise ValueError(
            f"nonpad_kv_seqlen has shape {np.shape(nonpad_kv_seqlen)}; it must be one "
            f"length a batch entry, [{np.shape(q)[0]}]"
        )


def _check_windows(opset: int, left: int, right: int) -> None:
    """Window attributes exist from opset 25 on, -1 or a distance."""
    for name, size in (("left_window_size", left), ("right_window_size", right)):
        if size < -1:
            raise ValueError(f"{name} is {size}; it must be -1 (unbounded) or >= 0")
        if size >= 0 and opset < 25:
            raise ValueError(f"{name} needs opset 25, this is {opset}")
