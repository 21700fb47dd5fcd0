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

// -----

// An integer may be no finite f16, nor a sum of large numbers a finite f32.

// CHECK-LABEL: func @overflows
//       CHECK:     %[[X:.*]] = arith.addf
//       CHECK:     %[[Y:.*]] = arith.addf %[[X]]
//       CHECK:     posenc.yield %[[Y]]
func.func @overflows(%q: tensor<1x8x4x16xf32>, %huge: i32, %scale: f32) -> tensor<1x8x4x16xf32> {
  %o = posenc.attention query(%q : tensor<1x8x4x16xf32>) key(%q : tensor<1x8x4x16xf32>)
      value(%q : tensor<1x8x4x16xf32>) scale(%scale) outs(%q : tensor<1x8x4x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %half = arith.sitofp %huge : i32 to f16
        %wide = arith.extf %half : f16 to f32
        %y = arith.addf %x, %wide : f32
        %large = arith.constant 3.0e38 : f32
        %n = arith.sitofp %huge : i32 to f32
        %term = arith.mulf %large, %n : f32
        %z = arith.addf %y, %term : f32
        posenc.yield %z : f32
      } -> tensor<1x8x4x16xf32>
  return %o : tensor<1x8x4x16xf32>
}

// -----

// Terms of shared terms are looked at once each: these are 2^60 paths.

// CHECK-LABEL: func @shared_terms
//       CHECK:   posenc.attention
//   CHECK-NOT:   score(
//       CHECK:   return
func.func @shared_terms(%q: tensor<1x8x4x16xf32>, %scale: f32) -> tensor<1x8x4x16xf32> {
  %o = posenc.attention query(%q : tensor<1x8x4x16xf32>) key(%q : tensor<1x8x4x16xf32>)
      value(%q : tensor<1x8x4x16xf32>) scale(%scale) outs(%q : tensor<1x8x4x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %i32 = arith.index_cast %i : index to i32
        %t0 = arith.sitofp %i32 : i32 to f32
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
      } -> tensor<1x8x4x16xf32>
  return %o : tensor<1x8x4x16xf32>
}
