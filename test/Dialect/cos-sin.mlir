// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @scalars_and_vectors
//       CHECK:   posenc.cos_sin %{{.*}}, %{{.*}}, %{{.*}} : f32
//       CHECK:   posenc.cos_sin %{{.*}}, %{{.*}}, %{{.*}} : vector<8xf32>
func.func @scalars_and_vectors(%x: f32, %v: vector<8xf32>) -> (f32, vector<8xf32>) {
  %cos, %sin = posenc.cos_sin %x, %x, %x : f32
  %vcos, %vsin = posenc.cos_sin %v, %v, %v : vector<8xf32>
  return %cos, %vsin : f32, vector<8xf32>
}
