// RUN: posenc-compile %s -o %t.so
// RUN: %numpy %S/Inputs/check_weights.py %t.so

// Weights travel as a blob into the library.

func.func @add_weights(%x: tensor<?x4xf32> {posenc.name = "x", posenc.symbols = ["N", ""]}) -> (tensor<?x4xf32> {posenc.name = "y"}) {
  %w = arith.constant dense_resource<blob> : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %w : tensor<?x4xf32>, tensor<4xf32>) outs(%e : tensor<?x4xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
{-# dialect_resources: { builtin: { blob: "0x040000000000803f000000400000404000008040" } } #-}
