//===- StepFunctions.h - building the functions of a step -------*- C++ -*-===//
//
// Shared by Differentiate.cpp (what needs the backward pass) and
// StepUpdate.cpp (initialization and the optimizer).
//
//===----------------------------------------------------------------------===//
#ifndef TRAINC_LIB_TRANSFORMS_STEPFUNCTIONS_H
#define TRAINC_LIB_TRANSFORMS_STEPFUNCTIONS_H

#include "dialects/Train/Train.h"
#include "mlir/IR/IRMapping.h"
#include "trainc/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace trainc {

/// What the frontend recorded.
struct ModelFunctions {
  mlir::ModuleOp module;
  mlir::func::FuncOp loss, learningRate;
  mlir::SmallVector<train::ParameterOp> parameters;
  train::OptimizerOp optimizer;
  int64_t microBatch, globalBatch;

  /// Fails, with an error on the module, when a part is missing.
  static mlir::FailureOr<ModelFunctions> find(mlir::ModuleOp module);
  /// tensor<f64>: counts and loss sums of a whole step.
  mlir::RankedTensorType wideScalar();
};

/// A function under construction whose arguments and results are tied to the state by name.
class StepFunction {
public:
  StepFunction(ModelFunctions &model, llvm::StringRef name);

  /// The argument holding state (scope, role), created at its first use.
  mlir::Value stateArgument(llvm::StringRef scope, llvm::StringRef role, mlir::RankedTensorType type);
  mlir::Value stateArgument(llvm::StringRef scope, llvm::StringRef role, mlir::Type type) {
    return stateArgument(scope, role, llvm::cast<mlir::RankedTensorType>(type));
  }
  /// The same, null if there is none yet.
  mlir::Value findStateArgument(llvm::StringRef scope, llvm::StringRef role);
  /// The new value of state (scope, role).
  void stateResult(llvm::StringRef scope, llvm::StringRef role, mlir::Value value);
  /// A value the host reads under `name`.
  void hostResult(llvm::StringRef name, mlir::Value value);
  /// Creates the arguments of @loss that `slice` uses and maps them.
  void mapArguments(mlir::func::FuncOp loss, mlir::IRMapping &mapping, const llvm::SetVector<mlir::Operation *> &slice);
  mlir::Value widen(mlir::Value value);
  mlir::Value narrow(mlir::Value value, mlir::Type type);
  /// Adds the terminator and the function's type.
  void finish();

  mlir::func::FuncOp function;
  mlir::OpBuilder builder;

private:
  mlir::Value addArgument(mlir::Type type, mlir::NamedAttribute attribute, mlir::Location loc);
  mlir::Value firstSample(mlir::Location loc);
  mlir::ArrayAttr key(llvm::StringRef scope, llvm::StringRef role);

  ModelFunctions &model;
  mlir::SmallVector<mlir::DictionaryAttr> argumentAttrs, resultAttrs;
  mlir::SmallVector<mlir::Value> results;
};

/// @init: the state from the seed.
void buildInit(ModelFunctions &model);
/// @update: norm, clip, optimizer; clears the accumulators and advances the counters.
void buildUpdate(ModelFunctions &model);

} // namespace trainc

#endif
