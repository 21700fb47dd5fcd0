// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @paper
//       CHECK:   posenc.sinusoidal order(<interleaved>) exponents(<model_dim>) : tensor<3x8xf32>
func.func @paper() -> tensor<3x8xf32> {
  %pe = posenc.sinusoidal order(<interleaved>) exponents(<model_dim>) : tensor<3x8xf32>
  return %pe : tensor<3x8xf32>
}

// CHECK-LABEL: func @offset
//       CHECK:   posenc.sinusoidal sizes(%{{.*}}) offset(%{{.*}}) order(<interleaved>) exponents(<model_dim>) : tensor<?x8xf32>
func.func @offset(%l: index, %offset: index) -> tensor<?x8xf32> {
  %pe = posenc.sinusoidal sizes(%l) offset(%offset) order(<interleaved>) exponents(<model_dim>) : tensor<?x8xf32>
  return %pe : tensor<?x8xf32>
}

// CHECK-LABEL: func @everything
//       CHECK:   posenc.sinusoidal positions(%{{.*}} : tensor<?x?xindex>) sizes(%{{.*}}, %{{.*}}) order(<concatenated>) exponents(<half_dim>) odd(<extra_sine>) cos_first {angle_scale = 2.000000e+00 : f64, base = 1.000000e+02 : f64, padding_position = 1 : i64, scale = 5.000000e-01 : f64, shift = 1.000000e+00 : f64} : tensor<?x?x9xf32>
func.func @everything(%positions: tensor<?x?xindex>, %b: index, %l: index) -> tensor<?x?x9xf32> {
  %pe = posenc.sinusoidal positions(%positions : tensor<?x?xindex>) sizes(%b, %l) order(<concatenated>)
      exponents(<half_dim>) odd(<extra_sine>) cos_first
      {base = 100.0, angle_scale = 2.0, scale = 0.5, shift = 1.0, padding_position = 1} : tensor<?x?x9xf32>
  return %pe : tensor<?x?x9xf32>
}

// CHECK-LABEL: func @timestep
//       CHECK:   posenc.sinusoidal positions(%{{.*}} : tensor<?xf32>) sizes(%{{.*}}) order(<concatenated>) exponents(<half_dim>) odd(<zero_column>) cos_first {shift = 0.000000e+00 : f64}
func.func @timestep(%times: tensor<?xf32>, %n: index) -> tensor<?x9xf32> {
  %pe = posenc.sinusoidal positions(%times : tensor<?xf32>) sizes(%n) order(<concatenated>)
      exponents(<half_dim>) odd(<zero_column>) cos_first {shift = 0.0} : tensor<?x9xf32>
  return %pe : tensor<?x9xf32>
}
