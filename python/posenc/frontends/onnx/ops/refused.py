# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that posenc does not compile and for which there is something else to do."""

from __future__ import annotations

from ...._errors import ImportFailure
from ..registry import NodeContext, handles

_LOOPS = "repeats a graph by a count that data decide; export a model without loops"
_SIZES = "makes a tensor whose size depends on data; select with Where and keep the size"
_ORDER = "sorts; compute the order outside of the model"
_RANDOM = "draws random numbers; export the model for inference"
_QUANTIZED = "computes on quantized tensors; export the model with float weights"
_RECURRENT = "is recurrent; posenc compiles attention"
_TENSORS = "takes or makes what is not a tensor; give tensors as inputs and outputs of the model"
_TRAINING = "is a step of training; export the model for inference"

_REASONS = {
    ("", _LOOPS): "Loop Scan",
    ("", _SIZES): "NonZero Unique Compress NonMaxSuppression",
    ("", _ORDER): "TopK",
    ("", _RANDOM): "Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform "
    "RandomUniformLike",
    ("", _QUANTIZED): "ConvInteger DequantizeLinear DynamicQuantizeLinear MatMulInteger "
    "QLinearConv QLinearMatMul QuantizeLinear",
    ("com.microsoft", _QUANTIZED): "DequantizeLinear DynamicQuantizeMatMul GatherBlockQuantized "
    "MatMulBnb4 MatMulIntegerToFloat MatMulNBits QAttention QuantizeLinear",
    ("", _RECURRENT): "GRU LSTM RNN CausalConvWithState",
    ("", "is attention without a softmax; posenc compiles softmax attention"): "LinearAttention",
    ("", _TENSORS): "Optional OptionalGetElement OptionalHasElement SequenceAt SequenceConstruct "
    "SequenceEmpty SequenceErase SequenceInsert SequenceLength ConcatFromSequence "
    "SplitToSequence StringConcat StringNormalizer StringSplit RegexFullMatch",
    ("ai.onnx.preview.training", _TRAINING): "Adagrad Adam Gradient Momentum",
}


def _refusal(reason: str):
    def refuse(ctx: NodeContext):
        raise ImportFailure(reason)

    return refuse


for (_domain, _reason), _names in _REASONS.items():
    handles(*_names.split(), domain=_domain)(_refusal(_reason))
