// RUN: posenc-opt %s --canonicalize --allow-unregistered-dialect | FileCheck %s

// CHECK-LABEL: func @sizes_become_static
//       CHECK:   %[[MASK:.*]] = posenc.causal sizes(%{{.*}}) : tensor<1x1x?x5xi1>
//       CHECK:   %[[CAST:.*]] = tensor.cast %[[MASK]] : tensor<1x1x?x5xi1> to tensor<1x1x?x?xi1>
//       CHECK:   return %[[CAST]]
func.func @sizes_become_static(%lq: index) -> tensor<1x1x?x?xi1> {
  %lk = arith.constant 5 : index
  %mask = posenc.causal sizes(%lq, %lk) : tensor<1x1x?x?xi1>
  return %mask : tensor<1x1x?x?xi1>
}

// A negative size is left to whoever reports it.
// CHECK-LABEL: func @negative_size
//       CHECK:   posenc.causal sizes(%{{.*}}) : tensor<1x1x3x?xi1>
func.func @negative_size() -> tensor<1x1x3x?xi1> {
  %lk = arith.constant -1 : index
  %mask = posenc.causal sizes(%lk) : tensor<1x1x3x?xi1>
  return %mask : tensor<1x1x3x?xi1>
}

// CHECK-LABEL: func @every_encoding_with_sizes
//       CHECK:   posenc.alibi : tensor<1x8x5x5xf32>
//       CHECK:   posenc.bucketed_bias %{{.*}} {max_distance = 128 : i64} : tensor<32x8xf32> -> tensor<1x8x5x5xf32>
//       CHECK:   posenc.window left(%{{.*}}) : tensor<1x1x5x5xi1>
//       CHECK:   posenc.padding lengths(%{{.*}} : tensor<2xi64>) : tensor<2x1x1x5xi1>
//       CHECK:   posenc.document query_ids(%{{.*}}) key_ids(%{{.*}}) : tensor<2x1x5x5xi1>
//       CHECK:   posenc.sinusoidal order(<interleaved>) exponents(<model_dim>) : tensor<5x8xf32>
//       CHECK:   posenc.learned %{{.*}} out_of_range(<error>) : tensor<32x8xf32> -> tensor<5x8xf32>
//       CHECK:   posenc.kerple %{{.*}}, %{{.*}} kernel(<log>) later_keys(<zero>) : tensor<8xf32>, tensor<8xf32> -> tensor<1x8x5x5xf32>
//       CHECK:   posenc.sandwich {width = 128 : i64} : tensor<1x8x5x5xf32>
//       CHECK:   posenc.relative_bias %{{.*}} origin(%{{.*}}) sign(<key_minus_query>) outside(<clip>) : tensor<32x8xf32> -> tensor<1x8x5x5xf32>
func.func @every_encoding_with_sizes(%table: tensor<32x8xf32>, %perHead: tensor<8xf32>, %lengths: tensor<2xi64>,
                                     %ids: tensor<2x5xi32>, %left: index) {
  %l = arith.constant 5 : index
  %0 = posenc.alibi sizes(%l, %l) : tensor<1x8x?x?xf32>
  %1 = posenc.bucketed_bias %table sizes(%l, %l) {max_distance = 128} : tensor<32x8xf32> -> tensor<1x8x?x?xf32>
  %2 = posenc.window sizes(%l, %l) left(%left) : tensor<1x1x?x?xi1>
  %3 = posenc.padding lengths(%lengths : tensor<2xi64>) sizes(%l) : tensor<2x1x1x?xi1>
  %4 = posenc.document query_ids(%ids : tensor<2x5xi32>) key_ids(%ids : tensor<2x5xi32>)
      sizes(%l, %l) : tensor<2x1x?x?xi1>
  %5 = posenc.sinusoidal sizes(%l) order(<interleaved>) exponents(<model_dim>) : tensor<?x8xf32>
  %6 = posenc.learned %table sizes(%l) out_of_range(<error>) : tensor<32x8xf32> -> tensor<?x8xf32>
  %7 = posenc.kerple %perHead, %perHead sizes(%l, %l) kernel(<log>) later_keys(<zero>)
      : tensor<8xf32>, tensor<8xf32> -> tensor<1x8x?x?xf32>
  %8 = posenc.sandwich sizes(%l, %l) {width = 128 : i64} : tensor<1x8x?x?xf32>
  %9 = posenc.relative_bias %table origin(%left) sizes(%l, %l) sign(<key_minus_query>) outside(<clip>)
      : tensor<32x8xf32> -> tensor<1x8x?x?xf32>
  "test.use"(%0, %1, %2, %3, %4, %5, %6, %7, %8, %9)
    : (tensor<1x8x?x?xf32>, tensor<1x8x?x?xf32>, tensor<1x1x?x?xi1>, tensor<2x1x1x?xi1>,
       tensor<2x1x?x?xi1>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<1x8x?x?xf32>, tensor<1x8x?x?xf32>,
       tensor<1x8x?x?xf32>) -> ()
  return
}

