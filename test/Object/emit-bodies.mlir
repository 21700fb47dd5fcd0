// RUN: posenc-opt %S/Inputs/scale_rows.mlir --posenc-codegen-cpu --posenc-emit-bodies | FileCheck %s

// The compiled bodies, private, and what the C functions call.

// CHECK: llvm.func internal @scale_rows__compute(
// CHECK: llvm.func internal @scale_rows__shapes(

// CHECK-LABEL: llvm.func @scale_rows__body(%{{.*}}: !llvm.ptr) {
//       CHECK:   llvm.call @scale_rows__compute(

// CHECK-LABEL: llvm.func @scale_rows__shapes_body(
//  CHECK-SAME:   %{{.*}}: !llvm.ptr, %[[DIMS:.*]]: !llvm.ptr) {
//       CHECK:   llvm.call @scale_rows__shapes({{.*}}%[[DIMS]], %[[DIMS]],
