// RUN: posenc-opt %s --posenc-drop-row-constants --canonicalize --split-input-file | FileCheck %s

// slope * i is the same for every key; slope * j stays.

// CHECK-LABEL: func @row_part_of_a_bias
//       CHECK:   score(%[[X:[a-z0-9]+]], %{{.*}}, %{{.*}}, %{{.*}}, %[[J:[a-z0-9]+]]) {
//       CHECK:     %[[J32:.*]] = arith.index_cast %[[J]]
//       CHECK:     %[[FJ:.*]] = arith.sitofp %[[J32]]
//       CHECK:     %[[BIAS:.*]] = arith.mulf %[[FJ]]
//       CHECK:     %[[Y:.*]] = arith.addf %[[X]], %[[BIAS]]
//  CHECK-NEXT:     posenc.yield %[[Y]]
func.func @row_part_of_a_bias(%q: tensor<1x8x4x16xf32>, %scale: f32) -> tensor<1x8x4x16xf32> {
  %o = posenc.attention query(%q : tensor<1x8x4x16xf32>) key(%q : tensor<1x8x4x16xf32>)
      value(%q : tensor<1x8x4x16xf32>) scale(%scale) outs(%q : tensor<1x8x4x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %slope = arith.constant 0.25 : f32
        %i32 = arith.index_cast %i : index to i32
        %fi = arith.sitofp %i32 : i32 to f32
        %j32 = arith.index_cast %j : index to i32
        %fj = arith.sitofp %j32 : i32 to f32
        %bi = arith.mulf %fi, %slope : f32
        %bj = arith.mulf %fj, %slope : f32
        %y = arith.addf %x, %bj : f32
        %z = arith.subf %y, %bi : f32
        posenc.yield %z : f32
      } -> tensor<1x8x4x16xf32>
  return %o : tensor<1x8x4x16xf32>
}

// -----

// What a soft-cap bounds is no outermost term, and a number read at run time may be infinite.

// CHECK-LABEL: func @stays
//       CHECK:     %[[A:.*]] = arith.addf
//       CHECK:     %[[T:.*]] = math.tanh %[[A]]
//       CHECK:     %[[E:.*]] = tensor.extract
//       CHECK:     %[[Y:.*]] = arith.addf %[[T]], %[[E]]
//       CHECK:     posenc.yield %[[Y]]
func.func @stays(%q: tensor<1x8x4x16xf32>, %row: tensor<4xf32>, %scale: f32) -> tensor<1x8x4x16xf32> {
  %o = posenc.attention query(%q : tensor<1x8x4x16xf32>) key(%q : tensor<1x8x4x16xf32>)
      value(%q : tensor<1x8x4x16xf32>) scale(%scale) outs(%q : tensor<1x8x4x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %one = arith.constant 1.0 : f32
        %y = arith.addf %x, %one : f32
        %t = math.tanh %y : f32
        %e = tensor.extract %row[%i] : tensor<4xf32>
        %z = arith.addf %t, %e : f32
        posenc.yield %z : f32
      } -> tensor<1x8x4x16xf32>
  return %o : tensor<1x8x4x16xf32>
}
