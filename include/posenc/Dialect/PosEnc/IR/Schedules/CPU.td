//===- CPU.td - How the CPU back end works through attention -*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_SCHEDULES_CPU
#define POSENC_SCHEDULES_CPU

include "posenc/Dialect/PosEnc/IR/PosEncBase.td"
include "posenc/Dialect/PosEnc/IR/PosEncInterfaces.td"

def CPUPrefillAttr : PosEnc_Attr<"CPUPrefill", "cpu_prefill",
    [ScheduleAttrInterface]> {
  let summary = "many query rows on a CPU: lanes are query rows";
  let description = [{
    A unit of work is `query_block` rows of a head; keys come in blocks of
    `key_block`; a tile is `rows` keys (or value lanes) by `lanes` query rows in
    registers.

    Constraints: C1 all are positive.

    ```mlir
    #posenc.cpu_prefill<query_block = 64, key_block = 64, lanes = 64, rows = 6>
    ```
  }];
  let parameters = (ins "int64_t":$query_block, "int64_t":$key_block,
                        "int64_t":$lanes, "int64_t":$rows);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def CPUDecodeAttr : PosEnc_Attr<"CPUDecode", "cpu_decode",
    [ScheduleAttrInterface]> {
  let summary = "few query rows on a CPU: lanes are head lanes";
  let description = [{
    A unit of work is one of `split` ranges of the keys of a head, combined at
    the end, for `rows` query rows that share them; `key_block` keys are scored
    at a time, `lanes` lanes of a head in a vector: 16 where it is not given.

    Constraints: C1 all are positive.

    ```mlir
    #posenc.cpu_decode<key_block = 256, rows = 4, split = 4>
    #posenc.cpu_decode<key_block = 256, rows = 4, split = 4, lanes = 8>
    ```
  }];
  let parameters = (ins "int64_t":$key_block, "int64_t":$rows,
                        "int64_t":$split,
                        DefaultValuedParameter<"int64_t", "16">:$lanes);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // POSENC_SCHEDULES_CPU
