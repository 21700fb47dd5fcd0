# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same input gives the same bits: in any batch, with any number of threads, in any run."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from compiled_attention import Graph, Sizes
from encoding_parts import DOCUMENTS, TRIANGLE, alibi, bucketed, causal, dense, padding, window
from rotary_parts import Rotary, rotated

GRAPHS = {
    "none": Graph(logsumexp=True),
    "causal_documents_window": Graph((TRIANGLE, DOCUMENTS, window(20, 0))),
    "padded_causal_alibi": Graph((causal("bottom_right"), padding(), alibi(4))),
    "t5": Graph((bucketed(4, bidirectional=True),)),
    "dense": Graph((dense("f32", "bhij", 4), dense("i1", "bj", 4))),
    "rotary": Graph((rotated(Rotary(positions="batch"), Graph()),)),
    "rotary_f16": Graph((rotated(Rotary(positions="batch"), Graph(element="f16")),), element="f16"),
}
SIZES = [Sizes(3, 1, 65), Sizes(3, 3, 600), Sizes(3, 70, 70)]


def bits(result: np.ndarray | tuple[np.ndarray, ...]) -> bytes:
    return b"".join(
        np.ascontiguousarray(x).tobytes()
        for x in (result if isinstance(result, tuple) else (result,))
    )


def entry(result: np.ndarray | tuple[np.ndarray, ...], batch: int) -> bytes:
    return bits(tuple(x[batch] for x in (result if isinstance(result, tuple) else (result,))))


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
@pytest.mark.parametrize("name", GRAPHS)
def test_a_batch_of_one(name: str, fuse: bool) -> None:
    graph = GRAPHS[name]
    for sizes in SIZES:
        qkv, extra = graph.draw(sizes)
        whole = graph.call(qkv, extra, fuse)
        for batch in range(sizes.batch):
            # What has a batch axis is of rank 2 or more, or one number an entry.
            def alone(x: np.ndarray) -> np.ndarray:
                return x[batch : batch + 1] if x.ndim and x.shape[0] == sizes.batch else x

            part = graph.call(
                [alone(x) for x in qkv], [[alone(x) for x in arrays] for arrays in extra], fuse
            )
            assert bits(part) == entry(whole, batch)


@pytest.mark.parametrize("name", ["none", "padded_causal_alibi"])
def test_a_longer_batch(name: str) -> None:
    """Units are dealt to threads in another order; also where there are fewer units than threads."""
    graph = GRAPHS[name]
    for sizes in SIZES:
        qkv, extra = graph.draw(sizes)

        def repeated(x: np.ndarray) -> np.ndarray:
            return np.concatenate([x[:1]] * 40) if x.ndim and x.shape[0] == sizes.batch else x

        first = entry(graph.call(qkv, extra), 0)
        many = graph.call(
            [repeated(x) for x in qkv], [[repeated(x) for x in arrays] for arrays in extra]
        )
        assert {entry(many, batch) for batch in range(40)} == {first}


@pytest.mark.parametrize("name", ["none", "causal_documents_window"])
def test_runs(name: str) -> None:
    graph = GRAPHS[name]
    for sizes in SIZES:
        qkv, extra = graph.draw(sizes)
        assert len({bits(graph.call(qkv, extra)) for _ in range(30)}) == 1


def test_memory_layout() -> None:
    """Token-major memory seen head-major, and rows apart, give the bits of dense rows."""
    graph = GRAPHS["none"]
    for sizes in SIZES:
        qkv, extra = graph.draw(sizes)
        dense_rows = bits(graph.call(qkv, extra))
        turned = [np.ascontiguousarray(x.swapaxes(1, 2)).swapaxes(1, 2) for x in qkv]
        apart = [np.repeat(x, 3, axis=2)[:, :, ::3] for x in qkv]
        assert bits(graph.call(turned, extra)) == bits(graph.call(apart, extra)) == dense_rows


CALL_SAVED = """
import hashlib, sys
import numpy as np, posenc
function = posenc.load(sys.argv[1])
for path in sys.argv[2:]:
    arrays = np.load(path)
    results = function(*(arrays[name] for name in arrays.files))
    results = results if isinstance(results, tuple) else (results,)
    print(hashlib.sha256(b"".join(np.ascontiguousarray(x).tobytes() for x in results)).hexdigest())
"""


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
@pytest.mark.parametrize("name", ["none", "padded_causal_alibi"])
def test_threads(name: str, fuse: bool, tmp_path: pathlib.Path) -> None:
    graph = GRAPHS[name]
    graph.function(fuse).save(tmp_path / "graph.so")
    files = []
    for number, sizes in enumerate(SIZES):
        qkv, extra = graph.draw(sizes)
        inputs = [*qkv, *(array for arrays in extra for array in arrays)]
        files.append(tmp_path / f"{number}.npz")
        np.savez(files[-1], **{f"a{at:02}": array for at, array in enumerate(inputs)})
    digests = set()
    for threads in (1, 2, 7):
        environment = os.environ | {"POSENC_NUM_THREADS": str(threads)}
        done = subprocess.run(
            [sys.executable, "-c", CALL_SAVED, tmp_path / "graph.so", *files],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        digests.add(done.stdout)
    assert len(digests) == 1
