# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the attention layer of a LLaMA as `torch.onnx` exports it at opset 23.

The graph has the form of a stock export of `transformers`' LlamaAttention with scaled dot-product
attention: projections, the angles as position times frequency, `RotaryEmbedding` on queries and keys,
keys and values repeated for their groups of query heads, a causal mask from comparing ranges,
`Attention`, the output projection. Sequence length is dynamic.
"""

import dataclasses
import math

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


@dataclasses.dataclass(frozen=True)
class LlamaConfig:
    """Sizes of the layer and its rotary frequencies; the defaults are those of Llama 3.2 1B."""

    query_heads: int = 32
    key_heads: int = 8
    head_size: int = 64
    rope_theta: float = 500000.0
    factor: float = 32.0
    low_freq_factor: float = 1.0
    high_freq_factor: float = 4.0
    original_length: int = 8192

    @property
    def hidden_size(self) -> int:
        return self.query_heads * self.head_size

    def inverse_frequencies(self) -> np.ndarray:
        """`[head_size / 2]` float64, radians a position, scaled by the llama3 rule."""
        pairs = np.arange(0, self.head_size, 2, dtype=np.float64) / self.head_size
        frequencies = self.rope_theta**-pairs
        wavelengths = 2 * math.pi / frequencies
        blend = (self.original_length / wavelengths - self.low_freq_factor) / (
            self.high_freq_factor - self.low_freq_factor
        )
        blend = np.clip(blend, 0.0, 1.0)
        return frequencies * ((1 - blend) / self.factor + blend)


def random_weights(config: LlamaConfig, seed: int) -> dict[str, np.ndarray]:
    """Projection matrices `[in, out]`, scaled so that scores are of order one."""
    random = np.random.default_rng(seed)
    hidden, keys = config.hidden_size, config.key_heads * config.head_size
    sizes = {"q": (hidden, hidden), "k": (hidden, keys), "v": (hidden, keys), "o": (hidden, hidden)}
    return {
        name: (random.standard_normal(size) / math.sqrt(size[0])).astype(np.float32)
        for name, size in sizes.items()
    }


def write_llama_attention(config: LlamaConfig, weights: dict[str, np.ndarray]) -> onnx.ModelProto:
    """The model: input `hidden_states` and output `output`, both f32 `[1, S, hidden]`."""
    nodes, initializers = [], []

    def constant(name: str, value) -> str:
        initializers.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(op: str, inputs: list[str], output: str, **attributes) -> str:
        nodes.append(helper.make_node(op, inputs, [output], name=f"node_{output}", **attributes))
        return output

    def heads(name: str, count: int) -> str:
        linear = node("MatMul", ["hidden_states", constant(f"{name}_weight", weights[name])], f"{name}_linear")
        shape = constant(f"{name}_shape", np.array([1, -1, count, config.head_size], np.int64))
        view = node("Reshape", [linear, shape], f"{name}_view", allowzero=1)
        return node("Transpose", [view], f"{name}_heads", perm=[0, 2, 1, 3])

    def rotate(name: str, tensor: str, count: int) -> str:
        cos, sin = node("Cos", ["angles"], f"{name}_cos"), node("Sin", ["angles"], f"{name}_sin")
        return node("RotaryEmbedding", [tensor, cos, sin], f"{name}_rotated", interleaved=0, num_heads=count)

    def repeat(name: str, tensor: str) -> str:
        grouped = node("Unsqueeze", [tensor, axis_2], f"{name}_grouped")
        expanded = node("Expand", [grouped, "repeated_shape"], f"{name}_expanded")
        shape = constant(f"{name}_repeated_shape", np.array([1, config.query_heads, -1, config.head_size], np.int64))
        return node("Reshape", [expanded, shape], f"{name}_repeated", allowzero=1)

    axis_2 = constant("axis_2", np.array([2], np.int64))
    length = node("Shape", ["hidden_states"], "length_1", start=1, end=2)
    scalar = node("Squeeze", [length], "length")
    rows = node(
        "Range", [constant("zero", np.array(0, np.int64)), scalar, constant("one", np.array(1, np.int64))], "rows"
    )
    positions = node("Unsqueeze", [rows, constant("axes_02", np.array([0, 2], np.int64))], "positions")
    real = node("Cast", [positions], "real_positions", to=TensorProto.FLOAT)
    node("Mul", [real, constant("inv_freq", config.inverse_frequencies().astype(np.float32))], "angles")
    plane = node("Unsqueeze", [rows, constant("axes_01", np.array([0, 1], np.int64))], "plane")
    row = node("Unsqueeze", [plane, constant("axis_3", np.array([3], np.int64))], "row")
    key = node("Unsqueeze", [plane, axis_2], "key")
    mask = node("LessOrEqual", [key, row], "mask")
    node(
        "Concat",
        [
            constant("batch_1", np.array([1], np.int64)),
            constant("key_heads_1", np.array([config.key_heads], np.int64)),
            constant("group_1", np.array([config.query_heads // config.key_heads], np.int64)),
            length,
            constant("head_size_1", np.array([config.head_size], np.int64)),
        ],
        "repeated_shape",
        axis=0,
    )
    query = rotate("q", heads("q", config.query_heads), config.query_heads)
    keys = repeat("k", rotate("k", heads("k", config.key_heads), config.key_heads))
    values = repeat("v", heads("v", config.key_heads))
    attended = node(
        "Attention",
        [query, keys, values, mask],
        "attended",
        scale=1 / math.sqrt(config.head_size),
        is_causal=0,
        qk_matmul_output_mode=0,
        softcap=0.0,
    )
    merged = node("Transpose", [attended], "merged", perm=[0, 2, 1, 3])
    flat = constant("flat_shape", np.array([1, -1, config.hidden_size], np.int64))
    node("Reshape", [merged, flat], "flat", allowzero=1)
    node("MatMul", ["flat", constant("o_weight", weights["o"])], "output")

    shape = [1, "S", config.hidden_size]
    graph = helper.make_graph(
        nodes,
        "llama_attention",
        [helper.make_tensor_value_info("hidden_states", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("output", TensorProto.FLOAT, shape)],
        initializers,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)
