//===- InPlace.cpp - results that take over an operand's bytes ------------===//
#include "InPlace.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Plan/Plan.h"
#include "dialects/Train/Train.h"

using namespace mlir;
using namespace trainc;

/// The number of the result that holds the new value of state argument `argument`, or -1.
static int newValueOf(BlockArgument argument) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  Attribute key = function.getArgAttr(argument.getArgNumber(), train::kStateAttr);
  for (unsigned i = 0; key && i < function.getNumResults(); ++i)
    if (function.getResultAttr(i, train::kStateAttr) == key)
      return i;
  return -1;
}

bool trainc::mayOverwrite(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument ? newValueOf(argument) >= 0 : !value.getDefiningOp<arith::ConstantOp>();
}

/// The call that adds onto `value`, its only use, or null.
static Operation *accumulatingUser(Value value) {
  if (!value.hasOneUse())
    return nullptr;
  auto call = dyn_cast<train::AccumulateOpInterface>(*value.user_begin());
  if (!call || !call.hasAccumulator())
    return nullptr;
  auto library = cast<train::LibraryCallOpInterface>(call.getOperation());
  return library.getCallOperands()[library.getInPlaceOperand()] == value ? call.getOperation() : nullptr;
}

bool trainc::mayAccumulate(Value accumulator, Value sum) {
  // A reshape shares its bytes with values that have uses of their own.
  if (!accumulator.hasOneUse() || isa_and_nonnull<train::ReshapeOp, arith::ConstantOp>(accumulator.getDefiningOp()))
    return false;
  auto argument = dyn_cast<BlockArgument>(accumulator);
  if (!argument)
    return true;
  while (Operation *next = accumulatingUser(sum))
    sum = next->getResult(0);
  int newValue = newValueOf(argument);
  return newValue >= 0 && argument.getOwner()->getTerminator()->getOperand(newValue) == sum;
}

ByteSharing::ByteSharing(Block &block) {
  for (auto [position, op] : llvm::enumerate(block))
    positions[&op] = position;
  auto add = [&](Value value) {
    roots[value] = value;
    last[value] = value.getDefiningOp() ? positions.lookup(value.getDefiningOp()) : -1;
    for (Operation *user : value.getUsers())
      last[value] = std::max(last[value], positions.lookup(user));
  };
  for (Value argument : block.getArguments())
    add(argument);
  for (Operation &op : block)
    for (Value result : op.getResults())
      add(result);
}

Value ByteSharing::rootOf(Value value) const {
  while (roots.lookup(value) != value)
    value = roots.lookup(value);
  return value;
}

void ByteSharing::share(Value value, Value operand) {
  Value root = rootOf(operand);
  last[root] = std::max(last[root], last[value]);
  roots[value] = root;
}

namespace {
class InPlacePlanner {
public:
  explicit InPlacePlanner(func::FuncOp function) : function(function), bytes(function.front()) {
    Operation *terminator = function.front().getTerminator();
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (Attribute key = function.getResultAttr(i, train::kStateAttr))
        keyOf[terminator->getOperand(i)] = key;
  }

  SmallVector<OpOperand *> run() {
    for (Operation &op : function.front()) {
      if (auto reshape = dyn_cast<train::ReshapeOp>(op))
        bytes.share(reshape.getResult(), reshape.getInput());
      else if (auto call = dyn_cast<train::LibraryCallOpInterface>(op))
        planCall(call);
      else if (auto launch = dyn_cast<plan::LaunchOp>(op))
        planLaunch(launch);
    }
    return lateResults();
  }

private:
  SmallVector<OpOperand *> lateResults() {
    SmallVector<OpOperand *> late;
    for (OpOperand &use : function.front().getTerminator()->getOpOperands()) {
      Attribute key = function.getResultAttr(use.getOperandNumber(), train::kStateAttr);
      Operation *writer = bytes.rootOf(use.get()).getDefiningOp();
      if (key && writer && llvm::any_of(function.getArguments(), [&](BlockArgument argument) {
            return function.getArgAttr(argument.getArgNumber(), train::kStateAttr) == key &&
                   bytes.lastUse(argument) >= bytes.position(writer);
          }))
        late.push_back(&use);
    }
    return late;
  }

  /// Whether `result` of `op` may take over the bytes of `operand`.
  bool mayTakeOver(Operation *op, Value result, Value operand) {
    auto sharesBytes = [&](Value other) { return bytes.rootOf(other) == bytes.rootOf(operand); };
    if (operand.getType() != result.getType() || llvm::count_if(op->getOperands(), sharesBytes) != 1 ||
        bytes.lastUse(operand) != bytes.position(op))
      return false;
    auto argument = dyn_cast<BlockArgument>(bytes.rootOf(operand));
    Attribute key = keyOf.lookup(result);
    // The new value of a state entry goes to that entry's bytes and nowhere else; nothing else goes there.
    if (argument || key)
      return argument && key && key == function.getArgAttr(argument.getArgNumber(), train::kStateAttr);
    return true;
  }

  void planCall(train::LibraryCallOpInterface call) {
    int64_t index = call.getInPlaceOperand();
    if (index < 0)
      return;
    Value operand = call.getCallOperands()[index];
    auto accumulating = dyn_cast<train::AccumulateOpInterface>(call.getOperation());
    bool mustShare = accumulating && accumulating.hasAccumulator();
    if (!mustShare && !mayTakeOver(call, call->getResult(0), operand))
      return;
    call->setAttr(kInPlaceMark, UnitAttr::get(call.getContext()));
    bytes.share(call->getResult(0), operand);
  }

  void planLaunch(plan::LaunchOp launch) {
    auto kernel = cast<kernel::FuncOp>(SymbolTable::lookupNearestSymbolFrom(launch, launch.getKernelAttr()));
    Block &body = kernel.getBody().front();
    SmallVector<int64_t> pairs;
    llvm::SmallDenseSet<int64_t> taken;
    unsigned numOperands = launch.getOperands().size(), stored = numOperands;
    llvm::BitVector dropped(body.getNumArguments());
    for (auto [i, result] : llvm::enumerate(launch.getResults())) {
      BlockArgument destination = body.getArgument(stored++);
      for (auto [j, operand] : llvm::enumerate(launch.getOperands())) {
        BlockArgument source = body.getArgument(j);
        if (taken.contains(j) || !mayTakeOver(launch, result, operand) || !sameAccess(source, destination))
          continue;
        destination.replaceAllUsesWith(source);
        dropped.set(destination.getArgNumber());
        taken.insert(j);
        pairs.append({int64_t(i), int64_t(j)});
        bytes.share(result, operand);
        break;
      }
    }
    body.eraseArguments(dropped);
    launch.setInPlace(pairs);
  }

  /// Whether each element of `source` is read only where that of `destination` is written.
  static bool sameAccess(BlockArgument source, BlockArgument destination) {
    if (source.getType() != destination.getType())
      return false;
    AffineMap map;
    for (Operation *user : destination.getUsers())
      map = cast<kernel::StoreOp>(user).getMap();
    return llvm::all_of(source.getUsers(), [&](Operation *user) {
      auto load = dyn_cast<kernel::LoadOp>(user);
      return load && load.getMap() == map;
    });
  }

  func::FuncOp function;
  ByteSharing bytes;
  llvm::DenseMap<Value, Attribute> keyOf;
};
} // namespace

SmallVector<OpOperand *> trainc::shareBytesInPlace(func::FuncOp function) { return InPlacePlanner(function).run(); }
