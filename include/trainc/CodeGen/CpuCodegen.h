//===- CpuCodegen.h - kernels to a shared library ---------------*- C++ -*-===//
//
// The last step of the compiler for the CPU: `kernel.func`s become one shared library that depends on nothing, with
// one entry symbol each (docs/Bundle.md, "Kernel ABI").
//
//===----------------------------------------------------------------------===//
#ifndef TRAINC_CODEGEN_CPUCODEGEN_H
#define TRAINC_CODEGEN_CPUCODEGEN_H

#include "mlir/IR/BuiltinOps.h"
#include "trainc/CodeGen/KernelSchedule.h"
#include <string>
#include <vector>

namespace trainc {

/// The processor that kernels are compiled for; part of the plan's hashed inputs.
struct CpuTarget {
  /// A name LLVM knows: `x86-64-v3`, `znver3`, ... It must have FMA, which the polynomials need.
  std::string cpu = "x86-64-v3";
  /// The optional features that code for `cpu` may use and that the runtime must find, sorted: `avx2`, `bmi2`, `f16c`,
  /// `fma`, ...
  std::vector<std::string> features() const;
};

/// Compiles every `kernel.func` of `kernels` (which stays as it is) and writes the shared library to `path`, which is
/// replaced as a whole or, on an error, left alone. The same kernels and target give the same bytes in whatever folder.
/// Errors (unknown CPU, an op without lowering, a full disk) are emitted as diagnostics. Needs the dialects of
/// registerCodegenDialects in the context.
mlir::LogicalResult emitKernelLibrary(mlir::ModuleOp kernels, const CpuTarget &target, llvm::StringRef path);

/// The kernel dialect, the dialects it lowers through and their translation to LLVM IR.
void registerCodegenDialects(mlir::DialectRegistry &registry);

} // namespace trainc

#endif
