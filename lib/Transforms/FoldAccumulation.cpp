//===- FoldAccumulation.cpp - library calls add to their accumulator ------===//
//
// The accumulator is updated in place, so the addition must be its only use. Accumulators of the state qualify, and
// results of other calls, whose bytes exist anyway; an elementwise value would have to be stored for it.
//
//===----------------------------------------------------------------------===//
#include "InPlace.h"
#include "dialects/Train/Train.h"
#include "trainc/Transforms/Passes.h"

namespace trainc {
#define GEN_PASS_DEF_FOLDACCUMULATIONPASS
#include "trainc/Transforms/Passes.h.inc"
} // namespace trainc

using namespace mlir;
using namespace trainc;

namespace {
bool isAccumulator(Value value, Value sum) {
  bool hasBytes = isa<BlockArgument>(value) || isa<train::AccumulateOpInterface>(value.getDefiningOp());
  return hasBytes && mayAccumulate(value, sum);
}

/// The first call of a chain of calls that accumulate onto each other.
train::AccumulateOpInterface chainStart(train::AccumulateOpInterface call) {
  while (call && call.hasAccumulator()) {
    auto library = cast<train::LibraryCallOpInterface>(call.getOperation());
    Value accumulator = library.getCallOperands()[library.getInPlaceOperand()];
    call = accumulator.hasOneUse() ? accumulator.getDefiningOp<train::AccumulateOpInterface>() : nullptr;
  }
  return call;
}

/// Makes the call that computes operand `index` of `sum`, or the first of the chain it ends, accumulate onto the other
/// operand.
bool foldInto(arith::AddFOp sum, unsigned index) {
  Value product = sum->getOperand(index), accumulator = sum->getOperand(1 - index);
  auto call = product.getDefiningOp<train::AccumulateOpInterface>();
  if (!call || !product.hasOneUse() || !isAccumulator(accumulator, sum))
    return false;
  if (call.hasAccumulator() && !isa<BlockArgument>(accumulator))
    return false; // defined after the chain starts, perhaps
  train::AccumulateOpInterface start = chainStart(call);
  if (!start)
    return false;
  if (start == call)
    call->moveBefore(sum); // where the accumulator is defined
  start.setAccumulator(accumulator);
  sum.getResult().replaceAllUsesWith(product);
  sum.erase();
  return true;
}

struct FoldAccumulationPass : trainc::impl::FoldAccumulationPassBase<FoldAccumulationPass> {
  void runOnOperation() override {
    SmallVector<arith::AddFOp> sums;
    getOperation().walk([&](arith::AddFOp sum) { sums.push_back(sum); });
    for (arith::AddFOp sum : sums)
      numFolded += foldInto(sum, 1) || foldInto(sum, 0);
  }
};
} // namespace
