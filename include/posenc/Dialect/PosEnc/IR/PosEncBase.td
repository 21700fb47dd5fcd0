//===- PosEncBase.td - The dialect and the base of its ops -*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_DIALECT_BASE
#define POSENC_DIALECT_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def PosEnc_Dialect : Dialect {
  let name = "posenc";
  let cppNamespace = "::mlir::posenc";
  let summary = "positional encodings and attention";
  let description = [{
    Attention, and every positional encoding it is used with, as ops.

    An encoding is an op until the compiler has fused it into
    `posenc.attention`. Each is written once, as the scalar formula of one
    element behind an interface (`FormulaOpInterface`, `RotaryOpInterface`),
    which decomposition, fusion, tiling, vectorising and raising all read.

    Notation used throughout: `B` batch, `Hq` query heads, `Hkv` key/value
    heads, `Lq` query rows, `Lk` key rows, `D` head size of queries and keys,
    `Dv` head size of values; `b, h, i, j` index batch, query head, query row
    and key row.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
  let extraClassDeclaration = [{
    void registerAttributes();

    /// The targets that Plan may choose schedules for. A target adds itself by
    /// a dialect extension.
    void addTarget(std::unique_ptr<TargetModel> target);
    ArrayRef<std::unique_ptr<TargetModel>> getTargets() const {
      return targets;
    }

  private:
    SmallVector<std::unique_ptr<TargetModel>> targets;

  public:
  }];
}

class PosEnc_Op<string mnemonic, list<Trait> traits = []>
    : Op<PosEnc_Dialect, mnemonic, traits>;

class PosEnc_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<PosEnc_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

// An enumeration whose attribute prints as its bare keyword in angle brackets.
class PosEnc_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::posenc";
  let genSpecializedAttr = 0;
}
class PosEnc_EnumAttr<EnumAttrInfo info, string mnemonic>
    : EnumAttr<PosEnc_Dialect, info, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

// Storage types of queries, keys and values; arithmetic is f32 whatever the storage.
def PosEnc_Storage : AnyTypeOf<[F32, F16, BF16]>;
// Positions are integers, or f32 where a coordinate is real; never the model's float type.
def PosEnc_Position : AnyTypeOf<[I32, I64, Index, F32], "i32, i64, index or f32">;

#endif // POSENC_DIALECT_BASE
