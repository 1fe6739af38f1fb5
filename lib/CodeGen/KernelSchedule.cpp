//===- KernelSchedule.cpp - how a kernel's points are visited -------------===//
//
// Chooses the loop form from the strides of the kernel's accesses, groups reductions into passes and decides which
// values to keep between passes: dear ones are kept in a scratch row of at most 64 KiB, cheap ones are computed again.
//
//===----------------------------------------------------------------------===//
#include "trainc/CodeGen/KernelSchedule.h"

using namespace mlir;
using namespace trainc;

static constexpr int64_t kScratchBytes = 64 << 10;
/// A value is kept when computing it again costs at least this much; a store and a load cost about 2.
static constexpr int64_t kKeepCost = 6;
/// A thread should get at least this much weighted work: some 5 us, well above the cost of waking it.
static constexpr int64_t kThreadCost = 16 << 10;

/// Weight of one op at one point, in additions.
static int64_t getCost(Operation *op) {
  if (isa<kernel::PhiloxOp>(op))
    return 60;
  if (isa<math::TanhOp>(op))
    return 20;
  if (isa<math::ExpOp, math::LogOp, math::SinOp, math::CosOp, math::PowFOp, math::ErfOp>(op))
    return 12;
  if (isa<arith::DivFOp, math::SqrtOp, math::RsqrtOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
          op))
    return 4;
  if (isa<arith::ConstantOp, kernel::IndexOp, kernel::ReturnOp>(op))
    return 0;
  return 1;
}

/// Cost of computing an inner-level value from outer-level ones and memory.
static int64_t getSliceCost(Value value, const KernelSchedule &schedule, DenseSet<Operation *> &seen) {
  Operation *op = value.getDefiningOp();
  if (!schedule.isInner(value) || !seen.insert(op).second)
    return 0;
  int64_t cost = getCost(op);
  for (Value operand : op->getOperands())
    cost += getSliceCost(operand, schedule, seen);
  return cost;
}

static unsigned getStoredBytes(Type type) { return std::max(1u, type.getIntOrFloatBitWidth() / 8); }

static void groupReductions(kernel::FuncOp kernel, KernelSchedule &schedule) {
  DenseMap<Value, unsigned> depth; // passes that must end before a value is known
  for (Operation &op : kernel.getBody().front()) {
    unsigned before = 0;
    for (Value operand : op.getOperands())
      before = std::max(before, depth.lookup(operand));
    if (auto reduce = dyn_cast<kernel::ReduceOp>(op)) {
      schedule.passes.resize(std::max<size_t>(schedule.passes.size(), before + 1));
      schedule.passes[before++].push_back(reduce);
    }
    for (Value result : op.getResults())
      depth[result] = before;
  }
}

namespace {
/// Walks what each pass computes, in order, and decides at each dear value seen in an earlier pass whether to keep it.
class KeptValues {
public:
  KeptValues(kernel::FuncOp kernel, KernelSchedule &schedule) : kernel(kernel), schedule(schedule) {}

  void choose() {
    for (pass = 0; pass < schedule.passes.size(); ++pass)
      for (kernel::ReduceOp reduce : schedule.passes[pass])
        visit(reduce.getValue());
    for (auto store : kernel.getBody().getOps<kernel::StoreOp>())
      visit(store.getValue());
  }

private:
  void visit(Value value) {
    if (!schedule.isInner(value))
      return;
    auto [entry, isNew] = firstPass.try_emplace(value, pass);
    if (!isNew && (entry->second == pass || keep(value, entry->second)))
      return;
    if (!isNew && !visitedAgain.insert({value, pass}).second)
      return;
    for (Value operand : value.getDefiningOp()->getOperands())
      visit(operand);
  }

  bool keep(Value value, unsigned first) {
    if (schedule.kept.count(value))
      return true;
    DenseSet<Operation *> seen;
    if (value.getType().isIndex() || getSliceCost(value, schedule, seen) < kKeepCost)
      return false;
    int64_t bytes = getStoredBytes(value.getType()) * int64_t(kernel.getInner());
    if (used + bytes > kScratchBytes)
      return false;
    used += bytes;
    schedule.kept.insert({value, first});
    return true;
  }

