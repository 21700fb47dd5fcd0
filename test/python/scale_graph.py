# Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small graph of two inputs and two results, which the tests of the package share."""

import numpy as np

# y = s x and z = x + x, of N rows of 4.
TEXT = """
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @scale(%x: tensor<?x4xf32> {posenc.name = "x", posenc.symbols = ["N", ""]},
                 %s: tensor<?x1xf32> {posenc.name = "s", posenc.symbols = ["N", ""]})
    -> (tensor<?x4xf32> {posenc.name = "y"}, tensor<?x4xf32> {posenc.name = "z"}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %y = linalg.generic {indexing_maps = [#map, affine_map<(d0, d1) -> (d0, 0)>, #map],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<?x4xf32>, tensor<?x1xf32>) outs(%e : tensor<?x4xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %r = arith.mulf %a, %b : f32
      linalg.yield %r : f32
  } -> tensor<?x4xf32>
  %z = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.addf %a, %a : f32
      linalg.yield %r : f32
  } -> tensor<?x4xf32>
  return %y, %z : tensor<?x4xf32>, tensor<?x4xf32>
}
"""
X = np.arange(12, dtype=np.float32).reshape(3, 4)
S = np.array([[1], [2], [3]], np.float32)