// CHECK-LABEL: func @zero_offset
//   CHECK-NOT:   offset
//       CHECK:   return
func.func @zero_offset(%x: tensor<1x8x?x8xf32>, %table: tensor<32x8xf32>, %left: index) {
  %zero = arith.constant 0 : index
  %0 = posenc.alibi offset(%zero) : tensor<1x8x5x5xf32>
  %1 = posenc.bucketed_bias %table offset(%zero) {max_distance = 128} : tensor<32x8xf32> -> tensor<1x8x5x5xf32>
  %2 = posenc.window left(%left) offset(%zero) : tensor<1x1x5x5xi1>
  %3 = posenc.causal offset(%zero) : tensor<1x1x5x5xi1>
  %4 = posenc.sinusoidal offset(%zero) order(<interleaved>) exponents(<model_dim>) : tensor<5x8xf32>
  %5 = posenc.learned %table offset(%zero) out_of_range(<error>) : tensor<32x8xf32> -> tensor<5x8xf32>
  %6 = posenc.rotary %x offset(%zero) lanes(<half, first = 0, count = 8>)
      frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x?x8xf32>
  "test.use"(%0, %1, %2, %3, %4, %5, %6)
    : (tensor<1x8x5x5xf32>, tensor<1x8x5x5xf32>, tensor<1x1x5x5xi1>, tensor<1x1x5x5xi1>,
       tensor<5x8xf32>, tensor<5x8xf32>, tensor<1x8x?x8xf32>) -> ()
  return
}

// A turn is 1: a quarter of it has cosine 0 and sine 1, whatever whole turns come before.
// CHECK-LABEL: func @cos_sin_of_constants
//   CHECK-NOT:   posenc.cos_sin
//   CHECK-DAG:   %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
//       CHECK:   return %{{.*}}, %[[ONE]]
func.func @cos_sin_of_constants() -> (f32, f32) {
  %position = arith.constant 1048577.0 : f32
  %hi = arith.constant 0.25 : f32
  %lo = arith.constant 0.0 : f32
  %cos, %sin = posenc.cos_sin %position, %hi, %lo : f32
  return %cos, %sin : f32, f32
}

// A destination that a cast of its own size made static, and the result cast back.
// CHECK-LABEL: func @attention_of_a_cast_destination
//  CHECK-SAME:   (%[[Q:.*]]: tensor<2x1x?x8xf32>, %[[K:.*]]: tensor<?x1x?x8xf32>)
//       CHECK:   %[[INIT:.*]] = tensor.empty(%{{.*}}) : tensor<2x1x?x8xf32>
//       CHECK:   %[[O:.*]] = posenc.attention query(%[[Q]] : {{.*}}) outs(%[[INIT]] : {{.*}}) -> tensor<2x1x?x8xf32>
//       CHECK:   %[[CAST:.*]] = tensor.cast %[[O]] : tensor<2x1x?x8xf32> to tensor<?x1x?x8xf32>
//       CHECK:   return %[[CAST]]
func.func @attention_of_a_cast_destination(%q: tensor<2x1x?x8xf32>, %k: tensor<?x1x?x8xf32>) -> tensor<?x1x?x8xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %q, %c0 : tensor<2x1x?x8xf32>
  %l = tensor.dim %q, %c2 : tensor<2x1x?x8xf32>
  %s = arith.constant 1.0 : f32
  %e = tensor.empty(%b, %l) : tensor<?x1x?x8xf32>
  %o = posenc.attention query(%q : tensor<2x1x?x8xf32>) key(%k : tensor<?x1x?x8xf32>) value(%k : tensor<?x1x?x8xf32>)
      scale(%s) outs(%e : tensor<?x1x?x8xf32>) -> tensor<?x1x?x8xf32>
  return %o : tensor<?x1x?x8xf32>
}

// CHECK-LABEL: func @attention_of_cast_operands
//  CHECK-SAME:   (%[[Q:.*]]: tensor<2x1x3x8xf32>, %[[SINKS:.*]]: tensor<1xf32>, %{{.*}}: tensor<?x1x?x8xf32>, %[[LSE:.*]]: tensor<2x1x3xf32>)
//   CHECK-NOT:   tensor.cast
//       CHECK:   %[[O:.*]]:2 = posenc.attention query(%[[Q]] : {{.*}}) key(%[[Q]] : {{.*}}) value(%[[Q]] : {{.*}}) sinks(%[[SINKS]] : {{.*}}) logsumexp(%[[LSE]] : {{.*}}) mask
//       CHECK:   -> tensor<?x1x?x8xf32>, tensor<2x1x3xf32>
//       CHECK:   %[[CAST:.*]] = tensor.cast %[[O]]#1 : tensor<2x1x3xf32> to tensor<?x1x?xf32>
//       CHECK:   return %[[O]]#0, %[[CAST]]
func.func @attention_of_cast_operands(%q0: tensor<2x1x3x8xf32>, %sinks0: tensor<1xf32>, %e: tensor<?x1x?x8xf32>,
                                      %lse0: tensor<2x1x3xf32>) -> (tensor<?x1x?x8xf32>, tensor<?x1x?xf32>) {
  %s = arith.constant 1.0 : f32
  %q = tensor.cast %q0 : tensor<2x1x3x8xf32> to tensor<?x1x?x8xf32>
  %sinks = tensor.cast %sinks0 : tensor<1xf32> to tensor<?xf32>
  %lse = tensor.cast %lse0 : tensor<2x1x3xf32> to tensor<?x1x?xf32>
  %o, %l = posenc.attention query(%q : tensor<?x1x?x8xf32>) key(%q : tensor<?x1x?x8xf32>) value(%q : tensor<?x1x?x8xf32>)
      scale(%s) sinks(%sinks : tensor<?xf32>) outs(%e : tensor<?x1x?x8xf32>) logsumexp(%lse : tensor<?x1x?xf32>)
      mask(%b, %h, %i, %j) {
        %visible = arith.cmpi sle, %j, %i : index
        posenc.yield %visible : i1
      } -> tensor<?x1x?x8xf32>, tensor<?x1x?xf32>
  return %o, %l : tensor<?x1x?x8xf32>, tensor<?x1x?xf32>
}
