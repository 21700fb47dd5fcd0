// One region with a gather, a table by distance and a document mask through the
// four domains: none disagrees with the region itself at any of 16 x 24 elements.

// RUN: posenc-opt %s --test-posenc-domains -o %t.mlir 2> %t.remarks
// RUN: FileCheck %s --check-prefix=DEPENDENCE --input-file=%t.remarks
// RUN: posenc-opt %t.mlir --convert-scf-to-cf --expand-strided-metadata --lower-affine \
// RUN:     --convert-vector-to-llvm --finalize-memref-to-llvm --convert-to-llvm --reconcile-unrealized-casts | \
// RUN:   mlir-runner -e main --entry-point-result=void -shared-libs=%llvm_lib_dir/libmlir_c_runner_utils.so | \
// RUN: FileCheck %s

// DEPENDENCE: score depends on h i j-i x
// DEPENDENCE: mask depends on b i j

// CHECK: score lanes 0
// CHECK: score number 0
// CHECK: score interval 0
// CHECK: mask lanes 0
// CHECK: mask number 0
// CHECK: mask interval 0

memref.global "private" constant @slots : memref<24xi32> = dense<[
  3, 1, 4, 1, 5, 0, 2, 6, 5, 3, 5, 7, 2, 6, 4, 3, 3, 7, 1, 0, 2, 2, 6, 5]>
memref.global "private" constant @weights : memref<8xf32> = dense<[
  0.5, -1.25, 2.0, 0.75, -3.5, 1.0, 0.125, 4.0]>
memref.global "private" constant @distances : memref<1x39xf32> = dense<[[
  0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 2.75, 3.0, 3.25, 3.5, 3.75, 4.0, 4.25, 4.5, 4.75,
  5.0, 5.25, 5.5, 5.75, 6.0, 6.25, 6.5, 6.75, 7.0, 7.25, 7.5, 7.75, 8.0, 8.25, 8.5, 8.75, 9.0, 9.25, 9.5]]>
memref.global "private" constant @documents : memref<1x24xi32> = dense<[[
  0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3]]>

func.func @main() {
  %slots = memref.get_global @slots : memref<24xi32>
  %weights = memref.get_global @weights : memref<8xf32>
  %distances = memref.get_global @distances : memref<1x39xf32>
  %documents = memref.get_global @documents : memref<1x24xi32>
  %c23 = arith.constant 23 : index
  %scale = arith.constant 1.0 : f32
  %q = memref.alloc() : memref<1x1x16x8xf32>
  %k = memref.alloc() : memref<1x1x24x8xf32>
  posenc.attention query(%q : memref<1x1x16x8xf32>) key(%k : memref<1x1x24x8xf32>)
      value(%k : memref<1x1x24x8xf32>) scale(%scale) outs(%q : memref<1x1x16x8xf32>)
      score(%x, %b, %h, %i, %j) {
        // A gather: which weight follows from a table at the row.
        %slot = memref.load %slots[%i] : memref<24xi32>
        %at = arith.index_cast %slot : i32 to index
        %weight = memref.load %weights[%at] : memref<8xf32>
        // A table by distance, stored by i - j.
        %distance = arith.subi %i, %j : index
        %shifted = arith.addi %distance, %c23 : index
        %bias = memref.load %distances[%h, %shifted] : memref<1x39xf32>
        %scaled = arith.mulf %x, %weight : f32
        %y = arith.addf %scaled, %bias : f32
        posenc.yield %y : f32
      }
      mask(%b, %h, %i, %j) {
        %mine = memref.load %documents[%b, %i] : memref<1x24xi32>
        %theirs = memref.load %documents[%b, %j] : memref<1x24xi32>
        %same = arith.cmpi eq, %mine, %theirs : i32
        %before = arith.cmpi sle, %j, %i : index
        %visible = arith.andi %same, %before : i1
        posenc.yield %visible : i1
      }
  return
}
