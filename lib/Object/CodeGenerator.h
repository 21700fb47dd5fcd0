//===- CodeGenerator.h - Machine code of LLVM modules -----------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_OBJECT_CODEGENERATOR_H
#define POSENC_LIB_OBJECT_CODEGENERATOR_H

#include "posenc/Object/Target.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"

namespace mlir::posenc {

/// Optimises the modules of one LLVM context and emits their code.
class CodeGenerator {
public:
  static llvm::Expected<std::unique_ptr<CodeGenerator>>
  create(const CodegenTarget &target);

  llvm::LLVMContext &getContext() { return context; }
  const llvm::TargetMachine &getMachine() const { return *machine; }

  /// Runs LLVM's passes `pipeline`, spelled as `opt -passes` takes them.
  llvm::Error runPasses(llvm::Module &module, llvm::StringRef pipeline);
  /// What kernels need of LLVM's passes.
  llvm::Error optimize(llvm::Module &module);
  llvm::Expected<std::string> emit(llvm::Module &module,
                                   llvm::CodeGenFileType type);
  /// An error that says `what` failed and what LLVM reported of it.
  llvm::Error collected(const llvm::Twine &what);

private:
  CodeGenerator();

  std::string errors;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
};

/// Optimises `module`, of the context of `generator`, and compiles it to
/// objects, side by side on the machine's cores. They depend on the module
/// alone. What was local to it is hidden in them. Consumes the module.
llvm::Expected<llvm::SmallVector<std::string>>
compileObjects(std::unique_ptr<llvm::Module> module, CodeGenerator &generator,
               const CodegenTarget &target);

} // namespace mlir::posenc

#endif // POSENC_LIB_OBJECT_CODEGENERATOR_H
