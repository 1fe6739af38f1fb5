//===- KernelBuilder.h - one fusion group as a kernel -----------*- C++ -*-===//
#ifndef TRAINC_LIB_TRANSFORMS_KERNELBUILDER_H
#define TRAINC_LIB_TRANSFORMS_KERNELBUILDER_H

#include "FusionGroups.h"
#include "dialects/Kernel/Kernel.h"

namespace trainc {

/// For each dimension of a tensor, the dimension of the space it follows, or -1 where its index is always 0.
using Access = Dims;

/// Builds the kernel of a group. Neighbouring dimensions that every tensor of the group treats alike become one.
class KernelBuilder {
public:
  KernelBuilder(const FusionGroups &groups, int group, mlir::OpBuilder &builder, mlir::StringRef name);

  /// Builds the kernel that stores `outputs`.
  kernel::FuncOp build(llvm::ArrayRef<mlir::Value> outputs);
  /// The launch's operands, in the order of the kernel's first arguments: one for each way a tensor is read.
  llvm::SmallVector<mlir::Value> operands() const;

private:
  bool isComputedHere(mlir::Value value) const;
  Access accessOf(mlir::Value value) const;
  void collectInputs(mlir::Value value, const Access &access);
  void collapseDims();
  bool joinsNext(const Access &access, int64_t dim) const;
  llvm::SmallVector<unsigned> runsOf(const Access &access) const;
  llvm::SmallVector<int64_t> collapsedShape(const Access &access) const;
  mlir::AffineMap mapOf(const Access &access) const;
  int64_t innerStride(unsigned run) const;
  mlir::AffineExpr spaceIndex(unsigned run) const;

  mlir::Value element(mlir::Value value, const Access &access);
  mlir::Value emit(mlir::Operation *op, const Access &access);
  mlir::Value load(mlir::Value value, const Access &access);
  mlir::Value runIndex(unsigned run, mlir::Location loc);
  mlir::Value linearIndex(const Access &access, mlir::Location loc);

  const FusionGroups &groups;
  int group;
  FusionSpace space;
  mlir::OpBuilder builder;
  std::string name;

  llvm::SmallVector<std::pair<mlir::Value, Access>> inputs, accesses;
  llvm::DenseSet<std::pair<mlir::Value, mlir::Attribute>> collected;
  /// Runs of dimensions that became one: run of each dimension, size of each run.
  llvm::SmallVector<unsigned> runOf;
  llvm::SmallVector<int64_t> runSizes;
  llvm::SmallVector<unsigned> outerRuns, innerRuns;

  kernel::FuncOp function;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Attribute>, mlir::Value> elements;
};

} // namespace trainc

#endif
