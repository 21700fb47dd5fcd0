// RUN: posenc-opt %s --posenc-fuse=no-fuse --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=NOFUSE
// RUN: posenc-opt %s --posenc-fuse | FileCheck %s

// NOFUSE-NOT: posenc-inline-elements
//  NOFUSE: posenc-decompose{no-fuse=true}

// After the phase no encoding is left: ALiBi and the causal mask are in attention, the query's
// rotation as well, the key's is linalg.

// CHECK-LABEL: func @layer
//   CHECK-NOT:   posenc.{{rotary|alibi|causal}}
//   CHECK-NOT:   tensor<1x8x?x?xf32>
//       CHECK:   %[[ANGLES:.*]]:2 = linalg.generic
//       CHECK:     posenc.cos_sin
//       CHECK:   posenc.attention query(%arg0 :
//  CHECK-SAME:     layouts(blhd, blhd, blhd, blhd)
//       CHECK:     mask
//       CHECK:     rotate_query
func.func @layer(%q: tensor<1x?x8x16xf32>, %k: tensor<1x?x8x16xf32>, %scale: f32) -> tensor<1x?x8x16xf32> {
  %c1 = arith.constant 1 : index
  %l = tensor.dim %q, %c1 : tensor<1x?x8x16xf32>
  %e = tensor.empty(%l) : tensor<1x8x?x16xf32>
  %qt = linalg.transpose ins(%q : tensor<1x?x8x16xf32>) outs(%e : tensor<1x8x?x16xf32>) permutation = [0, 2, 1, 3]
  %kt = linalg.transpose ins(%k : tensor<1x?x8x16xf32>) outs(%e : tensor<1x8x?x16xf32>) permutation = [0, 2, 1, 3]
  %qr = posenc.rotary %qt lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x?x16xf32>
  %kr = posenc.rotary %kt lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x?x16xf32>
  %bias = posenc.alibi sizes(%l, %l) : tensor<1x8x?x?xf32>
  %causal = posenc.causal sizes(%l, %l) : tensor<1x1x?x?xi1>
  %o = posenc.attention query(%qr : tensor<1x8x?x16xf32>) key(%kr : tensor<1x8x?x16xf32>)
      value(%kt : tensor<1x8x?x16xf32>) scale(%scale) outs(%e : tensor<1x8x?x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %c0 = arith.constant 0 : index
        %inf = arith.constant 0xFF800000 : f32
        %a = tensor.extract %bias[%c0, %h, %i, %j] : tensor<1x8x?x?xf32>
        %keep = tensor.extract %causal[%c0, %c0, %i, %j] : tensor<1x1x?x?xi1>
        %y = arith.addf %x, %a : f32
        %z = arith.select %keep, %y, %inf : f32
        posenc.yield %z : f32
      } -> tensor<1x8x?x16xf32>
  %oe = tensor.empty(%l) : tensor<1x?x8x16xf32>
  %ot = linalg.transpose ins(%o : tensor<1x8x?x16xf32>) outs(%oe : tensor<1x?x8x16xf32>) permutation = [0, 2, 1, 3]
  return %ot : tensor<1x?x8x16xf32>
}
