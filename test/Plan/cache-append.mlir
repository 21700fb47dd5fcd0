// RUN: posenc-compile %s --to=plan -o - | FileCheck %s

// Rows are copied into the donated cache; nothing else is, and nothing of its size is allocated.
// CHECK-LABEL: func.func @append
//   CHECK-NOT:   memref.alloc
//       CHECK:   scf.forall
//       CHECK:     memref.copy
//   CHECK-NOT:   memref.copy
//       CHECK:   return
func.func @append(%rows: tensor<?x2x?x16xf32> {posenc.symbols = ["B", "", "N", ""]},
                  %lengths: tensor<?xi64> {posenc.symbols = ["B"]},
                  %cache: tensor<?x2x?x16xf32> {posenc.symbols = ["B", "", "S", ""], posenc.donated = 0 : i64})
    -> tensor<?x2x?x16xf32> {
  %new = posenc.cache_append %rows at(%lengths : tensor<?xi64>) layout(<bhld>)
      outs(%cache : tensor<?x2x?x16xf32>) : tensor<?x2x?x16xf32>
  return %new : tensor<?x2x?x16xf32>
}
