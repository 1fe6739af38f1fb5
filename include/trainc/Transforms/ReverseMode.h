//===- ReverseMode.h - gradients of a straight line of ops ------*- C++ -*-===//
#ifndef TRAINC_TRANSFORMS_REVERSEMODE_H
#define TRAINC_TRANSFORMS_REVERSEMODE_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace trainc {

/// Reverse-mode differentiation: turns cotangents of results into cotangents of what they were computed from, op by op,
/// by DifferentiableOpInterface. New ops are built at the builder's insertion point, which must come after the ops.
class ReverseMode {
public:
  explicit ReverseMode(mlir::OpBuilder &builder) : builder(builder) {}

  /// Adds `cotangent`, of `value`'s type, to the cotangent of `value`.
  void seed(mlir::Value value, mlir::Value cotangent) { add(value, cotangent); }
  /// Propagates through `ops`, given in order, last to first. Only values on a path from `wanted` get a cotangent.
  /// Fails, with an error on the op, where a gradient reaches an op that cannot be differentiated.
  mlir::LogicalResult run(llvm::ArrayRef<mlir::Operation *> ops, llvm::ArrayRef<mlir::Value> wanted);
  /// The cotangent of `value`; null where no gradient arrives.
  mlir::Value cotangentOf(mlir::Value value) const { return cotangents.lookup(value); }

private:
  void add(mlir::Value value, mlir::Value cotangent);
  mlir::LogicalResult propagate(mlir::Operation *op);

  mlir::OpBuilder &builder;
  llvm::DenseMap<mlir::Value, mlir::Value> cotangents;
  llvm::DenseSet<mlir::Value> active;
};

} // namespace trainc

#endif
