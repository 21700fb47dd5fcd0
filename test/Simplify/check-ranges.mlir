// RUN: posenc-opt %s --posenc-check-ranges | FileCheck %s

// CHECK-LABEL: func @sizes_decide
//  CHECK-SAME:   %{{.*}}: tensor<512x8xf32>, %[[L:.*]]: index, %[[OFFSET:.*]]: index
//       CHECK:   %[[FIRST:.*]] = arith.addi %[[OFFSET]], %{{.*}} : index
//       CHECK:   %[[STARTS:.*]] = arith.cmpi sge, %[[FIRST]], %{{.*}} : index
//       CHECK:   %[[END:.*]] = arith.addi %[[FIRST]], %[[L]] : index
//       CHECK:   %[[ENDS:.*]] = arith.cmpi sle, %[[END]], %{{.*}} : index
//       CHECK:   cf.assert %[[STARTS]], "the rows of a learned encoding start before the first row of their table; shorten the sequence, lengthen the table, or ask for 'out_of_range(<clamp>)'"
//       CHECK:   cf.assert %[[ENDS]], "the rows of a learned encoding end after the last row of their table; shorten the sequence, lengthen the table, or ask for 'out_of_range(<clamp>)'"
//       CHECK:   posenc.learned
func.func @sizes_decide(%table: tensor<512x8xf32>, %l: index, %offset: index) -> tensor<?x8xf32> {
  %pe = posenc.learned %table sizes(%l) offset(%offset) out_of_range(<error>) {row_offset = 2}
      : tensor<512x8xf32> -> tensor<?x8xf32>
  return %pe : tensor<?x8xf32>
}

// Without an offset the first row is known to exist.
// CHECK-LABEL: func @rotary_cache
//       CHECK:   %[[ENDS:.*]] = arith.cmpi sle, %{{.*}}, %{{.*}} : index
//   CHECK-NOT:   start before
//       CHECK:   cf.assert %[[ENDS]], "the positions of a rotary encoding end after the last row of their table; shorten the sequence, or lengthen its cos and sin caches"
func.func @rotary_cache(%x: tensor<1x8x?x8xf32>, %cos: tensor<?x4xf32>, %sin: tensor<?x4xf32>) -> tensor<1x8x?x8xf32> {
  %y = posenc.rotary %x cos(%cos : tensor<?x4xf32>) sin(%sin : tensor<?x4xf32>)
      lanes(<half, first = 0, count = 8>) : tensor<1x8x?x8xf32>
  return %y : tensor<1x8x?x8xf32>
}

// CHECK-LABEL: func @nothing_to_decide
//   CHECK-NOT:   cf.assert
//       CHECK:   return
func.func @nothing_to_decide(%table: tensor<512x8xf32>, %m: tensor<512xi64>, %l: index,
                             %x: tensor<1x8x3x8xf32>, %cos: tensor<3x4xf32>, %direct: tensor<1x3x4xf32>) {
  %within = posenc.learned %table out_of_range(<error>) : tensor<512x8xf32> -> tensor<512x8xf32>
  %clamped = posenc.learned %table sizes(%l) out_of_range(<clamp>) : tensor<512x8xf32> -> tensor<?x8xf32>
  %data = posenc.learned %table positions(%m : tensor<512xi64>) out_of_range(<error>)
      : tensor<512x8xf32> -> tensor<512x8xf32>
  %a = posenc.rotary %x cos(%cos : tensor<3x4xf32>) sin(%cos : tensor<3x4xf32>)
      lanes(<half, first = 0, count = 8>) : tensor<1x8x3x8xf32>
  %b = posenc.rotary %x cos(%direct : tensor<1x3x4xf32>) sin(%direct : tensor<1x3x4xf32>)
      lanes(<half, first = 0, count = 8>) : tensor<1x8x3x8xf32>
  %c = posenc.rotary %x lanes(<half, first = 0, count = 8>)
      frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x3x8xf32>
  return
}

// Positions are data; but where there is an element there must be a row to read.
// CHECK-LABEL: func @row_exists
//  CHECK-SAME:   %[[X:.*]]: tensor<1x8x?x8xf32>, %[[CACHE:.*]]: tensor<?x4xf32>, %{{.*}}: tensor<1x?xi64>,
//  CHECK-SAME:   %[[TABLE:.*]]: tensor<?x8xf32>
//       CHECK:   %[[L:.*]] = tensor.dim %[[X]], %{{.*}} : tensor<1x8x?x8xf32>
//       CHECK:   %[[ROWS:.*]] = tensor.dim %[[CACHE]]
//       CHECK:   %[[NEEDED:.*]] = arith.minsi %[[L]], %{{.*}} : index
//       CHECK:   %[[EXISTS:.*]] = arith.cmpi sle, %[[NEEDED]], %[[ROWS]] : index
//       CHECK:   cf.assert %[[EXISTS]], "the cos and sin cache of a rotary encoding has no row to read; give it at least one"
//       CHECK:   posenc.rotary
//       CHECK:   tensor.dim %[[TABLE]]
//       CHECK:   cf.assert %{{.*}}, "the table of a learned encoding has no row to read; give it at least one"
//       CHECK:   posenc.learned
func.func @row_exists(%x: tensor<1x8x?x8xf32>, %c: tensor<?x4xf32>, %p: tensor<1x?xi64>, %table: tensor<?x8xf32>)
    -> (tensor<1x8x?x8xf32>, tensor<3x8xf32>) {
  %y = posenc.rotary %x positions(%p : tensor<1x?xi64>) cos(%c : tensor<?x4xf32>) sin(%c : tensor<?x4xf32>)
      lanes(<half, first = 0, count = 8>) : tensor<1x8x?x8xf32>
  %pe = posenc.learned %table out_of_range(<clamp>) : tensor<?x8xf32> -> tensor<3x8xf32>
  return %y, %pe : tensor<1x8x?x8xf32>, tensor<3x8xf32>
}

