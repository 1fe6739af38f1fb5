//===- CpuCodegen.cpp - kernels to a shared library -----------------------===//
//
// emitKernelLibrary: lower a copy of the kernels, compile, link.
//
//===----------------------------------------------------------------------===//
#include "trainc/CodeGen/CpuCodegen.h"
#include "CodegenStages.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

using namespace mlir;
using namespace trainc;

void trainc::registerCodegenDialects(DialectRegistry &registry) {
  registry.insert<kernel::KernelDialect, arith::ArithDialect, math::MathDialect, func::FuncDialect, scf::SCFDialect,
                  memref::MemRefDialect, cf::ControlFlowDialect, LLVM::LLVMDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

/// A module that holds copies of the kernels only.
static OwningOpRef<ModuleOp> copyKernels(ModuleOp source) {
  OwningOpRef<ModuleOp> copy = ModuleOp::create(source.getLoc());
  OpBuilder builder = OpBuilder::atBlockBegin(copy->getBody());
  for (auto kernel : source.getOps<kernel::FuncOp>())
    builder.clone(*kernel);
  return copy;
}

LogicalResult trainc::emitKernelLibrary(ModuleOp kernels, const CpuTarget &target, StringRef path) {
  OwningOpRef<ModuleOp> module = copyKernels(kernels);
  PassManager manager(kernels.getContext());
  buildLowerToLlvm(manager);
  SmallVector<char, 0> object;
  if (failed(manager.run(*module)) || failed(emitObject(*module, target, object)))
    return failure();
  return linkLibrary(kernels.getLoc(), object, path);
}
