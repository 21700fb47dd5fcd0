// RUN: posenc-opt %s --posenc-expand-math | FileCheck %s

// The numbers are checked by execution, in Integration/CPU/math.mlir.

// CHECK-LABEL: func @vector(
//   CHECK-NOT:   math.exp
//   CHECK-NOT:   math.cos
//   CHECK-NOT:   posenc.cos_sin
//       CHECK:   math.roundeven %{{.*}} : vector<4x16xf32>
//       CHECK:   return
func.func @vector(%x: vector<4x16xf32>, %hi: vector<4x16xf32>, %lo: vector<4x16xf32>)
    -> (vector<4x16xf32>, vector<4x16xf32>) {
  %e = math.exp %x : vector<4x16xf32>
  %cos, %sin = posenc.cos_sin %e, %hi, %lo : vector<4x16xf32>
  return %cos, %sin : vector<4x16xf32>, vector<4x16xf32>
}

// What has an instruction stays; a square is a product.

// CHECK-LABEL: func @instructions(
//       CHECK:   math.sqrt
//       CHECK:   math.fma
//       CHECK:   arith.mulf
//   CHECK-NOT:   math.powf
func.func @instructions(%x: f32) -> (f32, f32, f32) {
  %two = arith.constant 2.0 : f32
  %a = math.sqrt %x : f32
  %b = math.fma %x, %x, %x : f32
  %c = math.powf %x, %two : f32
  return %a, %b, %c : f32, f32, f32
}

// 16-bit floats are computed in f32, and bf16 rounds without a library.

// CHECK-LABEL: func @narrow(
//   CHECK-NOT:   math.tanh
//       CHECK:   arith.bitcast %{{.*}} : i16 to bf16
//   CHECK-NOT:   arith.truncf %{{.*}} : f32 to bf16
func.func @narrow(%x: bf16) -> bf16 {
  %y = math.tanh %x : bf16
  return %y : bf16
}

// A power that is rounded to f32 is one of f32, by an integer exponent too.

// CHECK-LABEL: func @pow_in_f64(
//   CHECK-NOT:   math.powf
//       CHECK:   arith.sitofp %{{.*}} : i32 to f32
//   CHECK-NOT:   math.powf
//       CHECK:   return
func.func @pow_in_f64(%x: f32, %n: i32) -> f32 {
  %wide = arith.extf %x : f32 to f64
  %exponent = arith.sitofp %n : i32 to f64
  %power = math.powf %wide, %exponent : f64
  %y = arith.truncf %power : f64 to f32
  return %y : f32
}

// CHECK-LABEL: func @pow_of_a_constant_in_f64(
//   CHECK-NOT:   math.powf
//       CHECK:   return
func.func @pow_of_a_constant_in_f64(%n: i32) -> f32 {
  %base = arith.constant 0.25 : f64
  %exponent = arith.sitofp %n : i32 to f64
  %power = math.powf %base, %exponent : f64
  %y = arith.truncf %power : f64 to f32
  return %y : f32
}
