# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of compiled functions: NumPy, torch, DLPack, and what is wrong about others."""

import weakref
from concurrent.futures import ThreadPoolExecutor

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


def test_read_only_memory_of_any_framework(scale) -> None:
    """NumPy exports it by the versioned capsule only."""
    x = X.copy()
    x.flags.writeable = False
    np.testing.assert_array_equal(scale(OnlyDLPack(x), S)[0], X * S)


class BeforeVersions(OnlyDLPack):
    """An exporter of the DLPack before 1.0."""

    def __dlpack__(self):
        return self.array.__dlpack__()


def test_exporters_before_versions(scale) -> None:
    np.testing.assert_array_equal(scale(BeforeVersions(X), BeforeVersions(S))[0], X * S)


def test_torch_views(scale) -> None:
    """Strided rows, an offset, a broadcast, and a mixture with NumPy."""
    torch = pytest.importorskip("torch")
    wide = torch.arange(60, dtype=torch.float32).reshape(6, 10)
    part = wide[1::2, 3:7]
    y, _ = scale(part, torch.tensor([[2.0]]).expand(3, 1))
    np.testing.assert_array_equal(y.numpy(), 2 * part.numpy())
    y, _ = scale(part.numpy(), torch.from_numpy(S))
    assert isinstance(y, np.ndarray)
    np.testing.assert_array_equal(y, part.numpy() * S)
    with pytest.raises(posenc.Error, match="expected stride 1 in the last dimension"):
        scale(wide.T[:3, :4], S)


def test_torch_bfloat16() -> None:
    torch = pytest.importorskip("torch")
    function = posenc.compile(TEXT.replace("f32", "bf16"))
    x, s = (torch.from_numpy(array).to(torch.bfloat16) for array in (X, S))
    y, _ = function(x, s)
    assert y.dtype == torch.bfloat16 and torch.equal(y, x * s)
    assert function(x[:0], s[:0])[0].shape == (0, 4)


def test_torch_tensors_that_are_no_memory(scale) -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises(posenc.Error, match="argument 'x'") as caught:
        scale(torch.from_numpy(X).to_sparse(), S)
    assert "\n" not in str(caught.value)
    with pytest.raises(posenc.Error, match="argument 'x'"):
        scale(torch.empty(3, 4, device="meta"), S)


def test_threads_call_one_function_at_once(scale) -> None:
    """Results and errors belong to the call that made them."""

    def call(number: int) -> None:
        x = np.full((50 + number, 4), number, np.float32)
        s = np.full((50 + number, 1), 2, np.float32)
        for _ in range(50):
            y, z = scale(x, s)
            assert (y == 2 * number).all() and y.shape == x.shape and (z == y).all()
            with pytest.raises(posenc.Error, match=f"N = {number + 1}, but .* N = {number + 50}"):
                scale(x, s[: number + 1])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(call, range(8)))


def test_threads_compile_at_once() -> None:
    with ThreadPoolExecutor(4) as pool:
        functions = list(pool.map(lambda _: posenc.compile(TEXT), range(4)))
    assert all((function(X, S)[0] == X * S).all() for function in functions)


def test_a_function_of_no_inputs() -> None:
    function = posenc.compile("""
    func.func @three() -> tensor<1xf32> {
      %c = arith.constant dense<3.0> : tensor<1xf32>
      return %c : tensor<1xf32>
    }""")
    assert function().tolist() == [3.0]
    with pytest.raises(posenc.Error, match=r"three takes 0 arguments \(\), 1 were given"):
        function(X)


def test_names_that_python_has_not() -> None:
    function = posenc.compile("""
    func.func @f(%x: tensor<2xf32> {posenc.name = "past.0:k"}) -> tensor<2xf32> {
      return %x : tensor<2xf32>
    }""")
    x = np.ones(2, np.float32)
    assert function(past_0_k=x).tolist() == function(**{"past.0:k": x}).tolist() == [1, 1]
    with pytest.raises(posenc.Error, match="'past.0:k' was given twice"):
        function(x, past_0_k=x)


ACCUMULATE = """
func.func @accumulate(%x: tensor<?xf32> {posenc.name = "x", posenc.symbols = ["N"]},
                      %sum: tensor<?xf32> {posenc.name = "sum", posenc.symbols = ["N"],
                                           posenc.donated = 0})
    -> (tensor<?xf32>, tensor<?xf32> {posenc.name = "twice"}) {
  %y = arith.addf %x, %sum : tensor<?xf32>
  %t = arith.addf %x, %x : tensor<?xf32>
  return %y, %t : tensor<?xf32>, tensor<?xf32>
}
"""


def test_donated_arrays_are_updated_in_place() -> None:
    function = posenc.compile(ACCUMULATE)
    assert [argument.is_donated for argument in function.signature.inputs] == [False, True]
    x, total = np.ones(3, np.float32), np.zeros(3, np.float32)
    for number in (1, 2, 3):
        assert function(x, total).tolist() == [2, 2, 2]
        assert total.tolist() == [number] * 3
    with pytest.raises(posenc.Error, match="memory overlaps"):
        function(total, total)
    with pytest.raises(posenc.Error, match="'sum': is updated in place, but its memory is read-on"):
        total.flags.writeable = False
        function(x, total)
    torch = pytest.importorskip("torch")
    total = torch.zeros(3)
    assert function(torch.ones(3), total).tolist() == [2, 2, 2] and total.tolist() == [1, 1, 1]


def test_arrays_are_freed(scale) -> None:
    """Nothing keeps inputs or results once the call is over."""
    x = OnlyDLPack(X.copy())
    result, _ = scale(x, S)
    array, ended = weakref.ref(x.array), weakref.ref(result)
    del x, result
    assert array() is None and ended() is None


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
    "arrays of >f4 cannot be passed": lambda f: f(X.astype(">f4"), S),
    "arrays of complex64": lambda f: f(X.astype(np.complex64), S),
    "a list was passed": lambda f: f(X.tolist(), S),
    "a NoneType was passed": lambda f: f(None, S),
    "a masked array was passed": lambda f: f(np.ma.masked_less(X, 3), S),
    "expected 2 dimensions, got 1": lambda f: f(X[0], S),
    r"expected shape \[\?, 4\], got \[3, 3\]": lambda f: f(X[:, :3], S),
    "axis 0 has a stride of 18 bytes, no multiple": lambda f: f(
        np.zeros(54, np.uint8)[: 3 * 18].reshape(3, 18)[:, :16].view(np.float32), S
    ),
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
