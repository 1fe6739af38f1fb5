//===- Interpreter.h - what a straight line of train ops means --*- C++ -*-===//
//
// The oracle of the random programs: evaluates each op on vectors of doubles by its description, element by element.
// It shares no code with the compiler: no fusion, no library, no placement.
//
//===----------------------------------------------------------------------===//
#ifndef TRAINC_TEST_TRANSFORMS_INTERPRETER_H
#define TRAINC_TEST_TRANSFORMS_INTERPRETER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <vector>

namespace trainc::test {

/// The elements of a tensor, row-major; integers are exact.
using Data = std::vector<double>;

/// The results of `function` for `arguments`. Knows `arith`, `math` and the `train` ops that random programs hold;
/// aborts, naming the op, on any other.
std::vector<Data> interpret(mlir::func::FuncOp function, llvm::ArrayRef<Data> arguments);

} // namespace trainc::test

#endif
