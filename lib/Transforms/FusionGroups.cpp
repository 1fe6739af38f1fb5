//===- FusionGroups.cpp - which ops share a kernel ------------------------===//
//
// Groups grow greedily along producer-consumer edges, in block order. Two groups
// merge if their spaces fit, if every edge between them stays within one element or
// one outer point, and if no path between them runs through anything else (such a
// path would become a cycle).
//
//===----------------------------------------------------------------------===//
#include "FusionGroups.h"

using namespace mlir;
using namespace trainc;

/// Work (in additions) of one element above which a value is stored rather than computed again: an exponential is less,
/// ten rounds of Philox are more.
static constexpr int64_t kMaxRecomputedWork = 32;

static ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }
static int64_t elementsOf(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); }

Dims FusionSpace::outerDims() const {
  Dims dims;
  for (int64_t dim = 0; dim < int64_t(shape.size()); ++dim)
    if (!llvm::is_contained(reduced, dim))
      dims.push_back(dim);
  return dims;
}

Dims FusionSpace::outerShape() const {
  Dims sizes;
  for (int64_t dim : outerDims())
    sizes.push_back(shape[dim]);
  return sizes;
}

bool FusionSpace::reducesByColumns() const {
  return !reduced.empty() && reduced.front() != int64_t(shape.size() - reduced.size());
}

bool trainc::isSplatConstant(Operation *op) {
  auto constant = dyn_cast_or_null<arith::ConstantOp>(op);
  return constant && isa<SplatElementsAttr>(constant.getValue());
}

bool trainc::isGenerated(Operation *op) {
  if (!op || isa<arith::ConstantOp>(op))
    return false;
  return isa<train::KernelOpInterface, train::BroadcastOp, train::ReduceOp>(op) ||
         OpTrait::hasElementwiseMappableTraits(op);
}

static int64_t elementWork(Operation *op) {
  if (auto kernelOp = dyn_cast<train::KernelOpInterface>(op))
    return kernelOp.getElementWork();
  if (isa<train::BroadcastOp>(op))
    return 0;
  if (isa<math::MathDialect>(op->getDialect()))
    return 12;
  return isa<arith::DivFOp>(op) ? 4 : 1;
}

static FusionSpace initialSpace(Operation *op) {
  if (auto reduce = dyn_cast<train::ReduceOp>(op))
    return {Dims(shapeOf(reduce.getInput())), Dims(reduce.getDims())};
  return {Dims(shapeOf(op->getResult(0))), {}};
}

FusionGroups::FusionGroups(Block &block) {
  for (Operation &op : block) {
    index[&op] = ops.size();
    ops.push_back(&op);
  }
  for (unsigned i = 0; i < ops.size(); ++i) {
    parent.push_back(i);
    members.push_back({i});
    spaces.push_back(isGenerated(ops[i]) ? initialSpace(ops[i]) : FusionSpace());
  }
  formGroups();
  decideStored();
}

unsigned FusionGroups::find(unsigned op) const {
  while (parent[op] != op)
    op = parent[op] = parent[parent[op]];
  return op;
}

