// RUN: posenc-opt %s --posenc-emit-entries=cpus=x86-64-v3,x86-64-v4 | FileCheck %s

// The tables: extents, -1 the first symbol; the names of the CPUs; the two
// functions, which need no bodies here.

module attributes {posenc.functions = [{name = "scale_rows",
   inputs = [{name = "x", symbols = ["B", ""], type = tensor<?x64xf32>}, {name = "w", symbols = [""], type = tensor<64xf32>}],
   outputs = [{name = "y", symbols = ["B", ""], type = tensor<?x64xf32>}]}]} {}

// CHECK-DAG: llvm.mlir.global internal constant @{{.*}}(dense<[-1, 64]> : tensor<2xi64>)
// CHECK-DAG: llvm.mlir.global internal constant @{{.*}}("scale_rows\00")
// CHECK-DAG: llvm.mlir.global internal constant @{{.*}}("x86-64-v3\00")
// CHECK-DAG: llvm.mlir.global internal constant @{{.*}}("x86-64-v4\00")
// CHECK-DAG: llvm.func @scale_rows__body.x86_64_v3(!llvm.ptr)
// CHECK-DAG: llvm.func @scale_rows__shapes_body.x86_64_v3(!llvm.ptr, !llvm.ptr)
// CHECK-DAG: llvm.mlir.addressof @scale_rows__body.x86_64_v4
// CHECK-DAG: llvm.mlir.addressof @scale_rows__shapes_body.x86_64_v4

// CHECK-LABEL: llvm.func @scale_rows(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i32
//       CHECK:   llvm.call @posenc_rt_select(%{{.*}}, %{{.*}}, %[[AT:.*]]) :
//       CHECK:   llvm.cond_br
//       CHECK:   %[[VARIANT:.*]] = llvm.load %[[AT]]
//       CHECK:   llvm.call @posenc_rt_check_inputs(
//       CHECK:   llvm.cond_br
//       CHECK:   llvm.getelementptr %{{.*}}[%[[VARIANT]], 0]
//       CHECK:   %[[SHAPES:.*]] = llvm.load
//       CHECK:   llvm.call %[[SHAPES]](
//       CHECK:   llvm.call @posenc_rt_status()
//       CHECK:   llvm.cond_br
//       CHECK:   llvm.call @posenc_rt_check_outputs(
//       CHECK:   llvm.cond_br
//       CHECK:   llvm.getelementptr %{{.*}}[%[[VARIANT]], 1]
//       CHECK:   %[[COMPUTE:.*]] = llvm.load
//       CHECK:   %[[CODE:.*]] = llvm.call @posenc_rt_run(%[[COMPUTE]],
//       CHECK:   llvm.return %[[CODE]]

// CHECK-LABEL: llvm.func @scale_rows_shapes(
//       CHECK:   llvm.call @posenc_rt_select(
//       CHECK:   llvm.call %{{.*}}(
//       CHECK:   llvm.call @posenc_rt_report_shapes(

// CHECK: llvm.mlir.global weak constant @posenc_library() {{.*}} !llvm.array<1 x struct<(i32, i32, ptr)>>
