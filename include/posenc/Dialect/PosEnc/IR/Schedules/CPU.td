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

def PosEnc_CPUKernel : PosEnc_Enum<"CPUKernel", "kernel of the CPU back end", [
    I32EnumAttrCase<"Prefill", 0, "prefill">,
    I32EnumAttrCase<"Decode", 1, "decode">]>;

def CPUScheduleAttr : PosEnc_Attr<"CPUSchedule", "cpu",
    [ScheduleAttrInterface]> {
  let summary = "how the CPU back end works through one attention";
  let description = [{
    `prefill`: lanes are query rows. A unit is `query_block` rows; keys come in
    blocks of `key_block`; a tile is `rows` keys (or value lanes) by `lanes`
    query rows in registers. `decode`: lanes are head lanes; a unit is `split`
    ranges of the keys of one head, combined at the end; `key_block` keys are
    scored at a time.

    Constraints: C1 all are positive.

    ```mlir
    #posenc.cpu<prefill, query_block = 64, key_block = 64, lanes = 64, rows = 6, split = 1>
    #posenc.cpu<decode, query_block = 1, key_block = 256, lanes = 16, rows = 4, split = 4>
    ```
  }];
  let parameters = (ins EnumParameter<PosEnc_CPUKernel>:$kernel,
                        "int64_t":$query_block, "int64_t":$key_block,
                        "int64_t":$lanes, "int64_t":$rows, "int64_t":$split);
  let assemblyFormat = [{
    `<` $kernel `,` `query_block` `=` $query_block `,` `key_block` `=` $key_block
    `,` `lanes` `=` $lanes `,` `rows` `=` $rows `,` `split` `=` $split `>`
  }];
  let genVerifyDecl = 1;
}

#endif // POSENC_SCHEDULES_CPU