int FusionGroups::groupOf(Value value) const {
  Operation *op = value.getDefiningOp();
  return op ? groupNumber.lookup_or(op, -1) : -1;
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

/// Calls `visit` for each op that needs `op`'s result, looking through broadcasts: they are built into their users, so
/// two users of one broadcast have nothing in common.
static void forEachUser(Operation *op, llvm::function_ref<void(Operation *)> visit) {
  for (Operation *user : op->getUsers()) {
    if (isa<train::BroadcastOp>(user))
      forEachUser(user, visit);
    else
      visit(user);
  }
}

/// The op whose result `value` spreads.
static Operation *producerThroughBroadcasts(Value value) {
  Operation *producer = value.getDefiningOp();
  while (auto broadcast = dyn_cast_or_null<train::BroadcastOp>(producer))
    producer = broadcast.getInput().getDefiningOp();
  return producer;
}

/// A value used by column reductions only is computed inside them.
static bool feedsColumnReductionsOnly(Operation *op) {
  return !op->use_empty() && llvm::all_of(op->getUsers(), [](Operation *user) {
    return isa<train::ReduceOp>(user) && initialSpace(user).reducesByColumns();
  });
}

void FusionGroups::formGroups() {
  for (unsigned consumer = 0; consumer < ops.size(); ++consumer) {
    if (!isGenerated(ops[consumer]) || isa<train::BroadcastOp>(ops[consumer]) ||
        feedsColumnReductionsOnly(ops[consumer]))
      continue;
    for (Value operand : ops[consumer]->getOperands())
      if (Operation *producer = producerThroughBroadcasts(operand); isGenerated(producer))
        tryMerge(index.lookup(producer), consumer);
  }
  llvm::DenseMap<unsigned, int> numbers;
  for (unsigned i = 0; i < ops.size(); ++i) {
    if (!isGenerated(ops[i]))
      continue;
    unsigned root = find(i);
    auto [it, isNew] = numbers.try_emplace(root, int(result.size()));
    if (isNew)
      result.push_back({spaces[root], {}});
    result[it->second].ops.push_back(ops[i]);
    groupNumber[ops[i]] = it->second;
  }
}

/// The space both groups fit in: equal shapes whose reductions agree, or one group on the outer points of the other.
std::optional<FusionSpace> FusionGroups::mergedSpace(unsigned a, unsigned b) const {
  const FusionSpace &x = spaces[a], &y = spaces[b];
  if (x.shape == y.shape) {
    if (x.reduced.empty() || y.reduced.empty() || x.reduced == y.reduced)
      return FusionSpace{x.shape, x.reduced.empty() ? y.reduced : x.reduced};
    return std::nullopt;
  }
  for (auto [whole, part] : {std::pair(&x, &y), std::pair(&y, &x)})
    // Scalars stay apart: a chain of them would pull unrelated reductions into one sequential kernel.
    if (!whole->reduced.empty() && part->reduced.empty() && !part->shape.empty() && whole->outerShape() == part->shape)
      return *whole;
  return std::nullopt;
}

/// Whether each operand computed by a member is at hand where its user needs it: at the same point, or, spread along
/// the reduced dimensions, at the same outer point.
bool FusionGroups::edgesFit(const FusionSpace &space, ArrayRef<unsigned> group) const {
  llvm::DenseSet<Operation *> inside;
  for (unsigned op : group)
    inside.insert(ops[op]);
  auto fits = [&](Operation *user, Value operand) {
    if (auto broadcast = operand.getDefiningOp<train::BroadcastOp>()) {
      if (!inside.contains(producerThroughBroadcasts(operand)))
        return true;
      return inside.contains(broadcast.getInput().getDefiningOp()) &&
             shapeOf(broadcast) == ArrayRef<int64_t>(space.shape) &&
             broadcast.getDims() == ArrayRef<int64_t>(space.outerDims()) &&
             shapeOf(broadcast.getInput()) == ArrayRef<int64_t>(space.outerShape());
    }
    if (!inside.contains(operand.getDefiningOp()))
      return true;
    if (auto reduce = dyn_cast<train::ReduceOp>(user))
      return shapeOf(operand) == ArrayRef<int64_t>(space.shape) && reduce.getDims() == ArrayRef<int64_t>(space.reduced);
    return shapeOf(operand) == shapeOf(user->getResult(0));
  };
  return llvm::all_of(group, [&](unsigned op) {
    return llvm::all_of(ops[op]->getOperands(), [&](Value operand) { return fits(ops[op], operand); });
  });
}

/// Whether no full value of the group is used outside of it.
bool FusionGroups::staysInside(ArrayRef<unsigned> group, const FusionSpace &space) const {
  llvm::DenseSet<Operation *> inside;
  for (unsigned op : group)
    inside.insert(ops[op]);
  for (unsigned op : group)
    if (shapeOf(ops[op]->getResult(0)) == ArrayRef<int64_t>(space.shape) &&
        llvm::any_of(ops[op]->getUsers(), [&](Operation *user) { return !inside.contains(user); }))
      return false;
  return true;
}

/// Whether a path leads from group `from` to group `to` through anything else.
bool FusionGroups::reaches(unsigned from, unsigned to) const {
  unsigned last = *std::max_element(members[to].begin(), members[to].end());
  llvm::DenseSet<unsigned> visited;
  SmallVector<unsigned> worklist;
  auto visitUsers = [&](unsigned op, bool isStart) {
    forEachUser(ops[op], [&](Operation *user) {
      unsigned root = find(index.lookup(user));
      if (root == from || (root == to && isStart) || index.lookup(user) > last)
        return;
      if (visited.insert(root).second)
        worklist.push_back(root);
    });
  };
  for (unsigned op : members[from])
    visitUsers(op, /*isStart=*/true);
  while (!worklist.empty()) {
    unsigned root = worklist.pop_back_val();
    if (root == to)
      return true;
    for (unsigned op : members[root])
      visitUsers(op, /*isStart=*/false);
  }
  return false;
}

bool FusionGroups::tryMerge(unsigned producer, unsigned consumer) {
  unsigned a = find(producer), b = find(consumer);
  if (a == b)
    return true;
  std::optional<FusionSpace> space = mergedSpace(a, b);
  if (!space)
    return false;
  SmallVector<unsigned> all = llvm::to_vector(llvm::concat<unsigned>(members[a], members[b]));
  if (!edgesFit(*space, all) || (space->reducesByColumns() && !staysInside(all, *space)) || reaches(a, b) ||
      reaches(b, a))
    return false;
  parent[b] = a;
  spaces[a] = *space;
  members[a] = std::move(all);
  members[b].clear();
  return true;
}

//===----------------------------------------------------------------------===//
// Storing or computing again
//===----------------------------------------------------------------------===//

/// What computing a value again from stored ones takes.
struct FusionGroups::Cone {
  int64_t work = 0;
  llvm::SetVector<Value> leaves;
  llvm::SetVector<Value> fullLeaves;
  llvm::DenseSet<Value> seen;
};

bool FusionGroups::growCone(Value value, int64_t fullElements, Cone &cone) const {
  if (!cone.seen.insert(value).second)
    return true;
  Operation *op = value.getDefiningOp();
  bool isLeaf = !isGenerated(op) || isa<train::ReduceOp>(op) ||
                (!isa<train::BroadcastOp>(op) && (stored.contains(value) || elementsOf(value) < fullElements));
  if (isSplatConstant(op))
    return true;
  if (isLeaf) {
    cone.leaves.insert(value);
    if (elementsOf(value) == fullElements)
      cone.fullLeaves.insert(value);
    return true;
  }
  cone.work += elementWork(op);
  if (cone.work > kMaxRecomputedWork)
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) { return growCone(operand, fullElements, cone); });
}

