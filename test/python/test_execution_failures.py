# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wrong arguments and broken files: one line that says what is wrong, never a crash."""

from __future__ import annotations

import ctypes
import os
import pathlib
import random
import re
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest
from compiled_attention import Graph, Sizes, compiled
from encoding_parts import TRIANGLE, alibi, padding
from rotary_parts import Rotary, rotated
from test_execution_caches import step

import posenc
from posenc import _dlpack

ROOT = pathlib.Path(__file__).resolve().parents[2]
GRAPH = Graph((TRIANGLE, padding()))
SIZES = Sizes(2, 3, 5)


class Call:
    """The DLTensors of a call of GRAPH that is right until a test changes one: q, k, v, lengths, output."""

    def __init__(self) -> None:
        qkv, extra = GRAPH.draw(SIZES)
        self.arrays = [*qkv, *extra[0], *extra[1], np.full((2, 4, 3, 16), np.nan, np.float32)]
        described = [_dlpack.describe(array) for array in self.arrays]
        self.tensors = [tensor for tensor, _ in described]
        self.alive = [keep for _, keep in described]
        self.pointers = [ctypes.pointer(tensor) for tensor in self.tensors]

    def __call__(self) -> str:
        """The message, "" after success."""
        function = GRAPH.function()
        code = function._run(*self.pointers)
        message = function._library.posenc_last_error().decode()
        assert bool(code) == bool(message)
        return message

    def replace(self, number: int, array: np.ndarray) -> None:
        tensor, keep = _dlpack.describe(array)
        self.tensors[number] = tensor
        self.pointers[number] = ctypes.pointer(tensor)
        self.alive.append((array, keep))


def change(number: int, field: str, value: object) -> Callable[[Call], None]:
    return lambda call: setattr(call.tensors[number], field, value)


def null(call: Call) -> None:
    call.pointers[1] = None


def replace(number: int, make: Callable[[np.ndarray], np.ndarray]) -> Callable[[Call], None]:
    return lambda call: call.replace(number, make(call.arrays[number]))


def device(kind: int) -> Callable[[Call], None]:
    return lambda call: setattr(call.tensors[0].device, "device_type", kind)


def lanes(call: Call) -> None:
    call.tensors[0].dtype.lanes = 4


