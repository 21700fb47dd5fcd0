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
rope_tables/dynamic-d128-b10000-f2-L2048-nNone
rope_tables/dynamic-d128-b10000-f2-L2048-n1
rope_tables/dynamic-d128-b10000-f2-L2048-n2048
rope_tables/dynamic-d128-b10000-f2-L2048-n2049
rope_tables/dynamic-d128-b10000-f2-L2048-n4096
rope_tables/dynamic-d128-b10000-f2-L2048-n8192
rope_tables/dynamic-d64-b10000-f4-L8-n8
rope_tables/dynamic-d64-b10000-f4-L8-n9
rope_tables/dynamic-d64-b10000-f4-L8-n16
rope_tables/dynamic-d64-b10000-f4-L8-n33
rope_tables/dynamic-d96-b10000-f3-L1024-n1024
rope_tables/dynamic-d96-b10000-f3-L1024-n1025
rope_tables/dynamic-d96-b10000-f3-L1024-n3000
rope_tables/yarn-deepseek-v3
rope_tables/yarn-qwen2.5
rope_tables/yarn-gpt-oss
rope_tables/yarn-explicit-factor
rope_tables/yarn-factor-one
rope_tables/yarn-mscale-differ
rope_tables/yarn-mscale-zero
rope_tables/yarn-clamped-low
rope_tables/longrope-d96-Lo4096-nNone
rope_tables/longrope-d96-Lo4096-n4096
rope_tables/longrope-d96-Lo4096-n4097
rope_tables/longrope-d32-Lo2048-n2048-af
rope_tables/longrope-d32-Lo2048-n2049-af
rope_tables/longrope-d24-Lo1024-n1024
rope_tables/longrope-d24-Lo1024-n1025
rope_tables/proportional-d256-p0.25-f1
rope_tables/proportional-d96-p0.3-f1
rope_tables/proportional-d64-p0.5-f8
rope_tables/ntk-lucid-d64-a4
rope_tables/ntk-xt-d64-a4
rope_tables/ntk-lucid-d16-a8
rope_tables/ntk-xt-d16-a8
rope_tables/ntk-lucid-d32-a2.5
rope_tables/ntk-xt-d32-a2.5
rope_tables/pixel-lucid-d16-m10
rope_tables/pixel-timm-n8-m224-lin0
rope_tables/pixel-timm-n8-m224-lin1
rope_tables/pixel-timm-n12-m10-lin1
rotary/half-gptoss-d16-near
rotary/dynamic-history-6-9-12
rotary/temperature-ministral-b0.1-L8192
rotary/temperature-ministral-b0.25-L4
rotary/temperature-llama4-b0.1-f8192-L3-past8190
rotary/temperature-llama4-b0.25-f4-L6-past0
rotary/xpos-lucid-d8-L5-sb512
rotary/xpos-xt-d8-L5-sb512
rotary/xpos-torchscale-d8-L5-sb512
rotary/xpos-lucid-d16-L6-sb64
rotary/xpos-xt-d16-L6-sb64
rotary/xpos-torchscale-d16-L6-sb64
rotary/xpos-lucid-d8-L8-sb512
rotary/xpos-xt-d8-L8-sb512
rotary/xpos-torchscale-d8-L8-sb512
rotary/xpos-lucid-d12-L7-sb512
rotary/xpos-xt-d12-L7-sb512
rotary/xpos-torchscale-d12-L7-sb512
rotary/xpos-lucid-cached-d8-2-5
rotary/xpos-torchscale-offset-d8-2-5
rotary/pope-h2-d4-L5-q5
rotary/pope-h1-d8-L4-q2
rotary/ggml-yarn
bucketed_bias/wavlm-gated-H2-d4-L5-N8
"""

NOT_BUILT = dict.fromkeys(_NAMES.split(), REASON)
