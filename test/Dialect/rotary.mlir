// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @offset
//       CHECK:   posenc.rotary %{{.*}} offset(%{{.*}}) lanes(<half, first = 0, count = 64>) frequencies(#posenc.frequencies<base = 500000.0, scaling = #posenc.llama3<factor = 32.0, low_freq_factor = 1.0, high_freq_factor = 4.0, original_length = 8192>>) : tensor<1x8x?x64xf32>
func.func @offset(%x: tensor<1x8x?x64xf32>, %offset: index) -> tensor<1x8x?x64xf32> {
  %y = posenc.rotary %x offset(%offset) lanes(<half, first = 0, count = 64>)
      frequencies(#posenc.frequencies<base = 500000.0, scaling = #posenc.llama3<factor = 32.0,
        low_freq_factor = 1.0, high_freq_factor = 4.0, original_length = 8192>>)
      : tensor<1x8x?x64xf32>
  return %y : tensor<1x8x?x64xf32>
}

// CHECK-LABEL: func @positions
//       CHECK:   posenc.rotary %{{.*}} positions(%{{.*}} : tensor<?xf32>) lanes(<interleaved, first = 192, count = 4>) frequencies(#posenc.explicit_frequencies<[1.0, 0.10000000000000001], attention_factor = 1.25>) layout(<blhd>) inverse : tensor<2x?x8x256xbf16>
func.func @positions(%x: tensor<2x?x8x256xbf16>, %positions: tensor<?xf32>) -> tensor<2x?x8x256xbf16> {
  %y = posenc.rotary %x positions(%positions : tensor<?xf32>) lanes(<interleaved, first = 192, count = 4>)
      frequencies(#posenc.explicit_frequencies<[1.0, 0.1], attention_factor = 1.25>)
      layout(<blhd>) inverse : tensor<2x?x8x256xbf16>
  return %y : tensor<2x?x8x256xbf16>
}

// CHECK-LABEL: func @caches
//       CHECK:   posenc.rotary %{{.*}} positions(%{{.*}} : tensor<2x?xi64>) cos(%{{.*}} : tensor<?x4xf16>) sin(%{{.*}} : tensor<?x4xf16>) lanes(<half, first = 0, count = 8>) : tensor<2x8x?x8xf16>
//       CHECK:   posenc.rotary %{{.*}} cos(%{{.*}} : tensor<2x?x4xf16>) sin(%{{.*}} : tensor<2x?x4xf16>) lanes
func.func @caches(%x: tensor<2x8x?x8xf16>, %positions: tensor<2x?xi64>, %cos: tensor<?x4xf16>,
                  %sin: tensor<?x4xf16>, %c: tensor<2x?x4xf16>) -> tensor<2x8x?x8xf16> {
  %y = posenc.rotary %x positions(%positions : tensor<2x?xi64>) cos(%cos : tensor<?x4xf16>)
      sin(%sin : tensor<?x4xf16>) lanes(<half, first = 0, count = 8>) : tensor<2x8x?x8xf16>
  %z = posenc.rotary %y cos(%c : tensor<2x?x4xf16>) sin(%c : tensor<2x?x4xf16>)
      lanes(<half, first = 0, count = 8>) : tensor<2x8x?x8xf16>
  return %z : tensor<2x8x?x8xf16>
}

// CHECK-LABEL: func @length
//       CHECK:   posenc.rotary %{{.*}} offset(%{{.*}}) length(%{{.*}}) lanes(<half, first = 0, count = 8>) frequencies(#posenc.frequencies<base = 10000.0, scaling = #posenc.dynamic_ntk<factor = 2.0, original_length = 2048>>) : tensor<1x8x?x8xf32>
func.func @length(%x: tensor<1x8x?x8xf32>, %offset: index, %length: index) -> tensor<1x8x?x8xf32> {
  %y = posenc.rotary %x offset(%offset) length(%length) lanes(<half, first = 0, count = 8>)
      frequencies(#posenc.frequencies<base = 10000.0, scaling = #posenc.dynamic_ntk<factor = 2.0, original_length = 2048>>)
      : tensor<1x8x?x8xf32>
  return %y : tensor<1x8x?x8xf32>
}

// CHECK-LABEL: func @axes
//       CHECK:   posenc.rotary %{{.*}} positions(%{{.*}} : tensor<2x?x?xf32>) lanes(<interleaved, first = 0, count = 8>) frequencies(#posenc.pixel_frequencies<linear, max_frequency = 10.0>) sections(<chunked, [2, 2], restarting>) layout(<blhd>) : tensor<?x?x8x8xf32>
func.func @axes(%x: tensor<?x?x8x8xf32>, %positions: tensor<2x?x?xf32>) -> tensor<?x?x8x8xf32> {
  %y = posenc.rotary %x positions(%positions : tensor<2x?x?xf32>) lanes(<interleaved, first = 0, count = 8>)
      frequencies(#posenc.pixel_frequencies<linear, max_frequency = 10.0>)
      sections(<chunked, [2, 2], restarting>) layout(<blhd>) : tensor<?x?x8x8xf32>
  return %y : tensor<?x?x8x8xf32>
}

// CHECK-LABEL: func @decay
//       CHECK:   posenc.rotary %{{.*}} centre(%{{.*}}) lanes(<interleaved, first = 0, count = 8>) frequencies(#posenc.frequencies<base = 10000.0>) decay(<key, scale_base = 512.0>) : tensor<1x8x?x8xf32>
func.func @decay(%x: tensor<1x8x?x8xf32>, %centre: index) -> tensor<1x8x?x8xf32> {
  %y = posenc.rotary %x centre(%centre) lanes(<interleaved, first = 0, count = 8>)
      frequencies(#posenc.frequencies<base = 10000.0>) decay(<key, scale_base = 512.0>) : tensor<1x8x?x8xf32>
  return %y : tensor<1x8x?x8xf32>
}
