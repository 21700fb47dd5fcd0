# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles exported LLaMA attention layers, checks them, and times one at the size of Llama 3.2 1B.

`make demo` runs this. It leaves libraries, the IR after every phase and a report in `build/demo`.
"""

import argparse
import os
import pathlib
import statistics
import sys
import time

import numpy as np
import onnx

import posenc
from llama_graph import LlamaConfig, random_weights, write_llama_attention
from posenc.reference import rotary
from posenc.reference.attention import attention

EXAMPLES = pathlib.Path(__file__).resolve().parent
OUTPUT = EXAMPLES.parent / "build" / "demo"
PHASES = ["input", "import", "simplify", "fuse", "plan", "codegen"]


def leave_artifacts(compiled: posenc.CompiledFunction, folder: pathlib.Path) -> None:
    """Writes the library with its header, the IR after each phase, and the report."""
    folder.mkdir(parents=True, exist_ok=True)
    compiled.save(folder / "llama_attention.so")
    for number, phase in enumerate(PHASES):
        (folder / f"{number}-{phase}.mlir").write_text(compiled.ir(phase))
    compiled.report(folder / "report.html")


def run_exported_layer() -> None:
    """The small layer that a stock exporter wrote, at both of the lengths it came with."""
    folder = EXAMPLES / "llama_rope"
    begin = time.perf_counter()
    compiled = posenc.compile(folder / "model.onnx")
    print(f"LLaMA attention layer exported by torch.onnx, compiled in {time.perf_counter() - begin:.1f} s")
    for case in (folder, folder / "second_length"):
        output = compiled(np.load(case / "input_0.npy"))
        golden = np.load(case / "golden_0.npy")
        error = np.abs(output - golden).max() / np.abs(golden).max()
        print(f"  length {output.shape[1]}: largest error {error:.1e} of the largest golden value")
        if error > 2e-6:
            raise SystemExit("the result differs from the golden")
    leave_artifacts(compiled, OUTPUT / "exported")


def expected_rows(config: LlamaConfig, weights: dict, hidden: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Some rows of the layer's output in float64, by the reference."""

    def heads(tensor: np.ndarray, weight: np.ndarray, count: int) -> np.ndarray:
        projected = tensor.astype(np.float64) @ weight.astype(np.float64)
        return projected.reshape(1, -1, count, config.head_size).transpose(0, 2, 1, 3)

    def rotate(tensor: np.ndarray, positions: np.ndarray) -> np.ndarray:
        frequencies = config.inverse_frequencies()
        return rotary.rotary(tensor, positions, frequencies, lanes="half")

    positions = np.arange(hidden.shape[1])
    query = rotate(heads(hidden[:, rows], weights["q"], config.query_heads), rows)
    key = rotate(heads(hidden, weights["k"], config.key_heads), positions)
    value = heads(hidden, weights["v"], config.key_heads)
    output = attention(query, key, value, mask=positions[None, None, None, :] <= rows[None, None, :, None])
    return output.transpose(0, 2, 1, 3).reshape(1, len(rows), -1) @ weights["o"].astype(np.float64)


def torch_layer(config: LlamaConfig, weights: dict, hidden: np.ndarray):
    """The same layer in PyTorch, ready to be called; None where PyTorch is not installed."""
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    matrices = {name: torch.from_numpy(weight) for name, weight in weights.items()}
    frequencies = torch.from_numpy(config.inverse_frequencies().astype(np.float32))
    x = torch.from_numpy(hidden)

    def heads(name: str, count: int):
        return (x @ matrices[name]).view(1, -1, count, config.head_size).transpose(1, 2)

    def rotate(tensor):
        angles = torch.outer(torch.arange(tensor.shape[2], dtype=torch.float32), frequencies)
        cos, sin = torch.cat([angles.cos()] * 2, -1), torch.cat([angles.sin()] * 2, -1)
        first, second = tensor.chunk(2, dim=-1)
        return tensor * cos + torch.cat([-second, first], dim=-1) * sin

    @torch.no_grad()
    def layer():
        query, key = rotate(heads("q", config.query_heads)), rotate(heads("k", config.key_heads))
        attended = torch.nn.functional.scaled_dot_product_attention(
            query, key, heads("v", config.key_heads), is_causal=True, enable_gqa=True
        )
        return attended.transpose(1, 2).reshape(1, -1, config.hidden_size) @ matrices["o"]

    return layer


def time_alternately(sides: dict, repetitions: int) -> dict[str, float]:
    """Median seconds of each side, all called in turn."""
    times = {name: [] for name in sides}
    for repetition in range(repetitions + 1):
        for name, call in sides.items():
            begin = time.perf_counter()
            call()
            if repetition:  # the first round warms up
                times[name].append(time.perf_counter() - begin)
    return {name: statistics.median(seconds) for name, seconds in times.items()}


def run_real_size(length: int, repetitions: int) -> None:
    """The attention of Llama 3.2 1B with random weights: checked on some rows, then timed."""
    config = LlamaConfig()
    weights = random_weights(config, seed=1)
    hidden = np.random.default_rng(2).standard_normal((1, length, config.hidden_size)).astype(np.float32)
    model = write_llama_attention(config, weights)
    folder = OUTPUT / "llama-3.2-1b"
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(model, folder / "llama_attention.onnx")
    begin = time.perf_counter()
    fused = posenc.compile(model)
    print(
        f"Attention of Llama 3.2 1B ({config.query_heads} query heads, {config.key_heads} key heads of "
        f"{config.head_size}, length {length}), compiled in {time.perf_counter() - begin:.1f} s"
    )
    rows = np.unique(np.linspace(0, length - 1, 33).astype(int))
    expected = expected_rows(config, weights, hidden, rows)
    error = np.abs(fused(hidden)[:, rows] - expected).max() / np.abs(expected).max()
    print(f"  largest error {error:.1e} of the largest value, against float64 on {len(rows)} rows")
    if error > 1e-5:
        raise SystemExit("the result differs from the reference")
    leave_artifacts(fused, folder)

    unfused = posenc.compile(model, fuse=False)
    sides = {"fused": lambda: fused(hidden), "unfused": lambda: unfused(hidden)}
    layer = torch_layer(config, weights, hidden)
    if layer:
        sides["PyTorch"] = layer
    for name, seconds in time_alternately(sides, repetitions).items():
        print(f"  {name:8} {1e3 * seconds:8.1f} ms")
    if not layer:
        print("  PyTorch is not installed (make bench-peers installs it)")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--length", type=int, default=2048)
    parser.add_argument("--repetitions", type=int, default=5)
    arguments = parser.parse_args()
    run_exported_layer()
    run_real_size(arguments.length, arguments.repetitions)
    print(f"Libraries, IR after each phase and reports: {OUTPUT.relative_to(EXAMPLES.parent)}/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
