//===- Pipelines.h - from a recorded model to a bundle ----------*- C++ -*-===//
#ifndef TRAINC_PIPELINES_PIPELINES_H
#define TRAINC_PIPELINES_PIPELINES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include <string>
#include <vector>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace trainc {

/// What a plan is compiled for, and how far.
struct CompileOptions {
  int64_t threads = 1;
  std::string targetCpu = "x86-64-v3";
  /// Name of the last stage to run; empty for all. Must be in the stage table.
  std::string stopAfter;
  /// Folder for numbered dumps of the IR after each stage; empty for none. Must exist.
  std::string dumpDirectory;
};

/// One stage of `trainc compile`.
struct Stage {
  const char *name;
  const char *summary;
  /// Adds the stage's passes; null for stages that are not passes (import, emit).
  void (*build)(mlir::OpPassManager &, const CompileOptions &);
};

/// Every stage, in order.
const std::vector<Stage> &stages();

/// Registers every dialect and interface that compilation needs.
void registerAllDialects(mlir::DialectRegistry &registry);
/// Registers every pass, for trainc-opt.
void registerAllPasses();

/// Runs the stages after `import` on a recorded model, up to `options.stopAfter`, and writes the bundle into the
/// existing empty folder `bundleDirectory` when it reaches `emit`. Errors are emitted as diagnostics.
mlir::LogicalResult compile(mlir::ModuleOp module, const CompileOptions &options, llvm::StringRef bundleDirectory);

/// Writes a placed module as a bundle (docs/Bundle.md).
mlir::LogicalResult emitBundle(mlir::ModuleOp module, const CompileOptions &options, llvm::StringRef directory);

/// Counts of a placed module for the report of `trainc compile`: kernels, launches, library calls, arena bytes.
std::string planSummary(mlir::ModuleOp module);

} // namespace trainc

#endif
