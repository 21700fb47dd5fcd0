# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Golden records that the oracle does not answer yet, by name.

A record that is neither here nor handled by its test fails. Whoever implements
an encoding deletes its records from this list.
"""

from __future__ import annotations

REASON = "this encoding is not built yet"

_NAMES = """
absolute/sincos-2d-d8-g3
absolute/sincos-2d-d16-g2x3
absolute/sincos-2d-d12-g4x2
absolute/timm-sincos2d-2x3-d8
absolute/timm-sincos2d-3x2-d8-interleave_sin_cos
absolute/pe-package-2d-2x3x8
absolute/timm-resize-4x4-6x6-bicubic-aa1-acNone
absolute/timm-resize-4x4-6x6-bicubic-aa0-acNone
absolute/timm-resize-4x4-6x6-bilinear-aa1-acNone
absolute/timm-resize-4x4-6x6-bilinear-aa0-acTrue
absolute/timm-resize-4x4-3x3-bicubic-aa1-acNone
absolute/timm-resize-4x4-3x3-bicubic-aa0-acTrue
absolute/timm-resize-4x4-3x3-bilinear-aa0-acNone
absolute/timm-resize-4x4-3x3-bilinear-aa0-acTrue
absolute/timm-resize-3x5-6x4-bicubic-aa0-acNone
absolute/timm-resize-3x5-6x4-bilinear-aa1-acNone
absolute/timm-resize-3x5-6x4-bilinear-aa0-acNone
absolute/timm-resize-7x7-14x14-bicubic-aa1-acNone
absolute/timm-resize-7x7-14x14-bicubic-aa0-acTrue
absolute/timm-resize-7x7-14x14-bilinear-aa1-acNone
absolute/timm-resize-7x7-14x14-bilinear-aa0-acTrue
absolute/timm-resize-5x5-2x7-bicubic-aa0-acNone
absolute/timm-resize-5x5-2x7-bicubic-aa0-acTrue
absolute/timm-resize-5x5-2x7-bilinear-aa0-acNone
absolute/hf-vit-resize-4-6x6
absolute/hf-vit-resize-4-5x3
absolute/hf-dinov2-resize-4-6x5
absolute/wav2vec2-conv-C4-K4-G2-L6
absolute/wav2vec2-conv-C4-K3-G1-L5
"""

NOT_BUILT = dict.fromkeys(_NAMES.split(), REASON)
