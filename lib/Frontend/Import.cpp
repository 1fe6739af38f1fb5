// From a model file to a module: compile, load, record each program, put the parts together.
#include "trainc/Import.h"
#include "ModelLibrary.h"
#include "Recorder.h"
#include "dialects/Train/Train.h"
#include "mlir/IR/Verifier.h"
#include <fmt/format.h>

using namespace trainc;

namespace {
/// Runs the model function for one program. Errors: throws ModelError with a finished report, whatever the model threw.
/// The report is a copy: the thrown object's code goes away with the library.
void runModel(const ModelDefinition &definition, Recorder &recorder, const ModelState &state) {
  std::string report;
  try {
    definition.define(recorder);
    return;
  } catch (const ModelError &error) {
    report = error.what();
    if (error.at.line)
      report = fmt::format("{}: error: {}", state.paths.display(error.at), report);
  } catch (const std::exception &error) {
    report = fmt::format("{}: error: model '{}' threw: {}", state.paths.display(definition.at), definition.name,
                         error.what());
  } catch (...) {
    report = fmt::format("{}: error: model '{}' threw something that is no std::exception",
                         state.paths.display(definition.at), definition.name);
  }
  throw ModelError(report);
}

/// The recorded program, or null for @logits of a model without that output.
mlir::OwningOpRef<mlir::func::FuncOp> recordProgram(const ModelDefinition &definition, ModelState &state,
                                                    Program program) {
  int64_t batchSize = program == Program::Logits ? 1 : state.options.microBatch;
  Recorder recorder(state, program, batchSize, definition.at);
  runModel(definition, recorder, state);
  if (program == Program::Logits && !recorder.hasLogits())
    return {};
  return recorder.finish();
}

/// Errors: throws for groups and dimensions that nothing is in.
void checkNames(const ModelState &state) {
  for (const auto &[name, sharding] : state.shardings)
    if (!state.dimensions.count(name))
      state.fail(
          fmt::format("the sharding names dimension '{}', which the model does not have; name it with m.dim()", name),
          sharding.at);
  for (const auto &[name, decay] : state.decayGroups) {
    bool isUsed = false;
    for (const ParameterRecord &parameter : state.parameters)
      isUsed |= parameter.group == name;
    if (!isUsed)
      state.fail(fmt::format("the weight decay names group '{}', which no parameter is in", name), decay.at);
  }
  for (const ParameterRecord &parameter : state.parameters)
    if (parameter.group != "default" && !state.decayGroups.count(parameter.group))
      state.fail(fmt::format("parameter '{}' is in group '{}', which has no settings; call m.decayGroup(\"{}\", ...)",
                             parameter.name, parameter.group, parameter.group),
                 parameter.at);
}

void setAttributes(mlir::ModuleOp module, const ModelDefinition &definition, const ModelState &state) {
  mlir::Builder b(&state.context);
  module->setAttr("train.model", b.getStringAttr(definition.name));
  module->setAttr("train.source", b.getStringAttr(std::filesystem::path(state.options.modelPath).filename().string()));
  module->setAttr("train.config", state.config.attribute(&state.context));
  module->setAttr("train.micro_batch", b.getI64IntegerAttr(state.options.microBatch));
  module->setAttr("train.global_batch", b.getI64IntegerAttr(state.options.globalBatch));
  if (state.clipNorm)
    module->setAttr("train.clip_norm", b.getF64FloatAttr(state.clipNorm->value));
  mlir::NamedAttrList hints;
  for (const auto &[name, sharding] : state.shardings)
    hints.set(name, b.getStringAttr(sharding.value));
  if (!hints.empty())
    module->setAttr("train.sharding_hints", hints.getDictionary(&state.context));
}

void createDeclarations(mlir::OpBuilder &b, const ModelState &state) {
  for (const ParameterRecord &parameter : state.parameters)
    train::ParameterOp::create(b, state.location(parameter.name, parameter.at), parameter.name, parameter.type,
                               parameter.initializer.kind, llvm::APFloat(parameter.initializer.first),
                               llvm::APFloat(parameter.initializer.second), parameter.group);
  mlir::NamedAttrList groups;
  for (const auto &[name, decay] : state.decayGroups)
    groups.set(name, b.getF64FloatAttr(decay.value));
  train::OptimizerOp::create(b, state.location("optimizer", state.optimizer->at), state.optimizer->rule,
                             state.optimizer->options, groups.getDictionary(&state.context));
}

/// Errors: throws with what the verifier says first.
void verifyModule(mlir::ModuleOp module, const ModelState &state, Source at) {
  std::string problem;
  bool isValid;
  {
    mlir::ScopedDiagnosticHandler collect(&state.context, [&](mlir::Diagnostic &diagnostic) {
      if (problem.empty())
        problem = diagnostic.str();
      return mlir::success();
    });
    isValid = mlir::succeeded(mlir::verify(module));
  }
  if (!isValid)
    state.fail(problem, at);
}
} // namespace

mlir::OwningOpRef<mlir::ModuleOp> trainc::importModel(mlir::MLIRContext &context, const ImportOptions &options) {
  context.loadDialect<train::TrainDialect, mlir::func::FuncDialect>();
  ModelLibrary library(options.modelPath);
  const ModelDefinition &definition = library.definition();
  ModelState state(context, options, modelIncludeFolders());

  mlir::OwningOpRef<mlir::func::FuncOp> loss = recordProgram(definition, state, Program::Loss);
  state.isDefined = true;
  state.config.checkAllKnown();
  checkNames(state);
  mlir::OwningOpRef<mlir::func::FuncOp> eval = recordProgram(definition, state, Program::Eval);
  mlir::OwningOpRef<mlir::func::FuncOp> logits = recordProgram(definition, state, Program::Logits);

  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(state.location("", definition.at));
  setAttributes(*module, definition, state);
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(module->getBody());
  createDeclarations(builder, state);
  for (auto *function : {&state.learningRate, &loss, &eval, &logits})
    if (*function)
      module->push_back(function->release());
  verifyModule(*module, state, definition.at);
  return module;
}
