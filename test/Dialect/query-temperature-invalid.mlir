// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @query_temperature_c1(%x: tensor<1x4x3x8xf32>) {
  // expected-error @+1 {{scales 8 lanes from lane 4 on of an input 'tensor<1x4x3x8xf32>'; the head size must be static and hold them}}
  %y = posenc.query_temperature %x lanes(<half, first = 4, count = 8>) {beta = 0.1 : f64, original_length = 8192 : i64, position_shift = 1 : i64} : tensor<1x4x3x8xf32>
  return
}

// -----

func.func @query_temperature_c1_dynamic(%x: tensor<1x4x3x?xf32>) {
  // expected-error @+1 {{the head size must be static and hold them}}
  %y = posenc.query_temperature %x lanes(<half, first = 0, count = 8>) {beta = 0.1 : f64, original_length = 8192 : i64, position_shift = 1 : i64} : tensor<1x4x3x?xf32>
  return
}

// -----

func.func @query_temperature_c2(%x: tensor<1x4x3x8xf32>, %m: tensor<4xi64>) {
  // expected-error @+1 {{'positions' is 'tensor<4xi64>' for an input 'tensor<1x4x3x8xf32>'; it must be [batch or 1, length] or [length], without 'offset'}}
  %y = posenc.query_temperature %x positions(%m : tensor<4xi64>) lanes(<half, first = 0, count = 8>) {beta = 0.1 : f64, original_length = 8192 : i64, position_shift = 1 : i64} : tensor<1x4x3x8xf32>
  return
}

// -----

func.func @query_temperature_c2_offset(%x: tensor<1x4x3x8xf32>, %m: tensor<3xi64>, %o: index) {
  // expected-error @+1 {{without 'offset'}}
  %y = posenc.query_temperature %x positions(%m : tensor<3xi64>) offset(%o) lanes(<half, first = 0, count = 8>) {beta = 0.1 : f64, original_length = 8192 : i64, position_shift = 1 : i64} : tensor<1x4x3x8xf32>
  return
}

// -----

func.func @query_temperature_c3(%x: tensor<1x4x3x8xf32>) {
  // expected-error @+1 {{it must be finite}}
  %y = posenc.query_temperature %x lanes(<half, first = 0, count = 8>) {beta = 0x7FF0000000000000 : f64, original_length = 8192 : i64, position_shift = 1 : i64} : tensor<1x4x3x8xf32>
  return
}

// -----

func.func @query_temperature_c4(%x: tensor<1x4x3x8xf32>) {
  // expected-error @+1 {{'original_length' is 0 and 'position_shift' 1; the first must be positive, the second not negative}}
  %y = posenc.query_temperature %x lanes(<half, first = 0, count = 8>) {beta = 0.1 : f64, original_length = 0 : i64, position_shift = 1 : i64} : tensor<1x4x3x8xf32>
  return
}

// -----

func.func @query_temperature_c4_shift(%x: tensor<1x4x3x8xf32>) {
  // expected-error @+1 {{the second not negative}}
  %y = posenc.query_temperature %x lanes(<half, first = 0, count = 8>) {beta = 0.1 : f64, original_length = 8192 : i64, position_shift = -1 : i64} : tensor<1x4x3x8xf32>
  return
}
