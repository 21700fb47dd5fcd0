// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @plain
//       CHECK:   posenc.block_sparse blocks(%{{.*}} : tensor<1x2x2x3xi1>) {key_block = 64 : i64, query_block = 128 : i64} : tensor<1x2x256x129xi1>
func.func @plain(%blocks: tensor<1x2x2x3xi1>) -> tensor<1x2x256x129xi1> {
  %mask = posenc.block_sparse blocks(%blocks : tensor<1x2x2x3xi1>)
      {query_block = 128 : i64, key_block = 64 : i64} : tensor<1x2x256x129xi1>
  return %mask : tensor<1x2x256x129xi1>
}

// CHECK-LABEL: func @everything
//       CHECK:   posenc.block_sparse blocks(%{{.*}} : tensor<?x?x?x?xi1>) sizes(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) offset(%{{.*}}) {key_block = 64 : i64, query_block = 64 : i64} : tensor<?x?x?x?xi1>
func.func @everything(%blocks: tensor<?x?x?x?xi1>, %b: index, %h: index, %lq: index, %lk: index,
                      %offset: index) -> tensor<?x?x?x?xi1> {
  %mask = posenc.block_sparse blocks(%blocks : tensor<?x?x?x?xi1>) sizes(%b, %h, %lq, %lk)
      offset(%offset) {query_block = 64 : i64, key_block = 64 : i64} : tensor<?x?x?x?xi1>
  return %mask : tensor<?x?x?x?xi1>
}
