//===- KernelBuilder.cpp - one fusion group as a kernel -------------------===//
//
// Elements are built on demand from the group's outputs, so a value that was
// decided to be computed again is simply reached through its users.
//
//===----------------------------------------------------------------------===//
#include "KernelBuilder.h"

using namespace mlir;
using namespace trainc;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }
static Attribute keyOf(MLIRContext *context, const Access &access) { return DenseI64ArrayAttr::get(context, access); }

KernelBuilder::KernelBuilder(const FusionGroups &groups, int group, OpBuilder &builder, StringRef name)
    : groups(groups), group(group), space(groups.groups()[group].space), builder(builder), name(name) {}

/// A broadcast is built into its users even where it is stored for others: its kernel may depend on this one.
bool KernelBuilder::isComputedHere(Value value) const {
  Operation *op = value.getDefiningOp();
  return isGenerated(op) && (groups.groupOf(value) == group || isa<train::BroadcastOp>(op) || !groups.isStored(value));
}

/// Full values follow all dimensions, outer values those that are not reduced.
Access KernelBuilder::accessOf(Value value) const {
  if (typeOf(value).getShape() == ArrayRef<int64_t>(space.shape))
    return Access(llvm::to_vector_of<int64_t>(llvm::seq<int64_t>(0, space.shape.size())));
  return space.outerDims();
}

/// The access of operand `index` of `op`, whose result is accessed as `access`.
static Access operandAccess(Operation *op, unsigned index, const Access &access, const FusionSpace &space) {
  Value operand = op->getOperand(index);
  if (isa<train::ReduceOp>(op)) {
    Access full(space.shape.size());
    std::iota(full.begin(), full.end(), 0);
    return full;
  }
  if (auto broadcast = dyn_cast<train::BroadcastOp>(op)) {
    Access result;
    for (auto [i, dim] : llvm::enumerate(broadcast.getDims()))
      result.push_back(typeOf(operand).getDimSize(i) == broadcast.getShape()[dim] ? access[dim] : -1);
    return result;
  }
  return typeOf(operand).getRank() == 0 ? Access() : access;
}

void KernelBuilder::collectInputs(Value value, const Access &access) {
  if (!collected.insert({value, keyOf(builder.getContext(), access)}).second || isSplatConstant(value.getDefiningOp()))
    return;
  if (!isComputedHere(value)) {
    inputs.push_back({value, access});
    return;
  }
  Operation *op = value.getDefiningOp();
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    collectInputs(op->getOperand(i), operandAccess(op, i, access, space));
}

/// Whether a tensor treats space dimensions `dim` and `dim + 1` as one: it has both, side by side, or neither.
bool KernelBuilder::joinsNext(const Access &access, int64_t dim) const {
  const auto *first = llvm::find(access, dim), *second = llvm::find(access, dim + 1);
  if (first == access.end() || second == access.end())
    return first == access.end() && second == access.end();
  return second == first + 1;
}

void KernelBuilder::collapseDims() {
  for (int64_t dim = 0; dim < int64_t(space.shape.size()); ++dim) {
    bool isReduced = llvm::is_contained(space.reduced, dim);
    bool joins = dim > 0 && isReduced == llvm::is_contained(space.reduced, dim - 1) &&
                 llvm::all_of(accesses, [&](auto &entry) { return joinsNext(entry.second, dim - 1); });
    if (!joins) {
      (isReduced ? innerRuns : outerRuns).push_back(runSizes.size());
      runSizes.push_back(1);
    }
    runOf.push_back(runSizes.size() - 1);
    runSizes.back() *= space.shape[dim];
  }
  // Without a reduction the last run is the inner dimension.
  if (space.reduced.empty() && !outerRuns.empty())
    innerRuns.push_back(outerRuns.pop_back_val());
}

/// The runs that a tensor's dimensions follow, each once.
SmallVector<unsigned> KernelBuilder::runsOf(const Access &access) const {
  SmallVector<unsigned> runs;
  for (size_t i = 0; i < access.size(); ++i)
    if (access[i] >= 0 && (i == 0 || access[i - 1] < 0 || runOf[access[i]] != runOf[access[i - 1]]))
      runs.push_back(runOf[access[i]]);
  return runs;
}

SmallVector<int64_t> KernelBuilder::collapsedShape(const Access &access) const {
  return llvm::map_to_vector(runsOf(access), [&](unsigned run) { return runSizes[run]; });
}

/// How far apart two indices of an inner run lie in the inner dimension.
int64_t KernelBuilder::innerStride(unsigned run) const {
  int64_t stride = 1;
  for (unsigned other : llvm::reverse(innerRuns)) {
    if (other == run)
      break;
    stride *= runSizes[other];
  }
  return stride;
}