# What is changed, and what the message has to name.
WRONG: dict[str, tuple[Callable[[Call], None], list[str]]] = {
    "null_tensor": (null, ["'k'"]),
    "null_data": (change(2, "data", None), ["'v'"]),
    "rank_3": (replace(0, lambda x: x[0]), ["'q'", "3", "4"]),
    "rank_5": (replace(1, lambda x: x[None]), ["'k'", "5", "4"]),
    "negative_rank": (change(0, "ndim", -1), ["'q'"]),
    "double": (replace(0, lambda x: x.astype(np.float64)), ["'q'", "float64", "float32"]),
    "half": (replace(2, lambda x: x.astype(np.float16)), ["'v'", "float16", "float32"]),
    "int32_lengths": (replace(3, lambda x: x.astype(np.int32)), ["'lengths'", "int32", "int64"]),
    "vector_lanes": (lanes, ["'q'"]),
    "heads": (replace(1, lambda x: x[:, :1]), ["'k'", "1", "2"]),
    "head_size": (replace(0, lambda x: x[..., :8].copy()), ["'q'", "8", "16"]),
    "key_lengths_differ": (replace(2, lambda x: x[:, :, :4].copy()), ["Lk", "4", "5"]),
    "batches_differ": (replace(0, lambda x: x[:1]), ["B", "1", "2"]),
    "output_shape": (replace(4, lambda x: x[:, :, :2].copy()), ["'output'", "2", "3"]),
    "output_type": (replace(4, lambda x: x.astype(np.float16)), ["'output'", "float16"]),
    "inner_stride": (replace(0, lambda x: np.repeat(x, 2, axis=-1)[..., ::2]), ["'q'", "stride"]),
    "reversed_lanes": (replace(1, lambda x: x[..., ::-1]), ["'k'", "stride"]),
    "output_stride_0": (replace(4, lambda x: np.broadcast_to(x[:1], x.shape)), ["'output'"]),
    "cuda": (device(2), ["'q'", "device"]),
    "unaligned": (change(0, "byte_offset", 1), ["'q'"]),
    "output_is_an_input": (
        lambda call: call.replace(
            4, np.lib.stride_tricks.as_strided(call.arrays[0], (2, 4, 3, 16))
        ),
        ["'output'", "'q'", "overlap"],
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(name: str) -> None:
    call = Call()
    assert call() == ""
    spoil, words = WRONG[name]
    call = Call()
    before = call.arrays[4].tobytes()
    spoil(call)
    message = call()
    assert message and "\n" not in message
    assert not [word for word in words if word not in message], message
    assert call.arrays[4].tobytes() == before
    # The next call is as good as the first.
    assert Call()() == ""


def test_lengths_of_another_batch() -> None:
    """Lengths for fewer entries than the batch would be read out of bounds."""
    call = Call()
    call.replace(3, call.arrays[3][:1])
    assert "lengths" in call()


# Broken files. Whatever they hold, the compiler answers with one line.

COMPILE = """
import sys, posenc
for path in sys.argv[1:]:
    try:
        posenc.compile(path)
        print("compiled")
    except posenc.Error as error:
        assert str(error) and "\\n" not in str(error), repr(str(error))
        print("refused")
"""


def compile_files(paths: list[pathlib.Path]) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", COMPILE, *map(str, paths)],
        capture_output=True,
        text=True,
        timeout=120,
        env=dict(os.environ),
    )
    assert done.returncode == 0, (
        f"status {done.returncode} after {done.stdout.split()[-3:]}\n{done.stderr[-3000:]}"
    )
    return done.stdout.split()


def test_truncated_mlir(tmp_path: pathlib.Path) -> None:
    text = Graph((TRIANGLE, alibi(4), rotated(Rotary(), Graph()))).text()
    paths = []
    for number, length in enumerate(range(1, len(text), max(1, len(text) // 24))):
        paths.append(tmp_path / f"{number}.mlir")
        paths[-1].write_text(text[:length])
    assert "refused" in compile_files(paths)


def test_damaged_mlir(tmp_path: pathlib.Path) -> None:
    """Tokens dropped, doubled, swapped and replaced."""
    generator = random.Random(0)
    text = Graph((TRIANGLE, alibi(4), rotated(Rotary(), Graph()))).text()
    tokens = text.split(" ")
    paths = []
    for number in range(32):
        damaged = list(tokens)
        at = generator.randrange(len(damaged))
        kind = number % 4
        if kind == 0:
            del damaged[at]
        elif kind == 1:
            damaged.insert(at, damaged[at])
        elif kind == 2:
            other = generator.randrange(len(damaged))
            damaged[at], damaged[other] = damaged[other], damaged[at]
        else:
            damaged[at] = generator.choice(
                ["0", "-1", "%x", "tensor<?xf32>", "index", "f64", "1.0e400", "<", "{"]
            )
        paths.append(tmp_path / f"{number}.mlir")
        paths[-1].write_text(" ".join(damaged))
    compile_files(paths)


def test_garbage(tmp_path: pathlib.Path) -> None:
    generator = random.Random(1)
    contents = {
        "empty": b"",
        "zero": b"\0" * 100,
        "high": bytes(range(256)),
        "bytecode": b"ML\xefR" + b"\1" * 40,
        "brackets": b"(" * 10000,
        "random": bytes(generator.randrange(256) for _ in range(4096)),
        "nested": b"module {" * 2000,
        "comment": b"// nothing\n",
    }
    paths = []
    for name, content in contents.items():
        for suffix in (".mlir", ".onnx"):
            paths.append(tmp_path / f"{name}{suffix}")
            paths[-1].write_bytes(content)
    assert set(compile_files(paths)) == {"refused"}


def test_damaged_onnx(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("onnx")
    model = (
        ROOT / "test" / "data" / "models" / "llama_rope.sdpa.dynamo23.dyn" / "model.onnx"
    ).read_bytes()
    generator = random.Random(2)
    paths = []
    for number in range(8):
        damaged = bytearray(model)
        if number % 2:
            del damaged[generator.randrange(len(damaged)) :]
        else:
            for _ in range(3):
                damaged[generator.randrange(len(damaged))] = generator.randrange(256)
        paths.append(tmp_path / f"{number}.onnx")
        paths[-1].write_bytes(bytes(damaged))
    compile_files(paths)


@pytest.mark.parametrize(
    "content, says",
    [(b"", "is empty"), (b"\x7fELF" + b"\0" * 60, "cannot load"), (b"text", "cannot load")],
    ids=["nothing", "header", "text"],
)
def test_broken_libraries(content: bytes, says: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "graph.so").write_bytes(content)
    with pytest.raises(posenc.Error, match=says):
        posenc.load(tmp_path / "graph.so")


# What graphs take for granted without saying it by symbols.


def test_extents_that_no_symbol_ties() -> None:
    """Without symbols k, v and q may come in any length and batch: refused before memory is read."""
    text = re.sub(r", posenc.symbols = \[[^\]]*\]", "", Graph((alibi(4),)).text())
    function = compiled(text)
    (q, k, v), extra = Graph((alibi(4),)).draw(SIZES)
    function(q, k, v, *extra[0])
    for arguments, words in (
        ((q[:1], k, v), "'k'"),
        ((q, k[:, :, :4], v), "'v'"),
        ((q, k, v[:1]), "'v'"),
    ):
        with pytest.raises(
            posenc.Error, match=f"must equal dimension . of {words}|of {words} must equal"
        ):
            function(*(np.ascontiguousarray(x) for x in arguments), *extra[0])


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
@pytest.mark.parametrize("past", [-1, 38, 10**12, -(2**62)])
def test_a_step_past_the_cache(past: int, fuse: bool) -> None:
    """Three tokens into 40 slots at a place that has no room: an error, and nothing is written."""
    function = compiled(step("f32"), fuse)
    q, k, v = np.zeros((1, 4, 3, 16), np.float32), *np.zeros((2, 1, 2, 3, 16), np.float32)
    keys, values = np.full((2, 1, 2, 40, 16), 7, np.float32)
    with pytest.raises(posenc.Error, match="a slice reaches outside dimension 2 of 'keys'"):
        function(q, k, v, keys, values, np.asarray(past))
    assert (keys == 7).all() and (values == 7).all()
    function(q, k, v, keys, values, np.asarray(37))


def test_a_rotary_cache_without_rows() -> None:
    """Positions read the nearest row: refused where there is none, unless nothing is rotated."""
    function = compiled("""
      func.func @turn(%x: tensor<1x2x?x8xf32>, %cos: tensor<?x4xf32>, %sin: tensor<?x4xf32>, %at: tensor<1x?xi64>)
          -> tensor<1x2x?x8xf32> {
        %y = posenc.rotary %x positions(%at : tensor<1x?xi64>) cos(%cos : tensor<?x4xf32>) sin(%sin : tensor<?x4xf32>)
            lanes(<half, first = 0, count = 8>) : tensor<1x2x?x8xf32>
        return %y : tensor<1x2x?x8xf32>
      }""")
    x, cache, at = (
        np.ones((1, 2, 3, 8), np.float32),
        np.ones((1, 4), np.float32),
        np.full((1, 3), 1000),
    )
    assert function(x, cache, cache, at).shape == x.shape
    with pytest.raises(posenc.Error, match="cache of a rotary encoding has no row to read"):
        function(x, cache[:0], cache[:0], at)
    assert function(x[:, :, :0], cache[:0], cache[:0], at[:, :0]).shape == (1, 2, 0, 8)


class Exported:
    """An array as another framework gives it: by DLPack only."""

    def __init__(self, array: np.ndarray):
        self.array = array

    def __dlpack__(self, **options: object) -> object:
        return self.array.__dlpack__(**options)


@pytest.mark.parametrize("wrap", [np.asarray, Exported], ids=["numpy", "dlpack"])
def test_read_only_memory_is_not_updated_in_place(wrap: Callable[[np.ndarray], object]) -> None:
    function = posenc.compile("""
    func.func @step(%c: tensor<4xf32> {posenc.name = "c", posenc.donated = 0 : i64},
                    %n: tensor<1xf32>) -> tensor<4xf32> {
      %k = tensor.insert_slice %n into %c[2] [1] [1] : tensor<1xf32> into tensor<4xf32>
      return %k : tensor<4xf32>
    }
    """)
    cache, one = np.zeros(4, np.float32), np.ones(1, np.float32)
    function(wrap(cache), one)
    assert cache.tolist() == [0, 0, 1, 0]
    cache[:] = 0
    cache.flags.writeable = False
    with pytest.raises(
        posenc.Error, match="argument 'c': is updated in place, but its memory is read-only"
    ):
        function(wrap(cache), one)
    assert (cache == 0).all()


@pytest.mark.parametrize(
    "operation, message",
    [
        ("subi %rows, %c5", "dimension 0 of 'output0' would be -2"),
        ("muli %rows, %huge", "no memory for 'output0'"),
    ],
    ids=["negative", "huge"],
)
def test_results_of_impossible_sizes(operation: str, message: str) -> None:
    function = posenc.compile(f"""
    func.func @sized(%x: tensor<?xf32>) -> tensor<?xf32> {{
      %c0 = arith.constant 0 : index
      %c5 = arith.constant 5 : index
      %huge = arith.constant {2**58} : index
      %zero = arith.constant 0.0 : f32
      %rows = tensor.dim %x, %c0 : tensor<?xf32>
      %size = arith.{operation} : index
      %init = tensor.empty(%size) : tensor<?xf32>
      %y = linalg.fill ins(%zero : f32) outs(%init : tensor<?xf32>) -> tensor<?xf32>
      return %y : tensor<?xf32>
    }}
    """)
    with pytest.raises(posenc.Error, match=message):
        function(np.zeros(3, np.float32))
