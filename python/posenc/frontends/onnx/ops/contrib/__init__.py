# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Handlers of onnxruntime's own operators, the domain com.microsoft, as its optimizer and
model builders write them."""

from . import activation, attention, group_query, normalization, rotary  # noqa: F401
