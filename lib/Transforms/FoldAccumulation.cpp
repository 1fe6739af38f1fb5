//===- FoldAccumulation.cpp - library calls add to their accumulator ------===//
//
// The accumulator is updated in place, so it must not be read by anything else
// that runs later. A value with one use qualifies. So does an argument whose only
// use is the addition: the caller gets the new value through the state.
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
/// Makes the call that computes operand `index` of `sum` accumulate onto the other operand.
bool foldInto(arith::AddFOp sum, unsigned index) {
  Value product = sum->getOperand(index), accumulator = sum->getOperand(1 - index);
  auto call = product.getDefiningOp<train::AccumulateOpInterface>();
  if (!call || call.hasAccumulator() || !product.hasOneUse() || !accumulator.hasOneUse() || !mayOverwrite(accumulator))
    return false;
  // The call moves down to the sum, where the accumulator is defined.
  call->moveBefore(sum);
  call.setAccumulator(accumulator);
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
