// Compiles a module of functions and runs them: what a test compares with is computed by the product's own path.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <memory>
#include <string>
#include <vector>

namespace trainc {
class Executor;

namespace check {

/// The elements of a tensor, row-major. Integers are held exactly.
using Data = std::vector<double>;

/// A module whose functions @eval and @logits have all arguments and results tied to state, compiled (fusion, emission
/// and all) and loaded. Two programs, since that is how many the runtime lets one call on their own.
class Runner {
public:
  /// Consumes `module`. Errors: printed; isValid() is false.
  explicit Runner(mlir::ModuleOp module);
  ~Runner();
  bool isValid() const { return executor != nullptr; }

  void write(const std::string &scope, const Data &data);
  Data read(const std::string &scope) const;
  /// Returns false, with the error printed, if the program fails.
  bool run(const std::string &program);

private:
  std::string folder;
  std::unique_ptr<Executor> executor;
};

/// Adds to `module` a function called `name` of the given arguments, each tied to state of its name; `build` returns
/// the results, which are tied to `resultPrefix` and their number.
void addFunction(mlir::ModuleOp module, llvm::StringRef name,
                 llvm::ArrayRef<std::pair<std::string, mlir::Type>> arguments, llvm::StringRef resultPrefix,
                 llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::ValueRange)> build);

/// Adds @init with the counters that every plan has.
void addCounters(mlir::ModuleOp module);

/// The number of mismatches between an op's VJP and central differences in f64.
int checkGradients(mlir::func::FuncOp function);
/// The number of factors of ops' sharding rules that fail when the op is run piece by piece.
int checkSharding(mlir::func::FuncOp function);

/// Prints the smallest, the largest and the mean element of each result; returns 1 if the function cannot be run.
int printValues(mlir::func::FuncOp function);

/// Reproducible values for argument `index`: uniform in [check.min, check.max] of the argument (default [-1, 1]),
/// integers in [0, check.bound).
Data argumentData(mlir::func::FuncOp function, unsigned index);
/// Uniform in [-1, 1).
Data randomData(int64_t count, uint64_t seed);

} // namespace check
} // namespace trainc
