//===- Train.h - the `train` dialect ----------------------------*- C++ -*-===//
#ifndef TRAINC_TRAIN_TRAIN_H
#define TRAINC_TRAIN_TRAIN_H

#include "dialects/Train/ShardingRule.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Train/TrainDialect.h.inc"
#include "dialects/Train/TrainEnums.h.inc"
#include "dialects/Train/TrainInterfaces.h.inc"
#define GET_OP_CLASSES
#include "dialects/Train/TrainOps.h.inc"

namespace trainc::train {

/// Names of the attributes that tie functions' arguments and results to state and inputs.
constexpr llvm::StringLiteral kStateAttr = "train.state";   ///< ["scope", "role"] on arguments and results
constexpr llvm::StringLiteral kInputAttr = "train.input";   ///< {name, source, shift, bound} on arguments
constexpr llvm::StringLiteral kSampleAttr = "train.sample"; ///< first global sample of the micro-batch
constexpr llvm::StringLiteral kMicroAttr = "train.micro";   ///< index of the micro-batch in its step
constexpr llvm::StringLiteral kResultAttr = "train.result"; ///< "name" on results that the host reads

/// Registers the `train` dialect and attaches its interfaces to `arith` and `math`.
void registerTrainDialect(mlir::DialectRegistry &registry);
void registerElementwiseModels(mlir::DialectRegistry &registry);

/// A splat constant of `type` (a tensor of floats or integers).
mlir::Value splat(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type, double value);
/// `input` with each dimension i placed at result dimension dims[i].
mlir::Value broadcast(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value input, llvm::ArrayRef<int64_t> shape,
                      llvm::ArrayRef<int64_t> dims);
/// A scalar tensor spread over `shape`.
mlir::Value broadcastScalar(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value scalar,
                            llvm::ArrayRef<int64_t> shape);

} // namespace trainc::train

#endif
