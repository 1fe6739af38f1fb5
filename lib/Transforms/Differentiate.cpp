//===- Differentiate.cpp - the functions of one training step -------------===//
//
// From the recorded @loss, @learning_rate, parameters and optimizer to @init,
// @count, @micro_batch and @update. Reverse mode over a straight line of ops: each
// op's DifferentiableOpInterface turns cotangents of results into those of operands.
//
//===----------------------------------------------------------------------===//
#include "StepFunctions.h"
#include "mlir/IR/IRMapping.h"
#include "trainc/Transforms/ReverseMode.h"
#include "llvm/ADT/SetVector.h"

namespace trainc {
#define GEN_PASS_DEF_DIFFERENTIATEPASS
#include "trainc/Transforms/Passes.h.inc"
} // namespace trainc

using namespace mlir;
using namespace trainc;

namespace {
/// Ops of `function` from which `results` are computed.
llvm::SetVector<Operation *> backwardSlice(ValueRange results) {
  llvm::SetVector<Operation *> slice;
  SmallVector<Value> worklist(results);
  while (!worklist.empty())
    if (Operation *op = worklist.pop_back_val().getDefiningOp(); op && slice.insert(op))
      llvm::append_range(worklist, op->getOperands());
  return slice;
}

/// Clones the ops that `result` needs into `step`, mapping @loss's arguments to the step's.
Value cloneFor(StepFunction &step, func::FuncOp loss, unsigned result, IRMapping &mapping) {
  Value value = loss.front().getTerminator()->getOperand(result);
  llvm::SetVector<Operation *> slice = backwardSlice(value);
  for (Operation &op : loss.front().without_terminator())
    if (slice.contains(&op) && !mapping.contains(op.getResult(0)))
      step.builder.clone(op, mapping);
  return mapping.lookup(value);
}

/// @count: the step's count grows by that of one micro-batch.
void buildCount(ModelFunctions &model) {
  StepFunction step(model, "count");
  IRMapping mapping;
  step.mapArguments(model.loss, mapping, backwardSlice(model.loss.front().getTerminator()->getOperand(1)));
  Value count = cloneFor(step, model.loss, 1, mapping);
  Value total = step.stateArgument("", "count", model.wideScalar());
  step.stateResult("", "count", arith::AddFOp::create(step.builder, count.getLoc(), total, step.widen(count)));
  step.finish();
}

/// 1 / count, 0 where nothing is counted; in the loss's type.
Value lossSeed(StepFunction &step, Location loc, Value count, Type type) {
  OpBuilder &b = step.builder;
  Value zero = train::splat(b, loc, count.getType(), 0.0), one = train::splat(b, loc, count.getType(), 1.0);
  Value empty = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, count, zero);
  Value safe = arith::SelectOp::create(b, loc, empty, one, count);
  return step.narrow(arith::SelectOp::create(b, loc, empty, zero, arith::DivFOp::create(b, loc, one, safe)), type);
}

LogicalResult buildMicroBatch(ModelFunctions &model) {
  StepFunction step(model, "micro_batch");
  IRMapping mapping;
  step.mapArguments(model.loss, mapping, backwardSlice(model.loss.front().getTerminator()->getOperand(0)));
  Value loss = cloneFor(step, model.loss, 0, mapping);
  SmallVector<Operation *> forward;
  for (Operation &op : step.function.front())
    forward.push_back(&op);

  Location loc = loss.getLoc();
  ReverseMode backward(step.builder);
  Value count = step.stateArgument("", "count", model.wideScalar());
  backward.seed(loss, lossSeed(step, loc, count, loss.getType()));
  SmallVector<Value> parameters;
  for (train::ParameterOp parameter : model.parameters)
    if (Value value = step.findStateArgument(parameter.getSymName(), "compute"))
      parameters.push_back(value);
  if (failed(backward.run(forward, parameters)))
    return failure();

  Value lossTotal = step.stateArgument("", "loss", model.wideScalar());
  step.stateResult("", "loss", arith::AddFOp::create(step.builder, loc, lossTotal, step.widen(loss)));
  for (train::ParameterOp parameter : model.parameters) {
    Value value = step.findStateArgument(parameter.getSymName(), "compute");
    Value gradient = value ? backward.cotangentOf(value) : Value();
    if (!gradient) {
      parameter.emitWarning() << "parameter '" << parameter.getSymName()
                              << "' does not take part in the loss: its gradient is zero";
      continue;
    }
    Value total = step.stateArgument(parameter.getSymName(), "gradient", value.getType());
    step.stateResult(parameter.getSymName(), "gradient",
                     arith::AddFOp::create(step.builder, parameter.getLoc(), total, gradient));
  }
  step.finish();
  return success();
}

struct DifferentiatePass : trainc::impl::DifferentiatePassBase<DifferentiatePass> {
  void runOnOperation() override {
    if (!getOperation().lookupSymbol("loss"))
      return;
    FailureOr<ModelFunctions> model = ModelFunctions::find(getOperation());
    if (failed(model))
      return signalPassFailure();
    buildInit(*model);
    buildCount(*model);
    if (failed(buildMicroBatch(*model)))
      return signalPassFailure();
    buildUpdate(*model);
    model->loss.erase();
    model->learningRate.erase();
  }
};
} // namespace
