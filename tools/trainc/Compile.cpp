// trainc compile: a model file in, a plan bundle out.
#include "Commands.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "trainc/Import.h"
#include <fmt/format.h>

using namespace trainc;

namespace {
struct CompileArguments {
  ImportOptions import;
  std::string output, stopAfter, dumpFolder, targetCpu = "x86-64-v3";
  int64_t threads = 1;
  bool isForced = false, printsStages = false;
};

void addSetting(ImportOptions &import, const std::string &text) {
  size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError(fmt::format("option '--set' expects KEY=VALUE, got '{}'", text));
  import.settings.push_back({text.substr(0, equals), text.substr(equals + 1)});
}

bool parsePrecision(const std::string &text) {
  if (text != "fp32" && text != "fp64")
    throw UsageError(fmt::format("option '--precision' expects fp32 or fp64, got '{}'", text));
  return text == "fp64";
}

CompileArguments parse(const std::vector<std::string> &arguments) {
  CompileArguments parsed;
  auto integer = [](int64_t &target, const char *name) {
    return [&target, name](const std::string &text) { target = parseInteger(name, text, 1); };
  };
  auto text = [](std::string &target) { return [&target](const std::string &value) { target = value; }; };
  CommandLine line(
      "trainc compile MODEL.cpp -o FOLDER [options]", "Compiles the model of a C++ file into a plan bundle.",
      {{"-o", "FOLDER", "the bundle to write", text(parsed.output)},
       {"--config", "FILE.json", "read configuration keys; may be repeated, later files win",
        [&](const std::string &path) { parsed.import.configPaths.push_back(path); }},
       {"--set", "KEY=VALUE", "set one configuration key; wins over --config", [&](const std::string &value) { addSetting(parsed.import, value); }},
       {"--global-batch", "N", "samples per step (16)", integer(parsed.import.globalBatch, "--global-batch")},
       {"--micro-batch", "N", "samples per micro-batch, a divisor of the global batch (8)", integer(parsed.import.microBatch, "--micro-batch")},
       {"--threads", "N", "threads the plan is made for (1)", integer(parsed.threads, "--threads")},
       {"--precision", "fp32|fp64", "element type of parameters (fp32)", [&](const std::string &value) { parsed.import.isDoublePrecision = parsePrecision(value); }},
       {"--target-cpu", "NAME", "CPU that kernels are compiled for (x86-64-v3)", text(parsed.targetCpu)},
       {"--force", "", "overwrite the bundle if it exists", [&](const std::string &) { parsed.isForced = true; }},
       {"--dump-ir", "FOLDER", "write the IR after each stage", text(parsed.dumpFolder)},
       {"--stop-after", "STAGE", "print the IR after that stage and write no bundle", text(parsed.stopAfter)},
       {"--print-stages", "", "list the stages", [&](const std::string &) { parsed.printsStages = true; }}});
  std::vector<std::string> paths = line.parse(arguments);
  if (parsed.printsStages)
    return parsed;
  if (paths.size() != 1)
    throw UsageError(fmt::format("compile expects one model file, got {}", paths.size()));
  parsed.import.modelPath = paths[0];
  if (parsed.import.globalBatch % parsed.import.microBatch != 0)
    throw UsageError(fmt::format("the global batch ({}) is not a multiple of the micro-batch ({})", parsed.import.globalBatch,
                                 parsed.import.microBatch));
  if (parsed.output.empty() && parsed.stopAfter.empty())
    throw UsageError("compile expects -o FOLDER");
  return parsed;
}
} // namespace

void trainc::runCompile(const std::vector<std::string> &arguments) {
  CompileArguments parsed = parse(arguments);
  mlir::DialectRegistry registry;
  train::registerTrainDialect(registry);
  registry.insert<mlir::func::FuncDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module = importModel(context, parsed.import);
  module->print(llvm::outs());
}
