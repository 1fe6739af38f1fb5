//===- ShardingRule.h - dimensions and factors ------------------*- C++ -*-===//
//
// A sharding rule names the independent extents (factors) of an op's iteration
// space and says which factors make up each dimension of each operand and
// result. Propagation, partitioning and verification read nothing else.
//
//===----------------------------------------------------------------------===//
#ifndef TRAINC_TRAIN_SHARDINGRULE_H
#define TRAINC_TRAIN_SHARDINGRULE_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"

namespace trainc::train {

/// What splitting a factor over ranks means for the results.
enum class FactorKind {
  PassThrough,  ///< each rank computes its slice of the results
  SumReduction, ///< each rank computes a full-size partial sum
  MaxReduction, ///< each rank computes a full-size partial maximum
  Replicated,   ///< may not be split
};

struct Factor {
  int64_t size;
  FactorKind kind;
};

/// The factors of one dimension, major to minor; their sizes multiply to the dimension's.
using DimFactors = llvm::SmallVector<unsigned, 2>;
/// One entry a dimension.
using TensorFactors = llvm::SmallVector<DimFactors, 4>;

struct ShardingRule {
  llvm::SmallVector<Factor> factors;
  llvm::SmallVector<TensorFactors> operands;
  llvm::SmallVector<TensorFactors> results;
  /// Operands in which every result is linear (the others held fixed).
  llvm::SmallVector<unsigned> linearOperands;

  /// Adds a factor and returns its number.
  unsigned addFactor(int64_t size, FactorKind kind = FactorKind::PassThrough) {
    factors.push_back({size, kind});
    return factors.size() - 1;
  }
  /// The rule of an elementwise op: every dimension is a factor of its own in all tensors of `shape`.
  static ShardingRule elementwise(llvm::ArrayRef<int64_t> shape, unsigned numOperands, unsigned numResults,
                                  FactorKind kind = FactorKind::PassThrough);
};

/// Sum of the bytes of `op`'s operands and results.
int64_t operandAndResultBytes(mlir::Operation *op);
/// Bytes of a tensor of static shape; i1 takes one byte an element.
int64_t tensorBytes(mlir::Type type);

} // namespace trainc::train

#endif
