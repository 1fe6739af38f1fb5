//===- Decompose.cpp - composite ops become simple ones -------------------===//
#include "dialects/Train/Train.h"
#include "trainc/Transforms/Passes.h"

namespace trainc {
#define GEN_PASS_DEF_DECOMPOSEPASS
#include "trainc/Transforms/Passes.h.inc"
} // namespace trainc

using namespace mlir;
using namespace trainc;

namespace {
bool isWholeReduction(train::ReduceOp op) {
  int64_t tensorRank = cast<RankedTensorType>(op.getInput().getType()).getRank();
  return tensorRank > 1 && int64_t(op.getDims().size()) == tensorRank;
}

/// sum(x) as sum(sum(x, last)).
Value splitReduction(OpBuilder &builder, train::ReduceOp op) {
  int64_t last = op.getDims().back();
  Value rows = train::ReduceOp::create(builder, op.getLoc(), op.getInput(), op.getKind(), ArrayRef<int64_t>{last});
  return train::ReduceOp::create(builder, op.getLoc(), rows, op.getKind(), op.getDims().drop_back());
}

struct DecomposePass : trainc::impl::DecomposePassBase<DecomposePass> {
  void runOnOperation() override {
    // Replacements may be composite again, so the walk restarts with what they built.
    SmallVector<Operation *> worklist;
    getOperation().walk([&](Operation *op) { worklist.push_back(op); });
    while (!worklist.empty()) {
      Operation *op = worklist.pop_back_val();
      SmallVector<Value> results;
      Operation *before = op->getPrevNode();
      OpBuilder builder(op);
      if (auto composite = dyn_cast<train::DecomposeOpInterface>(op))
        composite.decompose(builder, results);
      else if (auto reduce = dyn_cast<train::ReduceOp>(op); reduce && isWholeReduction(reduce))
        results.push_back(splitReduction(builder, reduce));
      else
        continue;
      Operation *first = before ? before->getNextNode() : &op->getBlock()->front();
      for (Operation *built = first; built != op; built = built->getNextNode())
        worklist.push_back(built);
      op->replaceAllUsesWith(results);
      op->erase();
    }
  }
};
} // namespace
