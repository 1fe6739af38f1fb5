//===- LowerToLlvm.cpp - kernels to the LLVM dialect ----------------------===//
//
// The order of the conversions. Upstream's are included one by one: the umbrella header costs half a minute of parsing.
//
//===----------------------------------------------------------------------===//
#include "CodegenStages.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "trainc/CodeGen/Passes.h"

using namespace mlir;
using namespace trainc;

namespace trainc {
#define GEN_PASS_REGISTRATION
#include "trainc/CodeGen/Passes.h.inc"
} // namespace trainc

void trainc::registerCodegenPasses() { registerTraincCodegenPasses(); }

void trainc::buildLowerToLlvm(OpPassManager &manager) {
  manager.addPass(createConvertKernelToLoopsPass());
  manager.addNestedPass<func::FuncOp>(createExpandMathPass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(createConvertMathToLLVMPass());
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createFinalizeMemRefToLLVMConversionPass());
  ConvertFuncToLLVMPassOptions options;
  options.useBarePtrCallConv = true;
  manager.addPass(createConvertFuncToLLVMPass(options));
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
}
