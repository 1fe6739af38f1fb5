//===- ReverseMode.cpp - gradients of a straight line of ops --------------===//
#include "trainc/Transforms/ReverseMode.h"
#include "dialects/Train/Train.h"

using namespace mlir;
using namespace trainc;

void ReverseMode::add(Value value, Value cotangent) {
  Value &sum = cotangents[value];
  sum = sum ? arith::AddFOp::create(builder, value.getLoc(), sum, cotangent).getResult() : cotangent;
}

LogicalResult ReverseMode::run(ArrayRef<Operation *> ops, ArrayRef<Value> wanted) {
  auto isPredicate = [](Value value) { return getElementTypeOrSelf(value).isInteger(1); };
  active.insert(wanted.begin(), wanted.end());
  // A comparison ends every path: a mask is constant almost everywhere. Rounding to integers does not: it is refused
  // below.
  for (Operation *op : ops)
    if (llvm::any_of(op->getOperands(), [&](Value operand) { return active.contains(operand); }))
      for (Value result : op->getResults())
        if (!isPredicate(result))
          active.insert(result);
  for (Operation *op : llvm::reverse(ops))
    if (failed(propagate(op)))
      return failure();
  return success();
}

LogicalResult ReverseMode::propagate(Operation *op) {
  SmallVector<Value> results;
  for (Value result : op->getResults())
    results.push_back(active.contains(result) ? cotangentOf(result) : Value());
  if (llvm::none_of(results, [](Value value) { return bool(value); }))
    return success();
  auto differentiable = dyn_cast<train::DifferentiableOpInterface>(op);
  if (!differentiable)
    return op->emitError() << "cannot differentiate '" << op->getName()
                           << "': it has no gradient, but the loss depends on a parameter through it";
  SmallVector<Value> operands;
  if (failed(differentiable.buildVjp(builder, results, operands)))
    return failure();
  for (auto [operand, cotangent] : llvm::zip_equal(op->getOperands(), operands))
    if (cotangent && active.contains(operand))
      add(operand, cotangent);
  return success();
}
