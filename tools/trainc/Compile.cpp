// trainc compile: a model file in, a plan bundle out.
//
// The bundle is written into a folder beside its final place and renamed when it is whole, so a failure leaves nothing.
#include "Commands.h"
#include "OutputFolder.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "trainc/Import.h"
#include "trainc/Pipelines/Pipelines.h"
#include <filesystem>
#include <fmt/format.h>

using namespace trainc;

namespace {
struct CompileArguments {
  ImportOptions import;
  CompileOptions compile;
  std::string output;
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

/// The options, writing to `parsed`, which has to outlive them.
CommandLine commandLine(CompileArguments &parsed) {
  auto integer = [](int64_t &target, const char *name) {
    return [&target, name](const std::string &text) { target = parseInteger(name, text, 1); };
  };
  auto text = [](std::string &target) { return [&target](const std::string &value) { target = value; }; };
  return CommandLine(
      "trainc compile MODEL.cpp -o FOLDER [options]", "Compiles the model of a C++ file into a plan bundle.",
      {{"-o", "FOLDER", "the bundle to write", text(parsed.output)},
       {"--config", "FILE.json", "read configuration keys; may be repeated, later files win",
        [&parsed](const std::string &path) { parsed.import.configPaths.push_back(path); }},
       {"--set", "KEY=VALUE", "set one configuration key; wins over --config",
        [&parsed](const std::string &value) { addSetting(parsed.import, value); }},
       {"--global-batch", "N", "samples per step (16)", integer(parsed.import.globalBatch, "--global-batch")},
       {"--micro-batch", "N", "samples per micro-batch, a divisor of the global batch (8)",
        integer(parsed.import.microBatch, "--micro-batch")},
       {"--threads", "N", "threads the plan is made for (1)", integer(parsed.compile.threads, "--threads")},
       {"--precision", "fp32|fp64", "element type of parameters (fp32)",
        [&parsed](const std::string &value) { parsed.import.isDoublePrecision = parsePrecision(value); }},
       {"--target-cpu", "NAME", "CPU that kernels are compiled for (x86-64-v3)", text(parsed.compile.targetCpu)},
       {"--force", "", "overwrite the bundle if it exists", [&parsed](const std::string &) { parsed.isForced = true; }},
       {"--dump-ir", "FOLDER", "write the IR after each stage", text(parsed.compile.dumpDirectory)},
       {"--stop-after", "STAGE", "print the IR after that stage and write no bundle", text(parsed.compile.stopAfter)},
       {"--print-stages", "", "list the stages", [&parsed](const std::string &) { parsed.printsStages = true; }}});
}

void checkStage(const std::string &name) {
  std::vector<std::string> names;
  for (const Stage &stage : stages())
    names.push_back(stage.name);
  if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
    throw UsageError(fmt::format("unknown stage '{}'; the stages are {}", name, fmt::join(names, ", ")));
}

CompileArguments parse(const std::vector<std::string> &arguments) {
  CompileArguments parsed;
  std::vector<std::string> paths = commandLine(parsed).parse(arguments);
  if (parsed.printsStages)
    return parsed;
  if (paths.size() != 1)
    throw UsageError(fmt::format("compile expects one model file, got {}", paths.size()));
  parsed.import.modelPath = paths[0];
  if (parsed.import.globalBatch % parsed.import.microBatch != 0)
    throw UsageError(fmt::format("the global batch ({}) is not a multiple of the micro-batch ({})",
                                 parsed.import.globalBatch, parsed.import.microBatch));
  checkStage(parsed.compile.stopAfter);
  if (parsed.output.empty() == parsed.compile.stopAfter.empty())
    throw UsageError(parsed.output.empty() ? "compile expects -o FOLDER"
                                           : "compile writes no bundle with --stop-after; drop -o or --stop-after");
  return parsed;
}
const char *severityName(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Note:
    return "note";
  case mlir::DiagnosticSeverity::Warning:
    return "warning";
  case mlir::DiagnosticSeverity::Remark:
    return "remark";
  case mlir::DiagnosticSeverity::Error:
    return "error";
  }
  return "error";
}

/// `examples/gpt2.cpp:31: error: ... [layers.3.attention]`; locations are relative to the model's `folder`.
void printDiagnostic(mlir::Diagnostic &diagnostic, const std::filesystem::path &folder) {
  std::string where, scope;
  if (auto line = diagnostic.getLocation()->findInstanceOf<mlir::FileLineColLoc>())
    where = fmt::format("{}:{}: ", (folder / line.getFilename().str()).lexically_normal().string(), line.getLine());
  if (auto name = diagnostic.getLocation()->findInstanceOf<mlir::NameLoc>())
    scope = fmt::format(" [{}]", name.getName().str());
  fmt::print(stderr, "{}{}: {}{}\n", where, severityName(diagnostic.getSeverity()), diagnostic.str(), scope);
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    printDiagnostic(note, folder);
}

/// Errors: throws UsageError after the diagnostics have been printed.
void compileInto(const CompileArguments &parsed, const std::string &folder) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  std::filesystem::path modelFolder = std::filesystem::path(parsed.import.modelPath).parent_path();
  context.getDiagEngine().registerHandler(
      [&](mlir::Diagnostic &diagnostic) { printDiagnostic(diagnostic, modelFolder); });
  mlir::OwningOpRef<mlir::ModuleOp> module = importModel(context, parsed.import);
  if (mlir::failed(compile(*module, parsed.compile, folder)))
    throw UsageError(fmt::format("cannot compile {}", parsed.import.modelPath));
  if (parsed.compile.stopAfter.empty())
    fmt::print("{}\n", planSummary(*module));
  else
    module->print(llvm::outs());
}

void printStages() {
  for (const Stage &stage : stages())
    fmt::print("{:<14} {}\n", stage.name, stage.summary);
}
} // namespace

void trainc::runCompile(const std::vector<std::string> &arguments) {
  CompileArguments parsed = parse(arguments);
  if (parsed.printsStages)
    return printStages();
  if (!parsed.compile.dumpDirectory.empty())
    makeDumpFolder(parsed.compile.dumpDirectory, parsed.isForced);
  OutputFolder folder(parsed.output, parsed.isForced, "plan.json");
  compileInto(parsed, folder.path());
  if (!parsed.output.empty())
    folder.commit();
}
