// trainc-check: for each function of a file of `train` IR on f64 tensors, compares gradients with finite differences
// (--gradients) and executes the sharding rule of each op (--sharding).
#include "Runner.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "trainc/Pipelines/Pipelines.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  std::string path;
  bool gradients = false, sharding = false, values = false;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    gradients |= argument == "--gradients";
    sharding |= argument == "--sharding";
    values |= argument == "--values";
    if (argument[0] != '-')
      path = argument;
  }
  if (path.empty() || !(gradients || sharding || values)) {
    llvm::errs() << "usage: trainc-check FILE.mlir [--gradients] [--sharding] [--values]\n";
    return 1;
  }
  mlir::DialectRegistry registry;
  trainc::registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();                // the check.* attributes
  context.loadDialect<trainc::train::TrainDialect>(); // the checks build its ops
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(path, &context);
  if (!module)
    return 1;
  int failures = 0, functions = 0;
  for (auto function : module->getOps<mlir::func::FuncOp>()) {
    ++functions;
    if (gradients)
      failures += trainc::check::checkGradients(function);
    if (values)
      failures += trainc::check::printValues(function);
    if (sharding)
      failures += trainc::check::checkSharding(function);
  }
  llvm::outs() << functions << " functions, " << failures << " failures\n";
  return failures == 0 && functions > 0 ? 0 : 1;
}
