//===- Pipelines.cpp - the stages of `trainc compile` ---------------------===//
//
// The one place that states the order.
//
//===----------------------------------------------------------------------===//
#include "trainc/Pipelines/Pipelines.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Plan/Plan.h"
#include "dialects/Train/Train.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "trainc/CodeGen/CpuCodegen.h"
#include "trainc/CodeGen/Passes.h"
#include "trainc/Transforms/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace trainc;

/// Gradients must be taken of the ops the user wrote, so this comes before anything is decomposed.
static void buildDifferentiate(OpPassManager &pm, const CompileOptions &) { pm.addPass(createDifferentiatePass()); }

/// Common subexpressions are removed only after decomposition, where the forward and the backward pass share row
/// statistics and random numbers. Accumulators are folded last: an addition must not be the common one.
static void buildDecompose(OpPassManager &pm, const CompileOptions &) {
  pm.addNestedPass<func::FuncOp>(createDecomposePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createFoldAccumulationPass());
}

static void buildFuse(OpPassManager &pm, const CompileOptions &) { pm.addPass(createFuseKernelsPass()); }

static void buildPlace(OpPassManager &pm, const CompileOptions &options) {
  PlacePassOptions place;
  place.threads = options.threads;
  pm.addPass(createPlacePass(place));
}

const std::vector<Stage> &trainc::stages() {
  static const std::vector<Stage> table = {
      {"import", "the model's recording as `train` IR with scopes and source lines", nullptr},
      {"differentiate", "backward pass, accumulation, clipping and optimizer: @init, @count, @micro_batch, @update",
       buildDifferentiate},
      {"decompose", "composite ops become arithmetic, broadcasts, reductions; no duplicate subexpressions",
       buildDecompose},
      {"fuse", "everything but library calls becomes kernels", buildFuse},
      {"place", "calls, in-place results, and an arena offset for every value", buildPlace},
      {"emit", "object code and the bundle", nullptr},
  };
  return table;
}

void trainc::registerAllDialects(DialectRegistry &registry) {
  registry.insert<func::FuncDialect, kernel::KernelDialect, plan::PlanDialect>();
  train::registerTrainDialect(registry);
  registerCodegenDialects(registry);
}

void trainc::registerAllPasses() {
  registerTraincPasses();
  registerCodegenPasses();
  registerCanonicalizerPass();
  registerCSEPass();
}

/// Prints the module with locations to `directory`/NN-stage.mlir.
static LogicalResult dump(ModuleOp module, StringRef directory, size_t number, StringRef stage) {
  SmallString<128> path(directory);
  std::string name;
  llvm::raw_string_ostream(name) << llvm::format("%02zu-", number) << stage << ".mlir";
  llvm::sys::path::append(path, name);
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (!error) {
    module.print(stream, OpPrintingFlags().enableDebugInfo(true, /*prettyForm=*/false).useLocalScope());
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  return error ? module.emitError() << "cannot write " << path << ": " << error.message() : success();
}

LogicalResult trainc::compile(ModuleOp module, const CompileOptions &options, StringRef bundleDirectory) {
  SmallString<128> irDirectory(bundleDirectory);
  llvm::sys::path::append(irDirectory, "ir");
  if (std::error_code error = llvm::sys::fs::create_directories(irDirectory))
    return module.emitError() << "cannot create " << irDirectory << ": " << error.message();
  for (auto [i, stage] : llvm::enumerate(stages())) {
    if (stage.build) {
      PassManager pm(module.getContext());
      stage.build(pm, options);
      if (failed(pm.run(module)))
        return failure();
    }
    bool isEmit = StringRef(stage.name) == "emit";
    if (!isEmit && failed(dump(module, irDirectory, i + 1, stage.name)))
      return failure();
    if (!isEmit && !options.dumpDirectory.empty() && failed(dump(module, options.dumpDirectory, i + 1, stage.name)))
      return failure();
    if (stage.name == options.stopAfter)
      return success();
  }
  return emitBundle(module, options, bundleDirectory);
}