// A map has a block for every row and key, a row of a tree a bit for every row.
// CHECK-LABEL: func @blocks_and_bits
//       CHECK:   cf.assert %{{.*}}, "the map of visible blocks ends before the last row; give it a block for each 128 of them"
//       CHECK:   cf.assert %{{.*}}, "the map of visible blocks ends before the last key; give it a block for each 64 of them"
//       CHECK:   posenc.block_sparse
//       CHECK:   cf.assert %{{.*}}, "the ancestors in a tree of tokens end before the last token; give each row one for each row"
//       CHECK:   posenc.tree
//       CHECK:   cf.assert %{{.*}}, "the list of document boundaries has no row to read; give it at least one"
//       CHECK:   posenc.document_ids
func.func @blocks_and_bits(%map: tensor<1x1x?x?xi1>, %bits: tensor<1x?x?xi32>, %cached: tensor<1xi32>,
                           %bounds: tensor<?xi32>, %lq: index, %lk: index)
    -> (tensor<1x1x?x?xi1>, tensor<1x1x?x?xi1>, tensor<1x?xi32>) {
  %blocks = posenc.block_sparse blocks(%map : tensor<1x1x?x?xi1>) sizes(%lq, %lk)
      {query_block = 128 : i64, key_block = 64 : i64} : tensor<1x1x?x?xi1>
  %tree = posenc.tree ancestors(%bits : tensor<1x?x?xi32>) cached(%cached : tensor<1xi32>)
      sizes(%lq, %lk) : tensor<1x1x?x?xi1>
  %ids = posenc.document_ids %bounds sizes(%lk) number(<id>) : tensor<?xi32> -> tensor<1x?xi32>
  return %blocks, %tree, %ids : tensor<1x1x?x?xi1>, tensor<1x1x?x?xi1>, tensor<1x?xi32>
}

// Known to be there, nothing is asked at run time.
// CHECK-LABEL: func @blocks_are_there
//   CHECK-NOT:   cf.assert
//       CHECK:   return
func.func @blocks_are_there(%map: tensor<1x1x2x5xi1>) -> tensor<1x1x256x320xi1> {
  %blocks = posenc.block_sparse blocks(%map : tensor<1x1x2x5xi1>)
      {query_block = 128 : i64, key_block = 64 : i64} : tensor<1x1x256x320xi1>
  return %blocks : tensor<1x1x256x320xi1>
}

// CHECK-LABEL: func @no_row_is_needed
//   CHECK-NOT:   cf.assert
//       CHECK:   return
func.func @no_row_is_needed(%x: tensor<0x8x?x8xf32>, %cos: tensor<0x4xf32>, %p: tensor<1x?xi64>) -> tensor<0x8x?x8xf32> {
  %y = posenc.rotary %x positions(%p : tensor<1x?xi64>) cos(%cos : tensor<0x4xf32>) sin(%cos : tensor<0x4xf32>)
      lanes(<half, first = 0, count = 8>) : tensor<0x8x?x8xf32>
  return %y : tensor<0x8x?x8xf32>
}

// A table of no row is told from one with a row when running.
// CHECK-LABEL: func @relative_bias
//       CHECK:   cf.assert %{{.*}}, "the table of a relative bias has no row to read; give it at least one"
func.func @relative_bias(%table: tensor<?x8xf32>, %origin: index) -> tensor<1x8x3x5xf32> {
  %bias = posenc.relative_bias %table origin(%origin) sign(<key_minus_query>) outside(<clip>)
      : tensor<?x8xf32> -> tensor<1x8x3x5xf32>
  return %bias : tensor<1x8x3x5xf32>
}

// Lengths are data; but what is written past the end would be another row's.
// CHECK-LABEL: func @cache_append
//  CHECK-SAME:   %{{.*}}: tensor<?x2x?x8xf32>, %[[LENGTHS:.*]]: tensor<?xi32>
//       CHECK:   %[[FITS:.*]]:2 = scf.for
//       CHECK:     tensor.extract %[[LENGTHS]]
//       CHECK:   cf.assert %{{.*}}, "the lengths of sequences and their cache differ in dimension 0; give both the same extent"
//       CHECK:   cf.assert %{{.*}}, "appended rows and their cache differ in dimension 0; give both the same extent"
//   CHECK-NOT:   differ in dimension
//       CHECK:   cf.assert %[[FITS]]#0, "a length of a cache is negative; give the number of tokens that it holds"
//       CHECK:   cf.assert %[[FITS]]#1, "appended rows end after the last row of their cache; append fewer, or lengthen the cache"
//       CHECK:   posenc.cache_append
func.func @cache_append(%rows: tensor<?x2x?x8xf32>, %lengths: tensor<?xi32>, %cache: tensor<?x2x?x8xf32>) -> tensor<?x2x?x8xf32> {
  %new = posenc.cache_append %rows at(%lengths : tensor<?xi32>) layout(<bhld>)
      outs(%cache : tensor<?x2x?x8xf32>) : tensor<?x2x?x8xf32>
  return %new : tensor<?x2x?x8xf32>
}

// CHECK-LABEL: func @token_positions
//       CHECK:   cf.assert %{{.*}}, "more tokens are to be numbered than their mask has; number no more than there are"
func.func @token_positions(%mask: tensor<2x?xi1>, %length: index) -> tensor<2x?xi64> {
  %m = posenc.token_positions %mask length(%length) {first = 0 : i64, padding = -1 : i64}
      : tensor<2x?xi1> -> tensor<2x?xi64>
  return %m : tensor<2x?xi64>
}