/// The index of a run in the kernel's iteration space: an outer dimension, or a part of the inner one.
AffineExpr KernelBuilder::spaceIndex(unsigned run) const {
  MLIRContext *context = builder.getContext();
  if (const auto *outer = llvm::find(outerRuns, run); outer != outerRuns.end())
    return getAffineDimExpr(outer - outerRuns.begin(), context);
  AffineExpr index = getAffineDimExpr(outerRuns.size(), context).floorDiv(innerStride(run));
  return run == innerRuns.front() ? index : index % runSizes[run];
}

AffineMap KernelBuilder::mapOf(const Access &access) const {
  auto results = llvm::map_to_vector(runsOf(access), [&](unsigned run) { return spaceIndex(run); });
  return AffineMap::get(outerRuns.size() + 1, 0, results, builder.getContext());
}

SmallVector<Value> KernelBuilder::operands() const {
  return llvm::map_to_vector(inputs, [](const auto &input) { return input.first; });
}

Value KernelBuilder::load(Value value, const Access &access) {
  auto *entry = llvm::find(inputs, std::pair(value, access));
  Value argument = function.getBody().front().getArgument(entry - inputs.begin());
  return kernel::LoadOp::create(builder, value.getLoc(), argument, mapOf(access));
}

/// The index of a run at the current point, as an i64.
Value KernelBuilder::runIndex(unsigned run, Location loc) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  };
  auto coordinate = [&](size_t dim) -> Value {
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), kernel::IndexOp::create(builder, loc, dim));
  };
  if (runSizes[run] == 1)
    return constant(0);
  if (const auto *outer = llvm::find(outerRuns, run); outer != outerRuns.end())
    return coordinate(outer - outerRuns.begin());
  Value index = coordinate(outerRuns.size());
  if (int64_t stride = innerStride(run); stride > 1)
    index = arith::DivUIOp::create(builder, loc, index, constant(stride));
  if (run != innerRuns.front())
    index = arith::RemUIOp::create(builder, loc, index, constant(runSizes[run]));
  return index;
}

/// Row-major index, in a tensor accessed as `access`, of the current point, as an i64.
Value KernelBuilder::linearIndex(const Access &access, Location loc) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  };
  Value total = constant(0);
  for (unsigned run : runsOf(access)) {
    Value scaled = arith::MulIOp::create(builder, loc, total, constant(runSizes[run]));
    total = arith::AddIOp::create(builder, loc, scaled, runIndex(run, loc));
  }
  return total;
}

Value KernelBuilder::emit(Operation *op, const Access &access) {
  SmallVector<Value> operands;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    operands.push_back(element(op->getOperand(i), operandAccess(op, i, access, space)));
  if (isa<train::BroadcastOp>(op))
    return operands[0];
  if (auto reduce = dyn_cast<train::ReduceOp>(op)) {
    auto kind = reduce.getKind() == train::ReductionKind::Add ? kernel::ReduceKind::add : kernel::ReduceKind::max;
    return kernel::ReduceOp::create(builder, op->getLoc(), kind, operands[0]);
  }
  if (auto kernelOp = dyn_cast<train::KernelOpInterface>(op))
    return kernelOp.emitElement(builder, operands, [&] { return linearIndex(access, op->getLoc()); });
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  state.addTypes(typeOf(op->getResult(0)).getElementType());
  state.addAttributes(op->getAttrs());
  return builder.create(state)->getResult(0);
}

Value KernelBuilder::element(Value value, const Access &access) {
  Operation *op = value.getDefiningOp();
  bool isConstant = isSplatConstant(op);
  auto key = std::pair(value, keyOf(builder.getContext(), isConstant ? Access() : access));
  if (Value known = elements.lookup(key))
    return known;
  Value built;
  if (isConstant) {
    auto splat = cast<SplatElementsAttr>(cast<arith::ConstantOp>(op).getValue());
    built = arith::ConstantOp::create(builder, op->getLoc(), splat.getSplatValue<TypedAttr>());
  } else {
    built = isComputedHere(value) ? emit(op, access) : load(value, access);
  }
  return elements[key] = built;
}

kernel::FuncOp KernelBuilder::build(ArrayRef<Value> outputs) {
  for (Value output : outputs)
    collectInputs(output, accessOf(output));
  accesses = inputs;
  for (Value output : outputs)
    accesses.push_back({output, accessOf(output)});
  collapseDims();

  SmallVector<int64_t> outer;
  for (unsigned run : outerRuns)
    outer.push_back(runSizes[run]);
  int64_t inner = 1;
  for (unsigned run : innerRuns)
    inner *= runSizes[run];

  SmallVector<Type> types;
  for (auto &[value, access] : accesses)
    types.push_back(MemRefType::get(collapsedShape(access), typeOf(value).getElementType()));

  function = kernel::FuncOp::create(builder, outputs.front().getLoc(), name, types, outer, inner);
  builder.setInsertionPointToStart(&function.getBody().front());
  for (auto [i, output] : llvm::enumerate(outputs)) {
    Value argument = function.getBody().front().getArgument(inputs.size() + i);
    kernel::StoreOp::create(builder, output.getLoc(), element(output, accessOf(output)), argument,
                            mapOf(accessOf(output)));
  }
  return function;
}
