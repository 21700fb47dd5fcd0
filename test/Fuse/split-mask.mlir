// RUN: posenc-opt %s --posenc-split-mask --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func @added_minus_infinity
//       CHECK:   posenc.attention
//   CHECK-NOT:   empty_rows
//   CHECK-NOT:   score
//       CHECK:   mask(%{{.*}}, %{{.*}}, %[[I:[a-z0-9]+]], %[[J:[a-z0-9]+]]) {
//  CHECK-NEXT:     %[[C:.*]] = arith.cmpi sle, %[[J]], %[[I]]
//  CHECK-NEXT:     posenc.yield %[[C]]
func.func @added_minus_infinity(%q: tensor<1x8x4x16xf32>, %scale: f32) -> tensor<1x8x4x16xf32> {
  %o = posenc.attention query(%q : tensor<1x8x4x16xf32>) key(%q : tensor<1x8x4x16xf32>)
      value(%q : tensor<1x8x4x16xf32>) scale(%scale) outs(%q : tensor<1x8x4x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %inf = arith.constant 0xFF800000 : f32
        %zero = arith.constant 0.0 : f32
        %c = arith.cmpi sle, %j, %i : index
        %m = arith.select %c, %zero, %inf : f32
        %y = arith.addf %x, %m : f32
        posenc.yield %y : f32
      } -> tensor<1x8x4x16xf32>
  return %o : tensor<1x8x4x16xf32>
}

// -----

// Replaced where the condition holds; a mask that is there already stays.

// CHECK-LABEL: func @replaced
//   CHECK-NOT:   score
//       CHECK:   mask(%{{.*}}, %{{.*}}, %[[I:[a-z0-9]+]], %[[J:[a-z0-9]+]]) {
//   CHECK-DAG:     %[[WINDOW:.*]] = arith.cmpi slt, %[[I]], %[[J]]
//   CHECK-DAG:     %[[DROP:.*]] = tensor.extract
//   CHECK-DAG:     %[[KEEP:.*]] = arith.xori %[[DROP]], %true
//       CHECK:     %[[BOTH:.*]] = arith.andi %{{.*}}, %{{.*}} : i1
//       CHECK:     posenc.yield %[[BOTH]]
func.func @replaced(%q: tensor<1x8x4x16xf32>, %drop: tensor<4xi1>, %scale: f32) -> tensor<1x8x4x16xf32> {
  %o = posenc.attention query(%q : tensor<1x8x4x16xf32>) key(%q : tensor<1x8x4x16xf32>)
      value(%q : tensor<1x8x4x16xf32>) scale(%scale) outs(%q : tensor<1x8x4x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %inf = arith.constant 0xFF800000 : f32
        %d = tensor.extract %drop[%j] : tensor<4xi1>
        %y = arith.select %d, %inf, %x : f32
        posenc.yield %y : f32
      }
      mask(%b, %h, %i, %j) {
        %c = arith.cmpi slt, %i, %j : index
        posenc.yield %c : i1
      } -> tensor<1x8x4x16xf32>
  return %o : tensor<1x8x4x16xf32>
}

// -----

// The lowest finite value, in the model's type, with a bias where the key is seen.

// CHECK-LABEL: func @lowest_half
//       CHECK:   empty_rows(<average>) score(%[[X:[a-z0-9]+]],
//       CHECK:     %[[BIAS:.*]] = tensor.extract
//       CHECK:     %[[WIDE:.*]] = arith.extf %[[BIAS]]
//       CHECK:     arith.addf %[[X]], %[[WIDE]]
//   CHECK-NOT:     arith.select
//       CHECK:   mask
//       CHECK:     arith.cmpi sle
func.func @lowest_half(%q: tensor<1x8x4x16xf16>, %scale: f32) -> tensor<1x8x4x16xf16> {
  %bias = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf16>
  %o = posenc.attention query(%q : tensor<1x8x4x16xf16>) key(%q : tensor<1x8x4x16xf16>)
      value(%q : tensor<1x8x4x16xf16>) scale(%scale) outs(%q : tensor<1x8x4x16xf16>)
      score(%x, %b, %h, %i, %j) {
        %low = arith.constant -65504.0 : f16
        %e = tensor.extract %bias[%j] : tensor<4xf16>
        %c = arith.cmpi sle, %j, %i : index
        %m = arith.select %c, %e, %low : f16
        %w = arith.extf %m : f16 to f32
        %y = arith.addf %x, %w : f32
        posenc.yield %y : f32
      } -> tensor<1x8x4x16xf16>
  return %o : tensor<1x8x4x16xf16>
}

