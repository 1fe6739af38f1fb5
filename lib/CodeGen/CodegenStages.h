//===- CodegenStages.h - the steps of emitKernelLibrary ---------*- C++ -*-===//
#ifndef TRAINC_LIB_CODEGEN_CODEGENSTAGES_H
#define TRAINC_LIB_CODEGEN_CODEGENSTAGES_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace mlir {
class OpPassManager;
}

namespace trainc {
struct CpuTarget;

/// Kernels to functions of the LLVM dialect with bare pointers.
void buildLowerToLlvm(mlir::OpPassManager &manager);

/// Functions of the LLVM dialect to one relocatable ELF object; each function gets its entry symbol. Emits a diagnostic
/// on an error.
mlir::LogicalResult emitObject(mlir::ModuleOp module, const CpuTarget &target, llvm::SmallVectorImpl<char> &object);

/// Links the object into a shared library without dependencies at `path`.
mlir::LogicalResult linkLibrary(mlir::Location loc, llvm::ArrayRef<char> object, llvm::StringRef path);

} // namespace trainc

#endif