/// Whether `value` is needed by an op that is not generated, directly or spread.
static bool reachesBoundary(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return isa<train::BroadcastOp>(user) ? reachesBoundary(user->getResult(0)) : !isGenerated(user);
  });
}

/// Decides whether every other group that reads `value` can compute it from at most one tensor of full size (two for
/// column reductions, which store nothing else). If so, the small values that takes are stored.
bool FusionGroups::canRecompute(Value value) {
  bool isBroadcast = isa<train::BroadcastOp>(value.getDefiningOp());
  if (isa<train::ReduceOp>(value.getDefiningOp()) ||
      llvm::any_of(value.getUsers(), [](Operation *user) { return !isGenerated(user); }))
    return false;
  if (isBroadcast)
    return true;
  Cone cone;
  if (!growCone(value, elementsOf(value), cone))
    return false;
  for (Operation *user : value.getUsers()) {
    if (isa<train::BroadcastOp>(user))
      return false;
    int group = groupNumber.lookup(user);
    if (group == groupOf(value))
      continue;
    const FusionSpace &space = result[group].space;
    if (ArrayRef<int64_t>(space.shape) != shapeOf(value) ||
        cone.fullLeaves.size() > (space.reducesByColumns() ? 2u : 1u))
      return false;
  }
  for (Value leaf : cone.leaves)
    if (isGenerated(leaf.getDefiningOp()))
      stored.insert(leaf);
  return true;
}

void FusionGroups::decideStored() {
  for (Operation *op : ops) {
    if (!isGenerated(op))
      continue;
    Value value = op->getResult(0);
    bool leavesGroup = reachesBoundary(value);
    forEachUser(op, [&](Operation *user) { leavesGroup |= groupNumber.lookup_or(user, -1) != groupOf(value); });
    if (!leavesGroup)
      continue;
    if (canRecompute(value))
      ++recomputed;
    else
      stored.insert(value);
  }
}