// -----

// Two conditions on the way to one score.

// CHECK-LABEL: func @nested
//   CHECK-NOT:   score
//       CHECK:   mask
//       CHECK:     arith.cmpi sle
//       CHECK:     arith.cmpi slt
//       CHECK:     arith.andi
func.func @nested(%q: tensor<1x8x4x16xf32>, %scale: f32) -> tensor<1x8x4x16xf32> {
  %o = posenc.attention query(%q : tensor<1x8x4x16xf32>) key(%q : tensor<1x8x4x16xf32>)
      value(%q : tensor<1x8x4x16xf32>) scale(%scale) outs(%q : tensor<1x8x4x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %inf = arith.constant 0xFF800000 : f32
        %zero = arith.constant 0.0 : f32
        %c3 = arith.constant 3 : index
        %c = arith.cmpi sle, %j, %i : index
        %distance = arith.subi %i, %j : index
        %w = arith.cmpi slt, %distance, %c3 : index
        %m = arith.select %c, %zero, %inf : f32
        %n = arith.select %w, %m, %inf : f32
        %y = arith.addf %x, %n : f32
        posenc.yield %y : f32
      } -> tensor<1x8x4x16xf32>
  return %o : tensor<1x8x4x16xf32>
}

// -----

// Other finite penalties are a bias, and so is what a soft-cap bounds.

// CHECK-LABEL: func @penalty
//       CHECK:   score
//       CHECK:     arith.select
//       CHECK:     math.tanh
//   CHECK-NOT:   mask
func.func @penalty(%q: tensor<1x8x4x16xf32>, %scale: f32) -> tensor<1x8x4x16xf32> {
  %o = posenc.attention query(%q : tensor<1x8x4x16xf32>) key(%q : tensor<1x8x4x16xf32>)
      value(%q : tensor<1x8x4x16xf32>) scale(%scale) outs(%q : tensor<1x8x4x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %inf = arith.constant 0xFF800000 : f32
        %penalty = arith.constant -1.0e4 : f32
        %zero = arith.constant 0.0 : f32
        %c = arith.cmpi sle, %j, %i : index
        %m = arith.select %c, %zero, %inf : f32
        %n = arith.select %c, %zero, %penalty : f32
        %y = arith.addf %x, %m : f32
        %t = math.tanh %y : f32
        %z = arith.addf %t, %n : f32
        posenc.yield %z : f32
      } -> tensor<1x8x4x16xf32>
  return %o : tensor<1x8x4x16xf32>
}

// -----

// A table folded by an exporter: the penalties are a table of i1, the rest stays a bias.

// CHECK-LABEL: func @folded_table
//   CHECK-DAG:   %[[MASK:.*]] = arith.constant dense<{{\[\[}}true, false], [true, true]]> : tensor<2x2xi1>
//   CHECK-DAG:   %[[BIAS:.*]] = arith.constant dense<{{\[\[}}1.000000e+00, 0.000000e+00], [2.000000e+00, 3.000000e+00]]> : tensor<2x2xf32>
//       CHECK:   empty_rows(<average>)
//       CHECK:     tensor.extract %[[BIAS]]
//       CHECK:   mask
//       CHECK:     tensor.extract %[[MASK]]
func.func @folded_table(%q: tensor<1x8x2x16xf32>, %scale: f32) -> tensor<1x8x2x16xf32> {
  %table = arith.constant dense<[[1.0, -3.4028234663852886E+38], [2.0, 3.0]]> : tensor<2x2xf32>
  %o = posenc.attention query(%q : tensor<1x8x2x16xf32>) key(%q : tensor<1x8x2x16xf32>)
      value(%q : tensor<1x8x2x16xf32>) scale(%scale) outs(%q : tensor<1x8x2x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %e = tensor.extract %table[%i, %j] : tensor<2x2xf32>
        %y = arith.addf %x, %e : f32
        posenc.yield %y : f32
      } -> tensor<1x8x2x16xf32>
  return %o : tensor<1x8x2x16xf32>
}
