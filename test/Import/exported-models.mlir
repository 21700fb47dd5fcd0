// What torch-mlir prints of LLaMA's attention, static and dynamic, eager and
// through the fused call.

// RUN: posenc-opt %source_dir/test/data/models/llama_rope.eager.linalg/model.mlir --posenc-import | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: posenc-opt %source_dir/test/data/models/llama_rope.sdpa.linalg/model.mlir --posenc-import | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: posenc-opt %source_dir/test/data/models/llama_rope.sdpa.linalg.dyn/model.mlir --posenc-import | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: posenc-opt %source_dir/test/data/models/llama_llama3.sdpa.linalg/model.mlir --posenc-import | FileCheck %s --check-prefixes=CHECK,LLAMA3

//   CHECK-DAG: %[[SCALE:.*]] = arith.constant 2.500000e-01 : f32
//   CHECK-DAG: %[[MASK:.*]] = posenc.causal {{.*}}: tensor<1x1x{{.*}}xi1>
//       CHECK: %[[Q:.*]] = posenc.rotary %{{.*}} lanes(<half, first = 0, count = 16>)
// DEFAULT-SAME:  frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x4x{{.*}}x16xf32>
//  LLAMA3-SAME:  frequencies(#posenc.frequencies<base = 500000.0, scaling = #posenc.llama3<factor = 8.0, low_freq_factor = 1.0, high_freq_factor = 4.0, original_length = 64>>)
//       CHECK: %[[K:.*]] = posenc.rotary %{{.*}} : tensor<1x2x{{.*}}x16xf32>
//       CHECK: posenc.attention query(%[[Q]] : {{.*}}) key(%[[K]] : {{.*}}) value(%{{.*}} : tensor<1x{{.*}}x2x16xf32>)
//  CHECK-SAME:   scale(%[[SCALE]])
//  CHECK-SAME:   score(
//   CHECK-NOT: math.exp
//   CHECK-NOT: tensor.reshape
//   CHECK-NOT: cf.assert
