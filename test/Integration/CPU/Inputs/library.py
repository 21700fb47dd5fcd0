# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls functions of a compiled library with numpy arrays, through ctypes."""

from __future__ import annotations

import ctypes

import numpy as np


class Device(ctypes.Structure):
    _fields_ = [("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32)]


class DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Tensor(ctypes.Structure):
    """DLTensor; `array` keeps the memory alive."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", Device),
        ("ndim", ctypes.c_int32),
        ("dtype", DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


def as_tensor(array: np.ndarray) -> Tensor:
    """A view of `array`; bfloat16 is the one of ml_dtypes."""
    codes = {"i": 0, "u": 1, "f": 2, "b": 6}
    code = 4 if array.dtype.name == "bfloat16" else codes[array.dtype.kind]
    sizes = ctypes.c_int64 * max(1, array.ndim)
    tensor = Tensor(
        array.ctypes.data,
        Device(1, 0),
        array.ndim,
        DataType(code, array.dtype.itemsize * 8, 1),
        sizes(*array.shape),
        sizes(*(stride // array.itemsize for stride in array.strides)),
        0,
    )
    tensor.array = array
    return tensor


class Library:
    """A compiled library."""

    def __init__(self, path: str) -> None:
        self.library = ctypes.CDLL(path)
        self.library.posenc_last_error.restype = ctypes.c_char_p

    def call(self, name: str, *arrays: np.ndarray) -> tuple[int, str]:
        """The code that `name` returns for its arguments, and the message."""
        tensors = [as_tensor(array) for array in arrays]
        code = getattr(self.library, name)(*(ctypes.byref(tensor) for tensor in tensors))
        return code, self.library.posenc_last_error().decode()

    def shapes(self, name: str, inputs: list[np.ndarray], ranks: list[int]) -> list[tuple[int, ...]]:
        """The output shapes for `inputs`, of the given ranks."""
        outputs = [as_tensor(np.empty((0,) * rank, np.float32)) for rank in ranks]
        tensors = [as_tensor(array) for array in inputs] + outputs
        code = getattr(self.library, name + "_shapes")(*(ctypes.byref(t) for t in tensors))
        assert code == 0, self.library.posenc_last_error().decode()
        return [tuple(t.shape[: t.ndim]) for t in outputs]

    def run(self, name: str, *arrays: np.ndarray) -> None:
        """As call, where it must succeed."""
        code, message = self.call(name, *arrays)
        assert code == 0, f"{name} returned {code}: {message}"
