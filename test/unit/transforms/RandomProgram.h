//===- RandomProgram.h - random straight lines of train ops -----*- C++ -*-===//
//
// Programs that compile and whose numbers stay tame: the generator knows a bound of each value and keeps arguments of
// discontinuous functions exact, so that rounding cannot change a result.
//
//===----------------------------------------------------------------------===//
#ifndef TRAINC_TEST_TRANSFORMS_RANDOMPROGRAM_H
#define TRAINC_TEST_TRANSFORMS_RANDOMPROGRAM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace trainc::test {

struct RandomProgramOptions {
  int64_t ops = 24;
  /// Largest number of elements of a value.
  int64_t maxElements = 1500;
  /// Only ops with a gradient, and only f64.
  bool isDifferentiable = false;
};

/// Appends to `module` a function called `name`: one to five arguments of rank 0 to 4, elementwise ops, broadcasts,
/// reductions, reshapes, contractions and constants, and one to six results, repeated and trivial ones among them.
/// Equal seeds give equal functions.
mlir::func::FuncOp addRandomProgram(mlir::ModuleOp module, llvm::StringRef name, uint64_t seed,
                                    const RandomProgramOptions &options);

} // namespace trainc::test

#endif
