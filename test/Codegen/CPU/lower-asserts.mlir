// RUN: posenc-opt %s --posenc-lower-asserts | FileCheck %s

// CHECK-DAG: llvm.mlir.global internal constant @posenc_assert_0("too long\00")
// CHECK-DAG: func private @posenc_rt_assert(i1 {llvm.zeroext}, !llvm.ptr)

// CHECK-LABEL: func @checked(
//  CHECK-SAME:   %[[OK:.*]]: i1
//       CHECK:   call @posenc_rt_assert(%[[OK]], %{{.*}})
//   CHECK-NOT:   cf.assert
func.func @checked(%ok: i1) {
  cf.assert %ok, "too long"
  return
}
