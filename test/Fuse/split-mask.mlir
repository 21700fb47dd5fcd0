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

// -----

// Terms of shared terms are split once each: these are 2^60 paths.

// CHECK-LABEL: func @shared_terms
//   CHECK-NOT:   score(
//       CHECK:   mask(
//  CHECK-NEXT:     %[[SEEN:.*]] = arith.cmpi sle
//  CHECK-NEXT:     posenc.yield %[[SEEN]]
func.func @shared_terms(%q: tensor<1x8x2x16xf32>, %scale: f32) -> tensor<1x8x2x16xf32> {
  %o = posenc.attention query(%q : tensor<1x8x2x16xf32>) key(%q : tensor<1x8x2x16xf32>)
      value(%q : tensor<1x8x2x16xf32>) scale(%scale) outs(%q : tensor<1x8x2x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %low = arith.constant 0xFF800000 : f32
        %zero = arith.constant 0.0 : f32
        %seen = arith.cmpi sle, %j, %i : index
        %t0 = arith.select %seen, %zero, %low : f32
        %t1 = arith.addf %t0, %t0 : f32
        %t2 = arith.addf %t1, %t1 : f32
        %t3 = arith.addf %t2, %t2 : f32
        %t4 = arith.addf %t3, %t3 : f32
        %t5 = arith.addf %t4, %t4 : f32
        %t6 = arith.addf %t5, %t5 : f32
        %t7 = arith.addf %t6, %t6 : f32
        %t8 = arith.addf %t7, %t7 : f32
        %t9 = arith.addf %t8, %t8 : f32
        %t10 = arith.addf %t9, %t9 : f32
        %t11 = arith.addf %t10, %t10 : f32
        %t12 = arith.addf %t11, %t11 : f32
        %t13 = arith.addf %t12, %t12 : f32
        %t14 = arith.addf %t13, %t13 : f32
        %t15 = arith.addf %t14, %t14 : f32
        %t16 = arith.addf %t15, %t15 : f32
        %t17 = arith.addf %t16, %t16 : f32
        %t18 = arith.addf %t17, %t17 : f32
        %t19 = arith.addf %t18, %t18 : f32
        %t20 = arith.addf %t19, %t19 : f32
        %t21 = arith.addf %t20, %t20 : f32
        %t22 = arith.addf %t21, %t21 : f32
        %t23 = arith.addf %t22, %t22 : f32
        %t24 = arith.addf %t23, %t23 : f32
        %t25 = arith.addf %t24, %t24 : f32
        %t26 = arith.addf %t25, %t25 : f32
        %t27 = arith.addf %t26, %t26 : f32
        %t28 = arith.addf %t27, %t27 : f32
        %t29 = arith.addf %t28, %t28 : f32
        %t30 = arith.addf %t29, %t29 : f32
        %t31 = arith.addf %t30, %t30 : f32
        %t32 = arith.addf %t31, %t31 : f32
        %t33 = arith.addf %t32, %t32 : f32
        %t34 = arith.addf %t33, %t33 : f32
        %t35 = arith.addf %t34, %t34 : f32
        %t36 = arith.addf %t35, %t35 : f32
        %t37 = arith.addf %t36, %t36 : f32
        %t38 = arith.addf %t37, %t37 : f32
        %t39 = arith.addf %t38, %t38 : f32
        %t40 = arith.addf %t39, %t39 : f32
        %t41 = arith.addf %t40, %t40 : f32
        %t42 = arith.addf %t41, %t41 : f32
        %t43 = arith.addf %t42, %t42 : f32
        %t44 = arith.addf %t43, %t43 : f32
        %t45 = arith.addf %t44, %t44 : f32
        %t46 = arith.addf %t45, %t45 : f32
        %t47 = arith.addf %t46, %t46 : f32
        %t48 = arith.addf %t47, %t47 : f32
        %t49 = arith.addf %t48, %t48 : f32
        %t50 = arith.addf %t49, %t49 : f32
        %t51 = arith.addf %t50, %t50 : f32
        %t52 = arith.addf %t51, %t51 : f32
        %t53 = arith.addf %t52, %t52 : f32
        %t54 = arith.addf %t53, %t53 : f32
        %t55 = arith.addf %t54, %t54 : f32
        %t56 = arith.addf %t55, %t55 : f32
        %t57 = arith.addf %t56, %t56 : f32
        %t58 = arith.addf %t57, %t57 : f32
        %t59 = arith.addf %t58, %t58 : f32
        %t60 = arith.addf %t59, %t59 : f32
        %y = arith.addf %x, %t60 : f32
        posenc.yield %y : f32
      } -> tensor<1x8x2x16xf32>
  return %o : tensor<1x8x2x16xf32>
}
