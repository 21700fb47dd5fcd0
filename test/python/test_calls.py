# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of compiled functions: NumPy, torch, DLPack, and what is wrong about others."""

import ml_dtypes
import numpy as np
import pytest

import posenc
from scale_graph import TEXT, S, X


@pytest.fixture(scope="module")
def scale() -> posenc.CompiledFunction:
    return posenc.compile(TEXT)


def test_results_are_a_tuple(scale) -> None:
    y, z = scale(X, S)
    np.testing.assert_array_equal(y, X * S)
    np.testing.assert_array_equal(z, X + X)


def test_arguments_by_name(scale) -> None:
    np.testing.assert_array_equal(scale(s=S, x=X)[0], X * S)


def test_repr_says_what_it_takes(scale) -> None:
    assert repr(scale).startswith(
        "<posenc function scale(x: float32[N, 4], s: float32[N, 1]) -> (y: float32["
    )


def test_torch_in_torch_out(scale) -> None:
    torch = pytest.importorskip("torch")
    y, _ = scale(torch.from_numpy(X).requires_grad_(), torch.from_numpy(S))
    assert isinstance(y, torch.Tensor)
    np.testing.assert_array_equal(y.numpy(), X * S)


class OnlyDLPack:
    """Some framework's tensor."""

    def __init__(self, array: np.ndarray):
        self.array = array

    def __dlpack__(self, **arguments):
        return self.array.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_anything_with_dlpack(scale) -> None:
    np.testing.assert_array_equal(scale(OnlyDLPack(X), OnlyDLPack(S))[0], X * S)


def test_inputs_are_not_written_and_may_be_read_only(scale) -> None:
    x = X.copy()
    x.flags.writeable = False
    scale(x, S)
    np.testing.assert_array_equal(x, X)


def test_strided_rows_and_broadcast_inputs(scale) -> None:
    wide = np.zeros((6, 4), np.float32)
    wide[::2] = X
    np.testing.assert_array_equal(
        scale(wide[::2], np.broadcast_to(np.float32(2), (3, 1)))[0], 2 * X
    )


def test_no_rows(scale) -> None:
    assert [result.shape for result in scale(X[:0], S[:0])] == [(0, 4), (0, 4)]


WRONG = {
    "also needs s": lambda f: f(X),
    "takes 2 arguments": lambda f: f(X, S, S),
    "has no input 'w'": lambda f: f(X, S, w=S),
    "given twice": lambda f: f(X, S, x=X),
    "a float was passed": lambda f: f(X, 2.0),
    "a object was passed": lambda f: f(X, object()),
    "expected float32, got float64": lambda f: f(X.astype(np.float64), S),
    "N = 2": lambda f: f(X, S[:2]),
    "expected stride 1 in the last dimension": lambda f: f(np.asfortranarray(X), S),
    "arrays of object": lambda f: f(X.astype(object), S),
}


@pytest.mark.parametrize("message", WRONG)
def test_wrong_calls_say_what_is_wrong(scale, message: str) -> None:
    with pytest.raises(posenc.Error, match=message) as caught:
        WRONG[message](scale)
    assert "\n" not in str(caught.value)


def test_bfloat16_arrays_pass() -> None:
    text = TEXT.replace("f32", "bf16")
    x = X.astype(ml_dtypes.bfloat16)
    y, _ = posenc.compile(text)(x, S.astype(ml_dtypes.bfloat16))
    assert y.dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(y.astype(np.float32), X * S)
