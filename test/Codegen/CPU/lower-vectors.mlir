// RUN: posenc-opt %s --posenc-lower-vectors | FileCheck %s

// CHECK-LABEL: func @tile
// CHECK-COUNT-2: vector.fma {{.*}} : vector<64xf32>
//   CHECK-NOT:   vector.outerproduct
func.func @tile(%a: vector<2xf32>, %b: vector<64xf32>, %c: vector<2x64xf32>) -> vector<2x64xf32> {
  %0 = vector.outerproduct %a, %b, %c : vector<2xf32>, vector<64xf32>
  return %0 : vector<2x64xf32>
}

// CHECK-LABEL: func @square
// CHECK-COUNT-32: vector.shuffle
//   CHECK-NOT:   vector.transpose
func.func @square(%a: vector<16x16xf32>) -> vector<16x16xf32> {
  %0 = vector.transpose %a, [1, 0] : vector<16x16xf32> to vector<16x16xf32>
  return %0 : vector<16x16xf32>
}
