# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DLTensor from NumPy arrays and from anything with `__dlpack__`, by ctypes."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._errors import Error

MAX_RANK = 16


class DLDevice(ctypes.Structure):
    _fields_ = [("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32)]


class DLDataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class DLTensor(ctypes.Structure):
    """The layout of every DLPack version."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", DLDevice),
        ("ndim", ctypes.c_int32),
        ("dtype", DLDataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class DLManagedTensorVersioned(ctypes.Structure):
    """What a capsule `dltensor_versioned` points to, from DLPack 1.0 on."""

    _fields_ = [
        ("version", ctypes.c_uint32 * 2),
        ("manager_ctx", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("dl_tensor", DLTensor),
    ]


_CPU = 1
_READ_ONLY = 1
# (code, bits) by NumPy kind; bfloat16 is known by its name, as NumPy has no such kind.
_CODES = {"i": 0, "u": 1, "f": 2, "b": 6}
_BFLOAT16 = (4, 16)

_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype = ctypes.c_void_p
_get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype = ctypes.c_int
_is_valid.argtypes = [ctypes.py_object, ctypes.c_char_p]


def describe(array: np.ndarray) -> tuple[DLTensor, Any]:
    """A DLTensor over the array's memory, and what must outlive it."""
    rank = array.ndim
    shape, strides = (
        (ctypes.c_int64 * max(rank, 1))(*array.shape),
        (ctypes.c_int64 * max(rank, 1))(),
    )
    for axis, stride in enumerate(array.strides):
        if array.shape[axis] > 1 and stride % array.itemsize:
            raise Error(
                f"axis {axis} has a stride of {stride} bytes, no multiple of an element; "
                "pass a copy"
            )
        strides[axis] = stride // array.itemsize
    code, bits = _element_code(array.dtype)
    tensor = DLTensor(
        array.ctypes.data, DLDevice(_CPU, 0), rank, DLDataType(code, bits, 1), shape, strides, 0
    )
    return tensor, (array, shape, strides)


def _element_code(dtype: np.dtype) -> tuple[int, int]:
    if dtype.name == "bfloat16":
        return _BFLOAT16
    if dtype.kind not in _CODES or not dtype.isnative:
        raise Error(f"arrays of {dtype} cannot be passed to a compiled function")
    return _CODES[dtype.kind], 8 * dtype.itemsize


def borrow(value: Any, *, is_written: bool = False) -> tuple[DLTensor, Any]:
    """A DLTensor over an argument of any framework, and what must outlive it.

    Raises `posenc.Error` for memory that is read-only though the call writes it.
    """
    if isinstance(value, np.ma.MaskedArray):
        raise Error("a masked array was passed, whose mask would be lost; pass .filled(number)")
    if isinstance(value, np.ndarray):
        if is_written and not value.flags.writeable:
            raise _read_only()
        return describe(value)
    if isinstance(value, (bool, int, float, list, tuple, np.generic)):
        raise Error(
            f"a {type(value).__name__} was passed; pass numpy.asarray(value, dtype) "
            "so that its type is clear"
        )
    if not hasattr(value, "__dlpack__"):
        raise Error(
            f"a {type(value).__name__} was passed; "
            "posenc takes numpy arrays and objects with __dlpack__"
        )
    return _borrow_by_dlpack(value.detach() if _needs_grad(value) else value, is_written)


def _needs_grad(value: Any) -> bool:
    return bool(getattr(value, "requires_grad", False))


def _borrow_by_dlpack(value: Any, is_written: bool) -> tuple[DLTensor, Any]:
    """As `borrow`. Memory that is read-only goes by the versioned capsule only, which says so."""
    try:
        capsule = value.__dlpack__(max_version=(1, 0))
    except TypeError:  # An exporter before DLPack 1.0, which must not export read-only memory.
        capsule = value.__dlpack__()
    # An unused capsule frees the tensor itself when it goes.
    if not _is_valid(capsule, b"dltensor_versioned"):
        return DLTensor.from_address(_get_pointer(capsule, b"dltensor")), (value, capsule)
    managed = DLManagedTensorVersioned.from_address(_get_pointer(capsule, b"dltensor_versioned"))
    if is_written and managed.flags & _READ_ONLY:
        raise _read_only()
    return managed.dl_tensor, (value, capsule)


def _read_only() -> Error:
    return Error("is updated in place, but its memory is read-only; pass a copy")


def blank() -> tuple[DLTensor, Any]:
    """A DLTensor for `NAME_shapes` to fill in."""
    shape = (ctypes.c_int64 * MAX_RANK)()
    return DLTensor(None, DLDevice(_CPU, 0), MAX_RANK, DLDataType(0, 0, 0), shape, None, 0), shape


def name_of(code: DLDataType) -> str:
    """NumPy's name of a DLPack type; `bfloat16` is that of ml_dtypes."""
    if (code.code, code.bits) == _BFLOAT16:
        return "bfloat16"
    kinds = {number: kind for kind, number in _CODES.items()}
    return np.dtype(f"{kinds[code.code]}{code.bits // 8}").name


def dtype_of(name: str) -> np.dtype:
    """The NumPy type of this name. Raises `posenc.Error` where ml_dtypes is missing."""
    if name != "bfloat16":
        return np.dtype(name)
    try:
        import ml_dtypes
    except ModuleNotFoundError as error:
        raise Error("arrays of bfloat16 need ml_dtypes: pip install ml_dtypes") from error
    return np.dtype(ml_dtypes.bfloat16)


def allocate(shape: Sequence[int], dtype: np.dtype, like: Any) -> tuple[Any, np.ndarray]:
    """An uninitialized result, of torch where `like` is, and the array over its memory."""
    if type(like).__module__.split(".")[0] != "torch":
        array = np.empty(shape, dtype)
        return array, array
    import torch

    if dtype.name == "bfloat16":
        tensor = torch.empty(tuple(shape), dtype=torch.bfloat16)
        return tensor, tensor.view(torch.int16).numpy().view(dtype)
    array = np.empty(shape, dtype)
    return torch.from_numpy(array), array