  kernel::FuncOp kernel;
  KernelSchedule &schedule;
  unsigned pass = 0;
  int64_t used = 0;
  DenseMap<Value, unsigned> firstPass;
  DenseSet<std::pair<Value, unsigned>> visitedAgain;
};
} // namespace

/// True where more of the accesses that move with both dimensions are contiguous along the last outer one than along
/// the inner one.
static bool prefersColumns(kernel::FuncOp kernel) {
  if (kernel.getOuterRank() == 0 || kernel.getOuter().back() == 1)
    return false;
  unsigned inner = kernel.getOuterRank();
  int64_t votes = 0;
  auto vote = [&](Value buffer, AffineMap map) {
    if (!map.isFunctionOfDim(inner) || !map.isFunctionOfDim(inner - 1))
      return; // a row or a column that stays in cache
    auto type = cast<MemRefType>(buffer.getType());
    votes += int64_t(kernel::getStride(map, type, inner - 1) == 1) - int64_t(kernel::getStride(map, type, inner) == 1);
  };
  for (Operation &op : kernel.getBody().front()) {
    if (auto load = dyn_cast<kernel::LoadOp>(op))
      vote(load.getBuffer(), load.getMap());
    if (auto store = dyn_cast<kernel::StoreOp>(op))
      vote(store.getBuffer(), store.getMap());
  }
  return votes > 0;
}

static LoopForm chooseForm(kernel::FuncOp kernel, const KernelSchedule &schedule) {
  if (prefersColumns(kernel))
    return LoopForm::Column;
  auto storesPerPoint = [](kernel::StoreOp store) { return store.getMap().isFunctionOfDim(0); };
  if (kernel.getOuterRank() == 0 && schedule.passes.empty() &&
      llvm::all_of(kernel.getBody().getOps<kernel::StoreOp>(), storesPerPoint))
    return LoopForm::Element;
  return LoopForm::Row;
}

/// Narrow blocks where the dimension is short, so that there is work for several threads.
static int64_t chooseBlock(int64_t columns) { return std::min<int64_t>(columns, columns >= 512 ? 64 : 32); }

static void countWork(kernel::FuncOp kernel, KernelSchedule &schedule) {
  int64_t inner = 0, outer = 0;
  for (Operation &op : kernel.getBody().front()) {
    bool atPoint = isa<kernel::ReduceOp>(op) ||
                   (isa<kernel::StoreOp>(op) && op.getOperand(0) && schedule.isInner(op.getOperand(0))) ||
                   llvm::any_of(op.getResults(), [&](Value result) { return schedule.isInner(result); });
    (atPoint ? inner : outer) += getCost(&op);
  }
  int64_t rowCost = std::max<int64_t>(1, inner * int64_t(kernel.getInner()) + outer);
  schedule.workItems = kernel.getOuterPoints();
  schedule.itemCost = rowCost;
  if (schedule.form == LoopForm::Element) {
    schedule.workItems = kernel.getInner();
    schedule.itemCost = std::max<int64_t>(1, inner);
  } else if (schedule.form == LoopForm::Column) {
    int64_t columns = kernel.getOuter().back();
    schedule.workItems = schedule.workItems / columns * llvm::divideCeil(columns, schedule.block);
    schedule.itemCost = rowCost * schedule.block;
  }
}

KernelSchedule trainc::getKernelSchedule(kernel::FuncOp kernel) {
  KernelSchedule schedule;
  schedule.innerLevel = kernel::getInnerLevelValues(kernel);
  groupReductions(kernel, schedule);
  schedule.form = chooseForm(kernel, schedule);
  if (schedule.form == LoopForm::Column)
    schedule.block = chooseBlock(kernel.getOuter().back());
  else if (schedule.form == LoopForm::Row)
    KeptValues(kernel, schedule).choose();
  countWork(kernel, schedule);
  return schedule;
}

WorkShape trainc::getWorkShape(kernel::FuncOp kernel) {
  KernelSchedule schedule = getKernelSchedule(kernel);
  int64_t grain = std::max<int64_t>(1, llvm::divideCeil(kThreadCost, schedule.itemCost));
  return {schedule.workItems, std::min(grain, schedule.workItems)};
}
