// RUN: posenc-opt %S/Inputs/scale_rows.mlir --posenc-codegen-cpu --posenc-emit-entries=required-features=3 | FileCheck %s

// The tables: extents, -1 the first symbol; the two functions; the bodies.

// CHECK-DAG: llvm.mlir.global internal constant @{{.*}}(dense<[-1, 64]> : tensor<2xi64>)
// CHECK-DAG: llvm.mlir.global internal constant @{{.*}}("scale_rows\00")
// CHECK-DAG: llvm.mlir.global weak constant @posenc_library() {{.*}} !llvm.array<1 x struct<(i32, i32, ptr)>>
// CHECK-DAG: llvm.func internal @scale_rows__compute(
// CHECK-DAG: llvm.func internal @scale_rows__shapes(

// CHECK-LABEL: llvm.func internal @scale_rows__body(%{{.*}}: !llvm.ptr)
//       CHECK:   llvm.call @scale_rows__compute(

// CHECK-LABEL: llvm.func @scale_rows(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i32
//       CHECK:   llvm.call @posenc_rt_require_cpu(
//       CHECK:   llvm.cond_br
//       CHECK:   llvm.call @posenc_rt_check_inputs(
//       CHECK:   llvm.cond_br
//       CHECK:   llvm.call @scale_rows__shapes(
//       CHECK:   llvm.call @posenc_rt_status()
//       CHECK:   llvm.cond_br
//       CHECK:   llvm.call @posenc_rt_check_outputs(
//       CHECK:   llvm.cond_br
//       CHECK:   %[[CODE:.*]] = llvm.call @posenc_rt_run(
//       CHECK:   llvm.return %[[CODE]]

// CHECK-LABEL: llvm.func @scale_rows_shapes(
//       CHECK:   llvm.call @scale_rows__shapes(
//       CHECK:   llvm.call @posenc_rt_report_shapes(
